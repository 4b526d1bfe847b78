// SPDX-License-Identifier: MIT
//
// What whole numbers come to in a backbone is estimated from instruction to instruction: a value's
// usual size, and what it is a multiple of. Whether that holds the reference says (MakeProblem()).
// Of integers it says nothing, for they wrap around: of them the largest possible size counts.
#include "kernels/whole_numbers.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <set>

#include "kernels/ir/ops.h"

namespace exh::kernels {
namespace {

constexpr double kMargin = 0.7;  ///< What is estimated varies.
constexpr double kTails = 8;     ///< And how far: for a range that nothing may leave.
constexpr int kWideBits = 12;
constexpr double kWideSize = 3100;  ///< Root mean square of odd numbers from 2049 to 4095.
constexpr int kMostWide = 4;
constexpr int kMostBits = 62;  ///< Of an integer that is drawn.

/// The largest power of two that `value` is a multiple of; infinity for 0, which is one of any.
double LowestBit(double value) {
  if (value == 0) return INFINITY;
  if (!std::isfinite(value)) return 0;
  constexpr int kBits = std::numeric_limits<double>::digits;
  int exponent = 0;
  const auto bits = static_cast<std::int64_t>(std::ldexp(std::frexp(value, &exponent), kBits));
  return std::ldexp(static_cast<double>(bits & -bits), exponent - kBits);
}

/// Whole numbers below it have values of their own in registers for the type.
double ExactIn(ir::Type type) {
  return std::ldexp(1, ir::InfoOf(ir::ComputeTypeOf(type)).bits);
}

/// The smallest number of ones only that is not below `size`: no bits of two such numbers make a
/// larger one, nor does their complement.
double AllOnes(double size) {
  int exponent = 0;
  std::frexp(size, &exponent);
  return std::ldexp(1, exponent);
}

/// Dimensions of consumers that the iterations of `dim` reach, and itself.
std::set<std::size_t> Reached(const ir::Function& function, ir::DimId dim) {
  std::set<std::size_t> reached = {dim.index()};
  for (bool grows = true; grows;) {
    grows = false;
    for (const ir::DimPair& pair : function.pairs) {
      if (pair.planned || reached.count(pair.src.index()) == 0) continue;
      grows |= reached.insert(pair.dst.index()).second;
    }
  }
  return reached;
}

bool IsSummed(const ir::Function& function, const ir::LogicalDim& axis) {
  std::set<std::size_t> summed;
  for (const ir::Instruction& inst : function.insts) {
    for (const ir::DimId dim : inst.reduce_dims) summed.insert(dim.index());
  }
  for (const ir::DimId dim : axis.dims) {
    for (const std::size_t reached : Reached(function, dim)) {
      if (summed.count(reached) > 0) return true;
    }
  }
  return false;
}

double Terms(const ir::Function& function, const ir::Instruction& inst) {
  std::set<std::size_t> axes;
  double terms = 1;
  for (const ir::DimId dim : inst.reduce_dims) {
    const ir::LogicalDimId axis = function.dim(dim).logical;
    if (axes.insert(axis.index()).second) terms *= function.logical(axis).total;
  }
  return terms;
}

/// What the value of an instruction becomes.
ir::Type WrittenType(const ir::Function& function, const ir::Instruction& inst) {
  return inst.op == ir::Op::kStore ? function.array(inst.array).type : inst.type;
}

/// The walk through a backbone.
class Sizes {
 public:
  Sizes(const ir::Function& function, const WholeNumbers& numbers)
      : function_(function),
        numbers_(numbers),
        shapes_(InputShapes(function)),
        known_(function.insts.size()) {
    int wide_bits = 0;
    for (const ir::Array& array : function.arrays) {
      if (!shapes_[array.id.index()].is_summed()) continue;
      wide_bits = std::max(wide_bits, WideBits(array.type));
    }
    if (wide_bits == 0) wide_bits = kWideBits;
    wide_size_ = std::ldexp(kWideSize, wide_bits - kWideBits);
    wide_factor_ = std::ldexp(1, wide_bits) / static_cast<double>(numbers.range);
    for (const ir::Instruction& inst : function.insts) {
      if (inst.op == ir::Op::kStore) Of(inst);
    }
    // Integers that only say which of two values is taken may overflow, too.
    notes_sizes_ = false;
    for (const ir::Instruction& inst : function.insts) {
      if (!inst.planned && ir::InfoOf(inst.type).is_integer()) Of(inst);
    }
  }

  /// Largest sum as a multiple of what all its terms are multiples of, as a part of what its type
  /// holds exactly.
  double largest() const { return largest_; }
  double unit() const { return unit_; }
  /// Every integer stays within its type, and halves will hardly leave theirs.
  bool fits() const { return fits_; }

 private:
  struct Value {
    double size = 0;
    double unit = INFINITY;
    double most = 0;  ///< No absolute value is larger, wide numbers aside.
    int factors = 0;  ///< How many numbers are multiplied that may be wide.
  };

  Value Number(double value) const { return {std::abs(value), LowestBit(value), std::abs(value)}; }

  Value Of(const ir::Operand& operand, ir::Type computes) {
    switch (operand.kind) {
      case ir::Operand::Kind::kLiteral:
        return Number(ir::Rounded(ir::ComputeTypeOf(computes), operand.literal));
      case ir::Operand::Kind::kScalar: {
        const ir::Scalar* const scalar = function_.scalar(operand.scalar);
        return Number(scalar == nullptr ? 1.0 : double{ir::Rounded(scalar->type, scalar->value)});
      }
      case ir::Operand::Kind::kComm:
        return Of(operand.comm);
    }
    return {};
  }
  Value Of(ir::CommId comm) { return Of(function_.inst(function_.comm(comm).producer)); }

  /// Each is looked at once, however many others read it.
  Value Of(const ir::Instruction& inst) {
    std::optional<Value>& known = known_[inst.id.index()];
    if (!known) known = Found(inst);
    return *known;
  }

  Value Found(const ir::Instruction& inst) {
    if (inst.op == ir::Op::kLoad) return OfLoad(inst);
    const bool is_float = ir::IsFloat(inst.type);
    const bool is_literal = !inst.operands.empty() && inst.op == ir::Op::kConst &&
                            inst.operands[0].kind == ir::Operand::Kind::kLiteral;
    Value value = inst.is_reduction() ? OfReduction(inst) : OfElements(inst);
    // A cast cuts off what is no whole number.
    if (!is_float) value.unit = std::max(value.unit, 1.0);
    if (!is_literal) NoteRange(inst, value);
    if (is_float && inst.op != ir::Op::kStore) Note(value, inst.type);
    return value;
  }

  Value OfLoad(const ir::Instruction& inst) const {
    const bool is_summed = shapes_[inst.array.index()].is_summed();
    const ir::Type type = function_.array(inst.array).type;
    if (numbers_.are_of_all_lengths && ir::IsFloat(type)) return {1, 0, 1};
    const auto range = static_cast<double>(
        std::min(is_summed ? numbers_.range : numbers_.element, numbers_.Largest(type)));
    return {is_summed ? Usual(range) : range, 1, range, is_summed ? 1 : 0};
  }

  static Value Product(const Value& a, const Value& b) {
    const double unit = std::isinf(a.unit) || std::isinf(b.unit) ? INFINITY : a.unit * b.unit;
    return {a.size * b.size, unit, a.most * b.most, a.factors + b.factors};
  }

  Value OfReduction(const ir::Instruction& inst) {
    const auto operand = [&](std::size_t index) {
      return Of(inst.operands.at(index), inst.computes);
    };
    const ir::TypeInfo& info = ir::InfoOf(inst.type);
    const Value term = inst.op == ir::Op::kMad ? Product(operand(0), operand(1)) : operand(0);
    Value begin = inst.init.valid() ? Of(inst.init) : Value{};
    const bool picks = inst.op == ir::Op::kMax || inst.op == ir::Op::kMin;
    // Every term is picked before it.
    const double never = info.is_float ? INFINITY : info.largest;
    if (picks && begin.size >= never) begin = {};
    if (inst.op == ir::Op::kMul) {
      if (info.is_float) return {1, 0, 1};
      const double most = std::max(begin.most, 1.0) * std::pow(term.most, Terms(function_, inst));
      return {most, 1, most, term.factors + begin.factors};
    }
    const double n = picks ? 1 : Terms(function_, inst);
    const auto positions = static_cast<double>(numbers_.wide) * static_cast<double>(shapes_.size());
    Value value;
    value.size =
        std::sqrt(n * term.size * term.size + positions * wide_size_ * wide_size_) + begin.size;
    value.unit = std::min(term.unit, begin.unit);
    value.most = picks ? std::max(term.most, begin.most) : n * term.most + begin.most;
    value.most += positions * term.most * std::pow(wide_factor_, term.factors);
    if (info.is_float) Note({std::sqrt(n) * value.size, value.unit}, inst.type);
    return value;
  }

  Value OfElements(const ir::Instruction& inst) {
    const auto operand = [&](std::size_t index) {
      return Of(inst.operands.at(index), inst.computes);
    };
    const ir::OpInfo& info = ir::InfoOf(inst.op);
    if (inst.op == ir::Op::kStore) return operand(0);
    if (inst.op == ir::Op::kIndex) return OfIndex(inst);
    if (info.takes == ir::Takes::kIntegers) {
      double most = 1;
      for (std::size_t i = 0; i < inst.operands.size(); ++i) {
        most = std::max(most, operand(i).most);
      }
      if (inst.type != ir::Type::kBool) most = AllOnes(most);
      return {most, 1, most};
    }
    if (!ir::IsFloat(inst.type) && inst.op == ir::Op::kDiv) return operand(0);
    if (!info.keeps_whole) return {1, 0, 1};
    Value value = operand(inst.op == ir::Op::kSelect ? 1 : 0);
    if (inst.op == ir::Op::kMul || inst.op == ir::Op::kMad) value = Product(value, operand(1));
    if (info.compares()) return {1, 1, 1};
    const bool picks =
        inst.op == ir::Op::kMin || inst.op == ir::Op::kMax || inst.op == ir::Op::kSelect;
    const bool adds = inst.op == ir::Op::kAdd || inst.op == ir::Op::kSub || inst.op == ir::Op::kMad;
    if (picks || adds) {
      const Value other = operand(inst.operands.size() - 1);
      value = {value.size + other.size, std::min(value.unit, other.unit),
               adds ? value.most + other.most : std::max(value.most, other.most),
               std::max(value.factors, other.factors)};
    }
    return value;
  }

  Value OfIndex(const ir::Instruction& inst) const {
    double most = std::abs(static_cast<double>(inst.offset));
    for (const ir::AccessAxis& axis : inst.access) {
      const double last = static_cast<double>(function_.logical(axis.logical).total) - 1;
      most += last * std::abs(static_cast<double>(axis.stride));
    }
    return {most, 1, most};
  }

  void Note(const Value& value, ir::Type type) {
    if (!notes_sizes_ || std::isinf(value.unit)) return;  // Nothing but zeros.
    const double size = value.unit == 0 ? INFINITY : value.size / value.unit;
    largest_ = std::max(largest_, size / ExactIn(type));
    unit_ = std::min(unit_, value.unit);
  }

  void NoteRange(const ir::Instruction& inst, const Value& value) {
    const ir::TypeInfo& info = ir::InfoOf(WrittenType(function_, inst));
    if (info.is_float) {
      fits_ = fits_ && !(info.is_narrow() && kTails * value.size > info.largest);
    } else if (info.is_integer()) {
      fits_ = fits_ && value.most <= info.largest;
    }
  }

  /// Root mean square of 1 … range.
  static double Usual(double range) { return std::sqrt((range + 1) * (2 * range + 1) / 6.0); }

  const ir::Function& function_;
  const WholeNumbers& numbers_;
  std::vector<InputShape> shapes_;
  std::vector<std::optional<Value>> known_;  ///< By instruction.
  double wide_size_ = 0;                     ///< Of a wide number, usually.
  double wide_factor_ = 1;                   ///< How many times as large as another one it may be.
  double largest_ = 0, unit_ = 1;
  bool fits_ = true, notes_sizes_ = true;
};

/// From large to small, all that could be drawn.
std::vector<WholeNumbers> AllPlans(const ir::Function& function) {
  // Numbers of few bits, so that a sum does not swallow what is added to it by mistake; the wide
  // ones are for what few bits cannot show.
  std::vector<WholeNumbers> plans;
  constexpr std::int64_t kElement = (1 << kWideBits) - 1;
  for (const int wide : {kMostWide, 2, 1, 0}) {
    if (wide > 0 && SumsInARow(function) != 1) continue;
    for (const std::int64_t range : {8, 5, 3, 2, 1}) {
      if (range < 3 && wide > 0) continue;
      for (const std::int64_t element : {kElement, range}) plans.push_back({range, element, wide});
    }
  }
  return plans;
}

/// Calls `visit` with the instruction that computes each value that `inst` reads.
template <typename Visit>
void ForEachProducer(const ir::Function& function, const ir::Instruction& inst,
                     const Visit& visit) {
  const auto of = [&](ir::CommId comm) { visit(function.inst(function.comm(comm).producer)); };
  for (const ir::Operand& operand : inst.operands) {
    if (operand.kind == ir::Operand::Kind::kComm) of(operand.comm);
  }
  if (inst.init.valid()) of(inst.init);
}

/// Marks the array of a load that `operand` is, cast or not.
void MarkArray(const ir::Function& function, const ir::Operand& operand,
               std::vector<bool>& marked) {
  const ir::Operand* reads = &operand;
  while (reads->kind == ir::Operand::Kind::kComm) {
    const ir::Instruction& producer = function.inst(function.comm(reads->comm).producer);
    if (producer.op == ir::Op::kLoad) marked[producer.array.index()] = true;
    if (producer.op != ir::Op::kConst) return;
    reads = &producer.operands.at(0);
  }
}

/// Does a float become an integer in it?
bool CutsFloat(const ir::Function& function, const ir::Instruction& inst) {
  const bool casts = inst.op == ir::Op::kConst || inst.op == ir::Op::kStore;
  if (!casts || inst.planned) return false;
  if (!ir::InfoOf(WrittenType(function, inst)).is_integer()) return false;
  const std::optional<ir::Type> from = function.TypeOf(inst.operands.at(0));
  return from && ir::IsFloat(*from);
}

}  // namespace

int WideBits(ir::Type type) {
  return std::min(ir::InfoOf(type).bits, kWideBits);
}

int LargestWhole(ir::Type type) {
  return (1 << WideBits(type)) - 1;
}

std::int64_t WholeNumbers::Largest(ir::Type type) const {
  if (!are_of_all_lengths || ir::IsFloat(type)) return LargestWhole(type);
  return (std::int64_t{1} << std::min(ir::InfoOf(type).bits, kMostBits)) - 1;
}

bool InputShape::is_summed() const {
  return std::ranges::any_of(axes, &Axis::is_summed);
}

bool InputShape::has_slices() const {
  return std::ranges::any_of(axes, [](const Axis& axis) { return !axis.is_summed; });
}

std::uint64_t InputShape::Positions() const {
  std::uint64_t positions = 1;
  for (const Axis& axis : axes) {
    if (axis.is_summed) positions *= static_cast<std::uint64_t>(axis.total);
  }
  return positions;
}

std::uint64_t InputShape::Number(std::uint64_t element, bool summed) const {
  std::uint64_t number = 0;
  for (const Axis& axis : axes) {
    if (axis.is_summed != summed) continue;
    const auto total = static_cast<std::uint64_t>(axis.total);
    number = number * total + element / static_cast<std::uint64_t>(axis.stride) % total;
  }
  return number;
}

std::vector<InputShape> InputShapes(const ir::Function& function) {
  std::vector<InputShape> shapes(function.arrays.size());
  for (const ir::Instruction& inst : function.insts) {
    if (inst.op != ir::Op::kLoad || inst.planned) continue;
    InputShape& shape = shapes[inst.array.index()];
    if (!shape.axes.empty()) continue;  // Read twice: as it is read first.
    for (const ir::AccessAxis& axis : inst.access) {
      const ir::LogicalDim& logical = function.logical(axis.logical);
      // An array that is the same along an axis has no place on it.
      if (axis.stride <= 0) continue;
      shape.axes.push_back({axis.stride, logical.total, IsSummed(function, logical)});
    }
    std::ranges::stable_sort(shape.axes, std::greater<>(), &InputShape::Axis::stride);
  }
  return shapes;
}

std::vector<bool> PositiveArrays(const ir::Function& function) {
  std::vector<bool> positive(function.arrays.size(), false);
  for (const ir::Instruction& inst : function.insts) {
    const bool wants = inst.op == ir::Op::kSqrt || inst.op == ir::Op::kRsqrt ||
                       inst.op == ir::Op::kLog || inst.op == ir::Op::kPow;
    if (!wants || inst.operands[0].kind != ir::Operand::Kind::kComm) continue;
    const ir::Instruction& producer = function.inst(function.comm(inst.operands[0].comm).producer);
    if (producer.op == ir::Op::kLoad) positive[producer.array.index()] = true;
  }
  return positive;
}

std::vector<bool> DivisorArrays(const ir::Function& function) {
  std::vector<bool> divisors(function.arrays.size(), false);
  for (const ir::Instruction& inst : function.insts) {
    if (inst.op != ir::Op::kDiv || ir::IsFloat(inst.computes)) continue;
    MarkArray(function, inst.operands.at(1), divisors);
  }
  return divisors;
}

bool MayLeaveNumbers(const ir::Function& function) {
  constexpr double kLittle = 0x1p20;  // Less than a sum may come to.
  return std::ranges::any_of(function.insts, [](const ir::Instruction& inst) {
    if (!ir::IsFloat(inst.type)) return false;
    if (ir::InfoOf(inst.type).largest < kLittle) return true;
    const bool multiplies = inst.op == ir::Op::kMul && inst.is_reduction();
    return multiplies || (!ir::InfoOf(inst.op).keeps_whole && inst.op != ir::Op::kTanh);
  });
}

bool CutsFloats(const ir::Function& function) {
  return std::ranges::any_of(
      function.insts, [&](const ir::Instruction& inst) { return CutsFloat(function, inst); });
}

std::vector<bool> CutArrays(const ir::Function& function) {
  std::vector<bool> arrays(function.arrays.size(), false), seen(function.insts.size(), false);
  const auto visit = [&](const auto& self, const ir::Instruction& inst) -> void {
    if (seen[inst.id.index()]) return;
    seen[inst.id.index()] = true;
    if (inst.op == ir::Op::kLoad) arrays[inst.array.index()] = true;
    ForEachProducer(function, inst, [&](const ir::Instruction& producer) { self(self, producer); });
  };
  for (const ir::Instruction& inst : function.insts) {
    if (CutsFloat(function, inst)) visit(visit, inst);
  }
  return arrays;
}

int SumsInARow(const ir::Function& function) {
  std::vector<int> known(function.insts.size(), -1);
  const auto depth = [&](const auto& self, const ir::Instruction& inst) -> int {
    if (known[inst.id.index()] >= 0) return known[inst.id.index()];
    int most = 0;
    ForEachProducer(function, inst, [&](const ir::Instruction& producer) {
      most = std::max(most, self(self, producer));
    });
    return known[inst.id.index()] = most + (inst.is_reduction() ? 1 : 0);
  };
  int most = 0;
  for (const ir::Instruction& inst : function.insts) {
    if (inst.op == ir::Op::kStore) most = std::max(most, depth(depth, inst));
  }
  return most;
}

double WholeNumberUnit(const ir::Function& function) {
  return Sizes(function, {}).unit();
}

double ExactLimit(const ir::Function& function, ir::ArrayId output) {
  double limit = INFINITY;
  std::vector<bool> seen(function.insts.size(), false);
  const auto visit = [&](const auto& self, const ir::Instruction& inst) -> void {
    if (seen[inst.id.index()]) return;
    seen[inst.id.index()] = true;
    for (const ir::Type type : {inst.type, inst.computes}) {
      if (ir::IsFloat(type)) limit = std::min(limit, ExactIn(type));
    }
    ForEachProducer(function, inst, [&](const ir::Instruction& producer) { self(self, producer); });
  };
  for (const ir::Instruction& inst : function.insts) {
    if (inst.op != ir::Op::kStore || inst.array != output) continue;
    ForEachProducer(function, inst,
                    [&](const ir::Instruction& producer) { visit(visit, producer); });
  }
  return limit;
}

std::vector<WholeNumbers> WholeNumberPlans(const ir::Function& function) {
  std::vector<WholeNumbers> plans;
  for (const WholeNumbers& plan : AllPlans(function)) {
    const Sizes sizes(function, plan);
    if (sizes.largest() < kMargin && sizes.fits()) plans.push_back(plan);
  }
  plans.push_back({});
  return plans;
}

WholeNumbers LargestIntegers(const ir::Function& function) {
  // Of what is large, functions like exp say nothing.
  const bool are_small = std::ranges::any_of(function.insts, [](const ir::Instruction& inst) {
    return ir::InfoOf(inst.op).takes == ir::Takes::kFloats;
  });
  for (int bits = are_small ? 0 : kMostBits; bits > 3; --bits) {
    const std::int64_t range = (std::int64_t{1} << bits) - 1;
    const WholeNumbers plan = {range, range, 0, true};
    if (Sizes(function, plan).fits()) return plan;
  }
  for (const WholeNumbers& plan : AllPlans(function)) {
    if (Sizes(function, plan).fits()) return plan;
  }
  return {};
}

}  // namespace exh::kernels
