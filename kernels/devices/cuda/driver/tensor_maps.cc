// SPDX-License-Identifier: MIT
#include "kernels/devices/cuda/driver/tensor_maps.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "base/check.h"

namespace exh::kernels::cuda {
namespace {

/// Elements are copied as they are: floats go as numbers of the same size.
CUtensorMapDataType TypeOf(std::uint32_t element_bytes) {
  switch (element_bytes) {
    case 1:
      return kMapOf1Byte;
    case 2:
      return kMapOf2Bytes;
    case 4:
      return kMapOf4Bytes;
    case 8:
      return kMapOf8Bytes;
  }
  EXH_UNREACHABLE();
}

CUtensorMapSwizzle SwizzleOf(std::uint32_t swizzle_bytes) {
  switch (swizzle_bytes) {
    case 0:
      return kMapSwizzleNone;
    case 32:
      return kMapSwizzle32;
    case 64:
      return kMapSwizzle64;
    case 128:
      return kMapSwizzle128;
  }
  EXH_UNREACHABLE();
}

}  // namespace

std::string ProblemOfTensorMaps(const Gpu& gpu) {
  if (gpu.facts().capability() < kTensorMapsFrom) {
    return fmt::format("its bulk copies need a GPU of sm_{} or later, this one is {}",
                       kTensorMapsFrom, gpu.facts().architecture());
  }
  if (gpu.cu().cuTensorMapEncodeTiled == nullptr) {
    return "its bulk copies need 'cuTensorMapEncodeTiled', which this driver has not";
  }
  return "";
}

TensorMaps::TensorMaps(const Gpu& gpu, std::vector<TensorMap> maps)
    : gpu_(gpu), maps_(std::move(maps)) {
  EXH_CHECK(maps_.empty() || ProblemOfTensorMaps(gpu).empty());
  for (const TensorMap& map : maps_) {
    const std::size_t axes = map.extents.size();
    EXH_CHECK(axes >= 1 && axes <= kMostMapAxes);
    EXH_CHECK(map.strides.size() + 1 == axes && map.box.size() == axes);
  }
}

std::vector<CUtensorMap>& TensorMaps::Of(const std::vector<void*>& arguments) {
  std::vector<CUdeviceptr> arrays;
  for (const TensorMap& map : maps_) {
    EXH_CHECK(map.array < arguments.size());
    arrays.push_back(*static_cast<const CUdeviceptr*>(arguments[map.array]));
  }
  const auto known = encoded_.find(arrays);
  if (known != encoded_.end()) return known->second;
  std::vector<CUtensorMap> encoded;
  for (std::size_t i = 0; i < maps_.size(); ++i) encoded.push_back(Encoded(i, arrays[i]));
  return encoded_[std::move(arrays)] = std::move(encoded);
}

void TensorMaps::AddTo(std::vector<void*>& arguments) {
  if (maps_.empty()) return;
  for (CUtensorMap& map : Of(arguments)) arguments.push_back(&map);
}

CUtensorMap TensorMaps::Encoded(std::size_t number, CUdeviceptr array) const {
  const TensorMap& map = maps_[number];
  // Not null where there is one axis alone.
  std::array<std::uint64_t, kMostMapAxes> strides{};
  std::ranges::copy(map.strides, strides.begin());
  std::array<std::uint32_t, kMostMapAxes> steps;
  steps.fill(1);
  CUtensorMap encoded;
  const CUresult result = gpu_.cu().cuTensorMapEncodeTiled(
      &encoded, TypeOf(map.element_bytes), static_cast<std::uint32_t>(map.extents.size()),
      reinterpret_cast<void*>(array), map.extents.data(), strides.data(), map.box.data(),
      steps.data(), kMapInterleaveNone, SwizzleOf(map.swizzle_bytes), kMapL2Promotion256,
      kMapZerosOutside);
  gpu_.Check(result, fmt::format("cuTensorMapEncodeTiled (map {})", number).c_str());
  return encoded;
}

}  // namespace exh::kernels::cuda
