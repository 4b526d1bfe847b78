// SPDX-License-Identifier: MIT
#include "dsl/meaning/formula.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <utility>

#include "base/check.h"
#include "base/spelling.h"
#include "dsl/meaning/snippet.h"
#include "dsl/syntax/words.h"

namespace exh::dsl {
namespace {

using Kind = ast::Formula::Kind;
using Clauses = std::vector<std::vector<Condition>>;

// More than anyone writes by hand; a formula that needs more is a mistake.
constexpr std::size_t kMostClauses = 256;
// Lets that use each other twice grow without end.
constexpr std::size_t kMostConditions = 4096;

CompareOp Opposite(CompareOp op) {
  switch (op) {
    case CompareOp::kLt:
      return CompareOp::kGe;
    case CompareOp::kGe:
      return CompareOp::kLt;
    case CompareOp::kGt:
      return CompareOp::kLe;
    case CompareOp::kLe:
      return CompareOp::kGt;
    case CompareOp::kEq:
      return CompareOp::kNe;
    case CompareOp::kNe:
      break;
  }
  return CompareOp::kEq;
}

Condition Negated(Condition condition, const Resolution& r) {
  switch (condition.kind) {
    case Condition::Kind::kConstant:
      condition.constant = !condition.constant;
      break;
    case Condition::Kind::kIs:
      condition.values = AllValues(r.choice(condition.lhs.choice)) & ~condition.values;
      break;
    case Condition::Kind::kCompareCode: {
      // Against a list a comparison holds when it does for one of its numbers, so that turning the
      // operator is the opposite for a single number only.
      condition.single = condition.numbers.empty();
      condition.op = Opposite(condition.op);
      break;
    }
    case Condition::Kind::kCompare:
      condition.op = Opposite(condition.op);
      break;
    case Condition::Kind::kCode:
    case Condition::Kind::kAscending:
    case Condition::Kind::kPresent:
    case Condition::Kind::kTerms:  // What divides by 0 holds neither with `<` nor with `>=`.
      condition.negated = !condition.negated;
      break;
  }
  return condition;
}

/// Every pair of a disjunction of one and a disjunction of the other, joined. Nothing when there
/// are too many.
std::optional<Clauses> Either(const Clauses& left, const Clauses& right) {
  if (left.size() * right.size() > kMostClauses) return std::nullopt;
  Clauses product;
  for (const auto& a : left) {
    for (const auto& b : right) {
      product.push_back(a);
      product.back().insert(product.back().end(), b.begin(), b.end());
    }
  }
  return product;
}

/// `n is 2 | 4`, negated: it is not 2, and it is not 4.
Clauses OtherThan(const Condition& condition) {
  Clauses clauses;
  for (const std::uint32_t number : condition.numbers) {
    Condition other = condition;
    other.op = CompareOp::kNe;
    other.numbers = {number};
    clauses.push_back({std::move(other)});
  }
  return clauses;
}

/// The formula, or its opposite, as a conjunction of disjunctions; nothing when it is too large.
/// Conditions keep their order.
std::optional<Clauses> WrittenOut(const ResolvedFormula& formula, bool negated,
                                  const Resolution& r) {
  if (formula.kind == Kind::kCondition) {
    if (negated && formula.condition.numbers.size() > kMostClauses) return std::nullopt;
    if (negated && formula.condition.numbers.size() > 1) return OtherThan(formula.condition);
    return Clauses{{negated ? Negated(formula.condition, r) : formula.condition}};
  }
  if (formula.kind == Kind::kNot) return WrittenOut(formula.parts[0], !negated, r);
  const bool both = (formula.kind == Kind::kAnd) != negated;
  std::optional<Clauses> result = both ? Clauses{} : Clauses{{}};
  for (std::size_t i = 0; i < formula.parts.size(); ++i) {
    const bool assumed = formula.kind == Kind::kImplies && i == 0;
    const auto part = WrittenOut(formula.parts[i], negated != assumed, r);
    if (!part) return std::nullopt;
    if (both) {
      result->insert(result->end(), part->begin(), part->end());
    } else if (result->size() == 1 && part->size() == 1) {
      result->front().insert(result->front().end(), part->front().begin(), part->front().end());
    } else {
      result = Either(*result, *part);
    }
    if (!result || result->size() > kMostClauses) return std::nullopt;
  }
  return result;
}

/// Tests of one decision that must all hold, and what is left of its values.
class Together {
 public:
  explicit Together(Resolution& r) : r_(r) {}

  void Add(const Condition& condition) {
    if (condition.lhs.choice < 0) return;
    if (condition.kind == Condition::Kind::kIs) {
      Left& left = Seen(condition);
      if (left.values == 0) return;  // Said already.
      const std::uint64_t rest = left.values & condition.values;
      if (rest == 0 && condition.values != 0) Report(condition, left.first);
      left.values = rest;
    } else if (condition.kind == Condition::Kind::kCompareCode && !condition.numbers.empty() &&
               condition.op == CompareOp::kEq) {
      Left& left = Seen(condition);
      if (left.numbers && left.numbers->empty()) return;
      std::vector<std::uint32_t> rest = condition.numbers;
      if (left.numbers) {
        std::erase_if(rest, [&](std::uint32_t number) {
          return !std::ranges::binary_search(*left.numbers, number);
        });
      }
      if (rest.empty()) Report(condition, left.first);
      left.numbers = std::move(rest);
    }
  }

 private:
  struct Left {
    SourceRange first;
    std::uint64_t values = ~std::uint64_t{0};
    std::optional<std::vector<std::uint32_t>> numbers;
  };

  Left& Seen(const Condition& condition) {
    const std::pair key(condition.lhs.choice, condition.lhs.arguments);
    return left_.try_emplace(key, Left{condition.range, ~std::uint64_t{0}, std::nullopt})
        .first->second;
  }

  void Report(const Condition& condition, SourceRange first) {
    r_.sink
        .Report(Diag::kContradiction, condition.range,
                fmt::format("this never holds together with the other test of '{}'",
                            r_.choice(condition.lhs.choice).name))
        .WithNote(first, "the other test");
  }

  Resolution& r_;
  std::map<std::pair<ChoiceIndex, std::vector<int>>, Left> left_;
};

void CheckTogether(const std::vector<ResolvedFormula>& formulas, Resolution& r) {
  Together together(r);
  for (const ResolvedFormula& formula : formulas) {
    if (formula.kind == Kind::kCondition) together.Add(formula.condition);
  }
}

Clauses ReportedIfTooLarge(const ResolvedFormula& formula, bool negated, Resolution& r) {
  if (auto clauses = WrittenOut(formula, negated, r)) return std::move(*clauses);
  r.sink.Report(Diag::kTooManyClauses, formula.range,
                fmt::format("written out, this is more than {} disjunctions; split it, or name "
                            "parts of it by a choice of their own",
                            kMostClauses));
  return {};
}

// ---- let

/// Puts the body of a let in the place of its use. Messages about it point there.
class LetUse {
 public:
  /// `parameters` of the let are the variables `arguments` of `scope`.
  LetUse(const Scope& parameters, const std::vector<int>& arguments, const Scope& scope,
         SourceRange range)
      : parameters_(parameters), arguments_(arguments), scope_(scope), range_(range) {}

  void Apply(ResolvedFormula& formula) const {
    formula.range = range_;
    Condition& condition = formula.condition;
    condition.range = range_;
    Apply(condition.lhs);
    Apply(condition.rhs);
    condition.code = dsl::Renamed(condition.code, arguments_, scope_);
    for (Term* term : {&condition.left, &condition.right}) {
      for (TermNode& node : *term) {
        node.range = range_;
        Apply(node.instance);
        node.code = dsl::Renamed(node.code, arguments_, scope_);
      }
    }
    if (!condition.text.empty()) condition.text = Renamed(std::move(condition.text));
    for (ResolvedFormula& part : formula.parts) Apply(part);
  }

 private:
  void Apply(Instance& instance) const {
    for (int& argument : instance.arguments) {
      argument = arguments_[static_cast<std::size_t>(argument)];
    }
  }

  /// A text that names the parameters, as a snippet does.
  std::string Renamed(std::string text) const {
    Snippet snippet{std::move(text), range_, {}};
    snippet.variables = FindVariables(snippet.text);
    for (SnippetVariable& use : snippet.variables) {
      const auto found = std::ranges::find(parameters_, use.name, &Variable::name);
      if (found != parameters_.end()) use.variable = static_cast<int>(found - parameters_.begin());
    }
    return dsl::Renamed(snippet, arguments_, scope_).text;
  }

  const Scope& parameters_;
  const std::vector<int>& arguments_;
  const Scope& scope_;
  SourceRange range_;
};

// Comparisons of what is known before the search may stand in it.
std::optional<ResolvedFormula> ResolveWithKnown(const ast::Formula& formula, const Scope& scope,
                                                Resolution& r) {
  const bool before = std::exchange(r.known_comparisons, true);
  auto resolved = ResolveFormula(formula, scope, r);
  r.known_comparisons = before;
  return resolved;
}

const std::optional<ResolvedFormula>& BodyOf(Let& let, Resolution& r) {
  // A let that is open depends on itself: that is reported where names are declared.
  if (let.state == Let::State::kNew) {
    let.state = Let::State::kOpen;
    auto body = ResolveWithKnown(let.decl->body, let.arguments, r);
    let.state = Let::State::kDone;
    let.body = std::make_shared<const std::optional<ResolvedFormula>>(std::move(body));
  }
  static const std::optional<ResolvedFormula> kNothing;
  return let.body ? *let.body : kNothing;
}

std::size_t SizeOf(const ResolvedFormula& formula) {
  std::size_t size = 1;
  for (const ResolvedFormula& part : formula.parts) size += SizeOf(part);
  return size;
}

// ---- uses of names without a test

std::optional<ResolvedFormula> UseLet(Let& let, const ast::Instance& use, const Scope& scope,
                                      Resolution& r) {
  const auto arguments =
      ResolveArguments(use, "let", let.arguments, let.decl->name.range, scope, r);
  let.used = true;
  r.Use(use.choice.range, let.decl->name.range);
  const auto& body = BodyOf(let, r);
  if (!arguments || !body) return std::nullopt;
  if (SizeOf(*body) > kMostConditions) {
    r.sink.Report(
        Diag::kTooManyClauses, use.range,
        fmt::format("'{}' stands for more than {} conditions", use.choice.text, kMostConditions));
    return std::nullopt;
  }
  ResolvedFormula formula = *body;
  LetUse(let.arguments, *arguments, scope, use.range).Apply(formula);
  return formula;
}

std::optional<ResolvedFormula> UseExtern(int index, const ast::Instance& use, const Scope& scope,
                                         Resolution& r) {
  const External& external = r.spec.externals[static_cast<std::size_t>(index)];
  r.used_externals.insert(index);
  r.Use(use.choice.range, external.range);
  if (external.constant) {
    r.sink
        .Report(Diag::kNothingToTest, use.range,
                fmt::format("'{}' is a constant: it stands on the right of a comparison",
                            external.name))
        .WithNote(external.range, fmt::format("'{}' is declared here", external.name));
    return std::nullopt;
  }
  const auto arguments =
      ResolveArguments(use, "predicate", external.arguments, external.range, scope, r);
  if (!arguments) return std::nullopt;
  ResolvedFormula formula;
  formula.range = formula.condition.range = use.range;
  formula.condition.kind = external.present ? Condition::Kind::kPresent : Condition::Kind::kCode;
  formula.condition.external = index;
  formula.condition.lhs = {-1, *arguments, use.range};
  return formula;
}

std::optional<ResolvedFormula> Use(const ast::Instance& use, const Scope& scope, Resolution& r) {
  const std::string& name = use.choice.text;
  if (const auto let = r.let_by_name.find(name); let != r.let_by_name.end()) {
    return UseLet(r.lets[let->second], use, scope, r);
  }
  if (const auto external = r.external_by_name.find(name); external != r.external_by_name.end()) {
    return UseExtern(external->second, use, scope, r);
  }
  const Instance instance = ResolveInstance(use, scope, r);
  const auto choice = r.choice_by_name.find(name);
  if (choice == r.choice_by_name.end()) return std::nullopt;
  const Choice& tested = r.choice(choice->second);
  r.sink
      .Report(
          Diag::kTestMissing, use.range,
          fmt::format("'{}' is {} and says nothing by itself; {}", name, KindInWords(tested.kind),
                      tested.kind == ChoiceKind::kEnum ? "test it with 'is'" : "compare it"))
      .WithNote(tested.range, fmt::format("'{}' is declared here", name));
  return std::nullopt;
}

bool IsKnownBeforeTheSearch(const ResolvedFormula& formula) {
  if (formula.kind != Kind::kCondition) {
    return std::ranges::all_of(formula.parts, IsKnownBeforeTheSearch);
  }
  return IsKnown(formula.condition);
}

ResolvedFormula Ascending(int before, int after, SourceRange range) {
  ResolvedFormula formula;
  formula.range = formula.condition.range = range;
  formula.condition.kind = Condition::Kind::kAscending;
  formula.condition.lhs = {-1, {before, after}, range};
  return formula;
}

// `$fun.name($a, $b)`: what an extern without code asks.
ast::Code DefaultCode(const ast::ExternDecl& decl) {
  ast::Code code;
  code.text = "$fun." + decl.name.text + "(";
  for (const ast::VarDef& argument : decl.arguments) {
    if (!code.text.ends_with('(')) code.text += ", ";
    code.text += "$" + argument.name.text;
  }
  code.text += ")";
  code.range = decl.name.range;
  code.pieces = {{0, decl.name.range}};
  return code;
}

}  // namespace

void DefineLetsAndExterns(Resolution& r) {
  for (Let& let : r.lets) AddVariables(let.decl->arguments, let.arguments, r);
  for (std::size_t i = 0; i < r.extern_sources.size(); ++i) {
    const ast::ExternDecl& decl = *r.extern_sources[i];
    External& external = r.spec.externals[i];
    external.doc = CleanDoc(decl.doc);
    external.constant = decl.constant;
    AddVariables(decl.arguments, external.arguments, r);
    if (decl.present) external.present = ResolveSetRef(*decl.present, external.arguments, r);
    external.has_code = decl.code.has_value();
    if (decl.number) {
      external.number = ResolveSigned(*decl.number, r);
      external.code.text = fmt::format("{}", external.number.value_or(0));
      external.code.range = decl.number->digits.range;
      continue;
    }
    external.code = ResolveSnippet(decl.code ? *decl.code : DefaultCode(decl), {"fun"},
                                   external.arguments, r.sink, decl.code ? r.names : nullptr);
  }
}

void DefineLetBodies(Resolution& r) {
  for (Let& let : r.lets) BodyOf(let, r);
}

std::optional<ResolvedFormula> ResolveFormula(const ast::Formula& formula, const Scope& scope,
                                              Resolution& r) {
  ResolvedFormula result;
  result.kind = formula.kind;
  result.range = formula.range;
  if (formula.kind == Kind::kCondition) {
    if (const auto* use = std::get_if<ast::Instance>(&formula.condition->kind)) {
      return Use(*use, scope, r);
    }
    auto condition = ResolveCondition(*formula.condition, scope, r);
    if (!condition) return std::nullopt;
    result.condition = std::move(*condition);
    const auto* test = std::get_if<ast::IsTest>(&formula.condition->kind);
    if (test != nullptr && !test->numbers.empty() && test->negated) {
      return ResolvedFormula{Kind::kNot, {}, {std::move(result)}, formula.range};
    }
    return result;
  }
  bool all = true;
  for (const ast::Formula& part : formula.parts) {
    auto resolved = ResolveFormula(part, scope, r);
    all = all && resolved.has_value();
    if (resolved) result.parts.push_back(std::move(*resolved));
  }
  if (!all) return std::nullopt;
  if (formula.kind == Kind::kAnd) CheckTogether(result.parts, r);
  return result;
}

void AddQuantifiers(const std::vector<ast::Quantifier>& quantifiers, Scope& scope,
                    std::vector<ResolvedFormula>& guards, Resolution& r) {
  for (const ast::Quantifier& quantifier : quantifiers) {
    for (const ast::Name& name : quantifier.names) {
      AddVariables({{name, quantifier.set}}, scope, r);
      const int last = static_cast<int>(scope.size()) - 1;
      if (quantifier.ascending && &name != &quantifier.names.front()) {
        guards.push_back(Ascending(last - 1, last, name.range));
      }
    }
    if (!quantifier.where) continue;
    auto where = ResolveWithKnown(*quantifier.where, scope, r);
    if (!where) continue;
    if (!IsKnownBeforeTheSearch(*where)) {
      r.sink.Report(Diag::kWhereOnDecisions, where->range,
                    "'where' asks what is known before the search; a condition on decisions stands "
                    "after the quantifiers");
      continue;
    }
    guards.push_back(std::move(*where));
  }
}

std::vector<std::vector<Condition>> ResolveClauses(const std::vector<ast::Formula>& formulas,
                                                   const std::vector<ResolvedFormula>& guards,
                                                   const Scope& scope, Resolution& r) {
  Clauses clauses;
  Together together(r);
  for (const ast::Formula& formula : formulas) {
    auto resolved = ResolveFormula(formula, scope, r);
    if (!resolved) continue;
    if (resolved->kind == Kind::kCondition) together.Add(resolved->condition);
    if (!guards.empty()) {
      ResolvedFormula guarded;
      guarded.kind = Kind::kOr;
      guarded.range = resolved->range;
      guarded.parts.push_back(std::move(*resolved));
      for (const ResolvedFormula& guard : guards) {
        guarded.parts.push_back({Kind::kNot, {}, {guard}, guard.range});
      }
      resolved = std::move(guarded);
    }
    const Clauses own = ReportedIfTooLarge(*resolved, false, r);
    clauses.insert(clauses.end(), own.begin(), own.end());
  }
  return clauses;
}

std::vector<Condition> ResolveConjunction(const std::vector<ast::Formula>& formulas,
                                          const std::vector<ResolvedFormula>& guards,
                                          const Scope& scope, std::string_view what,
                                          Resolution& r) {
  std::vector<ResolvedFormula> all;
  for (const ast::Formula& formula : formulas) {
    if (auto resolved = ResolveFormula(formula, scope, r)) all.push_back(std::move(*resolved));
  }
  CheckTogether(all, r);
  all.insert(all.end(), guards.begin(), guards.end());
  std::vector<Condition> conditions;
  for (const ResolvedFormula& formula : all) {
    for (const auto& clause : ReportedIfTooLarge(formula, false, r)) {
      if (clause.size() == 1) {
        conditions.push_back(clause.front());
        continue;
      }
      r.sink.Report(Diag::kNotAConjunction, formula.range,
                    fmt::format("{} has conditions that must all hold; there is no place for a "
                                "disjunction",
                                what));
      break;
    }
  }
  return conditions;
}

}  // namespace exh::dsl
