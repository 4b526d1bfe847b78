// SPDX-License-Identifier: MIT
#include "search/exchange/problem_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "base/spelling.h"
#include "dsl/dsl.h"
#include "load/load.h"
#include "search/exchange/exh_formula.h"
#include "search/exchange/exh_names.h"

namespace exh::search {
namespace {

constexpr std::size_t kMostValues = 64;
constexpr std::size_t kMostNumbers = 4096;
constexpr std::int64_t kLargestNumber = UINT32_MAX;

bool IsNumber(const PythonValue& value) {
  return value.is_whole() && value.whole() >= 0 && value.whole() <= kLargestNumber;
}

ParameterChoice ChoiceOf(const TuningParameter& parameter, ExhNames& names) {
  ParameterChoice choice;
  choice.values = parameter.values;
  choice.is_enum = !std::ranges::all_of(parameter.values, IsNumber);
  choice.name = names.ChoiceName(parameter.name, choice.is_enum);
  const std::size_t most = choice.is_enum ? kMostValues : kMostNumbers;
  if (choice.values.size() > most) {
    throw UsageError(fmt::format(
        "parameter '{}' has {} values; a choice has at most {}{}", parameter.name,
        choice.values.size(), most,
        choice.is_enum ? ", unless all of them are whole numbers from 0 to 4294967295" : ""));
  }
  if (!choice.is_enum) std::ranges::sort(choice.values, {}, &PythonValue::whole);
  std::set<std::string> taken;
  for (const PythonValue& value : choice.values) {
    choice.words.push_back(choice.is_enum ? ExhNames::ValueName(value, taken)
                                          : fmt::format("{}", value.whole()));
  }
  return choice;
}

/// "16 | 32 | 64 .. 99".
std::string UniverseText(const ParameterChoice& choice) {
  constexpr std::size_t kShortRange = 3;
  std::vector<std::string> pieces;
  for (std::size_t i = 0; i < choice.values.size(); ++i) {
    std::size_t end = i + 1;
    while (end < choice.values.size() &&
           choice.values[end].whole() == choice.values[end - 1].whole() + 1) {
      ++end;
    }
    if (end - i < kShortRange) {
      pieces.push_back(choice.words[i]);
      continue;
    }
    pieces.push_back(fmt::format("{} .. {}", choice.words[i], choice.words[end - 1]));
    i = end - 1;
  }
  return fmt::format("{}", fmt::join(pieces, " | "));
}

std::string ChoiceText(const TuningParameter& parameter, const ParameterChoice& choice) {
  // A comment of its own: lines of a doc comment are read as one.
  std::string text;
  if (parameter.usual) {
    text += fmt::format("// default: {}\n", JsonOf(*parameter.usual).dump(-1, ' ', true));
  }
  text += AsLine(parameter.name);
  if (!choice.is_enum) {
    return text + fmt::format("choice integer {}(): {} end\n", choice.name, UniverseText(choice));
  }
  text += fmt::format("choice enum {}():\n", choice.name);
  for (std::size_t i = 0; i < choice.values.size(); ++i) {
    text += fmt::format("  {}  value {}:\n", AsLine(choice.values[i]), choice.words[i]);
  }
  return text + "end\n";
}

/// In one line, without what ends a comment or a text.
std::string Line(const std::string& text) {
  constexpr std::size_t kLongest = 300;
  std::string line = Shortened(text, kLongest);
  for (char& c : line) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
  }
  return line;
}

std::string RestrictionText(const TuningRestriction& restriction, std::size_t number,
                            const std::vector<ParameterChoice>& choices) {
  const std::vector<std::string> formulas = FormulasOf(restriction, choices);
  if (formulas.empty()) {
    return fmt::format("\n// Holds always: {}\n", Line(restriction.text));
  }
  std::string text;
  for (std::size_t i = 0; i < formulas.size(); ++i) {
    const std::string part = formulas.size() == 1 ? "" : fmt::format("_{}", i + 1);
    text += fmt::format("{}require restriction_{}{}:\n  {}\n",
                        i == 0 ? fmt::format("\n/// {}\n", Line(restriction.text)) : "", number,
                        part, formulas[i]);
  }
  return text;
}

/// Throws UsageError when the text is no space, such as where a term may get too large.
void CheckLoads(const std::string& text) {
  dsl::DiagnosticSink sink;
  const auto loaded = load::LoadText("problem.exh", text, sink);
  if (!loaded) {
    throw UsageError("what it becomes is no space of this language:\n" + dsl::RenderText(sink));
  }
  try {
    load::Freeze(*loaded);
  } catch (const Interrupted&) {
    throw;
  } catch (const Error& error) {
    throw UsageError(fmt::format("what it becomes is refused: {}", error.what()));
  }
}

}  // namespace

std::vector<ParameterChoice> ChoicesOf(const TuningProblem& problem) {
  ExhNames names;
  std::vector<ParameterChoice> choices;
  for (const TuningParameter& parameter : problem.parameters) {
    choices.push_back(ChoiceOf(parameter, names));
  }
  return choices;
}

std::string ExhTextOf(const TuningProblem& problem) {
  const std::vector<ParameterChoice> choices = ChoicesOf(problem);
  std::string text = problem.name.empty()
                         ? "// A tuning problem.\n"
                         : fmt::format("// The tuning problem '{}'.\n", Line(problem.name));
  for (std::size_t i = 0; i < choices.size(); ++i) {
    text += "\n" + ChoiceText(problem.parameters[i], choices[i]);
  }
  for (std::size_t i = 0; i < problem.restrictions.size(); ++i) {
    text += RestrictionText(problem.restrictions[i], i + 1, choices);
  }
  CheckLoads(text);
  return text;
}

}  // namespace exh::search
