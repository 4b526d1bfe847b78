// SPDX-License-Identifier: MIT
//
// Where the numbers of a value lie. All lengths are known, so this is known before anything is
// calculated, and what changes the order or shape of an array only makes another layout of it.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace exh::functional::reference {

/// A dimension of an array: how far its elements are from the first one.
struct Dim {
  std::int64_t extent = 1;
  std::int64_t stride = 0;
  /// Of all elements, instead of a stride; the first is 0.
  std::shared_ptr<const std::vector<std::int64_t>> places;

  std::int64_t At(std::int64_t i) const {
    return places == nullptr ? i * stride : (*places)[static_cast<std::size_t>(i)];
  }
};

/// A part moves by this while a map of views goes through an array.
struct Move {
  int map = 0;
  Dim dim;
};

/// Numbers in memory: an array, whose elements have no dimensions but lanes. The dimension of lanes
/// is the last one.
struct Part {
  int slot = 0;  ///< Where the memory begins is in there.
  std::int64_t offset = 0;
  std::vector<Dim> dims;
  std::vector<Move> moves;
};

/// A value is a part for each component: a tuple of arrays, and an array of tuples, has many.
using Value = std::vector<Part>;

/// How long each dimension is.
using Shape = std::vector<std::int64_t>;
Shape ShapeOf(const Part& part);
std::int64_t CellsOf(const Shape& shape);
/// One number after the other.
std::vector<Dim> Contiguous(const Shape& shape);
bool IsMoving(const Value& value);

// These change the first dimensions of a part. False: no layout does this, so the part has to be
// copied before.

void Join(Part& part);
void Transpose(Part& part);
void Reorder(Part& part, std::int64_t stride);
/// From `first` on, `count` elements are left.
void Crop(Part& part, std::int64_t first, std::int64_t count);
/// `count` windows of `size`, each `step` behind the one before.
bool Window(Part& part, std::int64_t count, std::int64_t size, std::int64_t step);

}  // namespace exh::functional::reference
