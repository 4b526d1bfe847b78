// SPDX-License-Identifier: MIT
#include "kernels/derived/reference/op_rules.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "base/check.h"
#include "kernels/ir/number.h"

namespace exh::kernels::derived {
namespace {

template <typename Real>
Real Square(Real x) {
  return x * x;
}

/// `Real` is double, or long double, whose squares neither overflow nor vanish.
template <typename Real>
struct PointOf {
  Real value = 0;
  Real error = 0;  ///< E.
  Real sum = 0;    ///< What the absolute values add up to that a rounding is of; 0: of none.
};

// What values are computed in. kSquares: RoundingSquares(); Tiny(): what else a rounding adds to E;
// Held(): what the type makes of values that it cannot hold.

struct Single {
  static constexpr double kSquares = 1;
  static constexpr double kTiny = 0x1p-250;
  /// What is tiny is rounded to multiples of 2^-149: an error of 2^-150 besides those that grow
  /// with the value, as a square in units of u.
  template <typename Real>
  static Real Tiny(Real value) {
    return value != 0 && std::abs(value) < 0x1p-120 ? kTiny : 0;
  }
  static double Held(double value) {
    constexpr double kLargest = 0x1.ffffffp127, kSmallest = 0x1p-150;  // They round to even.
    if (std::abs(value) >= kLargest) return std::copysign(INFINITY, value);
    return std::abs(value) <= kSmallest ? std::copysign(0.0, value) : value;
  }
  // Is that what single precision makes of exact operands? The value is the double next to it.
  static bool Holds(double value) {
    return static_cast<double>(static_cast<float>(value)) == value;
  }
  static bool HoldsSum(double, double, double value) { return Holds(value); }
  static bool HoldsProduct(double, double, double value) { return Holds(value); }
};

struct Double {
  static constexpr double kSquares = 0x1p-56;
  /// The same of multiples of 2^-1074; as a double it is 0.
  static constexpr long double kTiny = 0x1p-2102L;
  template <typename Real>
  static Real Tiny(Real value) {
    return static_cast<Real>(value != 0 && std::abs(value) < 0x1p-1000 ? kTiny : 0);
  }
  static double Held(double value) { return value; }
  // Double precision is that of the reference: what its own operation loses is looked at.
  static bool Holds(double) { return false; }
  static bool HoldsSum(double a, double b, double sum) {
    const double of_b = sum - a;
    return (a - (sum - of_b)) + (b - of_b) == 0;
  }
  static bool HoldsProduct(double a, double b, double product) {
    return std::fma(a, b, -product) == 0;
  }
};

template <ir::Type type, typename Own>
struct Whole {
  static constexpr ir::Type kType = type;
  static constexpr double kSquares = 0;
  template <typename Real>
  static Real Tiny(Real) {
    return 0;
  }
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

/// What a value loses on its way is no error of so much but of this share of it: the whole is the
/// most that may come of it, and few elements have it. Of 26 times it: eight times it is beyond all
/// chance.
constexpr double kSlackShare = 0.3;

/// Do all of them have finite values?
inline bool AreFinite(const PointOf<double>* x, std::size_t count) {
  return std::all_of(x, x + count, [](const auto& of) { return std::isfinite(of.value); });
}
/// Something of a product or a quotient that is not finite errs: may that decide what it is?
inline bool IsProductOpen(const PointOf<double>* x, std::size_t count) {
  return AreFinite(x, count) || std::any_of(x, x + count, [](const auto& of) {
           return ErrsAroundZero(of.value, of.error);
         });
}

// What operations are. Of() and Roundings() all have; some have besides
//   IsExact(x, value)  is the value of operands without errors without one, too?
//   IsOpen(x)          an operand errs, and the value is not finite: may another implementation
//                      come to another one? Others may where they overflow: of finite operands.

template <typename Type>
struct Add {
  template <typename Real>
  static PointOf<Real> Of(const PointOf<Real>* x) {
    const Real value = x[0].value + x[1].value;
    return {value, x[0].error + x[1].error + Type::kSquares * Square(value),
            std::abs(x[0].value) + std::abs(x[1].value)};
  }
  static bool IsExact(const PointOf<double>* x, double value) {
    return Type::HoldsSum(x[0].value, x[1].value, value);
  }
  static double Roundings(const double* x) { return x[0] + x[1] + kOne<Type>; }
};

template <typename Type>
struct Sub {
  template <typename Real>
  static PointOf<Real> Of(const PointOf<Real>* x) {
    const PointOf<Real> terms[] = {x[0], {-x[1].value, x[1].error, 0}};
    return Add<Type>::Of(terms);
  }
  static bool IsExact(const PointOf<double>* x, double value) {
    return Type::HoldsSum(x[0].value, -x[1].value, value);
  }
  static double Roundings(const double* x) { return x[0] + x[1] + kOne<Type>; }
};

template <typename Type>
struct Mul {
  template <typename Real>
  static PointOf<Real> Of(const PointOf<Real>* x) {
    const Real value = x[0].value * x[1].value;
    return {value,
            Square(x[0].value) * x[1].error + Square(x[1].value) * x[0].error +
                Type::kSquares * Square(value) + Type::Tiny(value),
            std::abs(value)};
  }
  static bool IsExact(const PointOf<double>* x, double value) {
    return Type::HoldsProduct(x[0].value, x[1].value, value);
  }
  static bool IsOpen(const PointOf<double>* x) { return IsProductOpen(x, 2); }
  static double Roundings(const double* x) { return x[0] + x[1] + kOne<Type>; }
};

template <typename Type>
struct Div {
  template <typename Real>
  static PointOf<Real> Of(const PointOf<Real>* x) {
    // A quotient of integers has no fraction; by 0 nobody may ask for it.
    if (kIsWhole<Type> && x[1].value == 0) return {};
    const Real quotient = x[0].value / x[1].value;
    const Real value = kIsWhole<Type> ? Type::Held(quotient) : quotient;
    const Real passed_on = (x[0].error + Square(value) * x[1].error) / Square(x[1].value);
    if (kIsWhole<Type>) return {value, passed_on > 0 ? passed_on + kWhole : 0, 0};
    return {value, passed_on + Type::kSquares * Square(value) + Type::Tiny(value), 0};
  }
  static bool IsExact(const PointOf<double>*, double value) { return Type::Holds(value); }
  static bool IsOpen(const PointOf<double>* x) { return IsProductOpen(x, 2); }
  static double Roundings(const double* x) { return x[0] + x[1] + kOne<Type>; }
};

template <typename Type>
struct Mad {
  template <typename Real>
  static PointOf<Real> Of(const PointOf<Real>* x) {
    const PointOf<Real> terms[] = {Mul<Type>::Of(x), x[2]};
    return Add<Type>::Of(terms);
  }
  static bool IsExact(const PointOf<double>* x, double value) {
    const double product = x[0].value * x[1].value;
    return Type::HoldsProduct(x[0].value, x[1].value, product) &&
           Type::HoldsSum(product, x[2].value, value);
  }
  static bool IsOpen(const PointOf<double>* x) { return IsProductOpen(x, 3); }
  static double Roundings(const double* x) {
    const double terms[] = {Mul<Type>::Roundings(x), x[2]};
    return Add<Type>::Roundings(terms);
  }
};

struct Max {
  template <typename Real>
  static PointOf<Real> Of(const PointOf<Real>* x) {
    return {Larger(x[0].value, x[1].value), std::max(x[0].error, x[1].error), 0};
  }
  static double Roundings(const double* x) { return std::max(x[0], x[1]); }
};

struct Min {
  template <typename Real>
  static PointOf<Real> Of(const PointOf<Real>* x) {
    return {Smaller(x[0].value, x[1].value), std::max(x[0].error, x[1].error), 0};
  }
  static double Roundings(const double* x) { return std::max(x[0], x[1]); }
};

struct Neg {
  template <typename Real>
  static PointOf<Real> Of(const PointOf<Real>* x) {
    return {-x[0].value, x[0].error, 0};
  }
  static double Roundings(const double* x) { return x[0]; }
};

struct Abs {
  template <typename Real>
  static PointOf<Real> Of(const PointOf<Real>* x) {
    return {std::abs(x[0].value), x[0].error, 0};
  }
  static double Roundings(const double* x) { return x[0]; }
};

/// f(a) is off by f'(a) times what a is, and by what the library's function is.
template <typename Type>
struct Function {
  template <typename Real>
  static PointOf<Real> Of(Real value, Real slope, const PointOf<Real>& x,
                          double own = kFunctionSquares) {
    const Real passed_on = x.error == 0 ? 0 : Square(slope) * x.error;
    return {value, passed_on + own * Type::kSquares * Square(value) + Type::Tiny(value), 0};
  }
  static double Roundings(const double* x) { return x[0] + 1; }
};

template <typename Type>
struct Sqrt : Function<Type> {
  template <typename Real>
  static PointOf<Real> Of(const PointOf<Real>* x) {
    const Real value = std::sqrt(x[0].value);
    PointOf<Real> root = Function<Type>::Of(value, 0.5 / value, x[0], 1);
    // Near 0 the slope says too much: the root of a is off by no more than the root of what a is.
    const Real most = 0x1p24 * std::sqrt(x[0].error);
    const Real own = Type::kSquares * Square(value);
    if (x[0].error > 0 && !(root.error < most + own)) root.error = most + own;
    return root;
  }
  static bool IsExact(const PointOf<double>*, double value) { return Type::Holds(value); }
};

template <typename Type>
struct Rsqrt : Function<Type> {
  template <typename Real>
  static PointOf<Real> Of(const PointOf<Real>* x) {
    const Real value = 1 / std::sqrt(x[0].value);
    return Function<Type>::Of(value, 0.5 * value / x[0].value, x[0]);
  }
};

template <typename Type>
struct Exp : Function<Type> {
  // Of -infinity it is 0, and counts as nothing: whoever multiplies it by something may as well
  // leave the product out. So it is as open what it times infinity is as it is of exp(-1000).
  template <typename Real>
  static PointOf<Real> Of(const PointOf<Real>* x) {
    const Real value = std::exp(x[0].value);
    PointOf<Real> power = Function<Type>::Of(value, value, x[0]);
    if (value == 0) power.error += static_cast<Real>(Type::kTiny);
    return power;
  }
};

template <typename Type>
struct Log : Function<Type> {
  template <typename Real>
  static PointOf<Real> Of(const PointOf<Real>* x) {
    return Function<Type>::Of(std::log(x[0].value), 1 / x[0].value, x[0]);
  }
};

template <typename Type>
struct Tanh : Function<Type> {
  template <typename Real>
  static PointOf<Real> Of(const PointOf<Real>* x) {
    const Real value = std::tanh(x[0].value);
    return Function<Type>::Of(value, 1 - Square(value), x[0]);
  }
};

template <typename Type>
struct Erf : Function<Type> {
  template <typename Real>
  static PointOf<Real> Of(const PointOf<Real>* x) {
    const Real slope = 2 * std::numbers::inv_sqrtpi_v<Real> * std::exp(-Square(x[0].value));
    return Function<Type>::Of(std::erf(x[0].value), slope, x[0]);
  }
};

/// A power is off by its slopes times what base and exponent are, and by what the library's is.
template <typename Type>
struct Pow {
  template <typename Real>
  static PointOf<Real> Of(const PointOf<Real>* x) {
    const Real base = x[0].value, exponent = x[1].value, value = std::pow(base, exponent);
    Real passed_on = 0;
    if (x[0].error > 0 && exponent != 0) {
      passed_on += Square(exponent * std::pow(base, exponent - 1)) * x[0].error;
    }
    // Of a base that is 0 or less, a power is defined for whole exponents alone.
    if (x[1].error > 0)
      passed_on += base > 0 ? Square(value * std::log(base)) * x[1].error : INFINITY;
    return {value, passed_on + kPowerSquares * Type::kSquares * Square(value) + Type::Tiny(value),
            0};
  }
  static bool IsOpen(const PointOf<double>*) { return true; }
  static double Roundings(const double* x) { return x[0] + x[1] + 1; }
};

/// Where a and b are as near as their errors, the comparison may come out either way.
template <typename Real>
Real Uncertain(const PointOf<Real>& a, const PointOf<Real>& b) {
  const Real errors = a.error + b.error;
  const bool is_near = std::abs(a.value - b.value) <= Reach(errors) || std::isinf(errors);
  return errors > 0 && is_near ? kWhole : 0;
}

template <ir::Op op>
struct Comparison {
  template <typename Real>
  static PointOf<Real> Of(const PointOf<Real>* x) {
    const bool holds = op == ir::Op::kLess ? x[0].value < x[1].value : x[0].value == x[1].value;
    return {holds ? 1.0 : 0.0, Uncertain(x[0], x[1]), 0};
  }
  static double Roundings(const double* x) { return std::max(x[0], x[1]); }
};

struct Select {
  template <typename Real>
  static PointOf<Real> Of(const PointOf<Real>* x) {
    const PointOf<Real>& chosen = x[0].value != 0 ? x[1] : x[2];
    if (x[0].error == 0) return {chosen.value, chosen.error, 0};
    const Real apart = kWhole * Square(x[1].value - x[2].value);
    return {chosen.value, std::max({x[1].error, x[2].error, apart}), 0};
  }
  static bool IsOpen(const PointOf<double>* x) {
    return x[0].error > 0 || std::isinf((x[0].value != 0 ? x[1] : x[2]).error);
  }
  static double Roundings(const double* x) { return std::max({x[0], x[1], x[2]}); }
};

/// What works on bits. An error of an integer may change any of them.
template <typename Type, ir::Op op, bool is_bool>
struct Bits {
  template <typename Real>
  static PointOf<Real> Of(const PointOf<Real>* x) {
    const bool is_not = op == ir::Op::kNot;
    const bool errs = x[0].error > 0 || (!is_not && x[1].error > 0);
    const double unknown = is_bool ? kWhole : INFINITY;
    return {0, errs ? unknown : 0, 0};  // The value is that of WholeRowOf().
  }
  static double Roundings(const double* x) {
    return op == ir::Op::kNot ? x[0] : std::max(x[0], x[1]);
  }
};

/// Are there no errors in what the operation makes of operands without any?
template <typename Operation>
bool IsExact(const PointOf<double>* x, double value) {
  if constexpr (requires { Operation::IsExact(x, value); }) return Operation::IsExact(x, value);
  return false;
}

/// The errors of a value that is not finite: infinite where roundings decide what it is.
template <typename Operation, std::size_t count>
double ErrorOfNone(const PointOf<double>* x) {
  bool errs = false;
  for (std::size_t j = 0; j < count; ++j) {
    errs |= x[j].error > 0;
    // It goes on from what is not known.
    const bool picks = std::is_same_v<Operation, Select>;
    if (!picks && std::isinf(x[j].error) && !std::isfinite(x[j].value)) return INFINITY;
  }
  if (!errs) return 0;
  if constexpr (requires { Operation::IsOpen(x); }) return Operation::IsOpen(x) ? INFINITY : 0;
  return AreFinite(x, count) ? INFINITY : 0;
}

/// Returns the largest sum.
template <typename Type, typename Operation, std::size_t count>
double RowOf(const Operands& in, std::int64_t points, double* value, double* error) {
  double largest = 0;
  for (std::int64_t i = 0; i < points; ++i) {
    PointOf<double> x[count];
    double errors = 0;
    for (std::size_t j = 0; j < count; ++j) {
      x[j] = {in[j].value[i], in[j].error[i], 0};
      errors += x[j].error;
    }
    PointOf<double> y = Operation::Of(x);
    // What vanishes is not exact: a compiler may add it before it does, and then a 0 has its sign.
    const double before = y.value;
    y.value = Type::Held(y.value);
    value[i] = y.value;
    if (!std::isfinite(y.value)) {
      error[i] = ErrorOfNone<Operation, count>(x);
      continue;
    }
    if (errors == 0 && IsExact<Operation>(x, before)) y.error = 0;
    error[i] = std::isnan(y.error) ? INFINITY : y.error;
    largest = std::max(largest, y.sum);
  }
  return largest;
}

/// The same in f64, whose slots have the roots of E: the squares of a double that is small or large
/// are none. Where they would not do, errors are computed with more of a range; values are not.
/// A comparison yields a bool, whose slots have E.
template <ir::Op op, typename Operation, std::size_t count>
double RootRowOf(const Operands& in, std::int64_t points, double* value, double* error) {
  constexpr double kLeast = 0x1p-900, kMost = 0x1p900;
  constexpr bool kCompares = op == ir::Op::kLess || op == ir::Op::kEqual;
  constexpr double kNoRoundings[kMostOperands] = {};
  const bool rounds = Operation::Roundings(kNoRoundings) > 0;
  double largest = 0;
  for (std::int64_t i = 0; i < points; ++i) {
    PointOf<double> x[count];
    bool errs = false, is_small = true;
    for (std::size_t j = 0; j < count; ++j) {
      const double root = in[j].error[i];
      x[j] = {in[j].value[i], root * root, 0};
      errs |= root > 0;
      is_small &= x[j].error <= kMost && (root == 0 || x[j].error >= kLeast);
    }
    const PointOf<double> y = Operation::Of(x);
    value[i] = y.value;
    const bool is_finite = std::isfinite(y.value);
    largest = is_finite && y.sum > largest ? y.sum : largest;
    const bool is_exact =
        !errs && ((y.error == 0 && (y.value == 0 || !rounds)) || IsExact<Operation>(x, y.value));
    const bool is_there = is_small && y.error >= kLeast && y.error <= kMost;
    if (!is_finite) {
      error[i] = ErrorOfNone<Operation, count>(x);
    } else if (is_exact) {
      error[i] = 0;
    } else if (kCompares) {
      error[i] = y.error;
    } else if (is_there) {
      error[i] = std::sqrt(y.error);
    } else {
      PointOf<long double> wide[count];
      for (std::size_t j = 0; j < count; ++j) {
        const long double root = in[j].error[i];
        wide[j] = {in[j].value[i], root * root, 0};
      }
      const long double squares = Operation::Of(wide).error;
      error[i] = std::isnan(squares) ? INFINITY : static_cast<double>(std::sqrt(squares));
    }
  }
  return largest;
}

/// The same of integers and bools. Errors are those of doubles; values are exact, and wrap around.
/// The condition of a kSelect has any type, and is no i64 (reference.cc).
template <ir::Type type, ir::Op op, typename Operation, std::size_t count>
double WholeRowOf(const Operands& in, std::int64_t points, double* value, double* error) {
  constexpr bool kCompares = op == ir::Op::kLess || op == ir::Op::kEqual;
  double largest = 0;
  for (std::int64_t i = 0; i < points; ++i) {
    PointOf<double> x[count];
    std::int64_t whole[3] = {};
    for (std::size_t j = 0; j < count; ++j) {
      const double slot = in[j].value[i];
      const bool is_condition = op == ir::Op::kSelect && j == 0;
      whole[j] = is_condition ? (slot != 0 ? 1 : 0) : WholeOfSlot(type, slot);
      x[j] = {is_condition ? slot : static_cast<double>(whole[j]), in[j].error[i], 0};
    }
    const PointOf<double> y = Operation::Of(x);
    const std::int64_t result = ir::EvaluateWhole(op, type, whole[0], whole[1], whole[2]);
    value[i] = kCompares ? static_cast<double>(result) : SlotOfWhole(type, result);
    error[i] = std::isnan(y.error) ? INFINITY : y.error;
    largest = y.sum > largest ? y.sum : largest;
  }
  return largest;
}

/// Of an operation in a type that computes: `Type` is one of those above.
template <typename Type, ir::Op op, typename Operation, std::size_t count>
constexpr Rule MakeRule() {
  if constexpr (kIsWhole<Type>) {
    return {&WholeRowOf<Type::kType, op, Operation, count>, &Operation::Roundings};
  } else if constexpr (std::is_same_v<Type, Double>) {
    return {&RootRowOf<op, Operation, count>, &Operation::Roundings};
  } else {
    return {&RowOf<Type, Operation, count>, &Operation::Roundings};
  }
}
template <typename Type, ir::Op op, typename Operation, std::size_t count>
constexpr Rule kRuleOf = MakeRule<Type, op, Operation, count>();

/// Of what floats and integers have.
template <typename Type>
const Rule* ArithmeticRule(ir::Op op) {
  using ir::Op;
  switch (op) {
    case Op::kAdd:
      return &kRuleOf<Type, Op::kAdd, Add<Type>, 2>;
    case Op::kSub:
      return &kRuleOf<Type, Op::kSub, Sub<Type>, 2>;
    case Op::kMul:
      return &kRuleOf<Type, Op::kMul, Mul<Type>, 2>;
    case Op::kDiv:
      return &kRuleOf<Type, Op::kDiv, Div<Type>, 2>;
    case Op::kMin:
      return &kRuleOf<Type, Op::kMin, Min, 2>;
    case Op::kMax:
      return &kRuleOf<Type, Op::kMax, Max, 2>;
    case Op::kMad:
      return &kRuleOf<Type, Op::kMad, Mad<Type>, 3>;
    case Op::kNeg:
      return &kRuleOf<Type, Op::kNeg, Neg, 1>;
    case Op::kAbs:
      return &kRuleOf<Type, Op::kAbs, Abs, 1>;
    case Op::kLess:
      return &kRuleOf<Type, Op::kLess, Comparison<Op::kLess>, 2>;
    case Op::kEqual:
      return &kRuleOf<Type, Op::kEqual, Comparison<Op::kEqual>, 2>;
    case Op::kSelect:
      return &kRuleOf<Type, Op::kSelect, Select, 3>;
    default:
      return nullptr;
  }
}

template <typename Type>
const Rule* FloatRule(ir::Op op) {
  using ir::Op;
  switch (op) {
    case Op::kSqrt:
      return &kRuleOf<Type, Op::kSqrt, Sqrt<Type>, 1>;
    case Op::kRsqrt:
      return &kRuleOf<Type, Op::kRsqrt, Rsqrt<Type>, 1>;
    case Op::kExp:
      return &kRuleOf<Type, Op::kExp, Exp<Type>, 1>;
    case Op::kLog:
      return &kRuleOf<Type, Op::kLog, Log<Type>, 1>;
    case Op::kTanh:
      return &kRuleOf<Type, Op::kTanh, Tanh<Type>, 1>;
    case Op::kErf:
      return &kRuleOf<Type, Op::kErf, Erf<Type>, 1>;
    case Op::kPow:
      return &kRuleOf<Type, Op::kPow, Pow<Type>, 2>;
    default:
      return ArithmeticRule<Type>(op);
  }
}

template <typename Type, bool is_bool = false>
const Rule* WholeRule(ir::Op op) {
  using ir::Op;
  switch (op) {
    case Op::kAnd:
      return &kRuleOf<Type, Op::kAnd, Bits<Type, Op::kAnd, is_bool>, 2>;
    case Op::kOr:
      return &kRuleOf<Type, Op::kOr, Bits<Type, Op::kOr, is_bool>, 2>;
    case Op::kXor:
      return &kRuleOf<Type, Op::kXor, Bits<Type, Op::kXor, is_bool>, 2>;
    case Op::kNot:
      return &kRuleOf<Type, Op::kNot, Bits<Type, Op::kNot, is_bool>, 1>;
    default:
      return ArithmeticRule<Type>(op);
  }
}

using Int = Whole<ir::Type::kI32, std::int32_t>;

const Rule* FindRule(ir::Op op, ir::Type computes) {
  if (computes == ir::Type::kBool) {
    // What works on bits yields bools, and what is added up an i32.
    const bool has_bits = ir::InfoOf(op).takes == ir::Takes::kIntegers;
    if (has_bits) return WholeRule<Whole<ir::Type::kBool, std::uint8_t>, true>(op);
    return WholeRule<Int, true>(op);
  }
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

/// What a value comes from: a float, an f64, an integer that slots have as a double, or an i64.
enum class From : std::uint8_t { kFloat, kDouble, kInteger, kWide };

/// Of an integer, in one rounding.
double ConvertedWhole(ir::Type to, std::int64_t whole) {
  switch (to) {
    case ir::Type::kF64:
      return static_cast<double>(whole);
    case ir::Type::kF32:
    case ir::Type::kF16:
    case ir::Type::kBf16:
    case ir::Type::kF8E4M3:
    case ir::Type::kF8E5M2:
      return ir::Rounded(to, static_cast<double>(static_cast<float>(whole)));
    default:
      return ir::Rounded(to, ir::Number(whole));
  }
}

template <ir::Type to, From from>
double ConvertRow(const Operands& in, std::int64_t points, double* value, double* error) {
  constexpr bool kIsWide = to == ir::Type::kI64;
  constexpr bool kOfFloat = from == From::kFloat || from == From::kDouble;
  const Conversion conversion(kOfFloat ? ir::Type::kF64 : ir::Type::kI64, to);
  for (std::int64_t i = 0; i < points; ++i) {
    const double slot = in[0].value[i];
    const double before = from == From::kDouble ? Square(in[0].error[i]) : in[0].error[i];
    const std::int64_t whole = from == From::kWide ? WholeOfSlot(ir::Type::kI64, slot) : 0;
    Conversion::Result result =
        conversion.Of(from == From::kWide ? static_cast<double>(whole) : slot, before);
    if (from == From::kWide) result.value = ConvertedWhole(to, whole);
    error[i] = conversion.ErrorOf(slot, before, result);
    if (to == ir::Type::kF64) error[i] = std::sqrt(error[i]);
    value[i] =
        !kIsWide ? result.value
                 : SlotOfWhole(to, from == From::kWide ? whole : ir::Number(result.value).whole());
  }
  return 0;
}

template <ir::Type to, From from>
double ConvertRoundings(const double* x) {
  if (ir::IsFloat(to)) return x[0] > 0 ? x[0] + 1 : 0;
  // It may be anything.
  return from == From::kFloat || from == From::kDouble ? std::max(x[0], 1.0) : x[0];
}

template <ir::Type to>
const Rule& ConversionTo(ir::Type from) {
  static constexpr Rule kOfFloat = {&ConvertRow<to, From::kFloat>,
                                    &ConvertRoundings<to, From::kFloat>};
  static constexpr Rule kOfWhole = {&ConvertRow<to, From::kInteger>,
                                    &ConvertRoundings<to, From::kInteger>};
  static constexpr Rule kOfWide = {&ConvertRow<to, From::kWide>,
                                   &ConvertRoundings<to, From::kWide>};
  static constexpr Rule kOfDouble = {&ConvertRow<to, From::kDouble>,
                                     &ConvertRoundings<to, From::kDouble>};
  if (from == ir::Type::kF64) return kOfDouble;
  if (ir::IsFloat(from)) return kOfFloat;
  return from == ir::Type::kI64 ? kOfWide : kOfWhole;
}

}  // namespace

const Rule& RuleOf(ir::Op op, ir::Type computes) {
  const Rule* const rule = FindRule(op, computes);
  EXH_CHECK(rule != nullptr);
  return *rule;
}

Conversion::Conversion(ir::Type from, ir::Type to)
    : from_(from),
      to_(to),
      of_float_(ir::IsFloat(from)),
      keeps_errors_(ir::IsFloat(to) || (!ir::IsFloat(from) && to != ir::Type::kBool)) {
  if (ir::IsFloat(to)) {
    last_place_ = LastPlaceOf(to);
    largest_ = ir::InfoOf(to).largest;
  } else {
    const ir::TypeInfo& computed = ir::InfoOf(ir::ComputeTypeOf(to));
    lowest_ = computed.lowest - 1;
    largest_ = computed.largest + 1;
  }
}

Conversion::Result Conversion::Of(double value, double error) const {
  const double becomes = Converted(to_, value);
  if (ir::IsFloat(to_)) {
    const double size =
        std::isfinite(becomes) ? std::min(std::abs(value), largest_) : std::abs(value);
    const double slack = last_place_.relative * size + last_place_.absolute;
    return {becomes, error > 0 ? slack : 0};
  }
  if (to_ == ir::Type::kBool) {
    const bool is_near = std::abs(value) <= Reach(error) || std::isinf(error);
    return {becomes, error > 0 && is_near ? 1.0 : 0.0};
  }
  if (!of_float_) return {becomes, 0};
  if (!(value > lowest_ && value < largest_)) return {becomes, INFINITY};
  if (error == 0) return {becomes, 0};
  const double reach = Reach(error);
  if (!std::isfinite(reach)) return {becomes, INFINITY};
  return {becomes, std::max(std::abs(Converted(to_, value - reach) - becomes),
                            std::abs(Converted(to_, value + reach) - becomes))};
}

double Conversion::ErrorOf(double value, double error, const Result& result) const {
  if (!std::isfinite(result.value)) {
    const bool is_open = error > 0 && (std::isfinite(value) || std::isinf(error));
    return is_open ? INFINITY : 0;
  }
  if (!keeps_errors_) return kWhole * Square(result.slack);
  return error + kWhole * Square(kSlackShare * result.slack);
}

const Rule& Conversion::rule() const {
  switch (to_) {
    case ir::Type::kF64:
      return ConversionTo<ir::Type::kF64>(from_);
    case ir::Type::kF32:
      return ConversionTo<ir::Type::kF32>(from_);
    case ir::Type::kF16:
      return ConversionTo<ir::Type::kF16>(from_);
    case ir::Type::kBf16:
      return ConversionTo<ir::Type::kBf16>(from_);
    case ir::Type::kF8E4M3:
      return ConversionTo<ir::Type::kF8E4M3>(from_);
    case ir::Type::kF8E5M2:
      return ConversionTo<ir::Type::kF8E5M2>(from_);
    case ir::Type::kI64:
      return ConversionTo<ir::Type::kI64>(from_);
    case ir::Type::kI32:
      return ConversionTo<ir::Type::kI32>(from_);
    case ir::Type::kU32:
      return ConversionTo<ir::Type::kU32>(from_);
    case ir::Type::kI8:
      return ConversionTo<ir::Type::kI8>(from_);
    case ir::Type::kBool:
      break;
  }
  return ConversionTo<ir::Type::kBool>(from_);
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
    if (node.store >= 0) return all[static_cast<std::size_t>(node.store)];
    if (node.op == ir::Op::kLoad || node.op == ir::Op::kIndex) return 0;
    if (node.op == ir::Op::kConst || node.op == ir::Op::kStore) {
      return as(node.inputs.at(0), node.type);
    }
    double operands[kMostOperands] = {};
    EXH_CHECK(node.inputs.size() <= kMostOperands);
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      operands[i] = as(node.inputs[i], Expression::OperandType(node, i));
    }
    if (!node.accumulates()) return RuleOf(node.op, node.computes).roundings(operands);
    const Reduction reduction(node.op, node.computes);
    const double term = reduction.of_products
                            ? RuleOf(ir::Op::kMul, node.computes).roundings(operands)
                            : operands[0];
    const double init = as(expression.InitOf(node), ir::ComputeTypeOf(node.computes));
    if (reduction.picks()) return std::max(init, term);
    return init + term + (reduction.own == 0 ? 0 : expression.Steps(node));
  };
  for (const Expression::Node& node : expression.nodes) all.push_back(of(node));
  return all;
}

Reduction::Reduction(ir::Op op, ir::Type computes, bool adds_short)
    : gathering(op == ir::Op::kMul   ? Gathering::kProduct
                : op == ir::Op::kMin ? Gathering::kSmallest
                : op == ir::Op::kMax ? Gathering::kLargest
                                     : Gathering::kSum),
      of_products(op == ir::Op::kMad),
      type(ir::ComputeTypeOf(computes)),
      is_whole(!ir::IsFloat(type)),
      own(RoundingSquares(ir::ComputeTypeOf(computes))),
      tiny(type == ir::Type::kF32   ? Single::kTiny
           : type == ir::Type::kF64 ? Double::kTiny
                                    : 0),
      is_short(adds_short) {
  EXH_CHECK(gathering != Gathering::kSum || op == ir::Op::kAdd || op == ir::Op::kMad);
}

}  // namespace exh::kernels::derived
