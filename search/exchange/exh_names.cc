// SPDX-License-Identifier: MIT
#include "search/exchange/exh_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "base/numbers.h"

namespace exh::search {
namespace {

constexpr std::string_view kAs = "as:";

/// Words that no choice may be called, with the keys of sets.
constexpr std::array<std::string_view, 38> kReserved = {
    "alias",    "antisymmetric", "base",      "counter",   "define",      "disjoint",  "end",
    "enum",     "false",         "forall",    "half",      "in",          "integer",   "internal",
    "is",       "mul",           "not",       "of",        "quotient",    "require",   "requires",
    "set",      "subsetof",      "sum",       "symmetric", "trigger",     "true",      "value",
    "when",     "add_to_set",    "id_getter", "id_type",   "item_getter", "item_type", "iterator",
    "new_objs", "reverse",       "var_prefix"};
/// Those that mean something in one place, and might be read as that.
constexpr std::array<std::string_view, 23> kWords = {
    "from_superset", "choice", "type",     "adds",     "host",       "backbone",
    "header",        "let",    "extern",   "dynamic",  "predicate",  "constant",
    "where",         "once",   "include",  "decide",   "canonical",  "div",
    "min",           "max",    "minimize", "maximize", "lower_bound"};

bool IsDigit(char c) {
  return c >= '0' && c <= '9';
}

/// Letters, digits and '_' of a name; everything else is a '_'.
std::string Spelled(std::string_view name, char a, char z) {
  std::string spelled;
  for (char c : name) {
    if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z')) {
      c = static_cast<char>(c >= a && c <= z ? c : c ^ 0x20);
    } else if (!IsDigit(c)) {
      c = '_';
    }
    spelled += c;
  }
  return spelled;
}

std::string WithoutBars(std::string name) {
  std::erase(name, '_');
  return name;
}

/// What the doc comment above a name says behind `as:`. The comment of a Spec has no lines any
/// more.
std::optional<std::string_view> SaidAbove(const dsl::Spec& spec, dsl::SourceRange range) {
  std::string_view text = spec.files.at(range.file).text;
  text = text.substr(0, range.begin);
  while (true) {
    const std::size_t end = text.rfind('\n');
    if (end == std::string_view::npos) return std::nullopt;
    text = text.substr(0, end);
    std::string_view line = Trim(text.substr(text.rfind('\n') + 1));
    if (line.empty()) continue;
    if (!line.starts_with("///")) return std::nullopt;
    line = Trim(line.substr(3));
    if (line.starts_with(kAs)) return Trim(line.substr(kAs.size()));
  }
}

}  // namespace

std::string ExhNames::ChoiceName(std::string_view name, bool is_enum) {
  std::string first = Spelled(name, 'a', 'z');
  if (first.empty() || first.front() < 'a' || first.front() > 'z') first = "p" + first;
  const bool is_reserved = std::ranges::find(kReserved, first) != kReserved.end() ||
                           std::ranges::find(kWords, first) != kWords.end();
  if (is_reserved) first += "_";
  std::string made = first;
  for (int i = 2; taken_.contains(made) || (is_enum && types_.contains(WithoutBars(made))); ++i) {
    made = fmt::format("{}_{}", first, i);
  }
  taken_.insert(made);
  if (is_enum) types_.insert(WithoutBars(made));
  return made;
}

std::string ExhNames::ValueName(const PythonValue& value, std::set<std::string>& taken) {
  std::string text = value.is_text() ? std::get<std::string>(value.held) : JsonOf(value).dump();
  const bool is_negative = !value.is_text() && text.starts_with('-');
  if (is_negative) text = "MINUS_" + text.substr(1);
  std::string first = Spelled(text, 'A', 'Z');
  if (first.empty() || first.front() < 'A' || first.front() > 'Z') first = "V" + first;
  std::string made = first;
  for (int i = 2; !taken.insert(made).second; ++i) made = fmt::format("{}_{}", first, i);
  return made;
}

OriginalNames OriginalNamesOf(const dsl::Spec& spec) {
  OriginalNames names;
  std::set<std::string> taken;
  for (const dsl::Choice& choice : spec.choices) {
    const auto said = SaidAbove(spec, choice.range);
    const std::string name(said.value_or(choice.name));
    if (!taken.insert(name).second) {
      throw UsageError(fmt::format("two choices are called '{}' elsewhere: '{}' is one of them",
                                   name, choice.name));
    }
    names.choices[choice.name] = name;
    if (choice.kind != dsl::ChoiceKind::kEnum) continue;
    std::set<std::string> texts;
    for (const dsl::EnumValue& value : choice.values) {
      const auto as = SaidAbove(spec, value.range);
      Json json = as ? Json::parse(*as, nullptr, /*allow_exceptions=*/false) : Json(value.name);
      if (json.is_discarded() || json.is_structured() || json.is_null()) {
        throw UsageError(fmt::format(
            "bad 'as: {}' of the value {} of '{}': it must be a text in quotes, a number, true or "
            "false",
            *as, value.name, choice.name));
      }
      if (!texts.insert(json.dump()).second) {
        throw UsageError(
            fmt::format("two values of '{}' are {} elsewhere", choice.name, json.dump()));
      }
      names.values[choice.name][value.name] = std::move(json);
    }
  }
  return names;
}

std::string AsLine(std::string_view name) {
  return fmt::format("/// {} {}\n", kAs, name);
}

std::string AsLine(const PythonValue& value) {
  constexpr auto kReplace = Json::error_handler_t::replace;
  return fmt::format("/// {} {}\n", kAs,
                     JsonOf(value).dump(-1, ' ', /*ensure_ascii=*/true, kReplace));
}

}  // namespace exh::search
