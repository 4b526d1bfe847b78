// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include "generator/emit/emit.h"
#include "generator/emit/snippets.h"
#include "generator/plan/names.h"

namespace exh::generator {
namespace {

/// "const DimsId& a", "const DimsId& b".
std::vector<std::string> IdParameters(const SpacePlan& plan, const dsl::Choice& choice) {
  std::vector<std::string> parameters;
  for (const dsl::Variable& argument : choice.arguments) {
    parameters.push_back(
        fmt::format("const {}& {}", plan.sets[argument.set.set].id, LocalName(argument.name)));
  }
  return parameters;
}

/// A local name that no argument of the choice has.
std::string LocalOf(const dsl::Choice& choice, const char* name) {
  NameScope scope;
  for (const dsl::Variable& argument : choice.arguments) scope.Reserve(LocalName(argument.name));
  return scope.Unique(name);
}

/// const std::array<Object, 2> objects = {host_->DimsObject(a), host_->DimsObject(b)};
void EmitObjects(CodeWriter& out, const SpacePlan& plan, const dsl::Choice& choice) {
  std::vector<std::string> objects;
  for (const dsl::Variable& argument : choice.arguments) {
    objects.push_back(fmt::format("host_->{}Object({})", plan.sets[argument.set.set].name,
                                  LocalName(argument.name)));
  }
  out.List(
      fmt::format("const std::array<Object, {}> {} = ", objects.size(), LocalOf(choice, "objects")),
      objects, ";");
}

std::string ValueType(const SpacePlan& plan, std::size_t choice) {
  switch (plan.spec->choices[choice].kind) {
    case dsl::ChoiceKind::kEnum:
      return plan.choices[choice].domain;
    case dsl::ChoiceKind::kInteger:
      return "runtime::IntDomain";
    case dsl::ChoiceKind::kCounter:
      return "runtime::Interval";
  }
  return "";
}

/// OrderDomain order(const StatementsId& a, const StatementsId& b) const;
/// std::optional<runtime::DecisionRef> FindOrder(…) const;
/// runtime::Action OrderAction(…, OrderDomain allowed) const;
void DeclareChoice(CodeWriter& out, const SpacePlan& plan, std::size_t index) {
  const dsl::Choice& choice = plan.spec->choices[index];
  const ChoiceNames& names = plan.choices[index];
  std::vector<std::string> parameters = IdParameters(plan, choice);
  out.Doc(choice.doc.empty() ? choice.name : choice.doc, plan.At(choice.range));
  out.Call(ValueType(plan, index) + " " + names.name, parameters, " const;");
  if (choice.kind == dsl::ChoiceKind::kCounter) return;
  out.Call(fmt::format("std::optional<runtime::DecisionRef> Find{}", names.camel), parameters,
           " const;");
  parameters.push_back(ValueType(plan, index) + " " + LocalOf(choice, "allowed"));
  out.Call(fmt::format("runtime::Action {}Action", names.camel), parameters, " const;");
}

void DefineChoice(CodeWriter& out, const SpacePlan& plan, std::size_t index) {
  const dsl::Choice& choice = plan.spec->choices[index];
  const ChoiceNames& names = plan.choices[index];
  std::vector<std::string> parameters = IdParameters(plan, choice);
  const std::string where = fmt::format("choices::{}, {}", names.name, LocalOf(choice, "objects"));
  const auto define = [&](const std::string& type, const std::string& name,
                          const std::string& value) {
    out.Blank();
    out.Call(fmt::format("{} View::{}", type, name), parameters, " const {");
    const CodeWriter::Scope body(out, "}", 2);
    EmitObjects(out, plan, choice);
    out.Line("return {};", value);
  };
  switch (choice.kind) {
    case dsl::ChoiceKind::kEnum:
      define(names.domain, names.name,
             fmt::format("{}::FromBits(Values({}))", names.domain, where));
      break;
    case dsl::ChoiceKind::kInteger:
      define("runtime::IntDomain", names.name, fmt::format("Numbers({})", where));
      break;
    case dsl::ChoiceKind::kCounter:
      define("runtime::Interval", names.name, fmt::format("Count({})", where));
      return;
  }
  define("std::optional<runtime::DecisionRef>", "Find" + names.camel,
         fmt::format("Find({})", where));
  parameters.push_back(ValueType(plan, index) + " " + LocalOf(choice, "allowed"));
  define("runtime::Action", names.camel + "Action",
         fmt::format("MakeAction({}, {}.bits())", where, LocalOf(choice, "allowed")));
}

std::vector<std::string> MemberParameters(const SpacePlan& plan, int index) {
  const dsl::Set& set = plan.spec->sets[index];
  std::vector<std::string> parameters;
  if (set.parameter) {
    parameters.push_back(fmt::format("const {}& of", plan.sets[set.parameter->set.set].id));
  }
  parameters.push_back(fmt::format("const {}& id", plan.sets[set.root].id));
  return parameters;
}

void DefineMembership(CodeWriter& out, const SpacePlan& plan, int index) {
  const dsl::Set& set = plan.spec->sets[index];
  out.Blank();
  out.Call(fmt::format("runtime::Membership View::In{}", plan.sets[index].name),
           MemberParameters(plan, index), " const {");
  const CodeWriter::Scope body(out, "}", 2);
  out.Line("return Member(sets::{}, {}, host_->{}Object(id));", plan.sets[index].name,
           set.parameter
               ? fmt::format("host_->{}Object(of)", plan.sets[set.parameter->set.set].name)
               : "runtime::kNoObject",
           plan.sets[set.root].name);
}

}  // namespace

void EmitViewClass(CodeWriter& out, const SpacePlan& plan) {
  out.Line("/// A candidate of this space, read by the backbone's ids. Candidate and host outlive");
  out.Line(
      "/// the view. Arguments of a choice are distinct objects of its sets; domains are given");
  out.Line("/// for the order of the arguments.");
  auto body = out.Block("class View : public runtime::CandidateView", ";");
  out.Raw(" public:");
  out.Line("View(const runtime::Candidate& candidate, const SpaceHost& host)");
  out.Line("    : runtime::CandidateView(candidate), host_(&host) {{}}");
  for (std::size_t i = 0; i < plan.choices.size(); ++i) {
    out.Blank();
    DeclareChoice(out, plan, i);
  }
  out.Blank();
  out.Line("// Is the object certainly, perhaps or certainly not in the set?");
  for (std::size_t i = 0; i < plan.sets.size(); ++i) {
    out.Call(fmt::format("runtime::Membership In{}", plan.sets[i].name),
             MemberParameters(plan, static_cast<int>(i)), " const;");
  }
  out.Blank();
  out.Raw(" private:");
  out.Line("const SpaceHost* host_;");
}

void EmitView(CodeWriter& out, const SpacePlan& plan) {
  for (std::size_t i = 0; i < plan.choices.size(); ++i) DefineChoice(out, plan, i);
  for (std::size_t i = 0; i < plan.sets.size(); ++i) {
    DefineMembership(out, plan, static_cast<int>(i));
  }
}

}  // namespace exh::generator
