// SPDX-License-Identifier: MIT
//
// The emitters: one file per kind of thing that is printed. They decide nothing (plan.h does).
#pragma once

#include <memory>
#include <set>
#include <string>
#include <vector>

#include "generator/code_writer.h"
#include "generator/plan/filters.h"
#include "generator/plan/plan.h"

namespace exh::generator {

// In the header of schedules.
void EmitTypes(CodeWriter& out, const SpacePlan& plan);     // emit_sets.cc, in plan.outside
void EmitSetTypes(CodeWriter& out, const SpacePlan& plan);  // emit_sets.cc
void EmitEnums(CodeWriter& out, const SpacePlan& plan);     // emit_domains.cc
void EmitEnumTraits(CodeWriter& out,
                    const SpacePlan& plan);                // emit_domains.cc, outside the namespace
void EmitDomains(CodeWriter& out, const SpacePlan& plan);  // emit_domains.cc
void EmitScheduleTypes(CodeWriter& out, const SpacePlan& plan);  // emit_schedule.cc

// In the header.
void EmitSchedule(CodeWriter& out, const SpacePlan& plan);   // emit_schedule.cc
void EmitNumbers(CodeWriter& out, const SpacePlan& plan);    // emit_sets.cc
void EmitHostClass(CodeWriter& out, const SpacePlan& plan);  // emit_host.cc
void EmitViewClass(CodeWriter& out, const SpacePlan& plan);  // emit_view.cc

// In the source file.
void EmitTypeChecks(CodeWriter& out, const SpacePlan& plan);        // emit_sets.cc
void EmitSetFunctions(CodeWriter& out, const SpacePlan& plan);      // emit_sets.cc
void EmitCodeFunctions(CodeWriter& out, const SpacePlan& plan);     // emit_codes.cc
void EmitTriggerFunctions(CodeWriter& out, const SpacePlan& plan);  // emit_triggers.cc
void EmitTables(CodeWriter& out, const SpacePlan& plan);            // emit_tables.cc
void EmitObjective(CodeWriter& out, const SpacePlan& plan);         // emit_tables.cc, in MakeSpace
void EmitRequirements(CodeWriter& out, const SpacePlan& plan);      // emit_requirements.cc
void EmitToString(CodeWriter& out, const SpacePlan& plan);          // emit_domains.cc
void EmitHost(CodeWriter& out, const SpacePlan& plan);              // emit_host.cc
void EmitEvaluation(CodeWriter& out, const SpacePlan& plan);        // emit_codes.cc
void EmitPlanning(CodeWriter& out, const SpacePlan& plan);          // emit_triggers.cc
void EmitView(CodeWriter& out, const SpacePlan& plan);              // emit_view.cc

// In the header of filters.
void EmitFilters(CodeWriter& out, const SpacePlan& plan,  // emit_filters.cc
                 const std::vector<RequirementFilters>& filters);

// By themselves.
std::string TableText(const SpacePlan& plan);  // emit_table_text.cc

// Shared by several.
/// Whether code yields integers with a sign: in terms, and where counters start.
bool HasIntegers(const SpacePlan& plan);
/// Whether the host must find objects for predicates.
bool HasDynamicPredicates(const dsl::Spec& spec);
/// "{{"a", {sets::Dims, -1}}, {"b", {sets::Tiles, 0}}}": a scope as a runtime value.
std::vector<std::string> VariableItems(const SpacePlan& plan,
                                       const std::vector<dsl::Variable>& scope);
/// "Is<Order>({choices::order, {0, 1}}, Order::BEFORE)".
std::string ConditionValue(const SpacePlan& plan, const dsl::Condition& condition);
/// ConditionValue between `head` and `tail`, on several lines where terms need them.
void EmitCondition(CodeWriter& out, const SpacePlan& plan, const std::string& head,
                   const dsl::Condition& condition, const std::string& tail);
/// "{choices::order, {0, 1}}".
std::string UseValue(const SpacePlan& plan, const dsl::Instance& instance);
/// "Order::BEFORE | Order::INNER".
std::string ValuesOf(const SpacePlan& plan, int choice, std::uint64_t values);
/// "is not" says it with fewer values than "is".
bool IsShorterNegated(const dsl::Choice& choice, std::uint64_t values);
/// "CompareOp::kLt".
std::string OperatorValue(dsl::CompareOp op);

/// Prints functions around what follows, which is their body and may name the items of objects. An
/// item lives as long as the body: a getter may yield it by value, or out of a temporary.
///
///   snippets::DimsItemOf(fun_, dims_.id(object), [&](const DimsItem& item) {
///     …
///   });
class ItemScope {
 public:
  ItemScope(CodeWriter& out, const SpacePlan& plan) : out_(out), plan_(plan) {}
  ItemScope(const ItemScope&) = delete;
  ItemScope& operator=(const ItemScope&) = delete;
  ~ItemScope();

  /// Names the item of an object of the set. `head` is printed before ("return "). A getter with a
  /// parameter gets `of`, the item of the parameter.
  void Open(const std::string& head, int set, const std::string& object, const std::string& of,
            const std::string& name);
  /// The same, with the object of the parameter ("" when the set has none).
  void OpenOf(const std::string& head, int set, const std::string& object,
              const std::string& parameter_object, const std::string& name);
  /// The item of variable `index` of a scope whose objects are `scope[i]` is `item<index>`; that of
  /// its parameter, if its getter needs it, too.
  void OpenVariable(const std::string& head, const std::vector<dsl::Variable>& scope, int index);

 private:
  CodeWriter& out_;
  const SpacePlan& plan_;
  std::vector<std::unique_ptr<CodeWriter::Scope>> scopes_;
  std::set<std::string> open_;
};

}  // namespace exh::generator
