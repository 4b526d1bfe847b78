// SPDX-License-Identifier: MIT
//
// Tensor maps without a GPU: what stands in a map, and what a driver refuses to make one of. For
// the fake runtime beside it and for the fake driver of tests/kernels/cuda.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

/// The bytes of a map, as they are here.
struct FakeTensorMap {
  static constexpr std::uint32_t kMark = 0x7a9d;

  std::uint64_t array = 0;
  std::uint64_t extents[5] = {}, strides[4] = {};
  std::uint32_t box[5] = {};
  std::uint32_t mark = 0;  ///< kMark in one that was made.
  std::uint8_t axes = 0, type = 0, swizzle = 0, promotion = 0;

  /// Of an element.
  std::uint64_t bytes() const {
    constexpr std::uint64_t kOfTypes[] = {1, 2, 4, 4, 8, 8};
    return kOfTypes[type];
  }
};
static_assert(sizeof(FakeTensorMap) <= 128);

/// What cuTensorMapEncodeTiled is given.
struct FakeMapRequest {
  int type;
  std::uint32_t axes;
  const void* array;
  const std::uint64_t *extents, *strides;
  const std::uint32_t *box, *steps;
  int interleave, swizzle, promotion, fill;
};

/// Makes the map in 128 bytes; false: the driver would refuse it, or it is none of ours.
inline bool MakeFakeMap(void* to, const FakeMapRequest& request) {
  FakeTensorMap map;
  const auto at = [](const void* pointer) { return reinterpret_cast<std::uintptr_t>(pointer); };
  if (at(to) % 64 != 0 || at(request.array) % 16 != 0 || request.array == nullptr) return false;
  if (request.axes < 1 || request.axes > 5 || request.type < 0 || request.type > 5) return false;
  if (request.swizzle < 0 || request.swizzle > 3 || request.strides == nullptr) return false;
  // What programs here never ask for.
  if (request.interleave != 0 || request.fill != 0) return false;
  map.array = at(request.array);
  map.mark = FakeTensorMap::kMark;
  map.axes = static_cast<std::uint8_t>(request.axes);
  map.type = static_cast<std::uint8_t>(request.type);
  map.swizzle = static_cast<std::uint8_t>(request.swizzle);
  map.promotion = static_cast<std::uint8_t>(request.promotion);
  for (std::uint32_t axis = 0; axis < request.axes; ++axis) {
    map.extents[axis] = request.extents[axis];
    map.box[axis] = request.box[axis];
    if (map.extents[axis] < 1 || map.extents[axis] > std::uint64_t{1} << 32) return false;
    if (map.box[axis] < 1 || map.box[axis] > 256 || request.steps[axis] != 1) return false;
    if (axis == 0) continue;
    map.strides[axis - 1] = request.strides[axis - 1];
    if (map.strides[axis - 1] % 16 != 0 || map.strides[axis - 1] >= std::uint64_t{1} << 40) {
      return false;
    }
  }
  const std::uint64_t row = map.box[0] * map.bytes();
  if (row % 16 != 0 || (map.swizzle > 0 && row > std::uint64_t{16} << map.swizzle)) return false;
  std::memcpy(to, &map, sizeof map);
  return true;
}

/// Copies the box that begins at `corner` to shared memory at `to`, its innermost axis first; what
/// lies outside of the array is 0. Returns its bytes. A swizzle exchanges pieces of 16 bytes, by
/// the address where they would lie, counted from `shared`.
inline std::uint32_t CopyFakeBox(const FakeTensorMap& map, const int* corner, unsigned char* to,
                                 const unsigned char* shared) {
  const std::uint64_t width = map.bytes();
  std::uint64_t elements = 1;
  for (int axis = 0; axis < map.axes; ++axis) elements *= map.box[axis];
  for (std::uint64_t element = 0; element < elements; ++element) {
    std::uint64_t rest = element, place = 0;
    bool is_inside = true;
    for (int axis = 0; axis < map.axes; ++axis) {
      const std::int64_t index = corner[axis] + static_cast<std::int64_t>(rest % map.box[axis]);
      rest /= map.box[axis];
      is_inside &= index >= 0 && index < static_cast<std::int64_t>(map.extents[axis]);
      place += static_cast<std::uint64_t>(index) * (axis == 0 ? width : map.strides[axis - 1]);
    }
    std::uint64_t address = static_cast<std::uint64_t>(to - shared) + element * width;
    address ^= (address >> 7 & ((1u << map.swizzle) - 1)) << 4;
    unsigned char* const target = const_cast<unsigned char*>(shared) + address;
    if (is_inside) {
      std::memcpy(target, reinterpret_cast<const unsigned char*>(map.array) + place, width);
    } else {
      std::memset(target, 0, width);
    }
  }
  return static_cast<std::uint32_t>(elements * width);
}
