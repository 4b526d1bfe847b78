// SPDX-License-Identifier: MIT
//
// Rows of points: what is computed where it is read, up to kRow points of one axis at a time, an
// operation at a time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "kernels/derived/expression.h"
#include "kernels/derived/reference/op_rules.h"
#include "kernels/ir/types.h"

namespace exh::kernels::derived {

using Axes = std::vector<int>;  ///< Of an expression.
/// Elements that a step of an axis moves; 0 for an axis that is not there.
using Strides = Expression::Strides;
using Doubles = std::unique_ptr<double[]>;

inline constexpr std::int64_t kRow = 512;  ///< Most points of a row: what is at hand is in caches.

inline std::size_t At(std::int64_t i) {
  return static_cast<std::size_t>(i);
}
inline bool Contains(const Axes& axes, int axis) {
  return std::ranges::find(axes, axis) != axes.end();
}
inline Doubles Uninitialized(std::int64_t count) {
  return Doubles(new double[At(count)]);
}
inline std::int64_t StrideOf(const Strides& strides, int axis) {
  for (const auto& [of, stride] : strides) {
    if (of == axis) return stride;
  }
  return 0;
}

/// The values of a node. What it has no axis for is not there.
struct NodeTensor {
  Doubles values, errors;  ///< Errors: none when there are no roundings.
  Strides strides;
  bool is_there() const { return values != nullptr; }
};

/// How rows of points along some axes are computed.
struct RowProgram {
  /// Whole numbers that grow from point to point.
  struct Affine : ir::Affine<int> {
    std::vector<std::int64_t> steps;  ///< The strides by place in `axes`.
  };
  /// Where an affine number is not in 0 … extent - 1, nothing is read.
  struct Guard : Affine {
    std::int64_t extent = 1;
  };
  /// A row of a tensor or an array, the elements of which are numbered; or of those numbers.
  struct Read : Affine {
    const NodeTensor* tensor = nullptr;
    const std::byte* elements = nullptr;  ///< Of an array, of this type.
    ir::Type type = ir::Type::kF32;
    std::vector<Guard> guards;  ///< Of an array.
    double otherwise = 0;       ///< What a slot has where they say so.
    std::int64_t count = 0;     ///< Of an array: its elements.
    int index = -1;  ///< A slot of whole numbers that are added to the elements' numbers; -1: none.
    int slot = 0;
  };
  struct Step {
    const Rule* rule = nullptr;  ///< Null: it is a read with an index …
    std::size_t read = 0;        ///< … this one.
    int node = 0;                ///< That it computes, or is part of.
    std::vector<int> operands;
    int slot = 0;
  };

  std::vector<Read> reads;
  std::vector<Step> steps;
  std::vector<std::pair<int, double>> numbers;  ///< Slots that hold one.
  int slots = 0;
  std::map<int, int> slot_of_node;
  std::map<std::pair<int, ir::Type>, int> slot_of_cast;  ///< By node and type.
  int root = 0;                                          ///< The slot that is wanted.

  Axes axes;                        ///< Rows are along the last one.
  std::vector<std::int64_t> sizes;  ///< Theirs.
  /// The place of the axis of a sample, which is never the last; -1: it has none. Tensors have what
  /// is in the sample, arrays all; `values` are those of the axis, by place in the sample.
  int sampled = -1;
  const std::int64_t* values = nullptr;

  std::int64_t row() const { return sizes.back(); }
  std::int64_t RowsAcross() const { return (row() + kRow - 1) / kRow; }
  /// Rows of the axes from place `first` on, the last one's in pieces of kRow.
  std::int64_t RowsFrom(std::size_t first) const {
    std::int64_t rows = RowsAcross();
    for (std::size_t i = first; i + 1 < sizes.size(); ++i) rows *= sizes[i];
    return rows;
  }
  /// Makes one axis of neighbours, from place `first` on, that are like one to all that is read,
  /// and to memory with the strides `written` by place, which change too: rows become longer.
  void Fuse(std::size_t first, std::vector<std::int64_t>* written = nullptr);
  /// Of memory that has one point after the other, row by row.
  Strides Dense() const;

  std::int64_t First(std::int64_t index) const { return index % RowsAcross() * kRow; }
  std::int64_t Length(std::int64_t index) const { return std::min(kRow, row() - First(index)); }
  /// The number of the row's first point, row by row.
  std::int64_t Place(std::int64_t index) const {
    return index / RowsAcross() * row() + First(index);
  }
};

/// Computes rows of a program, which outlives it; for one thread.
class Rows {
 public:
  explicit Rows(const RowProgram& program);

  /// Row `index` of the program, until the next is computed.
  RowSlot Compute(std::int64_t index);
  /// Where an array with these strides, by place in the program's axes, has the first point.
  std::int64_t Offset(const std::vector<std::int64_t>& steps) const;
  /// By step of the program: the largest sum so far (Rule::row).
  const std::vector<double>& largest() const { return largest_; }

 private:
  double* Memory(int slot) { return memory_.get() + 2 * kRow * slot; }
  void Locate(std::int64_t index);
  std::int64_t OffsetInTensor(const std::vector<std::int64_t>& steps) const;
  std::int64_t OffsetOf(const RowProgram::Read& read) const {
    return read.offset + (read.tensor == nullptr ? Offset(read.steps) : OffsetInTensor(read.steps));
  }
  void Load(std::size_t which, std::int64_t points);
  void LoadElements(const RowProgram::Read& read, std::int64_t offset, std::int64_t points,
                    double* to) const;
  /// Point by point: what has an index, or is in a tensor and has guards.
  void Gather(const RowProgram::Read& read, std::int64_t points);
  /// The points, of so many, at which no guard says that nothing is read.
  std::pair<std::int64_t, std::int64_t> Inside(const RowProgram::Read& read,
                                               std::int64_t points) const;

  const RowProgram& program_;
  Doubles memory_;  ///< By slot, values and errors.
  std::vector<RowSlot> slots_;
  std::vector<std::pair<std::int64_t, std::int64_t>> last_;  ///< By read: where it was, and points.
  std::vector<std::int64_t> index_;                          ///< By axis: where the row begins.
  std::vector<double> largest_;
};

}  // namespace exh::kernels::derived
