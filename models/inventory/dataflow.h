// SPDX-License-Identifier: MIT
//
// Where the values of a backbone come from and go to, asked of instructions one by one. A value may
// be read many times, and what reads it as well: there are exponentially many ways through such a
// graph. So each answer is kept, by instruction or by instruction and axis, and each question costs
// no more than the graph has edges, however often it is asked.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kernels/ir/flow/masks.h"
#include "kernels/ir/target.h"

namespace exh::models {

/// Of a function that is frozen and outlives this.
class Dataflow {
 public:
  /// `sector_bytes`: of main memory.
  Dataflow(const kernels::ir::Target& function, double sector_bytes);

  /// Do several instructions load from the array? What one of them reads another may have read
  /// before: compilers then load once.
  bool IsReadApart(kernels::ir::ArrayId id) const;
  /// Is the value only one of two that a condition picks from? Where the other one is picked,
  /// nobody need have it.
  bool IsOptional(const kernels::ir::Instruction& inst);
  /// May a compiler know the value from elsewhere? Of an instruction that is not planned.
  bool MayRepeat(const kernels::ir::Instruction& inst);
  /// Is it a reduction, or does one need its value in each step? What a reduction begins with, one
  /// block of those that divide it needs.
  bool FeedsReduction(const kernels::ir::Instruction& inst);
  /// Does each value of the instruction wait for one that is read from an argument?
  bool NeedsRead(const kernels::ir::Instruction& inst);
  /// Does the value of the instruction (what it adds, for a sum) differ from point to point of the
  /// axis? Where it does not, a compiler may compute it once. Of its points the number of those, at
  /// most, at which a load is outside of its array: then all points of other axes may be the same.
  /// Nothing: it does not.
  std::optional<double> LostAlong(const kernels::ir::Instruction& inst,
                                  kernels::ir::LogicalDimId axis);

  /// The axis of which loops may leave out what a mask hides; empty: there is none. And the share
  /// of all its points that masks hide nowhere: no loop leaves out more.
  const std::string& masked_axis() const { return masked_axis_; }
  double seen() const { return seen_; }

  /// Edges of the graph that were gone along until now. It does not depend on the number of ways.
  std::uint64_t steps() const { return steps_; }

 private:
  enum class Answer : std::uint8_t { kUnknown, kNo, kYes };
  using Answers = std::vector<Answer>;  // By instruction.
  /// What two instructions that may compute the same have in common: the operator, then what stands
  /// for its operands.
  using Form = std::vector<std::uint64_t>;

  void FindMask();
  double ShareOf(const kernels::ir::MaskBound& bound, std::int64_t step,
                 const kernels::ir::Instruction& choice, const kernels::ir::LogicalDim& keys) const;
  /// The answer that is known, or that `find` gives.
  template <typename Find>
  bool Answered(Answers& answers, const kernels::ir::Instruction& inst, const Find& find);
  bool IsOfReadApart(const kernels::ir::Instruction& inst);
  std::uint64_t FormOf(const kernels::ir::Instruction& inst);
  const kernels::ir::Communication& Comm(kernels::ir::CommId id) {
    ++steps_;
    return function_.comm(id);
  }
  const kernels::ir::Instruction& ProducerOf(const kernels::ir::Operand& operand) {
    return function_.inst(Comm(operand.comm).producer);
  }

  const kernels::ir::Target& function_;
  const double sector_bytes_;
  // By instruction: communications that are not planned, to it and from it.
  std::vector<std::vector<kernels::ir::CommId>> in_, out_;
  std::vector<int> loads_;  // By array.
  Answers optional_, of_read_apart_, feeds_, needs_read_;
  std::map<std::pair<kernels::ir::InstId, kernels::ir::LogicalDimId>, std::optional<double>> lost_;
  static constexpr std::uint64_t kNoForm = ~std::uint64_t{0};
  std::vector<std::uint64_t> form_;      // By instruction: the number of its form.
  std::map<Form, std::uint64_t> forms_;  // Their numbers.
  std::vector<int> with_form_;           // How many instructions, planned ones aside, have each.
  std::uint64_t steps_ = 0;
  std::string masked_axis_;
  double seen_ = 1;
};

}  // namespace exh::models
