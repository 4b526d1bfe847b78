// SPDX-License-Identifier: MIT
//
// What implementations of a space decide, by the backbone's ids: where the decisions of an instance
// are (Decisions), the values of an implementation as plain data (Schedule), and what a candidate
// still allows (DomainReader). Code generation and models read these and know no engine.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "generator/emit/emit.h"
#include "generator/emit/snippets.h"
#include "generator/plan/names.h"

namespace exh::generator {
namespace {

/// Sets whose members a schedule names. Those of a subset follow from the backbone, those of a
/// quotient from its flag.
bool IsListed(const dsl::Set& set) {
  return !set.superset && !set.is_quotient;
}

std::vector<std::string> IdTypes(const SpacePlan& plan, const dsl::Choice& choice) {
  std::vector<std::string> types;
  for (const dsl::Variable& argument : choice.arguments) {
    types.push_back(plan.sets[argument.set.set].id);
  }
  return types;
}

/// "runtime::Decided<Order, StatementsId, StatementsId>".
std::string Table(const std::string& value, const std::vector<std::string>& ids) {
  return fmt::format("runtime::Decided<{}{}{}>", value, ids.empty() ? "" : ", ",
                     fmt::join(ids, ", "));
}

/// Calls `action(choice, names)` for the choices that have decisions.
template <typename Action>
void ForEachChoice(const SpacePlan& plan, const Action& action) {
  for (std::size_t i = 0; i < plan.choices.size(); ++i) {
    const dsl::Choice& choice = plan.spec->choices[i];
    if (choice.kind != dsl::ChoiceKind::kCounter) action(choice, plan.choices[i]);
  }
}

template <typename Action>
void ForEachSet(const SpacePlan& plan, const Action& action) {
  for (std::size_t i = 0; i < plan.sets.size(); ++i) {
    if (IsListed(plan.spec->sets[i])) action(plan.sets[i]);
  }
}

void EmitDecisions(CodeWriter& out, const SpacePlan& plan) {
  out.Line("/// Where the decisions of an instance are, and the memberships of its objects.");
  auto body = out.Block("struct Decisions", ";");
  ForEachChoice(plan, [&](const dsl::Choice& choice, const ChoiceNames& names) {
    out.Line("{} {};", Table("runtime::DecisionRef", IdTypes(plan, choice)), names.name);
  });
  ForEachSet(plan, [&](const SetNames& set) {
    out.Line("{} In{};", Table("runtime::MemberRef", {set.id}), set.name);
  });
}

/// Decisions DecisionsOf(const Other& other);
void EmitDecisionsOf(CodeWriter& out, const SpacePlan& plan) {
  out.Line("/// The same for an instance of a space that includes this .exh and may say more:");
  out.Line("/// runtime::CheckHasChoicesOf says whether it does.");
  out.Line("template <typename Other>");
  auto body = out.Block("Decisions DecisionsOf(const Other& other)");
  out.Line("Decisions same;");
  ForEachChoice(plan, [&](const dsl::Choice&, const ChoiceNames& names) {
    out.Line("same.{0} = other.{0};", names.name);
  });
  ForEachSet(plan, [&](const SetNames& set) { out.Line("same.In{0} = other.In{0};", set.name); });
  out.Line("return same;");
}

void EmitScheduleStruct(CodeWriter& out, const SpacePlan& plan) {
  out.Line("/// What an implementation decided, as plain data: a decision whose objects do not");
  out.Line("/// all take part has no value.");
  auto body = out.Block("struct Schedule", ";");
  ForEachChoice(plan, [&](const dsl::Choice& choice, const ChoiceNames& names) {
    const bool is_enum = choice.kind == dsl::ChoiceKind::kEnum;
    out.Doc(choice.doc.empty() ? choice.name : choice.doc, plan.At(choice.range));
    out.Line("{} {};", Table(is_enum ? names.camel : "std::uint32_t", IdTypes(plan, choice)),
             names.name);
  });
  out.Line("// Does the object take part?");
  ForEachSet(plan,
             [&](const SetNames& set) { out.Line("{} In{};", Table("bool", {set.id}), set.name); });
}

void EmitReader(CodeWriter& out, const SpacePlan& plan) {
  out.Line("/// What a candidate still allows, by the backbone's ids: a read looks nothing up in");
  out.Line("/// the engine's tables. Decisions and candidate outlive the reader.");
  auto body = out.Block("class DomainReader : runtime::DomainReaderBase", ";");
  out.Raw(" public:");
  out.Line("DomainReader(const Decisions& decisions, const runtime::Candidate& candidate)");
  out.Line("    : runtime::DomainReaderBase(candidate), decisions_(&decisions) {{}}");
  ForEachChoice(plan, [&](const dsl::Choice& choice, const ChoiceNames& names) {
    std::vector<std::string> parameters, arguments;
    for (const dsl::Variable& argument : choice.arguments) {
      arguments.push_back(LocalName(argument.name));
      parameters.push_back(
          fmt::format("const {}& {}", plan.sets[argument.set.set].id, arguments.back()));
    }
    const std::string decision =
        fmt::format("decisions_->{}({})", names.name, fmt::join(arguments, ", "));
    const bool is_enum = choice.kind == dsl::ChoiceKind::kEnum;
    const std::string head =
        fmt::format("{} {}", is_enum ? names.domain : "runtime::IntDomain", names.name);
    const std::string statement =
        is_enum ? fmt::format("return {}::FromBits(Values({}));", names.domain, decision)
                : fmt::format("return Numbers({});", decision);
    const std::string line = fmt::format("{}({}) const", head, fmt::join(parameters, ", "));
    if (line.size() + 4 <= 100) {  // Indented by two, and a bracket.
      out.Inline(line, statement);
      return;
    }
    out.Call(head, parameters, " const {");
    const CodeWriter::Scope definition(out, "}", 2);
    out.Text(statement);
  });
  ForEachSet(plan, [&](const SetNames& set) {
    out.Inline(fmt::format("runtime::Membership In{}(const {}& id) const", set.name, set.id),
               fmt::format("return Member(decisions_->In{}(id));", set.name));
  });
  out.Blank();
  out.Raw(" private:");
  out.Line("const Decisions* decisions_;");
}

void EmitFindDecisions(CodeWriter& out, const SpacePlan& plan) {
  out.Line("/// Where everything is in an instance that was frozen over `host`.");
  out.Call("inline Decisions FindDecisions",
           {"[[maybe_unused]] const SpaceHost& host", "const runtime::Instance& instance"}, " {");
  const CodeWriter::Scope body(out, "}", 2);
  out.Line("Decisions found;");
  ForEachChoice(plan, [&](const dsl::Choice& choice, const ChoiceNames& names) {
    std::vector<std::string> items = {"host", "instance", "choices::" + names.name,
                                      "found." + names.name};
    for (const dsl::Variable& argument : choice.arguments) {
      items.push_back(fmt::format("&SpaceHost::{}IdAt", plan.sets[argument.set.set].name));
    }
    out.Call("runtime::FindDecisionsOf", items, ";");
  });
  ForEachSet(plan, [&](const SetNames& set) {
    out.Call("runtime::FindMembersOf",
             {"host", "instance", "sets::" + set.name, "found.In" + set.name,
              fmt::format("&SpaceHost::{}IdAt", set.name)},
             ";");
  });
  out.Line("return found;");
}

void EmitExtract(CodeWriter& out, const SpacePlan& plan) {
  out.Line("/// The decisions of an implementation.");
  out.Call("inline Schedule Extract",
           {"const Decisions& decisions", "const runtime::Candidate& candidate"}, " {");
  const CodeWriter::Scope body(out, "}", 2);
  out.Line("Schedule schedule;");
  ForEachChoice(plan, [&](const dsl::Choice& choice, const ChoiceNames& names) {
    const std::string extract = choice.kind == dsl::ChoiceKind::kEnum
                                    ? fmt::format("runtime::ExtractValues<{}>", names.camel)
                                    : std::string("runtime::ExtractNumbers");
    out.Assign("schedule." + names.name,
               fmt::format("{}(decisions.{}, candidate)", extract, names.name));
  });
  ForEachSet(plan, [&](const SetNames& set) {
    out.Assign("schedule.In" + set.name,
               fmt::format("runtime::ExtractMembers(decisions.In{}, candidate)", set.name));
  });
  out.Line("return schedule;");
}

}  // namespace

void EmitScheduleTypes(CodeWriter& out, const SpacePlan& plan) {
  EmitDecisions(out, plan);
  out.Blank();
  EmitDecisionsOf(out, plan);
  out.Blank();
  EmitScheduleStruct(out, plan);
  out.Blank();
  EmitReader(out, plan);
}

void EmitSchedule(CodeWriter& out, const SpacePlan& plan) {
  EmitFindDecisions(out, plan);
  out.Blank();
  EmitExtract(out, plan);
}

}  // namespace exh::generator
