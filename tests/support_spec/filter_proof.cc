// SPDX-License-Identifier: MIT
#include "tests/support_spec/filter_proof.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <utility>

#include "tests/support_spec/filter_case.h"
#include "tests/support_spec/filter_engine.h"

namespace exh::tests {

using runtime::Bits;
using runtime::ChoiceUse;
using runtime::SpecFilter;

namespace {

/// Says whether the values that satisfy the clause are what the thing under proof leaves.
using Judge = std::function<std::string(std::span<const int> combination, Bits exact)>;

/// Walks through the combinations of one case.
class Walk {
 public:
  Walk(const FilterCase& filter_case, const ProofOptions& options, const Judge& judge)
      : case_(filter_case), options_(options), judge_(judge), random_(options.seed) {}

  Proof Run() {
    combination_.assign(static_cast<std::size_t>(case_.num_axes()), 0);
    if (case_.NumCombinations(options_.limit) <= options_.limit) {
      AllSnippets(case_.num_inputs());
    } else {
      proof_.exhaustive = false;
      Pairs();
      for (std::uint64_t i = 0; i < options_.random && proof_.fault.empty(); ++i) {
        Randomise();
        One();
      }
    }
    return proof_;
  }

 private:
  int NumArguments(int axis) const { return static_cast<int>(case_.axis(axis).arguments.size()); }
  std::span<const int> Snippets() const {
    return std::span<const int>(combination_).subspan(static_cast<std::size_t>(case_.num_inputs()));
  }

  void AllSnippets(int axis) {
    if (!proof_.fault.empty()) return;
    if (axis == case_.num_axes()) {
      AllInputs(0, case_.Table(Snippets()));
      return;
    }
    for (int i = 0; i < NumArguments(axis); ++i) {
      combination_[axis] = i;
      AllSnippets(axis + 1);
    }
  }

  /// `table` says what is left for the values of the inputs from `input` on, those before being
  /// anything in their domains.
  void AllInputs(int input, const std::vector<Bits>& table) {
    if (!proof_.fault.empty()) return;
    if (input == case_.num_inputs()) {
      Judged(table[0]);
      return;
    }
    for (int i = 0; i < NumArguments(input); ++i) {
      combination_[input] = i;
      AllInputs(input + 1, Fold(input, table));
    }
  }

  /// The table for the input's chosen domain: the first part of the table is by its values.
  std::vector<Bits> Fold(int input, const std::vector<Bits>& table) const {
    const FilterAxis& axis = case_.axis(input);
    const Bits domain = axis.domains[static_cast<std::size_t>(combination_[input])];
    const std::size_t size = table.size() / axis.values.size();
    std::vector<Bits> folded(size, 0);
    for (std::size_t value = 0; value < axis.values.size(); ++value) {
      if ((domain >> value & 1) == 0) continue;
      for (std::size_t i = 0; i < size; ++i) folded[i] |= table[value * size + i];
    }
    return folded;
  }

  void Pairs() {
    for (int a = 0; a < case_.num_axes(); ++a) {
      for (int b = 0; b < a; ++b) {
        for (int i = 0; i < NumArguments(a); ++i) {
          for (int j = 0; j < NumArguments(b) && proof_.fault.empty(); ++j) {
            Randomise();
            combination_[a] = i;
            combination_[b] = j;
            One();
          }
        }
      }
    }
  }

  void Randomise() {
    for (int axis = 0; axis < case_.num_axes(); ++axis) {
      combination_[axis] = static_cast<int>(random_() % static_cast<unsigned>(NumArguments(axis)));
    }
  }

  void One() {
    const std::vector<int> snippets(Snippets().begin(), Snippets().end());
    const auto [known, fresh] = tables_.try_emplace(snippets);
    if (fresh) known->second = case_.Table(snippets);
    std::vector<Bits> table = known->second;
    for (int input = 0; input < case_.num_inputs(); ++input) table = Fold(input, table);
    Judged(table[0]);
  }

  void Judged(Bits exact) {
    ++proof_.combinations;
    proof_.fault = judge_(combination_, exact);
  }

  const FilterCase& case_;
  const ProofOptions& options_;
  const Judge& judge_;
  std::mt19937 random_;
  std::vector<int> combination_;
  std::map<std::vector<int>, std::vector<Bits>> tables_;
  Proof proof_;
};

Proof Prove(const FilterCase& filter_case, const ProofOptions& options, const Judge& judge) {
  if (filter_case.fault().empty()) return Walk(filter_case, options, judge).Run();
  Proof proof;
  proof.fault = filter_case.fault();
  return proof;
}

/// The decision of a use, whatever the order of a pair.
std::pair<int, std::vector<int>> Decision(const dsl::Spec& spec, int choice,
                                          std::vector<int> arguments) {
  if (spec.choices[choice].symmetry != dsl::Symmetry::kNone) std::ranges::sort(arguments);
  return {choice, std::move(arguments)};
}

}  // namespace

Proof ProveFilter(const dsl::Spec& spec, const SpecFilter& filter, const ProofOptions& options,
                  const FilterFunction& call) {
  const FilterCase filter_case(spec, filter);
  return Prove(filter_case, options, [&](std::span<const int> combination, Bits exact) {
    const std::vector<runtime::FilterArgument> arguments = filter_case.Arguments(combination);
    const runtime::FilterResult result = call ? call(arguments) : filter.call(arguments);
    return filter_case.IsExactly(result, exact) ? ""
                                                : filter_case.Describe(combination, exact, result);
  });
}

Proof ProveEngine(const dsl::Spec& spec, const runtime::Space& space, const SpecFilter& filter,
                  const ProofOptions& options) {
  const FilterCase filter_case(spec, filter);
  FilterEngine engine(space, filter, filter_case);
  return Prove(filter_case, options, [&](std::span<const int> combination, Bits exact) {
    return engine.Judge(combination, exact);
  });
}

std::string ProveComplete(const dsl::Spec& spec, const runtime::Space& space,
                          const std::vector<SpecFilter>& filters) {
  std::set<std::pair<int, std::pair<int, std::vector<int>>>> expected, found;
  int number = 0;
  for (const dsl::Requirement& requirement : spec.requirements) {
    for (const std::vector<dsl::Condition>& clause : requirement.clauses) {
      // The filters of a clause with integer terms are not written out.
      const bool has_terms = std::ranges::any_of(clause, [](const dsl::Condition& condition) {
        return condition.kind == dsl::Condition::Kind::kTerms;
      });
      for (const dsl::Condition& condition : clause) {
        for (const dsl::Instance& use : {condition.lhs, condition.rhs}) {
          if (use.choice < 0 || has_terms) continue;
          expected.emplace(number, Decision(spec, use.choice, use.arguments));
        }
      }
      ++number;
    }
  }
  if (number != static_cast<int>(space.clauses.size())) {
    return fmt::format("{} clauses in the .exh, {} in the tables", number, space.clauses.size());
  }
  for (const SpecFilter& filter : filters) {
    const auto [_, fresh] =
        found.emplace(filter.clause, Decision(spec, filter.target.choice, filter.target.arguments));
    if (!fresh) return fmt::format("{} filters what another filter does", filter.name);
  }
  for (const auto& each : expected) {
    if (!found.contains(each)) {
      return fmt::format("clause {} has no filter of {}({})", each.first,
                         spec.choices[each.second.first].name, fmt::join(each.second.second, ", "));
    }
  }
  return found.size() == expected.size() ? "" : "there is a filter of a decision of no clause";
}

}  // namespace exh::tests
