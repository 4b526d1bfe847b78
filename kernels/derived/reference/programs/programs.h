// SPDX-License-Identifier: MIT
//
// What of an expression is computed in rows, as programs: of each node the operations that lead to
// it, from what is in memory. A reference has such programs for its tensors and its results.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/derived/expression.h"
#include "kernels/derived/reference/plan.h"
#include "kernels/derived/reference/programs/sample.h"
#include "kernels/derived/reference/rows.h"
#include "kernels/problem_data.h"

namespace exh::kernels::derived {

inline bool IsWide(ir::Type type) {
  return type == ir::Type::kI64;
}

/// Makes programs of an expression while it is computed, strip by strip.
class Programs {
 public:
  /// `data` outlives this.
  Programs(Expression expression, ProblemData& data);

 protected:
  const Expression::Node& Node(int node) const { return expression_.node(node); }

  /// How many values of the strips' axis are computed.
  std::int64_t StripTotal() const;
  void BeginStrip(std::int64_t first);
  /// Of the part of the axis that is at hand.
  std::int64_t Size(int axis) const {
    if (axis < 0) return 1;
    return axis == plan_.strip_axis ? window_ : expression_.axis(axis).total;
  }
  std::int64_t Size(const Axes& axes) const {
    std::int64_t size = 1;
    for (const int axis : axes) size *= Size(axis);
    return size;
  }
  /// Where the part at hand begins in an array. A sample says by itself where its values are.
  std::int64_t Base(std::int64_t offset, const Strides& strides) const {
    const bool is_moved = plan_.strip_axis >= 0 && values_.empty();
    return offset + (is_moved ? StrideOf(strides, plan_.strip_axis) * first_ : 0);
  }

  /// The slot of an operand that is read as a value of this type.
  int SlotOf(Expression::Input input, ir::Type as, RowProgram& program) const;
  int SlotOfCast(const Expression::Input& input, ir::Type as, RowProgram& program) const;
  /// A load with an index.
  int AddGather(int index, RowProgram& program) const;
  int AddStep(int index, ir::Op op, RowProgram& program) const;
  static int AddStep(RowProgram::Step step, RowProgram& program);
  RowProgram ProgramOf(const Expression::Input& input, ir::Type as) const;
  void SetAxes(const Axes& axes, RowProgram& program) const;
  static std::vector<std::int64_t> Steps(const Strides& strides, const RowProgram& program);
  /// About how long a point takes when rows are along this axis.
  double Cost(const RowProgram& program, int axis, const Strides& written = {}) const;
  /// The axes in their order, but the one last that rows should be along.
  Axes WithRowsLast(const RowProgram& program, Axes axes, const Strides& written = {}) const;

  ProblemData& data_;
  const Expression expression_;
  const Plan plan_;
  /// By node: those that there are.
  std::vector<NodeTensor> tensors_;
  std::vector<NodeTensor> written_;      ///< By array: what was stored, if it is loaded again.
  std::int64_t window_ = 1, first_ = 0;  ///< The strip at hand: how long, from where on.

 private:
  bool IsSampled(int axis) const { return !values_.empty() && axis == plan_.strip_axis; }
  int NewSlot(int index, RowProgram& program) const;
  void ReadArray(const Expression::Node& load, RowProgram::Read& read) const;

  /// The values of the strips' axis that are computed; empty: all are.
  std::vector<std::int64_t> values_;
};

}  // namespace exh::kernels::derived
