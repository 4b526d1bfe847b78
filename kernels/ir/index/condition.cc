// SPDX-License-Identifier: MIT
#include "kernels/ir/index/condition.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace exh::kernels::ir {
namespace {

constexpr const char* kRelations[] = {"<", "<=", "==", ">=", ">"};

bool Holds(std::int64_t left, Relation relation, std::int64_t right) {
  switch (relation) {
    case Relation::kLess:
      return left < right;
    case Relation::kAtMost:
      return left <= right;
    case Relation::kEqual:
      return left == right;
    case Relation::kAtLeast:
      return left >= right;
    case Relation::kGreater:
      break;
  }
  return left > right;
}

}  // namespace

Condition::Condition(Index left, Relation relation, Index right)
    : kind_(Kind::kComparison),
      relation_(relation),
      left_(std::move(left)),
      right_(std::move(right)) {}

Condition Condition::Joined(Kind kind, const Condition& a, const Condition& b) {
  if (a.always()) return kind == Kind::kAll ? b : a;
  if (b.always()) return kind == Kind::kAll ? a : b;
  Condition joined;
  joined.kind_ = kind;
  for (const Condition* part : {&a, &b}) {
    if (part->kind_ == kind) {
      std::ranges::copy(part->parts_, std::back_inserter(joined.parts_));
    } else {
      joined.parts_.push_back(*part);
    }
  }
  return joined;
}

Condition operator!(const Condition& a) {
  Condition negated;
  negated.kind_ = Condition::Kind::kNot;
  negated.parts_ = {a};
  return negated;
}

std::optional<Condition> Condition::Without(const Condition& part) const {
  if (*this == part) return Condition();
  if (kind_ != Kind::kAll) return std::nullopt;
  Condition rest;
  for (const Condition& each : parts_) {
    if (each != part) rest = rest && each;
  }
  return rest == *this ? std::nullopt : std::optional(rest);
}

Condition Condition::With(int first, std::span<const Index> values) const {
  Condition replaced = *this;
  replaced.left_ = left_.With(first, values);
  replaced.right_ = right_.With(first, values);
  for (Condition& part : replaced.parts_) part = part.With(first, values);
  return replaced;
}

std::optional<Index> Condition::Last(int variable) const {
  const bool is_end = kind_ == Kind::kComparison && relation_ <= Relation::kAtMost &&
                      left_.variable() != nullptr && left_.variable()->number == variable;
  if (!is_end) return std::nullopt;
  return relation_ == Relation::kLess ? right_ - Index(1) : right_;
}

std::optional<std::int64_t> Condition::Most(int variable) const {
  std::optional<std::int64_t> most;
  if (const auto last = Last(variable)) most = last->max();
  if (kind_ != Kind::kAll) return most;
  for (const Condition& part : parts_) {
    const std::optional<std::int64_t> of_part = part.Most(variable);
    if (of_part && (!most || *of_part < *most)) most = of_part;
  }
  return most;
}

bool Condition::Uses(int variable, int count) const {
  return left_.Uses(variable, count) || right_.Uses(variable, count) ||
         std::ranges::any_of(parts_, [&](const Condition& of) { return of.Uses(variable, count); });
}

bool Condition::HoldsAt(std::span<const std::int64_t> values) const {
  const auto holds = [&](const Condition& part) { return part.HoldsAt(values); };
  switch (kind_) {
    case Kind::kComparison:
      return Holds(left_.At(values), relation_, right_.At(values));
    case Kind::kAll:
      return std::ranges::all_of(parts_, holds);
    case Kind::kAny:
      return std::ranges::any_of(parts_, holds);
    case Kind::kNot:
      break;
  }
  return !holds(parts_.front());
}

int Condition::NumQuotients() const {
  int count = left_.NumQuotients() + right_.NumQuotients();
  for (const Condition& part : parts_) count += part.NumQuotients();
  return count;
}

void Condition::AddExtremes(IndexExtremes& called) const {
  left_.AddExtremes(called);
  right_.AddExtremes(called);
  for (const Condition& part : parts_) part.AddExtremes(called);
}

std::string Condition::Text(IndexOrder order) const {
  if (kind_ == Kind::kComparison) {
    return fmt::format("{} {} {}", left_.Text(order),
                       kRelations[static_cast<std::size_t>(relation_)], right_.Text(order));
  }
  if (kind_ == Kind::kNot) return "!(" + parts_.front().Text(order) + ")";
  std::string text;
  for (const Condition& part : parts_) {
    if (!text.empty()) text += kind_ == Kind::kAll ? " && " : " || ";
    const bool has_brackets = part.kind_ == Kind::kAll || part.kind_ == Kind::kAny;
    text += has_brackets ? "(" + part.Text(order) + ")" : part.Text(order);
  }
  return text.empty() ? "true" : text;
}

std::strong_ordering operator<=>(const Condition& a, const Condition& b) {
  if (const auto order = a.kind_ <=> b.kind_; order != 0) return order;
  if (const auto order = a.relation_ <=> b.relation_; order != 0) return order;
  if (const auto order = a.left_ <=> b.left_; order != 0) return order;
  if (const auto order = a.right_ <=> b.right_; order != 0) return order;
  return std::lexicographical_compare_three_way(a.parts_.begin(), a.parts_.end(), b.parts_.begin(),
                                                b.parts_.end());
}

}  // namespace exh::kernels::ir
