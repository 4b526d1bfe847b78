// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>

#include "tests/maps/generator/maps.h"
#include "tests/maps/generator/plan.h"

namespace exh::generator {
namespace {

using dsl::ChoiceKind;
using dsl::CompareOp;
using dsl::Condition;
using Kind = dsl::Condition::Kind;

/// Conditions that compare terms, wherever they stand.
template <typename Refuse>
void RefuseTerms(const dsl::Spec& spec, const Refuse& refuse) {
  const auto conditions = [&](const std::vector<Condition>& all) {
    for (const Condition& condition : all) {
      if (condition.kind == Kind::kTerms) refuse(condition.range, "a condition compares terms");
    }
  };
  for (const dsl::Choice& choice : spec.choices) conditions(choice.when);
  for (const dsl::Requirement& requirement : spec.requirements) {
    for (const std::vector<Condition>& clause : requirement.clauses) conditions(clause);
  }
  for (const dsl::Quotient& quotient : spec.quotients) conditions(quotient.dividend);
  for (const dsl::Trigger& trigger : spec.triggers) conditions(trigger.when);
}

}  // namespace

std::vector<std::string> FindMapsRefusals(const dsl::Spec& spec) {
  std::vector<std::string> refusals;
  const auto refuse = [&](const dsl::SourceRange& range, const std::string& what) {
    const dsl::Spec::File& file = spec.files.at(range.file);
    const auto line = 1 + std::ranges::count(file.text.substr(0, range.begin), '\n');
    refusals.push_back(fmt::format("{}:{}: {}", file.path, line, what));
  };
  constexpr std::size_t kMostArguments = 4;
  for (const dsl::Choice& choice : spec.choices) {
    if (choice.arguments.size() > kMostArguments) {
      refuse(choice.range, fmt::format("choice '{}' has {} arguments and a hash map has at most {}",
                                       choice.name, choice.arguments.size(), kMostArguments));
    }
    const std::size_t flag_arguments = choice.arguments.size() + choice.over.size();
    if (choice.kind == ChoiceKind::kCounter && flag_arguments > kMostArguments &&
        !IsDirect(choice)) {
      refuse(choice.range,
             fmt::format("the increments of counter '{}' are a choice with {} arguments and a hash "
                         "map has at most {}",
                         choice.name, flag_arguments, kMostArguments));
    }
  }
  for (const dsl::Choice& choice : spec.choices) {
    if (!choice.weight_term.empty()) {
      refuse(choice.range, fmt::format("counter '{}' counts a term", choice.name));
    }
    if (!choice.numbers.empty()) {
      refuse(choice.range,
             fmt::format("the numbers of choice '{}' stand in the .exh", choice.name));
    }
    if (choice.base_number) {
      refuse(choice.range, fmt::format("the base of counter '{}' is a number", choice.name));
    }
  }
  RefuseTerms(spec, refuse);
  for (const dsl::External& external : spec.externals) {
    if (!external.present) continue;
    refuse(external.range, fmt::format("'{}' asks whether an object is there", external.name));
  }
  for (const dsl::Requirement& requirement : spec.requirements) {
    for (const auto& clause : requirement.clauses) {
      for (const Condition& condition : clause) {
        const bool compares =
            condition.kind == Kind::kCompare || condition.kind == Kind::kCompareCode;
        if (compares && condition.op == CompareOp::kNe &&
            spec.choices[condition.lhs.choice].kind == ChoiceKind::kCounter) {
          refuse(condition.range, "a counter is an interval, so that '!=' cannot restrict it");
        }
      }
    }
  }
  return refusals;
}

}  // namespace exh::generator
