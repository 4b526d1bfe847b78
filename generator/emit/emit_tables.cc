// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include "base/check.h"
#include "generator/emit/emit.h"
#include "generator/plan/names.h"

namespace exh::generator {

std::vector<std::string> VariableItems(const SpacePlan& plan,
                                       const std::vector<dsl::Variable>& scope) {
  std::vector<std::string> items;
  for (const dsl::Variable& variable : scope) {
    items.push_back(fmt::format("{{{}, {{sets::{}, {}}}}}", Quoted(variable.name),
                                plan.sets[variable.set.set].name, variable.set.parameter));
  }
  return items;
}

std::string UseValue(const SpacePlan& plan, const dsl::Instance& instance) {
  return fmt::format("{{choices::{}, {{{}}}}}", plan.choices[instance.choice].name,
                     fmt::join(instance.arguments, ", "));
}

std::string ValuesOf(const SpacePlan& plan, int choice, std::uint64_t values) {
  const ChoiceNames& names = plan.choices[choice];
  std::vector<std::string> items;
  for (std::size_t i = 0; i < names.values.size(); ++i) {
    if ((values >> i) & 1) items.push_back(names.camel + "::" + names.values[i]);
  }
  return items.empty() ? names.domain + "::None()" : fmt::format("{}", fmt::join(items, " | "));
}

bool IsShorterNegated(const dsl::Choice& choice, std::uint64_t values) {
  const std::uint64_t all = AllValues(choice);
  return (values & all) != all &&
         __builtin_popcountll(all & ~values) < __builtin_popcountll(values & all);
}

std::string OperatorValue(dsl::CompareOp op) {
  switch (op) {
    case dsl::CompareOp::kLt:
      return "CompareOp::kLt";
    case dsl::CompareOp::kGt:
      return "CompareOp::kGt";
    case dsl::CompareOp::kLe:
      return "CompareOp::kLe";
    case dsl::CompareOp::kGe:
      return "CompareOp::kGe";
    case dsl::CompareOp::kEq:
      return "CompareOp::kEq";
    case dsl::CompareOp::kNe:
      return "CompareOp::kNe";
  }
  EXH_UNREACHABLE();
}

namespace {

/// "Is<Order>({choices::order, {0, 1}}, Order::BEFORE | Order::INNER)".
std::string IsValue(const SpacePlan& plan, const dsl::Condition& condition) {
  const int choice = condition.lhs.choice;
  const std::uint64_t all = AllValues(plan.spec->choices[choice]);
  const bool negated = IsShorterNegated(plan.spec->choices[choice], condition.values);
  const std::uint64_t values = negated ? all & ~condition.values : condition.values;
  return fmt::format("{}<{}>({}, {})", negated ? "IsNot" : "Is", plan.choices[choice].camel,
                     UseValue(plan, condition.lhs), ValuesOf(plan, choice, values));
}

}  // namespace

namespace {

const char* OperationValue(dsl::TermNode::Kind kind) {
  using Kind = dsl::TermNode::Kind;
  switch (kind) {
    case Kind::kNegate:
      return "TermNode::Kind::kNegate";
    case Kind::kAdd:
      return "TermNode::Kind::kAdd";
    case Kind::kSubtract:
      return "TermNode::Kind::kSubtract";
    case Kind::kMultiply:
      return "TermNode::Kind::kMultiply";
    case Kind::kDivide:
      return "TermNode::Kind::kDivide";
    case Kind::kDiv:
      return "TermNode::Kind::kDiv";
    case Kind::kMod:
      return "TermNode::Kind::kMod";
    case Kind::kMin:
      return "TermNode::Kind::kMin";
    case Kind::kMax:
      return "TermNode::Kind::kMax";
    case Kind::kNumber:
    case Kind::kCode:
    case Kind::kInstance:
    case Kind::kVariable:  // Of a set of numbers, which is not built.
      break;
  }
  EXH_UNREACHABLE();
}

/// ", {0, 1}": the variables that an extern is asked for; "" without any.
std::string Asked(int external, const dsl::Instance& asked) {
  if (external < 0 || asked.arguments.empty()) return "";
  return fmt::format(", {{{}}}", fmt::join(asked.arguments, ", "));
}

/// "CompareCode({choices::size, {0}}, CompareOp::kLe, 3)", or with numbers or an extern constant.
std::string CompareValue(const SpacePlan& plan, const dsl::Condition& condition) {
  const std::string sides =
      fmt::format("{}, {}", UseValue(plan, condition.lhs), OperatorValue(condition.op));
  if (!condition.numbers.empty()) {
    return fmt::format("CompareNumbers({}, {{{}}})", sides, fmt::join(condition.numbers, ", "));
  }
  const std::string value =
      fmt::format("{}({}, {}{})", condition.external < 0 ? "CompareCode" : "CompareConstant", sides,
                  plan.CodeId(condition), Asked(condition.external, condition.rhs));
  return condition.single ? "Single(" + value + ")" : value;
}

/// "Use({choices::size, {0}})", "Number(4)", "Op(TermNode::Kind::kMultiply)".
std::vector<std::string> TermNodes(const SpacePlan& plan, const dsl::Term& term) {
  std::vector<std::string> nodes;
  for (const dsl::TermNode& node : term) {
    switch (node.kind) {
      case dsl::TermNode::Kind::kNumber:
        nodes.push_back(fmt::format("Number({})", node.number));
        break;
      case dsl::TermNode::Kind::kCode:
        nodes.push_back(fmt::format("{}({}{})", node.external < 0 ? "CodeNode" : "ConstantNode",
                                    plan.CodeId(node), Asked(node.external, node.instance)));
        break;
      case dsl::TermNode::Kind::kInstance:
        nodes.push_back("Use(" + UseValue(plan, node.instance) + ")");
        break;
      default:
        nodes.push_back(fmt::format("Op({})", OperationValue(node.kind)));
    }
  }
  return nodes;
}

/// What stands between the brackets of "Terms(…)", in pieces between which a line may end.
std::vector<std::string> TermsPieces(const SpacePlan& plan, const dsl::Condition& condition) {
  std::vector<std::string> pieces;
  const auto add = [&](const dsl::Term& term) {
    std::vector<std::string> nodes = TermNodes(plan, term);
    nodes.front() = "{" + nodes.front();
    nodes.back() += "}";
    pieces.insert(pieces.end(), nodes.begin(), nodes.end());
  };
  add(condition.left);
  pieces.push_back(OperatorValue(condition.op));
  add(condition.right);
  pieces.push_back(Quoted(condition.text));
  return pieces;
}

/// "Code(3)", "Predicate(3, {0, 1})", "Present(3, {0}, {sets::Blocks, -1})", "Ascending(0, 1)".
std::string KnownValue(const SpacePlan& plan, const dsl::Condition& condition) {
  const std::vector<int>& arguments = condition.lhs.arguments;
  if (condition.kind == dsl::Condition::Kind::kAscending) {
    return fmt::format("Ascending({}, {})", arguments[0], arguments[1]);
  }
  const int code = plan.CodeId(condition);
  if (condition.external < 0) return fmt::format("Code({})", code);
  const auto& present = plan.spec->externals[condition.external].present;
  if (!present) return fmt::format("Predicate({}, {{{}}})", code, fmt::join(arguments, ", "));
  // The set's parameter is an argument of the predicate: which variable of the clause that is.
  const int parameter = present->parameter < 0 ? -1 : arguments[present->parameter];
  return fmt::format("Present({}, {{{}}}, {{sets::{}, {}}})", code, fmt::join(arguments, ", "),
                     plan.sets[present->set].name, parameter);
}

}  // namespace

std::string ConditionValue(const SpacePlan& plan, const dsl::Condition& condition) {
  using Kind = dsl::Condition::Kind;
  switch (condition.kind) {
    case Kind::kIs:
      return IsValue(plan, condition);
    case Kind::kCompare:
      return fmt::format("Compare({}, {}, {})", UseValue(plan, condition.lhs),
                         OperatorValue(condition.op), UseValue(plan, condition.rhs));
    case Kind::kCompareCode:
      return CompareValue(plan, condition);
    case Kind::kCode:
    case Kind::kPresent:
    case Kind::kAscending: {
      const std::string value = KnownValue(plan, condition);
      return condition.negated ? "Not(" + value + ")" : value;
    }
    case Kind::kTerms: {
      const std::string value =
          fmt::format("Terms({})", fmt::join(TermsPieces(plan, condition), ", "));
      return condition.negated ? "Not(" + value + ")" : value;
    }
    case Kind::kConstant:
      return condition.constant ? "Constant(true)" : "Constant(false)";
  }
  EXH_UNREACHABLE();
}

namespace {

// Of a line of generated code.
constexpr std::size_t kColumns = 100;

/// `{items}` on lines that are filled, between directives that keep them so.
void EmitFilled(CodeWriter& out, const std::string& head, const std::vector<std::string>& items,
                const std::string& tail) {
  const std::string line = fmt::format("{}{{{}}}{}", head, fmt::join(items, ", "), tail);
  if (line.size() + 2 <= kColumns) {
    out.Text(line);
    return;
  }
  out.FormatOff();
  out.Text(head + "{");
  {
    const auto indented = out.Indented(4);
    std::string filled;
    for (const std::string& item : items) {
      if (filled.size() + item.size() + 8 > kColumns) {
        out.Text(filled);
        filled.clear();
      }
      filled += (filled.empty() ? "" : " ") + item + ",";
    }
    out.Text(filled);
  }
  out.Text("}" + tail);
  out.FormatOn();
}

}  // namespace

void EmitCondition(CodeWriter& out, const SpacePlan& plan, const std::string& head,
                   const dsl::Condition& condition, const std::string& tail) {
  const std::string line = head + ConditionValue(plan, condition) + tail;
  const bool terms = condition.kind == dsl::Condition::Kind::kTerms;
  if (!terms || line.size() + static_cast<std::size_t>(out.indent()) <= kColumns) {
    out.Text(line);
    return;
  }
  out.Call(head + (condition.negated ? "Not(Terms" : "Terms"), TermsPieces(plan, condition),
           (condition.negated ? ")" : "") + tail);
}

namespace {

/// // kind($a) is A
/// choice.when.push_back(Is<Kind>({choices::kind, {0}}, Kind::A));
void EmitConditions(CodeWriter& out, const SpacePlan& plan, const std::string& list,
                    const std::vector<dsl::Condition>& conditions,
                    const std::vector<dsl::Variable>& scope) {
  const bool keeps_form = HasTerms(conditions);
  if (keeps_form) out.FormatOff();
  for (const dsl::Condition& condition : conditions) {
    out.Comment(ConditionText(*plan.spec, scope, condition));
    EmitCondition(out, plan, list + ".push_back(", condition, ");");
  }
  if (keeps_form) out.FormatOn();
}

}  // namespace

namespace {

std::string PositionValue(const SpacePlan& plan, const dsl::SourceRange& range) {
  return fmt::format("{{{}, {}}}", Quoted(plan.File(range)), plan.LineOf(range));
}

std::string SetOrNone(const SpacePlan& plan, int set) {
  return set < 0 ? "-1" : "sets::" + plan.sets[set].name;
}

/// void AddSets(Space& space) {
///   // name, superset, root, parameter_set, disjoint, is_quotient
///   space.sets.push_back({"Dims", sets::Statements, sets::Statements, -1, {sets::Insts}, false});
/// }
void EmitSets(CodeWriter& out, const SpacePlan& plan) {
  auto body = out.Block("void AddSets(Space& space)");
  if (plan.sets.empty()) out.Line("static_cast<void>(space);");
  out.Line("// name, superset, root, parameter_set, disjoint, is_quotient");
  for (std::size_t i = 0; i < plan.sets.size(); ++i) {
    const dsl::Set& set = plan.spec->sets[i];
    std::vector<std::string> disjoint;
    for (const int other : set.disjoint) disjoint.push_back(SetOrNone(plan, other));
    out.List("space.sets.push_back(",
             {Quoted(set.name), SetOrNone(plan, set.superset ? set.superset->set : -1),
              SetOrNone(plan, set.root < 0 ? static_cast<int>(i) : set.root),
              SetOrNone(plan, set.parameter ? set.parameter->set.set : -1),
              fmt::format("{{{}}}", fmt::join(disjoint, ", ")), set.is_quotient ? "true" : "false"},
             ");");
  }
}

void EmitEnumFields(CodeWriter& out, const dsl::Choice& choice) {
  std::vector<std::string> values;
  for (const dsl::EnumValue& value : choice.values) values.push_back(Quoted(value.name));
  out.List("choice.values = ", values, ";");
  if (choice.symmetry == dsl::Symmetry::kSymmetric) {
    out.Line("choice.symmetry = runtime::Symmetry::kSymmetric;");
  }
  if (choice.symmetry == dsl::Symmetry::kAntisymmetric) {
    out.Line("choice.symmetry = runtime::Symmetry::kAntisymmetric;");
    out.Line("choice.inverse = {{{}}};", fmt::join(choice.inverse, ", "));
  }
}

/// choice.numbers = {1, 2, 4};
void EmitNumbersField(CodeWriter& out, const dsl::Choice& choice) {
  std::vector<std::string> numbers;
  for (const std::uint32_t number : choice.numbers) numbers.push_back(fmt::format("{}", number));
  EmitFilled(out, "choice.numbers = ", numbers, ";");
}

void EmitCounterFields(CodeWriter& out, const SpacePlan& plan, const dsl::Choice& choice) {
  const char* visibility = choice.visibility == dsl::Visibility::kFull   ? "kFull"
                           : choice.visibility == dsl::Visibility::kHalf ? "kHalf"
                                                                         : "kInternal";
  out.Line("choice.visibility = runtime::Visibility::{};", visibility);
  out.Line("choice.product = {};", choice.product);
  if (choice.base) out.Line("choice.base = {};  // Code", plan.CodeId(*choice.base));
  if (choice.base_number) {
    out.Line("choice.base_number = {};", *choice.base_number);
    out.Line("choice.has_base_number = true;");
  }
  if (!choice.over.empty()) out.List("choice.over = ", VariableItems(plan, choice.over), ";");
  if (choice.weight) out.Line("choice.weight = {};", UseValue(plan, *choice.weight));
  if (choice.weight_code) {
    out.Line("choice.weight_code = {};  // Code", plan.CodeId(*choice.weight_code));
  }
  std::vector<dsl::Variable> scope = choice.arguments;
  scope.insert(scope.end(), choice.over.begin(), choice.over.end());
  if (!choice.weight_term.empty()) {
    out.Comment(TermText(*plan.spec, scope, choice.weight_term));
    EmitFilled(out, "choice.weight_term = ", TermNodes(plan, choice.weight_term), ";");
  }
  EmitConditions(out, plan, "choice.when", choice.when, scope);
}

/// // ---- define enum dim_kind                                            tiny.exh:9
/// Choice MakeDimKind() {
///   Choice choice;
///   …
///   return choice;
/// }
void EmitChoice(CodeWriter& out, const SpacePlan& plan, int index) {
  const dsl::Choice& choice = plan.spec->choices[index];
  const char* kind = choice.kind == dsl::ChoiceKind::kEnum      ? "enum"
                     : choice.kind == dsl::ChoiceKind::kInteger ? "integer"
                                                                : "counter";
  out.Title(fmt::format("{} {}", kind, choice.name), plan.At(choice.range));
  auto body = out.Block(fmt::format("Choice Make{}()", plan.choices[index].camel));
  out.Line("Choice choice;");
  out.Line("choice.name = {};", Quoted(choice.name));
  out.Line("choice.kind = runtime::ChoiceKind::k{};", CamelCase(kind));
  out.Line("choice.position = {};", PositionValue(plan, choice.range));
  if (!choice.arguments.empty()) {
    out.List("choice.arguments = ", VariableItems(plan, choice.arguments), ";");
  }
  switch (choice.kind) {
    case dsl::ChoiceKind::kEnum:
      EmitEnumFields(out, choice);
      break;
    case dsl::ChoiceKind::kInteger:
      if (choice.numbers.empty()) {
        out.Line("choice.universe = {};  // Code", plan.CodeId(choice.universe));
      } else {
        EmitNumbersField(out, choice);
      }
      break;
    case dsl::ChoiceKind::kCounter:
      EmitCounterFields(out, plan, choice);
      break;
  }
  out.Line("return choice;");
}

/// void AddCrew(Space& space) { … space.quotients.push_back(std::move(quotient)); }
void EmitQuotient(CodeWriter& out, const SpacePlan& plan, const dsl::Quotient& quotient) {
  const std::string& name = plan.sets[quotient.set].name;
  out.Title("quotient " + plan.spec->sets[quotient.set].name, plan.At(quotient.range));
  auto body = out.Block(fmt::format("void Add{}(Space& space)", name));
  out.Line("runtime::Quotient quotient;");
  out.Line("quotient.set = sets::{};", name);
  out.List("quotient.variables = ", VariableItems(plan, quotient.variables), ";");
  out.Line("quotient.flag = choices::{};", plan.choices[quotient.flag].name);
  EmitConditions(out, plan, "quotient.dividend", quotient.dividend, quotient.variables);
  out.Line("quotient.equivalence = choices::{};", plan.choices[quotient.equivalence].name);
  out.Line("quotient.equivalence_values = {}({}).bits();",
           plan.choices[quotient.equivalence].domain,
           ValuesOf(plan, quotient.equivalence, quotient.equivalence_values));
  out.Line("space.quotients.push_back(std::move(quotient));");
}

/// void AddTriggerLower(Space& space) { … space.triggers.push_back(std::move(trigger)); }
void EmitTrigger(CodeWriter& out, const SpacePlan& plan, int index) {
  const dsl::Trigger& trigger = plan.spec->triggers[index];
  out.Title("trigger " + trigger.label, plan.At(trigger.range));
  auto body = out.Block(fmt::format("void AddTrigger{}(Space& space)", index));
  out.Line("runtime::Trigger trigger;");
  out.Line("trigger.label = {};", Quoted(trigger.label));
  out.Line("trigger.position = {};", PositionValue(plan, trigger.range));
  if (!trigger.variables.empty()) {
    out.List("trigger.variables = ", VariableItems(plan, trigger.variables), ";");
  }
  EmitConditions(out, plan, "trigger.when", trigger.when, trigger.variables);
  out.Line("space.triggers.push_back(std::move(trigger));");
}

}  // namespace

void EmitObjective(CodeWriter& out, const SpacePlan& plan) {
  if (const auto& objective = plan.spec->objective) {
    out.Comment((objective->maximize ? "maximize " : "minimize ") + objective->text);
    out.Line("space.objective.emplace();");
    if (objective->maximize) out.Line("space.objective->maximize = true;");
    EmitFilled(out, "space.objective->term = ", TermNodes(plan, objective->term), ";");
    out.Line("space.objective->text = {};", Quoted(objective->text));
    out.Line("space.objective->position = {};", PositionValue(plan, objective->range));
  }
  if (const auto& bound = plan.spec->lower_bound) {
    out.Comment("lower_bound: " + bound->text);
    out.Line("space.lower_bound.emplace();");
    out.Line("space.lower_bound->unit_ns = {};", bound->unit_ns);
    EmitFilled(out, "space.lower_bound->term = ", TermNodes(plan, bound->term), ";");
    out.Line("space.lower_bound->text = {};", Quoted(bound->text));
    out.Line("space.lower_bound->position = {};", PositionValue(plan, bound->range));
  }
}

void EmitTables(CodeWriter& out, const SpacePlan& plan) {
  EmitSets(out, plan);
  for (std::size_t i = 0; i < plan.choices.size(); ++i) {
    out.Blank();
    EmitChoice(out, plan, static_cast<int>(i));
  }
  for (const dsl::Quotient& quotient : plan.spec->quotients) {
    out.Blank();
    EmitQuotient(out, plan, quotient);
  }
  for (std::size_t i = 0; i < plan.spec->triggers.size(); ++i) {
    out.Blank();
    EmitTrigger(out, plan, static_cast<int>(i));
  }
}

}  // namespace exh::generator
