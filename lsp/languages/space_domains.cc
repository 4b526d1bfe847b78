// SPDX-License-Identifier: MIT
#include "lsp/languages/space_domains.h"

#include <fmt/format.h>

#include <cstdint>
#include <limits>
#include <map>
#include <optional>

#include "dsl/known/known_term.h"

namespace exh::lsp {
namespace {

constexpr std::int64_t kMany = std::int64_t{1} << 40;  ///< What is larger is not told.

/// Nothing where code, data or a variable stands in it.
std::optional<std::int64_t> NumberOf(const dsl::Spec& spec, const dsl::Term& term) {
  bool is_known = !term.empty();
  const auto leaf = [&](const dsl::TermNode& node) -> std::int64_t {
    const bool is_constant = node.kind == dsl::TermNode::Kind::kCode && node.external >= 0;
    const auto number =
        is_constant ? spec.externals[static_cast<std::size_t>(node.external)].number : std::nullopt;
    is_known = is_known && number;
    return number.value_or(1);
  };
  if (!is_known) return std::nullopt;
  const dsl::KnownValue known = dsl::ValueOf(term, leaf);
  if (!is_known || !known.value || known.value->down != 1) return std::nullopt;
  return known.value->up;
}

/// How many numbers are in it.
std::optional<std::int64_t> CountOf(const dsl::Spec& spec, const dsl::TermSpan& span) {
  const auto first = NumberOf(spec, span.first);
  if (span.last.empty()) return first ? std::optional<std::int64_t>(1) : std::nullopt;
  const auto last = NumberOf(spec, span.last);
  if (!first || !last || *last - *first >= kMany) return std::nullopt;
  return *last < *first ? 0 : *last - *first + 1;
}

std::optional<std::int64_t> NumDecisions(const dsl::Spec& spec, const dsl::Choice& choice) {
  std::int64_t count = 1;
  std::map<dsl::SetIndex, std::int64_t> taken;  // The objects of a decision are distinct.
  for (const dsl::Variable& argument : choice.arguments) {
    if (argument.set.set < 0) return std::nullopt;
    const dsl::Set& set = spec.sets[static_cast<std::size_t>(argument.set.set)];
    if (!set.numbers) return std::nullopt;
    const auto size = CountOf(spec, *set.numbers);
    if (!size) return std::nullopt;
    const std::int64_t left = *size - taken[argument.set.set]++;
    count *= left > 0 ? left : 0;
    if (count > kMany) return std::nullopt;
  }
  // Both orders of a pair are one decision.
  return choice.symmetry == dsl::Symmetry::kNone ? count : count / 2;
}

std::optional<std::int64_t> NumValues(const dsl::Spec& spec, const dsl::Choice& choice) {
  if (choice.kind == dsl::ChoiceKind::kEnum) return std::ssize(choice.values);
  if (choice.kind == dsl::ChoiceKind::kCounter) return std::nullopt;
  if (!choice.numbers.empty()) return std::ssize(choice.numbers);
  std::int64_t count = 0;
  for (const dsl::TermSpan& span : choice.spans) {
    const auto numbers = CountOf(spec, span);
    if (!numbers) return std::nullopt;
    count += *numbers;
  }
  return choice.spans.empty() ? std::nullopt : std::optional(count);
}

std::string Counted(std::int64_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

}  // namespace

std::string DomainInWords(const dsl::Spec& spec, const dsl::Choice& choice) {
  const auto values = NumValues(spec, choice);
  if (choice.kind == dsl::ChoiceKind::kCounter) return "";
  const auto decisions = NumDecisions(spec, choice);
  if (!decisions) return values ? Counted(*values, "value") : "";
  if (!values) return Counted(*decisions, "decision");
  return fmt::format("{} of {}{}", Counted(*decisions, "decision"), Counted(*values, "value"),
                     *decisions == 1 ? "" : " each");
}

}  // namespace exh::lsp
