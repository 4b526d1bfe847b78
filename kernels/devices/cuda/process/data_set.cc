// SPDX-License-Identifier: MIT
#include "kernels/devices/cuda/process/data_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

#include "kernels/cpu/compare.h"
#include "kernels/devices/cuda/driver/device_programs.h"

namespace exh::kernels::cuda {
namespace {

constexpr unsigned char kNanByte = 0xFF;
constexpr unsigned char kPoisonByte = 0xA5;  ///< No bool.
constexpr std::uint32_t kCheckThreads = 256;
constexpr std::uint64_t kMostCheckBlocks = 2048;
constexpr std::uint64_t kGuardBlocks = 32;

Launch OneThreadEach(std::uint64_t elements) {
  const std::uint64_t blocks = (elements + kCheckThreads - 1) / kCheckThreads;
  return {std::clamp<std::uint64_t>(blocks, 1, kMostCheckBlocks), kCheckThreads, 0, 0};
}

/// A byte whose repetition is no right element of an integer array; of those that there are, the
/// one that is least often. 0xA5 if nothing speaks against it.
unsigned char RareByte(const cpu::ProblemArray& array) {
  constexpr std::size_t kPatterns = 256;
  struct Pattern {
    double value = 0;
    unsigned char byte = 0;
  };
  std::array<Pattern, kPatterns> patterns;
  for (std::size_t byte = 0; byte < kPatterns; ++byte) {
    std::array<std::byte, sizeof(std::uint64_t)> element;
    element.fill(static_cast<std::byte>(byte));
    patterns[byte] = {ir::ReadElement(array.type, element.data()),
                      static_cast<unsigned char>(byte)};
  }
  std::ranges::sort(patterns, {}, &Pattern::value);
  std::array<std::uint64_t, kPatterns> counts{};
  for (std::size_t i = 0; i < array.reference.size(); ++i) {
    const double allowed = std::max(array.tolerance[i], 0.0);
    if (std::isinf(allowed)) continue;  // Anything is right there.
    const double least = array.reference[i] - allowed, most = array.reference[i] + allowed;
    const auto* at = std::ranges::lower_bound(patterns, least, {}, &Pattern::value);
    for (; at != patterns.end() && at->value <= most; ++at) ++counts[at->byte];
  }
  unsigned char rarest = kPoisonByte;
  for (std::size_t byte = 0; byte < kPatterns; ++byte) {
    if (counts[byte] < counts[rarest]) rarest = static_cast<unsigned char>(byte);
  }
  return rarest;
}

unsigned char PoisonOf(const cpu::ProblemArray& array) {
  if (ir::IsFloat(array.type)) return kNanByte;
  return array.type == ir::Type::kBool ? kPoisonByte : RareByte(array);
}

}  // namespace

DataSet::DataSet(const Gpu& gpu, const cpu::Problem& problem, const Module& programs,
                 std::size_t copies)
    : gpu_(gpu),
      guard_(programs.Function("exh_guard")),
      hash_(programs.Function("exh_hash")),
      copies_(copies),
      addresses_(copies),
      result_(gpu, sizeof(CheckResult)),
      hashes_(gpu, (kHashes + 1) * sizeof(std::uint64_t)) {
  for (const cpu::ProblemScalar& scalar : problem.scalars) {
    ir::WriteElement(ir::ComputeTypeOf(scalar.type), scalars_.emplace_back().data(),
                     ir::Rounded(scalar.type, scalar.value));
  }
  for (const cpu::ProblemArray& from : problem.arrays) {
    Array& array = arrays_.emplace_back();
    array.name = from.name;
    array.is_output = from.is_output;
    array.type = from.type;
    array.elements = from.elements();
    for (std::size_t copy = 0; copy < copies; ++copy) {
      copies_[copy].emplace_back(gpu, array.elements * ir::BytesOf(array.type));
      const CUdeviceptr data = copies_[copy].back().data();
      addresses_[copy].push_back(data);
      if (array.is_output) continue;
      if (copy == 0) {
        gpu.Upload(data, from.values.data(), from.values.size_bytes());
      } else if (!from.values.empty()) {
        gpu.Check(gpu.cu().cuMemcpyDtoDAsync(data, addresses_[0].back(), from.values.size_bytes(),
                                             gpu.stream()),
                  "cuMemcpyDtoDAsync");
      }
    }
    if (array.is_output) AddReference(from, programs, array.reference);
  }
  gpu.Synchronize();
  // Nothing was written to outputs yet.
  for (std::size_t i = 0; i < arrays_.size(); ++i) {
    input_hashes_.push_back(arrays_[i].is_output ? 0 : HashOf(0, i));
  }
}

void DataSet::AddReference(const cpu::ProblemArray& from, const Module& programs,
                           Reference& to) const {
  to.check = programs.Function(NameFor("exh_check", from.type).c_str());
  to.poison = PoisonOf(from);
  to.values = DeviceBuffer(gpu_, from.reference.size_bytes());
  to.tolerance = DeviceBuffer(gpu_, from.tolerance.size_bytes());
  to.rms_limit = from.rms_limit;
  if (from.type == ir::Type::kI64) {  // As the device programs have it: integers.
    std::vector<std::int64_t> whole(from.whole.begin(), from.whole.end());
    for (std::size_t i = whole.size(); i < from.reference.size(); ++i) {
      whole.push_back(ir::Number(from.reference[i]).whole());
    }
    gpu_.Upload(to.values.data(), whole.data(), from.reference.size_bytes());
  } else {
    gpu_.Upload(to.values.data(), from.reference.data(), from.reference.size_bytes());
  }
  gpu_.Upload(to.tolerance.data(), from.tolerance.data(), from.tolerance.size_bytes());
}

std::vector<void*> DataSet::Arguments(std::size_t copy, CUdeviceptr* scratch) {
  std::vector<void*> arguments;
  for (CUdeviceptr& address : addresses_[copy]) arguments.push_back(&address);
  for (Scalar& scalar : scalars_) arguments.push_back(scalar.data());
  if (scratch != nullptr) arguments.push_back(scratch);
  return arguments;
}

void DataSet::PoisonOutputs(std::size_t copy) const {
  for (std::size_t i = 0; i < arrays_.size(); ++i) {
    if (!arrays_[i].is_output) continue;
    gpu_.FillBytes(addresses_[copy][i], arrays_[i].reference.poison, copies_[copy][i].bytes());
  }
}

/// Of whole words: what the last one has of the guard zone does not change, or that is found.
void DataSet::AddHash(std::size_t copy, std::size_t number, std::size_t slot) const {
  CUdeviceptr array = addresses_[copy][number];
  CUdeviceptr result = hashes_.data() + sizeof(std::uint64_t) * slot;
  std::uint64_t n = copies_[copy][number].words(), salt = std::uint64_t{number} << 40;
  std::array<void*, 4> arguments = {&array, &n, &salt, &result};
  gpu_.Launch(hash_, OneThreadEach(n), arguments.data());
}

void DataSet::TakeHash(std::size_t copy, std::size_t slot) const {
  gpu_.Fill(hashes_.data() + sizeof(std::uint64_t) * slot, 0, 2);
  for (std::size_t i = 0; i < arrays_.size(); ++i) {
    if (arrays_[i].is_output) AddHash(copy, i, slot);
  }
}

/// Of one array, now.
std::uint64_t DataSet::HashOf(std::size_t copy, std::size_t number) const {
  const CUdeviceptr place = hashes_.data() + sizeof(std::uint64_t) * kHashes;
  gpu_.Fill(place, 0, 2);
  AddHash(copy, number, kHashes);
  gpu_.Synchronize();
  std::uint64_t hash = 0;
  gpu_.Download(&hash, place, sizeof hash);
  return hash;
}

std::vector<std::uint64_t> DataSet::Hashes(std::size_t count) const {
  std::vector<std::uint64_t> hashes(count);
  gpu_.Synchronize();
  gpu_.Download(hashes.data(), hashes_.data(), count * sizeof(std::uint64_t));
  return hashes;
}

/// Bytes before the data are counted from 0, those behind its end from kGuardBytes.
void DataSet::CheckGuards(const DeviceBuffer& buffer) const {
  const auto check = [&](CUdeviceptr zone, std::size_t zone_words, std::size_t zone_skipped,
                         std::uint64_t first) {
    unsigned int word = DeviceBuffer::kGuardWord;
    auto skipped = static_cast<unsigned int>(zone_skipped);
    auto words = static_cast<unsigned int>(zone_words);
    CUdeviceptr result = result_.data();
    std::array<void*, 6> arguments = {&zone, &word, &skipped, &first, &words, &result};
    gpu_.Launch(guard_, {kGuardBlocks, kCheckThreads, 0, 0}, arguments.data());
  };
  check(buffer.guard_before(), DeviceBuffer::kGuardWords, 0, 0);
  check(buffer.guard_after(), buffer.words_after(), buffer.data_in_guard(),
        DeviceBuffer::kGuardBytes - buffer.data_in_guard());
}

std::string DataSet::WrongText(std::size_t copy, std::size_t number, std::uint64_t first,
                               std::uint64_t wrong) const {
  const Array& array = arrays_[number];
  std::array<std::byte, sizeof(double)> got;
  const std::size_t width = ir::BytesOf(array.type);
  gpu_.Download(got.data(), addresses_[copy][number] + width * first, width);
  std::uint64_t cell = 0;
  double tolerance = 0;
  const std::uint64_t place = sizeof(double) * first;
  gpu_.Download(&cell, array.reference.values.data() + place, sizeof cell);
  gpu_.Download(&tolerance, array.reference.tolerance.data() + place, sizeof tolerance);
  return cpu::WrongElementText(array.name, array.type, first,
                               ir::ReadNumber(array.type, got.data()),
                               ir::Number::OfCell(array.type, cell), tolerance, wrong);
}

DataSet::Verdict DataSet::Check(std::size_t copy, bool has_results) const {
  // More than CheckGuards() can find: the words behind an array may be one more.
  constexpr std::uint64_t kBehindGuards =
      2 * DeviceBuffer::kGuardBytes + sizeof(DeviceBuffer::kGuardWord);
  Verdict verdict;
  for (std::size_t i = 0; i < arrays_.size(); ++i) {
    const Array& array = arrays_[i];
    CheckResult found;
    gpu_.Upload(result_.data(), &found, sizeof found);
    CheckGuards(copies_[copy][i]);
    if (array.is_output && has_results) {
      CUdeviceptr out = addresses_[copy][i], reference = array.reference.values.data();
      CUdeviceptr tolerance = array.reference.tolerance.data(), result = result_.data();
      std::uint64_t n = array.elements;
      double forgiven = forgiven_;
      std::array<void*, 6> arguments = {&out, &reference, &tolerance, &n, &result, &forgiven};
      gpu_.Launch(array.reference.check, OneThreadEach(n), arguments.data());
    }
    gpu_.Synchronize();
    gpu_.Download(&found, result_.data(), sizeof found);
    verdict.max_error = std::max(verdict.max_error, found.max_error);
    verdict.max_ratio = std::max(verdict.max_ratio, found.max_ratio);
    const bool is_changed = !array.is_output && HashOf(copy, i) != input_hashes_[i];
    const bool is_outside = found.guard < kBehindGuards;
    verdict.is_spoilt |= is_changed || is_outside;
    if (!verdict.why.empty()) continue;
    const double rms_ratio =
        std::sqrt(found.squares / static_cast<double>(std::max<std::uint64_t>(found.counted, 1)));
    if (is_outside) {
      verdict.why = OutOfBoundsText(array.name, ir::BytesOf(array.type), found.guard);
      verdict.place = Place{i, true, found.guard, 0};
    } else if (is_changed) {
      verdict.why = fmt::format("{} was written, and is an input", array.name);
    } else if (found.wrong > 0) {
      verdict.why = WrongText(copy, i, found.first_wrong, found.wrong);
      verdict.place = Place{i, false, found.first_wrong, found.wrong};
    } else if (rms_ratio > array.reference.rms_limit) {
      verdict.why = cpu::WrongMeanText(array.name, rms_ratio, array.reference.rms_limit);
    }
  }
  return verdict;
}

std::string OutOfBoundsText(const std::string& name, std::uint64_t width, std::uint64_t guard) {
  if (guard < DeviceBuffer::kGuardBytes) {
    return fmt::format("{} was written outside its bounds, {} elements before its start", name,
                       (DeviceBuffer::kGuardBytes - guard + width - 1) / width);
  }
  return fmt::format("{} was written outside its bounds, {} elements behind its end", name,
                     (guard - DeviceBuffer::kGuardBytes) / width);
}

std::size_t CopiesForColdL2(std::size_t bytes, std::size_t l2_bytes) {
  const std::size_t needed = 2 * l2_bytes / std::max<std::size_t>(bytes, 1) + 1;
  return std::clamp<std::size_t>(needed, 3, 1024);
}

}  // namespace exh::kernels::cuda
