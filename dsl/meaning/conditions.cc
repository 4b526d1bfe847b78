// SPDX-License-Identifier: MIT
//
// Conditions: instances of choices, lists of values and of numbers, terms, comparisons.
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
#include "dsl/syntax/print.h"
#include "dsl/syntax/words.h"

namespace exh::dsl {
namespace {

using TermKind = TermNode::Kind;

std::optional<std::uint32_t> ResolveNumber(const ast::Name& digits, Resolution& r) {
  std::uint32_t value = 0;
  const char* const end = digits.text.data() + digits.text.size();
  if (std::from_chars(digits.text.data(), end, value).ec == std::errc()) return value;
  r.sink.Report(Diag::kNumberTooLarge, digits.range,
                fmt::format("{} does not fit 32 bits", digits.text));
  return std::nullopt;
}

// ---- comparisons

CompareOp Mirrored(CompareOp op) {
  switch (op) {
    case CompareOp::kLt:
      return CompareOp::kGt;
    case CompareOp::kGt:
      return CompareOp::kLt;
    case CompareOp::kLe:
      return CompareOp::kGe;
    case CompareOp::kGe:
      return CompareOp::kLe;
    case CompareOp::kEq:
    case CompareOp::kNe:
      break;
  }
  return op;
}

const char* InWords(const ast::TermNode& node) {
  if (node.kind == TermKind::kNumber) return "a number";
  return std::holds_alternative<ast::Code>(node.operand) ? "code" : "a constant";
}

Term TermOf(Instance instance) {
  TermNode node;
  node.kind = TermKind::kInstance;
  node.range = instance.range;
  node.instance = std::move(instance);
  return {std::move(node)};
}

// `choice op choice`.
bool ResolvePair(const ast::Instance& left, const ast::Instance& right, const Scope& scope,
                 Condition& result, Resolution& r) {
  result.kind = Condition::Kind::kCompare;
  result.lhs = ResolveInstance(left, scope, r);
  result.rhs = ResolveInstance(right, scope, r);
  if (result.lhs.choice < 0 || result.rhs.choice < 0) return false;
  const Choice& choice = r.choice(result.lhs.choice);
  const Choice& other = r.choice(result.rhs.choice);
  const bool enums = choice.kind == ChoiceKind::kEnum || other.kind == ChoiceKind::kEnum;
  if (result.lhs.choice != result.rhs.choice && enums) {
    auto& error = r.sink.Report(
        Diag::kDifferentChoices, result.range,
        fmt::format("'{}' and '{}' cannot be compared: an enum is compared with the same choice",
                    choice.name, other.name));
    NoteDeclaration(error, choice);
    NoteDeclaration(error, other);
    return false;
  }
  if (result.lhs.choice != result.rhs.choice) {
    result.kind = Condition::Kind::kTerms;
    result.left = TermOf(std::move(result.lhs));
    result.right = TermOf(std::move(result.rhs));
    result.lhs = result.rhs = {};
    return true;
  }
  const bool ordered = result.op != CompareOp::kEq && result.op != CompareOp::kNe;
  if (!enums || !ordered) return true;
  NoteDeclaration(
      r.sink.Report(
          Diag::kEnumOrder, result.range,
          fmt::format("'{}' is an enum: its values have no order; use '==' or '!='", choice.name)),
      choice);
  return false;
}

// `choice op known`, where `known` is a number, code or a constant.
bool ResolveAgainst(const ast::Instance& instance, const ast::TermNode& known, const Scope& scope,
                    Condition& result, Resolution& r) {
  result.kind = Condition::Kind::kCompareCode;
  result.lhs = ResolveInstance(instance, scope, r);
  if (const auto* snippet = std::get_if<ast::Code>(&known.operand)) {
    result.code = ResolveSnippet(*snippet, {"fun"}, scope, r.sink, r.names);
  } else if (const auto* number = std::get_if<ast::WrittenNumber>(&known.operand)) {
    const auto value = ResolveNumber(number->digits, r);
    if (!value) return false;
    result.numbers = {*value};
  } else if (const auto* constant = std::get_if<ast::Instance>(&known.operand)) {
    result.external = ResolveConstant(*constant, scope, &result.rhs, r);
    if (result.external < 0) return false;
  } else {
    result.external = FindConstant(std::get<ast::Name>(known.operand), r);
    if (result.external < 0) return false;
  }
  if (result.lhs.choice < 0) return false;
  const Choice& choice = r.choice(result.lhs.choice);
  if (choice.kind != ChoiceKind::kEnum) return true;
  NoteDeclaration(
      r.sink.Report(Diag::kEnumAgainstCode, result.range,
                    fmt::format("'{}' is an enum and cannot be compared with {}; use 'is'",
                                choice.name, InWords(known))),
      choice);
  return false;
}

bool ResolveTerms(const ast::TermComparison& comparison, const Scope& scope, Condition& result,
                  Resolution& r) {
  auto left = ResolveTerm(comparison.left, scope, r);
  auto right = ResolveTerm(comparison.right, scope, r);
  if (!left || !right) return false;
  if (left->value && right->value) {
    result.kind = Condition::Kind::kConstant;
    result.constant = Compares(*left->value, result.op, *right->value);
    r.sink.Report(
        Diag::kConstantTest, result.range,
        fmt::format("this is {} true: it compares numbers", result.constant ? "always" : "never"));
    return true;
  }
  if (!left->decision && !right->decision && !r.known_comparisons) {
    r.sink.Report(Diag::kKnownComparison, result.range,
                  "no decision stands in this comparison, so that it is known before the search: "
                  "write it after 'where', or as code, in quotes");
    return false;
  }
  result.kind = Condition::Kind::kTerms;
  result.left = std::move(left->nodes);
  result.right = std::move(right->nodes);
  return true;
}

// The use of a choice that the term is and nothing else.
const ast::Instance* OnlyDecision(const ast::Term& term, const Resolution& r) {
  const auto* instance = Only<ast::Instance>(term);
  return instance != nullptr && IsConstant(*instance, r) ? nullptr : instance;
}

// One number, code or constant.
bool IsAsked(const ast::Term& term) {
  return term.size() == 1 && term.front().kind != TermKind::kVariable;
}

bool ResolveComparison(const ast::Condition& condition, const Scope& scope, Condition& result,
                       Resolution& r) {
  const auto& comparison = std::get<ast::TermComparison>(condition.kind);
  result.op = comparison.op;
  const auto* left = OnlyDecision(comparison.left, r);
  const auto* right = OnlyDecision(comparison.right, r);
  bool ok = true;
  if (left != nullptr && right != nullptr) {
    ok = ResolvePair(*left, *right, scope, result, r);
  } else if (left != nullptr && IsAsked(comparison.right)) {
    ok = ResolveAgainst(*left, comparison.right.front(), scope, result, r);
  } else if (right != nullptr && IsAsked(comparison.left)) {
    result.op = Mirrored(comparison.op);
    ok = ResolveAgainst(*right, comparison.left.front(), scope, result, r);
  } else {
    ok = ResolveTerms(comparison, scope, result, r);
  }
  if (ok && result.kind == Condition::Kind::kTerms) result.text = CleanDoc(Print(condition));
  return ok;
}

}  // namespace

void NoteDeclaration(Diagnostic& diagnostic, const Choice& choice) {
  diagnostic.WithNote(choice.range, fmt::format("'{}' is declared here", choice.name));
}

int ResolveVariable(const ast::Name& name, const Scope& scope, Resolution& r) {
  const auto found = std::ranges::find(scope, name.text, &Variable::name);
  if (found != scope.end()) {
    r.Use(name.range, found->range);
    return static_cast<int>(found - scope.begin());
  }
  std::vector<std::string> names;
  for (const Variable& v : scope) names.push_back("$" + v.name);
  r.sink.Report(
      Diag::kUnknownVariable, name.range,
      fmt::format("unknown variable '${}'{}", name.text, DidYouMean("$" + name.text, names)));
  return -1;
}

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
      r.Use(name.range, value->range);
      if (bit < 64) values |= std::uint64_t{1} << bit;
      continue;
    }
    const auto alias = std::ranges::find(choice.aliases, name.text, &Alias::name);
    if (alias != choice.aliases.end()) {
      values |= alias->values;
      r.Use(name.range, alias->range);
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

std::optional<std::vector<std::uint32_t>> ResolveNumbers(
    const std::vector<ast::NumberRange>& ranges, bool ascending, Resolution& r) {
  std::vector<std::uint32_t> numbers;
  const auto wrong = [&](Diag diag, const ast::Name& at, std::string message) {
    r.sink.Report(diag, at.range, std::move(message));
    return std::nullopt;
  };
  for (const ast::NumberRange& range : ranges) {
    const ast::Name& end = range.last ? *range.last : range.first;
    const auto first = ResolveNumber(range.first, r);
    const auto last = range.last ? ResolveNumber(*range.last, r) : first;
    if (!first || !last) return std::nullopt;
    if (*last < *first) {
      return wrong(Diag::kUnsortedNumbers, end,
                   fmt::format("a range goes up: {} is less than {}", *last, *first));
    }
    if (ascending && !numbers.empty() && *first <= numbers.back()) {
      return wrong(Diag::kUnsortedNumbers, range.first,
                   fmt::format("the numbers of a choice ascend, each once: {} comes after {}",
                               *first, numbers.back()));
    }
    if (*last - *first >= kMostNumbers || numbers.size() + (*last - *first) >= kMostNumbers) {
      return wrong(Diag::kTooManyNumbers, end,
                   fmt::format("these are more than {} numbers", kMostNumbers));
    }
    for (std::uint32_t i = 0; i <= *last - *first; ++i) numbers.push_back(*first + i);
  }
  std::ranges::sort(numbers);
  // Not std::ranges::unique: clang 14 does not compile the subrange that it returns.
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  return numbers;
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
    result.code = ResolveSnippet(*code, {"fun"}, scope, r.sink, r.names);
    return result;
  }
  if (std::holds_alternative<ast::TermComparison>(condition.kind)) {
    if (!ResolveComparison(condition, scope, result, r)) return std::nullopt;
    return result;
  }
  const auto& test = std::get<ast::IsTest>(condition.kind);
  result.kind = Condition::Kind::kIs;
  result.lhs = ResolveInstance(test.instance, scope, r);
  const auto declared = r.choice_by_name.find(test.instance.choice.text);
  if (declared == r.choice_by_name.end()) return std::nullopt;
  // The values are looked at even if the arguments are wrong: both may be mistaken.
  const Choice& choice = r.choice(declared->second);
  if (choice.kind == ChoiceKind::kInteger && !test.numbers.empty()) {
    result.kind = Condition::Kind::kCompareCode;
    result.op = CompareOp::kEq;  // After `not` the formula around it is negated.
    auto numbers = ResolveNumbers(test.numbers, false, r);
    if (result.lhs.choice < 0 || !numbers) return std::nullopt;
    result.numbers = std::move(*numbers);
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
  if (!test.numbers.empty()) {
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
