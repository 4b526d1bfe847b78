// SPDX-License-Identifier: MIT
#include "kernels/fused/graph/kinds.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/check.h"
#include "base/spelling.h"
#include "kernels/ir/types.h"

namespace exh::kernels::fused {
namespace {

using ir::Op;
using enum Form;
using enum TakesTypes;

/// In the order of Kind. Behind the form: operands, their types, the operator.
constexpr auto kKinds = std::to_array<KindInfo>({
    {Kind::kAbs, "Abs", kElementwise, 1, kNumbers, Op::kAbs},
    {Kind::kAdd, "Add", kElementwise, 2, kNumbers, Op::kAdd},
    {Kind::kAddN, "AddN", kElementwise, 0, kNumbers, Op::kAdd},
    {Kind::kCast, "Cast", kElementwise, 1, kAny, Op::kConst},
    {Kind::kEqual, "Equal", kElementwise, 2, kAny, Op::kEqual, true},
    {Kind::kExp, "Exp", kElementwise, 1, kFloats, Op::kExp},
    {Kind::kGreater, "Greater", kElementwise, 2, kNumbers, Op::kLess, true},
    {Kind::kGreaterEqual, "GreaterEqual", kElementwise, 2, kNumbers, Op::kLess, true},
    {Kind::kLess, "Less", kElementwise, 2, kNumbers, Op::kLess, true},
    {Kind::kLessEqual, "LessEqual", kElementwise, 2, kNumbers, Op::kLess, true},
    {Kind::kLog, "Log", kElementwise, 1, kFloats, Op::kLog},
    {Kind::kLogicalAnd, "LogicalAnd", kElementwise, 2, kBools, Op::kAnd, true},
    {Kind::kLogicalNot, "LogicalNot", kElementwise, 1, kBools, Op::kNot, true},
    {Kind::kLogicalOr, "LogicalOr", kElementwise, 2, kBools, Op::kOr, true},
    {Kind::kMaximum, "Maximum", kElementwise, 2, kNumbers, Op::kMax},
    {Kind::kMinimum, "Minimum", kElementwise, 2, kNumbers, Op::kMin},
    {Kind::kMul, "Mul", kElementwise, 2, kNumbers, Op::kMul},
    {Kind::kNeg, "Neg", kElementwise, 1, kNumbers, Op::kNeg},
    {Kind::kNotEqual, "NotEqual", kElementwise, 2, kAny, Op::kEqual, true},
    {Kind::kPow, "Pow", kElementwise, 2, kFloats, Op::kPow},
    {Kind::kRealDiv, "RealDiv", kElementwise, 2, kFloats, Op::kDiv},
    {Kind::kReciprocal, "Reciprocal", kElementwise, 1, kFloats, Op::kDiv},
    {Kind::kRsqrt, "Rsqrt", kElementwise, 1, kFloats, Op::kRsqrt},
    {Kind::kSelect, "Select", kElementwise, 3, kAny, Op::kSelect},
    {Kind::kSqrt, "Sqrt", kElementwise, 1, kFloats, Op::kSqrt},
    {Kind::kSquare, "Square", kElementwise, 1, kNumbers, Op::kMul},
    {Kind::kSub, "Sub", kElementwise, 2, kNumbers, Op::kSub},
    {Kind::kTanh, "Tanh", kElementwise, 1, kFloats, Op::kTanh},
    {Kind::kReduceAll, "ReduceAll", kReduction, 1, kBools, Op::kMin, true},
    {Kind::kReduceAny, "ReduceAny", kReduction, 1, kBools, Op::kMax, true},
    {Kind::kReduceMax, "ReduceMax", kReduction, 1, kNumbers, Op::kMax},
    {Kind::kReduceMin, "ReduceMin", kReduction, 1, kNumbers, Op::kMin},
    {Kind::kReduceProd, "ReduceProd", kReduction, 1, kNumbers, Op::kMul},
    {Kind::kReduceSum, "ReduceSum", kReduction, 1, kNumbers, Op::kAdd},
    {Kind::kBatchMatMul, "BatchMatMul", kProduct, 2, kNumbers, Op::kMul},
    {Kind::kConv2D, "Conv2D", kProduct, 2, kNumbers, Op::kMul},
    {Kind::kMatMul, "MatMul", kProduct, 2, kNumbers, Op::kMul},
    {Kind::kBroadcastTo, "BroadcastTo", kMovement, 1, kAny},
    {Kind::kExpandDims, "ExpandDims", kMovement, 1, kAny},
    {Kind::kOneHot, "OneHot", kMovement, 3, kAny},
    {Kind::kPadAkg, "PadAkg", kMovement, 1, kAny},
    {Kind::kReshape, "Reshape", kMovement, 1, kAny},
    {Kind::kSqueeze, "Squeeze", kMovement, 1, kAny},
    {Kind::kTile, "Tile", kMovement, 1, kAny},
    {Kind::kTranspose, "Transpose", kMovement, 1, kAny},
    {Kind::kUnPadAkg, "UnPadAkg", kMovement, 1, kAny},
    {Kind::kAssign, "Assign", kAssignment, 2, kAny},
    {Kind::kInplaceAssign, "InplaceAssign", kAssignment, 3, kAny},
});

struct Refusal {
  std::string_view name, why;
};
constexpr auto kRefusals = std::to_array<Refusal>({
    {"Custom", "a function that is written elsewhere"},
});

}  // namespace

const KindInfo& InfoOf(Kind kind) {
  const KindInfo& info = kKinds.at(static_cast<std::size_t>(kind));
  EXH_CHECK(info.kind == kind);
  return info;
}

std::span<const KindInfo> AllKinds() {
  return kKinds;
}

std::optional<Kind> KindOfName(std::string_view name) {
  const auto found = std::ranges::find(kKinds, name, &KindInfo::name);
  return found == kKinds.end() ? std::nullopt : std::optional(found->kind);
}

std::string ProblemOfKind(const std::string& name) {
  const auto refusal = std::ranges::find(kRefusals, name, &Refusal::name);
  if (refusal != kRefusals.end()) {
    return fmt::format("{}, {}, is not supported inside of a fused operator", name, refusal->why);
  }
  std::vector<std::string> names;
  for (const KindInfo& info : kKinds) names.emplace_back(info.name);
  return fmt::format("there is no operator '{}'{}", name, DidYouMean(name, names));
}

std::string_view WordOf(TakesTypes takes) {
  switch (takes) {
    case kAny:
      return "any type";
    case kNumbers:
      return "numbers";
    case kFloats:
      return "floats";
    case kBools:
      break;
  }
  return "bool";
}

bool Takes(TakesTypes takes, ir::Type type) {
  switch (takes) {
    case kAny:
      return true;
    case kNumbers:
      return type != ir::Type::kBool;
    case kFloats:
      return ir::IsFloat(type);
    case kBools:
      break;
  }
  return type == ir::Type::kBool;
}

}  // namespace exh::kernels::fused
