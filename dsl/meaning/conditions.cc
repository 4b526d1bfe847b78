// SPDX-License-Identifier: MIT
//
// Conditions: instances of choices, lists of values and of numbers, terms, comparisons.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <system_error>

#include "base/spelling.h"
#include "dsl/meaning/names.h"
#include "dsl/meaning/snippet.h"
#include "dsl/meaning/words.h"
#include "dsl/syntax/print.h"

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

// ---- terms

using TermKind = TermNode::Kind;

constexpr std::int64_t kLargestNumber = std::int64_t{1} << 31;

std::optional<std::int64_t> ResolveNumberOfTerm(const ast::Name& digits, Resolution& r) {
  std::int64_t value = 0;
  const char* const end = digits.text.data() + digits.text.size();
  const bool fits = std::from_chars(digits.text.data(), end, value).ec == std::errc();
  if (fits && value <= kLargestNumber) return value;
  r.sink.Report(Diag::kNumberTooLarge, digits.range,
                fmt::format("{} is larger than 2^31, the largest number of a term", digits.text));
  return std::nullopt;
}

bool Times(std::int64_t a, std::int64_t b, std::int64_t& product) {
  return !__builtin_mul_overflow(a, b, &product);
}

// In lowest terms, with a positive divisor; nothing when it does not fit 64 bits.
std::optional<ReducedFraction> Reduced(std::int64_t up, std::int64_t down) {
  constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
  if (up == kLeast || down == kLeast) return std::nullopt;
  const std::int64_t divisor = down < 0 ? -std::gcd(up, down) : std::gcd(up, down);
  return ReducedFraction{up / divisor, down / divisor};
}

std::optional<ReducedFraction> Sum(const ReducedFraction& a, const ReducedFraction& b,
                                   bool subtract) {
  std::int64_t left = 0, right = 0, up = 0, down = 0;
  if (!Times(a.up, b.down, left) || !Times(b.up, a.down, right)) return std::nullopt;
  const bool large = subtract ? __builtin_sub_overflow(left, right, &up)
                              : __builtin_add_overflow(left, right, &up);
  if (large || !Times(a.down, b.down, down)) return std::nullopt;
  return Reduced(up, down);
}

std::optional<ReducedFraction> Product(const ReducedFraction& a, const ReducedFraction& b) {
  std::int64_t up = 0, down = 0;
  if (!Times(a.up, b.up, up) || !Times(a.down, b.down, down)) return std::nullopt;
  return Reduced(up, down);
}

// Of two whole numbers, the second of which is not 0.
std::int64_t FloorOf(std::int64_t a, std::int64_t b) {
  const std::int64_t quotient = a / b;
  return quotient * b != a && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

// What the operation makes of two numbers; nothing when it does not fit 64 bits. No divisor is 0.
std::optional<ReducedFraction> Fold(TermKind kind, const ReducedFraction& a,
                                    const ReducedFraction& b) {
  switch (kind) {
    case TermKind::kAdd:
    case TermKind::kSubtract:
      return Sum(a, b, kind == TermKind::kSubtract);
    case TermKind::kMultiply:
      return Product(a, b);
    case TermKind::kDivide:
      return Product(a, {b.down, b.up});
    case TermKind::kDiv:
      return ReducedFraction{FloorOf(a.up, b.up), 1};
    case TermKind::kMod:
      return ReducedFraction{a.up - b.up * FloorOf(a.up, b.up), 1};
    case TermKind::kMin:
    case TermKind::kMax: {
      const auto difference = Sum(a, b, true);
      if (!difference) return std::nullopt;
      return (difference->up < 0) == (kind == TermKind::kMin) ? a : b;
    }
    default:
      return std::nullopt;
  }
}

/// What is known of a part of a term without asking the host.
struct TermFacts {
  bool decision = false;
  bool code = false;
  bool fraction = false;                 ///< A `/` stands in it.
  std::optional<ReducedFraction> value;  ///< Of a part that consists of numbers.
};

/// Turns the nodes of a term into those of the Spec, one after the other.
class TermResolver {
 public:
  TermResolver(const Scope& scope, Resolution& r) : scope_(scope), r_(r) {}

  /// Nothing after a report.
  std::optional<ResolvedTerm> Resolve(const ast::Term& term) {
    for (const ast::TermNode& node : term) Add(node);
    if (!ok_ || facts_.size() != 1) return std::nullopt;
    const TermFacts& all = facts_.back();
    return ResolvedTerm{std::move(nodes_), all.decision, all.code, all.fraction, all.value};
  }

 private:
  void Add(const ast::TermNode& node) {
    TermNode result;
    result.kind = node.kind;
    result.range = node.range;
    TermFacts facts;
    switch (node.kind) {
      case TermKind::kNumber: {
        const auto value =
            ResolveNumberOfTerm(std::get<ast::WrittenNumber>(node.operand).digits, r_);
        ok_ = ok_ && value;
        result.number = value.value_or(1);
        facts.value = ReducedFraction{result.number, 1};
        break;
      }
      case TermKind::kCode:
        facts.code = true;
        if (const auto* constant = std::get_if<ast::Name>(&node.operand)) {
          result.external = FindConstant(*constant, r_);
          ok_ = ok_ && result.external >= 0;
        } else {
          result.code = ResolveSnippet(std::get<ast::Code>(node.operand), {"fun"}, scope_, r_.sink);
        }
        break;
      case TermKind::kInstance:
        facts.decision = true;
        AddInstance(std::get<ast::Instance>(node.operand), result);
        break;
      case TermKind::kNegate: {
        facts = Take();
        if (facts.value) facts.value->up = -facts.value->up;  // Never the least: see Reduced.
        TermNode& operand = nodes_.back();
        if (operand.kind == TermKind::kNumber) {  // `-4` is a number.
          operand.number = -operand.number;
          operand.range = node.range;
          facts_.push_back(facts);
          return;
        }
        break;
      }
      default: {
        const TermFacts right = Take();
        facts = Combined(node, Take(), right);
      }
    }
    nodes_.push_back(std::move(result));
    facts_.push_back(facts);
  }

  TermFacts Take() {
    TermFacts facts = facts_.back();
    facts_.pop_back();
    return facts;
  }

  void AddInstance(const ast::Instance& instance, TermNode& result) {
    result.instance = ResolveInstance(instance, scope_, r_);
    if (result.instance.choice < 0) {
      ok_ = false;
      return;
    }
    const Choice& choice = r_.choice(result.instance.choice);
    if (choice.kind != ChoiceKind::kEnum) return;
    ok_ = false;
    NoteDeclaration(r_.sink.Report(Diag::kEnumInTerm, instance.range,
                                   fmt::format("'{}' is an enum: its values are no numbers and "
                                               "cannot be a part of a term; test it with 'is'",
                                               choice.name)),
                    choice);
  }

  TermFacts Combined(const ast::TermNode& node, const TermFacts& left, const TermFacts& right) {
    TermFacts facts;
    facts.decision = left.decision || right.decision;
    facts.code = left.code || right.code;
    facts.fraction = left.fraction || right.fraction || node.kind == TermKind::kDivide;
    CheckFractions(node, left, right);
    const bool divides = node.kind == TermKind::kDivide || node.kind == TermKind::kDiv ||
                         node.kind == TermKind::kMod;
    if (divides && right.value && right.value->up == 0) {
      ok_ = false;
      r_.sink.Report(
          Diag::kTermOverZero, node.range,
          fmt::format("'{}' by 0: a comparison that divides by 0 never holds", WordOf(node.kind)));
    } else if (ok_ && left.value && right.value) {
      facts.value = Fold(node.kind, *left.value, *right.value);
      if (!facts.value) {
        ok_ = false;
        r_.sink.Report(Diag::kNumberTooLarge, node.range, "this number does not fit 64 bits");
      }
    }
    return facts;
  }

  void CheckFractions(const ast::TermNode& node, const TermFacts& left, const TermFacts& right) {
    const bool whole = node.kind == TermKind::kDiv || node.kind == TermKind::kMod;
    const bool divisor = node.kind == TermKind::kDivide && right.fraction;
    if (!divisor && !(whole && (left.fraction || right.fraction))) return;
    ok_ = false;
    r_.sink.Report(Diag::kFractionDivided, node.range,
                   divisor ? "no '/' may stand on the right of '/'; multiply instead: a * c / b "
                             "is a / (b / c)"
                           : fmt::format("no '/' may stand within an operand of '{}', which takes "
                                         "whole numbers; multiply instead",
                                         WordOf(node.kind)));
  }

  static std::string_view WordOf(TermKind kind) {
    return kind == TermKind::kDivide ? "/" : kind == TermKind::kDiv ? "div" : "%";
  }

  const Scope& scope_;
  Resolution& r_;
  Term nodes_;
  std::vector<TermFacts> facts_;
  bool ok_ = true;
};
std::optional<ResolvedTerm> ResolvedOf(const ast::Term& term, const Scope& scope, Resolution& r) {
  return TermResolver(scope, r).Resolve(term);
}

bool Compare(const ReducedFraction& left, CompareOp op, const ReducedFraction& right) {
  const auto less = [](const ReducedFraction& a, const ReducedFraction& b) {
    const auto smaller = Fold(TermKind::kSubtract, a, b);
    return smaller && smaller->up < 0;
  };
  switch (op) {
    case CompareOp::kLt:
      return less(left, right);
    case CompareOp::kGt:
      return less(right, left);
    case CompareOp::kLe:
      return !less(right, left);
    case CompareOp::kGe:
      return !less(left, right);
    case CompareOp::kEq:
      return left == right;
    case CompareOp::kNe:
      break;
  }
  return !(left == right);
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
  return std::holds_alternative<ast::Name>(node.operand) ? "a constant" : "code";
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
    result.code = ResolveSnippet(*snippet, {"fun"}, scope, r.sink);
  } else if (const auto* number = std::get_if<ast::WrittenNumber>(&known.operand)) {
    const auto value = ResolveNumber(number->digits, r);
    if (!value) return false;
    result.numbers = {*value};
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
  auto left = ResolvedOf(comparison.left, scope, r);
  auto right = ResolvedOf(comparison.right, scope, r);
  if (!left || !right) return false;
  if (left->value && right->value) {
    result.kind = Condition::Kind::kConstant;
    result.constant = Compare(*left->value, result.op, *right->value);
    r.sink.Report(
        Diag::kConstantTest, result.range,
        fmt::format("this is {} true: it compares numbers", result.constant ? "always" : "never"));
    return true;
  }
  if (!left->decision && !right->decision) {
    r.sink.Report(Diag::kKnownComparison, result.range,
                  "no decision stands in this comparison, so that it is known before the search: "
                  "write it as code, in quotes");
    return false;
  }
  result.kind = Condition::Kind::kTerms;
  result.left = std::move(left->nodes);
  result.right = std::move(right->nodes);
  return true;
}

bool ResolveComparison(const ast::Condition& condition, const Scope& scope, Condition& result,
                       Resolution& r) {
  const auto& comparison = std::get<ast::TermComparison>(condition.kind);
  result.op = comparison.op;
  const auto* left = Only<ast::Instance>(comparison.left);
  const auto* right = Only<ast::Instance>(comparison.right);
  bool ok = true;
  if (left != nullptr && right != nullptr) {
    ok = ResolvePair(*left, *right, scope, result, r);
  } else if (left != nullptr && comparison.right.size() == 1) {
    ok = ResolveAgainst(*left, comparison.right.front(), scope, result, r);
  } else if (right != nullptr && comparison.left.size() == 1) {
    result.op = Mirrored(comparison.op);
    ok = ResolveAgainst(*right, comparison.left.front(), scope, result, r);
  } else {
    ok = ResolveTerms(comparison, scope, result, r);
  }
  if (ok && result.kind == Condition::Kind::kTerms) result.text = CleanDoc(Print(condition));
  return ok;
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

std::optional<ResolvedTerm> ResolveTerm(const ast::Term& term, const Scope& scope, Resolution& r) {
  return ResolvedOf(term, scope, r);
}

std::optional<std::int64_t> ResolveSigned(const ast::WrittenNumber& number, Resolution& r) {
  const auto value = ResolveNumberOfTerm(number.digits, r);
  if (!value || !number.negative) return value;
  return -*value;
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
