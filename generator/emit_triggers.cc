// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <set>

#include "generator/emit.h"
#include "generator/names.h"
#include "generator/snippets.h"

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
/// decltype(auto) Trigger0(const Backbone& fun, const CommsId& c) {
///   return (fun.lowering(c));
/// }
void EmitTriggerFunction(CodeWriter& out, const Plan& plan, std::size_t index) {
  const dsl::Trigger& trigger = plan.spec->triggers[index];
  out.Blank();
  out.Title("trigger " + trigger.label, plan.At(trigger.code.range));
  std::vector<std::string> parameters = {"[[maybe_unused]] const Backbone& fun"};
  for (const dsl::Variable& variable : trigger.variables) {
    parameters.push_back(fmt::format("[[maybe_unused]] const {}& {}",
                                     plan.sets[variable.set.set].id, LocalName(variable.name)));
  }
  out.Call(fmt::format("decltype(auto) Trigger{}", index), parameters, " {");
  const CodeWriter::Scope body(out, "}", 2);
  PrintAround(out, plan, "return (", trigger.code, ");");
}

/// // ---- Dims.new_objs                                                       tiny.exh:8
/// template <typename Objs>
/// decltype(auto) DimsNewObjs(const Objs& objs) {
///   return (objs.dims);
/// }
void EmitNewObjsFunction(CodeWriter& out, const Plan& plan, int set) {
  const dsl::Snippet& snippet = plan.Key(set, dsl::SetKey::kNewObjs);
  out.Blank();
  out.Title(plan.spec->sets[set].name + ".new_objs", plan.At(snippet.range));
  out.Line("template <typename Objs>");
  auto body = out.Block(fmt::format("decltype(auto) {}NewObjs([[maybe_unused]] const Objs& objs)",
                                    plan.sets[set].name));
  PrintAround(out, plan, "return (", snippet, ");");
}

/// {
///   using Added = DimsId;
///   static_assert(runtime::RangeOf<decltype(DimsNewObjs(objs)), Added>, "…");
///   for (const auto& element : DimsNewObjs(objs)) {
///     const Added& added = element;
///     const Member member = {runtime::kNoObject, DimsObject(added)};
///     …
///   }
/// }
void EmitAdd(CodeWriter& out, const Plan& plan, int index) {
  const dsl::Set& set = plan.spec->sets[index];
  const SetNames& names = plan.sets[index];
  const std::string at = plan.At(plan.Key(index, dsl::SetKey::kNewObjs).range);
  const std::string id_text = plan.Key(index, dsl::SetKey::kIdType).text;
  std::string type = names.id, text = id_text;
  std::string parameter = "runtime::kNoObject", object = names.name + "Object(added)";
  if (set.parameter) {
    const int owner = set.parameter->set.set;
    type = fmt::format("std::pair<{}, {}>", plan.sets[owner].id, names.id);
    text = fmt::format("std::pair<{}, {}>", plan.Key(owner, dsl::SetKey::kIdType).text, id_text);
    parameter = plan.sets[owner].name + "Object(added.first)";
    object = names.name + "Object(added.second)";
  }
  auto body = out.Block("");
  out.Line("using Added = {};", type);
  out.Line("static_assert(runtime::RangeOf<decltype({}NewObjs(objs)), Added>,", names.name);
  out.Line("              {}", Quoted(fmt::format("{}: new_objs of set {}", at, set.name)));
  out.Line("              {});", Quoted(fmt::format(" must yield a range of '{}'", text)));
  auto loop = out.Block(fmt::format("for (const auto& element : {}NewObjs(objs))", names.name));
  out.Line("const Added& added = element;");
  out.Line("const Member member = {{{}, {}}};", parameter, object);
  out.Call("runtime::CheckKnown",
           {names.table + ".Contains(member)", Quoted(fmt::format("{}: set {}", at, set.name))},
           ";");
  out.Line("planned.push_back({{sets::{}, member}});", names.name);
}

/// case 0: {  // lower
///   const auto& objs = Trigger0(fun_, comms_.id(scope[0]));
///   …
///   break;
/// }
void EmitCase(CodeWriter& out, const Plan& plan, std::size_t index) {
  const dsl::Trigger& trigger = plan.spec->triggers[index];
  std::vector<std::string> arguments = {"fun_"};
  for (std::size_t i = 0; i < trigger.variables.size(); ++i) {
    arguments.push_back(fmt::format(
        "{}.id(scope[{}])", plan.sets[plan.HostSet(trigger.variables[i].set.set)].table, i));
  }
  auto body = out.Block(fmt::format("case {}:", index));
  out.Comment(trigger.label);
  out.Call(fmt::format("[[maybe_unused]] const auto& objs = Trigger{}", index), arguments, ";");
  for (const int set : AddedSets(*plan.spec, trigger)) EmitAdd(out, plan, set);
  out.Line("break;");
}

}  // namespace

void EmitTriggerFunctions(CodeWriter& out, const Plan& plan) {
  for (std::size_t i = 0; i < plan.spec->triggers.size(); ++i) EmitTriggerFunction(out, plan, i);
  for (const int set : AllAddedSets(*plan.spec)) EmitNewObjsFunction(out, plan, set);
}

void EmitPlanning(CodeWriter& out, const Plan& plan) {
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
