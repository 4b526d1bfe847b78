// SPDX-License-Identifier: MIT
//
// Conditions: instances of choices, value lists, comparisons.
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>

#include "dsl/names.h"
#include "dsl/snippet.h"
#include "dsl/spelling.h"
#include "dsl/words.h"

namespace exh::dsl {
namespace {

// Index of a variable in scope, or -1 after a report.
int ResolveVariable(const ast::Name& name, const Scope& scope, Resolution& r) {
  const auto found = std::ranges::find(scope, name.text, &Variable::name);
  if (found != scope.end()) return static_cast<int>(found - scope.begin());
  std::vector<std::string> names;
  for (const Variable& v : scope) names.push_back("$" + v.name);
  r.sink.Error(name.range, fmt::format("unknown variable '${}'{}", name.text,
                                       DidYouMean("$" + name.text, names)));
  return -1;
}

void NoteDeclaration(Diagnostic& diagnostic, const Choice& choice) {
  diagnostic.WithNote(choice.range, fmt::format("'{}' is declared here", choice.name));
}

bool ResolveComparison(const ast::Comparison& comparison, const Scope& scope, SourceRange range,
                       Condition& result, Resolution& r) {
  result.op = comparison.op;
  result.lhs = ResolveInstance(comparison.lhs, scope, r);
  const bool ordered = comparison.op != CompareOp::kEq && comparison.op != CompareOp::kNe;
  const auto* code = std::get_if<ast::Code>(&comparison.rhs);
  if (code != nullptr) {
    result.kind = Condition::Kind::kCompareCode;
    result.code = ResolveSnippet(*code, {"fun"}, scope, r.sink);
  } else {
    result.kind = Condition::Kind::kCompare;
    result.rhs = ResolveInstance(std::get<ast::Instance>(comparison.rhs), scope, r);
    if (result.rhs.choice < 0) return false;
  }
  if (result.lhs.choice < 0) return false;
  const Choice& choice = r.choice(result.lhs.choice);
  if (code == nullptr && result.rhs.choice != result.lhs.choice) {
    const Choice& other = r.choice(result.rhs.choice);
    auto& error = r.sink.Error(range, fmt::format("'{}' and '{}' cannot be compared: both sides of "
                                                  "a comparison must be the same choice",
                                                  choice.name, other.name));
    NoteDeclaration(error, choice);
    NoteDeclaration(error, other);
    return false;
  }
  if (choice.kind == ChoiceKind::kEnum && code != nullptr) {
    NoteDeclaration(r.sink.Error(range, fmt::format("'{}' is an enum and cannot be compared with "
                                                    "code; use 'is'",
                                                    choice.name)),
                    choice);
    return false;
  }
  if (choice.kind == ChoiceKind::kEnum && ordered) {
    NoteDeclaration(r.sink.Error(range, fmt::format("'{}' is an enum: its values have no order; "
                                                    "use '==' or '!='",
                                                    choice.name)),
                    choice);
    return false;
  }
  return true;
}

}  // namespace

Instance ResolveInstance(const ast::Instance& instance, const Scope& scope, Resolution& r) {
  Instance result{FindChoice(instance.choice, r), {}, instance.range};
  bool ok = true;
  for (const ast::Name& name : instance.arguments) {
    const int variable = ResolveVariable(name, scope, r);
    ok = ok && variable >= 0;
    if (variable >= 0 && std::ranges::find(result.arguments, variable) != result.arguments.end()) {
      r.sink.Error(name.range, fmt::format("'${}' stands twice in one instance, but the objects of "
                                           "a decision are distinct",
                                           name.text));
      ok = false;
    }
    result.arguments.push_back(variable);
  }
  if (result.choice < 0) return result;
  const Choice& choice = r.choice(result.choice);
  if (choice.arguments.size() != result.arguments.size()) {
    NoteDeclaration(
        r.sink.Error(instance.range,
                     fmt::format("choice '{}' takes {} argument{}, got {}", choice.name,
                                 choice.arguments.size(), choice.arguments.size() == 1 ? "" : "s",
                                 result.arguments.size())),
        choice);
    ok = false;
  }
  for (std::size_t i = 0; i < std::min(choice.arguments.size(), result.arguments.size()); ++i) {
    if (result.arguments[i] < 0) continue;
    const Variable& given = scope[static_cast<std::size_t>(result.arguments[i])];
    const Variable& wanted = choice.arguments[i];
    if (IsSubset(given.set.set, wanted.set.set, r)) continue;
    auto& error = r.sink.Error(
        instance.arguments[i].range,
        fmt::format("argument {} of '{}' must be in '{}', but '${}' is in '{}'", i + 1, choice.name,
                    r.set(wanted.set.set).name, given.name, r.set(given.set.set).name));
    error.WithNote(given.range, fmt::format("'${}' is declared here", given.name));
    NoteDeclaration(error, choice);
    ok = false;
  }
  if (!ok) result.choice = -1;
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
      continue;
    }
    std::vector<std::string> known;
    for (const EnumValue& v : choice.values) known.push_back(v.name);
    for (const Alias& a : choice.aliases) known.push_back(a.name);
    NoteDeclaration(r.sink.Error(name.range, fmt::format("'{}' has no value '{}'{}", choice.name,
                                                         name.text, DidYouMean(name.text, known))),
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
  if (choice.kind != ChoiceKind::kEnum) {
    NoteDeclaration(r.sink.Error(condition.range,
                                 fmt::format("'is' tests enums, but '{}' is {}; use a comparison",
                                             choice.name, KindInWords(choice.kind))),
                    choice);
    return std::nullopt;
  }
  const std::uint64_t values = ResolveValues(test.values, choice, r);
  result.values = test.negated ? AllValues(choice) & ~values : values;
  if (result.lhs.choice < 0 || values == 0) return std::nullopt;
  if (values == AllValues(choice)) {
    r.sink.Warning(condition.range, fmt::format("this is {} true: the values are all that '{}' has",
                                                test.negated ? "never" : "always", choice.name));
  }
  return result;
}

std::vector<Condition> ResolveConditions(const std::vector<ast::Condition>& conditions,
                                         const Scope& scope, Resolution& r) {
  std::vector<Condition> result;
  for (const ast::Condition& condition : conditions) {
    if (auto resolved = ResolveCondition(condition, scope, r)) {
      result.push_back(std::move(*resolved));
    }
  }
  return result;
}

}  // namespace exh::dsl
