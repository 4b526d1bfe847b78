// SPDX-License-Identifier: MIT
//
// Types from the leaves up. Nothing is what a mistake has: who reads it says no more. A literal has
// no type until it meets one; that it fits is checked there.
#include "kernels/notation/check_types.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "kernels/ir/ops.h"
#include "kernels/notation/words.h"

namespace exh::kernels::notation {
namespace {

using dsl::Diag;
using ir::Op;
using ir::Type;

class TypeChecker {
 public:
  TypeChecker(const Kernel& kernel, ResolvedKernel& resolution, dsl::DiagnosticSink& sink)
      : kernel_(kernel),
        resolution_(resolution),
        sink_(sink),
        numbers_(resolution.sizes, sink),
        values_(kernel.statements.size()) {}

  bool Run() {
    for (const ScalarDecl& scalar : kernel_.scalars) {
      CheckLiteral(NumberOf(scalar), scalar.name.range, TypeOf(scalar.type, resolution_));
    }
    for (const ArrayShape& array : resolution_.arrays) {
      if (!array.outside) continue;
      CheckLiteral(*array.outside, array.decl->outside->range, array.type,
                   std::isfinite(double{*array.outside}));
    }
    for (std::size_t i = 0; i < kernel_.statements.size(); ++i) CheckStatement(i);
    return is_good_;
  }

 private:
  using Known = std::optional<Typed>;

  dsl::Diagnostic& Report(Diag diag, SourceRange range, std::string message) {
    is_good_ = false;
    return sink_.Report(diag, range, std::move(message));
  }

  // ---- statements

  void CheckStatement(std::size_t number) {
    const Statement& statement = kernel_.statements[number];
    Known value = Of(statement.value);
    if (value && !statement.type.text.empty()) {
      const Type said = TypeOf(statement.type, resolution_);
      if (CheckConversion(statement.value, *value, said, statement.target)) {
        value = Typed{said, value->number, false};
      } else {
        value.reset();
      }
    }
    const int output = resolution_.output_of[number];
    if (value && output >= 0) {
      const ArrayShape& array = resolution_.arrays[static_cast<std::size_t>(output)];
      CheckConversion(statement.value, *value, array.type, array.decl->name);
    }
    values_[number] = value;
  }

  bool CheckConversion(const Expr& expr, const Typed& from, Type to, const Name& target) {
    if (!from.type) return CheckLiteral(from.number, expr.range, to, IsWritten(expr));
    if (Converts(from, to)) return true;
    Report(Diag::kNeedsCast, expr.range,
           fmt::format("this is {}, and '{}' holds {}; write {}", ir::WordOf(*from.type),
                       target.text, ir::WordOf(to), CastTo(to)))
        .WithNote(target.range, "declared here");
    return false;
  }

  /// What would make a value of another type one of this.
  static std::string CastTo(Type type) {
    return type == Type::kBool ? "… != 0" : fmt::format("cast({}, …)", ir::WordOf(type));
  }

  // ---- literals

  /// A literal as a type. Infinity is a mistake where a number is written that is too large, and
  /// not where it is meant: `inf`, or what comes of an operator like 1 / 0.
  bool CheckLiteral(const ir::Number& literal, SourceRange range, Type type,
                    bool is_written = true) {
    const double number = literal;
    const ir::TypeInfo& info = ir::InfoOf(type);
    if (type == Type::kBool) {
      if (number == 0 || number == 1) return true;
      Report(Diag::kMixedTypes, range, fmt::format("{} is no bool; that is 0 or 1", number));
      return false;
    }
    if (!info.is_float && std::isfinite(number) && !IsWhole(number)) {
      Report(Diag::kMixedTypes, range,
             fmt::format("{} has a fraction, and is an {} here; write cast(f32, …) of what it "
                         "stands beside",
                         number, info.word));
      return false;
    }
    // An i64 has no 2^63; as a double its largest number is that.
    const bool is_beyond = type == Type::kI64 && !literal.is_whole() && number >= info.largest;
    // A float without infinities makes its largest number of what is larger.
    const bool has_infinities = !info.is_float || std::isinf(ir::Rounded(type, HUGE_VAL));
    const bool fits = is_beyond               ? false
                      : !info.is_float        ? number >= info.lowest && number <= info.largest
                      : !has_infinities       ? std::abs(number) <= info.largest
                      : std::isfinite(number) ? std::isfinite(ir::Rounded(type, number))
                                              : !is_written;
    if (fits) return true;
    Report(Diag::kTooLarge, range,
           info.is_float ? fmt::format("this is beyond the largest number of {}, about {:.2g}",
                                       info.word, info.largest)
                         : fmt::format("{} is no {}, which has {:.0f} to {:.0f}", number, info.word,
                                       info.lowest, info.largest));
    return false;
  }
  /// Of an operand beside others that it is computed with.
  bool CheckLiteral(const Expr& expr, const Typed& operand, Type common) {
    if (operand.type) return true;
    return CheckLiteral(operand.number, expr.range,
                        common == Type::kBool ? common : ir::ComputeTypeOf(common),
                        IsWritten(expr));
  }
  static bool IsWritten(const Expr& expr) {
    return expr.kind == Expr::Kind::kNumber && expr.text.empty();
  }

  // ---- expressions

  Known Of(const Expr& expr) {
    Known typed = Find(expr);
    if (typed) resolution_.types[&expr] = *typed;
    return typed;
  }

  Known Find(const Expr& expr) {
    switch (expr.kind) {
      case Expr::Kind::kNumber:
        return Typed{std::nullopt, NumberOf(expr), false};
      case Expr::Kind::kName:
      case Expr::Kind::kRead:
        return OfName(expr);
      case Expr::Kind::kCast: {
        const Known from = Of(expr.args.front());
        if (!from) return std::nullopt;
        return Typed{TypeOf(expr.type, resolution_), from->number, false};
      }
      case Expr::Kind::kCall:
        return OfCall(expr);
      case Expr::Kind::kReduce:
        return OfReduction(expr);
    }
    return std::nullopt;
  }

  Known OfName(const Expr& expr) {
    if (resolution_.numbers.count(&expr) != 0) return Typed{Type::kI32, 0, false};
    const auto read = resolution_.reads.find(&expr);
    if (read != resolution_.reads.end()) {
      const ResolvedAccess& access = read->second;
      for (const ComputedSubscript& subscript : access.computed) {
        if (!CheckSubscript(*subscript.expr)) return std::nullopt;
      }
      if (access.statement >= 0) return values_[static_cast<std::size_t>(access.statement)];
      return Typed{resolution_.arrays[static_cast<std::size_t>(access.array)].type, 0, false};
    }
    const auto size = resolution_.sizes.find(expr.text);
    if (size != resolution_.sizes.end()) {
      return Typed{std::nullopt, size->second, false};
    }
    const auto scalar = std::ranges::find(kernel_.scalars, expr.text,
                                          [](const ScalarDecl& decl) { return decl.name.text; });
    EXH_CHECK(scalar != kernel_.scalars.end());
    return Typed{TypeOf(scalar->type, resolution_), 0, false};
  }

  bool CheckSubscript(const Expr& subscript) {
    const Known typed = Of(subscript);
    if (!typed) return false;
    if (typed->type && !ir::IsFloat(*typed->type)) return true;
    Report(Diag::kMixedTypes, subscript.range,
           "a subscript is an integer; write cast(i32, …) of a float");
    return false;
  }

  Known OfCall(const Expr& expr) {
    if (expr.text == "%" && IsOfSizes(expr, resolution_)) {
      const auto value = numbers_.Value(expr);
      if (!value) is_good_ = false;
      return value ? Known(Typed{std::nullopt, *value, false}) : Known();
    }
    if (expr.text == "?" && IsOfSizes(expr.args.front(), resolution_)) return OfOption(expr);
    std::vector<Typed> args;
    bool is_good = true;
    for (const Expr& arg : expr.args) {
      const Known typed = Of(arg);
      is_good = is_good && typed;
      if (is_good) args.push_back(*typed);
    }
    if (!is_good) return std::nullopt;
    const auto op = OpOfCall(expr.text);
    EXH_CHECK(op.has_value());
    if (std::ranges::none_of(args, [](const Typed& arg) { return arg.type.has_value(); })) {
      if (expr.text == "%" && !numbers_.Value(expr))
        is_good_ = false;  // Says what is no whole number.
      return Folded(expr, *op, args);
    }
    const std::size_t first = *op == Op::kSelect ? 1 : 0;
    const bool has_condition = first > 0 && CheckCondition(expr.args.front(), args.front());
    if (first > 0 && !has_condition) return std::nullopt;
    args.erase(args.begin(), args.begin() + static_cast<std::ptrdiff_t>(first));
    const auto common = CommonOf(args);
    if (!common) {
      ReportMixed(expr, first, args);
      return std::nullopt;
    }
    if (!CheckTakes(expr, *op, *common)) return std::nullopt;
    for (std::size_t i = 0; i < args.size(); ++i) {
      if (!CheckLiteral(expr.args[i + first], args[i], *common)) return std::nullopt;
    }
    if (expr.text == "%" && ir::IsFloat(*common)) {
      Report(Diag::kMixedTypes, expr.range,
             "'%' is the remainder of integers, and these are floats");
      return std::nullopt;
    }
    const bool divides_integers = *op == Op::kDiv && !ir::IsFloat(*common);
    if (divides_integers && !args[1].type && args[1].number == 0) {
      Report(Diag::kDivisionByZero, expr.args[1].range, "this is 0, and integers have no infinity");
      return std::nullopt;
    }
    return ResultOf(*op, *common, args);
  }

  /// Each side of `option ? a : b` has the type that it has; the other one is not computed. Where
  /// options say types, it may be right for others than these, and is not looked at.
  Known OfOption(const Expr& expr) {
    const auto condition = numbers_.Value(expr.args[0]);
    if (!condition) is_good_ = false;
    const bool is_first = condition.value_or(0) != 0;
    if (!condition || resolution_.open_types.empty()) Of(expr.args[is_first ? 2 : 1]);
    const Expr& chosen = expr.args[is_first ? 1 : 2];
    const Known known = Of(chosen);
    if (!condition) return std::nullopt;
    resolution_.chosen[&expr] = &chosen;
    return known;
  }

  Known Folded(const Expr& expr, Op op, const std::vector<Typed>& args) {
    std::vector<ir::Number> numbers;
    for (std::size_t i = 0; i < args.size(); ++i) {
      if (!CheckLiteral(args[i].number, expr.args[i].range, Type::kF64, IsWritten(expr.args[i]))) {
        return std::nullopt;
      }
      numbers.push_back(args[i].number);
    }
    ir::Number value;
    const auto less = [&](std::size_t a, std::size_t b) {
      return FoldedLiteral(Op::kLess, {numbers[a], numbers[b]}) != 0;
    };
    const auto equal = [&] { return FoldedLiteral(Op::kEqual, numbers) != 0; };
    if (expr.text == "<=") {
      value = less(0, 1) || equal() ? 1 : 0;
    } else if (expr.text == ">") {
      value = less(1, 0) ? 1 : 0;
    } else if (expr.text == ">=") {
      value = less(1, 0) || equal() ? 1 : 0;
    } else if (expr.text == "!=") {
      value = equal() ? 0 : 1;
    } else {
      value = FoldedLiteral(op, numbers);
    }
    return Typed{std::nullopt, value, false};
  }

  bool CheckCondition(const Expr& expr, const Typed& condition) {
    if (!condition.type || !ir::IsFloat(*condition.type)) return true;
    Report(Diag::kWrongOperand, expr.range,
           fmt::format("a condition is a bool or an integer, and this is {}; write … != 0",
                       ir::WordOf(*condition.type)));
    return false;
  }

  bool CheckTakes(const Expr& expr, Op op, Type common) {
    const ir::Takes takes = ir::InfoOf(op).takes;
    if (takes == ir::Takes::kFloats && !ir::IsFloat(common)) {
      Report(Diag::kWrongOperand, expr.range,
             fmt::format("{0} takes floats, and this is {1}; write {0}(cast(f32, …))", expr.text,
                         ir::WordOf(common)));
      return false;
    }
    if (takes == ir::Takes::kIntegers && ir::IsFloat(common)) {
      Report(Diag::kWrongOperand, expr.range,
             fmt::format("'{}' takes bools and integers, and this is {}; write … != 0", expr.text,
                         ir::WordOf(common)));
      return false;
    }
    return true;
  }

  /// Says of the first two operands without a common type what each is, and which cast would do.
  void ReportMixed(const Expr& expr, std::size_t first, const std::vector<Typed>& args) {
    for (std::size_t j = 1; j < args.size(); ++j) {
      for (std::size_t i = 0; i < j; ++i) {
        if (CommonOf({args[i], args[j]})) continue;
        const Type a = *args[i].type, b = *args[j].type;
        const Type cast = ir::IsFloat(a)   ? ir::ComputeTypeOf(a)
                          : ir::IsFloat(b) ? ir::ComputeTypeOf(b)
                                           : Type::kI64;
        Report(Diag::kMixedTypes, expr.range,
               fmt::format("{} and {} have no type in common; write {} of {}", ir::WordOf(a),
                           ir::WordOf(b), CastTo(cast),
                           ir::IsFloat(a)   ? "the second"
                           : ir::IsFloat(b) ? "the first"
                                            : "one of them"))
            .WithNote(expr.args[i + first].range, NoteOf(expr.args[i + first], a))
            .WithNote(expr.args[j + first].range, NoteOf(expr.args[j + first], b));
        return;
      }
    }
  }
  std::string NoteOf(const Expr& expr, Type type) const {
    const bool hides =
        resolution_.numbers.count(&expr) != 0 && resolution_.sizes.count(expr.text) != 0;
    return fmt::format("this is {}{}", ir::WordOf(type),
                       hides ? ": the index, which hides the size of its name" : "");
  }

  // ---- reductions

  Known OfReduction(const Expr& expr) {
    const Expr& body = expr.args.front();
    const Known typed = Of(body);
    const bool is_arg = IsArgReduction(expr.text);
    const bool is_test = expr.text == "any" || expr.text == "all";
    if ((is_arg || is_test) && !expr.type.text.empty()) {
      Report(Diag::kNotAccumulated, expr.type.range,
             fmt::format("{} yields {} and has no type to be computed in; sum, prod, min and max "
                         "have one",
                         expr.text, is_arg ? "an i32" : "a bool"));
      return std::nullopt;
    }
    if (is_arg) {
      if (resolution_.reads.count(&body) == 0) {
        Report(Diag::kNotBuilt, body.range,
               fmt::format("behind {}(…) stands an array or a value, which is read twice; state "
                           "this as a value, and write its name here",
                           expr.text));
        return std::nullopt;
      }
      return typed ? Known(Typed{Type::kI32, 0, false}) : Known();
    }
    if (!typed) return std::nullopt;
    if (is_test) {
      if (typed->type == Type::kBool) return Typed{Type::kBool, 0, false};
      Report(Diag::kWrongOperand, body.range,
             fmt::format("{} takes what comparisons yield, and this is {}; write … != 0", expr.text,
                         typed->type ? ir::WordOf(*typed->type) : "a number"));
      return std::nullopt;
    }
    const Op op = expr.text == "sum" || expr.text == "prod" ? Op::kAdd : Op::kMax;
    const Type natural = ir::ResultType(op, typed->type.value_or(Type::kF32));
    if (expr.type.text.empty()) return Typed{natural, 0, false};
    const Type said = TypeOf(expr.type, resolution_);
    if (ir::ComputeTypeOf(said) != said) {
      Report(Diag::kNotAccumulated, expr.type.range,
             fmt::format("nothing is accumulated in {}; there are f64, f32, i64, i32 and u32",
                         ir::WordOf(said)));
      return std::nullopt;
    }
    if (!typed->type) {
      if (!CheckLiteral(body, *typed, said)) return std::nullopt;
    } else if (!Converts(*typed, said)) {
      Report(Diag::kNeedsCast, body.range,
             fmt::format("this is {}, and the reduction is computed in {}; write {}",
                         ir::WordOf(*typed->type), ir::WordOf(said), CastTo(said)))
          .WithNote(expr.type.range, "said here");
      return std::nullopt;
    }
    return Typed{said, 0, false};
  }

  const Kernel& kernel_;
  ResolvedKernel& resolution_;
  dsl::DiagnosticSink& sink_;
  Numbers numbers_;
  std::vector<Known> values_;  ///< By statement.
  bool is_good_ = true;
};

}  // namespace

bool CheckTypes(const Kernel& kernel, ResolvedKernel& resolution, dsl::DiagnosticSink& sink) {
  return TypeChecker(kernel, resolution, sink).Run();
}

}  // namespace exh::kernels::notation
