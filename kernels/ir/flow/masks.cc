// SPDX-License-Identifier: MIT
#include "kernels/ir/flow/masks.h"

#include <algorithm>
#include <cmath>

namespace exh::kernels::ir {
namespace {

class MaskReader {
 public:
  explicit MaskReader(const Function& function) : f_(function) {}

  std::optional<Mask> Of(const Instruction& inst) const {
    if (inst.op != Op::kSelect || !IsFloat(inst.type)) return std::nullopt;
    const Operand& other = inst.operands[2];
    const bool is_nothing = other.kind == Operand::Kind::kLiteral && double{other.literal} < 0 &&
                            std::isinf(double{other.literal});
    const Instruction* const condition = Producer(inst.operands[0]);
    if (!is_nothing || condition == nullptr) return std::nullopt;
    std::optional<Mask> mask = BoundsOf(*condition);
    if (mask) std::ranges::sort(*mask);
    return mask;
  }

 private:
  const Instruction* Producer(const Operand& operand) const {
    if (operand.kind != Operand::Kind::kComm) return nullptr;
    return &f_.inst(f_.comm(operand.comm).producer);
  }

  std::optional<Mask> BoundsOf(const Instruction& inst) const {
    switch (inst.op) {
      case Op::kLess:  // a < b
        return Difference(inst.operands[1], inst.operands[0], -1);
      case Op::kNot: {
        const Instruction* const less = Producer(inst.operands[0]);
        if (less == nullptr || less->op != Op::kLess) return std::nullopt;
        return Difference(less->operands[0], less->operands[1], 0);
      }
      case Op::kOr: {  // a < b or a == b
        const Instruction* less = Producer(inst.operands[0]);
        const Instruction* equal = Producer(inst.operands[1]);
        if (less == nullptr || equal == nullptr) return std::nullopt;
        if (less->op == Op::kEqual) std::swap(less, equal);
        if (less->op != Op::kLess || equal->op != Op::kEqual) return std::nullopt;
        const auto most = Difference(less->operands[1], less->operands[0], 0);
        const auto same = Difference(equal->operands[1], equal->operands[0], 0);
        return most && same && *most == *same ? most : std::nullopt;
      }
      case Op::kAnd: {
        Mask all;
        for (const Operand& operand : inst.operands) {
          const Instruction* const part = Producer(operand);
          const auto bounds = part == nullptr ? std::nullopt : BoundsOf(*part);
          if (!bounds) return std::nullopt;
          all.insert(all.end(), bounds->begin(), bounds->end());
        }
        return all;
      }
      default:
        return std::nullopt;
    }
  }

  /// a - b + more >= 0.
  std::optional<Mask> Difference(const Operand& a, const Operand& b, std::int64_t more) const {
    const auto first = IndexOf(a), second = IndexOf(b);
    if (!first || !second) return std::nullopt;
    return Mask{Sum(Sum(*first, *second, -1), {more, {}}, 1)};
  }

  static MaskBound Sum(MaskBound sum, const MaskBound& more, std::int64_t times) {
    sum.offset += times * more.offset;
    for (const auto& [axis, step] : more.steps) {
      if ((sum.steps[axis] += times * step) == 0) sum.steps.erase(axis);
    }
    return sum;
  }

  /// A whole number that is made of indices.
  std::optional<MaskBound> IndexOf(const Operand& operand) const {
    if (operand.kind == Operand::Kind::kLiteral) {
      const double number{operand.literal};
      if (number != std::floor(number)) return std::nullopt;
      return MaskBound{static_cast<std::int64_t>(number), {}};
    }
    const Instruction* const inst = Producer(operand);
    if (inst == nullptr || (inst->type != Type::kI32 && inst->type != Type::kI64)) {
      return std::nullopt;
    }
    switch (inst->op) {
      case Op::kIndex: {
        MaskBound index{inst->offset, {}};
        for (const AccessAxis& axis : inst->access) {
          if (axis.stride != 0) {
            index.steps[std::string(f_.logical(axis.logical).axis_name())] += axis.stride;
          }
        }
        return index;
      }
      case Op::kConst:
        return IndexOf(inst->operands[0]);
      case Op::kAdd:
      case Op::kSub: {
        const auto a = IndexOf(inst->operands[0]), b = IndexOf(inst->operands[1]);
        if (!a || !b) return std::nullopt;
        return Sum(*a, *b, inst->op == Op::kAdd ? 1 : -1);
      }
      default:
        return std::nullopt;
    }
  }

  const Function& f_;
};

}  // namespace

std::optional<Mask> MaskOf(const Function& function, const Instruction& inst) {
  return MaskReader(function).Of(inst);
}

}  // namespace exh::kernels::ir
