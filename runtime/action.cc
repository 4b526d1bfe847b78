// SPDX-License-Identifier: MIT
#include "runtime/action.h"

#include <algorithm>
#include <cstdint>
#include <utility>
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

/// "; it has pace(max:sub)", a few of the decisions that the choice has.
std::string OthersOf(const Instance& instance, int choice) {
  constexpr DecisionId kMost = 4;
  const DecisionId first = instance.first_decision(choice), end = instance.end_decision(choice);
  if (first == end) return ", and for no others in this space";
  std::string text = "; it has";
  for (DecisionId d = first; d < std::min(end, first + kMost); ++d) {
    text += (d == first ? " " : ", ") + instance.DecisionName(d);
  }
  return end - first > kMost ? text + " and more" : text;
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
  if (!decision)
    *error = c.name + " has no decision for these objects" + OthersOf(instance, choice);
  return decision;
}

/// The number of a value by its name, or -1.
int ParseValue(const Instance& instance, DecisionId decision, std::string_view name,
               std::string* error) {
  std::vector<std::string> known;
  for (int value = 0; value < instance.num_values(decision); ++value) {
    known.push_back(instance.ValueName(decision, value));
    if (known.back() == name) return value;
  }
  *error = UnknownName("value", name, known) + " (" + instance.DecisionName(decision) + ")";
  return -1;
}

/// "12" or, of a long decision, "3..12": the numbers of the first and the last value.
std::optional<std::pair<int, int>> ParseValues(const Instance& instance, DecisionId decision,
                                               std::string_view text, std::string* error) {
  const auto dots = instance.IsLong(decision) ? text.find("..") : std::string_view::npos;
  if (dots == std::string_view::npos) {
    const int value = ParseValue(instance, decision, text, error);
    if (value < 0) return std::nullopt;
    return std::pair(value, value);
  }
  const int first = ParseValue(instance, decision, Trim(text.substr(0, dots)), error);
  const int last =
      first < 0 ? -1 : ParseValue(instance, decision, Trim(text.substr(dots + 2)), error);
  if (last < 0) return std::nullopt;
  if (last < first) {
    *error = "'" + std::string(text) + "' goes down: the smaller number comes first";
    return std::nullopt;
  }
  return std::pair(first, last);
}

}  // namespace

std::string ActionText(const Instance& instance, const Action& action) {
  std::string values = instance.ValuesText(action.decision, action.values, action.word);
  const int words = action.keeps_other_words ? instance.num_words(action.decision) : 1;
  if (words > 1) {
    values.clear();
    for (int word = 0; word < words; ++word) {
      const std::string here = instance.ValuesText(
          action.decision, word == action.word ? action.values : ~Bits{0}, word);
      if (!here.empty()) values += (values.empty() ? "" : "|") + here;
    }
  }
  return instance.DecisionName(action.decision) + "=" + values;
}

std::optional<std::vector<Action>> ParseActions(const Instance& instance, std::string_view text,
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
  const std::string_view names = Trim(text.substr(equal + 1));
  if (names.empty()) {
    *error = "no value after '=' in '" + std::string(text) + "'";
    return std::nullopt;
  }
  std::vector<Bits> words(static_cast<std::size_t>(instance.num_words(decision->id)), 0);
  for (const std::string_view name : Split(names, '|')) {
    const auto values = ParseValues(instance, decision->id, name, error);
    if (!values) return std::nullopt;
    for (int value = values->first; value <= values->second; ++value) {
      words[static_cast<std::size_t>(value / 64)] |= Bits{1} << value % 64;
    }
  }
  if (decision->swapped) words[0] = instance.Invert(*choice, words[0]);
  const auto in_word = [](Bits word) { return word != 0; };
  if (std::ranges::count_if(words, in_word) == 1) {
    const auto word = std::ranges::find_if(words, in_word) - words.begin();
    return std::vector{Action(decision->id, words[static_cast<std::size_t>(word)],
                              static_cast<std::uint16_t>(word))};
  }
  std::vector<Action> actions;
  for (std::size_t word = 0; word < words.size(); ++word) {
    actions.emplace_back(decision->id, words[word], static_cast<std::uint16_t>(word), true);
  }
  return actions;
}

std::optional<Action> ParseAction(const Instance& instance, std::string_view text,
                                  std::string* error) {
  const auto actions = ParseActions(instance, text, error);
  if (!actions) return std::nullopt;
  if (actions->size() > 1) {
    *error = "'" + std::string(text) + "' has values that are more than 64 apart";
    return std::nullopt;
  }
  return actions->front();
}

}  // namespace exh::runtime
