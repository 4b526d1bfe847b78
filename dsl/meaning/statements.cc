// SPDX-License-Identifier: MIT
//
// Statements that declare no set and no choice, and the sugar of enums.
//
// `value V: requires C` in `choice(args)` means: for all arguments, every disjunction of C or
// `choice(args) is not V`. The quantifier runs over all ordered tuples of distinct objects, so a
// symmetric choice meets each pair in both orders, as it has to.
#include "dsl/meaning/statements.h"

#include <fmt/format.h>

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "base/spelling.h"
#include "dsl/meaning/formula.h"
#include "dsl/meaning/names.h"
#include "dsl/meaning/snippet.h"
#include "dsl/syntax/print.h"

namespace exh::dsl {
namespace {

// Gives every statement a name: its label, or one that no other statement has. Counting per choice
// keeps the names of the others when a requirement is added elsewhere.
class Labels {
 public:
  explicit Labels(Resolution& r) : r_(r) {}

  void Reserve(const std::optional<ast::Name>& label) {
    if (!label) return;
    const auto [first, fresh] = explicit_.emplace(label->text, label->range);
    if (fresh) return;
    r_.sink
        .Report(Diag::kRepeatedLabel, label->range,
                fmt::format("label '{}' is used twice", label->text))
        .WithNote(first->second, "used here");
  }

  std::string Name(const std::optional<ast::Name>& label, const std::string& stem) {
    if (label) return label->text;
    while (true) {
      std::string name = fmt::format("{}_{}", stem, ++last_[stem]);
      if (!explicit_.contains(name) && given_.insert(name).second) return name;
    }
  }

 private:
  Resolution& r_;
  std::map<std::string, SourceRange> explicit_;
  std::set<std::string> given_;
  std::map<std::string, int> last_;
};

// Whether the spec's entry is this declaration: the second declaration of a name is reported and
// left out.
bool IsDeclaredAt(SourceRange entry, SourceRange declaration) {
  return entry == declaration;
}

std::string FirstChoice(const ast::Term& term) {
  for (const ast::TermNode& node : term) {
    if (const auto* use = std::get_if<ast::Instance>(&node.operand)) return use->choice.text;
  }
  return "";
}

// The first choice that a formula mentions, or what stands for one; empty: none.
std::string FirstChoice(const ast::Formula& formula) {
  for (const ast::Formula& part : formula.parts) {
    if (std::string name = FirstChoice(part); !name.empty()) return name;
  }
  if (!formula.condition) return "";
  if (const auto* test = std::get_if<ast::IsTest>(&formula.condition->kind)) {
    return test->instance.choice.text;
  }
  if (const auto* comparison = std::get_if<ast::TermComparison>(&formula.condition->kind)) {
    std::string left = FirstChoice(comparison->left);
    return left.empty() ? FirstChoice(comparison->right) : left;
  }
  const auto* use = std::get_if<ast::Instance>(&formula.condition->kind);
  return use == nullptr ? "" : use->choice.text;
}

// What an unlabelled requirement is named after.
std::string FirstChoice(const ast::Constraint& constraint) {
  for (const ast::Formula& formula : constraint.clauses) {
    if (std::string name = FirstChoice(formula); !name.empty()) return name;
  }
  return "require";
}

class Statements {
 public:
  explicit Statements(Resolution& r) : r_(r), labels_(r) {}

  void File(const ast::File& file) {
    for (const ast::Statement& statement : file.statements) {
      if (const auto* require = std::get_if<ast::RequireDecl>(&statement)) {
        labels_.Reserve(require->label);
      } else if (const auto* trigger = std::get_if<ast::TriggerDecl>(&statement)) {
        labels_.Reserve(trigger->label);
      }
    }
    for (const ast::Statement& statement : file.statements) {
      if (const auto* choice = std::get_if<ast::EnumDecl>(&statement)) {
        Enum(*choice);
      } else if (const auto* require = std::get_if<ast::RequireDecl>(&statement)) {
        Require(*require);
      } else if (const auto* quotient = std::get_if<ast::QuotientDecl>(&statement)) {
        Quotient(*quotient);
      } else if (const auto* trigger = std::get_if<ast::TriggerDecl>(&statement)) {
        Trigger(*trigger);
      } else if (const auto* host = std::get_if<ast::HostDecl>(&statement)) {
        Host(*host);
      } else if (const auto* decide = std::get_if<ast::DecideDecl>(&statement)) {
        Decide(*decide);
      } else if (const auto* objective = std::get_if<ast::ObjectiveDecl>(&statement)) {
        Objective(*objective);
      } else if (const auto* bound = std::get_if<ast::LowerBoundDecl>(&statement)) {
        LowerBound(*bound);
      }
    }
  }

 private:
  void AddConstraint(const ast::Constraint& constraint, Requirement& requirement) {
    std::vector<ResolvedFormula> guards;
    AddQuantifiers(constraint.foralls, requirement.variables, guards, r_);
    requirement.clauses = ResolveClauses(constraint.clauses, guards, requirement.variables, r_);
  }

  void Require(const ast::RequireDecl& decl) {
    Requirement requirement;
    requirement.label = labels_.Name(decl.label, FirstChoice(decl.constraint));
    requirement.doc = CleanDoc(decl.doc);
    requirement.text = Print(decl.constraint);
    requirement.range = decl.range;
    AddConstraint(decl.constraint, requirement);
    if (decl.constraint.clauses.empty()) {
      r_.sink.Report(Diag::kEmptyRequirement, decl.range,
                     "this requirement has no condition and requires nothing");
    }
    r_.spec.requirements.push_back(std::move(requirement));
  }

  void Enum(const ast::EnumDecl& decl) {
    const auto found = r_.choice_by_name.find(decl.name.text);
    if (found == r_.choice_by_name.end()) return;
    if (!IsDeclaredAt(r_.choice(found->second).range, decl.name.range)) return;
    for (const ast::EnumItem& item : decl.items) {
      if (const auto* value = std::get_if<ast::ValueItem>(&item)) {
        for (const auto& c : value->requirements) Requires(found->second, value->name, c);
      } else if (const auto* alias = std::get_if<ast::AliasItem>(&item)) {
        for (const auto& c : alias->requirements) Requires(found->second, alias->name, c);
      }
    }
  }

  void Requires(ChoiceIndex index, const ast::Name& value, const ast::Constraint& constraint) {
    const Choice& choice = r_.choice(index);
    Requirement requirement;
    requirement.label = labels_.Name(std::nullopt, choice.name);
    requirement.text = fmt::format("{} requires {}", value.text, Print(constraint));
    requirement.range = constraint.range;
    requirement.variables = choice.arguments;
    AddConstraint(constraint, requirement);

    Condition otherwise;
    otherwise.kind = Condition::Kind::kIs;
    otherwise.lhs = {index, {}, value.range};
    for (std::size_t i = 0; i < choice.arguments.size(); ++i) {
      otherwise.lhs.arguments.push_back(static_cast<int>(i));
    }
    otherwise.values = AllValues(choice) & ~ResolveValues({value}, choice, r_);
    otherwise.range = value.range;
    for (auto& clause : requirement.clauses) clause.push_back(otherwise);
    r_.spec.requirements.push_back(std::move(requirement));
  }

  void Quotient(const ast::QuotientDecl& decl) {
    const auto set = r_.set_by_name.find(decl.name.text);
    const auto flag = r_.choice_by_name.find(decl.flag.text);
    if (set == r_.set_by_name.end() || flag == r_.choice_by_name.end()) return;
    if (!IsDeclaredAt(r_.set(set->second).range, decl.name.range)) return;
    if (!IsDeclaredAt(r_.choice(flag->second).range, decl.flag.range)) return;
    dsl::Quotient quotient;
    quotient.set = set->second;
    quotient.flag = flag->second;
    quotient.variables = r_.choice(flag->second).arguments;
    quotient.range = decl.name.range;
    if (decl.dividend) {
      quotient.dividend =
          ResolveConjunction({*decl.dividend}, {}, quotient.variables, "a dividend", r_);
    }
    quotient.equivalence = FindChoice(decl.equivalence, r_);
    if (quotient.equivalence >= 0) {
      Equivalence(decl, quotient);
    }
    r_.spec.quotients.push_back(std::move(quotient));
  }

  void Equivalence(const ast::QuotientDecl& decl, dsl::Quotient& quotient) {
    const Choice& choice = r_.choice(quotient.equivalence);
    if (choice.kind != ChoiceKind::kEnum || choice.symmetry == Symmetry::kNone) {
      r_.sink
          .Report(Diag::kEquivalenceKind, decl.equivalence.range,
                  fmt::format("the equivalence '{}' must be a symmetric or antisymmetric enum",
                              choice.name))
          .WithNote(choice.range, fmt::format("'{}' is declared here", choice.name));
      return;
    }
    quotient.equivalence_values = ResolveValues(decl.values, choice, r_);
    for (std::size_t i = 0; i < choice.inverse.size() && i < 64; ++i) {
      const auto inverse = static_cast<std::size_t>(choice.inverse[i]);
      if (((quotient.equivalence_values >> i) & 1) == 0) continue;
      if (inverse >= 64 || ((quotient.equivalence_values >> inverse) & 1) != 0) continue;
      r_.sink
          .Report(Diag::kEquivalenceOneWay, decl.values.front().range,
                  fmt::format("an equivalence must hold both ways: '{}' is listed, but its inverse "
                              "'{}' is not",
                              choice.values[i].name, choice.values[inverse].name))
          .WithNote(choice.range, fmt::format("'{}' is declared here", choice.name));
    }
    const SetIndex items = quotient.variables.back().set.set;
    const SetIndex wanted = choice.arguments.empty() ? -1 : choice.arguments[0].set.set;
    if (IsSubset(items, wanted, r_)) return;
    r_.sink
        .Report(Diag::kEquivalenceSets, decl.equivalence.range,
                fmt::format("'{}' compares objects of '{}', but '${}' is in '{}'", choice.name,
                            r_.set(wanted).name, decl.item.name.text, r_.set(items).name))
        .WithNote(choice.range, fmt::format("'{}' is declared here", choice.name));
  }

  void Trigger(const ast::TriggerDecl& decl) {
    dsl::Trigger trigger;
    trigger.label = labels_.Name(decl.label, "trigger");
    trigger.range = decl.range;
    std::vector<ResolvedFormula> guards;
    AddQuantifiers(decl.foralls, trigger.variables, guards, r_);
    trigger.code = ResolveSnippet(decl.code, {"fun"}, trigger.variables, r_.sink, r_.names);
    trigger.when = ResolveConjunction({decl.when}, guards, trigger.variables, "a trigger", r_);
    if (decl.adds) {
      Adds(*decl.adds, trigger);
    } else {
      for (std::size_t i = 0; i < r_.spec.sets.size(); ++i) {
        const Set& set = r_.spec.sets[i];
        const bool listed = set.keys[static_cast<std::size_t>(SetKey::kNewObjs)].has_value();
        if (listed && !set.is_quotient) trigger.adds.push_back(static_cast<SetIndex>(i));
      }
    }
    r_.spec.triggers.push_back(std::move(trigger));
  }

  void Adds(const std::vector<ast::Name>& names, dsl::Trigger& trigger) {
    std::map<SetIndex, SourceRange> seen;
    for (const ast::Name& name : names) {
      const SetIndex set = FindSet(name, r_);
      if (set < 0) continue;
      if (r_.set(set).is_quotient) {
        r_.sink
            .Report(Diag::kAddsToQuotient, name.range,
                    fmt::format("a trigger cannot add to the quotient set '{}': its "
                                "members follow from its flag",
                                name.text))
            .WithNote(r_.set(set).range, fmt::format("'{}' is declared here", name.text));
        continue;
      }
      const auto [first, fresh] = seen.emplace(set, name.range);
      if (!fresh) {
        r_.sink
            .Report(Diag::kAddsTwice, name.range,
                    fmt::format("set '{}' is listed twice", name.text))
            .WithNote(first->second, "listed here");
        continue;
      }
      if (!r_.set(set).keys[static_cast<std::size_t>(SetKey::kNewObjs)]) {
        r_.sink
            .Report(Diag::kAddsWithoutNewObjs, name.range,
                    fmt::format("set '{}' has no key 'new_objs', so a trigger cannot "
                                "add to it",
                                name.text))
            .WithNote(r_.set(set).range, fmt::format("'{}' is declared here", name.text));
        continue;
      }
      trigger.adds.push_back(set);
    }
  }

  void Host(const ast::HostDecl& decl) {
    if (decl.language.text != "c++") {
      r_.sink.Report(
          Diag::kUnknownHost, decl.language.range,
          fmt::format("unknown host language '{}': only 'c++' is compiled", decl.language.text));
    }
    if (host_) {
      r_.sink.Report(Diag::kSecondHost, decl.range, "a second 'host' statement")
          .WithNote(*host_, "the first one is here");
      return;
    }
    host_ = decl.range;
    dsl::Host host;
    host.range = decl.range;
    std::optional<SourceRange> backbone;
    for (const ast::HostEntry& entry : decl.entries) {
      Snippet snippet = ResolveSnippet(entry.code, {}, {}, r_.sink, r_.names);
      if (entry.word.text == "header") {
        host.headers.push_back(std::move(snippet));
      } else if (entry.word.text != "backbone") {
        r_.sink.Report(Diag::kUnknownHostKey, entry.word.range,
                       fmt::format("unknown key '{}' in 'host'{}", entry.word.text,
                                   DidYouMean(entry.word.text, {"backbone", "header"})));
      } else if (backbone) {
        r_.sink.Report(Diag::kRepeatedHostKey, entry.word.range, "key 'backbone' is given twice")
            .WithNote(*backbone, "given here");
      } else {
        backbone = entry.word.range;
        host.backbone = std::move(snippet);
      }
    }
    if (!backbone)
      r_.sink.Report(Diag::kNoBackbone, decl.range,
                     "'host' needs the key 'backbone', the type of '$fun'");
    r_.spec.host = std::move(host);
  }

  void Decide(const ast::DecideDecl& decl) {
    if (decide_) {
      const SourceRange here = decl.range;
      r_.sink.Report(Diag::kSecondDecide, decl.range, "a second 'decide' statement")
          .WithNote(*decide_,
                    *decide_ == here ? "the file is included twice" : "the first one is here");
      return;
    }
    decide_ = decl.range;
    std::map<std::string, SourceRange> seen;
    for (const ast::Name& name : decl.choices) {
      const auto [first, fresh] = seen.emplace(name.text, name.range);
      if (!fresh) {
        r_.sink
            .Report(Diag::kDecidesTwice, name.range,
                    fmt::format("choice '{}' is listed twice", name.text))
            .WithNote(first->second, "listed here");
        continue;
      }
      const ChoiceIndex choice = Decidable(name);
      if (choice >= 0) r_.spec.order.push_back(choice);
    }
  }

  // Index of the choice that a search can decide, or -1 after a report.
  ChoiceIndex Decidable(const ast::Name& name) {
    if (const auto let = r_.let_by_name.find(name.text); let != r_.let_by_name.end()) {
      NotDecided(name, fmt::format("'{}' is no choice", name.text),
                 r_.lets[let->second].decl->name.range);
      return -1;
    }
    if (const auto found = r_.external_by_name.find(name.text);
        found != r_.external_by_name.end()) {
      NotDecided(name, fmt::format("'{}' is no choice", name.text),
                 r_.spec.externals[static_cast<std::size_t>(found->second)].range);
      return -1;
    }
    const ChoiceIndex index = FindChoice(name, r_);
    if (index < 0) return -1;
    const Choice& choice = r_.choice(index);
    if (choice.kind == ChoiceKind::kCounter) {
      NotDecided(name, fmt::format("the counter '{}' follows from what it counts", name.text),
                 choice.range);
      return -1;
    }
    const ChoiceSource& source = r_.choice_sources[static_cast<std::size_t>(index)];
    if (std::holds_alternative<const ast::QuotientDecl*>(source)) {
      NotDecided(name, fmt::format("the flag '{}' follows from its quotient", name.text),
                 choice.range);
      return -1;
    }
    return index;
  }

  // Whether there is none before; `first` remembers this one.
  bool IsFirst(SourceRange here, const char* what, Diag diag, std::optional<SourceRange>& first) {
    if (!first) {
      first = here;
      return true;
    }
    r_.sink.Report(diag, here, fmt::format("a second {}", what))
        .WithNote(*first, *first == here ? "the file is included twice" : "the first one is here");
    return false;
  }

  void Objective(const ast::ObjectiveDecl& decl) {
    const char* const word = decl.maximize ? "maximize" : "minimize";
    if (!IsFirst(decl.range, "objective", Diag::kSecondObjective, objective_)) return;
    auto term = ResolveTerm(decl.term, {}, r_);
    if (!term) return;
    const SourceRange range = decl.term.back().range;
    if (!term->decision) {
      r_.sink.Report(
          Diag::kKnownObjective, range,
          fmt::format("no decision stands after '{}': all implementations are equal", word));
      return;
    }
    if (term->fraction) {
      r_.sink.Report(
          Diag::kFractionObjective, range,
          "an objective is a whole number, and '/' may make a fraction; use 'div', which "
          "rounds down, or multiply");
      return;
    }
    r_.spec.objective = SpaceObjective{decl.maximize, std::move(term->nodes),
                                       CleanDoc(Print(decl.term)), decl.range};
  }

  void LowerBound(const ast::LowerBoundDecl& decl) {
    if (!IsFirst(decl.range, "lower bound", Diag::kSecondLowerBound, lower_bound_)) return;
    const std::map<std::string, double> units = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6}, {"s", 1e9}};
    const auto unit = units.find(decl.unit.text);
    if (unit == units.end()) {
      r_.sink.Report(
          Diag::kUnknownUnit, decl.unit.range,
          fmt::format("unknown unit '{}': a lower bound is in ns, us, ms or s", decl.unit.text));
    }
    auto term = ResolveTerm(decl.term, {}, r_);
    if (!term || unit == units.end()) return;
    r_.spec.lower_bound =
        TimeBound{unit->second, std::move(term->nodes), CleanDoc(Print(decl.term)), decl.range};
  }

  void NotDecided(const ast::Name& name, const std::string& what, SourceRange declared) {
    r_.sink.Report(Diag::kNotDecided, name.range, fmt::format("{} and cannot be decided", what))
        .WithNote(declared, fmt::format("'{}' is declared here", name.text));
  }

  Resolution& r_;
  Labels labels_;
  std::optional<SourceRange> host_, decide_, objective_, lower_bound_;
};

}  // namespace

void DefineStatements(const ast::File& file, Resolution& r) {
  Statements(r).File(file);
}

void DefineTerms(const std::vector<ast::ObjectiveDecl>& terms, Resolution& r) {
  for (const ast::ObjectiveDecl& decl : terms) {
    auto term = ResolveTerm(decl.term, {}, r);
    if (!term) continue;
    if (term->fraction) {
      r.sink.Report(Diag::kFractionObjective, decl.term.back().range,
                    "this is to be a whole number, and '/' may make a fraction; use 'div', which "
                    "rounds down");
      continue;
    }
    r.spec.terms.push_back(
        {std::move(term->nodes), term->decision, CleanDoc(Print(decl.term)), decl.range});
  }
}

}  // namespace exh::dsl
