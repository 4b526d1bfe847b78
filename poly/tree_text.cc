// SPDX-License-Identifier: MIT
#include "poly/tree_text.h"

#include <fmt/format.h>

namespace exh::poly {
namespace {

std::string NameOf(const Scop& scop, const InfluenceTerm& term) {
  const ScopStatement& statement = scop.statements[term.statement];
  const int rank = static_cast<int>(statement.iterators.size());
  const int parameters = static_cast<int>(ParametersOf(scop).size());
  if (term.column < rank)
    return fmt::format("{}.{}", statement.name, statement.iterators[term.column].name);
  if (term.column < rank + parameters)
    return fmt::format("{}.n{}", statement.name, term.column - rank);
  return statement.name + ".constant";
}

// "X.i = 1", "X.i = Y.i", "X.i + X.j - 1 >= 0".
std::string TextOf(const Scop& scop, const InfluenceRow& row) {
  if (row.is_equality && row.terms.size() == 1 && row.terms[0].coefficient == 1)
    return fmt::format("{} = {}", NameOf(scop, row.terms[0]), -row.constant);
  if (row.is_equality && row.terms.size() == 2 && row.constant == 0 &&
      row.terms[0].coefficient == -row.terms[1].coefficient)
    return fmt::format("{} = {}", NameOf(scop, row.terms[0]), NameOf(scop, row.terms[1]));
  std::string sum;
  const auto add = [&](std::int64_t number, const std::string& name) {
    const std::int64_t size = number < 0 ? -number : number;
    sum += sum.empty() ? (number < 0 ? "-" : "") : (number < 0 ? " - " : " + ");
    sum += name.empty() ? std::to_string(size)
           : size == 1  ? name
                        : fmt::format("{} * {}", size, name);
  };
  for (const InfluenceTerm& term : row.terms) add(term.coefficient, NameOf(scop, term));
  if (row.constant != 0 || sum.empty()) add(row.constant, "");
  return sum + (row.is_equality ? " = 0" : " >= 0");
}

void AddNode(const Scop& scop, const InfluenceNode& node, int depth, std::string& text) {
  text += fmt::format("{:{}}dimension {}:", "", 2 * depth, depth);
  std::string separator = " ";
  const auto add = [&](const std::string& wish) {
    text += separator + wish;
    separator = ", ";
  };
  for (const InfluenceRow& row : node.rows) add(TextOf(scop, row));
  if (node.parallel) add("parallel");
  if (node.permutable) add("permutable");
  if (separator == " ") add("anything");
  if (node.children.empty()) text += fmt::format("    ({})", node.label);
  text += "\n";
  for (const InfluenceNode& child : node.children) AddNode(scop, child, depth + 1, text);
}

}  // namespace

std::string TreeText(const Scop& scop, const InfluenceTree& tree) {
  std::string text;
  for (const InfluenceNode& node : tree.nodes) AddNode(scop, node, 0, text);
  return text;
}

std::string ScenariosText(const Scop& scop, const std::vector<Scenario>& scenarios) {
  std::string text;
  for (std::size_t i = 0; i < scenarios.size(); ++i) {
    text += fmt::format("scenario {}, cost {:.4g}", i, scenarios[i].cost);
    for (std::size_t s = 0; s < scenarios[i].statements.size(); ++s) {
      const Reserved& reserved = scenarios[i].statements[s];
      if (reserved.iterators.empty()) continue;
      const ScopStatement& statement = scop.statements[s];
      std::string names;
      for (const int iterator : reserved.iterators)
        names += (names.empty() ? "" : ", ") + statement.iterators[iterator].name;
      text += fmt::format("; {}: {}", statement.name, names);
      if (reserved.vector_width > 0) text += fmt::format(" by {}", reserved.vector_width);
    }
    text += "\n";
  }
  return text;
}

}  // namespace exh::poly
