// SPDX-License-Identifier: MIT
//
// The kinds of operations as one table. A new one costs a row here, its shapes (shapes.h) unless it
// works element by element, and what it computes (lower.cc).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/ir/function.h"

namespace exh::kernels::fused {

enum class Kind : std::uint8_t {
  // Element by element, operands broadcast to each other.
  kAbs,
  kAdd,
  kAddN,
  kCast,
  kEqual,
  kExp,
  kGreater,
  kGreaterEqual,
  kLess,
  kLessEqual,
  kLog,
  kLogicalAnd,
  kLogicalNot,
  kLogicalOr,
  kMaximum,
  kMinimum,
  kMul,
  kNeg,
  kNotEqual,
  kPow,
  kRealDiv,
  kReciprocal,
  kRsqrt,
  kSelect,
  kSqrt,
  kSquare,
  kSub,
  kTanh,
  // Over axes.
  kReduceAll,
  kReduceAny,
  kReduceMax,
  kReduceMin,
  kReduceProd,
  kReduceSum,
  // Sums of products.
  kBatchMatMul,
  kConv2D,
  kMatMul,
  // What moves elements.
  kBroadcastTo,
  kExpandDims,
  kOneHot,
  kPadAkg,
  kReshape,
  kSqueeze,
  kTile,
  kTranspose,
  kUnPadAkg,
  // What writes into an input.
  kAssign,
  kInplaceAssign,
};

/// How shapes follow from each other, and elements from elements.
enum class Form : std::uint8_t { kElementwise, kReduction, kProduct, kMovement, kAssignment };

/// Types of operands.
enum class TakesTypes : std::uint8_t { kAny, kNumbers, kFloats, kBools };

struct KindInfo {
  Kind kind = Kind::kAdd;
  std::string_view name;  ///< In the JSON.
  Form form = Form::kElementwise;
  int operands = 1;  ///< 0: one or more.
  TakesTypes takes = TakesTypes::kAny;
  /// The operator that it is, where it is one alone: of its operands in their order, or over axes.
  ir::Op op = ir::Op::kConst;
  bool yields_bool = false;
};

const KindInfo& InfoOf(Kind kind);
std::span<const KindInfo> AllKinds();
std::optional<Kind> KindOfName(std::string_view name);

/// Why there is no such kind: "Custom, …, is not supported …". Names nobody has heard of get the
/// nearest that there is.
std::string ProblemOfKind(const std::string& name);

/// "any type", "floats".
std::string_view WordOf(TakesTypes takes);
bool Takes(TakesTypes takes, ir::Type type);

}  // namespace exh::kernels::fused
