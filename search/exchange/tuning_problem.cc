// SPDX-License-Identifier: MIT
#include "search/exchange/tuning_problem.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/user_json.h"

namespace exh::search {
namespace {

const Json& MemberOf(const Json& object, const char* key, const std::string& where) {
  if (!object.is_object()) throw UsageError(where + " is no object");
  const auto found = object.find(key);
  if (found == object.end()) throw UsageError(fmt::format("{} has no '{}'", where, key));
  return *found;
}

const Json& ListIn(const Json& object, const char* key, const std::string& where) {
  const Json& list = MemberOf(object, key, where);
  if (!list.is_array()) throw UsageError(fmt::format("'{}' of {} is no list", key, where));
  return list;
}

std::string TextIn(const Json& object, const char* key, const std::string& where) {
  const Json& text = MemberOf(object, key, where);
  if (!text.is_string()) throw UsageError(fmt::format("'{}' of {} is no text", key, where));
  return text.get<std::string>();
}

std::string TextOr(const Json& json, const char* group, const char* key) {
  const auto in = json.find(group);
  if (in == json.end() || !in->is_object()) return "";
  const auto found = in->find(key);
  return found == in->end() || !found->is_string() ? "" : found->get<std::string>();
}

/// A list of Python as a text, or one of JSON.
PythonList ValuesOf(const Json& json) {
  PythonValue value;
  if (json.is_string()) {
    PythonNode node = ParsePython(json.get<std::string>());
    BindNames(node, {});
    std::vector<PythonValue> none;
    try {
      value = Evaluate(node, none);
    } catch (const PythonError& error) {
      throw UsageError(error.what());
    }
  } else {
    value = PythonValueOf(json);
  }
  if (!value.is_list()) throw UsageError("it is no list, such as [16, 32]");
  return value.list();
}

TuningParameter ParameterOf(const Json& json, std::size_t number, TuningProblem& problem) {
  TuningParameter parameter;
  parameter.name = TextIn(json, "Name", fmt::format("tuning parameter {}", number));
  const std::string where = fmt::format("parameter '{}'", parameter.name);
  const bool is_shown = !parameter.name.empty() && std::ranges::all_of(parameter.name, [](char c) {
    return static_cast<unsigned char>(c) >= 0x20 && c != 0x7f;
  });
  if (!is_shown || parameter.name.front() == ' ' || parameter.name.back() == ' ') {
    throw UsageError(where + ": a name is a word without control characters");
  }
  PythonList all;
  try {
    all = ValuesOf(MemberOf(json, "Values", where));
  } catch (const UsageError& error) {
    throw UsageError(fmt::format("{}, Values: {}", where, error.what()));
  }
  std::size_t twice = 0;
  for (PythonValue& value : all) {
    if (value.is_list()) throw UsageError(where + ": one of its values is a list");
    const bool is_there = std::ranges::any_of(
        parameter.values, [&](const PythonValue& other) { return AreSame(value, other); });
    twice += is_there ? 1 : 0;
    if (!is_there) parameter.values.push_back(std::move(value));
  }
  if (parameter.values.empty()) throw UsageError(where + " has no values");
  if (twice > 0) {
    problem.notes.push_back(fmt::format("{} lists {} of its values more than once", where, twice));
  }
  if (const auto usual = json.find("Default"); usual != json.end() && !usual->is_null()) {
    const auto found = std::ranges::find_if(parameter.values, [&](const PythonValue& value) {
      return JsonOf(value).dump() == usual->dump();
    });
    if (found != parameter.values.end()) parameter.usual = *found;
  }
  return parameter;
}

}  // namespace

TuningProblem ParseTuningProblem(std::string_view text) {
  Json json;
  try {
    json = ParseUserJson<Json>(text);
  } catch (const UsageError&) {
    throw;
  } catch (const Error& error) {
    throw UsageError(error.what());
  }
  TuningProblem problem;
  const Json& space = MemberOf(json, "ConfigurationSpace", "the tuning problem");
  problem.name = TextOr(json, "General", "BenchmarkName");
  if (problem.name.empty()) problem.name = TextOr(json, "KernelSpecification", "KernelName");
  std::vector<std::string> names;
  const Json& parameters = ListIn(space, "TuningParameters", "the ConfigurationSpace");
  for (const Json& one : parameters) {
    problem.parameters.push_back(ParameterOf(one, problem.parameters.size() + 1, problem));
    const std::string& name = problem.parameters.back().name;
    if (std::ranges::find(names, name) != names.end()) {
      throw UsageError(fmt::format("there are two parameters '{}'", name));
    }
    names.push_back(name);
  }
  if (names.empty()) throw UsageError("the tuning problem has no parameters");
  const auto conditions = space.find("Conditions");
  if (conditions == space.end() || conditions->is_null()) return problem;
  if (!conditions->is_array()) throw UsageError("'Conditions' is no list");
  for (const Json& one : *conditions) {
    TuningRestriction restriction;
    const std::size_t number = problem.restrictions.size() + 1;
    restriction.text = TextIn(one, "Expression", fmt::format("condition {}", number));
    try {
      restriction.node = ParsePython(restriction.text);
      BindNames(restriction.node, names);
    } catch (const UsageError& error) {
      throw UsageError(
          fmt::format("condition {}, '{}': {}", number, restriction.text, error.what()));
    }
    problem.restrictions.push_back(std::move(restriction));
  }
  return problem;
}

bool IsAllowed(const TuningProblem& problem, std::vector<PythonValue>& values) {
  try {
    return std::ranges::all_of(problem.restrictions, [&](const TuningRestriction& restriction) {
      return IsTrue(Evaluate(restriction.node, values));
    });
  } catch (const PythonError&) {
    return false;
  }
}

}  // namespace exh::search
