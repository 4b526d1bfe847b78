// SPDX-License-Identifier: MIT
#include "search/solve/solution_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>
#include <vector>

#include "search/log/decisions.h"

namespace exh::search {
namespace {

using runtime::Candidate;
using runtime::DecisionId;
using runtime::Instance;

constexpr std::size_t kColumns = 100;

/// Calls visit(decision) for each decision of a choice that takes part.
template <typename Visit>
void ForEachLive(const Candidate& solution, std::string_view choice, const Visit& visit) {
  const Instance& instance = solution.instance();
  const int number = instance.FindChoice(choice);
  for (DecisionId d = instance.first_decision(number); d < instance.end_decision(number); ++d) {
    if (solution.IsLive(d)) visit(d);
  }
}

/// "a,b" of "order(a,b)"; empty for a choice without arguments.
std::string Arguments(const Instance& instance, DecisionId decision) {
  const auto& arguments =
      instance.space().choices[static_cast<std::size_t>(instance.choice(decision))].arguments;
  const auto objects = instance.objects(decision);
  std::vector<std::string> names;
  for (std::size_t i = 0; i < objects.size(); ++i) {
    names.push_back(instance.object_name(arguments[i].set.set, objects[i]));
  }
  return fmt::format("{}", fmt::join(names, ","));
}

}  // namespace

std::string SolutionText(const Candidate& solution) {
  const Instance& instance = solution.instance();
  const std::vector<std::string> choices = SearchedChoices(instance);
  std::size_t width = 0;
  for (const std::string& choice : choices) width = std::max(width, choice.size());
  std::string text;
  for (const std::string& choice : choices) {
    std::string line = fmt::format("  {:<{}}", choice, width);
    bool any = false;
    ForEachLive(solution, choice, [&](DecisionId decision) {
      const std::string arguments = Arguments(instance, decision);
      const std::string value = instance.ValueName(decision, solution.FirstValue(decision));
      const std::string shown = arguments.empty() ? value : arguments + "=" + value;
      if (any && line.size() + 2 + shown.size() > kColumns) {
        text += line + "\n";
        line = fmt::format("  {:<{}}", "", width);
      }
      line += "  " + shown;
      any = true;
    });
    if (any) text += line + "\n";
  }
  return text;
}

nlohmann::ordered_json SolutionJson(const Candidate& solution) {
  const Instance& instance = solution.instance();
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  for (const std::string& choice : SearchedChoices(instance)) {
    ForEachLive(solution, choice, [&](DecisionId decision) {
      const int value = solution.FirstValue(decision);
      const auto universe = instance.universe(decision);
      const std::string arguments = Arguments(instance, decision);
      nlohmann::ordered_json& entry =
          json[arguments.empty() ? choice : fmt::format("{}({})", choice, arguments)];
      if (universe.empty()) {
        entry = instance.ValueName(decision, value);
      } else {
        entry = universe[static_cast<std::size_t>(value)];
      }
    });
  }
  return json;
}

}  // namespace exh::search
