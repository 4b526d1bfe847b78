// SPDX-License-Identifier: MIT
#include "kernels/notation/lower/subscript.h"

#include <algorithm>
#include <string_view>

#include "kernels/notation/lower/affine_index.h"

namespace exh::kernels::notation {
namespace {

using Range = std::pair<std::int64_t, std::int64_t>;

/// `/` leaves out the remainder, so that quotients grow with what is divided.
std::optional<Range> Quotient(const Range& a, const Range& by) {
  if (by.first != by.second || by.first <= 0) return std::nullopt;
  return Range(a.first / by.first, a.second / by.first);
}
std::optional<Range> Remainder(const Range& a, const Range& by) {
  if (by.first != by.second || by.first <= 0) return std::nullopt;
  const std::int64_t most = by.first - 1;
  return Range(std::clamp<std::int64_t>(a.first, -most, 0),
               std::clamp<std::int64_t>(a.second, 0, most));
}

bool IsCall(const Expr& expr, std::string_view op) {
  return expr.kind == Expr::Kind::kCall && expr.text == op && expr.args.size() == 2;
}

/// Of two equal sums of indices, one divided by the number and one of which the remainder is 0.
std::optional<ExactQuotient> ExactOf(const Expr& number, const Expr& condition,
                                     const ResolvedKernel& resolution, const Scope& scope) {
  if (!IsCall(number, "/") || !IsCall(condition, "==") || !IsCall(condition.args[0], "%")) {
    return std::nullopt;
  }
  const Expr& rest = condition.args[0];
  const auto sum = [&](const Expr& expr) { return AffineSumOf(expr, resolution, scope); };
  const auto dividend = sum(number.args[0]), divisor = sum(number.args[1]);
  const auto zero = sum(condition.args[1]);
  if (!dividend || !divisor || !zero || !divisor->factors.empty() || divisor->offset <= 0) {
    return std::nullopt;
  }
  const bool is_zero = zero->factors.empty() && zero->offset == 0;
  if (dividend->factors.empty() || !is_zero || sum(rest.args[0]) != dividend ||
      sum(rest.args[1]) != divisor) {
    return std::nullopt;
  }
  return ExactQuotient{*dividend, divisor->offset};
}

}  // namespace

std::optional<Range> RangeOf(const Expr& expr, const ResolvedKernel& resolution,
                             const Scope& scope) {
  const auto chosen = resolution.chosen.find(&expr);
  if (chosen != resolution.chosen.end()) return RangeOf(*chosen->second, resolution, scope);
  if (const auto sum = AffineSumOf(expr, resolution, scope)) {
    Range range(sum->offset, sum->offset);
    for (const auto& [index, factor] : sum->factors) {
      const std::int64_t way = factor * (*index->extent - 1);
      (way < 0 ? range.first : range.second) += way;
    }
    return range;
  }
  if (expr.kind != Expr::Kind::kCall || expr.args.size() != 2) return std::nullopt;
  const auto a = RangeOf(expr.args[0], resolution, scope);
  const auto b = RangeOf(expr.args[1], resolution, scope);
  if (!a || !b) return std::nullopt;
  const std::string_view op = expr.text;
  if (op == "/") return Quotient(*a, *b);
  if (op == "%") return Remainder(*a, *b);
  if (op == "min") return Range(std::min(a->first, b->first), std::min(a->second, b->second));
  if (op == "max") return Range(std::max(a->first, b->first), std::max(a->second, b->second));
  return std::nullopt;
}

SubscriptParts PartsOf(const Expr& subscript, std::int64_t extent, const ResolvedKernel& resolution,
                       const Scope& scope) {
  SubscriptParts parts;
  parts.number = &subscript;
  for (;;) {
    const Expr& expr = *parts.number;
    const auto chosen = resolution.chosen.find(&expr);
    if (chosen != resolution.chosen.end()) {
      parts.number = chosen->second;
      continue;
    }
    if (expr.kind != Expr::Kind::kCall || expr.text != "?") break;
    const Typed& condition = resolution.types.at(&expr.args[0]);
    if (condition.type != ir::Type::kBool) break;
    const auto otherwise = RangeOf(expr.args[2], resolution, scope);
    if (!otherwise || (otherwise->second >= 0 && otherwise->first < extent)) break;
    parts.conditions.push_back(&expr.args[0]);
    parts.number = &expr.args[1];
  }
  if (const auto range = RangeOf(*parts.number, resolution, scope)) {
    parts.may_be_below = range->first < 0;
    parts.may_be_beyond = range->second >= extent;
  }
  if (parts.conditions.size() == 1) {
    parts.exact = ExactOf(*parts.number, *parts.conditions.front(), resolution, scope);
  }
  return parts;
}

}  // namespace exh::kernels::notation
