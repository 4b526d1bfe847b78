// SPDX-License-Identifier: MIT
//
// Which values may be read while they run: a maximum m whose readers along its own axis are terms
// exp(s - m), and what these go on to. A term may be multiplied by what m has no part in, divided
// by it, negated or cast. All of these shrink by the same factor as m grows, exp(m0 - m1), and so
// do sums of them. What is stored, or becomes anything else, does not.
//
// Where all s are -inf, so is m, and each term is NaN. So nothing may stand in the place of a term:
// then the sum need not be NaN.
#include <algorithm>
#include <utility>

#include "kernels/ir/function.h"
#include "kernels/ir/ops.h"

namespace exh::kernels::ir {
namespace {

class RunningFinder {
 public:
  RunningFinder(const Function& function, const Communication& comm, std::vector<Link>& links)
      : f_(function), comm_(comm), maximum_(function.inst(comm.producer)), links_(links) {}

  std::optional<Running> Run() {
    if (!IsMaximum()) return std::nullopt;
    const Instruction& difference = f_.inst(comm_.consumer);
    const bool is_taken_away = difference.op == Op::kSub && comm_.operand == 1;
    if (!is_taken_away || !IsFloat(difference.type) || !AddTerm(difference)) return std::nullopt;
    std::vector<InstId> exponents;
    for (const Communication& next : f_.comms) {
      if (next.producer != difference.id) continue;
      if (next.is_init || f_.inst(next.consumer).op != Op::kExp) return std::nullopt;
      exponents.push_back(next.consumer);
    }
    for (const InstId exponent : exponents) {
      if (!Follow(exponent)) return std::nullopt;
    }
    if (running_.corrected.empty()) return std::nullopt;
    FindLoopsOfBlock();
    for (const InstId sum : running_.corrected) AddLinks(f_.inst(sum));
    return std::move(running_);
  }

 private:
  /// Over one axis, which has an outer loop.
  bool IsMaximum() {
    if (comm_.is_init || !maximum_.is_reduction() || maximum_.is_scan()) return false;
    if (maximum_.op != Op::kMax || !IsFloat(maximum_.type)) return false;
    const Dimension& loop = f_.dim(maximum_.reduce_dims.front());
    if (loop.level != 0 || loop.sizes.back() == 1) return false;
    if (std::ranges::any_of(maximum_.reduce_dims,
                            [&](DimId dim) { return f_.dim(dim).logical != loop.logical; })) {
      return false;
    }
    running_.loop = loop.id;
    return true;
  }

  /// Where all of them have a level behind the outermost one.
  void FindLoopsOfBlock() {
    const auto next = [&](DimId loop) {
      const std::vector<DimId>& levels = f_.logical(f_.dim(loop).logical).dims;
      return levels.size() > 1 ? levels[1] : DimId();
    };
    for (const DimId loop : running_.term_loops) {
      if (!next(loop).valid()) return running_.term_loops_of_block.clear();
      running_.term_loops_of_block.push_back(next(loop));
    }
    running_.loop_of_block = next(running_.loop);
    if (!running_.loop_of_block.valid()) running_.term_loops_of_block.clear();
  }

  const LogicalDim* AxisOf(const Instruction& inst, std::string_view name) const {
    for (const DimId id : inst.dims) {
      const LogicalDim& axis = f_.logical(f_.dim(id).logical);
      if (axis.axis_name() == name) return &axis;
    }
    return nullptr;
  }
  std::string_view OwnAxis() const { return f_.logical(f_.dim(running_.loop).logical).axis_name(); }

  bool AddTerm(const Instruction& inst) {
    const LogicalDim* const axis = AxisOf(inst, OwnAxis());
    if (axis == nullptr) return false;
    const DimId loop = axis->dims.front();
    if (std::ranges::find(running_.term_loops, loop) == running_.term_loops.end()) {
      running_.term_loops.push_back(loop);
    }
    return true;
  }

  /// Of what shrinks as the maximum grows: may all of its readers take it?
  bool Follow(InstId from) {
    if (!AddTerm(f_.inst(from))) return false;
    for (const Communication& next : f_.comms) {
      if (next.producer != from) continue;
      if (next.is_init) return false;
      const Instruction& reader = f_.inst(next.consumer);
      if (!(reader.is_reduction() ? Ends(reader) : PassesOn(reader, next))) return false;
      if (!reader.is_reduction() && !Follow(reader.id)) return false;
    }
    return true;
  }

  /// Does nothing else that it reads come of the maximum? Two terms would shrink twice.
  bool HasOneTerm(const Instruction& reader) const {
    const std::vector<bool> reached = ReachedFrom(f_, maximum_.id);
    return std::ranges::count_if(reader.operands, [&](const Operand& operand) {
             return operand.kind == Operand::Kind::kComm &&
                    reached[f_.comm(operand.comm).producer.index()];
           }) == 1;
  }

  /// Does the reader's value shrink as the one does that the communication carries?
  bool PassesOn(const Instruction& reader, const Communication& comm) const {
    if (!IsFloat(reader.type) || !HasOneTerm(reader)) return false;
    switch (reader.op) {
      case Op::kMul:
      case Op::kNeg:
      case Op::kConst:
        return true;
      case Op::kDiv:
        return comm.operand == 0;
      default:
        return false;
    }
  }

  /// A sum from 0 on along the axis of the maximum, which keeps what the maximum keeps.
  bool Ends(const Instruction& sum) {
    if (sum.is_scan() || CombinedBy(sum.op) != Op::kAdd || !IsFloat(sum.type)) return false;
    if (!HasOneTerm(sum)) return false;
    const LogicalDim* const along = AxisOf(sum, OwnAxis());
    if (along == nullptr || !f_.dim(along->dims.front()).is_reduction) return false;
    const Instruction& init = f_.inst(f_.comm(sum.init).producer);
    const Operand& first = init.operands.front();
    if (ComputeTypeOf(sum.type) != ComputeTypeOf(maximum_.type)) return false;
    const bool is_zero = init.op == Op::kConst && first.kind == Operand::Kind::kLiteral &&
                         double{first.literal} == 0;
    const bool keeps_all = std::ranges::all_of(maximum_.dims, [&](DimId id) {
      const Dimension& dim = f_.dim(id);
      if (dim.is_reduction) return true;
      const LogicalDim* const axis = AxisOf(sum, f_.logical(dim.logical).axis_name());
      return axis != nullptr && !f_.dim(axis->dims.front()).is_reduction;
    });
    if (!is_zero || !keeps_all || !AddTerm(sum)) return false;
    if (std::ranges::find(running_.corrected, sum.id) == running_.corrected.end()) {
      running_.corrected.push_back(sum.id);
    }
    return true;
  }

  void AddLinks(const Instruction& sum) {
    for (const DimId id : maximum_.dims) {
      const Dimension& dim = f_.dim(id);
      if (dim.is_reduction) continue;
      const LogicalDim& to = *AxisOf(sum, f_.logical(dim.logical).axis_name());
      const DimId dst = to.dims[static_cast<std::size_t>(dim.level)];
      const LinkId link{static_cast<std::uint16_t>(links_.size())};
      links_.push_back({link, comm_.id, id, dst, dim.name() + ":" + f_.dim(dst).name()});
      running_.links.push_back(link);
    }
  }

  const Function& f_;
  const Communication& comm_;
  const Instruction& maximum_;
  std::vector<Link>& links_;
  Running running_;
};

}  // namespace

std::optional<Running> FindRunning(const Function& function, const Communication& comm,
                                   std::vector<Link>& links) {
  return RunningFinder(function, comm, links).Run();
}

}  // namespace exh::kernels::ir
