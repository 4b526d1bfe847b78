// SPDX-License-Identifier: MIT
#include "kernels/notation/lower/conditions.h"

#include <fmt/format.h>

#include <cstdint>
#include <string_view>
#include <utility>

#include "kernels/notation/lower/affine_index.h"

namespace exh::kernels::notation {
namespace {

/// The least and the largest value of a - b over all steps; nothing: they are no sums of indices.
std::optional<std::pair<std::int64_t, std::int64_t>> Difference(const Expr& a, const Expr& b,
                                                                const ResolvedKernel& resolution,
                                                                const Scope& scope) {
  const auto left = AffineSumOf(a, resolution, scope), right = AffineSumOf(b, resolution, scope);
  if (!left || !right) return std::nullopt;
  std::int64_t least = left->offset - right->offset, largest = least;
  for (const Index* index : scope) {
    const std::int64_t factor = left->FactorOf(index) - right->FactorOf(index);
    const std::int64_t way = factor * (*index->extent - 1);
    (way < 0 ? least : largest) += way;
  }
  return std::pair(least, largest);
}

std::optional<bool> Compared(std::string_view op, std::int64_t least, std::int64_t largest) {
  const auto known = [](bool always, bool never) {
    return always ? std::optional(true) : never ? std::optional(false) : std::nullopt;
  };
  if (op == "<") return known(largest < 0, least >= 0);
  if (op == "<=") return known(largest <= 0, least > 0);
  if (op == ">") return known(least > 0, largest <= 0);
  if (op == ">=") return known(least >= 0, largest < 0);
  const bool is_zero = least == 0 && largest == 0, is_not = least > 0 || largest < 0;
  if (op == "==") return known(is_zero, is_not);
  if (op == "!=") return known(is_not, is_zero);
  return std::nullopt;
}

}  // namespace

std::optional<bool> TruthOf(const Expr& condition, const ResolvedKernel& resolution,
                            const Scope& scope) {
  if (condition.kind != Expr::Kind::kCall || condition.args.empty()) return std::nullopt;
  const std::string_view op = condition.text;
  const auto of = [&](std::size_t i) { return TruthOf(condition.args[i], resolution, scope); };
  if (op == "not") {
    const auto truth = of(0);
    return truth ? std::optional(!*truth) : std::nullopt;
  }
  if (condition.args.size() != 2) return std::nullopt;
  if (op == "and" || op == "or") {
    const auto a = of(0), b = of(1);
    const bool decides = op == "or";  // Whatever the other one is.
    if (a == decides || b == decides) return decides;
    return a && b ? std::optional(!decides) : std::nullopt;
  }
  const auto difference = Difference(condition.args[0], condition.args[1], resolution, scope);
  return difference ? Compared(op, difference->first, difference->second) : std::nullopt;
}

std::optional<std::string> NoteOfCondition(const Expr& condition, const ResolvedKernel& resolution,
                                           const Scope& scope, const dsl::DiagnosticSink& sink) {
  if (TruthOf(condition, resolution, scope) != false) return std::nullopt;
  const SourceRange& range = condition.range;
  return fmt::format("'{}' in line {} holds at no step at these sizes: nothing is taken there",
                     sink.sources().Text(range),
                     dsl::Locate(sink.sources().file(range.file).text, range.begin).line);
}

}  // namespace exh::kernels::notation
