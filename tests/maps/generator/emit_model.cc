// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include "generator/plan/names.h"
#include "tests/maps/generator/emit.h"

namespace exh::generator {
namespace {

using dsl::ChoiceKind;

/// "[](const Engine& e, const Object* v) { return Filter3(e, v[0], v[1]); }"
std::string Unpacked(const std::string& function, std::size_t count, const char* engine,
                     const char* last_parameter = "", const char* last = "") {
  std::string arguments;
  for (std::size_t i = 0; i < count; ++i) arguments += fmt::format(", v[{}]", i);
  return fmt::format("[]({}& e, [[maybe_unused]] const Object* v{}) {{ return {}(e{}{}); }}",
                     engine, last_parameter, function, arguments, last);
}

void EmitChoices(CodeWriter& out, const MapsPlan& plan) {
  for (const MapsChoice& choice : plan.choices) {
    auto block = out.Block("");
    out.Line("maps::Choice choice;");
    out.Line("choice.name = {};", Quoted(choice.name));
    out.Line("choice.kind = runtime::ChoiceKind::{};", choice.kind == ChoiceKind::kEnum ? "kEnum"
                                                       : choice.kind == ChoiceKind::kInteger
                                                           ? "kInteger"
                                                           : "kCounter");
    out.Line("choice.arguments = {};", VariablesText(choice.arguments));
    out.Line("choice.is_symmetric = {};", choice.is_pair());
    if (choice.inverts()) out.Line("choice.invert = Invert{};", choice.camel);
    out.Line("choice.num_values = {};", choice.num_values);
    out.Line("choice.value_bytes = {};", EntryBytes(choice));
    out.Line("choice.universe = {};", choice.universe);
    out.Line("choice.is_auxiliary = {};", choice.auxiliary);
    out.Line("model.choices.push_back(choice);");
  }
  for (std::size_t c = 0; c < plan.choices.size(); ++c) {
    if (plan.choices[c].kind != ChoiceKind::kCounter) {
      out.Line("model.emission_order.push_back({});", c);
    }
  }
  for (const MapsCounter& counter : plan.counters) {
    out.Line("model.emission_order.push_back({});", counter.choice);
  }
}

void EmitCounters(CodeWriter& out, const MapsPlan& plan) {
  for (const MapsCounter& counter : plan.counters) {
    const std::string& name = ChoiceAt(plan, counter.choice).camel;
    auto block = out.Block("");
    out.Line("maps::Counter counter;");
    out.Line("counter.choice = k{};", name);
    out.Line("counter.visibility = runtime::Visibility::{};",
             counter.visibility == dsl::Visibility::kFull   ? "kFull"
             : counter.visibility == dsl::Visibility::kHalf ? "kHalf"
                                                            : "kInternal");
    out.Line("counter.is_product = {};", counter.product);
    out.Line("counter.base = {};", counter.base);
    out.Line("counter.num_arguments = {};", counter.num_arguments);
    out.Line("counter.variables = {};", VariablesText(counter.variables));
    out.Line("counter.increment = {};", counter.increment.choice);
    out.Line("counter.increment_arguments = {{{}}};", fmt::join(counter.increment.arguments, ", "));
    out.Line("counter.counted = {:#x};", counter.counted);
    out.Line("counter.term = {};",
             Unpacked("Term" + name, counter.variables.size(), "const Engine"));
    out.Line("counter.bound = {};",
             Unpacked("Bound" + name, static_cast<std::size_t>(counter.num_arguments), "Engine",
                      ", Interval bound", ", bound"));
    out.Line("model.counters.push_back(counter);");
  }
}

}  // namespace

void EmitMapsModel(CodeWriter& out, const MapsPlan& plan) {
  {
    auto anonymous = out.Namespace("");
    out.Blank();
    auto body = out.Block("maps::Model MakeMapsModel()");
    out.Line("maps::Model model;");
    out.Line("model.space = &GetSpace();");
    EmitChoices(out, plan);
    for (std::size_t f = 0; f < plan.filters.size(); ++f) {
      const MapsFilter& filter = plan.filters[f];
      const MapsChoice& target = ChoiceAt(plan, filter.target.choice);
      const std::string call =
          Unpacked(fmt::format("Filter{}", f), filter.variables.size(), "const Engine");
      const bool counter = target.kind == ChoiceKind::kCounter;
      out.Line("model.filters.push_back({{k{}, {}, {},", target.camel, target.arguments.size(),
               VariablesText(filter.variables));
      out.Line("                         {},", counter ? "nullptr" : call);
      out.Line("                         {}}});", counter ? call : "nullptr");
    }
    EmitCounters(out, plan);
    for (std::size_t t = 0; t < plan.triggers.size(); ++t) {
      const MapsTrigger& trigger = plan.triggers[t];
      out.Line("model.triggers.push_back({{{},", VariablesText(trigger.variables));
      out.Line("                          {},",
               Unpacked(fmt::format("Certain{}", t), trigger.variables.size(), "const Engine"));
      out.Line("                          {}, {}, {}, {}}});", trigger.planned, trigger.quotient,
               trigger.flag, trigger.class_counter);
    }
    out.Line("model.on_change = OnChange;");
    out.Line("return model;");
  }
  out.Blank();
  auto body = out.Block("const maps::Model& GetMapsModel()");
  out.Line("static const maps::Model model = MakeMapsModel();");
  out.Line("return model;");
}

}  // namespace exh::generator
