// SPDX-License-Identifier: MIT
//
// The Spec as JSON. Names stand where the Spec has indices. Each struct of the Spec is taken apart
// by a structured binding, so that a member that is added to it does not compile here until it is
// said what becomes of it.
#include "generator/emit/emit_ir.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/check.h"
#include "dsl/diagnostics/source.h"
#include "dsl/syntax/words.h"
#include "generator/plan/plan.h"

namespace exh::generator {
namespace {

using Json = nlohmann::ordered_json;
using Scope = std::vector<dsl::Variable>;

class IrWriter {
 public:
  explicit IrWriter(const dsl::Spec& spec) : spec_(spec) {}

  Json Write(const std::string& space) const;

 private:
  Json Place(const dsl::SourceRange& range) const;
  /// The members that everything declared begins with; no "doc" without one.
  Json Declared(const std::string& name, const std::string& doc,
                const dsl::SourceRange& range) const;
  Json Code(const dsl::Snippet& snippet) const;
  Json Use(const dsl::SetRef& ref, const Scope& scope) const;
  Json Use(const dsl::Instance& instance, const Scope& scope) const;
  Json Variables(const Scope& own, const Scope& before = {}) const;
  Json Values(const dsl::Choice& choice, std::uint64_t values) const;
  Json Conditions(const std::vector<dsl::Condition>& conditions, const Scope& scope) const;

  Json Write(const dsl::Set& set) const;
  Json Write(const dsl::Choice& choice) const;
  void WriteEnum(const dsl::Choice& choice, Json& json) const;
  void WriteCounter(const dsl::Choice& choice, Json& json) const;
  Json Write(const dsl::Condition& condition, const Scope& scope) const;
  Json Write(const dsl::Term& term, const Scope& scope) const;
  Json Write(const dsl::TermSpan& span, const Scope& scope) const;
  Json Write(const dsl::SpaceObjective& objective) const;
  Json Write(const dsl::TimeBound& bound) const;
  Json Write(const dsl::External& external) const;
  Json Names(const std::vector<int>& variables, const Scope& scope) const;
  Json Write(const dsl::Requirement& requirement) const;
  Json Write(const dsl::Quotient& quotient) const;
  Json Write(const dsl::Trigger& trigger) const;
  Json Write(const dsl::Host& host) const;

  template <typename T>
  Json All(const std::vector<T>& things) const {
    Json json = Json::array();
    for (const T& thing : things) json.push_back(Write(thing));
    return json;
  }

  const std::string& NameOfSet(int set) const { return spec_.sets.at(set).name; }
  const std::string& NameOfChoice(int choice) const { return spec_.choices.at(choice).name; }

  const dsl::Spec& spec_;
};

Json Word(dsl::ChoiceKind kind) {
  switch (kind) {
    case dsl::ChoiceKind::kEnum:
      return "enum";
    case dsl::ChoiceKind::kInteger:
      return "integer";
    case dsl::ChoiceKind::kCounter:
      return "counter";
  }
  EXH_UNREACHABLE();
}

Json Word(dsl::Symmetry symmetry) {
  switch (symmetry) {
    case dsl::Symmetry::kNone:
      return "none";
    case dsl::Symmetry::kSymmetric:
      return "symmetric";
    case dsl::Symmetry::kAntisymmetric:
      return "antisymmetric";
  }
  EXH_UNREACHABLE();
}

Json Word(dsl::Visibility visibility) {
  switch (visibility) {
    case dsl::Visibility::kFull:
      return "full";
    case dsl::Visibility::kHalf:
      return "half";
    case dsl::Visibility::kInternal:
      return "internal";
  }
  EXH_UNREACHABLE();
}

Json IrWriter::Place(const dsl::SourceRange& range) const {
  const dsl::Spec::File& file = spec_.files.at(range.file);
  const dsl::LineColumn begin = dsl::Locate(file.text, range.begin);
  const dsl::LineColumn end = dsl::Locate(file.text, std::max(range.begin, range.end));
  return {{"file", file.path},
          {"line", begin.line},
          {"column", begin.column},
          {"end_line", end.line},
          {"end_column", end.column}};
}

Json IrWriter::Declared(const std::string& name, const std::string& doc,
                        const dsl::SourceRange& range) const {
  Json json = {{"name", name}};
  if (!doc.empty()) json["doc"] = doc;
  json["place"] = Place(range);
  return json;
}

Json IrWriter::Code(const dsl::Snippet& snippet) const {
  const auto& [text, range, variables] = snippet;
  Json names = Json::array();
  for (const dsl::SnippetVariable& variable : variables) {
    if (std::find(names.begin(), names.end(), variable.name) == names.end()) {
      names.push_back(variable.name);
    }
  }
  return {{"text", text}, {"variables", std::move(names)}, {"place", Place(range)}};
}

Json IrWriter::Use(const dsl::SetRef& ref, const Scope& scope) const {
  const auto& [set, parameter] = ref;
  Json json = {{"set", NameOfSet(set)}};
  if (parameter >= 0) json["parameter"] = scope.at(parameter).name;
  return json;
}

Json IrWriter::Names(const std::vector<int>& variables, const Scope& scope) const {
  Json names = Json::array();
  for (const int variable : variables) names.push_back(scope.at(variable).name);
  return names;
}

Json IrWriter::Use(const dsl::Instance& instance, const Scope& scope) const {
  const auto& [choice, arguments, range] = instance;
  return {{"choice", NameOfChoice(choice)},
          {"arguments", Names(arguments, scope)},
          {"place", Place(range)}};
}

/// `own` variables are declared after those of `before`.
Json IrWriter::Variables(const Scope& own, const Scope& before) const {
  Scope scope = before;
  Json json = Json::array();
  for (const dsl::Variable& variable : own) {
    const auto& [name, set, range] = variable;
    json.push_back({{"name", name}, {"in", Use(set, scope)}, {"place", Place(range)}});
    scope.push_back(variable);
  }
  return json;
}

Json IrWriter::Values(const dsl::Choice& choice, std::uint64_t values) const {
  Json json = Json::array();
  for (std::size_t i = 0; i < choice.values.size(); ++i) {
    if ((values >> i) & 1) json.push_back(choice.values[i].name);
  }
  return json;
}

Json IrWriter::Conditions(const std::vector<dsl::Condition>& conditions, const Scope& scope) const {
  Json json = Json::array();
  for (const dsl::Condition& condition : conditions) json.push_back(Write(condition, scope));
  return json;
}

Json IrWriter::Write(const dsl::Set& set) const {
  const auto& [name, doc, range, parameter, superset, disjoint, keys, reverse_variable, is_quotient,
               root, depth, given, numbers] = set;
  Json json = Declared(name, doc, range);
  const Scope scope = parameter ? Scope{*parameter} : Scope{};
  if (parameter) json["parameter"] = Variables(scope)[0];
  if (superset) json["superset"] = Use(*superset, scope);
  if (root >= 0) json["root"] = NameOfSet(root);
  json["depth"] = depth;
  json["disjoint"] = Json::array();
  for (const int other : disjoint) json["disjoint"].push_back(NameOfSet(other));
  json["quotient"] = is_quotient;
  if (given) json["given"] = true;
  if (numbers) json["numbers"] = Write(*numbers, {});
  json["keys"] = Json::object();
  for (int key = 0; key < dsl::kNumSetKeys; ++key) {
    if (keys[key]) json["keys"][std::string(dsl::kSetKeyWords[key])] = Code(*keys[key]);
  }
  if (reverse_variable) json["reverse_variable"] = Variables({*reverse_variable})[0];
  return json;
}

void IrWriter::WriteEnum(const dsl::Choice& choice, Json& json) const {
  json["values"] = Json::array();
  for (const dsl::EnumValue& value : choice.values) {
    const auto& [name, doc, range] = value;
    json["values"].push_back(Declared(name, doc, range));
  }
  json["aliases"] = Json::array();
  for (const dsl::Alias& alias : choice.aliases) {
    const auto& [name, doc, values, range] = alias;
    Json declared = Declared(name, doc, range);
    declared["values"] = Values(choice, values);
    json["aliases"].push_back(std::move(declared));
  }
  json["symmetry"] = Word(choice.symmetry);
  if (choice.symmetry != dsl::Symmetry::kAntisymmetric) return;
  json["inverse"] = Json::array();
  for (const int value : choice.inverse) json["inverse"].push_back(choice.values.at(value).name);
}

void IrWriter::WriteCounter(const dsl::Choice& choice, Json& json) const {
  Scope scope = choice.arguments;
  scope.insert(scope.end(), choice.over.begin(), choice.over.end());
  json["visibility"] = Word(choice.visibility);
  json["operation"] = choice.product ? "mul" : "sum";
  if (choice.base) json["base"] = Code(*choice.base);
  if (!choice.base_term.empty()) json["base_term"] = Write(choice.base_term, choice.arguments);
  if (choice.base_number) json["base_number"] = *choice.base_number;
  json["over"] = Variables(choice.over, choice.arguments);
  if (choice.weight) json["weight"] = Use(*choice.weight, scope);
  if (choice.weight_code) json["weight_code"] = Code(*choice.weight_code);
  if (!choice.weight_term.empty()) json["weight_term"] = Write(choice.weight_term, scope);
  json["when"] = Conditions(choice.when, scope);
}

Json IrWriter::Write(const dsl::Choice& choice) const {
  // What is not used here belongs to one kind and is said by it.
  const auto& [name, doc, range, kind, arguments, values, aliases, symmetry, inverse, universe,
               spans, numbers, visibility, product, base, base_term, base_number, over, weight,
               weight_code, weight_term, when] = choice;
  Json json = Declared(name, doc, range);
  json["kind"] = Word(kind);
  json["arguments"] = Variables(arguments);
  switch (kind) {
    case dsl::ChoiceKind::kEnum:
      WriteEnum(choice, json);
      break;
    case dsl::ChoiceKind::kInteger:
      if (numbers.empty()) {
        json["universe"] = Code(universe);
        for (const dsl::TermSpan& span : spans) json["spans"].push_back(Write(span, arguments));
      } else {
        json["numbers"] = numbers;
      }
      break;
    case dsl::ChoiceKind::kCounter:
      WriteCounter(choice, json);
      break;
  }
  return json;
}

/// A list in which operands stand before what uses them, as in the Spec.
Json IrWriter::Write(const dsl::Term& term, const Scope& scope) const {
  Json json = Json::array();
  for (const dsl::TermNode& node : term) {
    const auto& [kind, number, external, code, instance, range] = node;
    Json& written = json.emplace_back();
    switch (kind) {
      case dsl::TermNode::Kind::kNumber:
        written["number"] = number;
        break;
      case dsl::TermNode::Kind::kCode:
        if (external >= 0) {
          written["constant"] = spec_.externals.at(external).name;
          if (!instance.arguments.empty()) written["arguments"] = Names(instance.arguments, scope);
        } else {
          written["code"] = Code(code);
        }
        break;
      case dsl::TermNode::Kind::kInstance:
        written["use"] = Use(instance, scope);
        break;
      case dsl::TermNode::Kind::kVariable:
        written["variable"] = scope.at(instance.arguments.front()).name;
        break;
      case dsl::TermNode::Kind::kNegate:
        written["operation"] = "negate";
        break;
      default:
        written["operation"] = OperationText(kind);
    }
    written["place"] = Place(range);
  }
  return json;
}

Json IrWriter::Write(const dsl::TermSpan& span, const Scope& scope) const {
  const auto& [first, last] = span;
  Json json = {{"first", Write(first, scope)}};
  if (!last.empty()) json["last"] = Write(last, scope);
  return json;
}

Json IrWriter::Write(const dsl::SpaceObjective& objective) const {
  const auto& [maximize, term, text, range] = objective;
  return {{"direction", maximize ? "maximize" : "minimize"},
          {"term", Write(term, Scope())},
          {"written", text},
          {"place", Place(range)}};
}

Json IrWriter::Write(const dsl::TimeBound& bound) const {
  const auto& [unit_ns, term, text, range] = bound;
  return {{"unit_ns", unit_ns},
          {"term", Write(term, Scope())},
          {"written", text},
          {"place", Place(range)}};
}

Json IrWriter::Write(const dsl::Condition& condition, const Scope& scope) const {
  const auto& [kind, constant, negated, lhs, values, op, rhs, external, code, numbers, single, left,
               right, written, range] = condition;
  Json json;
  switch (kind) {
    case dsl::Condition::Kind::kIs:
      json = {{"kind", "is"}, {"lhs", Use(lhs, scope)}};
      json["values"] = Values(spec_.choices.at(lhs.choice), values);
      break;
    case dsl::Condition::Kind::kCompare:
      json = {{"kind", "compare"},
              {"lhs", Use(lhs, scope)},
              {"op", OperatorText(op)},
              {"rhs", Use(rhs, scope)}};
      break;
    case dsl::Condition::Kind::kCompareCode:
      json = {{"kind", "compare_code"}, {"lhs", Use(lhs, scope)}, {"op", OperatorText(op)}};
      if (!numbers.empty()) {
        json["numbers"] = numbers;
      } else if (external >= 0) {
        json["constant"] = spec_.externals.at(external).name;
        if (!rhs.arguments.empty()) json["arguments"] = Names(rhs.arguments, scope);
      } else {
        json["code"] = Code(code);
      }
      if (single) json["single"] = true;
      break;
    case dsl::Condition::Kind::kCode:
    case dsl::Condition::Kind::kPresent:
      json = {{"kind", kind == dsl::Condition::Kind::kCode ? "code" : "present"}};
      if (external >= 0) {
        json["predicate"] = spec_.externals.at(external).name;
        json["arguments"] = Names(lhs.arguments, scope);
      } else {
        json["code"] = Code(code);
      }
      json["negated"] = negated;
      break;
    case dsl::Condition::Kind::kAscending:
      json = {{"kind", "ascending"}, {"arguments", Names(lhs.arguments, scope)}};
      json["negated"] = negated;
      break;
    case dsl::Condition::Kind::kTerms:
      json = {{"kind", "terms"}, {"left", Write(left, scope)}, {"op", OperatorText(op)}};
      json["right"] = Write(right, scope);
      json["negated"] = negated;
      json["written"] = written;
      break;
    case dsl::Condition::Kind::kConstant:
      json = {{"kind", "constant"}, {"value", constant}};
      break;
  }
  json["text"] = ConditionText(spec_, scope, condition);
  json["place"] = Place(range);
  return json;
}

Json IrWriter::Write(const dsl::External& external) const {
  const auto& [name, doc, range, constant, arguments, present, code, has_code, number] = external;
  Json json = Declared(name, doc, range);
  json["kind"] = constant ? "constant" : present ? "dynamic predicate" : "predicate";
  json["arguments"] = Variables(arguments);
  if (present) json["of"] = Use(*present, arguments);
  json["code"] = Code(code);
  static_cast<void>(has_code);  // The code says what is asked either way.
  if (number) json["number"] = *number;
  return json;
}

Json IrWriter::Write(const dsl::Requirement& requirement) const {
  const auto& [label, doc, text, range, variables, clauses] = requirement;
  Json json = {{"label", label}};
  if (!doc.empty()) json["doc"] = doc;
  json["text"] = text;
  json["place"] = Place(range);
  json["variables"] = Variables(variables);
  json["clauses"] = Json::array();
  for (const auto& clause : clauses) json["clauses"].push_back(Conditions(clause, variables));
  return json;
}

Json IrWriter::Write(const dsl::Quotient& quotient) const {
  const auto& [set, variables, flag, dividend, equivalence, equivalence_values, range] = quotient;
  Json json = {{"set", NameOfSet(set)}, {"place", Place(range)}};
  json["variables"] = Variables(variables);
  json["flag"] = NameOfChoice(flag);
  json["dividend"] = Conditions(dividend, variables);
  json["equivalence"] = NameOfChoice(equivalence);
  json["equivalence_values"] = Values(spec_.choices.at(equivalence), equivalence_values);
  return json;
}

Json IrWriter::Write(const dsl::Trigger& trigger) const {
  const auto& [label, range, variables, code, adds, when] = trigger;
  Json json = {{"label", label}, {"place", Place(range)}};
  json["variables"] = Variables(variables);
  json["code"] = Code(code);
  json["adds"] = Json::array();
  for (const int set : adds) json["adds"].push_back(NameOfSet(set));
  json["when"] = Conditions(when, variables);
  return json;
}

Json IrWriter::Write(const dsl::Host& host) const {
  const auto& [backbone, headers, range] = host;
  Json json = {{"backbone", Code(backbone)}, {"headers", Json::array()}};
  for (const dsl::Snippet& header : headers) json["headers"].push_back(Code(header));
  json["place"] = Place(range);
  return json;
}

Json IrWriter::Write(const std::string& space) const {
  const auto& [files, sets, choices, externals, requirements, quotients, triggers, order, host,
               objective, lower_bound, terms] = spec_;
  EXH_CHECK(terms.empty());  // They stand beside a space that is loaded.
  Json json = {{"format", "exhaust-ir"}, {"version", kIrVersion}, {"space", space}};
  json["files"] = Json::array();
  for (const dsl::Spec::File& file : files) json["files"].push_back(file.path);
  if (host) json["host"] = Write(*host);
  json["sets"] = All(sets);
  json["choices"] = All(choices);
  json["externs"] = All(externals);
  json["requirements"] = All(requirements);
  json["quotients"] = All(quotients);
  json["triggers"] = All(triggers);
  json["order"] = Json::array();
  for (const int choice : order) json["order"].push_back(NameOfChoice(choice));
  if (objective) json["objective"] = Write(*objective);
  if (lower_bound) json["lower_bound"] = Write(*lower_bound);
  return json;
}

}  // namespace

std::string IrText(const dsl::Spec& spec, const std::string& space) {
  // A source text may hold any bytes; what is not UTF-8 is replaced, never a reason to fail.
  return IrWriter(spec).Write(space).dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace exh::generator
