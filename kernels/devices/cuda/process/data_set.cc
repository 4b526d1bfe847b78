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

constexpr unsigned int kNanWord = 0xFFFFFFFF;
constexpr std::uint32_t kCheckThreads = 256;
constexpr std::uint64_t kMostCheckBlocks = 2048;
constexpr std::uint64_t kGuardBlocks = 32;

Launch OneThreadEach(std::uint64_t elements) {
  const std::uint64_t blocks = (elements + kCheckThreads - 1) / kCheckThreads;
  return {std::clamp<std::uint64_t>(blocks, 1, kMostCheckBlocks), kCheckThreads, 0, 0};
}

}  // namespace

DataSet::DataSet(const Gpu& gpu, const cpu::Problem& problem, const CheckFunctions& functions,
                 std::size_t copies)
    : gpu_(gpu),
      functions_(functions),
      scalars_(problem.scalars),
      copies_(copies),
      addresses_(copies),
      references_(problem.arrays.size()),
      result_(gpu, sizeof(CheckResult)),
      hashes_(gpu, (kHashes + 1) * sizeof(std::uint64_t)) {
  for (std::size_t i = 0; i < problem.arrays.size(); ++i) {
    const cpu::ProblemArray& array = problem.arrays[i];
    names_.push_back(array.name);
    is_output_.push_back(array.is_output);
    elements_.push_back(array.elements());
    for (std::size_t copy = 0; copy < copies; ++copy) {
      copies_[copy].emplace_back(gpu, 4 * array.elements());
      const CUdeviceptr data = copies_[copy].back().data();
      addresses_[copy].push_back(data);
      if (array.is_output) continue;
      if (copy == 0) {
        gpu.Upload(data, array.values.data(), array.values.size_bytes());
      } else {
        gpu.Check(gpu.cu().cuMemcpyDtoDAsync(data, addresses_[0][i], array.values.size_bytes(),
                                             gpu.stream()),
                  "cuMemcpyDtoDAsync");
      }
    }
    if (!array.is_output) continue;
    Reference& reference = references_[i];
    reference.values = Buffer(gpu, array.reference.size_bytes());
    reference.tolerance = Buffer(gpu, array.tolerance.size_bytes());
    reference.rms_limit = array.rms_limit;
    gpu.Upload(reference.values.data(), array.reference.data(), array.reference.size_bytes());
    gpu.Upload(reference.tolerance.data(), array.tolerance.data(), array.tolerance.size_bytes());
  }
  gpu.Synchronize();
  for (std::size_t i = 0; i < elements_.size(); ++i) input_hashes_.push_back(HashOf(0, i));
}

std::vector<void*> DataSet::Arguments(std::size_t copy, CUdeviceptr* scratch) {
  std::vector<void*> arguments;
  for (CUdeviceptr& address : addresses_[copy]) arguments.push_back(&address);
  for (float& scalar : scalars_) arguments.push_back(&scalar);
  if (scratch != nullptr) arguments.push_back(scratch);
  return arguments;
}

void DataSet::PoisonOutputs(std::size_t copy) const {
  for (std::size_t i = 0; i < elements_.size(); ++i) {
    if (is_output_[i]) gpu_.Fill(addresses_[copy][i], kNanWord, elements_[i]);
  }
}

void DataSet::AddHash(CUdeviceptr array, std::size_t number, std::size_t slot) const {
  CUdeviceptr result = hashes_.data() + sizeof(std::uint64_t) * slot;
  std::uint64_t n = elements_[number], salt = std::uint64_t{number} << 40;
  std::array<void*, 4> arguments = {&array, &n, &salt, &result};
  gpu_.Launch(functions_.hash, OneThreadEach(n), arguments.data());
}

void DataSet::TakeHash(std::size_t copy, std::size_t slot) const {
  gpu_.Fill(hashes_.data() + sizeof(std::uint64_t) * slot, 0, 2);
  for (std::size_t i = 0; i < elements_.size(); ++i) {
    if (is_output_[i]) AddHash(addresses_[copy][i], i, slot);
  }
}

/// Of one array, now.
std::uint64_t DataSet::HashOf(std::size_t copy, std::size_t number) const {
  const CUdeviceptr place = hashes_.data() + sizeof(std::uint64_t) * kHashes;
  gpu_.Fill(place, 0, 2);
  AddHash(addresses_[copy][number], number, kHashes);
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

void DataSet::CheckGuard(CUdeviceptr zone, std::uint64_t first) const {
  unsigned int word = Buffer::kGuardWord;
  unsigned int words = Buffer::kGuardBytes / 4;
  CUdeviceptr result = result_.data();
  std::array<void*, 5> arguments = {&zone, &word, &first, &words, &result};
  gpu_.Launch(functions_.guard, {kGuardBlocks, kCheckThreads, 0, 0}, arguments.data());
}

DataSet::Verdict DataSet::Check(std::size_t copy) const {
  constexpr std::uint64_t kGuardWords = Buffer::kGuardBytes / 4;
  Verdict verdict;
  for (std::size_t i = 0; i < elements_.size(); ++i) {
    CheckResult found;
    gpu_.Upload(result_.data(), &found, sizeof found);
    const Buffer& buffer = copies_[copy][i];
    CheckGuard(buffer.guard_before(), 0);
    CheckGuard(buffer.guard_after(), kGuardWords);
    if (is_output_[i]) {
      CUdeviceptr out = buffer.data(), reference = references_[i].values.data();
      CUdeviceptr tolerance = references_[i].tolerance.data(), result = result_.data();
      std::uint64_t n = elements_[i];
      std::array<void*, 5> arguments = {&out, &reference, &tolerance, &n, &result};
      gpu_.Launch(functions_.check, OneThreadEach(n), arguments.data());
    }
    gpu_.Synchronize();
    gpu_.Download(&found, result_.data(), sizeof found);
    verdict.max_error = std::max(verdict.max_error, found.max_error);
    verdict.max_ratio = std::max(verdict.max_ratio, found.max_ratio);
    const bool is_changed = !is_output_[i] && HashOf(copy, i) != input_hashes_[i];
    verdict.is_spoilt |= is_changed || found.guard < 2 * kGuardWords;
    if (!verdict.why.empty()) continue;
    const double rms_ratio =
        std::sqrt(found.squares / static_cast<double>(std::max<std::uint64_t>(found.counted, 1)));
    if (found.guard < kGuardWords) {
      verdict.why = fmt::format("{} was written outside its bounds, {} elements before its start",
                                names_[i], kGuardWords - found.guard);
    } else if (found.guard < 2 * kGuardWords) {
      verdict.why = fmt::format("{} was written outside its bounds, {} elements behind its end",
                                names_[i], found.guard - kGuardWords);
    } else if (is_changed) {
      verdict.why = fmt::format("{} was written, and is an input", names_[i]);
    } else if (found.wrong > 0) {
      float got = 0;
      gpu_.Download(&got, buffer.data() + 4 * found.first_wrong, sizeof got);
      double reference = 0, tolerance = 0;
      const std::uint64_t place = sizeof(double) * found.first_wrong;
      gpu_.Download(&reference, references_[i].values.data() + place, sizeof reference);
      gpu_.Download(&tolerance, references_[i].tolerance.data() + place, sizeof tolerance);
      verdict.why = cpu::WrongElementText(names_[i], found.first_wrong, got, reference, tolerance,
                                          found.wrong);
    } else if (rms_ratio > references_[i].rms_limit) {
      verdict.why = cpu::WrongMeanText(names_[i], rms_ratio, references_[i].rms_limit);
    }
  }
  return verdict;
}

std::size_t CopiesForColdL2(std::size_t bytes, std::size_t l2_bytes) {
  const std::size_t needed = 2 * l2_bytes / std::max<std::size_t>(bytes, 1) + 1;
  return std::clamp<std::size_t>(needed, 3, 1024);
}

}  // namespace exh::kernels::cuda
