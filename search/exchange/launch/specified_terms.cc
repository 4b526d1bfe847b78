// SPDX-License-Identifier: MIT
#include "search/exchange/launch/specified_terms.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "search/exchange/exact_term.h"
#include "search/exchange/problem_text.h"

namespace exh::search {
namespace {

using Kind = PythonNode::Kind;

constexpr const char* kProblemSize = "ProblemSize";

PythonNode ValueNode(PythonValue value) {
  PythonNode node;
  node.value = std::move(value);
  return node;
}

PythonNode CalculationOf(const char* op, PythonNode a, PythonNode b) {
  PythonNode node;
  node.kind = Kind::kCalculate;
  node.word = op;
  node.parts = {std::move(a), std::move(b)};
  const bool is_known =
      std::ranges::all_of(node.parts, [](const auto& part) { return part.kind == Kind::kValue; });
  std::vector<PythonValue> none;
  return is_known ? ValueNode(Evaluate(node, none)) : node;
}

/// 4.0 as 4, and True as 1.
PythonValue AsWhole(const PythonValue& value) {
  if (const bool* const truth = std::get_if<bool>(&value.held)) {
    return {std::int64_t{*truth ? 1 : 0}};
  }
  const double* const real = std::get_if<double>(&value.held);
  constexpr double kMost = 0x1p53;
  if (real == nullptr || *real != std::floor(*real) || std::abs(*real) > kMost) return value;
  return {static_cast<std::int64_t>(*real)};
}

/// What throws PythonError or NotExact in it is a mistake of the user's.
template <typename Make>
auto OfUser(const Make& make) {
  try {
    return make();
  } catch (const PythonError& error) {
    throw UsageError(error.what());
  } catch (const NotExact& error) {
    throw UsageError(fmt::format("there is no term for it: {}", error.what()));
  }
}

}  // namespace

SpecifiedTerms::SpecifiedTerms(const TuningProblem& problem)
    : problem_(problem), choices_(ChoicesOf(problem)) {
  for (const TuningParameter& parameter : problem.parameters) names_.push_back(parameter.name);
  names_.emplace_back(kProblemSize);
}

std::optional<PythonList> SpecifiedTerms::ListOf(const PythonNode& node) const {
  if (node.kind != Kind::kName) return std::nullopt;
  const auto which = static_cast<std::size_t>(node.variable);
  if (which < problem_.parameters.size()) return problem_.parameters[which].values;
  return which + 1 == names_.size() ? problem_size_ : std::nullopt;
}

void SpecifiedTerms::Calculate(PythonNode& node) const {
  if (node.kind == Kind::kName) {
    const std::optional<PythonList> list = ListOf(node);
    const bool is_parameter = static_cast<std::size_t>(node.variable) + 1 < names_.size();
    if (is_parameter && list && list->size() == 1) {
      node = ValueNode(list->front());
    } else if (!is_parameter && static_cast<std::size_t>(node.variable) + 1 == names_.size()) {
      if (!list) throw UsageError("ProblemSize is none, or no list of numbers");
      node = ValueNode({*list});
    }
    return;
  }
  const bool is_of_list =
      node.kind == Kind::kCall && (node.word == "max" || node.word == "min" || node.word == "len");
  if (is_of_list && node.parts.size() == 1) {
    if (std::optional<PythonList> list = ListOf(node.parts.front())) {
      node.parts.front() = ValueNode({*std::move(list)});
    }
  }
  for (PythonNode& part : node.parts) Calculate(part);
  const bool is_known =
      std::ranges::all_of(node.parts, [](const auto& part) { return part.kind == Kind::kValue; });
  if (node.kind == Kind::kValue || node.kind == Kind::kListOfEach || !is_known) return;
  std::vector<PythonValue> none;
  node = ValueNode(Evaluate(node, none));
}

PythonNode SpecifiedTerms::Read(const Json& expression) const {
  return OfUser([&] {
    if (expression.is_number()) return ValueNode(PythonValueOf(expression));
    if (!expression.is_string()) {
      throw UsageError(fmt::format("a number or an expression is wanted, not {}",
                                   expression.is_null() ? "null" : expression.dump()));
    }
    PythonNode node = ParsePython(expression.get<std::string>());
    BindNames(node, names_);
    Calculate(node);
    return node;
  });
}

std::optional<PythonValue> SpecifiedTerms::NumberOf(const PythonNode& node) {
  const double* const real = std::get_if<double>(&node.value.held);
  const bool is_number = node.kind == Kind::kValue && !node.value.is_text() &&
                         !node.value.is_list() && (real == nullptr || std::isfinite(*real));
  return is_number ? std::optional<PythonValue>(AsWhole(node.value)) : std::nullopt;
}

std::int64_t SpecifiedTerms::WholeOf(const Json& expression) const {
  const PythonNode node = Read(expression);
  if (const std::optional<PythonValue> number = NumberOf(node)) {
    if (number->is_whole()) return number->whole();
    throw UsageError("it is no whole number");
  }
  const std::vector<int> asked = VariablesOf(node);
  if (asked.empty()) throw UsageError("it is no number");
  const TuningParameter& parameter =
      problem_.parameters.at(static_cast<std::size_t>(asked.front()));
  throw UsageError(
      fmt::format("it depends on the parameter '{0}', which has {1} values, and must be the same "
                  "for all configurations; max({0}) is the largest of them",
                  parameter.name, parameter.values.size()));
}

Json SpecifiedTerms::TermOf(const PythonNode& node) const {
  return OfUser([&]() -> Json {
    if (const std::optional<PythonValue> number = NumberOf(node)) {
      if (!number->is_whole()) throw UsageError("it is no whole number");
      return number->whole();
    }
    return ExactTerms(choices_).TermText(node);
  });
}

PythonNode SpecifiedTerms::RatioUp(PythonNode size, const std::vector<PythonNode>& divisors) {
  return OfUser([&] {
    PythonNode all = ValueNode({std::int64_t{1}});
    for (const PythonNode& divisor : divisors) {
      const bool is_first = &divisor == &divisors.front();
      all = is_first ? divisor : CalculationOf("*", std::move(all), divisor);
    }
    if (divisors.empty()) return size;
    PythonNode sum = CalculationOf("+", std::move(size), all);
    return CalculationOf("//", CalculationOf("-", std::move(sum), ValueNode({std::int64_t{1}})),
                         std::move(all));
  });
}

}  // namespace exh::search
