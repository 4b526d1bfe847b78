// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kernels/codegen/print/statements.h"

namespace exh::kernels::codegen {

/// Is it a store of vectors of results that go past the caches (NO_CACHE)?
bool Streams(const LoweredCode& code, const ir::Instruction& inst);

/// Is it a read along lanes whose value is used more than once? It has to stay in a register: g++
/// would rather read it again from memory in each multiply-add, and a core reads two vectors while
/// it multiplies two.
bool IsHeld(const LoweredCode& code, const ir::Instruction& inst);

/// Single instructions as C++ with vectors in registers. The loops are the business of
/// cpu_printer.cc.
class CpuStatements : public Statements {
 public:
  CpuStatements(const LoweredCode& code, const CodeNames& names, bool checked,
                ir::HelperFunctions& helpers, TextWriter& out)
      : Statements(code, names, {}, helpers, out), checked_(checked) {}

  /// So many iterations of a loop, or blocks, from the first on, are inside of all axes that the
  /// instruction's guards cover, wherever the other loops are.
  std::int64_t IterationsInside(ir::InstId inst, int dim_class) const;
  void Declare(ir::InstId inst) override;
  void Execute(ir::InstId inst) override;
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
  std::string Register(ir::InstId inst, const Key& unrolled) const override;
  std::string OwnRegister(ir::InstId inst) const override;
  std::string BesideRegister(ir::InstId inst, const Key& key) const override;
  std::vector<std::string> SumsOf(ir::InstId sum, const Key& key) const override;
  void DeclareAll(ir::InstId inst, const std::vector<std::string>& names, std::uint32_t lanes);

  std::string LanesName(ir::InstId inst) const { return "lanes_" + BareName(inst); }
  std::string OneOfLanesName(ir::InstId inst) const { return "one_of_" + BareName(inst); }
  std::string FirstLanesName(ir::InstId inst) const { return "first_lanes_of_" + BareName(inst); }
  void JoinSlicesOfScan(ir::InstId inst);
  std::vector<std::string> PartNames(ir::InstId inst, const std::string& name) const;
  /// The registers whose lanes have parts of a value, by copy.
  std::vector<std::string> Parts(ir::InstId inst, const Key& unrolled) const;
  void BeginParts(const InitWrite& write, const Key& unrolled, const std::string& value);
  void FirstLanesFunction(const ir::Instruction& inst);
  void StepOfFirstLanes(const ir::Instruction& inst, const GuardIndex& cover,
                        const std::string& own, const std::string& value);

  void Leave(const SplitReduction& split, const std::vector<Place>& places);
  void Take(const SplitReduction& split, const std::vector<Place>& places);
  std::string Lane(const ValueRead& read, int vector_class, std::int64_t lane) const;
  ValueText ReadRegister(const ir::Instruction& inst, std::size_t operand) const override;
  ValueText ValueOf(const ir::Instruction& inst) const;
  ValueText Load(const ir::Instruction& inst) const;
  ValueText LoadPart(const ir::Instruction& inst, const GuardIndex& cover) const;
  std::string LoadLane(const ir::Instruction& inst, std::int64_t lane) const;
  ValueText Index(const ir::Instruction& inst) const;
  std::string GatheredElement(const ir::Instruction& inst, const std::string& index,
                              std::int64_t lane) const;
  std::string GatherLane(const ir::Instruction& inst, const std::string& index,
                         std::int64_t lane) const;
  ValueText Gather(const ir::Instruction& inst) const;
  std::string GuardText(const GuardIndex& guard, const Range& range,
                        std::int64_t lane) const override;
  std::string GuardAxis(int axis, bool /*bounded*/) const override {
    return "t" + std::to_string(axis);
  }
  /// Does the index of the guard move from lane to lane?
  bool IsAlongLanes(const ir::Instruction& inst, const GuardIndex& guard) const;
  /// Inside() of those guards that say the same of all lanes.
  std::string InsideOfAllLanes(const ir::Instruction& inst) const;
  /// The only guard along the lanes, where it is that of a covered axis whose points the lanes are.
  const GuardIndex* CoverAlongLanes(const ir::Instruction& inst) const;
  /// The guard of a reduction along whose axis the lanes are, if there is one.
  const GuardIndex* GuardAlongLanes(const ir::Instruction& inst) const;
  /// How many lanes are inside of it, from the first on; less than 1: none, more than there are:
  /// all.
  std::string LanesInside(const ir::Instruction& inst, const GuardIndex& cover) const;
  /// The affine value at the current copies and at a lane.
  std::string Text(const Affine& affine, std::int64_t lane) const;
  /// A vector access starts at its lane 0.
  std::string Address(const ir::Instruction& inst, std::int64_t lane = 0) const {
    return Text(code_.memory.address[inst.id.index()], lane);
  }
  /// Of what an access reads or writes.
  const std::string& ArrayName(const ir::Instruction& inst) const {
    return inst.block.valid() ? names_.temp(inst.block) : names_.array(inst.array);
  }
  ir::Type ElementType(const ir::Instruction& inst) const {
    return code_.function->element_type(inst);
  }
  void Store(const ir::Instruction& inst);
  void StorePart(const ir::Instruction& inst, const GuardIndex& cover, const std::string& value);
  void WriteInit(const ir::Instruction& inst, const InitWrite& write, const ValueText& init);
  void WriteInitAnywhere(const ir::Instruction& inst, const InitWrite& write,
                         const ValueText& init);
  void WriteInitAt(const InitWrite& write, int vector_class, const ValueText& value);

  bool checked_;
};

}  // namespace exh::kernels::codegen
