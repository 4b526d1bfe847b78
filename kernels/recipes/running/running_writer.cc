// SPDX-License-Identifier: MIT
#include "kernels/recipes/running/running_writer.h"

#include <algorithm>
#include <initializer_list>

#include "kernels/ir/ops.h"

namespace exh::kernels {

const RunningWriter::LogicalDim* RunningWriter::AxisOf(const Instruction& inst,
                                                       std::string_view name) const {
  for (const LogicalDim* axis : ir::AxesOf(f_, inst)) {
    if (axis->axis_name() == name) return axis;
  }
  return nullptr;
}

bool RunningWriter::FindProducts() {
  for (const Communication& comm : f_.running_comms()) {
    for (const ir::InstId id : comm.running->corrected) {
      if (f_.inst(id).op == ir::Op::kMad) second_ = &f_.inst(id);
    }
    top_ = &f_.inst(comm.producer);
    keys_ = f_.logical(f_.dim(comm.running->loop).logical).axis_name();
  }
  if (second_ == nullptr) return false;
  const auto kept = ir::ResultAxes(f_, *top_);
  if (kept.empty()) return false;
  rows_ = kept.back()->axis_name();
  // Rows that have values of their own, as those of one query for each head, are no tile.
  const LogicalDim* const rows = AxisOf(*second_, rows_);
  if (rows == nullptr || std::ranges::none_of(f_.comms, [&](const Communication& comm) {
        return !comm.planned && !comm.is_init && comm.consumer == second_->id &&
               ir::ProducersAxis(f_, comm, *rows) == nullptr;
      })) {
    return false;
  }
  for (const LogicalDim* axis : ir::ResultAxes(f_, *second_)) {
    if (AxisOf(*top_, axis->axis_name()) != nullptr) continue;
    if (!columns_.empty()) return false;
    columns_ = axis->axis_name();
  }
  for (const Instruction& inst : f_.insts) {
    if (inst.planned || !inst.is_reduction() || inst.op != ir::Op::kMad || &inst == second_)
      continue;
    const auto results = ir::ResultAxes(f_, inst);
    const auto reduced = ir::ReducedAxes(f_, inst);
    const bool has_both = std::ranges::all_of(
        std::initializer_list<std::string_view>{rows_, keys_}, [&](std::string_view name) {
          return std::ranges::find(results, name, &LogicalDim::axis_name) != results.end();
        });
    if (!has_both || reduced.size() != 1) continue;
    first_ = &inst;
    depth_ = reduced.front()->axis_name();
  }
  if (first_ == nullptr || columns_.empty()) return false;
  FindOperands();
  return true;
}

void RunningWriter::FindOperands() {
  for (const Communication& comm : f_.copies()) {
    if (comm.consumer == first_->id || comm.consumer == second_->id) copies_.push_back(&comm);
  }
  for (const Communication& comm : f_.comms) {
    const bool is_of_second = comm.consumer == second_->id && comm.may_lower && !comm.is_init;
    if (is_of_second && !IsCopied(comm)) terms_ = &comm;
  }
}

bool RunningWriter::IsCopied(const Communication& comm) const {
  return std::ranges::find(copies_, &comm) != copies_.end();
}

}  // namespace exh::kernels
