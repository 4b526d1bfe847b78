// SPDX-License-Identifier: MIT
//
// Conditions: instances of choices, value lists, comparisons.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <system_error>

#include "base/spelling.h"
#include "dsl/meaning/names.h"
#include "dsl/meaning/snippet.h"
#include "dsl/meaning/words.h"

namespace exh::dsl {
namespace {

// Index of a variable in scope, or -1 after a report.
int ResolveVariable(const ast::Name& name, const Scope& scope, Resolution& r) {
  const auto found = std::ranges::find(scope, name.text, &Variable::name);
  if (found != scope.end()) return static_cast<int>(found - scope.begin());
  std::vector<std::string> names;
  for (const Variable& v : scope) names.push_back("$" + v.name);
  r.sink.Report(
      Diag::kUnknownVariable, name.range,
      fmt::format("unknown variable '${}'{}", name.text, DidYouMean("$" + name.text, names)));
  return -1;
}

void NoteDeclaration(Diagnostic& diagnostic, const Choice& choice) {
  diagnostic.WithNote(choice.range, fmt::format("'{}' is declared here", choice.name));
}

std::optional<std::uint32_t> ResolveNumber(const ast::Name& digits, Resolution& r) {
  std::uint32_t value = 0;
  const char* const end = digits.text.data() + digits.text.size();
  if (std::from_chars(digits.text.data(), end, value).ec == std::errc()) return value;
  r.sink.Report(Diag::kNumberTooLarge, digits.range,
                fmt::format("{} does not fit 32 bits", digits.text));
  return std::nullopt;
}

// Index of an extern constant, or -1 after a report.
int FindConstant(const ast::Name& name, Resolution& r) {
  std::vector<std::string> known;
  for (std::size_t i = 0; i < r.spec.externals.size(); ++i) {
    const External& external = r.spec.externals[i];
    if (!external.constant) continue;
    known.push_back(external.name);
    if (external.name != name.text) continue;
    r.used_externals.insert(static_cast<int>(i));
    return static_cast<int>(i);
  }
  if (!r.broken.contains(name.text)) {
    r.sink.Report(Diag::kUnknownConstant, name.range,
                  fmt::format("unknown constant '{}'{}: extern constant {} declares one", name.text,
                              DidYouMean(name.text, known), name.text));
  }
  return -1;
}

const char* RightSideInWords(const ast::Comparison& comparison) {
  if (std::holds_alternative<ast::Number>(comparison.rhs)) return "a number";
  if (std::holds_alternative<ast::Name>(comparison.rhs)) return "a constant";
  return "code";
}

bool ResolveComparison(const ast::Comparison& comparison, const Scope& scope, SourceRange range,
                       Condition& result, Resolution& r) {
  result.op = comparison.op;
  result.lhs = ResolveInstance(comparison.lhs, scope, r);
  const bool ordered = comparison.op != CompareOp::kEq && comparison.op != CompareOp::kNe;
  const auto* instance = std::get_if<ast::Instance>(&comparison.rhs);
  const bool code = instance == nullptr;
  result.kind = code ? Condition::Kind::kCompareCode : Condition::Kind::kCompare;
  if (const auto* snippet = std::get_if<ast::Code>(&comparison.rhs)) {
    result.code = ResolveSnippet(*snippet, {"fun"}, scope, r.sink);
  } else if (const auto* number = std::get_if<ast::Number>(&comparison.rhs)) {
    const auto value = ResolveNumber(number->digits, r);
    if (!value) return false;
    result.numbers = {*value};
  } else if (const auto* constant = std::get_if<ast::Name>(&comparison.rhs)) {
    result.external = FindConstant(*constant, r);
    if (result.external < 0) return false;
  } else {
    result.rhs = ResolveInstance(*instance, scope, r);
    if (result.rhs.choice < 0) return false;
  }
  if (result.lhs.choice < 0) return false;
  const Choice& choice = r.choice(result.lhs.choice);
  if (!code && result.rhs.choice != result.lhs.choice) {
    const Choice& other = r.choice(result.rhs.choice);
    auto& error = r.sink.Report(Diag::kDifferentChoices, range,
                                fmt::format("'{}' and '{}' cannot be compared: both sides of "
                                            "a comparison must be the same choice",
                                            choice.name, other.name));
    NoteDeclaration(error, choice);
    NoteDeclaration(error, other);
    return false;
  }
  if (choice.kind == ChoiceKind::kEnum && code) {
    NoteDeclaration(r.sink.Report(Diag::kEnumAgainstCode, range,
                                  fmt::format("'{}' is an enum and cannot be compared with {}; "
                                              "use 'is'",
                                              choice.name, RightSideInWords(comparison))),
                    choice);
    return false;
  }
  if (choice.kind == ChoiceKind::kEnum && ordered) {
    NoteDeclaration(r.sink.Report(Diag::kEnumOrder, range,
                                  fmt::format("'{}' is an enum: its values have no order; "
                                              "use '==' or '!='",
                                              choice.name)),
                    choice);
    return false;
  }
  return true;
}

}  // namespace

std::optional<std::vector<int>> ResolveArguments(const ast::Instance& instance,
                                                 std::string_view what,
                                                 const std::vector<Variable>& wanted,
                                                 SourceRange declared, const Scope& scope,
                                                 Resolution& r) {
  const std::string& name = instance.choice.text;
  std::vector<int> arguments;
  bool ok = true;
  for (const ast::Name& argument : instance.arguments) {
    const int variable = ResolveVariable(argument, scope, r);
    ok = ok && variable >= 0;
    if (variable >= 0 && std::ranges::find(arguments, variable) != arguments.end()) {
      r.sink.Report(Diag::kRepeatedArgument, argument.range,
                    fmt::format("'${}' stands twice in one instance, but the objects of a decision "
                                "are distinct",
                                argument.text));
      ok = false;
    }
    arguments.push_back(variable);
  }
  if (what.empty()) return std::nullopt;  // Of something unknown.
  const std::string here = fmt::format("'{}' is declared here", name);
  if (wanted.size() != arguments.size()) {
    r.sink
        .Report(Diag::kArgumentCount, instance.range,
                fmt::format("{} '{}' takes {} argument{}, got {}", what, name, wanted.size(),
                            wanted.size() == 1 ? "" : "s", arguments.size()))
        .WithNote(declared, here);
    ok = false;
  }
  for (std::size_t i = 0; i < std::min(wanted.size(), arguments.size()); ++i) {
    if (arguments[i] < 0) continue;
    const Variable& given = scope[static_cast<std::size_t>(arguments[i])];
    if (IsSubset(given.set.set, wanted[i].set.set, r)) continue;
    r.sink
        .Report(
            Diag::kArgumentSet, instance.arguments[i].range,
            fmt::format("argument {} of '{}' must be in '{}', but '${}' is in '{}'", i + 1, name,
                        r.set(wanted[i].set.set).name, given.name, r.set(given.set.set).name))
        .WithNote(given.range, fmt::format("'${}' is declared here", given.name))
        .WithNote(declared, here);
    ok = false;
  }
  if (!ok) return std::nullopt;
  return arguments;
}

Instance ResolveInstance(const ast::Instance& instance, const Scope& scope, Resolution& r) {
  Instance result{FindChoice(instance.choice, r), {}, instance.range};
  if (result.choice < 0) {
    ResolveArguments(instance, "", {}, {}, scope, r);
    return result;
  }
  const Choice& choice = r.choice(result.choice);
  auto arguments = ResolveArguments(instance, "choice", choice.arguments, choice.range, scope, r);
  if (arguments) {
    result.arguments = std::move(*arguments);
  } else {
    result.choice = -1;
  }
  return result;
}

std::uint64_t ResolveValues(const std::vector<ast::Name>& names, const Choice& choice,
                            Resolution& r) {
  std::uint64_t values = 0;
  bool ok = true;
  for (const ast::Name& name : names) {
    const auto value = std::ranges::find(choice.values, name.text, &EnumValue::name);
    if (value != choice.values.end()) {
      const auto bit = static_cast<std::size_t>(value - choice.values.begin());
      if (bit < 64) values |= std::uint64_t{1} << bit;
      continue;
    }
    const auto alias = std::ranges::find(choice.aliases, name.text, &Alias::name);
    if (alias != choice.aliases.end()) {
      values |= alias->values;
      r.used_aliases.emplace(&choice - r.spec.choices.data(), alias - choice.aliases.begin());
      continue;
    }
    std::vector<std::string> known;
    for (const EnumValue& v : choice.values) known.push_back(v.name);
    for (const Alias& a : choice.aliases) known.push_back(a.name);
    NoteDeclaration(r.sink.Report(Diag::kUnknownValue, name.range,
                                  fmt::format("'{}' has no value '{}'{}", choice.name, name.text,
                                              DidYouMean(name.text, known))),
                    choice);
    ok = false;
  }
  return ok ? values : 0;
}

std::optional<Condition> ResolveCondition(const ast::Condition& condition, const Scope& scope,
                                          Resolution& r) {
  Condition result;
  result.range = condition.range;
  if (const auto* constant = std::get_if<bool>(&condition.kind)) {
    result.kind = Condition::Kind::kConstant;
    result.constant = *constant;
    return result;
  }
  if (const auto* code = std::get_if<ast::Code>(&condition.kind)) {
    result.kind = Condition::Kind::kCode;
    result.code = ResolveSnippet(*code, {"fun"}, scope, r.sink);
    return result;
  }
  if (const auto* comparison = std::get_if<ast::Comparison>(&condition.kind)) {
    if (!ResolveComparison(*comparison, scope, condition.range, result, r)) return std::nullopt;
    return result;
  }
  const auto& test = std::get<ast::IsTest>(condition.kind);
  result.kind = Condition::Kind::kIs;
  result.lhs = ResolveInstance(test.instance, scope, r);
  const auto declared = r.choice_by_name.find(test.instance.choice.text);
  if (declared == r.choice_by_name.end()) return std::nullopt;
  // The values are looked at even if the arguments are wrong: both may be mistaken.
  const Choice& choice = r.choice(declared->second);
  if (choice.kind == ChoiceKind::kInteger && test.numbers) {
    result.kind = Condition::Kind::kCompareCode;
    result.op = CompareOp::kEq;  // After `not` the formula around it is negated.
    for (const ast::Name& digits : test.values) {
      if (const auto number = ResolveNumber(digits, r)) result.numbers.push_back(*number);
    }
    std::ranges::sort(result.numbers);
    // Not std::ranges::unique: clang 14 does not compile the subrange that it returns.
    result.numbers.erase(std::unique(result.numbers.begin(), result.numbers.end()),
                         result.numbers.end());
    if (result.lhs.choice < 0) return std::nullopt;
    return result;
  }
  if (choice.kind != ChoiceKind::kEnum) {
    const bool integer = choice.kind == ChoiceKind::kInteger;
    NoteDeclaration(
        r.sink.Report(Diag::kIsOnNumbers, condition.range,
                      fmt::format("'{}' is {}; {}", choice.name, KindInWords(choice.kind),
                                  integer ? "'is' tests it for numbers: is 2 | 4"
                                          : "'is' does not test it, a comparison does")),
        choice);
    return std::nullopt;
  }
  if (test.numbers) {
    NoteDeclaration(r.sink.Report(Diag::kNumbersOnEnum, condition.range,
                                  fmt::format("'{}' is an enum: 'is' tests it for values, not for "
                                              "numbers",
                                              choice.name)),
                    choice);
    return std::nullopt;
  }
  const std::uint64_t values = ResolveValues(test.values, choice, r);
  result.values = test.negated ? AllValues(choice) & ~values : values;
  if (result.lhs.choice < 0 || values == 0) return std::nullopt;
  if (values == AllValues(choice)) {
    r.sink.Report(Diag::kConstantTest, condition.range,
                  fmt::format("this is {} true: the values are all that '{}' has",
                              test.negated ? "never" : "always", choice.name));
  }
  return result;
}

}  // namespace exh::dsl
