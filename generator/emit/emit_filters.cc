// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/check.h"
#include "generator/emit/emit.h"
#include "generator/emit/snippets.h"
#include "generator/plan/names.h"

namespace exh::generator {
namespace {

using dsl::ChoiceKind;
using Kind = dsl::Condition::Kind;

/// Prints the filters of one requirement.
class Emitter {
 public:
  Emitter(CodeWriter& out, const SpacePlan& plan, int requirement)
      : out_(out), plan_(plan), requirement_(plan.spec->requirements[requirement]) {}

  void Emit(const Filter& filter);

 private:
  const dsl::Choice& ChoiceOf(const FilterUse& use) const {
    return plan_.spec->choices[use.instance.choice];
  }
  ChoiceKind KindOf(const FilterUse& use) const { return ChoiceOf(use).kind; }
  const ChoiceNames& NamesOf(const FilterUse& use) const {
    return plan_.choices[use.instance.choice];
  }
  std::string TextOf(const FilterUse& use) const {
    return InstanceText(*plan_.spec, requirement_.variables, use.instance);
  }

  std::string Type(const FilterUse& use) const;
  std::string Parameter(const FilterUse& use) const;
  std::string Read(const FilterUse& use) const;
  std::vector<std::string> Parameters(const Filter& filter) const;
  void EmitDoc(const Filter& filter);
  void EmitEarlyReturn(const std::string& condition, const std::string& all);
  std::string All(const Filter& filter) const;
  std::string OwnValues(const Filter& filter, const FilterAtom& atom) const;
  std::string MayHold(const FilterAtom& atom) const;
  static bool AsksHost(const FilterAtom& atom) {
    return atom.kind == Kind::kCode || atom.kind == Kind::kAscending || atom.kind == Kind::kPresent;
  }
  /// What a decision is compared with.
  static std::string Numbers(const FilterAtom& atom) {
    if (atom.numbers.empty()) return atom.code;
    return fmt::format("std::array<std::uint32_t, {}>{{{}}}", atom.numbers.size(),
                       fmt::join(atom.numbers, ", "));
  }

  CodeWriter& out_;
  const SpacePlan& plan_;
  const dsl::Requirement& requirement_;
};

std::string Emitter::Type(const FilterUse& use) const {
  switch (KindOf(use)) {
    case ChoiceKind::kEnum:
      return NamesOf(use).domain;
    case ChoiceKind::kInteger:
      return "IntDomain";
    case ChoiceKind::kCounter:
      return "Interval";
  }
  EXH_UNREACHABLE();
}

/// "order_outer_inner".
std::string Emitter::Parameter(const FilterUse& use) const {
  std::string name = ChoiceOf(use).name;
  for (const int argument : use.instance.arguments) {
    name += "_" + requirement_.variables[argument].name;
  }
  return Identifier(name);
}

/// The parameter as the clause reads it.
std::string Emitter::Read(const FilterUse& use) const {
  const bool inverts = use.inverted && ChoiceOf(use).symmetry == dsl::Symmetry::kAntisymmetric;
  return inverts ? "Invert(" + Parameter(use) + ")" : Parameter(use);
}

std::vector<std::string> Emitter::Parameters(const Filter& filter) const {
  std::vector<std::string> parameters;
  if (KindOf(filter.target) == ChoiceKind::kInteger) {
    parameters.push_back("Universe universe");
  }
  for (const FilterUse& input : filter.inputs) {
    parameters.push_back(KindOf(input) == ChoiceKind::kInteger
                             ? "const IntDomain& " + Parameter(input)
                             : Type(input) + " " + Parameter(input));
  }
  for (const FilterAtom& atom : filter.atoms) {
    if (AsksHost(atom)) parameters.push_back("bool " + atom.code);
    if (atom.kind == Kind::kCompareCode && atom.numbers.empty()) {
      parameters.push_back("std::span<const std::uint32_t> " + atom.code);
    }
  }
  return parameters;
}

/// /// Values of dim_kind($outer) that order($outer, $inner) leaves possible.
void Emitter::EmitDoc(const Filter& filter) {
  std::string inputs;
  std::size_t num_inputs = filter.inputs.size();
  for (const FilterUse& input : filter.inputs) {
    inputs += (inputs.empty() ? "" : ", ") + TextOf(input);
  }
  for (const FilterAtom& atom : filter.atoms) {
    if (!AsksHost(atom)) continue;
    inputs += (inputs.empty() ? "" : ", ") + atom.text;
    ++num_inputs;
  }
  if (inputs.empty()) {
    out_.Doc(fmt::format("Values of {} that are possible.", TextOf(filter.target)), "");
  } else {
    out_.Doc(fmt::format("Values of {} that {} {} possible.", TextOf(filter.target), inputs,
                         num_inputs == 1 ? "leaves" : "leave"),
             "");
  }
}

/// if (condition) return DimKindDomain::All();
void Emitter::EmitEarlyReturn(const std::string& condition, const std::string& all) {
  const std::string line = fmt::format("if ({}) return {};", condition, all);
  if (line.size() + 2 <= 100) {
    out_.Text(line);
    return;
  }
  auto body = out_.Block(fmt::format("if ({})", condition));
  out_.Line("return {};", all);
}

std::string Emitter::All(const Filter& filter) const {
  switch (KindOf(filter.target)) {
    case ChoiceKind::kEnum:
      return Type(filter.target) + "::All()";
    case ChoiceKind::kInteger:
      return "IntDomain::All(universe)";
    case ChoiceKind::kCounter:
      return "Interval{}";
  }
  EXH_UNREACHABLE();
}

/// The target's values that satisfy the atom by themselves.
std::string Emitter::OwnValues(const Filter& filter, const FilterAtom& atom) const {
  const FilterUse& target = filter.target;
  const bool is_lhs = atom.lhs.IsSameDecision(target);
  const FilterUse& other = is_lhs ? atom.rhs : atom.lhs;
  const std::string op = OperatorValue(is_lhs ? atom.op : Mirrored(atom.op));
  if (atom.kind == Kind::kIs) {
    const bool negated = IsShorterNegated(ChoiceOf(target), atom.values);
    const std::uint64_t all = AllValues(ChoiceOf(target));
    if ((atom.values & all) == all) return Type(target) + "::All()";
    const std::string values =
        ValuesOf(plan_, target.instance.choice, negated ? all & ~atom.values : atom.values);
    return negated ? fmt::format("{}::AllBut({})", Type(target), values)
                   : fmt::format("{}({})", Type(target), values);
  }
  if (atom.kind == Kind::kCompareCode) {
    return KindOf(target) == ChoiceKind::kInteger
               ? fmt::format("IntDomain::That(universe, {}, {})", op, Numbers(atom))
               : fmt::format("CounterThat({}, {})", op, Numbers(atom));
  }
  switch (KindOf(target)) {
    case ChoiceKind::kEnum: {
      std::string values = fmt::format(
          "{}({})", atom.op == dsl::CompareOp::kEq ? "EqualTo" : "OtherThan", Read(other));
      const bool inverts = (is_lhs ? atom.lhs : atom.rhs).inverted &&
                           ChoiceOf(target).symmetry == dsl::Symmetry::kAntisymmetric;
      return inverts ? "Invert(" + values + ")" : values;
    }
    case ChoiceKind::kInteger:
      return fmt::format("IntDomain::All(universe).That({}, {})", op, Parameter(other));
    case ChoiceKind::kCounter:
      return fmt::format("CounterThat({}, {})", op, Parameter(other));
  }
  EXH_UNREACHABLE();
}

/// Some values of the inputs satisfy the atom.
std::string Emitter::MayHold(const FilterAtom& atom) const {
  switch (atom.kind) {
    case Kind::kTerms:
      break;  // Such a clause has no filters.
    case Kind::kConstant:
      return atom.constant ? "true" : "false";
    case Kind::kCode:
    case Kind::kAscending:
    case Kind::kPresent:
      return atom.negated ? "!" + atom.code : atom.code;
    case Kind::kIs: {
      const dsl::Choice& choice = ChoiceOf(atom.lhs);
      const bool negated = IsShorterNegated(choice, atom.values);
      const std::uint64_t values = negated ? AllValues(choice) & ~atom.values : atom.values;
      return fmt::format("{}.{}({})", Parameter(atom.lhs), negated ? "MayBeOtherThan" : "MayBe",
                         ValuesOf(plan_, atom.lhs.instance.choice, values));
    }
    case Kind::kCompareCode:
    case Kind::kCompare: {
      const std::string op = OperatorValue(atom.op);
      const std::string rhs = atom.kind == Kind::kCompare ? Read(atom.rhs) : Numbers(atom);
      switch (KindOf(atom.lhs)) {
        case ChoiceKind::kEnum:
          return fmt::format("{}({}, {})",
                             atom.op == dsl::CompareOp::kEq ? "MayBeEqual" : "MayDiffer",
                             Read(atom.lhs), rhs);
        case ChoiceKind::kInteger:
          return fmt::format("{}.May({}, {})", Parameter(atom.lhs), op, rhs);
        case ChoiceKind::kCounter:
          return fmt::format("CounterMay({}, {}, {})", Parameter(atom.lhs), op, rhs);
      }
    }
  }
  EXH_UNREACHABLE();
}

bool Mentions(const Filter& filter, const FilterAtom& atom) {
  const bool has_lhs =
      atom.kind == Kind::kIs || atom.kind == Kind::kCompare || atom.kind == Kind::kCompareCode;
  return (has_lhs && atom.lhs.IsSameDecision(filter.target)) ||
         (atom.kind == Kind::kCompare && atom.rhs.IsSameDecision(filter.target));
}

/// inline DimKindDomain FilterDimKind(OrderDomain order_outer_inner) {
///   if (order_outer_inner.MayBeOtherThan(Order::OUTER)) return DimKindDomain::All();
///   return DimKindDomain::AllBut(DimKind::VECTOR);
/// }
void Emitter::Emit(const Filter& filter) {
  out_.Blank();
  EmitDoc(filter);
  out_.Call(fmt::format("inline {} {}", Type(filter.target), filter.function), Parameters(filter),
            " {");
  const CodeWriter::Scope body(out_, "}", 2);
  for (const FilterAtom& atom : filter.atoms) {
    if (!Mentions(filter, atom)) EmitEarlyReturn(MayHold(atom), All(filter));
  }
  std::vector<std::string> own;
  for (const FilterAtom& atom : filter.atoms) {
    if (Mentions(filter, atom)) own.push_back(OwnValues(filter, atom));
  }
  if (own.size() == 1) {
    out_.Line("return {};", own[0]);
    return;
  }
  const bool counter = KindOf(filter.target) == ChoiceKind::kCounter;
  out_.Line("{} allowed = {};", Type(filter.target), own[0]);
  for (std::size_t i = 1; i < own.size(); ++i) {
    out_.Line("{}", counter ? fmt::format("allowed = Hull(allowed, {});", own[i])
                            : fmt::format("allowed = allowed | {};", own[i]));
  }
  out_.Line("return allowed;");
}

void EmitInvert(CodeWriter& out, const SpacePlan& plan, std::size_t index) {
  const dsl::Choice& choice = plan.spec->choices[index];
  const ChoiceNames& names = plan.choices[index];
  out.Line("/// The domain with the arguments of {} swapped.", choice.name);
  auto body = out.Block(fmt::format("constexpr {0} Invert({0} domain)", names.domain));
  out.Line("{} inverted;", names.domain);
  for (std::size_t i = 0; i < choice.values.size(); ++i) {
    out.Line("if (domain.MayBe({0}::{1})) inverted |= {0}::{2};", names.camel, names.values[i],
             names.values[static_cast<std::size_t>(choice.inverse[i])]);
  }
  out.Line("return inverted;");
}

/// {"square::FilterSizeA", 3, {choices::size, {0}}, {{choices::size, {1}}}, CallFilter<…>},
void EmitEntry(CodeWriter& out, const SpacePlan& plan, const std::string& space,
               const Filter& filter, int clause) {
  std::vector<std::string> inputs;
  for (const FilterUse& input : filter.inputs) inputs.push_back(UseValue(plan, input.instance));
  const std::string name = space + "::" + filter.function;
  const std::vector<std::string> items = {
      Quoted(name), std::to_string(clause), UseValue(plan, filter.target.instance),
      fmt::format("{{{}}}", fmt::join(inputs, ", ")), fmt::format("CallFilter<{}>", name)};
  const std::string line = fmt::format("{{{}}},", fmt::join(items, ", "));
  if (line.size() + 6 <= 100) {
    out.Text(line);
    return;
  }
  for (std::size_t i = 0; i < items.size(); ++i) {
    out.Line("{}{}{},", i == 0 ? "{" : " ", items[i], i + 1 == items.size() ? "}" : "");
  }
}

/// inline std::vector<runtime::SpecFilter> All() { return { … }; }
void EmitAll(CodeWriter& out, const SpacePlan& plan,
             const std::vector<RequirementFilters>& filters) {
  out.Line(
      "/// Every filter of this file with its clause in GetSpace(), its target and its inputs.");
  auto body = out.Block("inline std::vector<runtime::SpecFilter> All()");
  out.Line("using runtime::CallFilter;");
  out.Line("return {{");
  int first_clause = 0;
  {
    auto items = out.Indented(4);
    for (std::size_t i = 0; i < filters.size(); ++i) {
      for (const Filter& filter : filters[i].filters) {
        EmitEntry(out, plan, plan.requirements[i], filter, first_clause + filter.clause);
      }
      const dsl::Requirement& requirement = plan.spec->requirements[i];
      for (const std::vector<dsl::Condition>& clause : requirement.clauses) {
        if (HasTerms(clause)) {
          out.Comment(
              fmt::format("Clause {} of {} compares terms, which the engine reads: it has "
                          "no filter.",
                          first_clause, requirement.label));
        }
        ++first_clause;
      }
    }
  }
  out.Line("}};");
}

}  // namespace

void EmitFilters(CodeWriter& out, const SpacePlan& plan,
                 const std::vector<RequirementFilters>& filters) {
  auto space = out.Namespace("exh::spaces::" + plan.space + "::filters");
  out.Blank();
  for (const char* name : {"CompareOp", "CounterMay", "CounterThat", "EqualTo", "Hull", "IntDomain",
                           "Interval", "MayBeEqual", "MayDiffer", "OtherThan", "Universe"}) {
    out.Line("using runtime::{};", name);
  }
  for (std::size_t i = 0; i < plan.choices.size(); ++i) {
    if (plan.spec->choices[i].symmetry != dsl::Symmetry::kAntisymmetric) continue;
    out.Blank();
    EmitInvert(out, plan, i);
  }
  for (std::size_t i = 0; i < filters.size(); ++i) {
    if (filters[i].filters.empty()) continue;
    const dsl::Requirement& requirement = plan.spec->requirements[i];
    out.Blank();
    out.Title("require " + requirement.label, plan.At(requirement.range));
    out.Comment("  " + requirement.text);
    auto label = out.Namespace(plan.requirements[i]);
    Emitter emitter(out, plan, static_cast<int>(i));
    for (const Filter& filter : filters[i].filters) emitter.Emit(filter);
    out.Blank();
  }
  out.Blank();
  EmitAll(out, plan, filters);
  out.Blank();
}

}  // namespace exh::generator
