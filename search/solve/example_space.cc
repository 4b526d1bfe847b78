// SPDX-License-Identifier: MIT
#include "search/solve/example_space.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/numbers.h"
#include "base/spelling.h"
#include "base/system/user_file.h"

namespace exh::search {

const examples::Example& FindExample(const std::string& name) {
  std::vector<std::string> names;
  for (const examples::Example* const example : examples::AllExamples()) {
    if (example->name() == name) return *example;
    names.emplace_back(example->name());
  }
  if (name.empty()) {
    std::string list;
    for (const std::string& each : names) list += (list.empty() ? "" : ", ") + each;
    throw UsageError("which space? --space is one of " + list);
  }
  throw UsageError(UnknownName("space", name, names));
}

examples::Parameters ParseParameters(const examples::Example& example, const std::string& text) {
  const std::vector<examples::Parameter> known = example.parameters();
  std::vector<std::string> names;
  examples::Parameters parameters;
  for (const examples::Parameter& parameter : known) {
    names.push_back(parameter.name);
    parameters[parameter.name] = parameter.default_value;
  }
  std::vector<std::string> seen;
  for (const auto& [name, value] : ParseAssignments(text, "--size")) {
    const auto found = std::ranges::find(names, name);
    if (found == names.end()) {
      throw UsageError(UnknownName(fmt::format("size of {}", example.name()), name, names));
    }
    if (std::ranges::find(seen, name) != seen.end()) {
      throw UsageError(fmt::format("bad --size '{}': '{}' stands twice", text, name));
    }
    seen.emplace_back(name);
    const examples::Parameter& parameter = known[static_cast<std::size_t>(found - names.begin())];
    const auto number = ParseInteger(value);
    if (!number || *number < parameter.min || *number > parameter.max) {
      throw UsageError(fmt::format("bad size {}={}: a whole number from {} to {}", name, value,
                                   parameter.min, parameter.max));
    }
    parameters[parameter.name] = *number;
  }
  return parameters;
}

std::shared_ptr<const runtime::Instance> FreezeExample(const examples::Example& example,
                                                       const examples::Parameters& parameters,
                                                       const std::string& data,
                                                       const runtime::FreezeOptions& options) {
  if (!data.empty() && example.data().empty()) {
    throw UsageError(fmt::format("{} takes no --data", example.name()));
  }
  std::string text;
  if (!data.empty()) text = ReadUserFile(data);
  std::shared_ptr<const runtime::Host> host;
  try {
    host = example.MakeHost(parameters, data.empty() ? nullptr : &text);
  } catch (const Error& error) {
    throw UsageError(data.empty() ? std::string(error.what())
                                  : fmt::format("--data '{}': {}", data, error.what()));
  }
  return runtime::Instance::Freeze(example.space(), *host, options);
}

}  // namespace exh::search
