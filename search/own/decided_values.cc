// SPDX-License-Identifier: MIT
#include "search/own/decided_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <utility>

#include "base/error.h"
#include "base/numbers.h"
#include "base/spelling.h"
#include "search/exchange/exh_names.h"

namespace exh::search {
namespace {

bool IsWordCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/// "tile(m)": "EXH_TILE_M".
std::string VariableOf(std::string_view name) {
  std::string variable = "EXH_";
  for (const char c : name) {
    variable +=
        IsWordCharacter(c) ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : '_';
  }
  while (variable.back() == '_') variable.pop_back();
  return variable;
}

/// So that a shell takes it as one word.
std::string Quoted(const std::string& text) {
  const auto is_plain = [](char c) {
    return IsWordCharacter(c) || c == '.' || c == '-' || c == '+' || c == '/' || c == ':';
  };
  if (!text.empty() && std::ranges::all_of(text, is_plain)) return text;
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

/// The end of a name with its arguments that begins at `begin`: "tile(m)". `begin`: there is none.
std::size_t EndOfName(std::string_view text, std::size_t begin) {
  std::size_t end = begin;
  if (end >= text.size() || !IsWordCharacter(text[end]) ||
      std::isdigit(static_cast<unsigned char>(text[end])) != 0) {
    return begin;
  }
  while (end < text.size() && IsWordCharacter(text[end])) ++end;
  if (end >= text.size() || text[end] != '(') return end;
  const std::size_t close = text.find(')', end);
  const std::size_t brace = text.find_first_of("{}", end);
  return close == std::string_view::npos || brace < close ? begin : close + 1;
}

/// Calls name(text) for each `{name}`, and other(text) for what is between them. `${name}` is the
/// shell's.
void ForEachPart(std::string_view command, const std::function<void(std::string_view)>& name,
                 const std::function<void(std::string_view)>& other) {
  std::size_t done = 0;
  for (std::size_t i = 0; i < command.size(); ++i) {
    const char c = command[i];
    if ((c == '{' || c == '}') && i + 1 < command.size() && command[i + 1] == c) {
      other(command.substr(done, i + 1 - done));
      done = ++i + 1;
      continue;
    }
    if (c != '{' || (i > 0 && command[i - 1] == '$')) continue;
    const std::size_t end = EndOfName(command, i + 1);
    if (end == i + 1 || end >= command.size() || command[end] != '}') continue;
    other(command.substr(done, i - done));
    name(command.substr(i + 1, end - i - 1));
    i = end;
    done = end + 1;
  }
  other(command.substr(done));
}

}  // namespace

DecidedValues::DecidedValues(const runtime::Instance& instance, const dsl::Spec& spec, Sizes sizes)
    : sizes_(std::move(sizes)) {
  const OriginalNames names = OriginalNamesOf(spec);
  for (const auto& [name, value] : sizes_) owner_[VariableOf(name)] = name;
  for (runtime::DecisionId id = 0; id < instance.num_decisions(); ++id) {
    if (instance.IsDerived(id)) continue;
    const dsl::Choice& choice = spec.choices.at(static_cast<std::size_t>(instance.choice(id)));
    Decision decision;
    decision.decision = id;
    decision.name = instance.DecisionName(id);
    decision.name = names.choices.at(choice.name) + decision.name.substr(choice.name.size());
    if (decision.name.ends_with("()")) decision.name.resize(decision.name.size() - 2);
    const auto universe = instance.universe(id);
    for (int value = 0; value < instance.num_values(id); ++value) {
      Value made;
      if (!universe.empty()) {
        made.text = made.json = std::to_string(universe[static_cast<std::size_t>(value)]);
      } else {
        const Json given = names.values.at(choice.name).at(instance.ValueName(id, value));
        made.text = given.is_string() ? given.get<std::string>() : given.dump();
        made.json = given.dump();
        if (made.text.find('\n') != std::string::npos) {
          throw UsageError(
              fmt::format("value {} of '{}': a text of one line", made.json, choice.name));
        }
      }
      decision.values.push_back(std::move(made));
    }
    Name(decision);
    decisions_.push_back(std::move(decision));
  }
}

void DecidedValues::Name(Decision& decision) {
  decision.variable = VariableOf(decision.name);
  const auto [place, is_new] = owner_.emplace(decision.variable, decision.name);
  if (is_new) return;
  throw UsageError(fmt::format(
      "'{}' and '{}' are both {} to the program: give one of them another name, or say it in a "
      "comment above its choice, '/// as: OTHER_NAME'",
      place->second, decision.name, decision.variable));
}

std::string DecidedValues::TextOf(const runtime::Candidate& implementation) const {
  std::string text;
  for (const auto& [name, value] : sizes_) text += fmt::format("{}={}\n", VariableOf(name), value);
  for (const Decision& decision : decisions_) {
    const auto value = static_cast<std::size_t>(implementation.FirstValue(decision.decision));
    text += fmt::format("{}={}\n", decision.variable, Quoted(decision.values[value].text));
  }
  return text;
}

std::vector<std::size_t> DecidedValues::IndicesOf(const std::string& text) const {
  std::vector<std::size_t> indices;
  std::size_t skipped = 0;
  for (const std::string_view line : Split(text, '\n')) {
    if (line.empty() || line.front() == '#') continue;
    if (skipped < sizes_.size()) {
      ++skipped;
      continue;
    }
    if (indices.size() == decisions_.size()) break;
    const Decision& decision = decisions_[indices.size()];
    const auto is_it = [&](const Value& value) {
      return line == decision.variable + "=" + Quoted(value.text);
    };
    const auto found = std::ranges::find_if(decision.values, is_it);
    if (found == decision.values.end()) break;
    indices.push_back(static_cast<std::size_t>(found - decision.values.begin()));
  }
  if (indices.size() != decisions_.size()) throw Error("the text of an implementation is damaged");
  return indices;
}

Json DecidedValues::JsonOf(const std::string& text) const {
  const std::vector<std::size_t> indices = IndicesOf(text);
  Json json = Json::object();
  for (std::size_t i = 0; i < indices.size(); ++i) {
    json[decisions_[i].name] = Json::parse(decisions_[i].values[indices[i]].json);
  }
  return json;
}

Json DecidedValues::SizesJson() const {
  Json json = Json::object();
  for (const auto& [name, value] : sizes_) json[name] = value;
  return json;
}

std::vector<std::string> DecidedValues::EnvironmentOf(const std::string& text) const {
  const std::vector<std::size_t> indices = IndicesOf(text);
  std::vector<std::string> environment;
  for (const auto& [name, value] : sizes_) {
    environment.push_back(fmt::format("{}={}", VariableOf(name), value));
  }
  for (std::size_t i = 0; i < indices.size(); ++i) {
    environment.push_back(decisions_[i].variable + "=" + decisions_[i].values[indices[i]].text);
  }
  return environment;
}

std::vector<std::pair<std::string, std::string>> DecidedValues::MacrosOf(
    const std::string& text) const {
  const std::vector<std::size_t> indices = IndicesOf(text);
  std::vector<std::pair<std::string, std::string>> macros;
  for (std::size_t i = 0; i < indices.size(); ++i) {
    std::string macro = decisions_[i].name;
    std::ranges::replace_if(
        macro, [](char c) { return !IsWordCharacter(c); }, '_');
    macro.erase(macro.find_last_not_of('_') + 1);
    macros.emplace_back(std::move(macro), decisions_[i].values[indices[i]].text);
  }
  return macros;
}

kernels::Wish DecidedValues::WishOf(const runtime::Instance& instance, const std::string& place,
                                    const std::string& name, const Json& value) const {
  const Decision* const decision = Find(name);
  if (decision == nullptr) {
    std::vector<std::string> names;
    for (const Decision& one : decisions_) names.push_back(one.name);
    throw UsageError(fmt::format("{}: {}", place, UnknownName("decision", name, names)));
  }
  const std::string wanted = value.dump();
  std::vector<std::string> legal;
  for (std::size_t i = 0; i < decision->values.size(); ++i) {
    legal.push_back(decision->values[i].json);
    if (legal.back() != wanted) continue;
    return {instance.DecisionName(decision->decision),
            {instance.ValueName(decision->decision, static_cast<int>(i))}};
  }
  throw UsageError(fmt::format("{}.{}: {}", place, name, UnknownName("value", wanted, legal)));
}

const DecidedValues::Decision* DecidedValues::Find(std::string_view name) const {
  const auto found = std::ranges::find(decisions_, name, &Decision::name);
  return found == decisions_.end() ? nullptr : &*found;
}

std::string DecidedValues::Filled(std::string_view command, const std::string& text,
                                  const std::string& folder) const {
  const std::vector<std::size_t> indices = IndicesOf(text);
  std::string filled;
  const auto fill = [&](std::string_view name) {
    if (const Decision* const decision = Find(name)) {
      const auto at = static_cast<std::size_t>(decision - decisions_.data());
      filled += Quoted(decision->values[indices[at]].text);
    } else if (const auto size = sizes_.find(name); size != sizes_.end()) {
      filled += std::to_string(size->second);
    } else if (name == "dir") {
      filled += Quoted(folder);
    }
  };
  ForEachPart(command, fill, [&](std::string_view other) { filled += other; });
  return filled;
}

bool DecidedValues::NamesAny(std::string_view command) const {
  bool any = false;
  ForEachPart(
      command, [&](std::string_view name) { any = any || Find(name) != nullptr; },
      [](std::string_view) {});
  return any;
}

std::vector<std::string> DecidedValues::LeftOut(std::string_view command) const {
  std::set<std::string, std::less<>> named;
  ForEachPart(
      command, [&](std::string_view name) { named.emplace(name); }, [](std::string_view) {});
  std::vector<std::string> left_out;
  for (const Decision& decision : decisions_) {
    if (!named.contains(decision.name)) left_out.push_back(decision.variable);
  }
  return NamesAny(command) ? left_out : std::vector<std::string>();
}

std::vector<std::string> DecidedValues::Names() const {
  std::vector<std::string> names = {"dir"};
  for (const auto& [name, value] : sizes_) names.push_back(name);
  for (const Decision& decision : decisions_) names.push_back(decision.name);
  return names;
}

void DecidedValues::Check(std::string_view option, std::string_view command) const {
  const std::vector<std::string> names = Names();
  const auto check = [&](std::string_view name) {
    if (std::ranges::find(names, name) != names.end()) return;
    throw UsageError(fmt::format("{}: {}; braces of the shell are written {{{{ and }}}}", option,
                                 UnknownName("decision or size", name, names)));
  };
  ForEachPart(command, check, [](std::string_view) {});
}

}  // namespace exh::search
