// SPDX-License-Identifier: MIT
#include "kernels/notation/lower/affine_index.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <string_view>

namespace exh::kernels::notation {
namespace {

/// Factors by place of the index in the scope; the number behind them.
using Sum = std::vector<std::int64_t>;

/// Nothing beyond it is taken, so that products of two do not overflow.
constexpr std::int64_t kLargestIndex = std::numeric_limits<std::int32_t>::max();

bool IsNumber(const Sum& sum) {
  return std::all_of(sum.begin(), sum.end() - 1, [](std::int64_t factor) { return factor == 0; });
}

std::optional<Sum> Combined(const Sum& a, std::int64_t times_a, const Sum& b,
                            std::int64_t times_b) {
  Sum sum(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    sum[i] = a[i] * times_a + b[i] * times_b;
    if (sum[i] > kLargestIndex || sum[i] < -kLargestIndex) return std::nullopt;
  }
  return sum;
}

std::optional<Sum> SumOf(const Expr& expr, const ResolvedKernel& resolution, const Scope& scope) {
  Sum sum(scope.size() + 1);
  if (expr.kind == Expr::Kind::kNumber) {
    if (!expr.integer || *expr.integer > kLargestIndex) return std::nullopt;
    sum.back() = *expr.integer;
    return sum;
  }
  if (expr.kind == Expr::Kind::kName) {
    const auto number = resolution.numbers.find(&expr);
    if (number != resolution.numbers.end()) {
      const auto at = std::ranges::find(scope, number->second);
      if (at == scope.end()) return std::nullopt;
      sum[static_cast<std::size_t>(at - scope.begin())] = 1;
      return sum;
    }
    const auto size = resolution.sizes.find(expr.text);
    if (size == resolution.sizes.end() || resolution.reads.contains(&expr)) return std::nullopt;
    if (size->second > kLargestIndex || size->second < -kLargestIndex) return std::nullopt;
    sum.back() = size->second;
    return sum;
  }
  if (expr.kind != Expr::Kind::kCall || expr.args.size() > 2) return std::nullopt;
  std::vector<Sum> args;
  for (const Expr& arg : expr.args) {
    const auto of = SumOf(arg, resolution, scope);
    if (!of) return std::nullopt;
    args.push_back(*of);
  }
  const std::string_view op = expr.text;
  if (op == "neg" && args.size() == 1) return Combined(args[0], -1, args[0], 0);
  if (args.size() != 2) return std::nullopt;
  if (op == "+") return Combined(args[0], 1, args[1], 1);
  if (op == "-") return Combined(args[0], 1, args[1], -1);
  if (op != "*") return std::nullopt;
  if (IsNumber(args[1])) return Combined(args[0], args[1].back(), args[0], 0);
  if (IsNumber(args[0])) return Combined(args[1], args[0].back(), args[1], 0);
  return std::nullopt;
}

}  // namespace

std::int64_t AffineIndex::FactorOf(const Index* index) const {
  const auto found = std::ranges::find(factors, index, [](const auto& one) { return one.first; });
  return found == factors.end() ? 0 : found->second;
}

OperandKey KeyOf(const AffineIndex& index, int depth) {
  OperandKey key = {-1, depth, index.offset};
  for (const auto& [of, factor] : index.factors) {
    key.push_back(reinterpret_cast<std::intptr_t>(of));
    key.push_back(factor);
  }
  return key;
}

std::optional<AffineIndex> AffineSumOf(const Expr& expr, const ResolvedKernel& resolution,
                                       const Scope& scope) {
  const auto sum = SumOf(expr, resolution, scope);
  if (!sum) return std::nullopt;
  AffineIndex index{sum->back(), {}};
  std::int64_t farthest = std::abs(sum->back());
  for (std::size_t i = 0; i < scope.size(); ++i) {
    const std::int64_t factor = (*sum)[i];
    if (factor == 0) continue;
    if (*scope[i]->extent > kLargestIndex / std::abs(factor)) return std::nullopt;
    farthest += std::abs(factor) * *scope[i]->extent;
    index.factors.emplace_back(scope[i], factor);
  }
  return farthest > kLargestIndex ? std::nullopt : std::optional(index);
}

std::optional<AffineIndex> AffineIndexOf(const Expr& expr, const ResolvedKernel& resolution,
                                         const Scope& scope) {
  auto index = AffineSumOf(expr, resolution, scope);
  return index && !index->factors.empty() ? index : std::nullopt;
}

}  // namespace exh::kernels::notation
