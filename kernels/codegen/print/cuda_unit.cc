// SPDX-License-Identifier: MIT
//
// The steps that a matrix unit does, as text: one instruction for each tile of a warp. Who has what
// of the operands and sums says kernels/ir/fragments.h; values and addresses know it by the classes
// of lanes and registers that TENSOR dims become, and nothing here but the order of registers is
// the hardware's.
#include <algorithm>
#include <utility>

#include "base/check.h"
#include "kernels/codegen/print/cuda_statements.h"
#include "kernels/codegen/print/op_text.h"

namespace exh::kernels::codegen {
namespace {

using ir::FragmentPart;

std::string Join(const std::vector<std::string>& texts) {
  std::string joined;
  for (const std::string& text : texts) joined += (joined.empty() ? "" : ", ") + text;
  return joined;
}

/// "double a0, double a1".
std::string Parameters(const std::string& type, char name, std::uint32_t count) {
  std::vector<std::string> parameters;
  for (std::uint32_t i = 0; i < count; ++i) parameters.push_back(type + name + std::to_string(i));
  return Join(parameters);
}

/// "{%4, %5}".
std::string Places(std::uint32_t first, std::uint32_t count) {
  std::vector<std::string> places;
  for (std::uint32_t i = 0; i < count; ++i) places.push_back("%" + std::to_string(first + i));
  return "{" + Join(places) + "}";
}

/// "\"d\"(a0), \"d\"(a1)".
std::string Constraints(const std::string& kind, char name, std::uint32_t count) {
  std::vector<std::string> operands;
  for (std::uint32_t i = 0; i < count; ++i) {
    operands.push_back("\"" + kind + "\"(" + name + std::to_string(i) + ")");
  }
  return Join(operands);
}

constexpr ir::Fragment kRows = ir::FragmentOf(FragmentPart::kRow);
constexpr ir::Fragment kColumns = ir::FragmentOf(FragmentPart::kColumn);
constexpr ir::Fragment kDepth = ir::FragmentOf(FragmentPart::kDepth);
constexpr std::uint32_t kSums = kRows.registers * kColumns.registers;
constexpr std::uint32_t kFirst = kRows.registers * kDepth.registers, kSecond = kDepth.registers;

}  // namespace

/// The name of a register that sums are in while the loops of a reduction run.
std::string CudaStatements::SumRegister(ir::InstId inst,
                                        const std::vector<std::int64_t>& key) const {
  const std::string own = Register(inst, key);
  return HasWideSums(inst) ? "a_" + own.substr(2) : own;
}

bool CudaStatements::HasWideSums(ir::InstId id) const {
  const ir::Instruction& inst = code_.function->inst(id);
  return code_.tree.IsUnit(inst) && ir::ComputeTypeOf(inst.type) != ir::Type::kF64;
}

void CudaStatements::MultiplyTile(const ir::Instruction& inst) {
  int rows = -1, columns = -1, depth = -1;
  for (const ir::DimId dim : inst.dims) {
    const int c = code_.tree.class_of_dim[dim.index()];
    const FragmentPart part = code_.tree.class_of(dim).part;
    if (part == FragmentPart::kNone) continue;
    // The first of the copies that are registers of the tile stands for all of them.
    if (copy_[At(c)] != 0) return;
    (part == FragmentPart::kRow ? rows : part == FragmentPart::kColumn ? columns : depth) = c;
  }
  EXH_CHECK(rows >= 0 && columns >= 0 && depth >= 0);
  const auto moves_along_rows = [&](const ir::Operand& operand) {
    const ir::Communication& comm = code_.function->comm(operand.comm);
    return std::ranges::any_of(comm.pairs, [&](ir::PairId id) {
      return code_.tree.class_of_dim[code_.function->pair(id).dst.index()] == rows;
    });
  };
  const std::size_t first = moves_along_rows(inst.operands.front()) ? 0 : 1;
  std::vector<std::string> a, b, sums;
  for (std::uint32_t i = 0; i < kDepth.registers; ++i) {
    SetIndex(depth, i);
    b.push_back(Read(inst, 1 - first, ir::Type::kF64));
    for (std::uint32_t h = 0; h < kRows.registers; ++h) {
      SetIndex(rows, h);
      a.push_back(Read(inst, first, ir::Type::kF64));
    }
    SetIndex(rows, 0);
  }
  SetIndex(depth, 0);
  for (std::uint32_t h = 0; h < kRows.registers; ++h) {
    for (std::uint32_t column = 0; column < kColumns.registers; ++column) {
      SetIndex(rows, h);
      SetIndex(columns, column);
      std::vector<std::int64_t> key;
      for (const KeyDim& dim : Storage(inst.id).key) key.push_back(copy_[At(dim.dim_class)]);
      sums.push_back(SumRegister(inst.id, key));
    }
  }
  SetIndex(rows, 0);
  SetIndex(columns, 0);
  if (code_.fault == Fault::kWrongFragment) std::swap(a[1], a[2]);
  has_unit_ = true;
  out_.Line("exh_dmma(" + Join(sums) + ", " + Join(a) + ", " + Join(b) + ");");
}

void CudaStatements::RoundSums(int node) {
  const ir::Instruction& inst = code_.function->inst(code_.tree.node(node).inst);
  out_.Line("// " + inst.name() + ": rounded");
  for (const auto& [name, number] : RegistersAt(inst.id, node)) {
    out_.Line(name + " = " +
              CastText("a_" + name.substr(2), ir::Type::kF64, ir::ComputeTypeOf(inst.type)) + ";");
  }
}

/// What runs it on something else than a GPU has a function of that name.
std::vector<std::string> CudaStatements::UnitHelper() {
  return {
      "#ifndef EXH_SHIM",
      "static __device__ __forceinline__ void exh_dmma(" + Parameters("double& ", 'c', kSums) +
          ", " + Parameters("double ", 'a', kFirst) + ", " + Parameters("double ", 'b', kSecond) +
          ") {",
      "  asm volatile(\"mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 " + Places(0, kSums) +
          ", " + Places(kSums, kFirst) + ", " + Places(kSums + kFirst, kSecond) + ", " +
          Places(0, kSums) + ";\"",
      "               : " + Constraints("+d", 'c', kSums),
      "               : " + Constraints("d", 'a', kFirst) + ", " + Constraints("d", 'b', kSecond) +
          ");",
      "}",
      "#endif",
  };
}

}  // namespace exh::kernels::codegen
