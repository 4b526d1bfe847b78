// SPDX-License-Identifier: MIT
#include "runtime/action.h"

#include <cstdint>
#include <vector>

#include "base/numbers.h"
#include "base/spelling.h"
#include "runtime/instance.h"

namespace exh::runtime {
namespace {

std::optional<int> ParseChoice(const Instance& instance, std::string_view name,
                               std::string* error) {
  const int choice = instance.FindChoice(name);
  if (choice >= 0 && instance.space().choices[choice].kind != ChoiceKind::kCounter) return choice;
  std::vector<std::string> names;
  for (const Choice& known : instance.space().choices) {
    if (known.kind != ChoiceKind::kCounter) names.push_back(known.name);
  }
  *error = choice >= 0 ? "'" + std::string(name) + "' is a counter: it follows from decisions"
                       : UnknownName("choice", name, names);
  return std::nullopt;
}

std::optional<DecisionRef> ParseDecision(const Instance& instance, int choice,
                                         const std::vector<std::string_view>& names,
                                         std::string* error) {
  const Choice& c = instance.space().choices[choice];
  if (names.size() != c.arguments.size()) {
    *error = c.name + " takes " + std::to_string(c.arguments.size()) + " objects, got " +
             std::to_string(names.size());
    return std::nullopt;
  }
  std::vector<Object> objects;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const int set = c.arguments[i].set.set;
    const std::optional<Object> object = instance.FindObject(set, names[i]);
    if (!object) {
      std::vector<std::string> known;
      for (int o = 0; o < instance.num_objects(set); ++o) {
        known.push_back(instance.object_name(set, static_cast<Object>(o)));
      }
      *error = UnknownName("object", names[i], known);
      return std::nullopt;
    }
    objects.push_back(*object);
  }
  const std::optional<DecisionRef> decision = instance.FindDecision(choice, objects);
  if (!decision) *error = c.name + " has no decision for these objects";
  return decision;
}

std::optional<Bits> ParseValue(const Instance& instance, DecisionId decision, std::string_view name,
                               std::string* error) {
  std::vector<std::string> known;
  for (int value = 0; value < 64; ++value) {
    if ((instance.all_values(decision) >> value & 1) == 0) break;
    known.push_back(instance.ValueName(decision, value));
    if (known.back() == name) return Bits{1} << value;
  }
  *error = UnknownName("value", name, known) + " (" + instance.DecisionName(decision) + ")";
  return std::nullopt;
}

}  // namespace

std::string ActionText(const Instance& instance, const Action& action) {
  return instance.DecisionName(action.decision) + "=" +
         instance.ValuesText(action.decision, action.values);
}

std::optional<Action> ParseAction(const Instance& instance, std::string_view text,
                                  std::string* error) {
  const auto open = text.find('('), close = text.find(')'), equal = text.find('=');
  if (open == std::string_view::npos || close == std::string_view::npos ||
      equal == std::string_view::npos || open > close || close > equal ||
      !Trim(text.substr(close + 1, equal - close - 1)).empty()) {
    *error = "'" + std::string(text) + "' is not of the form choice(object,…)=VALUE|…";
    return std::nullopt;
  }
  const std::optional<int> choice = ParseChoice(instance, Trim(text.substr(0, open)), error);
  if (!choice) return std::nullopt;
  const std::optional<DecisionRef> decision = ParseDecision(
      instance, *choice, Split(Trim(text.substr(open + 1, close - open - 1)), ','), error);
  if (!decision) return std::nullopt;
  Bits values = 0;
  for (const std::string_view name : Split(Trim(text.substr(equal + 1)), '|')) {
    const std::optional<Bits> value = ParseValue(instance, decision->id, name, error);
    if (!value) return std::nullopt;
    values |= *value;
  }
  if (values == 0) {
    *error = "no value after '=' in '" + std::string(text) + "'";
    return std::nullopt;
  }
  if (decision->swapped) values = instance.Invert(*choice, values);
  return Action{decision->id, values};
}

}  // namespace exh::runtime
