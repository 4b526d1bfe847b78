// SPDX-License-Identifier: MIT
#include "tests/cuda_shim/bulk/boxes.h"

#include <fmt/format.h>

#include <algorithm>

namespace exh_shim {
namespace {

constexpr std::int64_t kPiece = 16;
constexpr unsigned kLongestSide = 256;

std::int64_t Swizzled(std::int64_t place, unsigned swizzle_bytes) {
  const std::int64_t mask = swizzle_bytes == 0 ? 0 : swizzle_bytes / kPiece - 1;
  return place ^ (place >> 7 & mask) << 4;
}

}  // namespace

std::string WrongMap(const exh_tensor_map& map, unsigned coordinates, std::int64_t bytes) {
  if (map.axes < 1 || map.axes > exh_tensor_map::kMostAxes) {
    return fmt::format("by a map of {} axes", map.axes);
  }
  if (coordinates != map.axes) {
    return fmt::format("with {} coordinates by a map of {} axes", coordinates, map.axes);
  }
  std::uint64_t end = 0;
  for (unsigned axis = 0; axis < map.axes; ++axis) {
    if (map.box[axis] < 1 || map.box[axis] > kLongestSide) {
      return fmt::format("a box that is {} elements long along axis {}", map.box[axis], axis);
    }
    if (map.extents[axis] < 1) return fmt::format("by a map that has nothing along axis {}", axis);
    if (axis > 0 && map.strides[axis] % kPiece != 0) {
      return fmt::format("by a map with a stride of {} bytes", map.strides[axis]);
    }
    end += (map.extents[axis] - 1) * map.strides[axis];
  }
  end += map.element_bytes;
  if (end > static_cast<std::uint64_t>(bytes)) {
    return fmt::format("by a map of {} bytes, of an array of {}", end, bytes);
  }
  const std::int64_t row = std::int64_t{map.box[0]} * map.element_bytes;
  if (row % kPiece != 0) return fmt::format("a box with rows of {} bytes", row);
  if (map.swizzle_bytes == 0) return "";
  // Shorter ones leave gaps that nobody asks for.
  if (row != map.swizzle_bytes) {
    return fmt::format("a box with rows of {} bytes, and a swizzle of {}", row, map.swizzle_bytes);
  }
  return "";
}

std::vector<BoxPiece> PiecesOf(const exh_tensor_map& map, const int* coordinates, std::int64_t to) {
  const std::int64_t element = map.element_bytes, in_piece = kPiece / element;
  std::int64_t rows = 1;
  for (unsigned axis = 1; axis < map.axes; ++axis) rows *= map.box[axis];
  std::vector<BoxPiece> pieces;
  pieces.reserve(static_cast<std::size_t>(rows * (map.box[0] / in_piece)));
  for (std::int64_t row = 0; row < rows; ++row) {
    std::int64_t from = 0, rest = row;
    bool is_inside = true;
    for (unsigned axis = 1; axis < map.axes; ++axis) {
      const std::int64_t at = coordinates[axis] + rest % map.box[axis];
      rest /= map.box[axis];
      is_inside = is_inside && at >= 0 && at < static_cast<std::int64_t>(map.extents[axis]);
      from += at * static_cast<std::int64_t>(map.strides[axis]);
    }
    for (std::int64_t inner = 0; inner < map.box[0]; inner += in_piece) {
      const std::int64_t at = coordinates[0] + inner;
      const std::int64_t left = static_cast<std::int64_t>(map.extents[0]) - at;
      const std::int64_t begin = is_inside ? std::clamp<std::int64_t>(-at, 0, in_piece) : 0;
      const std::int64_t end = is_inside ? std::clamp<std::int64_t>(left, begin, in_piece) : 0;
      pieces.push_back(
          {Swizzled(to, map.swizzle_bytes), from + at * element, begin * element, end * element});
      to += kPiece;
    }
  }
  return pieces;
}

}  // namespace exh_shim
