// SPDX-License-Identifier: MIT
#include "search/exchange/exh_formula.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "search/exchange/exact_term.h"
#include "search/exchange/value_table.h"

namespace exh::search {
namespace {

using Kind = PythonNode::Kind;

/// The language writes a formula out as so many disjunctions at most.
constexpr std::uint64_t kMostClauses = 256;

/// A formula with the number of disjunctions that it, and that its opposite, comes to.
struct Formula {
  std::optional<bool> constant;
  std::string text;
  bool is_joined = false;  ///< Needs parentheses within others.
  std::uint64_t clauses = 1, clauses_of_not = 1;
};

Formula ConstantFormula(bool holds) {
  Formula formula;
  formula.constant = holds;
  return formula;
}

Formula LeafFormula(std::string text) {
  Formula formula;
  formula.text = std::move(text);
  return formula;
}

Formula NotOf(Formula formula) {
  if (formula.constant) return ConstantFormula(!*formula.constant);
  formula.text = fmt::format("not ({})", formula.text);
  formula.is_joined = false;
  std::swap(formula.clauses, formula.clauses_of_not);
  return formula;
}

std::uint64_t Times(std::uint64_t a, std::uint64_t b) {
  return std::min<std::uint64_t>(a * b, kMostClauses + 1);
}

/// All of the parts, or any of them.
Formula Joined(const std::vector<Formula>& parts, bool all) {
  std::vector<std::string> texts;
  Formula joined;
  joined.clauses = all ? 0 : 1;
  joined.clauses_of_not = all ? 1 : 0;
  const Formula* last = nullptr;
  for (const Formula& part : parts) {
    if (part.constant == !all) return ConstantFormula(!all);
    if (part.constant) continue;
    last = &part;
    texts.push_back(part.is_joined ? fmt::format("({})", part.text) : part.text);
    std::uint64_t& added = all ? joined.clauses : joined.clauses_of_not;
    std::uint64_t& multiplied = all ? joined.clauses_of_not : joined.clauses;
    added = std::min(added + (all ? part.clauses : part.clauses_of_not), kMostClauses + 1);
    multiplied = Times(multiplied, all ? part.clauses_of_not : part.clauses);
  }
  if (texts.empty()) return ConstantFormula(all);
  if (texts.size() == 1) return *last;
  joined.text = fmt::format("{}", fmt::join(texts, all ? " && " : " || "));
  joined.is_joined = true;
  return joined;
}

PythonNode Zero() {
  PythonNode node;
  node.value = {std::int64_t{0}};
  return node;
}

PythonNode ComparisonOf(const PythonNode& left, const std::string& op, const PythonNode& right) {
  PythonNode node;
  node.kind = Kind::kCompare;
  node.operators = {op};
  node.parts = {left, right};
  node.begin = left.begin;
  node.end = right.end;
  return node;
}

/// `a < b < c` as `a < b`, `b < c`; anything else is alone.
std::vector<PythonNode> LinksOf(const PythonNode& node) {
  if (node.kind != Kind::kCompare || node.operators.size() < 2) return {node};
  std::vector<PythonNode> links;
  for (std::size_t i = 0; i < node.operators.size(); ++i) {
    links.push_back(ComparisonOf(node.parts[i], node.operators[i], node.parts[i + 1]));
  }
  return links;
}

class Translation {
 public:
  Translation(const std::vector<ParameterChoice>& choices, std::vector<PythonValue>& values)
      : terms_(choices), choices_(choices), values_(values) {}

  /// Throws NotExact when it cannot be said with terms.
  Formula Of(const PythonNode& node) {
    const std::vector<int> variables = VariablesOf(node);
    const bool is_plain = std::ranges::all_of(
        variables, [&](int one) { return static_cast<std::size_t>(one) < choices_.size(); });
    if (is_plain && variables.size() <= 1) return OfOne(node, variables);
    if (node.kind == Kind::kNot) return NotOf(Of(node.parts.front()));
    if (node.kind == Kind::kAnd || node.kind == Kind::kOr) {
      return OfParts(node.parts, node.kind == Kind::kAnd);
    }
    if (node.kind != Kind::kCompare) {
      return LeafFormula(terms_.ComparisonText(node, "!=", Zero()));
    }
    if (node.operators.size() > 1) return OfParts(LinksOf(node), true);
    const std::string& op = node.operators.front();
    if (op == "in" || op == "not in") return OfMembership(node);
    return LeafFormula(terms_.ComparisonText(node.parts[0], op, node.parts[1]));
  }

  /// It holds by what the terms mean, which Of() has made of it.
  bool Holds(const PythonNode& node) {
    const std::vector<int> variables = VariablesOf(node);
    if (variables.size() <= 1) return IsTrue(Evaluate(node, values_));
    if (node.kind == Kind::kNot) return !Holds(node.parts.front());
    if (node.kind == Kind::kAnd || node.kind == Kind::kOr) {
      const auto holds = [this](const PythonNode& part) { return Holds(part); };
      return node.kind == Kind::kAnd ? std::ranges::all_of(node.parts, holds)
                                     : std::ranges::any_of(node.parts, holds);
    }
    if (node.kind != Kind::kCompare) {
      return terms_.Compare(node, "!=", Zero(), values_);
    }
    const std::vector<PythonNode> links = LinksOf(node);
    if (links.size() > 1) {
      return std::ranges::all_of(links, [this](const PythonNode& link) { return Holds(link); });
    }
    const std::string& op = node.operators.front();
    if (op != "in" && op != "not in") {
      return terms_.Compare(node.parts[0], op, node.parts[1], values_);
    }
    const bool found = std::ranges::any_of(node.parts[1].parts, [&](const PythonNode& element) {
      return Holds(ComparisonOf(node.parts[0], "==", element));
    });
    return found == (op == "in");
  }

  bool is_surely_exact() const { return terms_.is_surely_exact(); }

 private:
  /// The values of the only parameter that it asks for are tried.
  Formula OfOne(const PythonNode& node, const std::vector<int>& variables) {
    try {
      if (variables.empty()) return ConstantFormula(IsTrue(Evaluate(node, values_)));
      const auto which = static_cast<std::size_t>(variables.front());
      std::vector<bool> allowed;
      for (const PythonValue& value : choices_[which].values) {
        values_[which] = value;
        allowed.push_back(IsTrue(Evaluate(node, values_)));
      }
      const auto count = std::ranges::count(allowed, true);
      if (count == 0) return ConstantFormula(false);
      if (count == std::ssize(allowed)) return ConstantFormula(true);
      return LeafFormula(ValueTest(choices_[which], allowed));
    } catch (const PythonError& error) {
      throw NotExact(error.what());
    }
  }

  Formula OfParts(const std::vector<PythonNode>& nodes, bool all) {
    std::vector<Formula> parts;
    for (const PythonNode& part : nodes) parts.push_back(Of(part));
    return Joined(parts, all);
  }

  Formula OfMembership(const PythonNode& node) {
    const PythonNode& list = node.parts[1];
    if (list.kind != Kind::kList) throw NotExact("what stands behind 'in' is no list of values");
    std::vector<Formula> parts;
    for (const PythonNode& element : list.parts) {
      parts.push_back(Of(ComparisonOf(node.parts[0], "==", element)));
    }
    Formula any = Joined(parts, false);
    return node.operators.front() == "in" ? any : NotOf(std::move(any));
  }

  ExactTerms terms_;
  const std::vector<ParameterChoice>& choices_;
  std::vector<PythonValue>& values_;
};

/// What must hold by itself: the parts of `and`, the links of a chain.
void Divide(const PythonNode& node, std::vector<PythonNode>& conjuncts) {
  if (node.kind == Kind::kAnd) {
    for (const PythonNode& part : node.parts) Divide(part, conjuncts);
    return;
  }
  for (PythonNode& link : LinksOf(node)) conjuncts.push_back(std::move(link));
}

bool AllowedByPython(const PythonNode& node, std::vector<PythonValue>& values) {
  try {
    return IsTrue(Evaluate(node, values));
  } catch (const PythonError&) {
    return false;
  }
}

/// Nothing: terms do not say the same.
std::optional<Formula> WithTerms(const PythonNode& node,
                                 const std::vector<ParameterChoice>& choices) {
  std::vector<PythonValue> values(choices.size());
  Translation translation(choices, values);
  try {
    Formula formula = translation.Of(node);
    if (formula.clauses > kMostClauses) return std::nullopt;
    if (translation.is_surely_exact()) return formula;
    ValueTuples tuples(choices, VariablesOf(node));
    if (!tuples.can_be_tried()) return std::nullopt;
    const bool are_same = tuples.All(
        values, [&] { return AllowedByPython(node, values) == translation.Holds(node); });
    if (are_same) return formula;
  } catch (const NotExact&) {
  }
  return std::nullopt;
}

}  // namespace

std::vector<std::string> FormulasOf(const TuningRestriction& restriction,
                                    const std::vector<ParameterChoice>& choices) {
  std::vector<PythonNode> conjuncts;
  Divide(restriction.node, conjuncts);
  std::vector<std::string> formulas;
  for (const PythonNode& conjunct : conjuncts) {
    if (const std::optional<Formula> formula = WithTerms(conjunct, choices)) {
      if (formula->constant == false) formulas.emplace_back("false");
      if (!formula->constant) formulas.push_back(formula->text);
      continue;
    }
    const auto allowed = [&](std::vector<PythonValue>& values) {
      return AllowedByPython(conjunct, values);
    };
    try {
      for (std::string& clause : TableClauses(choices, VariablesOf(conjunct), allowed)) {
        formulas.push_back(std::move(clause));
      }
    } catch (const UsageError& error) {
      throw UsageError(fmt::format(
          "condition '{}': '{}' cannot be said in whole numbers, and {}", restriction.text,
          restriction.text.substr(conjunct.begin, conjunct.end - conjunct.begin), error.what()));
    }
  }
  return formulas;
}

}  // namespace exh::search
