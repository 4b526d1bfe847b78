// SPDX-License-Identifier: MIT
#include "dsl/meaning/lint.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "dsl/meaning/names.h"

namespace exh::dsl {
namespace {

/// Which sets and choices anything outside their own declaration refers to.
class Uses {
 public:
  explicit Uses(const Spec& spec)
      : spec_(spec), sets_(spec.sets.size()), choices_(spec.choices.size()) {
    for (const Choice& choice : spec.choices) {
      Variables(choice.arguments);
      Variables(choice.over);
      if (choice.weight) Mention(*choice.weight);
      for (const TermNode& node : choice.weight_term) Mention(node.instance);
      for (const Condition& condition : choice.when) Conditions(condition);
    }
    for (const External& external : spec.externals) {
      Variables(external.arguments);
      if (external.present) Set(external.present->set);
    }
    for (const Requirement& requirement : spec.requirements) {
      Variables(requirement.variables);
      for (const auto& clause : requirement.clauses) {
        for (const Condition& condition : clause) Conditions(condition);
      }
    }
    for (const Quotient& quotient : spec.quotients) {
      Variables(quotient.variables);
      choices_[Index(quotient.equivalence)] = true;
      choices_[Index(quotient.flag)] = true;  // Whoever uses the set uses the flag.
      for (const Condition& condition : quotient.dividend) Conditions(condition);
    }
    if (spec.objective) Mention(spec.objective->term);
    for (const BesideTerm& beside : spec.terms) Mention(beside.term);
    if (spec.lower_bound) Mention(spec.lower_bound->term);
    for (const Trigger& trigger : spec.triggers) {
      Variables(trigger.variables);
      for (const Condition& condition : trigger.when) Conditions(condition);
      for (const SetIndex set : trigger.adds) Set(set);
    }
  }

  bool set(std::size_t index) const { return sets_[index]; }
  bool choice(std::size_t index) const { return choices_[index]; }

 private:
  static std::size_t Index(int index) { return static_cast<std::size_t>(index); }

  // With what it is a part of, and what its parameter ranges over.
  void Set(SetIndex index) {
    std::vector<SetIndex> open = {index};
    while (!open.empty()) {
      const SetIndex next = open.back();
      open.pop_back();
      if (sets_[Index(next)]) continue;
      sets_[Index(next)] = true;
      const dsl::Set& set = spec_.sets[Index(next)];
      if (set.superset) open.push_back(set.superset->set);
      if (set.parameter) open.push_back(set.parameter->set.set);
    }
  }

  void Variables(const std::vector<Variable>& variables) {
    for (const Variable& variable : variables) Set(variable.set.set);
  }

  void Mention(const Instance& instance) {
    if (instance.choice >= 0) choices_[Index(instance.choice)] = true;
  }

  void Mention(const Term& term) {
    for (const TermNode& node : term) Mention(node.instance);
  }

  void Conditions(const Condition& condition) {
    Mention(condition.lhs);
    Mention(condition.rhs);
    ForEachTermNode(condition, [&](const TermNode& node) { Mention(node.instance); });
  }

  const Spec& spec_;
  std::vector<bool> sets_, choices_;
};

void UnusedNames(Resolution& r) {
  const Uses uses(r.spec);
  for (std::size_t i = 0; i < r.spec.sets.size(); ++i) {
    const Set& set = r.spec.sets[i];
    if (uses.set(i) || set.is_quotient) continue;
    r.sink.Report(Diag::kUnusedSet, set.range,
                  fmt::format("no choice and no requirement ranges over '{}'", set.name));
  }
  for (std::size_t i = 0; i < r.spec.choices.size(); ++i) {
    const Choice& choice = r.spec.choices[i];
    if (!uses.choice(i)) {
      r.sink.Report(Diag::kUnusedChoice, choice.range,
                    choice.kind == ChoiceKind::kCounter
                        ? fmt::format("nothing bounds or reads the counter '{}'", choice.name)
                        : fmt::format("no requirement mentions '{}'", choice.name));
    }
    for (std::size_t k = 0; k < choice.aliases.size(); ++k) {
      if (r.used_aliases.contains({static_cast<ChoiceIndex>(i), k})) continue;
      r.sink.Report(Diag::kUnusedAlias, choice.aliases[k].range,
                    fmt::format("the alias '{}' is not used", choice.aliases[k].name));
    }
  }
}

void UnusedLetsAndExterns(Resolution& r) {
  for (const Let& let : r.lets) {
    if (let.used) continue;
    r.sink.Report(Diag::kUnusedLet, let.decl->name.range,
                  fmt::format("no condition uses '{}'", let.decl->name.text));
  }
  for (std::size_t i = 0; i < r.spec.externals.size(); ++i) {
    if (r.used_externals.contains(static_cast<int>(i))) continue;
    r.sink.Report(Diag::kUnusedExtern, r.spec.externals[i].range,
                  fmt::format("no condition uses '{}'", r.spec.externals[i].name));
  }
}

void Mark(const Snippet& snippet, std::vector<bool>& used) {
  for (const SnippetVariable& use : snippet.variables) {
    if (use.variable >= 0) used[static_cast<std::size_t>(use.variable)] = true;
  }
}

void Mark(const Instance& instance, std::vector<bool>& used) {
  for (const int argument : instance.arguments) used[static_cast<std::size_t>(argument)] = true;
}

void Mark(const Condition& condition, std::vector<bool>& used) {
  Mark(condition.lhs, used);
  Mark(condition.rhs, used);
  Mark(condition.code, used);
  ForEachTermNode(condition, [&](const TermNode& node) {
    Mark(node.instance, used);
    Mark(node.code, used);
  });
}

// A quantifier whose variable nothing names says "if there is one at all".
void UnusedVariables(const std::vector<Variable>& variables, const std::vector<bool>& used,
                     Resolution& r) {
  std::vector<bool> all = used;
  for (const Variable& variable : variables) {
    if (variable.set.parameter >= 0) all[static_cast<std::size_t>(variable.set.parameter)] = true;
  }
  for (std::size_t i = 0; i < variables.size(); ++i) {
    if (all[i]) continue;
    r.sink.Report(Diag::kUnusedVariable, variables[i].range,
                  fmt::format("'${}' is not used: this only asks whether '{}' has an object",
                              variables[i].name, r.set(variables[i].set.set).name));
  }
}

/// What a clause says, with its variables numbered as they appear: equal for clauses that differ in
/// the names of their variables only.
class ClauseText {
 public:
  ClauseText(const Requirement& requirement, const Resolution& r)
      : requirement_(requirement), r_(r) {}

  std::string Of(const std::vector<Condition>& clause) {
    std::string text;
    for (const Condition& condition : clause) text += Of(condition) + " || ";
    // Where the objects come from, and which sets say that the rest is not empty.
    for (const Variable& variable : requirement_.variables) {
      const int parameter = variable.set.parameter;
      text += fmt::format("; {} in {}({})", Number(&variable - requirement_.variables.data()),
                          variable.set.set, parameter < 0 ? -1 : Number(parameter));
    }
    return text;
  }

 private:
  int Number(std::ptrdiff_t variable) {
    return numbers_.emplace(variable, static_cast<int>(numbers_.size())).first->second;
  }

  std::string Of(const Instance& instance) {
    std::string text = fmt::format("{}(", instance.choice);
    for (const int argument : instance.arguments) text += fmt::format("{},", Number(argument));
    return text + ")";
  }

  std::string Of(const Snippet& snippet) {
    std::string text;
    std::size_t at = 0;
    for (const SnippetVariable& use : snippet.variables) {
      text += snippet.text.substr(at, use.offset - at);
      text += use.variable < 0 ? "$" + use.name : fmt::format("${}", Number(use.variable));
      at = use.offset + use.length;
    }
    return text + snippet.text.substr(at);
  }

  std::string Of(const Term& term) {
    std::string text;
    for (const TermNode& node : term) {
      text += fmt::format("{} {} {} {} \"{}\";", static_cast<int>(node.kind), node.number,
                          node.external, Of(node.instance), Of(node.code));
    }
    return text;
  }

  std::string Of(const Condition& c) {
    switch (c.kind) {
      case Condition::Kind::kIs:
        return fmt::format("{} is {:x}", Of(c.lhs), c.values);
      case Condition::Kind::kCompare:
        return fmt::format("{} {} {}", Of(c.lhs), static_cast<int>(c.op), Of(c.rhs));
      case Condition::Kind::kCompareCode:
        return fmt::format("{} {} {}{} {} \"{}\"", Of(c.lhs), static_cast<int>(c.op), c.external,
                           Of(c.rhs), fmt::join(c.numbers, "|"), Of(c.code));
      case Condition::Kind::kCode:
      case Condition::Kind::kPresent:
        return fmt::format("{} {}{} \"{}\"", c.negated, c.external, Of(c.lhs), Of(c.code));
      case Condition::Kind::kAscending:
        return fmt::format("{} ascending{}", c.negated, Of(c.lhs));
      case Condition::Kind::kTerms:
        return fmt::format("{} {} {} {}", c.negated, Of(c.left), static_cast<int>(c.op),
                           Of(c.right));
      case Condition::Kind::kConstant:
        return c.constant ? "true" : "false";
    }
    return "";
  }

  const Requirement& requirement_;
  const Resolution& r_;
  std::map<std::ptrdiff_t, int> numbers_;
};

// A condition that is true, or two tests of one decision that allow all its values together.
bool AlwaysHolds(const std::vector<Condition>& clause, const Resolution& r) {
  std::map<std::pair<ChoiceIndex, std::vector<int>>, std::uint64_t> allowed;
  for (const Condition& condition : clause) {
    if (condition.kind == Condition::Kind::kConstant && condition.constant) return true;
    if (condition.kind != Condition::Kind::kIs) continue;
    std::uint64_t& values = allowed[{condition.lhs.choice, condition.lhs.arguments}];
    values |= condition.values;
    // A single test of all values is reported where it stands.
    const std::uint64_t all = AllValues(r.choice(condition.lhs.choice));
    if (values == all && condition.values != all) return true;
  }
  return false;
}

SourceRange PlaceOf(const std::vector<Condition>& clause) {
  SourceRange range = clause.front().range;
  for (const Condition& condition : clause) {
    if (condition.range.file == range.file) range.end = std::max(range.end, condition.range.end);
  }
  return range;
}

void Requirements(Resolution& r) {
  std::map<std::string, SourceRange> seen;
  for (const Requirement& requirement : r.spec.requirements) {
    std::vector<bool> used(requirement.variables.size());
    for (const auto& clause : requirement.clauses) {
      for (const Condition& condition : clause) Mark(condition, used);
    }
    if (!requirement.clauses.empty()) UnusedVariables(requirement.variables, used, r);
    for (const auto& clause : requirement.clauses) {
      if (clause.empty()) continue;
      const SourceRange place = PlaceOf(clause);
      if (AlwaysHolds(clause, r)) {
        r.sink.Report(Diag::kVacuousClause, place, "this always holds and requires nothing");
        continue;
      }
      const auto [first, fresh] = seen.emplace(ClauseText(requirement, r).Of(clause), place);
      if (fresh) continue;
      r.sink.Report(Diag::kRepeatedClause, place, "this is required already")
          .WithNote(first->second, "required here");
    }
  }
}

void Triggers(Resolution& r) {
  for (const Trigger& trigger : r.spec.triggers) {
    std::vector<bool> used(trigger.variables.size());
    for (const Condition& condition : trigger.when) Mark(condition, used);
    Mark(trigger.code, used);
    UnusedVariables(trigger.variables, used, r);
  }
}

}  // namespace

void Lint(Resolution& r) {
  UnusedNames(r);
  UnusedLetsAndExterns(r);
  Requirements(r);
  Triggers(r);
}

}  // namespace exh::dsl
