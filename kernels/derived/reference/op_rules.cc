// SPDX-License-Identifier: MIT
#include "kernels/derived/reference/op_rules.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/check.h"
#include "kernels/derived/tolerance.h"

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

/// Single precision rounds what is tiny to multiples of 2^-149: an error of 2^-150 besides those
/// that grow with the value, as a square in units of u.
double Tiny(double value) {
  return value != 0 && std::abs(value) < 0x1p-120 ? 0x1p-250 : 0;
}

/// By how many units u a function of the libraries may be off, squared: two units in the last
/// place.
constexpr double kFunctionSquares = 16;

struct Add {
  static Point Of(const Point* x) {
    const double value = x[0].value + x[1].value;
    return {value, x[0].error + x[1].error + Square(value),
            std::abs(x[0].value) + std::abs(x[1].value)};
  }
  static double Roundings(const double* x) { return x[0] + x[1] + 1; }
};

struct Sub {
  static Point Of(const Point* x) {
    const Point terms[] = {x[0], {-x[1].value, x[1].error, 0}};
    return Add::Of(terms);
  }
  static double Roundings(const double* x) { return x[0] + x[1] + 1; }
};

struct Mul {
  static Point Of(const Point* x) {
    const double value = x[0].value * x[1].value;
    return {value,
            Square(x[0].value) * x[1].error + Square(x[1].value) * x[0].error + Square(value) +
                Tiny(value),
            std::abs(value)};
  }
  static double Roundings(const double* x) { return x[0] + x[1] + 1; }
};

struct Div {
  static Point Of(const Point* x) {
    const double value = x[0].value / x[1].value;
    return {value,
            (x[0].error + Square(value) * x[1].error) / Square(x[1].value) + Square(value) +
                Tiny(value),
            0};
  }
  static double Roundings(const double* x) { return x[0] + x[1] + 1; }
};

struct Mad {
  static Point Of(const Point* x) {
    const Point terms[] = {Mul::Of(x), x[2]};
    return Add::Of(terms);
  }
  static double Roundings(const double* x) {
    const double terms[] = {Mul::Roundings(x), x[2]};
    return Add::Roundings(terms);
  }
};

struct Max {
  static Point Of(const Point* x) {
    return {x[0].value > x[1].value ? x[0].value : x[1].value, std::max(x[0].error, x[1].error), 0};
  }
  static double Roundings(const double* x) { return std::max(x[0], x[1]); }
};

struct Min {
  static Point Of(const Point* x) {
    return {x[0].value < x[1].value ? x[0].value : x[1].value, std::max(x[0].error, x[1].error), 0};
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
struct Function {
  static Point Of(double value, double slope, const Point& x, double own = kFunctionSquares) {
    const double passed_on = x.error == 0 ? 0 : Square(slope) * x.error;
    return {value, passed_on + own * Square(value) + Tiny(value), 0};
  }
  static double Roundings(const double* x) { return x[0] + 1; }
};

struct Sqrt : Function {
  static Point Of(const Point* x) {
    const double value = std::sqrt(x[0].value);
    Point root = Function::Of(value, 0.5 / value, x[0], 1);
    // Near 0 the slope says too much: the root of a is off by no more than the root of what a is.
    const double most = 0x1p24 * std::sqrt(x[0].error);
    if (x[0].error > 0 && !(root.error < most + Square(value))) root.error = most + Square(value);
    return root;
  }
};

struct Rsqrt : Function {
  static Point Of(const Point* x) {
    const double value = 1 / std::sqrt(x[0].value);
    return Function::Of(value, 0.5 * value / x[0].value, x[0]);
  }
};

struct Exp : Function {
  static Point Of(const Point* x) {
    const double value = std::exp(x[0].value);
    return Function::Of(value, value, x[0]);
  }
};

struct Log : Function {
  static Point Of(const Point* x) {
    return Function::Of(std::log(x[0].value), 1 / x[0].value, x[0]);
  }
};

struct Tanh : Function {
  static Point Of(const Point* x) {
    const double value = std::tanh(x[0].value);
    return Function::Of(value, 1 - Square(value), x[0]);
  }
};

/// Where a and b are as near as their errors, the comparison may come out either way.
double Uncertain(const Point& a, const Point& b) {
  constexpr double kFactor = 26;  // kErrorFactor of tolerance.h.
  const double errors = a.error + b.error;
  const bool is_near = std::abs(a.value - b.value) <= kFactor * 0x1p-24 * std::sqrt(errors);
  return errors > 0 && is_near ? 0x1p48 : 0;
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
    const double apart = 0x1p48 * Square(x[1].value - x[2].value);
    return {chosen.value, std::max({x[1].error, x[2].error, apart}), 0};
  }
  static double Roundings(const double* x) { return std::max({x[0], x[1], x[2]}); }
};

/// What single precision makes of values that it cannot hold.
double AsHeld(double value) {
  constexpr double kLargest = 0x1.ffffffp127, kSmallest = 0x1p-150;  // They round to even.
  if (std::abs(value) >= kLargest) return std::copysign(INFINITY, value);
  return std::abs(value) <= kSmallest ? std::copysign(0.0, value) : value;
}

/// Returns the largest sum.
template <typename Operation, std::size_t count>
double RowOf(const Operands& in, std::int64_t points, double* value, double* error) {
  double largest = 0;
  for (std::int64_t i = 0; i < points; ++i) {
    Point x[count];
    for (std::size_t j = 0; j < count; ++j) x[j] = {in[j].value[i], in[j].error[i], 0};
    Point y = Operation::Of(x);
    y.value = AsHeld(y.value);
    const bool is_finite = std::isfinite(y.value);
    value[i] = y.value;
    error[i] = !is_finite ? 0 : std::isnan(y.error) ? INFINITY : y.error;
    largest = is_finite && y.sum > largest ? y.sum : largest;
  }
  return largest;
}

template <typename Operation, std::size_t count>
constexpr Rule kRuleOf = {&RowOf<Operation, count>, &Operation::Roundings};

}  // namespace

const Rule& RuleOf(ir::Op op) {
  using ir::Op;
  switch (op) {
    case Op::kAdd:
      return kRuleOf<Add, 2>;
    case Op::kSub:
      return kRuleOf<Sub, 2>;
    case Op::kMul:
      return kRuleOf<Mul, 2>;
    case Op::kDiv:
      return kRuleOf<Div, 2>;
    case Op::kMin:
      return kRuleOf<Min, 2>;
    case Op::kMax:
      return kRuleOf<Max, 2>;
    case Op::kMad:
      return kRuleOf<Mad, 3>;
    case Op::kNeg:
      return kRuleOf<Neg, 1>;
    case Op::kAbs:
      return kRuleOf<Abs, 1>;
    case Op::kSqrt:
      return kRuleOf<Sqrt, 1>;
    case Op::kRsqrt:
      return kRuleOf<Rsqrt, 1>;
    case Op::kExp:
      return kRuleOf<Exp, 1>;
    case Op::kLog:
      return kRuleOf<Log, 1>;
    case Op::kTanh:
      return kRuleOf<Tanh, 1>;
    case Op::kLess:
      return kRuleOf<Less, 2>;
    case Op::kEqual:
      return kRuleOf<Equal, 2>;
    case Op::kSelect:
      return kRuleOf<Select, 3>;
    default:
      EXH_UNREACHABLE();
  }
}

bool PassesOn(ir::Op op) {
  return op == ir::Op::kConst || op == ir::Op::kStore;
}

Reduction::Reduction(ir::Op op)
    : gathering(op == ir::Op::kMul   ? Gathering::kProduct
                : op == ir::Op::kMin ? Gathering::kSmallest
                : op == ir::Op::kMax ? Gathering::kLargest
                                     : Gathering::kSum),
      of_products(op == ir::Op::kMad) {
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
