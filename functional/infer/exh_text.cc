// SPDX-License-Identifier: MIT
#include "functional/infer/exh_text.h"

#include <fmt/format.h>

#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "base/check.h"
#include "dsl/syntax/format.h"
#include "functional/meaning/built_ins.h"
#include "functional/meaning/elaborator.h"

namespace exh::functional {
namespace {

std::string Bracketed(const std::string& text) {
  return text.find(' ') == std::string::npos ? text : "(" + text + ")";
}

/// What the term is divided by; 1 when nothing.
Term DivisorOf(const Term& term) {
  Term divisor = Terms::Number(1);
  for (const FactorPtr& factor : term.denominator) {
    divisor.poly = divisor.poly * factor->poly;
    divisor.numerator.push_back(factor);
  }
  return divisor;
}

/// `a / b` is a multiple of m where a is one of b * m, given that b divides a.
std::string DividesText(const Terms& terms, const ProgramRequirement& requirement) {
  const Term divisor = DivisorOf(requirement.left);
  Term above = requirement.left;
  above.denominator.clear();
  std::string right = Bracketed(terms.Text(requirement.right, true));
  if (!divisor.numerator.empty()) {
    right = fmt::format("({} * {})", terms.Text(divisor, true), right);
  }
  return fmt::format("{} % {} == 0", Bracketed(terms.Text(above, true)), right);
}

std::string ConditionText(const Terms& terms, const ProgramRequirement& requirement) {
  if (requirement.op == "%") return DividesText(terms, requirement);
  return fmt::format("{} {} {}", terms.Text(requirement.left, true), requirement.op,
                     terms.Text(requirement.right, true));
}

std::string Lower(std::string text) {
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return text;
}

std::string NumbersText(const std::vector<std::int64_t>& numbers) {
  std::string text;
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t end = i + 1;
    while (end < numbers.size() && numbers[end] == numbers[end - 1] + 1) ++end;
    const bool is_range = end - i >= 3;
    if (!text.empty()) text += " | ";
    text += is_range ? fmt::format("{} .. {}", numbers[i], numbers[end - 1])
                     : fmt::format("{}", numbers[i]);
    i = is_range ? end : i + 1;
  }
  return text;
}

std::string PlaceOf(const dsl::SourceSet& sources, dsl::SourceRange range) {
  const dsl::SourceFile& file = sources.file(range.file);
  const dsl::LineColumn place = dsl::Locate(file.text, range.begin);
  return fmt::format("{}:{}:{}", file.display, place.line, place.column);
}

}  // namespace

bool Simplify(Program& program, dsl::DiagnosticSink& sink) {
  std::set<std::string> said;
  std::vector<ProgramRequirement> kept;
  bool can_hold = true;
  for (ProgramRequirement& requirement : program.requirements) {
    const auto certain = IsCertain(program.terms, requirement);
    if (certain && *certain) continue;
    const std::string text = ConditionText(program.terms, requirement);
    if (certain) {
      can_hold = false;
      sink.Report(dsl::Diag::kFunNever, requirement.range,
                  fmt::format("{}: {} cannot hold", requirement.why, text));
    }
    if (said.insert(text).second) kept.push_back(std::move(requirement));
  }
  program.requirements = std::move(kept);
  return can_hold;
}

std::string ExhText(const Program& program, const dsl::SourceSet& sources) {
  std::string text = "// Inferred from " + sources.file(0).display;
  for (std::size_t i = 0; const auto& [name, value] : program.sizes) {
    text += fmt::format("{}{} = {}", i++ == 0 ? " for " : ", ", name, value);
  }
  text += ".\n";
  for (const ProgramParameter& parameter : program.parameters) {
    text +=
        fmt::format("\n/// {}\nchoice integer {}(): {} end\n", PlaceOf(sources, parameter.range),
                    parameter.name, NumbersText(parameter.values));
  }
  std::set<std::string> labels;
  for (const ProgramRequirement& requirement : program.requirements) {
    std::string label = Lower(requirement.label);
    const std::set<std::string> divisor = program.terms.ParametersOf(requirement.right);
    if (requirement.op == "%" && divisor.size() == 1) label += "_" + *divisor.begin();
    if (IsWordOfExh(label) || label[0] == '_') label = "said_" + label;
    const std::string first = label;
    for (int count = 2; !labels.insert(label).second; ++count) {
      label = fmt::format("{}_{}", first, count);
    }
    const bool is_applied = requirement.call != requirement.range;
    text += fmt::format("\n/// {}: {}{}\nrequire {}: {}\n", PlaceOf(sources, requirement.range),
                        requirement.why,
                        is_applied ? ", applied at " + PlaceOf(sources, requirement.call) : "",
                        label, ConditionText(program.terms, requirement));
  }
  dsl::FormatError error;
  const auto formatted = dsl::FormatText(text, &error);
  EXH_CHECK(formatted.has_value());
  return *formatted;
}

}  // namespace exh::functional
