// SPDX-License-Identifier: MIT
#include "kernels/notation/numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/spelling.h"

namespace exh::kernels::notation {

using dsl::Diag;

namespace {

/// A name in the expression that `is_known` does not hold for.
const Expr* UnknownIn(const Expr& expr, const std::function<bool(std::string_view)>& is_known) {
  if (expr.kind == Expr::Kind::kName) return is_known(expr.text) ? nullptr : &expr;
  for (const Expr& arg : expr.args) {
    if (const Expr* const unknown = UnknownIn(arg, is_known)) return unknown;
  }
  return nullptr;
}

}  // namespace

bool IsComputed(const Expr& subscript, const std::function<bool(std::string_view)>& is_read,
                const std::function<bool(std::string_view)>& is_index) {
  if (subscript.kind == Expr::Kind::kNumber) return false;
  if (subscript.kind == Expr::Kind::kName) return is_read(subscript.text);
  if (subscript.kind != Expr::Kind::kCall) return true;
  const auto is_computed = [&](const Expr& arg) { return IsComputed(arg, is_read, is_index); };
  if (std::ranges::any_of(subscript.args, is_computed)) return true;
  const auto has_index = [&](const Expr& arg) {
    return UnknownIn(arg, [&](std::string_view name) { return !is_index(name); }) != nullptr;
  };
  const auto with_index = std::ranges::count_if(subscript.args, has_index);
  const std::string& op = subscript.text;
  const bool adds = op == "+" || op == "-" || op == "neg";
  const bool chooses = op == "?" && !has_index(subscript.args[0]);  // One or the other map.
  return !adds && !chooses && with_index > (op == "*" ? 1 : 0);
}

std::optional<std::int64_t> Numbers::Value(const Expr& expr) {
  const auto map = Map(expr, [](std::string_view) { return false; });
  return map ? std::optional(map->offset) : std::nullopt;
}

std::optional<IndexMap> Numbers::Map(const Expr& expr,
                                     const std::function<bool(std::string_view)>& is_index) {
  is_index_ = &is_index;
  switch (expr.kind) {
    case Expr::Kind::kNumber:
      if (expr.integer) return IndexMap{*expr.integer, {}};
      sink_.Report(Diag::kNotAWholeNumber, expr.range, "a whole number below 2^63 belongs here");
      return std::nullopt;
    case Expr::Kind::kName: {
      if (is_index(expr.text)) return IndexMap{0, {{expr.text, 1}}};
      const auto found = sizes_.find(expr.text);
      if (found != sizes_.end()) return IndexMap{found->second, {}};
      std::vector<std::string> names;
      for (const auto& [name, value] : sizes_) names.push_back(name);
      sink_.Report(Diag::kUnknownName, expr.range,
                   fmt::format("there is no size or index '{}' here{}", expr.text,
                               DidYouMean(expr.text, names)));
      return std::nullopt;
    }
    case Expr::Kind::kCall:
      return Call(expr);
    case Expr::Kind::kRead:
    case Expr::Kind::kCast:
    case Expr::Kind::kReduce:
      break;
  }
  sink_.Report(Diag::kNotAffine, expr.range, "only sizes, options and indices have a place here");
  return std::nullopt;
}

std::optional<std::int64_t> Numbers::Checked(__int128 value, const Expr& expr) {
  constexpr __int128 kMost = std::numeric_limits<std::int64_t>::max();
  if (value <= kMost && value >= -kMost) return static_cast<std::int64_t>(value);
  sink_.Report(Diag::kTooLarge, expr.range, "this is beyond 2^63 at these sizes");
  return std::nullopt;
}

std::optional<IndexMap> Numbers::Scaled(const IndexMap& map, std::int64_t factor,
                                        const Expr& expr) {
  IndexMap out;
  const auto offset = Checked(static_cast<__int128>(map.offset) * factor, expr);
  if (!offset) return std::nullopt;
  out.offset = *offset;
  for (const auto& [index, of] : map.factors) {
    const auto scaled = Checked(static_cast<__int128>(of) * factor, expr);
    if (!scaled) return std::nullopt;
    if (*scaled != 0) out.factors.emplace_back(index, *scaled);
  }
  return out;
}

std::optional<IndexMap> Numbers::Sum(const IndexMap& a, const IndexMap& b, const Expr& expr) {
  IndexMap out = a;
  const auto offset = Checked(static_cast<__int128>(a.offset) + b.offset, expr);
  if (!offset) return std::nullopt;
  out.offset = *offset;
  for (const auto& [index, factor] : b.factors) {
    const auto found = std::ranges::find(out.factors, index, [](const auto& f) { return f.first; });
    if (found == out.factors.end()) {
      out.factors.emplace_back(index, factor);
      continue;
    }
    const auto sum = Checked(static_cast<__int128>(found->second) + factor, expr);
    if (!sum) return std::nullopt;
    found->second = *sum;
    if (*sum == 0) out.factors.erase(found);
  }
  return out;
}

std::optional<IndexMap> Numbers::Call(const Expr& expr) {
  const auto is_index = *is_index_;
  std::vector<IndexMap> args;
  if (expr.text == "?") {
    const auto condition = Map(expr.args[0], is_index);
    if (!condition) return std::nullopt;
    const auto is_known = [&](std::string_view name) {
      return is_index(name) || sizes_.find(name) != sizes_.end();
    };
    if (const Expr* const unknown = UnknownIn(expr, is_known)) return Map(*unknown, is_index);
    // The other one need not make sense: z == 0 ? n : n / z.
    if (condition->factors.empty()) return Map(expr.args[condition->offset != 0 ? 1 : 2], is_index);
  }
  for (const Expr& arg : expr.args) {
    auto map = Map(arg, is_index);
    if (!map) return std::nullopt;
    args.push_back(std::move(*map));
  }
  const std::string& op = expr.text;
  if (op == "+") return Sum(args[0], args[1], expr);
  if (op == "neg" && args.size() == 1) return Scaled(args[0], -1, expr);
  if (op == "-") {
    const auto minus = Scaled(args[1], -1, expr);
    return minus ? Sum(args[0], *minus, expr) : std::nullopt;
  }
  if (op == "*" && args[1].factors.empty()) return Scaled(args[0], args[1].offset, expr);
  if (op == "*" && args[0].factors.empty()) return Scaled(args[1], args[0].offset, expr);
  std::vector<std::int64_t> numbers;
  for (const IndexMap& arg : args) {
    if (!arg.factors.empty()) {
      sink_.Report(Diag::kNotAffine, expr.range,
                   "an index is multiplied by whole numbers and added to others, nothing else: "
                   "x[2 * i + r - 1]");
      return std::nullopt;
    }
    numbers.push_back(arg.offset);
  }
  const auto value = Constant(op, expr, numbers);
  return value ? std::optional(IndexMap{*value, {}}) : std::nullopt;
}

std::optional<std::int64_t> Numbers::Constant(std::string_view op, const Expr& expr,
                                              const std::vector<std::int64_t>& args) {
  if ((op == "/" || op == "%") && args[1] == 0) {
    sink_.Report(Diag::kDivisionByZero, expr.args[1].range, "this is 0 at these sizes");
    return std::nullopt;
  }
  if (op == "/") return args[0] / args[1];
  if (op == "%") return args[0] % args[1];
  if (op == "<") return args[0] < args[1];
  if (op == "<=") return args[0] <= args[1];
  if (op == ">") return args[0] > args[1];
  if (op == ">=") return args[0] >= args[1];
  if (op == "==") return args[0] == args[1];
  if (op == "!=") return args[0] != args[1];
  if (op == "and") return args[0] != 0 && args[1] != 0;
  if (op == "or") return args[0] != 0 || args[1] != 0;
  if (op == "not") return args[0] == 0;
  if (op == "min" && args.size() == 2) return std::min(args[0], args[1]);
  if (op == "max" && args.size() == 2) return std::max(args[0], args[1]);
  sink_.Report(Diag::kUnknownFunction, expr.range,
               fmt::format("'{}' of {} whole numbers is not known; there are + - * / %, "
                           "comparisons, and or not, min(a, b), max(a, b), a ? b : c",
                           op, args.size()));
  return std::nullopt;
}

}  // namespace exh::kernels::notation
