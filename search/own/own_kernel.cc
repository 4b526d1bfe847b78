// SPDX-License-Identifier: MIT
#include "search/own/own_kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/error.h"
#include "base/numbers.h"
#include "kernels/devices/own/own_launch_json.h"
#include "search/descend/first.h"

namespace exh::search {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kRemark = "# {\"launch\"";
constexpr std::int64_t kMostElements = std::int64_t{1} << 40;

/// What the remark in a text says. Throws Error when there is none.
Json RemarkIn(const std::string& text) {
  for (const std::string_view line : Split(text, '\n')) {
    if (line.starts_with(kRemark)) return Json::parse(line.substr(2));
  }
  throw Error("the text of an implementation is damaged: it does not say how it is launched");
}

}  // namespace

OwnKernel::OwnKernel(const OwnKernelText& text)
    : text_(text), launch_(ParseLaunchFile(text.launch, text.launch_path, text.type)) {}

void OwnKernel::Take(const dsl::Spec& spec, const load::LoadedSpace& loaded,
                     const std::shared_ptr<const runtime::Instance>& instance,
                     const DecidedValues& values) {
  instance_ = instance;
  values_ = &values;
  grounded_.reserve(launch_.terms.size());
  for (std::size_t i = 0; i < launch_.terms.size(); ++i) {
    try {
      grounded_.emplace_back(*instance_, loaded.terms.at(i), launch_.terms[i].text);
    } catch (const Error& error) {
      throw UsageError(fmt::format("{}: {}", launch_.terms[i].name, error.what()));
    }
  }
  const runtime::Candidate root(instance_);
  const auto take_elements = [&](LaunchFile::Argument& argument) {
    const dsl::TermText& term = launch_.terms[*argument.term];
    if (spec.terms.at(*argument.term).is_decided) {
      throw UsageError(fmt::format(
          "{}: '{}' depends on a decision; arrays are the same for all implementations, because "
          "their results are compared",
          term.name, term.text));
    }
    const std::int64_t elements = Value(*argument.term, root);
    if (elements < 1 || elements > kMostElements) {
      throw UsageError(fmt::format("{}: '{}' is {}; an array has 1 to 2^40 elements", term.name,
                                   term.text, elements));
    }
    argument.is.elements = static_cast<std::uint64_t>(elements);
  };
  for (LaunchFile::Argument& argument : launch_.arguments) {
    if (argument.is.is_array()) take_elements(argument);
  }
  for (LaunchFile::Argument& constant : launch_.constants) take_elements(constant);
  FindDefault();
}

void OwnKernel::FindDefault() {
  kernels::Recipe recipe{"the default configuration", {}, true};
  const std::string place = text_.launch_path + ": default";
  for (const auto& [name, value] : launch_.defaults.items()) {
    recipe.wishes.push_back(values_->WishOf(*instance_, place, name, value));
  }
  const runtime::Candidate root(instance_);
  const Followed followed = Follow(recipe, root, ChoiceOrder::Parse("", *instance_));
  if (!followed.implementation) {
    throw UsageError(fmt::format("{}: no implementation of the space is like this", place));
  }
  default_ = followed.implementation;
  const Json has = values_->JsonOf(values_->TextOf(*default_));
  for (const auto& [name, value] : launch_.defaults.items()) {
    if (has.at(name) == value) continue;
    throw UsageError(
        fmt::format("{}: no implementation of the space has {} = {} with what stands before it",
                    place, name, value.dump()));
  }
  if (launch_.defaults.size() < has.size()) {
    note_ =
        fmt::format("results are compared with those of the default configuration, {}", has.dump());
  }
}

std::int64_t OwnKernel::Value(LaunchFile::TermNumber term,
                              const runtime::Candidate& implementation) const {
  const runtime::TermInterval value = grounded_.at(term).Over(implementation);
  if (!value.IsOne()) {
    throw Error(
        fmt::format("{}: '{}' has no value", launch_.terms[term].name, launch_.terms[term].text));
  }
  return value.min;
}

std::string OwnKernel::RemarkOf(const runtime::Candidate& implementation) const {
  kernels::OwnLaunch launch;
  const auto fill = [&](const std::vector<LaunchFile::TermNumber>& terms,
                        std::array<std::int64_t, 3>& axes) {
    for (std::size_t i = 0; i < terms.size(); ++i) axes.at(i) = Value(terms[i], implementation);
  };
  fill(launch_.grid, launch.grid);
  fill(launch_.block, launch.block);
  fill(launch_.cluster, launch.cluster);
  if (launch_.shared) launch.shared = Value(*launch_.shared, implementation);
  for (const LaunchFile::Argument& argument : launch_.arguments) {
    if (argument.is.is_array()) continue;
    launch.scalars.push_back(argument.real
                                 ? *argument.real
                                 : static_cast<double>(Value(*argument.term, implementation)));
  }
  Json defines = Json::object();
  for (const auto& [name, term] : launch_.defines) defines[name] = Value(term, implementation);
  return "# " + Json{{"launch", launch}, {"defines", defines}}.dump() + "\n";
}

Json OwnKernel::LaunchOf(const std::string& text) {
  return RemarkIn(text).at("launch");
}

std::string OwnKernel::DefinesOf(const std::string& text) const {
  std::string lines;
  for (const auto& [name, value] : values_->MacrosOf(text)) {
    lines += fmt::format("#define {} {}\n", name, value);
  }
  const Json remark = RemarkIn(text);
  for (const auto& [name, value] : remark.at("defines").items()) {
    lines += fmt::format("#define {} {}\n", name, value.dump());
  }
  return lines;
}

kernels::OwnKernelTask OwnKernel::Task() const {
  const std::string text = values_->TextOf(*default_) + RemarkOf(*default_);
  kernels::OwnKernelTask task;
  task.path = text_.path;
  task.text = text_.text;
  task.entry = text_.entry;
  task.options = launch_.options;
  for (const LaunchFile::Argument& argument : launch_.arguments) {
    task.arguments.push_back(argument.is);
  }
  for (const LaunchFile::Argument& constant : launch_.constants) {
    task.constants.push_back(constant.is);
  }
  task.tolerance = launch_.tolerance;
  task.reference_defines = DefinesOf(text);
  LaunchOf(text).get_to(task.reference);
  return task;
}

}  // namespace exh::search
