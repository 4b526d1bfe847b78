// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "tests/maps/generator/plan.h"

namespace exh::generator {
namespace {

using dsl::ChoiceKind;
using Kind = dsl::Condition::Kind;

/// Larger tables would not pay.
constexpr std::uint64_t kMostCells = 8192;

bool HasLhs(const MapsAtom& atom) {
  return atom.kind == Kind::kIs || atom.kind == Kind::kCompare || atom.kind == Kind::kCompareCode;
}

/// Makes the filters that one clause gives, each with a single rule.
class ClauseFilters {
 public:
  ClauseFilters(const MapsPlan& plan, const MapsClause& clause) : plan_(plan), clause_(clause) {}

  std::vector<MapsFilter> Run() {
    std::set<MapsUse> targets;
    for (const MapsAtom& atom : clause_.atoms) {
      if (HasLhs(atom)) targets.insert({atom.lhs.choice, atom.lhs.arguments});
      if (atom.kind == Kind::kCompare) targets.insert({atom.rhs.choice, atom.rhs.arguments});
    }
    std::vector<MapsFilter> filters;
    for (const MapsUse& target : targets) {
      // Each order of a pair is a target: the filter of one is the mirror image of the other's.
      std::vector<MapsUse> orders = {target};
      if (ChoiceOf(target).is_pair()) {
        orders.push_back({target.choice, {target.arguments[1], target.arguments[0]}});
      }
      for (const MapsUse& each : orders) AddFilter(each, filters);
    }
    return filters;
  }

 private:
  const MapsChoice& ChoiceOf(const MapsUse& use) const {
    return plan_.choices[static_cast<std::size_t>(use.choice)];
  }

  void AddFilter(const MapsUse& target, std::vector<MapsFilter>& filters) {
    // Of a flag that may not be restricted to FALSE or away from it nothing can be taken.
    if (clause_.keeps_fragile && ChoiceOf(target).fragile) return;
    MapsFilter filter;
    Rename(target, filter);
    MapsRule rule;
    rule.text = clause_.text;
    decisions_ = {filter.target};
    for (const MapsAtom& atom : clause_.atoms) rule.terms.push_back(TermOf(atom));
    SortInputs(filter, rule);
    filter.rules.push_back(std::move(rule));
    filters.push_back(std::move(filter));
  }

  /// The target's variables come first, the others keep their order.
  void Rename(const MapsUse& target, MapsFilter& filter) {
    const std::size_t count = clause_.variables.size();
    std::vector<int> order = target.arguments;
    for (std::size_t v = 0; v < count; ++v) {
      if (std::ranges::count(order, static_cast<int>(v)) == 0) order.push_back(static_cast<int>(v));
    }
    new_number_.assign(count, -1);
    for (std::size_t i = 0; i < count; ++i) new_number_[order[i]] = static_cast<int>(i);
    for (const int variable : order) {
      MapsVariable set = clause_.variables[static_cast<std::size_t>(variable)];
      if (set.parameter >= 0) set.parameter = new_number_[static_cast<std::size_t>(set.parameter)];
      filter.variables.push_back(set);
    }
    filter.target = {target.choice, {}};
    for (std::size_t i = 0; i < target.arguments.size(); ++i) {
      filter.target.arguments.push_back(static_cast<int>(i));
    }
  }

  /// The number of the decision in decisions_, and whether it is read the other way round.
  std::pair<int, bool> See(const dsl::Instance& instance) {
    MapsUse use{instance.choice, {}};
    for (const int argument : instance.arguments) {
      use.arguments.push_back(new_number_[static_cast<std::size_t>(argument)]);
    }
    bool inverted = false;
    if (ChoiceOf(use).is_pair() && use.arguments[0] > use.arguments[1]) {
      std::swap(use.arguments[0], use.arguments[1]);
      inverted = true;
    }
    const auto known = std::ranges::find(decisions_, use);
    const auto number = static_cast<int>(known - decisions_.begin());
    if (known == decisions_.end()) decisions_.push_back(use);
    return {number, inverted};
  }

  MapsTerm TermOf(const MapsAtom& atom) {
    MapsTerm term;
    term.atom = atom;
    if (HasLhs(atom)) {
      std::tie(term.lhs, term.lhs_inverted) = See(atom.lhs);
      const MapsChoice& choice = plan_.choices[static_cast<std::size_t>(atom.lhs.choice)];
      term.values = term.lhs_inverted ? Inverted(choice, atom.values) : atom.values;
    }
    if (atom.kind == Kind::kCompare) {
      std::tie(term.rhs, term.rhs_inverted) = See(atom.rhs);
      if (term.lhs == term.rhs) CompareWithItself(term);
    }
    for (const int v : atom.code_variables) {
      term.code_scope.push_back(new_number_[static_cast<std::size_t>(v)]);
    }
    return term;
  }

  /// `c(a, b) == c(b, a)` is a test of the value.
  void CompareWithItself(MapsTerm& term) const {
    const MapsChoice& choice = plan_.choices[static_cast<std::size_t>(term.atom.lhs.choice)];
    const bool holds_for_equal = term.atom.op == dsl::CompareOp::kEq ||
                                 term.atom.op == dsl::CompareOp::kLe ||
                                 term.atom.op == dsl::CompareOp::kGe;
    if (choice.kind != ChoiceKind::kEnum) {
      term.atom.kind = Kind::kConstant;
      term.atom.constant = holds_for_equal;
      return;
    }
    term.atom.kind = Kind::kIs;
    term.values = 0;
    for (int i = 0; i < choice.num_values; ++i) {
      const std::uint64_t bit = std::uint64_t{1} << i;
      const std::uint64_t left = term.lhs_inverted ? Inverted(choice, bit) : bit;
      const std::uint64_t right = term.rhs_inverted ? Inverted(choice, bit) : bit;
      if ((left == right) == holds_for_equal) term.values |= bit;
    }
  }

  void SortInputs(MapsFilter& filter, MapsRule& rule) const {
    std::vector<MapsUse> inputs(decisions_.begin() + 1, decisions_.end());
    std::ranges::sort(inputs);
    const auto renumber = [&](int& decision) {
      if (decision <= 0) return;
      const MapsUse& use = decisions_[static_cast<std::size_t>(decision)];
      decision = 1 + static_cast<int>(std::ranges::find(inputs, use) - inputs.begin());
    };
    for (MapsTerm& term : rule.terms) {
      renumber(term.lhs);
      renumber(term.rhs);
    }
    filter.inputs = std::move(inputs);
  }

  const MapsPlan& plan_;
  const MapsClause& clause_;
  std::vector<int> new_number_;
  std::vector<MapsUse> decisions_;
};

/// Filters with the same text here are one.
std::string SignatureOf(const MapsFilter& filter) {
  std::string text = fmt::format("{}:", filter.target.choice);
  for (const MapsVariable& v : filter.variables) text += fmt::format(" {}({})", v.set, v.parameter);
  for (const MapsUse& input : filter.inputs) {
    text += fmt::format(" {}({})", input.choice, fmt::join(input.arguments, ","));
  }
  return text;
}

std::string SignatureOf(const MapsRule& rule) {
  std::string text;
  for (const MapsTerm& term : rule.terms) {
    const MapsAtom& atom = term.atom;
    text += fmt::format("{} {} {} {} {} {} {} {} {} {} {} {} {};", static_cast<int>(atom.kind),
                        atom.constant, static_cast<int>(atom.op), atom.code, atom.negated,
                        fmt::join(atom.numbers, "|"), term.lhs, term.rhs, term.lhs_inverted,
                        term.rhs_inverted, term.values, atom.numbers.size(),
                        fmt::join(term.code_scope, ","));
  }
  return text;
}

/// Makes the table of the rules that depend on nothing but enum inputs.
class Tabulator {
 public:
  Tabulator(const MapsPlan& plan, MapsFilter& filter) : plan_(plan), filter_(filter) {}

  void Run() {
    std::vector<MapsRule> pure;
    for (const MapsRule& rule : filter_.rules) {
      if (IsPure(rule)) pure.push_back(rule);
    }
    if (pure.size() < 2 || filter_.inputs.empty() || NumCells() > kMostCells) return;
    std::erase_if(filter_.rules, [this](const MapsRule& rule) { return IsPure(rule); });
    filter_.tabulated = std::move(pure);
    values_.assign(filter_.inputs.size() + 1, 0);
    Fill(1);
  }

 private:
  const MapsChoice& ChoiceOf(int decision) const {
    const MapsUse& use =
        decision == 0 ? filter_.target : filter_.inputs[static_cast<std::size_t>(decision) - 1];
    return plan_.choices[static_cast<std::size_t>(use.choice)];
  }
  bool IsPure(const MapsRule& rule) const {
    return std::ranges::all_of(rule.terms, [this](const MapsTerm& term) {
      if (term.atom.kind == Kind::kConstant) return true;
      if (term.atom.kind != Kind::kIs && term.atom.kind != Kind::kCompare) return false;
      const auto plain = [this](int decision) {
        return decision < 0 ||
               (ChoiceOf(decision).kind == ChoiceKind::kEnum && !ChoiceOf(decision).fragile);
      };
      return plain(term.lhs) && plain(term.rhs);
    });
  }
  std::uint64_t NumCells() const {
    std::uint64_t cells = 1;
    const int last = static_cast<int>(filter_.inputs.size());
    for (int i = 1; i <= last; ++i) {
      const int values = ChoiceOf(i).num_values;
      if (ChoiceOf(i).kind != ChoiceKind::kEnum || values > 8) return kMostCells + 1;
      cells *= i == last ? std::uint64_t{1} << values : static_cast<std::uint64_t>(values);
    }
    return cells;
  }
  bool Holds(const MapsTerm& term) const {
    if (term.atom.kind == Kind::kConstant) return term.atom.constant;
    const std::uint64_t lhs = std::uint64_t{1} << values_[static_cast<std::size_t>(term.lhs)];
    if (term.atom.kind == Kind::kIs) return (lhs & term.values) != 0;
    const std::uint64_t rhs = std::uint64_t{1} << values_[static_cast<std::size_t>(term.rhs)];
    const std::uint64_t left = term.lhs_inverted ? Inverted(ChoiceOf(term.lhs), lhs) : lhs;
    const std::uint64_t right = term.rhs_inverted ? Inverted(ChoiceOf(term.rhs), rhs) : rhs;
    return (left == right) == (term.atom.op == dsl::CompareOp::kEq);
  }
  /// The values of the target that all rules allow, the inputs having one value each.
  std::uint64_t AllowedValues() {
    std::uint64_t allowed = 0;
    for (int v = 0; v < ChoiceOf(0).num_values; ++v) {
      values_[0] = v;
      const bool holds = std::ranges::all_of(filter_.tabulated, [this](const MapsRule& rule) {
        return std::ranges::any_of(rule.terms,
                                   [this](const MapsTerm& term) { return Holds(term); });
      });
      if (holds) allowed |= std::uint64_t{1} << v;
    }
    return allowed;
  }
  void Fill(int input) {
    const int num_values = ChoiceOf(input).num_values;
    if (input < static_cast<int>(filter_.inputs.size())) {
      for (int v = 0; v < num_values; ++v) {
        values_[static_cast<std::size_t>(input)] = v;
        Fill(input + 1);
      }
      return;
    }
    std::vector<std::uint64_t> by_value;
    for (int v = 0; v < num_values; ++v) {
      values_[static_cast<std::size_t>(input)] = v;
      by_value.push_back(AllowedValues());
    }
    for (std::uint64_t domain = 0; domain < std::uint64_t{1} << num_values; ++domain) {
      std::uint64_t allowed = 0;
      for (int v = 0; v < num_values; ++v) {
        if ((domain >> v) & 1) allowed |= by_value[static_cast<std::size_t>(v)];
      }
      filter_.table.push_back(allowed);
    }
  }

  const MapsPlan& plan_;
  MapsFilter& filter_;
  std::vector<int> values_;
};

}  // namespace

std::vector<MapsFilter> MakeMapsFilters(const MapsPlan& plan) {
  std::vector<MapsFilter> filters;
  std::map<std::string, std::size_t> known;
  std::set<std::string> known_rules;
  for (const MapsClause& clause : plan.clauses) {
    for (MapsFilter& filter : ClauseFilters(plan, clause).Run()) {
      const std::string signature = SignatureOf(filter);
      if (!known_rules.insert(signature + "|" + SignatureOf(filter.rules[0])).second) continue;
      const auto [place, fresh] = known.emplace(signature, filters.size());
      if (fresh) {
        filters.push_back(std::move(filter));
      } else {
        filters[place->second].rules.push_back(std::move(filter.rules[0]));
      }
    }
  }
  for (MapsFilter& filter : filters) Tabulator(plan, filter).Run();
  return filters;
}

}  // namespace exh::generator
