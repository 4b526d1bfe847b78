// SPDX-License-Identifier: MIT
#include "kernels/ir/index/index.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

#include "kernels/ir/index/condition.h"

namespace exh::kernels::ir {
namespace {

using Kind = IndexAtom::Kind;

std::int64_t FloorDiv(std::int64_t a, std::int64_t b) {
  return a / b - (a % b != 0 && a < 0 ? 1 : 0);
}
std::int64_t FloorMod(std::int64_t a, std::int64_t b) {
  return a - b * FloorDiv(a, b);
}

std::strong_ordering Compare(const IndexAtom& a, const IndexAtom& b) {
  if (&a == &b) return std::strong_ordering::equal;
  if (const auto order = a.kind <=> b.kind; order != 0) return order;
  if (a.kind == Kind::kVariable) return a.variable.number <=> b.variable.number;
  if (const auto order = a.by <=> b.by; order != 0) return order;
  if (const auto order = a.of <=> b.of; order != 0) return order;
  if (const auto order = a.other <=> b.other; order != 0) return order;
  return a.condition == nullptr ? std::strong_ordering::equal : *a.condition <=> *b.condition;
}

IndexAtom DivAtom(Index of, std::int64_t by) {
  const std::int64_t min = FloorDiv(of.min(), by), max = FloorDiv(of.max(), by);
  return {.kind = Kind::kDiv, .of = std::move(of), .by = by, .min = min, .max = max};
}
IndexAtom ModAtom(Index of, std::int64_t by) {
  return {.kind = Kind::kMod, .of = std::move(of), .by = by, .max = by - 1};
}

std::string TextOf(const IndexAtom& atom, IndexOrder order) {
  switch (atom.kind) {
    case Kind::kVariable:
      return atom.variable.name;
    case Kind::kMin:
    case Kind::kMax:
      return fmt::format("{}({}, {})", atom.kind == Kind::kMin ? "min" : "max", atom.of.Text(order),
                         atom.other.Text(order));
    case Kind::kChoice:
      return fmt::format("({} ? {} : {})", atom.condition->Text(order), atom.of.Text(order),
                         atom.other.Text(order));
    default:
      break;
  }
  const std::string of =
      atom.of.variable() != nullptr ? atom.of.Text(order) : "(" + atom.of.Text(order) + ")";
  if (atom.kind == Kind::kWithin) return of;
  return fmt::format("{} {} {}", of, atom.kind == Kind::kDiv ? '/' : '%', atom.by);
}

Index WithIn(const IndexAtom& atom, int first, std::span<const Index> values) {
  if (atom.kind == Kind::kVariable) {
    const auto place = static_cast<std::size_t>(atom.variable.number - first);
    return place < values.size() ? values[place] : Index(atom.variable);
  }
  const Index of = atom.of.With(first, values), other = atom.other.With(first, values);
  switch (atom.kind) {
    case Kind::kDiv:
      return of.Div(atom.by);
    case Kind::kMod:
      return of.Mod(atom.by);
    case Kind::kMin:
      return Index::Min(of, other);
    case Kind::kMax:
      return Index::Max(of, other);
    case Kind::kChoice:
      return Index::Choice(atom.condition->With(first, values), of, other);
    default:
      return of.Within(atom.by);
  }
}

bool IsUsedIn(const IndexAtom& atom, int variable, int count) {
  if (atom.kind == Kind::kVariable) {
    return atom.variable.number >= variable && atom.variable.number < variable + count;
  }
  return atom.of.Uses(variable, count) || atom.other.Uses(variable, count) ||
         (atom.condition != nullptr && atom.condition->Uses(variable, count));
}

std::int64_t ValueOf(const IndexAtom& atom, std::span<const std::int64_t> values) {
  switch (atom.kind) {
    case Kind::kVariable: {
      const auto number = static_cast<std::size_t>(atom.variable.number);
      return number < values.size() ? values[number] : 0;
    }
    case Kind::kDiv:
      return FloorDiv(atom.of.At(values), atom.by);
    case Kind::kMod:
      return FloorMod(atom.of.At(values), atom.by);
    case Kind::kMin:
      return std::min(atom.of.At(values), atom.other.At(values));
    case Kind::kMax:
      return std::max(atom.of.At(values), atom.other.At(values));
    case Kind::kChoice:
      return (atom.condition->HoldsAt(values) ? atom.of : atom.other).At(values);
    case Kind::kWithin:
      break;
  }
  return atom.of.At(values);
}

}  // namespace

Index::Index(const IndexVariable& variable)
    : Index(Of({.variable = variable, .min = variable.min, .max = variable.max})) {}

Index Index::Of(IndexAtom atom) {
  Index index;
  index.terms_.push_back({std::make_shared<const IndexAtom>(std::move(atom)), 1});
  index.FindRange();
  return index;
}

void Index::Add(const Term& added) {
  const auto at = std::ranges::lower_bound(
      terms_, *added.atom, [](const IndexAtom& a, const IndexAtom& b) { return Compare(a, b) < 0; },
      [](const Term& term) -> const IndexAtom& { return *term.atom; });
  if (at == terms_.end() || Compare(*at->atom, *added.atom) != 0) {
    if (added.factor != 0) terms_.insert(at, added);
    return;
  }
  at->factor += added.factor;
  if (at->factor == 0) terms_.erase(at);
}

void Index::FindRange() {
  min_ = max_ = constant_;
  for (const Term& term : terms_) {
    const std::int64_t a = term.factor * term.atom->min, b = term.factor * term.atom->max;
    min_ += std::min(a, b);
    max_ += std::max(a, b);
  }
}

/// n * (x / n) + x % n is x.
void Index::Recombine() {
  for (std::size_t i = 0; i < terms_.size(); ++i) {
    const Term rest = terms_[i];
    if (rest.atom->kind != Kind::kMod) continue;
    const auto found = std::ranges::find_if(terms_, [&](const Term& term) {
      return term.factor == rest.factor * rest.atom->by && term.atom->kind == Kind::kDiv &&
             term.atom->by == rest.atom->by && term.atom->of == rest.atom->of;
    });
    if (found == terms_.end()) continue;
    const Term quotient = *found;
    Add({quotient.atom, -quotient.factor});
    Add({rest.atom, -rest.factor});
    constant_ += rest.factor * rest.atom->of.constant_;
    for (const Term& term : rest.atom->of.terms_) Add({term.atom, rest.factor * term.factor});
    return Recombine();
  }
}

Index operator+(const Index& a, const Index& b) {
  Index sum = a;
  sum.constant_ += b.constant_;
  for (const Index::Term& term : b.terms_) sum.Add(term);
  sum.Recombine();
  sum.FindRange();
  return sum;
}

Index operator*(const Index& a, std::int64_t factor) {
  Index product;
  if (factor == 0) return product;
  product.constant_ = a.constant_ * factor;
  product.terms_ = a.terms_;
  for (Index::Term& term : product.terms_) term.factor *= factor;
  product.FindRange();
  return product;
}

Index Index::RestOf(std::int64_t by, Index& quotient) const {
  Index rest;
  quotient.constant_ = FloorDiv(constant_, by);
  rest.constant_ = FloorMod(constant_, by);
  for (const Term& term : terms_) {
    quotient.Add({term.atom, FloorDiv(term.factor, by)});
    rest.Add({term.atom, FloorMod(term.factor, by)});
  }
  rest.FindRange();
  const std::int64_t below = FloorDiv(rest.min_, by);  // C++ rounds what is negative up.
  if (below < 0) {
    quotient.constant_ += below;
    rest.constant_ -= below * by;
    rest.FindRange();
  }
  quotient.Recombine();
  quotient.FindRange();
  return rest;
}

std::int64_t Index::CommonFactor(std::int64_t by) const {
  std::int64_t common = by;
  for (const Term& term : terms_) common = std::gcd(common, term.factor);
  return common;
}

/// The constant is rounded down.
Index Index::DividedBy(std::int64_t factor) const {
  Index index;
  index.constant_ = FloorDiv(constant_, factor);
  index.terms_ = terms_;
  for (Term& term : index.terms_) term.factor /= factor;
  index.FindRange();
  return index;
}

Index Index::Div(std::int64_t by) const {
  if (by == 1) return *this;
  Index quotient;
  const Index rest = RestOf(by, quotient);
  if (rest.min_ >= 0 && rest.max_ < by) return quotient;
  const std::int64_t common = rest.CommonFactor(by);
  Index smaller = rest.DividedBy(common);
  if (common == by) return quotient + smaller;
  return quotient + Of(DivAtom(std::move(smaller), by / common));
}

Index Index::Mod(std::int64_t by) const {
  if (by == 1) return {};
  Index quotient;
  const Index rest = RestOf(by, quotient);
  if (rest.min_ >= 0 && rest.max_ < by) return rest;
  const std::int64_t common = rest.CommonFactor(by);
  const Index left(FloorMod(rest.constant_, common));
  if (common == by) return left;
  return Of(ModAtom(rest.DividedBy(common), by / common)) * common + left;
}

Index Index::Within(std::int64_t extent) const {
  if (extent <= 1) return {};
  if (min_ >= 0 && max_ < extent) return *this;
  return Of({.kind = Kind::kWithin, .of = *this, .by = extent, .max = extent - 1});
}

Index Index::Min(const Index& a, const Index& b) {
  if (a == b || a.max_ <= b.min_) return a;
  if (b.max_ <= a.min_) return b;
  return Of({.kind = Kind::kMin,
             .of = a,
             .other = b,
             .min = std::min(a.min_, b.min_),
             .max = std::min(a.max_, b.max_)});
}

Index Index::Max(const Index& a, const Index& b) {
  if (a == b || a.min_ >= b.max_) return a;
  if (b.min_ >= a.max_) return b;
  return Of({.kind = Kind::kMax,
             .of = a,
             .other = b,
             .min = std::max(a.min_, b.min_),
             .max = std::max(a.max_, b.max_)});
}

Index Index::Choice(const Condition& condition, const Index& a, const Index& b) {
  if (a == b) return a;
  return Of({.kind = Kind::kChoice,
             .of = a,
             .other = b,
             .condition = std::make_shared<const Condition>(condition),
             .min = std::min(a.min_, b.min_),
             .max = std::max(a.max_, b.max_)});
}

Index Index::With(int first, std::span<const Index> values) const {
  if (!Uses(first, static_cast<int>(values.size()))) return *this;
  Index sum = constant_;
  for (const Term& term : terms_) sum = sum + WithIn(*term.atom, first, values) * term.factor;
  return sum;
}

std::optional<std::int64_t> Index::number() const {
  return terms_.empty() ? std::optional(constant_) : std::nullopt;
}

const IndexVariable* Index::variable() const {
  const bool is_variable = constant_ == 0 && terms_.size() == 1 && terms_[0].factor == 1 &&
                           terms_[0].atom->kind == Kind::kVariable;
  return is_variable ? &terms_[0].atom->variable : nullptr;
}

bool Index::IsAffine() const {
  return std::ranges::all_of(terms_,
                             [](const Term& term) { return term.atom->kind == Kind::kVariable; });
}

std::int64_t Index::FactorOf(int variable) const {
  for (const Term& term : terms_) {
    const IndexAtom& atom = *term.atom;
    if (atom.kind == Kind::kVariable && atom.variable.number == variable) return term.factor;
  }
  return 0;
}

bool Index::Uses(int variable, int count) const {
  return std::ranges::any_of(
      terms_, [&](const Term& term) { return IsUsedIn(*term.atom, variable, count); });
}

int Index::NumQuotients() const {
  int count = 0;
  for (const Term& term : terms_) {
    if (term.atom->kind == Kind::kDiv || term.atom->kind == Kind::kMod) ++count;
    count += term.atom->of.NumQuotients() + term.atom->other.NumQuotients();
    if (term.atom->condition != nullptr) count += term.atom->condition->NumQuotients();
  }
  return count;
}

void Index::AddExtremes(IndexExtremes& called) const {
  for (const Term& term : terms_) {
    const IndexAtom& atom = *term.atom;
    called.min |= atom.kind == Kind::kMin;
    called.max |= atom.kind == Kind::kMax;
    atom.of.AddExtremes(called);
    atom.other.AddExtremes(called);
    if (atom.condition != nullptr) atom.condition->AddExtremes(called);
  }
}

std::int64_t Index::At(std::span<const std::int64_t> values) const {
  std::int64_t sum = constant_;
  for (const Term& term : terms_) sum += term.factor * ValueOf(*term.atom, values);
  return sum;
}

std::string Index::Text(IndexOrder order) const {
  std::vector<std::tuple<std::int64_t, std::string, const Term*>> sorted;
  for (const Term& term : terms_) {
    const std::int64_t first = order == IndexOrder::kNames ? 0 : -term.factor;
    sorted.emplace_back(first, TextOf(*term.atom, order), &term);
  }
  std::ranges::sort(sorted);
  std::string text;
  for (const auto& [first, atom, term] : sorted) {
    const bool is_negative = term->factor < 0, is_first = text.empty();
    text += is_first ? (is_negative ? "-" : "") : is_negative ? " - " : " + ";
    const std::string factor = std::to_string(std::abs(term->factor));
    const bool is_quotient = term->atom->kind == Kind::kDiv || term->atom->kind == Kind::kMod;
    const bool has_brackets = is_quotient && (factor != "1" || (is_negative && is_first));
    const std::string whole = has_brackets ? "(" + atom + ")" : atom;
    text += factor == "1"                 ? whole
            : order == IndexOrder::kNames ? factor + " * " + whole
                                          : whole + " * " + factor;
  }
  if (text.empty()) return std::to_string(constant_);
  if (constant_ != 0) text += fmt::format(" {} {}", constant_ < 0 ? '-' : '+', std::abs(constant_));
  return text;
}

std::strong_ordering operator<=>(const Index& a, const Index& b) {
  if (const auto order = a.terms_.size() <=> b.terms_.size(); order != 0) return order;
  for (std::size_t i = 0; i < a.terms_.size(); ++i) {
    const Index::Term &of_a = a.terms_[i], &of_b = b.terms_[i];
    if (const auto order = Compare(*of_a.atom, *of_b.atom); order != 0) return order;
    if (const auto order = of_a.factor <=> of_b.factor; order != 0) return order;
  }
  return a.constant_ <=> b.constant_;
}

}  // namespace exh::kernels::ir
