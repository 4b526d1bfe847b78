// SPDX-License-Identifier: MIT
#include "kernels/derived/reference/op_rules.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/check.h"

namespace exh::kernels::derived {
namespace {

double Square(double x) {
  return x * x;
}

struct Point {
  double value = 0;
  double error = 0;  ///< E.
  double sum = 0;    ///< What the absolute values add up to that a rounding is of; 0: of none.
};

// What values are computed in. kSquares: RoundingSquares(); Tiny(): what else a rounding adds to E;
// Held(): what the type makes of values that it cannot hold.

struct Single {
  static constexpr double kSquares = 1;
  static constexpr double kTiny = 0x1p-250;
  /// What is tiny is rounded to multiples of 2^-149: an error of 2^-150 besides those that grow
  /// with the value, as a square in units of u.
  static double Tiny(double value) { return value != 0 && std::abs(value) < 0x1p-120 ? kTiny : 0; }
  static double Held(double value) {
    constexpr double kLargest = 0x1.ffffffp127, kSmallest = 0x1p-150;  // They round to even.
    if (std::abs(value) >= kLargest) return std::copysign(INFINITY, value);
    return std::abs(value) <= kSmallest ? std::copysign(0.0, value) : value;
  }
};

struct Double {
  static constexpr double kSquares = 0x1p-56;
  static double Tiny(double) { return 0; }
  static double Held(double value) { return value; }
};

template <ir::Type type, typename Own>
struct Whole {
  static constexpr double kSquares = 0;
  static double Tiny(double) { return 0; }
  static double Held(double value) {
    constexpr auto kLowest = static_cast<double>(std::numeric_limits<Own>::lowest());
    constexpr auto kLargest = static_cast<double>(std::numeric_limits<Own>::max());
    const bool is_inside = value >= kLowest && value < kLargest;
    return is_inside ? static_cast<double>(static_cast<std::int64_t>(value))
                     : ir::Rounded(type, value);
  }
};

template <typename Type>
constexpr bool kIsWhole = Type::kSquares == 0;
/// How many roundings an operation is.
template <typename Type>
constexpr double kOne = kIsWhole<Type> ? 0 : 1;

/// An error of 1, as a square in units of u.
constexpr double kWhole = 0x1p48;

/// How far a value with these errors may be off.
double Reach(double error) {
  return kErrorFactor * 0x1p-24 * std::sqrt(error);
}

template <typename Type>
struct Add {
  static Point Of(const Point* x) {
    const double value = x[0].value + x[1].value;
    return {value, x[0].error + x[1].error + Type::kSquares * Square(value),
            std::abs(x[0].value) + std::abs(x[1].value)};
  }
  static double Roundings(const double* x) { return x[0] + x[1] + kOne<Type>; }
};

template <typename Type>
struct Sub {
  static Point Of(const Point* x) {
    const Point terms[] = {x[0], {-x[1].value, x[1].error, 0}};
    return Add<Type>::Of(terms);
  }
  static double Roundings(const double* x) { return x[0] + x[1] + kOne<Type>; }
};

template <typename Type>
struct Mul {
  static Point Of(const Point* x) {
    const double value = x[0].value * x[1].value;
    return {value,
            Square(x[0].value) * x[1].error + Square(x[1].value) * x[0].error +
                Type::kSquares * Square(value) + Type::Tiny(value),
            std::abs(value)};
  }
  static double Roundings(const double* x) { return x[0] + x[1] + kOne<Type>; }
};

template <typename Type>
struct Div {
  static Point Of(const Point* x) {
    // A quotient of integers has no fraction; by 0 nobody may ask for it.
    if (kIsWhole<Type> && x[1].value == 0) return {};
    const double quotient = x[0].value / x[1].value;
    const double value = kIsWhole<Type> ? Type::Held(quotient) : quotient;
    const double passed_on = (x[0].error + Square(value) * x[1].error) / Square(x[1].value);
    if (kIsWhole<Type>) return {value, passed_on > 0 ? passed_on + kWhole : 0, 0};
    return {value, passed_on + Type::kSquares * Square(value) + Type::Tiny(value), 0};
  }
  static double Roundings(const double* x) { return x[0] + x[1] + kOne<Type>; }
};

template <typename Type>
struct Mad {
  static Point Of(const Point* x) {
    const Point terms[] = {Mul<Type>::Of(x), x[2]};
    return Add<Type>::Of(terms);
  }
  static double Roundings(const double* x) {
    const double terms[] = {Mul<Type>::Roundings(x), x[2]};
    return Add<Type>::Roundings(terms);
  }
};

struct Max {
  static Point Of(const Point* x) {
    return {Larger(x[0].value, x[1].value), std::max(x[0].error, x[1].error), 0};
  }
  static double Roundings(const double* x) { return std::max(x[0], x[1]); }
};

struct Min {
  static Point Of(const Point* x) {
    return {Smaller(x[0].value, x[1].value), std::max(x[0].error, x[1].error), 0};
  }
  static double Roundings(const double* x) { return std::max(x[0], x[1]); }
};

struct Neg {
  static Point Of(const Point* x) { return {-x[0].value, x[0].error, 0}; }
  static double Roundings(const double* x) { return x[0]; }
};

struct Abs {
  static Point Of(const Point* x) { return {std::abs(x[0].value), x[0].error, 0}; }
  static double Roundings(const double* x) { return x[0]; }
};

/// f(a) is off by f'(a) times what a is, and by what the library's function is.
template <typename Type>
struct Function {
  static Point Of(double value, double slope, const Point& x, double own = kFunctionSquares) {
    const double passed_on = x.error == 0 ? 0 : Square(slope) * x.error;
    return {value, passed_on + own * Type::kSquares * Square(value) + Type::Tiny(value), 0};
  }
  static double Roundings(const double* x) { return x[0] + 1; }
};

template <typename Type>
struct Sqrt : Function<Type> {
  static Point Of(const Point* x) {
    const double value = std::sqrt(x[0].value);
    Point root = Function<Type>::Of(value, 0.5 / value, x[0], 1);
    // Near 0 the slope says too much: the root of a is off by no more than the root of what a is.
    const double most = 0x1p24 * std::sqrt(x[0].error);
    const double own = Type::kSquares * Square(value);
    if (x[0].error > 0 && !(root.error < most + own)) root.error = most + own;
    return root;
  }
};

template <typename Type>
struct Rsqrt : Function<Type> {
  static Point Of(const Point* x) {
    const double value = 1 / std::sqrt(x[0].value);
    return Function<Type>::Of(value, 0.5 * value / x[0].value, x[0]);
  }
};

template <typename Type>
struct Exp : Function<Type> {
  static Point Of(const Point* x) {
    const double value = std::exp(x[0].value);
    return Function<Type>::Of(value, value, x[0]);
  }
};

template <typename Type>
struct Log : Function<Type> {
  static Point Of(const Point* x) {
    return Function<Type>::Of(std::log(x[0].value), 1 / x[0].value, x[0]);
  }
};

template <typename Type>
struct Tanh : Function<Type> {
  static Point Of(const Point* x) {
    const double value = std::tanh(x[0].value);
    return Function<Type>::Of(value, 1 - Square(value), x[0]);
  }
};

/// A power is off by its slopes times what base and exponent are, and by what the library's is.
template <typename Type>
struct Pow {
  static Point Of(const Point* x) {
    const double base = x[0].value, exponent = x[1].value, value = std::pow(base, exponent);
    double passed_on = 0;
    if (x[0].error > 0 && exponent != 0) {
      passed_on += Square(exponent * std::pow(base, exponent - 1)) * x[0].error;
    }
    // Of a base that is 0 or less, a power is defined for whole exponents alone.
    if (x[1].error > 0)
      passed_on += base > 0 ? Square(value * std::log(base)) * x[1].error : INFINITY;
    return {value, passed_on + kPowerSquares * Type::kSquares * Square(value) + Type::Tiny(value),
            0};
  }
  static double Roundings(const double* x) { return x[0] + x[1] + 1; }
};

/// Where a and b are as near as their errors, the comparison may come out either way.
double Uncertain(const Point& a, const Point& b) {
  const double errors = a.error + b.error;
  const bool is_near = std::abs(a.value - b.value) <= Reach(errors);
  return errors > 0 && is_near ? kWhole : 0;
}

struct Less {
  static Point Of(const Point* x) {
    return {x[0].value < x[1].value ? 1.0 : 0.0, Uncertain(x[0], x[1]), 0};
  }
  static double Roundings(const double* x) { return std::max(x[0], x[1]); }
};

struct Equal {
  static Point Of(const Point* x) {
    return {x[0].value == x[1].value ? 1.0 : 0.0, Uncertain(x[0], x[1]), 0};
  }
  static double Roundings(const double* x) { return std::max(x[0], x[1]); }
};

struct Select {
  static Point Of(const Point* x) {
    const Point& chosen = x[0].value != 0 ? x[1] : x[2];
    if (x[0].error == 0) return {chosen.value, chosen.error, 0};
    const double apart = kWhole * Square(x[1].value - x[2].value);
    return {chosen.value, std::max({x[1].error, x[2].error, apart}), 0};
  }
  static double Roundings(const double* x) { return std::max({x[0], x[1], x[2]}); }
};

/// What works on bits. An error of an integer may change any of them.
template <typename Type, ir::Op op, bool is_bool>
struct Bits {
  static Point Of(const Point* x) {
    const bool is_not = op == ir::Op::kNot;
    const bool errs = x[0].error > 0 || (!is_not && x[1].error > 0);
    const double unknown = is_bool ? kWhole : INFINITY;
    return {Value(x[0].value, is_not ? 0 : x[1].value), errs ? unknown : 0, 0};
  }
  static double Value(double of_a, double of_b) {
    const auto a = static_cast<std::int64_t>(of_a), b = static_cast<std::int64_t>(of_b);
    switch (op) {
      case ir::Op::kAnd:
        return static_cast<double>(a & b);
      case ir::Op::kOr:
        return static_cast<double>(a | b);
      case ir::Op::kXor:
        return static_cast<double>(a ^ b);
      default:
        return is_bool ? (a == 0 ? 1 : 0) : static_cast<double>(~a);
    }
  }
  static double Roundings(const double* x) {
    return op == ir::Op::kNot ? x[0] : std::max(x[0], x[1]);
  }
};

/// Returns the largest sum.
template <typename Type, typename Operation, std::size_t count>
double RowOf(const Operands& in, std::int64_t points, double* value, double* error) {
  double largest = 0;
  for (std::int64_t i = 0; i < points; ++i) {
    Point x[count];
    for (std::size_t j = 0; j < count; ++j) x[j] = {in[j].value[i], in[j].error[i], 0};
    Point y = Operation::Of(x);
    y.value = Type::Held(y.value);
    const bool is_finite = std::isfinite(y.value);
    value[i] = y.value;
    error[i] = !is_finite ? 0 : std::isnan(y.error) ? INFINITY : y.error;
    largest = is_finite && y.sum > largest ? y.sum : largest;
  }
  return largest;
}

template <typename Type, typename Operation, std::size_t count>
constexpr Rule kRuleOf = {&RowOf<Type, Operation, count>, &Operation::Roundings};

/// Of what floats and integers have.
template <typename Type>
const Rule* ArithmeticRule(ir::Op op) {
  using ir::Op;
  switch (op) {
    case Op::kAdd:
      return &kRuleOf<Type, Add<Type>, 2>;
    case Op::kSub:
      return &kRuleOf<Type, Sub<Type>, 2>;
    case Op::kMul:
      return &kRuleOf<Type, Mul<Type>, 2>;
    case Op::kDiv:
      return &kRuleOf<Type, Div<Type>, 2>;
    case Op::kMin:
      return &kRuleOf<Type, Min, 2>;
    case Op::kMax:
      return &kRuleOf<Type, Max, 2>;
    case Op::kMad:
      return &kRuleOf<Type, Mad<Type>, 3>;
    case Op::kNeg:
      return &kRuleOf<Type, Neg, 1>;
    case Op::kAbs:
      return &kRuleOf<Type, Abs, 1>;
    case Op::kLess:
      return &kRuleOf<Type, Less, 2>;
    case Op::kEqual:
      return &kRuleOf<Type, Equal, 2>;
    case Op::kSelect:
      return &kRuleOf<Type, Select, 3>;
    default:
      return nullptr;
  }
}

template <typename Type>
const Rule* FloatRule(ir::Op op) {
  using ir::Op;
  switch (op) {
    case Op::kSqrt:
      return &kRuleOf<Type, Sqrt<Type>, 1>;
    case Op::kRsqrt:
      return &kRuleOf<Type, Rsqrt<Type>, 1>;
    case Op::kExp:
      return &kRuleOf<Type, Exp<Type>, 1>;
    case Op::kLog:
      return &kRuleOf<Type, Log<Type>, 1>;
    case Op::kTanh:
      return &kRuleOf<Type, Tanh<Type>, 1>;
    case Op::kPow:
      return &kRuleOf<Type, Pow<Type>, 2>;
    default:
      return ArithmeticRule<Type>(op);
  }
}

template <typename Type, bool is_bool = false>
const Rule* WholeRule(ir::Op op) {
  using ir::Op;
  switch (op) {
    case Op::kAnd:
      return &kRuleOf<Type, Bits<Type, Op::kAnd, is_bool>, 2>;
    case Op::kOr:
      return &kRuleOf<Type, Bits<Type, Op::kOr, is_bool>, 2>;
    case Op::kXor:
      return &kRuleOf<Type, Bits<Type, Op::kXor, is_bool>, 2>;
    case Op::kNot:
      return &kRuleOf<Type, Bits<Type, Op::kNot, is_bool>, 1>;
    default:
      return ArithmeticRule<Type>(op);
  }
}

using Int = Whole<ir::Type::kI32, std::int32_t>;

const Rule* FindRule(ir::Op op, ir::Type computes) {
  if (computes == ir::Type::kBool) return WholeRule<Int, true>(op);
  switch (ir::ComputeTypeOf(computes)) {
    case ir::Type::kF64:
      return FloatRule<Double>(op);
    case ir::Type::kF32:
      return FloatRule<Single>(op);
    case ir::Type::kI64:
      return WholeRule<Whole<ir::Type::kI64, std::int64_t>>(op);
    case ir::Type::kU32:
      return WholeRule<Whole<ir::Type::kU32, std::uint32_t>>(op);
    default:
      return WholeRule<Int>(op);
  }
}

template <ir::Type to, bool of_float>
double ConvertRow(const Operands& in, std::int64_t points, double* value, double* error) {
  const Conversion conversion(of_float ? ir::Type::kF64 : ir::Type::kI64, to);
  for (std::int64_t i = 0; i < points; ++i) {
    const double before = in[0].error[i];
    const Conversion::Result result = conversion.Of(in[0].value[i], before);
    const double passed_on = conversion.keeps_errors() ? before : 0;
    value[i] = result.value;
    error[i] = std::isfinite(result.value) ? passed_on + kWhole * Square(result.slack) : 0;
  }
  return 0;
}

template <ir::Type to, bool of_float>
double ConvertRoundings(const double* x) {
  if (ir::IsFloat(to)) return x[0] > 0 ? x[0] + 1 : 0;
  return of_float ? std::max(x[0], 1.0) : x[0];  // It may be anything.
}

template <ir::Type to>
const Rule& ConversionTo(bool of_float) {
  static constexpr Rule kOfFloat = {&ConvertRow<to, true>, &ConvertRoundings<to, true>};
  static constexpr Rule kOfWhole = {&ConvertRow<to, false>, &ConvertRoundings<to, false>};
  return of_float ? kOfFloat : kOfWhole;
}

}  // namespace

const Rule& RuleOf(ir::Op op, ir::Type computes) {
  const Rule* const rule = FindRule(op, computes);
  EXH_CHECK(rule != nullptr);
  return *rule;
}

Conversion::Conversion(ir::Type from, ir::Type to)
    : to_(to),
      of_float_(ir::IsFloat(from)),
      keeps_errors_(ir::IsFloat(to) || (!ir::IsFloat(from) && to != ir::Type::kBool)) {
  if (ir::IsFloat(to)) {
    last_place_ = LastPlaceOf(to);
  } else {
    const ir::TypeInfo& computed = ir::InfoOf(ir::ComputeTypeOf(to));
    lowest_ = computed.lowest - 1;
    largest_ = computed.largest + 1;
  }
}

Conversion::Result Conversion::Of(double value, double error) const {
  const double becomes = Converted(to_, value);
  if (ir::IsFloat(to_)) {
    const double slack = last_place_.relative * std::abs(value) + last_place_.absolute;
    return {becomes, error > 0 ? slack : 0};
  }
  if (to_ == ir::Type::kBool) {
    return {becomes, error > 0 && std::abs(value) <= Reach(error) ? 1.0 : 0.0};
  }
  if (!of_float_) return {becomes, 0};
  if (!(value > lowest_ && value < largest_)) return {becomes, INFINITY};
  if (error == 0) return {becomes, 0};
  const double reach = Reach(error);
  if (!std::isfinite(reach)) return {becomes, INFINITY};
  return {becomes, std::max(std::abs(Converted(to_, value - reach) - becomes),
                            std::abs(Converted(to_, value + reach) - becomes))};
}

const Rule& Conversion::rule() const {
  switch (to_) {
    case ir::Type::kF64:
      return ConversionTo<ir::Type::kF64>(of_float_);
    case ir::Type::kF32:
      return ConversionTo<ir::Type::kF32>(of_float_);
    case ir::Type::kF16:
      return ConversionTo<ir::Type::kF16>(of_float_);
    case ir::Type::kBf16:
      return ConversionTo<ir::Type::kBf16>(of_float_);
    case ir::Type::kI64:
      return ConversionTo<ir::Type::kI64>(of_float_);
    case ir::Type::kI32:
      return ConversionTo<ir::Type::kI32>(of_float_);
    case ir::Type::kU32:
      return ConversionTo<ir::Type::kU32>(of_float_);
    case ir::Type::kI8:
      return ConversionTo<ir::Type::kI8>(of_float_);
    case ir::Type::kBool:
      break;
  }
  return ConversionTo<ir::Type::kBool>(of_float_);
}

double RoundingsAs(const Expression& expression, const Expression::Input& input, double roundings,
                   ir::Type as) {
  if (input.is_number() || expression.Keeps(input, as)) return roundings;
  return Conversion(input.type, as).rule().roundings(&roundings);
}

std::vector<double> RoundingsInARow(const Expression& expression) {
  std::vector<double> all;
  const auto as = [&](const Expression::Input& input, ir::Type type) {
    const double own = input.is_number() ? 0 : all[static_cast<std::size_t>(input.node)];
    return RoundingsAs(expression, input, own, type);
  };
  const auto of = [&](const Expression::Node& node) -> double {
    if (node.op == ir::Op::kLoad || node.op == ir::Op::kIndex) return 0;
    if (node.op == ir::Op::kConst || node.op == ir::Op::kStore) {
      return as(node.inputs.at(0), node.type);
    }
    double operands[kMostOperands] = {};
    EXH_CHECK(node.inputs.size() <= kMostOperands);
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      operands[i] = as(node.inputs[i], Expression::OperandType(node, i));
    }
    if (!node.is_reduction()) return RuleOf(node.op, node.computes).roundings(operands);
    const Reduction reduction(node.op, node.computes);
    const double term = reduction.of_products
                            ? RuleOf(ir::Op::kMul, node.computes).roundings(operands)
                            : operands[0];
    const double init = as(expression.InitOf(node), ir::ComputeTypeOf(node.computes));
    if (reduction.gathering == Gathering::kSmallest || reduction.gathering == Gathering::kLargest) {
      return std::max(init, term);
    }
    const auto terms = static_cast<double>(expression.Points(node.reduced));
    return init + term + (reduction.own == 0 ? 0 : terms);
  };
  for (const Expression::Node& node : expression.nodes) all.push_back(of(node));
  return all;
}

Reduction::Reduction(ir::Op op, ir::Type computes)
    : gathering(op == ir::Op::kMul   ? Gathering::kProduct
                : op == ir::Op::kMin ? Gathering::kSmallest
                : op == ir::Op::kMax ? Gathering::kLargest
                                     : Gathering::kSum),
      of_products(op == ir::Op::kMad),
      own(RoundingSquares(ir::ComputeTypeOf(computes))),
      tiny(ir::ComputeTypeOf(computes) == ir::Type::kF32 ? Single::kTiny : 0) {
  EXH_CHECK(gathering != Gathering::kSum || op == ir::Op::kAdd || op == ir::Op::kMad);
}

Total Total::Nothing(Gathering gathering) {
  switch (gathering) {
    case Gathering::kSum:
      return {-0.0, 0, 0};
    case Gathering::kProduct:
      return {1, 0, 0};
    case Gathering::kSmallest:
      return {std::numeric_limits<double>::infinity(), 0, 0};
    case Gathering::kLargest:
      break;
  }
  return {-std::numeric_limits<double>::infinity(), 0, 0};
}

}  // namespace exh::kernels::derived
