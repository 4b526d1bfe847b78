// SPDX-License-Identifier: MIT
#include "functional/code/index.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace exh::functional {

struct IndexAtom {
  enum class Kind : std::uint8_t { kVariable, kDiv, kMod, kWithin };
  Kind kind = Kind::kVariable;
  Index of;  ///< Of all but kVariable.
  std::int64_t by = 1;
  std::int64_t min = 0, max = 0;
  std::string text;
};

namespace {

using Kind = IndexAtom::Kind;

std::int64_t FloorDiv(std::int64_t a, std::int64_t b) {
  return a / b - (a % b != 0 && a < 0 ? 1 : 0);
}
std::int64_t FloorMod(std::int64_t a, std::int64_t b) {
  return a - b * FloorDiv(a, b);
}

IndexAtomPtr Atom(Kind kind, Index of, std::int64_t by) {
  auto atom = std::make_shared<IndexAtom>();
  atom->kind = kind;
  atom->by = by;
  const std::string text = of.is_variable() ? of.Text() : "(" + of.Text() + ")";
  if (kind == Kind::kDiv) {
    atom->min = FloorDiv(of.min(), by);
    atom->max = FloorDiv(of.max(), by);
    atom->text = fmt::format("{} / {}", text, by);
  } else if (kind == Kind::kMod) {
    atom->max = by - 1;
    atom->text = fmt::format("{} % {}", text, by);
  } else {
    atom->max = by - 1;
    atom->text = text;
  }
  atom->of = std::move(of);
  return atom;
}

}  // namespace

Index Index::Variable(const std::string& name, std::int64_t extent) {
  if (extent <= 1) return {};
  auto atom = std::make_shared<IndexAtom>();
  atom->max = extent - 1;
  atom->text = name;
  return Of(atom);
}

Index Index::Of(const IndexAtomPtr& atom) {
  Index index;
  index.Add(atom, 1);
  index.FindBounds();
  return index;
}

void Index::Add(const IndexAtomPtr& atom, std::int64_t factor) {
  const auto at = std::ranges::lower_bound(
      terms_, atom->text, {},
      [](const Term& term) -> const std::string& { return term.atom->text; });
  if (at == terms_.end() || at->atom->text != atom->text) {
    if (factor != 0) terms_.insert(at, {atom, factor});
    return;
  }
  at->factor += factor;
  if (at->factor == 0) terms_.erase(at);
}

void Index::FindBounds() {
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
    const std::string quotient = Atom(Kind::kDiv, rest.atom->of, rest.atom->by)->text;
    const auto found = std::ranges::find_if(terms_, [&](const Term& term) {
      return term.factor == rest.factor * rest.atom->by && term.atom->text == quotient;
    });
    if (found == terms_.end()) continue;
    const IndexAtomPtr taken = found->atom;
    Add(taken, -found->factor);
    Add(rest.atom, -rest.factor);
    constant_ += rest.factor * rest.atom->of.constant_;
    for (const Term& term : rest.atom->of.terms_) Add(term.atom, rest.factor * term.factor);
    return Recombine();
  }
}

Index operator+(const Index& a, const Index& b) {
  Index sum = a;
  sum.constant_ += b.constant_;
  for (const Index::Term& term : b.terms_) sum.Add(term.atom, term.factor);
  sum.Recombine();
  sum.FindBounds();
  return sum;
}

Index operator*(const Index& a, std::int64_t factor) {
  Index product;
  if (factor == 0) return product;
  product.constant_ = a.constant_ * factor;
  product.terms_ = a.terms_;
  for (Index::Term& term : product.terms_) term.factor *= factor;
  product.FindBounds();
  return product;
}

Index Index::RestOf(std::int64_t by, Index& quotient) const {
  Index rest;
  quotient.constant_ = FloorDiv(constant_, by);
  rest.constant_ = FloorMod(constant_, by);
  for (const Term& term : terms_) {
    quotient.Add(term.atom, FloorDiv(term.factor, by));
    rest.Add(term.atom, FloorMod(term.factor, by));
  }
  quotient.Recombine();
  quotient.FindBounds();
  rest.FindBounds();
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
  index.FindBounds();
  return index;
}

Index Index::Div(std::int64_t by) const {
  if (by == 1) return *this;
  Index quotient;
  const Index rest = RestOf(by, quotient);
  if (rest.min_ >= 0 && rest.max_ < by) return quotient;
  const std::int64_t common = rest.CommonFactor(by);
  const Index smaller = rest.DividedBy(common);
  if (common == by) return quotient + smaller;
  return quotient + Of(Atom(Kind::kDiv, smaller, by / common));
}

Index Index::Mod(std::int64_t by) const {
  if (by == 1) return {};
  Index quotient;
  const Index rest = RestOf(by, quotient);
  if (rest.min_ >= 0 && rest.max_ < by) return rest;
  const std::int64_t common = rest.CommonFactor(by);
  const Index smaller = rest.DividedBy(common);
  const Index left = Index(FloorMod(rest.constant_, common));
  if (common == by) return left;
  return Of(Atom(Kind::kMod, smaller, by / common)) * common + left;
}

Index Index::Within(std::int64_t extent) const {
  if (extent <= 1) return {};
  if (min_ >= 0 && max_ < extent) return *this;
  return Of(Atom(Kind::kWithin, *this, extent));
}

bool Index::is_variable() const {
  return constant_ == 0 && terms_.size() == 1 && terms_[0].factor == 1 &&
         terms_[0].atom->kind == Kind::kVariable;
}

bool Index::Uses(const std::string& variable) const {
  return std::ranges::any_of(terms_, [&](const Term& term) {
    return term.atom->kind == Kind::kVariable ? term.atom->text == variable
                                              : term.atom->of.Uses(variable);
  });
}

std::int64_t Index::ValueAt(const std::function<std::int64_t(const std::string&)>& variable) const {
  std::int64_t value = constant_;
  for (const Term& term : terms_) {
    const IndexAtom& atom = *term.atom;
    if (atom.kind == Kind::kVariable) {
      value += term.factor * variable(atom.text);
      continue;
    }
    const std::int64_t of = atom.of.ValueAt(variable);
    value += term.factor * (atom.kind == Kind::kDiv   ? FloorDiv(of, atom.by)
                            : atom.kind == Kind::kMod ? FloorMod(of, atom.by)
                                                      : of);
  }
  return value;
}

std::string Index::Text() const {
  std::string text;
  for (const Term& term : terms_) {
    if (!text.empty()) text += term.factor < 0 ? " - " : " + ";
    const std::int64_t factor = text.empty() ? term.factor : std::abs(term.factor);
    const bool is_quotient = term.atom->kind == Kind::kDiv || term.atom->kind == Kind::kMod;
    if (factor == 1) {
      text += term.atom->text;
    } else {
      text += is_quotient ? fmt::format("{} * ({})", factor, term.atom->text)
                          : fmt::format("{} * {}", factor, term.atom->text);
    }
  }
  if (text.empty()) return std::to_string(constant_);
  if (constant_ != 0) text += fmt::format(" {} {}", constant_ < 0 ? '-' : '+', std::abs(constant_));
  return text;
}

}  // namespace exh::functional
