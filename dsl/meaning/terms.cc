// SPDX-License-Identifier: MIT
//
// Terms: what they read, what is known of them without asking anybody, and the same in C++ where
// generated code has to calculate one.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "base/check.h"
#include "base/spelling.h"
#include "dsl/meaning/names.h"
#include "dsl/meaning/snippet.h"

namespace exh::dsl {
namespace {

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
          result.instance.range = constant->range;
        } else {
          result.code =
              ResolveSnippet(std::get<ast::Code>(node.operand), {"fun"}, scope_, r_.sink, r_.names);
        }
        break;
      case TermKind::kInstance: {
        const auto& instance = std::get<ast::Instance>(node.operand);
        if (IsConstant(instance, r_)) {
          facts.code = true;
          AddConstant(instance, result);
          break;
        }
        facts.decision = true;
        AddInstance(instance, result);
        break;
      }
      case TermKind::kVariable:
        facts.code = true;
        AddVariable(std::get<ast::Name>(node.operand), result);
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

  void AddConstant(const ast::Instance& instance, TermNode& result) {
    result.kind = TermKind::kCode;
    result.external = ResolveConstant(instance, scope_, &result.instance, r_);
    ok_ = ok_ && result.external >= 0;
  }

  /// Objects of a set of numbers, and of its subsets, are numbers.
  void AddVariable(const ast::Name& name, TermNode& result) {
    const int variable = ResolveVariable(name, scope_, r_);
    if (variable < 0) {
      ok_ = false;
      return;
    }
    result.instance = {-1, {variable}, name.range};
    const SetIndex set = scope_[static_cast<std::size_t>(variable)].set.set;
    if (set < 0) {
      ok_ = false;
      return;
    }
    const Set& root = r_.set(r_.set(set).root);
    if (root.numbers) return;
    ok_ = false;
    r_.sink
        .Report(Diag::kObjectInTerm, name.range,
                fmt::format("'${}' is an object of '{}' and no number: a number of its own is an "
                            "extern constant with an argument",
                            name.text, r_.set(set).name))
        .WithNote(root.range, fmt::format("'{}' is declared here", root.name));
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

// ---- in C++

/// One snippet after the other, with texts between them.
class CppText {
 public:
  CppText& operator<<(std::string_view text) {
    snippet_.text += text;
    return *this;
  }
  CppText& operator<<(const Snippet& snippet) {
    const auto begin = static_cast<std::uint32_t>(snippet_.text.size());
    for (SnippetVariable use : snippet.variables) {
      use.offset += begin;
      snippet_.variables.push_back(std::move(use));
    }
    snippet_.text += snippet.text;
    return *this;
  }
  Snippet Take(SourceRange range) {
    snippet_.range = range;
    return std::move(snippet_);
  }

 private:
  Snippet snippet_;
};

/// What code stands for: its own text, or what the extern asks for these variables.
Snippet CodeOf(const TermNode& node, const Scope& scope, const Resolution& r) {
  if (node.external < 0) return node.code;
  const External& external = r.spec.externals[static_cast<std::size_t>(node.external)];
  return Renamed(external.code, node.instance.arguments, scope);
}

}  // namespace

bool IsConstant(const ast::Instance& instance, const Resolution& r) {
  const auto found = r.external_by_name.find(instance.choice.text);
  return found != r.external_by_name.end() &&
         r.spec.externals[static_cast<std::size_t>(found->second)].constant;
}

int FindConstant(const ast::Name& name, Resolution& r) {
  std::vector<std::string> known;
  for (std::size_t i = 0; i < r.spec.externals.size(); ++i) {
    const External& external = r.spec.externals[i];
    if (!external.constant) continue;
    known.push_back(external.name);
    if (external.name != name.text) continue;
    r.used_externals.insert(static_cast<int>(i));
    r.Use(name.range, external.range);
    if (external.arguments.empty()) return static_cast<int>(i);
    r.sink
        .Report(Diag::kArgumentCount, name.range,
                fmt::format("constant '{}' takes {} argument{}, got 0", name.text,
                            external.arguments.size(), external.arguments.size() == 1 ? "" : "s"))
        .WithNote(external.range, fmt::format("'{}' is declared here", name.text));
    return -1;
  }
  if (!r.broken.contains(name.text)) {
    r.sink.Report(Diag::kUnknownConstant, name.range,
                  fmt::format("unknown constant '{}'{}: extern constant {} declares one", name.text,
                              DidYouMean(name.text, known), name.text));
  }
  return -1;
}

int ResolveConstant(const ast::Instance& use, const Scope& scope, Instance* asked, Resolution& r) {
  const int index = r.external_by_name.find(use.choice.text)->second;
  const External& external = r.spec.externals[static_cast<std::size_t>(index)];
  r.used_externals.insert(index);
  r.Use(use.choice.range, external.range);
  auto arguments = ResolveArguments(use, "constant", external.arguments, external.range, scope, r);
  if (!arguments) return -1;
  *asked = {-1, std::move(*arguments), use.range};
  return index;
}

std::optional<ResolvedTerm> ResolveTerm(const ast::Term& term, const Scope& scope, Resolution& r) {
  return TermResolver(scope, r).Resolve(term);
}

std::optional<Term> ResolveKnownTerm(const ast::Term& term, const Scope& scope,
                                     std::string_view what, Resolution& r) {
  auto resolved = ResolveTerm(term, scope, r);
  if (!resolved) return std::nullopt;
  const SourceRange range = term.back().range;
  if (resolved->decision) {
    r.sink.Report(
        Diag::kDecisionInBounds, range,
        fmt::format("{} is known before the search, so that no decision can stand in it", what));
    return std::nullopt;
  }
  if (resolved->fraction) {
    r.sink.Report(Diag::kFractionDivided, range,
                  fmt::format("{} is a whole number, and '/' may make a fraction; use 'div', which "
                              "rounds down",
                              what));
    return std::nullopt;
  }
  return std::move(resolved->nodes);
}

std::optional<std::int64_t> ResolveSigned(const ast::WrittenNumber& number, Resolution& r) {
  const auto value = ResolveNumberOfTerm(number.digits, r);
  if (!value || !number.negative) return value;
  return -*value;
}

Snippet TermInCpp(const Term& term, const Scope& scope, const Resolution& r) {
  std::vector<Snippet> parts;
  for (const TermNode& node : term) {
    CppText text;
    const auto binary = [&](std::string_view open, std::string_view between) {
      const Snippet right = std::move(parts.back());
      parts.pop_back();
      const Snippet left = std::move(parts.back());
      parts.pop_back();
      text << open << left << between << right << ")";
    };
    switch (node.kind) {
      case TermKind::kNumber:
        text << fmt::format("std::int64_t{{{}}}", node.number);
        break;
      case TermKind::kCode:
        text << "static_cast<std::int64_t>(" << CodeOf(node, scope, r) << ")";
        break;
      case TermKind::kNegate: {
        const Snippet of = std::move(parts.back());
        parts.pop_back();
        text << "(-" << of << ")";
        break;
      }
      case TermKind::kAdd:
        binary("(", " + ");
        break;
      case TermKind::kSubtract:
        binary("(", " - ");
        break;
      case TermKind::kMultiply:
        binary("(", " * ");
        break;
      case TermKind::kDiv:
        binary("::exh::runtime::FloorDivided(", ", ");
        break;
      case TermKind::kMod:
        binary("::exh::runtime::FloorRemainder(", ", ");
        break;
      case TermKind::kMin:
        binary("std::min<std::int64_t>(", ", ");
        break;
      case TermKind::kMax:
        binary("std::max<std::int64_t>(", ", ");
        break;
      case TermKind::kVariable:  // Of a set of numbers, which is not built.
        text << "std::int64_t{0}";
        break;
      case TermKind::kInstance:
      case TermKind::kDivide:
        EXH_UNREACHABLE();
    }
    parts.push_back(text.Take(node.range));
  }
  return std::move(parts.back());
}

Snippet UniverseInCpp(const std::vector<TermSpan>& spans, const Scope& scope, SourceRange range,
                      const Resolution& r) {
  CppText text;
  text << "::exh::runtime::UniverseOf({";
  for (const TermSpan& span : spans) {
    if (&span != &spans.front()) text << ", ";
    text << "{" << TermInCpp(span.first, scope, r);
    if (!span.last.empty()) text << ", " << TermInCpp(span.last, scope, r);
    text << "}";
  }
  text << "})";
  return text.Take(range);
}

}  // namespace exh::dsl
