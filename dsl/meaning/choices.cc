// SPDX-License-Identifier: MIT
//
// Choices: arguments, values, aliases, symmetry, universes and counters.
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "base/spelling.h"
#include "dsl/meaning/formula.h"
#include "dsl/meaning/names.h"
#include "dsl/meaning/snippet.h"

namespace exh::dsl {
namespace {

constexpr std::size_t kMaxValues = 64;  // A domain is a mask of 64 bits.

// One pass over the items of an enum. Aliases may refer to values and aliases that come later.
class EnumDefiner {
 public:
  EnumDefiner(const ast::EnumDecl& decl, Choice& choice, Resolution& r)
      : decl_(decl), choice_(choice), r_(r) {}

  void Define() {
    for (const ast::EnumItem& item : decl_.items) {
      if (const auto* value = std::get_if<ast::ValueItem>(&item)) {
        Value(*value);
      } else if (const auto* alias = std::get_if<ast::AliasItem>(&item)) {
        if (Declare(alias->name)) aliases_.emplace(alias->name.text, alias);
      }
    }
    choice_.inverse.resize(choice_.values.size());
    for (std::size_t i = 0; i < choice_.inverse.size(); ++i) {
      choice_.inverse[i] = static_cast<int>(i);
    }
    for (const ast::EnumItem& item : decl_.items) {
      if (const auto* alias = std::get_if<ast::AliasItem>(&item)) {
        const auto own = aliases_.find(alias->name.text);  // Not there when a value has its name.
        if (own != aliases_.end() && own->second == alias) Alias(*alias);
      } else if (const auto* symmetric = std::get_if<ast::SymmetricItem>(&item)) {
        SetSymmetry(Symmetry::kSymmetric, symmetric->range);
      } else if (const auto* anti = std::get_if<ast::AntisymmetricItem>(&item)) {
        SetSymmetry(Symmetry::kAntisymmetric, anti->range);
        for (const ast::InversePair& pair : anti->pairs) Pair(pair);
      }
    }
    MarkAliasesOfAliases();
    NoteUses();
  }

 private:
  bool Declare(const ast::Name& name) {
    const auto [first, fresh] = names_.emplace(name.text, name.range);
    if (fresh) return true;
    r_.sink
        .Report(Diag::kRepeatedValue, name.range,
                fmt::format("value '{}' of '{}' is declared twice", name.text, choice_.name))
        .WithNote(first->second, "declared here");
    return false;
  }

  void Value(const ast::ValueItem& value) {
    if (!Declare(value.name)) return;
    if (choice_.values.size() == kMaxValues) {
      r_.sink.Report(Diag::kTooManyValues, value.name.range,
                     fmt::format("'{}' has more than {} values", choice_.name, kMaxValues));
    }
    bits_.emplace(value.name.text, choice_.values.size());
    choice_.values.push_back({value.name.text, CleanDoc(value.doc), value.name.range});
  }

  void Unknown(const ast::Name& name) {
    std::vector<std::string> names;
    for (const auto& [known, range] : names_) names.push_back(known);
    r_.sink
        .Report(Diag::kUnknownValue, name.range,
                fmt::format("'{}' has no value '{}'{}", choice_.name, name.text,
                            DidYouMean(name.text, names)))
        .WithNote(choice_.range, fmt::format("'{}' is declared here", choice_.name));
  }

  // Expands an alias with a list of names still to look at, so that aliases of aliases may be long
  // chains; an alias met again adds nothing, except the alias itself: a loop.
  void Alias(const ast::AliasItem& alias) {
    std::uint64_t values = 0;
    std::vector<const ast::Name*> open;
    std::set<std::string> seen;
    for (const ast::Name& name : alias.values) open.push_back(&name);
    const std::set<const ast::Name*> own(open.begin(), open.end());
    while (!open.empty()) {
      const ast::Name& name = *open.back();
      open.pop_back();
      if (const auto value = bits_.find(name.text); value != bits_.end()) {
        if (value->second < kMaxValues) values |= std::uint64_t{1} << value->second;
      } else if (name.text == alias.name.text) {
        r_.sink
            .Report(Diag::kAliasCycle, name.range,
                    fmt::format("alias '{}' contains itself", alias.name.text))
            .WithNote(alias.name.range, "declared here");
      } else if (const auto other = aliases_.find(name.text); other != aliases_.end()) {
        if (!seen.insert(name.text).second) continue;
        for (const ast::Name& inner : other->second->values) open.push_back(&inner);
      } else if (own.contains(&name)) {  // A name inside another alias is that alias's mistake.
        Unknown(name);
      }
    }
    choice_.aliases.push_back({alias.name.text, CleanDoc(alias.doc), values, alias.name.range});
  }

  // Whoever names an alias inside of another one has a use for it.
  void MarkAliasesOfAliases() {
    const auto self = static_cast<ChoiceIndex>(&choice_ - r_.spec.choices.data());
    std::set<std::string_view> inside;
    for (const auto& [name, alias] : aliases_) {
      for (const ast::Name& value : alias->values) {
        if (value.text != name) inside.insert(value.text);
      }
    }
    for (std::size_t i = 0; i < choice_.aliases.size(); ++i) {
      if (inside.contains(choice_.aliases[i].name)) r_.used_aliases.emplace(self, i);
    }
  }

  // The names of values and aliases that stand in the enum itself.
  void NoteUses() {
    const auto note = [&](const ast::Name& name) {
      const auto known = names_.find(name.text);
      if (known != names_.end()) r_.Use(name.range, known->second);
    };
    for (const ast::EnumItem& item : decl_.items) {
      if (const auto* alias = std::get_if<ast::AliasItem>(&item)) {
        for (const ast::Name& name : alias->values) note(name);
      } else if (const auto* anti = std::get_if<ast::AntisymmetricItem>(&item)) {
        for (const ast::InversePair& pair : anti->pairs) {
          note(pair.from);
          note(pair.to);
        }
      }
    }
  }

  void SetSymmetry(Symmetry symmetry, SourceRange range) {
    if (choice_.symmetry == Symmetry::kNone) {
      choice_.symmetry = symmetry;
      symmetry_range_ = range;
      CheckArguments(range);
      return;
    }
    const char* const word = symmetry == Symmetry::kSymmetric ? "symmetric" : "antisymmetric";
    const bool repeated = choice_.symmetry == symmetry;
    const std::string text =
        repeated ? fmt::format("'{}' is declared {} twice", choice_.name, word)
                 : fmt::format("'{}' cannot be both symmetric and antisymmetric", choice_.name);
    r_.sink.Report(repeated ? Diag::kRepeatedSymmetry : Diag::kSymmetryConflict, range, text)
        .WithNote(symmetry_range_, "declared here");
  }

  void CheckArguments(SourceRange range) {
    if (choice_.arguments.size() != 2) {
      r_.sink
          .Report(Diag::kSymmetryArgumentCount, range,
                  fmt::format("a symmetric or antisymmetric choice takes 2 arguments, but "
                              "'{}' takes {}",
                              choice_.name, choice_.arguments.size()))
          .WithNote(choice_.range, fmt::format("'{}' is declared here", choice_.name));
    } else if (choice_.arguments[0].set != choice_.arguments[1].set &&
               choice_.arguments[0].set.set >= 0 && choice_.arguments[1].set.set >= 0) {
      r_.sink
          .Report(Diag::kSymmetryArgumentSets, range,
                  fmt::format("both arguments of '{}' must range over the same set to be "
                              "exchanged",
                              choice_.name))
          .WithNote(choice_.arguments[1].range,
                    fmt::format("'${}' is declared here", choice_.arguments[1].name));
    }
  }

  void Pair(const ast::InversePair& pair) {
    const auto from = Bit(pair.from);
    const auto to = Bit(pair.to);
    if (!from || !to) return;
    if (*from == *to) {
      r_.sink.Report(Diag::kOwnInverse, pair.to.range,
                     fmt::format("'{}' is its own inverse; leave the pair out", pair.to.text));
      return;
    }
    for (const ast::Name* name : {&pair.from, &pair.to}) {
      const auto [first, fresh] = paired_.emplace(name->text, name->range);
      if (fresh) continue;
      r_.sink
          .Report(Diag::kTwoInverses, name->range, fmt::format("'{}' has two inverses", name->text))
          .WithNote(first->second, "paired here");
      return;
    }
    choice_.inverse[*from] = static_cast<int>(*to);
    choice_.inverse[*to] = static_cast<int>(*from);
  }

  std::optional<std::size_t> Bit(const ast::Name& name) {
    if (const auto value = bits_.find(name.text); value != bits_.end()) return value->second;
    if (names_.contains(name.text)) {
      r_.sink
          .Report(Diag::kAliasInPair, name.range,
                  fmt::format("'{}' is an alias; an antisymmetric pair lists values", name.text))
          .WithNote(names_.find(name.text)->second, "declared here");
    } else {
      Unknown(name);
    }
    return std::nullopt;
  }

  const ast::EnumDecl& decl_;
  Choice& choice_;
  Resolution& r_;
  std::map<std::string, SourceRange> names_;
  std::map<std::string, SourceRange> paired_;
  std::map<std::string, std::size_t> bits_;
  std::map<std::string, const ast::AliasItem*> aliases_;
  SourceRange symmetry_range_;
};

void DefineFlag(const ast::QuotientDecl& quotient, Choice& choice, Resolution& r) {
  if (quotient.parameter) AddVariables({*quotient.parameter}, choice.arguments, r);
  AddVariables({quotient.item}, choice.arguments, r);
  choice.doc = fmt::format("Whether ${} represents its class in {}.", quotient.item.name.text,
                           quotient.name.text);
  // Nobody writes these values where they are declared: their places are empty, before and behind
  // the flag.
  SourceRange before = quotient.flag.range, behind = before;
  before.end = before.begin;
  behind.begin = behind.end;
  choice.values = {{"FALSE", "", before}, {"TRUE", "", behind}};
  choice.inverse = {0, 1};
}

void DefineBase(const ast::CounterDecl& decl, Choice& choice, Resolution& r) {
  const auto& base = *decl.base;
  if (const auto* code = std::get_if<ast::Code>(&base)) {
    choice.base = ResolveSnippet(*code, {"fun"}, choice.arguments, r.sink, r.names);
    return;
  }
  ast::TermNode known;
  if (const auto* constant = std::get_if<ast::Name>(&base)) {
    known = {TermNode::Kind::kCode, *constant, constant->range};
  } else if (const auto* instance = std::get_if<ast::Instance>(&base)) {
    known = {TermNode::Kind::kInstance, *instance, instance->range};
  }
  if (!std::holds_alternative<std::monostate>(known.operand)) {
    auto term = ResolveKnownTerm({known}, choice.arguments, "where a counter starts", r);
    if (!term) return;
    choice.base_term = std::move(*term);
    choice.base = TermInCpp(choice.base_term, choice.arguments, r);
    return;
  }
  const auto& number = std::get<ast::WrittenNumber>(base);
  choice.base_number = ResolveSigned(number, r);
  if (!choice.product || choice.base_number.value_or(0) >= 0) return;
  r.sink.Report(Diag::kNegativeProduct, number.digits.range,
                fmt::format("'{}' multiplies, and a product starts at 0 or above", choice.name));
}

// What a counter adds never makes it smaller: its bounds follow from that.
void DefineWeightTerm(const ast::CounterDecl& decl, const Scope& scope, Choice& choice,
                      Resolution& r) {
  auto term = ResolveTerm(decl.weight, scope, r);
  if (!term) return;
  const SourceRange range = decl.weight.back().range;
  if (term->fraction) {
    r.sink.Report(Diag::kFractionWeight, range,
                  fmt::format("'{}' counts whole numbers, and '/' may make a fraction; use 'div', "
                              "which rounds down",
                              choice.name));
  } else if (term->value && term->value->up < 0) {
    r.sink.Report(Diag::kNegativeWeight, range,
                  fmt::format("'{}' would count {}: what a counter adds or multiplies is 0 or more",
                              choice.name, term->value->up));
  } else {
    choice.weight_term = std::move(term->nodes);
  }
}

void DefineCounter(const ast::CounterDecl& decl, Choice& choice, Resolution& r) {
  choice.visibility = decl.visibility;
  choice.product = decl.product;
  if (decl.base) DefineBase(decl, choice, r);
  Scope scope = choice.arguments;
  std::vector<ResolvedFormula> guards;
  AddQuantifiers(decl.over, scope, guards, r);
  choice.over.assign(scope.begin() + static_cast<std::ptrdiff_t>(choice.arguments.size()),
                     scope.end());
  if (const auto* code = Only<ast::Code>(decl.weight)) {
    choice.weight_code = ResolveSnippet(*code, {"fun"}, scope, r.sink, r.names);
  } else if (const auto* instance = Only<ast::Instance>(decl.weight);
             instance != nullptr && !IsConstant(*instance, r)) {
    choice.weight = ResolveInstance(*instance, scope, r);
  } else {
    DefineWeightTerm(decl, scope, choice, r);
  }
  choice.when = ResolveConjunction(decl.when, guards, scope, "an increment", r);
}

// A universe of terms that are known before the search.
void DefineSpans(const std::vector<ast::Span>& spans, Choice& choice, Resolution& r) {
  constexpr const char* kWhat = "a number of a choice";
  bool ok = true;
  for (const ast::Span& span : spans) {
    auto first = ResolveKnownTerm(span.first, choice.arguments, kWhat, r);
    std::optional<Term> last = Term();
    if (span.last) last = ResolveKnownTerm(*span.last, choice.arguments, kWhat, r);
    ok = ok && first && last;
    for (const auto* bound : {&first, &last}) {
      if (!*bound || (*bound)->size() != 1) continue;
      const TermNode& node = (*bound)->front();
      if (node.kind != TermNode::Kind::kNumber || node.number >= 0) continue;
      r.sink.Report(Diag::kNegativeNumber, node.range,
                    fmt::format("{} is negative: the numbers of a choice are 0 or more; subtract "
                                "where the decision is used",
                                node.number));
      ok = false;
    }
    if (first && last) choice.spans.push_back({std::move(*first), std::move(*last)});
  }
  if (!ok) return;
  const ast::Span& end = spans.back();
  SourceRange range = spans.front().first.back().range;
  const SourceRange last = end.last ? end.last->back().range : end.first.back().range;
  if (last.file == range.file) range.end = last.end;
  choice.universe = UniverseInCpp(choice.spans, choice.arguments, range, r);
}

}  // namespace

std::uint64_t AllValues(const Choice& choice) {
  const std::size_t n = choice.values.size();
  return n >= kMaxValues ? ~std::uint64_t{0} : (std::uint64_t{1} << n) - 1;
}

void DefineChoices(Resolution& r) {
  for (std::size_t i = 0; i < r.spec.choices.size(); ++i) {
    Choice& choice = r.spec.choices[i];
    if (const auto* const* quotient = std::get_if<const ast::QuotientDecl*>(&r.choice_sources[i])) {
      DefineFlag(**quotient, choice, r);
      continue;
    }
    if (const auto* const* decl = std::get_if<const ast::EnumDecl*>(&r.choice_sources[i])) {
      choice.kind = ChoiceKind::kEnum;
      choice.doc = CleanDoc((*decl)->doc);
      AddVariables((*decl)->arguments, choice.arguments, r);
      EnumDefiner(**decl, choice, r).Define();
    } else if (const auto* const* integer =
                   std::get_if<const ast::IntegerDecl*>(&r.choice_sources[i])) {
      choice.kind = ChoiceKind::kInteger;
      choice.doc = CleanDoc((*integer)->doc);
      AddVariables((*integer)->arguments, choice.arguments, r);
    } else {
      const auto* counter = std::get<const ast::CounterDecl*>(r.choice_sources[i]);
      choice.kind = ChoiceKind::kCounter;
      choice.doc = CleanDoc(counter->doc);
      AddVariables(counter->arguments, choice.arguments, r);
    }
  }
  DefineLetsAndExterns(r);
  DefineNumberSets(r);
}

void DefineBodies(Resolution& r) {
  DefineLetBodies(r);
  for (std::size_t i = 0; i < r.spec.choices.size(); ++i) {
    Choice& choice = r.spec.choices[i];
    if (const auto* const* integer = std::get_if<const ast::IntegerDecl*>(&r.choice_sources[i])) {
      if (const auto* code = std::get_if<ast::Code>(&(*integer)->universe)) {
        choice.universe = ResolveSnippet(*code, {"fun"}, choice.arguments, r.sink, r.names);
      } else if (const auto* spans = std::get_if<std::vector<ast::Span>>(&(*integer)->universe)) {
        DefineSpans(*spans, choice, r);
      } else if (auto numbers = ResolveNumbers(std::get<1>((*integer)->universe), true, r)) {
        choice.numbers = std::move(*numbers);
      }
    } else if (const auto* const* counter =
                   std::get_if<const ast::CounterDecl*>(&r.choice_sources[i])) {
      DefineCounter(**counter, choice, r);
    }
  }
}

}  // namespace exh::dsl
