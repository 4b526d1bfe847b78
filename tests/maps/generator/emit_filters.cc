// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/check.h"
#include "generator/emit/emit.h"
#include "tests/maps/generator/emit.h"

namespace exh::generator {
namespace {

using dsl::ChoiceKind;
using Kind = dsl::Condition::Kind;

const MapsUse& DecisionOf(const MapsFilter& filter, int decision) {
  return decision == 0 ? filter.target : filter.inputs[static_cast<std::size_t>(decision) - 1];
}

/// "d1", inverted if the clause reads it the other way round.
std::string Read(const MapsPlan& plan, const MapsFilter& filter, int decision, bool inverted) {
  const MapsChoice& choice = ChoiceAt(plan, DecisionOf(filter, decision).choice);
  return inverted && choice.inverts() ? fmt::format("Invert{}(d{})", choice.camel, decision)
                                      : fmt::format("d{}", decision);
}

std::string NumbersText(const MapsTerm& term) {
  const std::vector<std::uint32_t>& numbers = term.atom.numbers;
  if (!numbers.empty()) {
    return fmt::format("std::array<std::uint32_t, {}>{{{}}}", numbers.size(),
                       fmt::join(numbers, ", "));
  }
  return CodeCall("Numbers", term.atom.code, term.code_scope);
}

std::string UniverseText(const MapsPlan& plan, const MapsFilter& filter, int decision) {
  return CallOn(plan, "Universe", DecisionOf(filter, decision));
}

/// The values of the target that satisfy the term by themselves.
std::string OwnValues(const MapsPlan& plan, const MapsFilter& filter, const MapsTerm& term) {
  const MapsChoice& choice = ChoiceAt(plan, filter.target.choice);
  if (term.atom.kind == Kind::kIs) return fmt::format("Bits{{{:#x}}}", term.values);
  const bool is_lhs = term.lhs == 0;
  const std::string op = OperatorValue(is_lhs ? term.atom.op : Mirrored(term.atom.op));
  if (term.atom.kind == Kind::kCompareCode) {
    return choice.kind == ChoiceKind::kInteger
               ? fmt::format("runtime::ValuesThat({}, {}, {})", UniverseText(plan, filter, 0), op,
                             NumbersText(term))
               : fmt::format("runtime::CounterThat({}, {})", op, NumbersText(term));
  }
  const int other = is_lhs ? term.rhs : term.lhs;
  const bool inverted = is_lhs ? term.lhs_inverted : term.rhs_inverted;
  const std::string domain =
      Read(plan, filter, other, is_lhs ? term.rhs_inverted : term.lhs_inverted);
  switch (choice.kind) {
    case ChoiceKind::kEnum: {
      const std::string values =
          term.atom.op == dsl::CompareOp::kEq
              ? domain
              : fmt::format("maps::OtherThan({}, {:#x})", domain, choice.all());
      return inverted && choice.inverts() ? fmt::format("Invert{}({})", choice.camel, values)
                                          : values;
    }
    case ChoiceKind::kInteger:
      return fmt::format("maps::ValuesThat({}, {}, {}, {})", UniverseText(plan, filter, 0), op,
                         UniverseText(plan, filter, other), domain);
    case ChoiceKind::kCounter:
      return fmt::format("runtime::CounterThat({}, {})", op, domain);
  }
  EXH_UNREACHABLE();
}

/// for (Bits r1 = d1; …) for (Bits r2 = d2; …) allowed |= kTable3[(1 * …) * 32 + d3];
void EmitTableUse(CodeWriter& out, const MapsPlan& plan, const MapsFilter& filter,
                  std::size_t index) {
  out.Line("Bits values = 0;");
  std::string row = "0", loops;
  const std::size_t last = filter.inputs.size();
  for (std::size_t i = 1; i < last; ++i) {
    loops += fmt::format("for (Bits r{0} = d{0}; r{0} != 0; r{0} &= r{0} - 1) ", i);
    const int values = ChoiceAt(plan, filter.inputs[i - 1].choice).num_values;
    row = fmt::format("({} * {} + static_cast<unsigned>(std::countr_zero(r{})))", row, values, i);
  }
  const int last_values = ChoiceAt(plan, filter.inputs[last - 1].choice).num_values;
  if (last == 1) {
    out.Line("values = kTable{}[d1];", index);
  } else {
    out.Line("{}{{", loops);
    const CodeWriter::Scope body(out, "}", 2);
    out.Line("values |= kTable{}[{} * {} + d{}];", index, row, 1u << last_values, last);
  }
  out.Line("allowed &= values;");
}

void EmitTable(CodeWriter& out, const MapsPlan& plan, const MapsFilter& filter, std::size_t index) {
  if (filter.table.empty()) return;
  out.Line("constexpr {} kTable{}[] = {{", EntryType(ChoiceAt(plan, filter.target.choice)), index);
  const CodeWriter::Scope body(out, "};", 4);
  std::string line;
  for (const std::uint64_t cell : filter.table) {
    line += fmt::format("{}, ", cell);
    if (line.size() > 85) {
      out.Text(line.substr(0, line.size() - 1));
      line.clear();
    }
  }
  if (!line.empty()) out.Text(line.substr(0, line.size() - 1));
}

bool Mentions(const MapsTerm& term) {
  return term.lhs == 0 || (term.atom.kind == Kind::kCompare && term.rhs == 0);
}

void EmitRule(CodeWriter& out, const MapsPlan& plan, const MapsFilter& filter,
              const MapsRule& rule) {
  const bool counter = ChoiceAt(plan, filter.target.choice).kind == ChoiceKind::kCounter;
  std::vector<std::string> others, own;
  for (const MapsTerm& term : rule.terms) {
    if (term.atom.kind == Kind::kConstant && !term.atom.constant) continue;
    if (Mentions(term) && term.atom.kind != Kind::kConstant) {
      own.push_back(OwnValues(plan, filter, term));
    } else {
      others.push_back(MapsMayHold(plan, filter, term));
    }
  }
  std::string allowed = own.empty() ? (counter ? "Interval{1, 0}" : "Bits{0}") : own[0];
  for (std::size_t i = 1; i < own.size(); ++i) {
    allowed = counter ? fmt::format("runtime::Hull({}, {})", allowed, own[i])
                      : fmt::format("{} | {}", allowed, own[i]);
  }
  out.Comment(rule.text);
  const std::string statement = counter ? fmt::format("allowed = allowed & {};", allowed)
                                        : fmt::format("allowed &= {};", allowed);
  if (others.empty()) {
    out.Text(statement);
  } else {
    out.Line("if (!({})) {}", fmt::join(others, " || "), statement);
  }
}

}  // namespace

std::string MapsMayHold(const MapsPlan& plan, const MapsFilter& filter, const MapsTerm& term) {
  const MapsAtom& atom = term.atom;
  switch (atom.kind) {
    case Kind::kConstant:
      return atom.constant ? "true" : "false";
    case Kind::kCode:
      return (atom.negated ? "!" : "") + CodeCall("Test", atom.code, term.code_scope);
    case Kind::kAscending:
      return fmt::format("v{} {} v{}", term.code_scope[0], atom.negated ? ">" : "<",
                         term.code_scope[1]);
    case Kind::kPresent:
    case Kind::kTerms:
      break;  // Refused.
    case Kind::kIs:
      return fmt::format("(d{} & {:#x}) != 0", term.lhs, term.values);
    case Kind::kCompare:
    case Kind::kCompareCode:
      break;
  }
  const std::string op = OperatorValue(atom.op);
  const std::string left = Read(plan, filter, term.lhs, term.lhs_inverted);
  const bool code = atom.kind == Kind::kCompareCode;
  const std::string right =
      code ? NumbersText(term) : Read(plan, filter, term.rhs, term.rhs_inverted);
  switch (ChoiceAt(plan, DecisionOf(filter, term.lhs).choice).kind) {
    case ChoiceKind::kEnum:
      return atom.op == dsl::CompareOp::kEq ? fmt::format("({} & {}) != 0", left, right)
                                            : fmt::format("maps::MayDiffer({}, {})", left, right);
    case ChoiceKind::kInteger:
      return code ? fmt::format("({} & runtime::ValuesThat({}, {}, {})) != 0", left,
                                UniverseText(plan, filter, term.lhs), op, right)
                  : fmt::format("maps::MayCompare({}, {}, {}, {}, {})",
                                UniverseText(plan, filter, term.lhs), left, op,
                                UniverseText(plan, filter, term.rhs), right);
    case ChoiceKind::kCounter:
      return fmt::format("runtime::CounterMay({}, {}, {})", left, op, right);
  }
  EXH_UNREACHABLE();
}

/// inline Bits Filter3(const Engine& e, Object v0, Object v1, Object v2) { … return allowed; }
void EmitMapsFilters(CodeWriter& out, const MapsPlan& plan) {
  for (std::size_t f = 0; f < plan.filters.size(); ++f) {
    const MapsFilter& filter = plan.filters[f];
    const MapsChoice& target = ChoiceAt(plan, filter.target.choice);
    const bool counter = target.kind == ChoiceKind::kCounter;
    out.Blank();
    EmitTable(out, plan, filter, f);
    out.Comment(fmt::format("Filter {}: values of {}.", f, target.name));
    std::vector<std::string> parameters = ObjectParameters(filter.variables.size());
    parameters.insert(parameters.begin(), "[[maybe_unused]] const Engine& e");
    out.Call(fmt::format("inline {} Filter{}", counter ? "Interval" : "Bits", f), parameters, " {");
    const CodeWriter::Scope body(out, "}", 2);
    for (std::size_t i = 0; i < filter.inputs.size(); ++i) {
      out.Line("[[maybe_unused]] const {} d{} = {};",
               ChoiceAt(plan, filter.inputs[i].choice).kind == ChoiceKind::kCounter ? "Interval"
                                                                                    : "Bits",
               i + 1, CallOn(plan, "Get", filter.inputs[i]));
    }
    out.Line("{};", counter ? "Interval allowed" : "Bits allowed = ~Bits{0}");
    if (!filter.table.empty()) {
      for (const MapsRule& rule : filter.tabulated) out.Comment(rule.text);
      EmitTableUse(out, plan, filter, f);
    }
    for (const MapsRule& rule : filter.rules) EmitRule(out, plan, filter, rule);
    out.Line("return allowed;");
  }
}

}  // namespace exh::generator
