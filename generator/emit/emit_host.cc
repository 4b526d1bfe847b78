// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <memory>

#include "generator/emit/emit.h"
#include "generator/plan/names.h"

namespace exh::generator {
namespace {

using dsl::SetKey;

/// "dims_": the members of a set, or of what it is a quotient of.
std::string Table(const SpacePlan& plan, int set) {
  return plan.sets[plan.HostSet(set)].table;
}

/// "dims_objects_": the numbers of the objects of a set.
std::string Objects(const SpacePlan& plan, int set) {
  return plan.sets[plan.spec->sets[set].root].objects;
}

/// "tiny.exh:7: set Dims" as a C++ literal.
std::string Where(const SpacePlan& plan, int set, const dsl::Snippet& snippet) {
  return Quoted(fmt::format("{}: set {}", plan.At(snippet.range), plan.spec->sets[set].name));
}

/// Prints the loop over the parameter's members, if the set has one.
class OwnerLoop {
 public:
  OwnerLoop(CodeWriter& out, const SpacePlan& plan, int set) : item_(out, plan) {
    const auto& parameter = plan.spec->sets[set].parameter;
    if (!parameter) return;
    const int owner_set = parameter->set.set;
    scope_.reset(new CodeWriter::Scope(
        out.Block(fmt::format("for (const Member& of : {}.members())", Table(plan, owner_set)))));
    object_ = "of.object";
    item_.OpenOf("", owner_set, object_, "", "owner");
    argument_ = ", owner";
  }
  const std::string& object() const { return object_; }
  /// ", owner" for the calls of the set's functions.
  const std::string& argument() const { return argument_; }

 private:
  std::unique_ptr<CodeWriter::Scope> scope_;
  ItemScope item_;
  std::string object_ = "runtime::kNoObject";
  std::string argument_;
};

/// void SpaceHost::EnumerateDims() {
///   snippets::IterateDims(fun_, [&](const DimsItem& item) {
///     const DimsId id = snippets::DimsIdOf(fun_, item);
///     const Object object = dims_objects_.Add(id, where);
///     dims_.Add({kNoObject, object}, id, where);
///   });
/// }
void EmitEnumerate(CodeWriter& out, const SpacePlan& plan, int index) {
  const dsl::Set& set = plan.spec->sets[index];
  const SetNames& names = plan.sets[index];
  const bool root = !set.superset;
  auto body = out.Block(fmt::format("void SpaceHost::Enumerate{}()", names.name));
  out.Assign("static constexpr char kWhere[]",
             Where(plan, index, plan.Key(index, SetKey::kIterator)));
  const OwnerLoop owner(out, plan, index);
  auto loop =
      out.CallWith(fmt::format("snippets::Iterate{}", names.name), {"fun_" + owner.argument()},
                   fmt::format("[&](const {}& item)", names.item));
  const int id_owner = plan.KeyOwner(index, SetKey::kIdGetter);
  out.Line("const {} id = snippets::{}(fun_, item{});", names.id, plan.IdFunction(index),
           plan.spec->sets[id_owner].parameter ? owner.argument() : "");
  if (root) {
    const dsl::Snippet* prefix = plan.FindKey(index, SetKey::kVarPrefix);
    out.Line("const int before = {}.size();", names.objects);
    out.Line("const Object object = {}.Add(id, kWhere);", names.objects);
    auto fresh = out.Block("if (object == before)");
    out.Line("{}.SetName(object, runtime::NameOf(item, {}, object), kWhere);", names.objects,
             Quoted(prefix != nullptr ? prefix->text : "obj"));
  } else {
    out.Line("const Object object = {}.Number(id, kWhere);", Objects(plan, index));
  }
  out.Line("{}.Add({{{}, object}}, id, kWhere);", names.table, owner.object());
}

/// The members of the set that `index` is a subset of, for the same parameter.
/// for (const Member& member : statements_.members()) {
///   snippets::StatementsItemOf(fun_, …, [&](const StatementsItem& super_item) {
///     CheckAgree(dims_.Contains({of, object}), DimsFromSuperset(fun_, super_item) …);
///   });
/// }
void EmitSupersetCheck(CodeWriter& out, const SpacePlan& plan, int index) {
  const dsl::Set& set = plan.spec->sets[index];
  const SetNames& names = plan.sets[index];
  const int super = set.superset->set;
  const OwnerLoop owner(out, plan, index);
  auto loop =
      out.Block(fmt::format("for (const Member& member : {}.members())", Table(plan, super)));
  if (plan.spec->sets[plan.HostSet(super)].parameter) {
    out.Line("if (member.parameter != {}) continue;", owner.object());
  }
  ItemScope item(out, plan);
  item.OpenOf("", super, "member.object", "member.parameter", "super_item");
  out.Line("const bool is_member = snippets::{}FromSuperset(fun_, super_item{});", names.name,
           owner.argument());
  out.Call("runtime::CheckAgree",
           {fmt::format("{}.Contains({{{}, member.object}})", names.table, owner.object()),
            "is_member", Where(plan, index, plan.Key(index, SetKey::kFromSuperset)),
            "\"from_superset\"", fmt::format("{}.name(member.object)", Objects(plan, index))},
           ";");
}

/// reverse(x) must hold exactly the parameters p with x in S(p).
void EmitReverseCheck(CodeWriter& out, const SpacePlan& plan, int index) {
  const dsl::Set& set = plan.spec->sets[index];
  const SetNames& names = plan.sets[index];
  const int owner = set.parameter->set.set;
  const int base = set.reverse_variable->set.set;
  const std::string where = Where(plan, index, plan.Key(index, SetKey::kReverse));
  auto loop =
      out.Block(fmt::format("for (const Member& member : {}.members())", Table(plan, base)));
  out.Line("std::set<Object> reverse;");
  {
    ItemScope item(out, plan);
    item.OpenOf("", base, "member.object", "member.parameter", "item");
    auto parameters = out.CallWith(fmt::format("snippets::{}Reverse", names.name), {"fun_", "item"},
                                   fmt::format("[&](const {}& of)", plan.sets[owner].item));
    out.Call(fmt::format("reverse.insert({}.Number", Objects(plan, owner)),
             {fmt::format("snippets::{}(fun_, of)", plan.IdFunction(owner)), where}, ");");
  }
  auto check = out.Block(fmt::format("for (const Member& of : {}.members())", Table(plan, owner)));
  out.Call("runtime::CheckAgree",
           {fmt::format("{}.Contains({{of.object, member.object}})", names.table),
            "reverse.contains(of.object)", where, "\"reverse\"",
            fmt::format("{}.name(member.object)", Objects(plan, index))},
           ";");
}

void EmitCheck(CodeWriter& out, const SpacePlan& plan, int index) {
  const dsl::Set& set = plan.spec->sets[index];
  if (set.superset && plan.FindKey(index, SetKey::kFromSuperset) != nullptr) {
    EmitSupersetCheck(out, plan, index);
  }
  if (set.reverse_variable) EmitReverseCheck(out, plan, index);
}

bool IsChecked(const SpacePlan& plan, int index) {
  const dsl::Set& set = plan.spec->sets[index];
  return !set.is_quotient &&
         ((set.superset && plan.FindKey(index, SetKey::kFromSuperset) != nullptr) ||
          set.reverse_variable);
}

/// A switch over sets: `case sets::Dims: return …;`.
template <typename Value>
void EmitSwitch(CodeWriter& out, const SpacePlan& plan, const std::string& on, const Value& value) {
  auto cases = out.Block(fmt::format("switch ({})", on));
  for (std::size_t i = 0; i < plan.sets.size(); ++i) {
    const std::string result = value(static_cast<int>(i));
    if (result.empty()) continue;
    out.Line("case sets::{}:", plan.sets[i].name);
    const auto indented = out.Indented();
    out.Line("return {};", result);
  }
}

bool IsRoot(const SpacePlan& plan, int set) {
  return !plan.spec->sets[set].superset.has_value();
}

}  // namespace

ItemScope::~ItemScope() {
  while (!scopes_.empty()) scopes_.pop_back();  // The last opened closes first.
}

void ItemScope::Open(const std::string& head, int set, const std::string& object,
                     const std::string& of, const std::string& name) {
  const int host_set = plan_.HostSet(set);
  const int getter = plan_.KeyOwner(host_set, SetKey::kItemGetter);
  std::vector<std::string> arguments = {"fun_",
                                        fmt::format("{}.id({})", Table(plan_, set), object)};
  if (plan_.spec->sets[getter].parameter) arguments.push_back(of);
  scopes_.emplace_back(new CodeWriter::Scope(
      out_.CallWith(fmt::format("{}snippets::{}", head, plan_.ItemFunction(set)), arguments,
                    fmt::format("[&](const {}& {})", plan_.sets[set].item, name))));
}

void ItemScope::OpenOf(const std::string& head, int set, const std::string& object,
                       const std::string& parameter_object, const std::string& name) {
  // An inherited getter has the parameter of the set that it comes from, if any.
  const int getter = plan_.KeyOwner(plan_.HostSet(set), SetKey::kItemGetter);
  const auto& parameter = plan_.spec->sets[getter].parameter;
  if (parameter) Open(head, parameter->set.set, parameter_object, "", name + "_of");
  Open(head, set, object, name + "_of", name);
}

void ItemScope::OpenVariable(const std::string& head, const std::vector<dsl::Variable>& scope,
                             int index) {
  const dsl::SetRef& ref = scope[index].set;
  const std::string name = fmt::format("item{}", index);
  if (!open_.insert(name).second) return;
  const int getter = plan_.KeyOwner(plan_.HostSet(ref.set), SetKey::kItemGetter);
  const bool needs_parameter = plan_.spec->sets[getter].parameter.has_value();
  if (needs_parameter) OpenVariable(head, scope, ref.parameter);
  Open(head, ref.set, fmt::format("scope[{}]", index),
       needs_parameter ? fmt::format("item{}", ref.parameter) : "", name);
}

void EmitHostClass(CodeWriter& out, const SpacePlan& plan) {
  out.Line(
      "/// Answers the engine's questions about a backbone with the snippets of the .exh. The");
  out.Line(
      "/// backbone outlives the host. Throws runtime::HostError when keys of a set disagree.");
  auto body = out.Block("class SpaceHost final : public runtime::Host", ";");
  const auto section = [&out](const char* name) { out.Raw(fmt::format(" {}:", name)); };
  section("public");
  out.Line("explicit SpaceHost(const Backbone& fun);");
  out.Line("const Backbone& backbone() const {{ return fun_; }}");
  out.Blank();
  out.Line("// The number of the object with this id, and back.");
  for (std::size_t i = 0; i < plan.sets.size(); ++i) {
    const int set = static_cast<int>(i);
    out.Inline(
        fmt::format("Object {}Object(const {}& id) const", plan.sets[i].name, plan.sets[i].id),
        fmt::format("return {}.Number(id, {});", Objects(plan, set),
                    Quoted("set " + plan.spec->sets[i].name)));
    out.Inline(
        fmt::format("const {}& {}IdAt(Object object) const", plan.sets[i].id, plan.sets[i].name),
        fmt::format("return {}.id(object);", Table(plan, set)));
  }
  out.Blank();
  out.Line("int Size(int root_set) const override;");
  out.Line("std::string Name(int root_set, Object object) const override;");
  out.Line("std::vector<Member> Members(int set) const override;");
  out.Line("bool Test(runtime::CodeId code, std::span<const Object> scope) const override;");
  out.Line("std::vector<std::uint32_t> Numbers(runtime::CodeId code,");
  out.Line("                                   std::span<const Object> scope) const override;");
  if (HasIntegers(plan)) {
    out.Call("std::int64_t Integer", {"runtime::CodeId code", "std::span<const Object> scope"},
             " const override;");
  }
  if (HasDynamicPredicates(*plan.spec)) {
    out.Line(
        "Object FindObject(runtime::CodeId code, std::span<const Object> scope) const override;");
  }
  out.Line("std::vector<Planned> Plan(int trigger, std::span<const Object> scope) const override;");
  out.Blank();
  section("private");
  for (std::size_t i = 0; i < plan.sets.size(); ++i) {
    if (plan.spec->sets[i].is_quotient) continue;
    out.Line("void Enumerate{}();", plan.sets[i].name);
    if (IsChecked(plan, static_cast<int>(i))) out.Line("void Check{}() const;", plan.sets[i].name);
  }
  out.Blank();
  out.Line("const Backbone& fun_;");
  for (std::size_t i = 0; i < plan.sets.size(); ++i) {
    if (plan.spec->sets[i].is_quotient) continue;
    const SetNames& names = plan.sets[i];
    if (IsRoot(plan, static_cast<int>(i))) {
      out.Line("runtime::ObjectTable<{}> {};", names.id, names.objects);
    }
    out.Line("runtime::MemberTable<{}> {};", names.id, names.table);
  }
}

void EmitHost(CodeWriter& out, const SpacePlan& plan) {
  {
    auto body = out.Block("SpaceHost::SpaceHost(const Backbone& fun) : fun_(fun)");
    for (std::size_t i = 0; i < plan.sets.size(); ++i) {
      if (!plan.spec->sets[i].is_quotient) out.Line("Enumerate{}();", plan.sets[i].name);
    }
    for (std::size_t i = 0; i < plan.sets.size(); ++i) {
      if (IsChecked(plan, static_cast<int>(i))) out.Line("Check{}();", plan.sets[i].name);
    }
  }
  for (std::size_t i = 0; i < plan.sets.size(); ++i) {
    const int set = static_cast<int>(i);
    if (plan.spec->sets[i].is_quotient) continue;
    out.Blank();
    EmitEnumerate(out, plan, set);
    if (!IsChecked(plan, set)) continue;
    out.Blank();
    auto body = out.Block(fmt::format("void SpaceHost::Check{}() const", plan.sets[i].name));
    EmitCheck(out, plan, set);
  }
  out.Blank();
  {
    auto body = out.Block("int SpaceHost::Size(int root_set) const");
    EmitSwitch(out, plan, "root_set", [&plan](int set) {
      return IsRoot(plan, set) ? plan.sets[set].objects + ".size()" : std::string();
    });
    out.Line("EXH_UNREACHABLE();");
  }
  out.Blank();
  {
    auto body = out.Block("std::string SpaceHost::Name(int root_set, Object object) const");
    if (plan.sets.empty()) out.Line("static_cast<void>(object);");
    EmitSwitch(out, plan, "root_set", [&plan](int set) {
      return IsRoot(plan, set) ? plan.sets[set].objects + ".name(object)" : std::string();
    });
    out.Line("EXH_UNREACHABLE();");
  }
  out.Blank();
  auto body = out.Block("std::vector<runtime::Host::Member> SpaceHost::Members(int set) const");
  EmitSwitch(out, plan, "set", [&plan](int set) {
    return plan.spec->sets[set].is_quotient ? std::string() : plan.sets[set].table + ".members()";
  });
  out.Line("EXH_UNREACHABLE();");
}

}  // namespace exh::generator
