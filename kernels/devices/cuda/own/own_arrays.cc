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
double Drawn(const ir::TypeInfo& type, Random& random) {
  constexpr std::size_t kMost = 8;
  if (type.is_float) return 2 * random.Real() - 1;
  if (type.type == ir::Type::kBool) return static_cast<double>(random.Below(2));
  const auto size = static_cast<double>(1 + random.Below(kMost));
  return type.is_signed && random.Below(2) == 0 ? -size : size;
}

ir::Elements ReadElements(const OwnArgument& argument) {
  ir::Elements elements(argument.type, argument.elements);
  std::ifstream file(argument.file, std::ios::binary | std::ios::ate);
  if (!file) throw GpuError(fmt::format("'{}': cannot read '{}'", argument.name, argument.file));
  const auto size = static_cast<std::uint64_t>(file.tellg());
  if (size != elements.bytes().size()) {
    throw GpuError(fmt::format("'{}': '{}' has {} bytes; {} elements of {} have {}", argument.name,
                               argument.file, size, argument.elements, ir::WordOf(argument.type),
                               elements.bytes().size()));
  }
  file.seekg(0);
  file.read(const_cast<char*>(reinterpret_cast<const char*>(elements.bytes().data())),
            static_cast<std::streamsize>(size));
  if (!file) throw GpuError(fmt::format("'{}': cannot read '{}'", argument.name, argument.file));
  return elements;
}

}  // namespace

ir::Elements ContentsOf(const OwnArgument& argument) {
  if (!argument.file.empty()) return ReadElements(argument);
  ir::Elements elements(argument.type, argument.elements);
  const ir::TypeInfo& type = ir::InfoOf(argument.type);
  Random random(Fnv1a64(argument.name));
  for (std::uint64_t i = 0; i < elements.size(); ++i) {
    elements.Set(i, argument.number ? *argument.number : Drawn(type, random));
  }
  return elements;
}

OwnArrays::OwnArrays(const Gpu& gpu, const Module& programs, const OwnSetup& setup,
                     const std::function<void(void** arguments)>& run)
    : gpu_(gpu), arguments_(setup.arguments), tolerance_(setup.tolerance) {
  std::vector<ir::Elements> contents, results;
  std::vector<DeviceBuffer> first;
  std::vector<CUdeviceptr> places;
  for (const OwnArgument& argument : arguments_) {
    if (!argument.is_array()) continue;
    const ir::Elements& held =
        contents.emplace_back(argument.is_read() ? ContentsOf(argument) : ir::Elements());
    first.emplace_back(gpu, argument.elements * ir::BytesOf(argument.type));
    places.push_back(first.back().data());
    if (argument.is_read()) {
      gpu.Upload(places.back(), held.bytes().data(), held.bytes().size());
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
    cpu::ProblemArray& made = problem.arrays.emplace_back();
    made.name = argument.name;
    made.type = argument.type;
    made.is_output = argument.is_written();
    if (made.is_output) {
      std::vector<std::byte> bytes(first[array].bytes());
      gpu.Download(bytes.data(), places[array], bytes.size());
      ir::Elements result(argument.type, argument.elements);
      ir::WithType(argument.type, [&]<typename T>(T) {
        std::copy_n(reinterpret_cast<const T*>(bytes.data()), result.size(), result.As<T>().data());
      });
      const Reference& reference = references.emplace_back(ReferenceOf(argument, result));
      made.reference = reference.values;
      made.tolerance = reference.tolerance;
      made.whole = reference.whole;
    } else {
      made.values = contents[array].bytes();
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
      const auto bytes = contents[array].bytes();
      original = DeviceBuffer(gpu, bytes.size());
      gpu.Upload(original.data(), bytes.data(), bytes.size());
    }
    ++array;
  }
}

OwnArrays::Reference OwnArrays::ReferenceOf(const OwnArgument& argument,
                                            const ir::Elements& result) const {
  Reference reference;
  double squares = 0, counted = 0;
  for (std::uint64_t i = 0; i < result.size(); ++i) {
    const double value = result[i];
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
  if (argument.type == ir::Type::kI64) {
    const auto whole = result.As<std::int64_t>();
    reference.whole.assign(whole.begin(), whole.end());
  }
  const double scale = std::sqrt(squares / std::max(counted, 1.0));
  const bool is_float = ir::IsFloat(argument.type);
  for (const double value : reference.values) {
    reference.tolerance.push_back(is_float ? tolerance_ * (std::abs(value) + scale) : 0);
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
    ir::WriteElement(argument.type, scalars_[i].data(), value);
    pointers.push_back(scalars_[i].data());
  }
  return pointers;
}

std::vector<void*> OwnArrays::Arguments(const OwnLaunch& launch) {
  return ArgumentsAt(addresses_, launch);
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
