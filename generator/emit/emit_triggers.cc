// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <set>

#include "generator/emit/emit.h"
#include "generator/emit/snippets.h"
#include "generator/plan/names.h"

namespace exh::generator {
namespace {

/// Sets that triggers add to: those that say where (`new_objs`). A quotient set is kept by the
/// engine, whatever its keys say.
std::set<int> AddedSets(const dsl::Spec& spec, const dsl::Trigger& trigger) {
  std::set<int> sets;
  for (const int set : trigger.adds) {
    const bool says_where =
        spec.sets[set].keys[static_cast<std::size_t>(dsl::SetKey::kNewObjs)].has_value();
    if (says_where && !spec.sets[set].is_quotient) sets.insert(set);
  }
  return sets;
}

std::set<int> AllAddedSets(const dsl::Spec& spec) {
  std::set<int> sets;
  for (const dsl::Trigger& trigger : spec.triggers) sets.merge(AddedSets(spec, trigger));
  return sets;
}

/// // ---- trigger lower                                                       tiny.exh:60
/// template <typename ExhUse>
/// void Trigger0(const Backbone& fun, const CommsId& c, const ExhUse& exh_use) {
///   exh_use((fun.lowering(c)));
/// }
void EmitTriggerFunction(CodeWriter& out, const SpacePlan& plan, std::size_t index) {
  const dsl::Trigger& trigger = plan.spec->triggers[index];
  out.Blank();
  out.Title("trigger " + trigger.label, plan.At(trigger.code.range));
  std::vector<std::string> parameters = {"[[maybe_unused]] const Backbone& fun"};
  for (const dsl::Variable& variable : trigger.variables) {
    parameters.push_back(fmt::format("[[maybe_unused]] const {}& {}",
                                     plan.sets[variable.set.set].id, LocalName(variable.name)));
  }
  parameters.emplace_back("const ExhUse& exh_use");
  out.Line("template <typename ExhUse>");
  out.Call(fmt::format("void Trigger{}", index), parameters, " {");
  const CodeWriter::Scope body(out, "}", 2);
  PrintAround(out, plan, "exh_use((", trigger.code, "));");
}

/// // ---- Dims.new_objs                                                       tiny.exh:8
/// What `new_objs` yields one after the other: ids, or pairs of them.
std::string AddedType(const SpacePlan& plan, int set) {
  const auto& parameter = plan.spec->sets[set].parameter;
  if (!parameter) return plan.sets[set].id;
  return fmt::format("std::pair<{}, {}>", plan.sets[parameter->set.set].id, plan.sets[set].id);
}

/// template <typename ExhObjs, typename ExhUse>
/// void DimsNewObjs(const ExhObjs& objs, const ExhUse& exh_use) {
///   const auto exh_yield = [&](auto&& exh_value) {
///     static_assert(…);
///     for (const auto& exh_element : exh_value) exh_use(exh_element);
///   };
///   exh_yield((objs.dims));
/// }
void EmitNewObjsFunction(CodeWriter& out, const SpacePlan& plan, int index) {
  const dsl::Set& set = plan.spec->sets[index];
  const dsl::Snippet& snippet = plan.Key(index, dsl::SetKey::kNewObjs);
  const std::string at = plan.At(snippet.range);
  std::string text = plan.Key(index, dsl::SetKey::kIdType).text;
  if (set.parameter) {
    text = fmt::format("std::pair<{}, {}>",
                       plan.Key(set.parameter->set.set, dsl::SetKey::kIdType).text, text);
  }
  out.Blank();
  out.Title(set.name + ".new_objs", at);
  out.Line("template <typename ExhObjs, typename ExhUse>");
  out.Call(fmt::format("void {}NewObjs", plan.sets[index].name),
           {"[[maybe_unused]] const ExhObjs& objs", "const ExhUse& exh_use"}, " {");
  const CodeWriter::Scope body(out, "}", 2);
  {
    const auto yield = out.Block("const auto exh_yield = [&](auto&& exh_value)", ";");
    out.Line("static_assert(::exh::runtime::RangeOf<decltype(exh_value), {}>,",
             AddedType(plan, index));
    out.Line("              {}", Quoted(fmt::format("{}: new_objs of set {}", at, set.name)));
    out.Line("              {});", Quoted(fmt::format(" must yield a range of '{}'", text)));
    out.Line("for (const auto& exh_element : exh_value) exh_use(exh_element);");
  }
  PrintAround(out, plan, "exh_yield((", snippet, "));");
}

/// snippets::DimsNewObjs(objs, [&](const DimsId& added) {
///   const Member member = {runtime::kNoObject, DimsObject(added)};
///   …
/// });
void EmitAdd(CodeWriter& out, const SpacePlan& plan, int index) {
  const dsl::Set& set = plan.spec->sets[index];
  const SetNames& names = plan.sets[index];
  const std::string at = plan.At(plan.Key(index, dsl::SetKey::kNewObjs).range);
  std::string parameter = "runtime::kNoObject", object = names.name + "Object(added)";
  if (set.parameter) {
    const int owner = set.parameter->set.set;
    parameter = plan.sets[owner].name + "Object(added.first)";
    object = names.name + "Object(added.second)";
  }
  auto loop = out.CallWith(fmt::format("snippets::{}NewObjs", names.name), {"objs"},
                           fmt::format("[&](const {}& added)", AddedType(plan, index)));
  out.Line("const Member member = {{{}, {}}};", parameter, object);
  out.Call("runtime::CheckKnown",
           {names.table + ".Contains(member)", Quoted(fmt::format("{}: set {}", at, set.name))},
           ";");
  out.Line("planned.push_back({{sets::{}, member}});", names.name);
}

/// case 0: {  // lower
///   snippets::Trigger0(fun_, comms_.id(scope[0]), [&](const auto& objs) {
///     …
///   });
///   break;
/// }
void EmitCase(CodeWriter& out, const SpacePlan& plan, std::size_t index) {
  const dsl::Trigger& trigger = plan.spec->triggers[index];
  std::vector<std::string> arguments = {"fun_"};
  for (std::size_t i = 0; i < trigger.variables.size(); ++i) {
    arguments.push_back(fmt::format(
        "{}.id(scope[{}])", plan.sets[plan.HostSet(trigger.variables[i].set.set)].table, i));
  }
  auto body = out.Block(fmt::format("case {}:", index));
  out.Comment(trigger.label);
  {
    const auto use = out.CallWith(fmt::format("snippets::Trigger{}", index), arguments,
                                  "[&]([[maybe_unused]] const auto& objs)");
    for (const int set : AddedSets(*plan.spec, trigger)) EmitAdd(out, plan, set);
  }
  out.Line("break;");
}

}  // namespace

void EmitTriggerFunctions(CodeWriter& out, const SpacePlan& plan) {
  for (std::size_t i = 0; i < plan.spec->triggers.size(); ++i) EmitTriggerFunction(out, plan, i);
  for (const int set : AllAddedSets(*plan.spec)) EmitNewObjsFunction(out, plan, set);
}

void EmitPlanning(CodeWriter& out, const SpacePlan& plan) {
  out.Call("std::vector<runtime::Host::Planned> SpaceHost::Plan",
           {"[[maybe_unused]] int trigger", "[[maybe_unused]] std::span<const Object> scope"},
           " const {");
  const CodeWriter::Scope body(out, "}", 2);
  out.Line("std::vector<Planned> planned;");
  if (!plan.spec->triggers.empty()) {
    auto cases = out.Block("switch (trigger)");
    for (std::size_t i = 0; i < plan.spec->triggers.size(); ++i) EmitCase(out, plan, i);
    out.Line("default:");
    const auto indented = out.Indented();
    out.Line("EXH_UNREACHABLE();");
  }
  out.Line("return planned;");
}

}  // namespace exh::generator
