// SPDX-License-Identifier: MIT
#pragma once

#include <compare>
#include <cstdint>

namespace exh::kernels::ir {

/// An index that does not convert to an index of another kind.
template <typename Tag>
struct Id {
  std::uint16_t value = 0xFFFF;
  constexpr bool valid() const { return value != 0xFFFF; }
  constexpr std::size_t index() const { return value; }
  friend constexpr auto operator<=>(Id, Id) = default;
};

using DimId = Id<struct DimTag>;             ///< Iteration dimension.
using InstId = Id<struct InstTag>;           ///< Instruction.
using LogicalDimId = Id<struct LogicalTag>;  ///< One mathematical axis of one nest.
using CommId = Id<struct CommTag>;           ///< Point-to-point communication (an operand).
using PairId = Id<struct PairTag>;           ///< A pair of dims that a communication connects.
using MemId = Id<struct MemTag>;             ///< Memory block: a temporary array.
using AxisId = Id<struct AxisTag>;           ///< A storage axis of a memory block.
using PhaseId = Id<struct PhaseTag>;         ///< Instructions between memory boundaries.
using ArrayId = Id<struct ArrayTag>;         ///< Array argument of the kernel.
using WindowId = Id<struct WindowTag>;  ///< What a read may copy of its argument, halo included.
using TermId = Id<struct TermTag>;      ///< An axis that moves along a span.
using SpanId = Id<struct SpanTag>;      ///< A dimension of a window.
using LinkId = Id<struct LinkTag>;      ///< A pair of dims that a correction connects.

/// A statement is a dimension or an instruction.
struct StmtId {
  bool is_inst = false;
  std::uint16_t value = 0xFFFF;
  constexpr StmtId() = default;
  constexpr StmtId(DimId dim) : is_inst(false), value(dim.value) {}    // NOLINT: ids convert
  constexpr StmtId(InstId inst) : is_inst(true), value(inst.value) {}  // NOLINT: to their superset
  constexpr DimId dim() const { return DimId{value}; }
  constexpr InstId inst() const { return InstId{value}; }
  /// Every other number is an instruction's.
  constexpr std::size_t index() const { return 2 * std::size_t{value} + is_inst; }
  friend constexpr auto operator<=>(StmtId, StmtId) = default;
};

}  // namespace exh::kernels::ir
