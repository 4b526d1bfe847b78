// SPDX-License-Identifier: MIT
#include "kernels/devices/cuda/own/own_arrays.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <fstream>

#include "base/hash.h"
#include "base/random.h"

namespace exh::kernels::cuda {
namespace {

constexpr unsigned char kNanByte = 0xFF;

/// Floats in [-1, 1]; of integers whole numbers that are small, as sums of them are exact.
double Drawn(const OwnType& type, Random& random) {
  constexpr std::size_t kMost = 8;
  if (type.is_float()) return 2 * random.Real() - 1;
  if (type.cell() == ir::Type::kBool) return static_cast<double>(random.Below(2));
  const auto size = static_cast<double>(1 + random.Below(kMost));
  return type.is_signed() && random.Below(2) == 0 ? -size : size;
}

std::uint64_t BytesOf(const OwnArgument& argument) {
  return argument.elements * argument.type.bytes();
}

std::vector<std::byte> ReadElements(const OwnArgument& argument) {
  std::ifstream file(argument.file, std::ios::binary | std::ios::ate);
  if (!file) throw GpuError(fmt::format("'{}': cannot read '{}'", argument.name, argument.file));
  const auto size = static_cast<std::uint64_t>(file.tellg());
  if (size != BytesOf(argument)) {
    throw GpuError(fmt::format("'{}': '{}' has {} bytes; {} elements of {} have {}", argument.name,
                               argument.file, size, argument.elements, argument.type.word(),
                               BytesOf(argument)));
  }
  file.seekg(0);
  std::vector<std::byte> elements(size);
  file.read(reinterpret_cast<char*>(elements.data()), static_cast<std::streamsize>(size));
  if (!file) throw GpuError(fmt::format("'{}': cannot read '{}'", argument.name, argument.file));
  return elements;
}

}  // namespace

std::vector<std::byte> ContentsOf(const OwnArgument& argument) {
  if (!argument.file.empty()) return ReadElements(argument);
  std::vector<std::byte> elements(BytesOf(argument));
  const std::uint32_t width = argument.type.bytes();
  if (argument.number) {
    argument.type.Write(elements.data(), *argument.number);
    for (std::uint64_t i = 1; i < argument.elements; ++i) {
      std::copy_n(elements.data(), width, elements.data() + i * width);
    }
    return elements;
  }
  Random random(Fnv1a64(argument.name));
  for (std::uint64_t i = 0; i < argument.elements; ++i) {
    argument.type.Write(elements.data() + i * width, Drawn(argument.type, random));
  }
  return elements;
}

OwnArrays::OwnArrays(const Gpu& gpu, const Module& programs, const OwnSetup& setup,
                     const std::function<void(void** arguments)>& run)
    : gpu_(gpu), arguments_(setup.arguments), tolerance_(setup.tolerance) {
  std::vector<std::vector<std::byte>> contents;
  std::vector<DeviceBuffer> first;
  std::vector<CUdeviceptr> places;
  for (const OwnArgument& argument : arguments_) {
    if (!argument.is_array()) continue;
    const std::vector<std::byte>& held =
        contents.emplace_back(argument.is_read() ? ContentsOf(argument) : std::vector<std::byte>());
    first.emplace_back(gpu, BytesOf(argument));
    places.push_back(first.back().data());
    if (argument.is_read()) {
      gpu.Upload(places.back(), held.data(), held.size());
    } else {
      gpu.FillBytes(places.back(), kNanByte, first.back().bytes());
    }
  }
  run(ArgumentsAt(places, setup.reference).data());
  cpu::Problem problem;
  std::vector<Reference> references;
  references.reserve(arguments_.size());  // Spans point into it.
  std::size_t array = 0;
  for (const OwnArgument& argument : arguments_) {
    if (!argument.is_array()) continue;
    arrays_.push_back(&argument);
    results_.emplace_back();
    cpu::ProblemArray& made = problem.arrays.emplace_back();
    made.name = argument.name;
    made.type = argument.type.cell();
    made.is_output = argument.is_written();
    if (made.is_output) {
      std::vector<std::byte> bytes(first[array].bytes());
      gpu.Download(bytes.data(), places[array], bytes.size());
      const Reference& reference = references.emplace_back(ReferenceOf(argument, bytes));
      made.reference = reference.values;
      made.tolerance = reference.tolerance;
      made.whole = reference.whole;
      if (!argument.type.is_ours()) results_.back() = std::move(bytes);
    } else {
      made.values = contents[array];
    }
    ++array;
  }
  first.clear();
  set_.emplace(gpu, problem, programs, 1);
  addresses_ = set_->addresses().front();
  array = 0;
  for (const OwnArgument& argument : arguments_) {
    if (!argument.is_array()) continue;
    DeviceBuffer& original = originals_.emplace_back();
    if (argument.role == OwnArgument::Role::kInOut) {
      const std::vector<std::byte>& held = contents[array];
      original = DeviceBuffer(gpu, held.size());
      gpu.Upload(original.data(), held.data(), held.size());
    }
    ++array;
  }
}

OwnArrays::Reference OwnArrays::ReferenceOf(const OwnArgument& argument,
                                            const std::vector<std::byte>& result) const {
  const ir::Type cell = argument.type.cell();
  const std::size_t width = ir::BytesOf(cell);
  Reference reference;
  reference.values.reserve(result.size() / width);
  reference.tolerance.reserve(result.size() / width);
  double squares = 0, counted = 0;
  for (std::uint64_t i = 0; i < result.size() / width; ++i) {
    const double value = ir::ReadElement(cell, result.data() + i * width);
    if (std::isnan(value)) {
      throw GpuError(
          fmt::format("{}[{}] is NaN, or was not written, so nothing can be compared "
                      "with it; an array that is read as well has the role 'inout'",
                      argument.name, i));
    }
    reference.values.push_back(value);
    if (!std::isfinite(value)) continue;
    squares += value * value;
    ++counted;
  }
  if (cell == ir::Type::kI64) {
    const auto* const whole = reinterpret_cast<const std::int64_t*>(result.data());
    reference.whole.assign(whole, whole + result.size() / width);
  }
  const double scale = std::sqrt(squares / std::max(counted, 1.0));
  for (const double value : reference.values) {
    reference.tolerance.push_back(ir::IsFloat(cell) ? tolerance_ * (std::abs(value) + scale) : 0);
  }
  return reference;
}

std::vector<void*> OwnArrays::ArgumentsAt(std::vector<CUdeviceptr>& arrays,
                                          const OwnLaunch& launch) {
  std::vector<void*> pointers;
  scalars_.assign(arguments_.size(), Cell{});
  std::size_t array = 0, scalar = 0;
  for (std::size_t i = 0; i < arguments_.size(); ++i) {
    const OwnArgument& argument = arguments_[i];
    if (argument.is_array()) {
      pointers.push_back(&arrays[array++]);
      continue;
    }
    const double value = scalar < launch.scalars.size() ? launch.scalars[scalar] : 0;
    ++scalar;
    argument.type.Write(scalars_[i].data(), value);
    pointers.push_back(scalars_[i].data());
  }
  return pointers;
}

std::vector<void*> OwnArrays::Arguments(const OwnLaunch& launch) {
  return ArgumentsAt(addresses_, launch);
}

DataSet::Verdict OwnArrays::Check() const {
  DataSet::Verdict verdict = set_->Check();
  if (!verdict.place) return verdict;
  const DataSet::Place& place = *verdict.place;
  const OwnArgument& argument = *arrays_.at(place.array);
  const OwnType& type = argument.type;
  if (type.is_ours()) return verdict;
  // What was compared is not what the user has.
  if (place.is_outside) {
    verdict.why = OutOfBoundsText(argument.name, type.bytes(), place.at);
    return verdict;
  }
  const std::uint64_t index = place.at / type.cells();
  Cell got;
  gpu_.Download(got.data(), addresses_.at(place.array) + index * type.bytes(), type.bytes());
  const std::byte* const wanted = results_.at(place.array).data() + index * type.bytes();
  verdict.why = fmt::format("{}[{}] is {}, expected {} ({} {} wrong)", argument.name, index,
                            type.TextOf(got.data()), type.TextOf(wanted), place.count,
                            type.cells() > 1   ? "bytes of it are"
                            : place.count == 1 ? "element is"
                                               : "elements are");
  return verdict;
}

void OwnArrays::Restore() const {
  set_->PoisonOutputs();
  for (std::size_t i = 0; i < originals_.size(); ++i) {
    if (originals_[i].bytes() == 0) continue;
    gpu_.Check(gpu_.cu().cuMemcpyDtoDAsync(addresses_[i], originals_[i].data(),
                                           originals_[i].bytes(), gpu_.stream()),
               "cuMemcpyDtoDAsync");
  }
}

}  // namespace exh::kernels::cuda
