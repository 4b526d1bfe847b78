// SPDX-License-Identifier: MIT
//
// Ground terms: integer terms of a space whose variables are bound to objects, and comparisons of
// two of them. They are flat: a comparison is a range of nodes, in which operands stand before what
// uses them. internal/network/term_ranges.h evaluates them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/space.h"
#include "runtime/state.h"

namespace exh::runtime {

struct GroundTermNode {
  enum class Op : std::uint8_t {
    kNumber,
    kDecision,
    kCounter,
    kNegate,
    kAdd,
    kSubtract,
    kMultiply,
    kDivide,
    kDiv,
    kMod,
    kMin,
    kMax,
  };
  Op op = Op::kNumber;
  /// Operands, as positions in the comparison's own nodes. kDecision: `left` is the position among
  /// the comparison's own leaves; kCounter: its number.
  std::uint32_t left = 0, right = 0;
  std::int64_t number = 0;  ///< kNumber; kCounter: to be added to what the counter shows.
};

/// A decision that a comparison reads, once however often.
struct TermLeaf {
  Slot slot = 0;               ///< In a GroundForm the number of a variable.
  std::uint32_t universe = 0;  ///< In the universes of the network, or of the form.
  std::uint32_t words = 1;     ///< Of its domain, at slots side by side.
};

/// `left op right`, or a term alone, as the weight of an increment.
struct TermTest {
  static constexpr std::uint32_t kNoRight = 0xFFFFFFFF;
  std::uint32_t node_begin = 0, node_end = 0;  ///< In TermTables::nodes.
  std::uint32_t leaf_begin = 0, leaf_end = 0;  ///< In TermTables::leaves.
  std::uint32_t left = 0, right = kNoRight;    ///< Positions of the nodes that are compared.
  CompareOp op = CompareOp::kEq;
  bool fractions = false;  ///< Some node divides exactly.
  bool counters = false;   ///< Some node is a counter.
  std::uint32_t text = 0;  ///< In TermTables::texts: what the `.exh` says, and where.
};

struct TermTables {
  std::vector<TermTest> tests;
  std::vector<GroundTermNode> nodes;
  std::vector<TermLeaf> leaves;
  std::vector<std::string> texts;
};

/// Nodes of one comparison; more are refused when a space is frozen.
inline constexpr std::uint32_t kMostTermNodes = 256;
/// No term of an implementation, and no part of one, exceeds this: that is refused as well.
inline constexpr std::int64_t kLargestTerm = std::int64_t{1} << 61;

}  // namespace exh::runtime
