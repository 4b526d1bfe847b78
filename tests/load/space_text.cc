// SPDX-License-Identifier: MIT
#include "tests/load/space_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace exh::load {
namespace {

using runtime::ChoiceUse;
using runtime::Condition;
using runtime::Term;

std::string UseText(const ChoiceUse& use) {
  return fmt::format("{}({})", use.choice, fmt::join(use.arguments, ","));
}

std::string TermText(const Term& term) {
  std::string text;
  for (const runtime::TermNode& node : term) {
    text += fmt::format("[{} {} {} {} {}]", static_cast<int>(node.kind), node.number, node.code,
                        node.external, UseText(node.use));
  }
  return text;
}

std::string ConditionText(const Condition& c) {
  return fmt::format(
      "kind {} constant {} negated {} {} values {} op {} {} code {} external {} numbers {} single "
      "{} set {} {} terms {} | {} '{}'",
      static_cast<int>(c.kind), c.constant, c.negated, UseText(c.lhs), c.values,
      static_cast<int>(c.op), UseText(c.rhs), c.code, c.external, fmt::join(c.numbers, ","),
      c.single, c.set.set, c.set.parameter, TermText(c.left), TermText(c.right), c.text);
}

std::string ChoiceText(const runtime::Choice& c) {
  std::string text = fmt::format(
      "choice {} kind {} at {}:{} arguments {} values {} symmetry {} inverse {} universe {} "
      "numbers {} visibility {} product {} base {} {} {} over {} weight {} {} {}\n",
      c.name, static_cast<int>(c.kind), c.position.file, c.position.line, c.arguments.size(),
      fmt::join(c.values, ","), static_cast<int>(c.symmetry), fmt::join(c.inverse, ","), c.universe,
      fmt::join(c.numbers, ","), static_cast<int>(c.visibility), c.product, c.base, c.base_number,
      c.has_base_number, c.over.size(), UseText(c.weight), c.weight_code, TermText(c.weight_term));
  for (const Condition& condition : c.when) text += "  when " + ConditionText(condition) + "\n";
  return text;
}

}  // namespace

std::string SpaceText(const runtime::Space& space) {
  std::string text = fmt::format("space {} {}\n", space.name, space.fingerprint);
  text += fmt::format("sets {} quotients {} triggers {} order {}\n", space.sets.size(),
                      space.quotients.size(), space.triggers.size(), fmt::join(space.order, ","));
  for (const runtime::Choice& choice : space.choices) text += ChoiceText(choice);
  for (const runtime::Requirement& requirement : space.requirements) {
    text += fmt::format("requirement {} at {}:{}\n", requirement.label, requirement.position.file,
                        requirement.position.line);
  }
  for (const runtime::Clause& clause : space.clauses) {
    text += fmt::format("clause of {} variables {}\n", clause.requirement, clause.variables.size());
    for (const Condition& condition : clause.conditions) {
      text += "  " + ConditionText(condition) + "\n";
    }
  }
  return text;
}

}  // namespace exh::load
