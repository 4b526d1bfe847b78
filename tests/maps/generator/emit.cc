// SPDX-License-Identifier: MIT
#include "tests/maps/generator/emit.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "generator/plan/names.h"
#include "tests/maps/generator/maps.h"

namespace exh::generator {

using dsl::ChoiceKind;

const MapsChoice& ChoiceAt(const MapsPlan& plan, int choice) {
  return plan.choices[static_cast<std::size_t>(choice)];
}

int EntryBytes(const MapsChoice& choice) {
  if (choice.kind == ChoiceKind::kCounter) return 16;
  if (choice.kind == ChoiceKind::kInteger || choice.num_values > 32) return 8;
  return choice.num_values <= 8 ? 1 : choice.num_values <= 16 ? 2 : 4;
}

std::string EntryType(const MapsChoice& choice) {
  return choice.kind == ChoiceKind::kCounter ? "Interval"
                                             : fmt::format("std::uint{}_t", 8 * EntryBytes(choice));
}

std::string Names(const std::vector<int>& variables) {
  std::string text;
  for (const int v : variables) text += fmt::format("{}v{}", text.empty() ? "" : ", ", v);
  return text;
}

std::string CallOn(const MapsPlan& plan, const char* prefix, const MapsUse& use) {
  const std::string names = Names(use.arguments);
  return fmt::format("{}{}(e{}{})", prefix, ChoiceAt(plan, use.choice).camel,
                     names.empty() ? "" : ", ", names);
}

MapsUse UseOf(const dsl::Instance& instance) {
  return {instance.choice, instance.arguments};
}

std::vector<std::string> ObjectParameters(std::size_t count) {
  std::vector<std::string> parameters;
  for (std::size_t i = 0; i < count; ++i) {
    parameters.push_back(fmt::format("[[maybe_unused]] Object v{}", i));
  }
  return parameters;
}

std::vector<int> FirstNumbers(std::size_t count) {
  std::vector<int> numbers;
  for (std::size_t i = 0; i < count; ++i) numbers.push_back(static_cast<int>(i));
  return numbers;
}

std::string VariablesText(const std::vector<MapsVariable>& variables) {
  std::vector<std::string> items;
  for (const MapsVariable& v : variables)
    items.push_back(fmt::format("{{{}, {}}}", v.set, v.parameter));
  return fmt::format("{{{}}}", fmt::join(items, ", "));
}

std::string CodeCall(const char* function, int code, const std::vector<int>& scope) {
  return fmt::format("e.{}({}, {{{}}})", function, code, Names(scope));
}

// ---- Loops.

bool MapsLoops::Implied(int variable, int set, int parameter) const {
  const auto fact = std::ranges::find(facts_, variable, &std::pair<int, Fact>::first);
  if (fact == facts_.end()) return false;
  const auto& sets = plan_.spec().sets;
  for (int s = fact->second.set; s >= 0; s = sets[static_cast<std::size_t>(s)].superset
                                                 ? sets[static_cast<std::size_t>(s)].superset->set
                                                 : -1) {
    if (s == set) return parameter < 0 || parameter == fact->second.parameter;
  }
  return false;
}

bool MapsLoops::MayBeSame(int a, int b) const {
  const auto& sets = plan_.spec().sets;
  const auto set_of = [&](int v) { return variables_[static_cast<std::size_t>(v)].set; };
  const auto root = [&](int set) {
    const int found = sets[static_cast<std::size_t>(set)].root;
    return found < 0 ? set : found;
  };
  if (root(set_of(a)) != root(set_of(b))) return false;
  const auto super = [&](int s) {
    const auto& up = sets[static_cast<std::size_t>(s)].superset;
    return up ? up->set : -1;
  };
  for (int i = set_of(a); i >= 0; i = super(i)) {
    for (int j = set_of(b); j >= 0; j = super(j)) {
      if (std::ranges::count(sets[static_cast<std::size_t>(i)].disjoint, j) > 0 ||
          std::ranges::count(sets[static_cast<std::size_t>(j)].disjoint, i) > 0) {
        return false;
      }
    }
  }
  return true;
}

void MapsLoops::SkipIf(const std::string& condition) {
  out_.Line("if ({}) {}", condition, scopes_.empty() ? skip_ : "continue;");
}

void MapsLoops::Test(int variable, bool own_set_known, int known_user) {
  const auto is_fact = [&](int v) {
    return std::ranges::find(facts_, v, &std::pair<int, Fact>::first) != facts_.end();
  };
  std::vector<std::string> wrong;
  const MapsVariable& self = variables_[static_cast<std::size_t>(variable)];
  for (int j = 0; j < static_cast<int>(variables_.size()); ++j) {
    if (j == variable || !IsBound(j)) continue;
    if (MayBeSame(variable, j) && !(is_fact(variable) && is_fact(j))) {
      wrong.push_back(fmt::format("v{} == v{}", variable, j));
    }
    const MapsVariable& other = variables_[static_cast<std::size_t>(j)];
    if (other.parameter == variable && j != known_user && !Implied(j, other.set, variable)) {
      wrong.push_back(fmt::format("!e.sets().HasOf({}, v{}, v{})", other.set, variable, j));
    }
  }
  if (!own_set_known && self.parameter < 0 && !Implied(variable, self.set, -1)) {
    wrong.push_back(fmt::format("!e.sets().Has({}, v{})", self.set, variable));
  }
  if (!own_set_known && self.parameter >= 0 && IsBound(self.parameter) &&
      !Implied(variable, self.set, self.parameter)) {
    wrong.push_back(
        fmt::format("!e.sets().HasOf({}, v{}, v{})", self.set, self.parameter, variable));
  }
  if (!wrong.empty()) SkipIf(fmt::format("{}", fmt::join(wrong, " || ")));
}

void MapsLoops::Bind(int variable) {
  bound_ |= 1u << variable;
}

void MapsLoops::BindDecision(const MapsChoice& choice, const std::vector<int>& arguments) {
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const MapsVariable& set = choice.arguments[i];
    const int parameter =
        set.parameter < 0 ? -1 : arguments[static_cast<std::size_t>(set.parameter)];
    facts_.push_back({arguments[i], {set.set, parameter}});
  }
  for (const int argument : arguments) {
    Bind(argument);
    Test(argument, false, -1);
  }
}

void MapsLoops::Enumerate(int variable) {
  if (IsBound(variable)) return;
  const MapsVariable& self = variables_[static_cast<std::size_t>(variable)];
  std::string range;
  bool own_set_known = true;
  int known_user = -1;
  if (self.parameter >= 0 && IsBound(self.parameter)) {
    range = fmt::format("MembersOf({}, v{})", self.set, self.parameter);
  } else if (self.parameter >= 0) {
    const auto& sets = plan_.spec().sets;
    int plain = self.set;
    while (sets[static_cast<std::size_t>(plain)].parameter &&
           sets[static_cast<std::size_t>(plain)].superset) {
      plain = sets[static_cast<std::size_t>(plain)].superset->set;
    }
    range = fmt::format("Members({})", plain);
    own_set_known = false;
  } else {
    for (int j = 0; j < static_cast<int>(variables_.size()) && known_user < 0; ++j) {
      if (IsBound(j) && variables_[static_cast<std::size_t>(j)].parameter == variable)
        known_user = j;
    }
    if (known_user >= 0) {
      range = fmt::format("Reverse({}, v{})", variables_[static_cast<std::size_t>(known_user)].set,
                          known_user);
      own_set_known = false;
    } else {
      range = fmt::format("Members({})", self.set);
    }
  }
  out_.Line("for (const Object v{} : e.sets().{}) {{", variable, range);
  scopes_.push_back(std::make_unique<CodeWriter::Scope>(out_, "}", 2));
  Bind(variable);
  Test(variable, own_set_known, known_user);
}

// ---- Access to the decisions.

namespace {

void EmitInverse(CodeWriter& out, const MapsChoice& choice) {
  auto body = out.Block(fmt::format("constexpr Bits Invert{}(Bits values)", choice.camel));
  std::vector<std::string> terms;
  for (int i = 0; i < choice.num_values; ++i) {
    const int image = choice.inverse[static_cast<std::size_t>(i)];
    terms.push_back(image >= i ? fmt::format("(values & {:#x}) << {}", 1ull << i, image - i)
                               : fmt::format("(values & {:#x}) >> {}", 1ull << i, i - image));
  }
  out.Line("return {};", fmt::join(terms, " | "));
}

void EmitRead(CodeWriter& out, const MapsChoice& choice, const char* prefix, const char* member) {
  const std::size_t arity = choice.arguments.size();
  const bool counter = choice.kind == ChoiceKind::kCounter;
  std::vector<std::string> parameters = ObjectParameters(arity);
  parameters.insert(parameters.begin(), "const Engine& e");
  auto body =
      out.Block(fmt::format("[[maybe_unused]] inline {} {}{}({})", counter ? "Interval" : "Bits",
                            prefix, choice.camel, fmt::join(parameters, ", ")));
  const auto read = [&](const std::string& key) {
    return fmt::format("e.{}<{}, {}>(k{}, KeyOf({}))", member, EntryType(choice), arity,
                       choice.camel, key);
  };
  if (choice.is_pair()) {
    const std::string swapped = read("v1, v0");
    out.Line("if (v0 > v1) return {};",
             choice.inverts() ? fmt::format("Invert{}({})", choice.camel, swapped) : swapped);
  }
  out.Line("return {};", read(Names(FirstNumbers(arity))));
}

void EmitShrink(CodeWriter& out, const MapsChoice& choice) {
  const std::size_t arity = choice.arguments.size();
  std::vector<std::string> parameters = ObjectParameters(arity);
  parameters.insert(parameters.begin(), "Engine& e");
  parameters.push_back("Bits allowed");
  auto body = out.Block(fmt::format("[[maybe_unused]] inline bool Shrink{}({})", choice.camel,
                                    fmt::join(parameters, ", ")));
  const auto shrink = [&](const std::string& key, const std::string& values) {
    return fmt::format("e.Shrink<{}, {}>(k{}, KeyOf({}), {})", EntryType(choice), arity,
                       choice.camel, key, values);
  };
  if (choice.is_pair()) {
    out.Line("if (v0 > v1) return {};",
             shrink("v1, v0",
                    choice.inverts() ? fmt::format("Invert{}(allowed)", choice.camel) : "allowed"));
  }
  out.Line("return {};", shrink(Names(FirstNumbers(arity)), "allowed"));
}

}  // namespace

void EmitMapsAccess(CodeWriter& out, const MapsPlan& plan) {
  for (std::size_t c = 0; c < plan.choices.size(); ++c) {
    const MapsChoice& choice = plan.choices[c];
    out.Blank();
    out.Title(choice.name, "");
    out.Line("[[maybe_unused]] constexpr int k{} = {};", choice.camel, c);
    if (choice.inverts()) EmitInverse(out, choice);
    EmitRead(out, choice, "Get", "Read");
    EmitRead(out, choice, "View", "View");
    if (choice.kind == ChoiceKind::kInteger) {
      std::vector<std::string> parameters = ObjectParameters(choice.arguments.size());
      parameters.insert(parameters.begin(), "const Engine& e");
      out.Inline(
          fmt::format("[[maybe_unused]] inline std::span<const std::uint32_t> Universe{}({})",
                      choice.camel, fmt::join(parameters, ", ")),
          fmt::format("return e.Universe(k{}, KeyOf({}));", choice.camel,
                      Names(FirstNumbers(choice.arguments.size()))));
    }
    if (choice.kind != ChoiceKind::kCounter) EmitShrink(out, choice);
  }
}

// ---- The files.

Generated GenerateMaps(const dsl::Spec& spec, const Options& options) {
  Generated generated;
  generated.refusals = FindRefusals(spec);
  if (!generated.refusals.empty() || !FindMapsRefusals(spec).empty()) return generated;
  const SpacePlan names = MakePlan(spec, options);
  const MapsPlan plan = MakeMapsPlan(names);
  const std::string stem = std::filesystem::path(names.options.prefix).filename().string();
  const std::string space = "exh::spaces::" + names.space;
  CodeWriter header, source;
  header.Line("// Generated by exhc_maps from {}. Do not edit.", spec.files[0].path);
  header.Line("#pragma once");
  header.Blank();
  header.Line("#include \"tests/maps/model.h\"");
  header.Blank();
  {
    auto scope = header.Namespace(space);
    header.Blank();
    header.Line("/// The space for maps::Engine: the way the published system runs it.");
    header.Line("const maps::Model& GetMapsModel();");
    header.Blank();
  }
  source.Line("// Generated by exhc_maps from {}. Do not edit.", spec.files[0].path);
  source.Line("#include \"{}.maps.h\"", stem);
  source.Blank();
  for (const char* each : {"bit", "cstdint", "span"}) source.Line("#include <{}>", each);
  source.Blank();
  source.Line("#include \"{}.h\"", stem);
  source.Line("#include \"tests/maps/engine.h\"");
  source.Blank();
  {
    auto scope = source.Namespace(space);
    {
      auto anonymous = source.Namespace("");
      source.Blank();
      for (const char* each :
           {"Change", "Engine", "Interval", "KeyOf", "Object", "Push", "Status", "Term", "Value"}) {
        source.Line("using maps::{};", each);
      }
      source.Line("using runtime::Bits;");
      source.Line("using runtime::CompareOp;");
      EmitMapsAccess(source, plan);
      DeclareMapsBounds(source, plan);
      EmitMapsFilters(source, plan);
      EmitMapsCounters(source, plan);
      EmitMapsTriggers(source, plan);
      EmitMapsChanges(source, plan);
      source.Blank();
    }
    EmitMapsModel(source, plan);
    source.Blank();
  }
  generated.files.push_back({".maps.h", header.text()});
  generated.files.push_back({".maps.cc", source.text()});
  return generated;
}

}  // namespace exh::generator
