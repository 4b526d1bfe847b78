// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/text_writer.h"
#include "kernels/codegen/plan/lowered_code.h"
#include "kernels/codegen/print/code_names.h"
#include "kernels/codegen/print/op_text.h"

namespace exh::kernels::codegen {

/// Is it a store of vectors of results that go past the caches (NO_CACHE)?
bool Streams(const LoweredCode& code, const ir::Instruction& inst);

/// Is it a read along lanes whose value is used more than once? It has to stay in a register: g++
/// would rather read it again from memory in each multiply-add, and a core reads two vectors while
/// it multiplies two.
bool IsHeld(const LoweredCode& code, const ir::Instruction& inst);

/// Prints single instructions and the declarations of their values, at given indices of the
/// unrolled dims around them. The loops are the business of cpu_printer.cc.
class CpuStatements {
 public:
  CpuStatements(const LoweredCode& code, const CodeNames& names, bool checked, TextWriter& out);

  /// The kernel that is being printed.
  void SetPart(const Part& part) { part_ = &part; }
  /// The unrolled copy that is being printed.
  void SetIndex(int dim_class, std::int64_t index) { copy_[At(dim_class)] = index; }
  std::int64_t copy(int dim_class) const { return copy_[At(dim_class)]; }
  /// The iterations of a loop, or the blocks, that are being printed: from `first` to `last`.
  /// Guards that hold for all of them are not asked.
  void SetRange(int dim_class, std::int64_t first, std::int64_t last) {
    ranges_[At(dim_class)] = {first, last};
  }
  /// So many iterations of a loop, or blocks, from the first on, are inside of all axes that the
  /// instruction's guards cover, wherever the other loops are.
  std::int64_t IterationsInside(ir::InstId inst, int dim_class) const;
  void Declare(ir::InstId inst);
  void Execute(ir::InstId inst);
  /// The index of a thread axis.
  std::string AxisIndex(int axis) const {
    const ThreadAxis& a = code_.tree.axes[At(axis)];
    return ThreadIndex(a.stride, a.size, code_.tree.num_threads);
  }
  /// The functions that CombineLanes() and steps along lanes call.
  void LaneFunctions();
  /// A kLanes node: makes one value of what the lanes have of a reduction, in each thread.
  void CombineLanes(int node);
  /// Makes one value of the slices of a reduction, which is in the registers of all threads then.
  void CombineSlices(ir::InstId inst);
  /// A kHandOver node: the block leaves what it has of a divided reduction in the workspace, or the
  /// kernel after makes one value of all.
  void HandOver(int node);
  /// The workspace of a divided reduction.
  std::string PartialName(ir::InstId inst) const { return "partial_" + BareName(inst); }

 private:
  using Expression = CpuOperand;
  static constexpr const char* kNever = "false";
  static std::size_t At(int dim_class) { return static_cast<std::size_t>(dim_class); }

  const ValueStorage& Storage(ir::InstId id) const { return code_.values.storage[id.index()]; }
  const InstValues& Values(ir::InstId id) const { return code_.values.insts[id.index()]; }
  std::string Register(ir::InstId inst, const std::vector<std::int64_t>& unrolled) const;
  std::string OwnRegister(ir::InstId inst) const;
  std::vector<std::string> Registers(ir::InstId inst) const;
  void DeclareAll(ir::InstId inst, const std::vector<std::string>& names, std::uint32_t lanes);

  /// What names are made of: "mad" of "v_mad".
  std::string BareName(ir::InstId inst) const { return names_.value(inst).substr(2); }
  std::string LanesName(ir::InstId inst) const { return "lanes_" + BareName(inst); }
  std::string OneOfLanesName(ir::InstId inst) const { return "one_of_" + BareName(inst); }
  std::string FirstLanesName(ir::InstId inst) const { return "first_lanes_of_" + BareName(inst); }
  std::vector<std::string> PartNames(ir::InstId inst, const std::string& name) const;
  /// The registers whose lanes have parts of a value, by copy.
  std::vector<std::string> Parts(ir::InstId inst, const std::vector<std::int64_t>& unrolled) const;
  void BeginParts(const InitWrite& write, const std::vector<std::int64_t>& unrolled,
                  const std::string& value);
  void FirstLanesFunction(const ir::Instruction& inst);
  void StepOfFirstLanes(const ir::Instruction& inst, const GuardIndex& cover,
                        const std::string& own, const std::string& value);

  /// Two partial results of a reduction, in registers of so many lanes, as one.
  std::string Combined(const ir::Instruction& reduction, const std::string& own,
                       const std::string& more, std::uint32_t lanes) const;
  /// A register of a reduction, and its number in the workspace.
  struct Place {
    std::string name;
    std::vector<std::int64_t> unrolled;  ///< Which one it is.
    std::uint64_t number = 0;            ///< Of its first lane …
    std::uint64_t lane = 1;              ///< … and how far the next one is.
  };
  std::vector<Place> Places(ir::InstId inst, int node) const;
  void Leave(const SplitReduction& split, const std::vector<Place>& places);
  void Take(const SplitReduction& split, const std::vector<Place>& places);
  std::string Lane(const ValueRead& read, int vector_class, std::int64_t lane) const;
  /// The type of the instruction's register.
  ir::Type HeldBy(ir::InstId id) const { return ir::ComputeTypeOf(code_.function->inst(id).type); }
  /// An operand that is no literal, as it is.
  Expression Read(const ir::Instruction& inst, std::size_t operand) const;
  /// An operand as a value of the type.
  Expression ReadAs(const ir::Instruction& inst, std::size_t operand, ir::Type type) const;
  Expression Condition(const ir::Instruction& inst, ir::Type computes) const;
  Expression Compute(const ir::Instruction& inst) const;
  Expression Load(const ir::Instruction& inst) const;
  Expression LoadPart(const ir::Instruction& inst, const GuardIndex& cover) const;
  std::string LoadLane(const ir::Instruction& inst, std::int64_t lane) const;
  Expression Index(const ir::Instruction& inst) const;
  struct Range {
    std::int64_t least = 0, most = 0;
  };
  Range RangeOf(const Affine& affine, std::int64_t lane) const;
  /// Does the index of the guard move from lane to lane?
  bool IsAlongLanes(const ir::Instruction& inst, const GuardIndex& guard) const;
  enum class Guards { kAll, kOfAllLanes };  ///< kOfAllLanes: those that say the same of each.
  std::string Inside(const ir::Instruction& inst, const std::vector<std::int64_t>& lanes,
                     Guards which = Guards::kAll) const;
  /// The only guard along the lanes, where it is that of a covered axis whose points the lanes are.
  const GuardIndex* CoverAlongLanes(const ir::Instruction& inst) const;
  /// The guard of a reduction along whose axis the lanes are, if there is one.
  const GuardIndex* GuardAlongLanes(const ir::Instruction& inst) const;
  /// How many lanes are inside of it, from the first on; less than 1: none, more than there are:
  /// all.
  std::string LanesInside(const ir::Instruction& inst, const GuardIndex& cover) const;
  /// The affine value at the current copies and at a lane.
  std::string Text(const Affine& affine, std::int64_t lane) const;
  std::string Address(const ir::Instruction& inst, std::int64_t lane = 0) const;
  /// Of what an access reads or writes.
  const std::string& ArrayName(const ir::Instruction& inst) const;
  ir::Type ElementType(const ir::Instruction& inst) const;
  void Store(const ir::Instruction& inst);
  void StorePart(const ir::Instruction& inst, const GuardIndex& cover, const std::string& value);
  void WriteInit(const ir::Instruction& inst, const InitWrite& write, const Expression& init);
  void WriteInitAnywhere(const ir::Instruction& inst, const InitWrite& write,
                         const Expression& init);
  void WriteInitAt(const InitWrite& write, int vector_class, std::int64_t lane,
                   const Expression& value, std::vector<std::int64_t>& unrolled);

  const LoweredCode& code_;
  const CodeNames& names_;
  bool checked_;
  TextWriter& out_;
  const Part* part_ = nullptr;
  std::vector<std::int64_t> copy_;  ///< By class: index of the unrolled copy.
  std::vector<Range> ranges_;       ///< By class: see SetRange().
};

}  // namespace exh::kernels::codegen
