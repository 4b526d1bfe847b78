// SPDX-License-Identifier: MIT
//
// An oracle: statements point by point, in rows along the innermost iterator, an operator at a
// time. Values and their errors E follow the rules of kernels/derived/reference (op_rules.h): E
// sums up the squares of the roundings, in units of 2^-24. What becomes a narrow type is rounded;
// the slack of that is added to the tolerance, and counts as an error of what is computed from it:
// not as an error of so much but of kSlackShare of it, for the whole of it is the most that may
// come of it, and few elements have it.
//
// Nothing is rounded where an operation on exact numbers yields one that its type holds, and where
// the terms of a sum are multiples of one number and so few of it that every partial sum is one
// that the type holds. So much of what is computed of whole numbers and of halves has no errors.
#include "tests/kernels/fused/statement_oracle.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "base/check.h"
#include "kernels/derived/reference/op_rules.h"
#include "kernels/derived/tolerance.h"
#include "kernels/ir/ops.h"

namespace exh::kernels::fused::testing {
namespace {

using derived::Conversion;
using ir::Op;
using ir::Type;
using Point = std::vector<std::int64_t>;

constexpr std::int64_t kRow = 512;
constexpr double kUnit = 0x1p-24;
/// An error of 1, as a square in units of 2^-24.
constexpr double kWhole = 0x1p48;

std::size_t At(std::int64_t i) {
  return static_cast<std::size_t>(i);
}

/// Of 26 times it: eight times it is beyond all chance, and one conversion is tolerated whole.
constexpr double kSlackShare = 0.3;

/// A tensor while statements run.
struct Cells {
  std::vector<double> values, errors, tolerance;
  double roundings = 0;  ///< In a row, on the way to any of them.
  /// So many elements err on their own; others err as one of them does.
  double independent = std::numeric_limits<double>::infinity();
  bool is_known = true;
};

/// Is the operator's value of exact operands what its type makes of it? `value` is what it is in
/// double precision.
bool IsExact(Op op, Type computes, double a, double b, double c, double value) {
  if (!std::isfinite(value)) return false;
  if (ir::ComputeTypeOf(computes) == Type::kF32) {
    const auto holds = [](double x) { return ir::Rounded(Type::kF32, x) == x; };
    switch (op) {
      case Op::kAdd:
      case Op::kSub:
      case Op::kMul:
      case Op::kDiv:
      case Op::kSqrt:
        return holds(value);
      case Op::kMad:
        return holds(a * b) && holds(value);
      default:
        return false;
    }
  }
  // Double precision is that of the reference: what its own operation loses is looked at.
  const auto adds = [](double x, double y) {
    const double sum = x + y, of_y = sum - x;
    return (x - (sum - of_y)) + (y - of_y) == 0;
  };
  switch (op) {
    case Op::kAdd:
      return adds(a, b);
    case Op::kSub:
      return adds(a, -b);
    case Op::kMul:
      return std::fma(a, b, -value) == 0;
    case Op::kMad:
      return std::fma(a, b, -(a * b)) == 0 && adds(a * b, c);
    default:
      return false;
  }
}

/// Whether a sum or a product is exact in whatever order its terms are taken.
class ExactTotal {
 public:
  ExactTotal(derived::Gathering gathering, Type computes)
      : multiplies_(gathering == derived::Gathering::kProduct),
        may_be_(ir::IsFloat(computes)),
        limit_(std::ldexp(1, ir::InfoOf(ir::ComputeTypeOf(computes)).bits)) {}

  void Take(double value, double error) {
    if (!may_be_) return;
    if (error != 0 || !std::isfinite(value)) {
      may_be_ = false;
    } else if (multiplies_) {
      total_ *= std::max(1.0, std::abs(value));
      may_be_ = value == std::trunc(value) && total_ < limit_;
    } else if (value != 0) {
      unit_ = std::min(unit_, LowestBit(value));
      total_ += std::abs(value);
      may_be_ = total_ <= limit_ * unit_;
    }
  }
  bool is_exact() const { return may_be_; }

 private:
  /// The largest power of two that a number is a multiple of.
  static double LowestBit(double value) {
    constexpr int kBits = std::numeric_limits<double>::digits;
    int exponent = 0;
    const auto bits = static_cast<std::int64_t>(std::ldexp(std::frexp(value, &exponent), kBits));
    return std::ldexp(static_cast<double>(bits & -bits), exponent - kBits);
  }

  const bool multiplies_;
  bool may_be_;
  const double limit_;  ///< Whole numbers up to it are held.
  double unit_ = std::numeric_limits<double>::infinity();
  double total_ = multiplies_ ? 1 : 0;
};

/// A row of a step's values.
struct Row {
  std::vector<double> values = std::vector<double>(At(kRow));
  std::vector<double> errors = std::vector<double>(At(kRow));
};

class StatementRun {
 public:
  StatementRun(const StatementList& list, const Statement& statement, std::vector<Cells>& cells)
      : list_(list),
        statement_(statement),
        cells_(cells),
        rows_(statement.steps.size()),
        unrounded_(statement.steps.size()),
        target_(cells[At(statement.write.tensor)]),
        type_(list.tensor(statement.write.tensor).type) {
    for (const Step& step : statement.steps) {
      roundings_.push_back(Roundings(step));
      places_.push_back(Places(step));
    }
  }

  void Run() {
    point_.assign(statement_.iterators.size(), 0);
    for (const Access& read : statement_.reads) {
      target_.is_known = target_.is_known && cells_[At(read.tensor)].is_known;
    }
    target_.independent = std::min(target_.independent, Independent());
    if (statement_.reduces) {
      Reduce();
    } else {
      ForPoints(0, statement_.iterators.size(), [&](std::int64_t points) { WriteRow(points); });
    }
  }

 private:
  // ---- points ----

  /// Calls `visit` with each row of the iterators from `first` to `last`, at whose beginning
  /// `point_` is, and with its length.
  template <typename Visit>
  void ForPoints(std::size_t first, std::size_t last, const Visit& visit) {
    if (first == last) return visit(1);
    const std::int64_t extent = statement_.iterators[last - 1].extent;
    for (std::size_t i = first; i < last; ++i) point_[i] = 0;
    while (true) {
      for (std::int64_t begin = 0; begin < extent; begin += kRow) {
        point_[last - 1] = begin;
        visit(std::min(kRow, extent - begin));
      }
      point_[last - 1] = 0;
      std::size_t i = last - 1;
      while (i > first && ++point_[i - 1] == statement_.iterators[i - 1].extent) point_[--i] = 0;
      if (i == first) return;
    }
  }

  /// The element of an access at a point; -1: it leaves the tensor.
  std::int64_t Element(const Access& access) const {
    const std::vector<std::int64_t>& shape = list_.tensor(access.tensor).shape;
    std::int64_t element = 0;
    for (std::size_t i = 0; i < shape.size(); ++i) {
      const std::int64_t index = access.rows[i].At(point_);
      const bool is_inside = index >= 0 && index < shape[i];
      if (!is_inside && access.is_guarded) return -1;
      EXH_CHECK(is_inside);
      element = element * shape[i] + index;
    }
    return element;
  }

  /// Calls `visit` with each place in the row and the element of the access there.
  template <typename Visit>
  void ForElements(const Access& access, std::int64_t points, const Visit& visit) {
    if (points == 1) return visit(0, Element(access));
    if (access.is_affine() && !access.is_guarded) {
      const std::int64_t first = Element(access);
      ++point_.back();
      const std::int64_t step = Element(access) - first;
      --point_.back();
      for (std::int64_t i = 0; i < points; ++i) visit(i, first + i * step);
      return;
    }
    const std::int64_t begin = point_.back();
    for (std::int64_t i = 0; i < points; ++i) {
      point_.back() = begin + i;
      visit(i, Element(access));
    }
    point_.back() = begin;
  }

  // ---- steps ----

  const Step& step(int index) const { return statement_.steps[At(index)]; }

  double Roundings(const Step& of) const {
    if (of.what == Step::What::kRead) {
      return cells_[At(statement_.reads[At(of.read)].tensor)].roundings;
    }
    if (of.what != Step::What::kCompute) return 0;
    double operands[derived::kMostOperands] = {};
    for (std::size_t i = 0; i < of.operands.size(); ++i)
      operands[i] = roundings_[At(of.operands[i])];
    if (of.op == Op::kConst) return CastRule(of).roundings(operands);
    const double own = derived::RuleOf(of.op, of.computes).roundings(operands);
    return Narrows(of) ? Narrowing(of).rule().roundings(&own) : own;
  }

  const derived::Rule& CastRule(const Step& of) const {
    return Conversion(step(of.operands[0]).type, of.type).rule();
  }

  /// The iterators that a step's value depends on.
  std::vector<bool> Places(const Step& of) const {
    std::vector<bool> places(statement_.iterators.size(), false);
    const auto add = [&](const ir::Index& row) {
      for (std::size_t i = 0; i < places.size(); ++i) {
        places[i] = places[i] || row.Uses(static_cast<int>(i));
      }
    };
    if (of.what == Step::What::kRead) {
      for (const ir::Index& row : statement_.reads[At(of.read)].rows) add(row);
    } else if (of.what == Step::What::kIndex) {
      add(of.index);
    }
    for (const int operand : of.operands) {
      for (std::size_t i = 0; i < places.size(); ++i) {
        places[i] = places[i] || places_[At(operand)][i];
      }
    }
    return places;
  }
  /// How many values a step has for the elements that are written.
  double Kept(std::size_t at) const {
    double kept = 1;
    for (std::size_t i = 0; i < statement_.iterators.size(); ++i) {
      const Iterator& of = statement_.iterators[i];
      if (places_[at][i] && !of.is_reduction) kept *= static_cast<double>(of.extent);
    }
    return kept;
  }
  /// So many of the elements that are written err on their own.
  double Independent() const {
    double independent = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < statement_.steps.size(); ++i) {
      const Step& of = statement_.steps[i];
      if (of.what == Step::What::kRead) {
        const Cells& read = cells_[At(statement_.reads[At(of.read)].tensor)];
        if (read.roundings > 0) independent = std::min({independent, read.independent, Kept(i)});
        continue;
      }
      if (of.what != Step::What::kCompute || !ir::IsFloat(of.type)) continue;
      const double none[derived::kMostOperands] = {};
      const derived::Rule& rule =
          of.op == Op::kConst ? CastRule(of) : derived::RuleOf(of.op, of.computes);
      if (rule.roundings(none) > 0) independent = std::min(independent, Kept(i));
    }
    if (statement_.reduces) independent = std::min(independent, Kept(statement_.steps.size() - 1));
    return independent;
  }
  /// What the operator yields is not of the step's type.
  bool Narrows(const Step& of) const {
    if (ir::ResultType(of.op, of.computes) == of.type) return false;
    // One of the operands, or its opposite, is a value of the type already.
    const bool picks = of.op == Op::kMin || of.op == Op::kMax || of.op == Op::kSelect ||
                       of.op == Op::kNeg || of.op == Op::kAbs;
    const auto is_of_type = [&](int operand) { return step(operand).type == of.type; };
    const std::size_t first = of.op == Op::kSelect ? 1 : 0;
    return !(picks && ir::IsFloat(of.type) &&
             std::all_of(of.operands.begin() + static_cast<std::ptrdiff_t>(first),
                         of.operands.end(), is_of_type));
  }
  static Conversion Narrowing(const Step& of) {
    return {ir::ResultType(of.op, of.computes), of.type};
  }

  void ComputeRow(std::int64_t points) {
    for (std::size_t i = 0; i < statement_.steps.size(); ++i) {
      Compute(statement_.steps[i], rows_[i], unrounded_[i], points);
    }
  }

  /// `before`: where the value is rounded to a narrow type, what it was.
  void Compute(const Step& of, Row& row, Row& before, std::int64_t points) {
    switch (of.what) {
      case Step::What::kRead: {
        const Access& access = statement_.reads[At(of.read)];
        const Cells& cells = cells_[At(access.tensor)];
        return ForElements(access, points, [&](std::int64_t i, std::int64_t element) {
          row.values[At(i)] = element < 0 ? access.otherwise : cells.values[At(element)];
          row.errors[At(i)] = element < 0 ? 0 : cells.errors[At(element)];
        });
      }
      case Step::What::kNumber:
        std::fill_n(row.values.begin(), points, of.number);
        std::fill_n(row.errors.begin(), points, 0.0);
        return;
      case Step::What::kIndex:
        for (std::int64_t i = 0; i < points; ++i) {
          row.values[At(i)] = static_cast<double>(of.index.At(point_));
          row.errors[At(i)] = 0;
          if (i + 1 < points) ++point_.back();
        }
        if (points > 1) point_.back() -= points - 1;
        return;
      case Step::What::kCompute:
        break;
    }
    derived::Operands in;
    for (std::size_t i = 0; i < of.operands.size(); ++i) {
      const Row& operand = rows_[At(of.operands[i])];
      in[i] = {operand.values.data(), operand.errors.data()};
    }
    if (of.op == Op::kConst)
      return Convert(Conversion(step(of.operands[0]).type, of.type), in[0], points, row);
    Row& computed = Narrows(of) ? before : row;
    Apply(of, in, points, computed);
    LookAt(of, in, points, computed);
    if (!Narrows(of)) return;
    Convert(Narrowing(of), {before.values.data(), before.errors.data()}, points, row);
  }

  /// The operator of a step. Rules hold an i64 and errors of an f64 in ways of their own.
  void Apply(const Step& of, const derived::Operands& in, std::int64_t points, Row& computed) {
    const derived::Rule& rule = derived::RuleOf(of.op, of.computes);
    const Type type = ir::ComputeTypeOf(of.computes);
    const bool is_wide = type == Type::kI64, has_roots = derived::HasRoots(type);
    if (!is_wide && !has_roots) {
      rule.row(in, points, computed.values.data(), computed.errors.data());
      return;
    }
    derived::Operands held;
    for (std::size_t j = 0; j < of.operands.size(); ++j) {
      const bool is_condition = of.op == Op::kSelect && j == 0;
      Row& row = held_[j];
      for (std::int64_t i = 0; i < points; ++i) {
        const double value = in[j].value[i], error = in[j].error[i];
        row.values[At(i)] = is_wide && !is_condition
                                ? derived::SlotOfWhole(type, static_cast<std::int64_t>(value))
                                : value;
        row.errors[At(i)] = has_roots ? std::sqrt(error) : error;
      }
      held[j] = {row.values.data(), row.errors.data()};
    }
    rule.row(held, points, computed.values.data(), computed.errors.data());
    for (std::int64_t i = 0; i < points; ++i) {
      double &value = computed.values[At(i)], &error = computed.errors[At(i)];
      if (is_wide && !ir::InfoOf(of.op).compares()) {
        value = static_cast<double>(derived::WholeOfSlot(type, value));
      }
      if (has_roots) error *= error;
    }
  }

  void Convert(const Conversion& conversion, const derived::RowSlot& in, std::int64_t points,
               Row& row) {
    for (std::int64_t i = 0; i < points; ++i) {
      const double value = in.value[i], error = in.error[i];
      const Conversion::Result result = conversion.Of(value, error);
      row.values[At(i)] = result.value;
      row.errors[At(i)] = std::isfinite(result.value) ? ErrorOf(conversion, result, error) : 0;
      if (error > 0 && std::isfinite(value) && !std::isfinite(result.value)) {
        target_.is_known = false;
      }
    }
  }
  static double ErrorOf(const Conversion& conversion, const Conversion::Result& result,
                        double error) {
    if (!conversion.keeps_errors()) return kWhole * result.slack * result.slack;
    const double slack = kSlackShare * result.slack;
    return error + kWhole * slack * slack;
  }

  /// What the rules know nothing of: values that are exact, and those that roundings decide about.
  void LookAt(const Step& of, const derived::Operands& in, std::int64_t points, Row& computed) {
    const bool is_float = ir::IsFloat(ir::ComputeTypeOf(of.computes));
    const std::size_t count = of.operands.size();
    constexpr double kWholeNumbers = 0x1p53;
    for (std::int64_t i = 0; i < points; ++i) {
      const double value = computed.values[At(i)];
      double& error = computed.errors[At(i)];
      if (!is_float) {
        if (std::abs(value) > kWholeNumbers) target_.is_known = false;
        continue;
      }
      bool errs = false, is_finite = std::isfinite(value);
      for (std::size_t j = 0; j < count; ++j) {
        errs = errs || in[j].error[i] > 0;
        is_finite = is_finite && std::isfinite(in[j].value[i]);
      }
      if (!errs) {
        const auto operand = [&](std::size_t j) { return j < count ? in[j].value[i] : 0; };
        if (error > 0 && IsExact(of.op, of.computes, operand(0), operand(1), operand(2), value)) {
          error = 0;
        }
      } else if (!is_finite && IsOpen(of.op, count, in, i, value)) {
        target_.is_known = false;
      }
    }
  }

  /// Something is not finite and something errs: may another implementation come to something that
  /// is finite, or infinite otherwise?
  static bool IsOpen(Op op, std::size_t count, const derived::Operands& in, std::int64_t i,
                     double value) {
    bool are_finite = true, errs_around_0 = false;
    for (std::size_t j = 0; j < count; ++j) {
      const double operand = in[j].value[i], error = in[j].error[i];
      are_finite = are_finite && std::isfinite(operand);
      errs_around_0 = errs_around_0 ||
                      (error > 0 && std::abs(operand) <= kErrorFactor * kUnit * std::sqrt(error));
    }
    switch (op) {
      case Op::kMul:
      case Op::kMad:
      case Op::kDiv:
        return errs_around_0 || (are_finite && !std::isfinite(value));
      case Op::kSelect:
        return in[0].error[i] > 0;
      case Op::kPow:
        return true;
      default:
        return are_finite;
    }
  }

  // ---- results ----

  /// Where the last step converts, the errors before that and what the conversion adds; else those
  /// of the value. What is only moved is as far off as it was.
  void WriteRow(std::int64_t points) {
    ComputeRow(points);
    const std::size_t last = statement_.steps.size() - 1;
    const Step& of = statement_.steps[last];
    const Row& row = rows_[last];
    std::vector<double> tolerance(At(points));
    if (of.what == Step::What::kRead) {
      const Access& access = statement_.reads[At(of.read)];
      const Cells& cells = cells_[At(access.tensor)];
      ForElements(access, points, [&](std::int64_t i, std::int64_t element) {
        tolerance[At(i)] = element < 0 ? 0 : cells.tolerance[At(element)];
      });
    } else {
      const bool casts = of.what == Step::What::kCompute && of.op == Op::kConst;
      const bool narrows = of.what == Step::What::kCompute && !casts && Narrows(of);
      const Row& from = casts ? rows_[At(of.operands[0])] : narrows ? unrounded_[last] : row;
      const Type before = casts     ? step(of.operands[0]).type
                          : narrows ? ir::ResultType(of.op, of.computes)
                                    : of.type;
      const double roundings = casts ? roundings_[At(of.operands[0])] : roundings_[last];
      const double factor = kUnit * ErrorFactor(roundings);
      const Conversion conversion(before, of.type);
      for (std::int64_t i = 0; i < points; ++i) {
        tolerance[At(i)] = Tolerance(casts || narrows ? &conversion : nullptr, factor,
                                     from.values[At(i)], from.errors[At(i)]);
      }
    }
    // An access may read what this statement writes, at this point: all was read by now.
    ForElements(statement_.write, points, [&](std::int64_t i, std::int64_t element) {
      Write(element, row.values[At(i)], row.errors[At(i)], tolerance[At(i)]);
    });
    target_.roundings = std::max(target_.roundings, roundings_[last]);
  }

  static double Tolerance(const Conversion* conversion, double factor, double value, double error) {
    double tolerance = error == 0 ? 0 : factor * std::sqrt(error);
    if (conversion != nullptr) {
      const double slack = conversion->Of(value, error).slack;
      tolerance = (conversion->keeps_errors() ? tolerance : 0) + slack;
    }
    return std::isnan(tolerance) ? std::numeric_limits<double>::infinity() : tolerance;
  }

  void Write(std::int64_t element, double value, double error, double tolerance) {
    target_.values[At(element)] = value;
    target_.errors[At(element)] = std::isfinite(value) ? error : 0;
    target_.tolerance[At(element)] = std::isfinite(value) ? tolerance : 0;
  }

  void Reduce() {
    const auto first = std::ranges::find(statement_.iterators, true, &Iterator::is_reduction);
    const auto kept = static_cast<std::size_t>(first - statement_.iterators.begin());
    double count = 1;
    for (auto of = first; of != statement_.iterators.end(); ++of) {
      count *= static_cast<double>(of->extent);
    }
    const Type term = statement_.steps.back().type;
    const Type computes = term == Type::kBool ? term : ir::ComputeTypeOf(term);
    const derived::Reduction reduction(*statement_.reduces, computes);
    const bool multiplied = reduction.gathering == derived::Gathering::kProduct;
    constexpr double kWholeNumbers = 0x1p53;
    const double terms = roundings_.back() + (reduction.own == 0 ? 0 : count);
    const Conversion conversion(computes, type_);
    const bool converts = computes != type_;
    const double factor = kUnit * ErrorFactor(terms);
    EachPoint(kept, 0, [&] {
      auto total = derived::Total<double>::Nothing(reduction.gathering);
      ExactTotal exact(reduction.gathering, computes);
      bool are_finite = true;
      ForPoints(kept, statement_.iterators.size(), [&](std::int64_t points) {
        ComputeRow(points);
        const Row& row = rows_.back();
        for (std::int64_t i = 0; i < points; ++i) {
          const double value = row.values[At(i)];
          exact.Take(value, row.errors[At(i)]);
          are_finite = are_finite && std::isfinite(value);
          const std::int64_t whole = reduction.is_whole ? static_cast<std::int64_t>(value) : 0;
          total.Take(reduction, {value, value * value, row.errors[At(i)], whole});
        }
      });
      for (std::size_t i = kept; i < point_.size(); ++i) point_[i] = 0;
      double value = reduction.is_whole ? static_cast<double>(total.whole) : total.value;
      double error = total.error;
      if (reduction.adds() && !reduction.is_whole) {
        value += ir::IdentityOf(Op::kAdd, computes);
        error += reduction.own * count * (total.squares + value * value);
      }
      if (exact.is_exact() && (reduction.adds() || multiplied)) error = 0;
      // It overflowed: in another order it might not.
      if (!std::isfinite(value) && are_finite && error > 0) target_.is_known = false;
      if (reduction.is_whole && std::abs(value) > kWholeNumbers) target_.is_known = false;
      if (!std::isfinite(value)) error = 0;
      const double tolerance = Tolerance(converts ? &conversion : nullptr, factor, value, error);
      if (converts) {
        const Conversion::Result result = conversion.Of(value, error);
        if (error > 0 && std::isfinite(value) && !std::isfinite(result.value)) {
          target_.is_known = false;
        }
        value = result.value;
        error = ErrorOf(conversion, result, error);
      }
      Write(Element(statement_.write), value, error, tolerance);
    });
    target_.roundings = std::max(target_.roundings, terms + (converts && terms > 0 ? 1 : 0));
  }

  /// Calls `visit` at each point of the first `count` iterators.
  template <typename Visit>
  void EachPoint(std::size_t count, std::size_t from, const Visit& visit) {
    if (from == count) return visit();
    for (point_[from] = 0; point_[from] < statement_.iterators[from].extent; ++point_[from]) {
      EachPoint(count, from + 1, visit);
    }
  }

  const StatementList& list_;
  const Statement& statement_;
  std::vector<Cells>& cells_;
  std::array<Row, derived::kMostOperands> held_;  ///< Operands as rules hold them.
  std::vector<Row> rows_, unrounded_;             ///< By step.
  std::vector<double> roundings_;                 ///< By step.
  std::vector<std::vector<bool>> places_;         ///< By step, by iterator.
  Cells& target_;
  Type type_;
  Point point_;
};

/// The tensors that statements write or read.
std::vector<bool> Used(const StatementList& list) {
  std::vector<bool> is_used(list.tensors.size(), false);
  for (const Statement& statement : list.statements) {
    is_used[At(statement.write.tensor)] = true;
    for (const Access& read : statement.reads) is_used[At(read.tensor)] = true;
  }
  return is_used;
}

/// RmsLimit() of a result, four times its square: a value that errs may be read several times, and
/// its errors add up. What is rounded to a narrow type is off by as much as may be or not at all,
/// and in up to a hundredth of the elements it is.
double MeanLimit(const Cells& cells, Type type, bool is_narrow) {
  if (!ir::IsFloat(type)) return 1;  // It is another one or it is not.
  double with_tolerance = 0;
  for (const double tolerance : cells.tolerance) {
    if (tolerance > 0 && std::isfinite(tolerance)) ++with_tolerance;
  }
  if (with_tolerance == 0) return 1;
  constexpr double kRepeated = 2, kNarrow = 0.01;
  const double factor = ErrorFactor(std::max(cells.roundings, 1.0));
  const double independent = std::min(cells.independent, with_tolerance);
  return std::min(1.0, kRepeated * std::sqrt(1 / (factor * factor) + 1 / independent +
                                             (is_narrow ? kNarrow : 0)));
}

}  // namespace

std::vector<TensorValues> ValuesByStatement(const StatementList& list,
                                            const std::vector<std::vector<double>>& inputs) {
  std::vector<Cells> cells(list.tensors.size());
  const std::vector<bool> is_used = Used(list);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (!is_used[i]) continue;
    const std::size_t elements = At(list.tensors[i].elements());
    cells[i].values.resize(elements);
    cells[i].errors.resize(elements);
    cells[i].tolerance.resize(elements);
    const auto role = list.tensors[i].role;
    if (role != StatementTensor::Role::kInput && role != StatementTensor::Role::kUpdated) continue;
    EXH_CHECK(inputs.at(i).size() == elements);
    cells[i].values = inputs[i];
  }
  for (const Statement& statement : list.statements) {
    StatementRun(list, statement, cells).Run();
  }
  const bool is_narrow = std::ranges::any_of(list.tensors, [](const StatementTensor& tensor) {
    return ir::IsFloat(tensor.type) && ir::InfoOf(tensor.type).is_narrow();
  });
  std::vector<TensorValues> values(list.tensors.size());
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const double limit = MeanLimit(cells[i], list.tensors[i].type, is_narrow);
    values[i] = {std::move(cells[i].values), std::move(cells[i].tolerance), limit,
                 cells[i].is_known};
  }
  return values;
}

}  // namespace exh::kernels::fused::testing
