// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include "generator/emit/emit.h"
#include "generator/plan/names.h"

namespace exh::generator {
namespace {

/// // ---- require vector_is_innermost                                      tiny.exh:25
/// // forall $outer in Dims: …
/// void vector_is_innermost(Space& space) {
///   const runtime::Position position = {"tiny.exh", 25};
///   const int requirement = AddRequirement(space, "vector_is_innermost", position);
///   const std::vector<Variable> variables = {{"outer", {sets::Dims, -1}}, …};
///   AddClause(space, requirement, variables,
///             {
///                 // dim_kind($outer) is not VECTOR
///                 Is({choices::dim_kind, {0}}, AllBut<3>(DimKind::VECTOR)),
///             });
/// }
void EmitRequirement(CodeWriter& out, const SpacePlan& plan, int index) {
  const dsl::Requirement& requirement = plan.spec->requirements[index];
  const std::string position = plan.At(requirement.range);
  out.Title("require " + requirement.label, position);
  if (!requirement.doc.empty()) out.Comment(requirement.doc);
  out.Comment("  " + requirement.text);
  auto body = out.Block(fmt::format("void {}(Space& space)", plan.requirements[index]));
  const bool has_clauses = !requirement.clauses.empty();
  out.Line("const runtime::Position position = {{{}, {}}};", Quoted(plan.File(requirement.range)),
           plan.LineOf(requirement.range));
  out.Line("{}AddRequirement(space, {}, position);", has_clauses ? "const int requirement = " : "",
           Quoted(requirement.label));
  if (!has_clauses) return;
  out.List("const std::vector<Variable> variables = ", VariableItems(plan, requirement.variables),
           ";");
  for (const std::vector<dsl::Condition>& clause : requirement.clauses) {
    const bool keeps_form = HasTerms(clause);
    if (keeps_form) out.FormatOff();
    out.Line("AddClause(space, requirement, variables,");
    {
      auto arguments = out.Indented(10);
      out.Line("{{");
      for (const dsl::Condition& condition : clause) {
        auto items = out.Indented(4);
        out.Comment(ConditionText(*plan.spec, requirement.variables, condition));
        EmitCondition(out, plan, "", condition, ",");
      }
      out.Line("}});");
    }
    if (keeps_form) out.FormatOn();
  }
}

}  // namespace

void EmitRequirements(CodeWriter& out, const SpacePlan& plan) {
  {
    auto space = out.Namespace("requirements");
    for (std::size_t i = 0; i < plan.requirements.size(); ++i) {
      out.Blank();
      EmitRequirement(out, plan, static_cast<int>(i));
    }
    out.Blank();
  }
  out.Blank();
  auto body = out.Block("Space MakeSpace()");
  out.Line("Space space;");
  out.Line("space.name = {};", Quoted(plan.space));
  out.Line("space.fingerprint = {};", Quoted(plan.fingerprint));
  out.Line("AddSets(space);");
  for (const ChoiceNames& choice : plan.choices) {
    out.Line("space.choices.push_back(Make{}());", choice.camel);
  }
  for (const std::string& requirement : plan.requirements) {
    out.Line("requirements::{}(space);", requirement);
  }
  for (const dsl::Quotient& quotient : plan.spec->quotients) {
    out.Line("Add{}(space);", plan.sets[quotient.set].name);
  }
  for (std::size_t i = 0; i < plan.spec->triggers.size(); ++i) {
    out.Line("AddTrigger{}(space);", i);
  }
  if (!plan.spec->order.empty()) {
    std::vector<std::string> order;
    for (const int choice : plan.spec->order) {
      order.push_back("choices::" + plan.choices[choice].name);
    }
    out.List("space.order = ", order, ";");
  }
  EmitObjective(out, plan);
  out.Line("return space;");
}

}  // namespace exh::generator
