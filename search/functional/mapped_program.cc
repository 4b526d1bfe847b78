// SPDX-License-Identifier: MIT
#include "search/functional/mapped_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "base/check.h"
#include "base/error.h"
#include "base/numbers.h"
#include "base/random.h"
#include "base/spelling.h"
#include "dsl/diagnostics/render.h"
#include "functional/functional.h"
#include "functional/lift/program_file.h"
#include "load/load.h"
#include "search/descend/choice_order.h"
#include "search/descend/descent.h"
#include "search/solve/functional_file.h"

namespace exh::search {
namespace {

using functional::ProgramRequirement;

bool Holds(const ProgramRequirement& requirement, std::int64_t a, std::int64_t b) {
  const std::string& op = requirement.op;
  if (op == "%") return b != 0 && a % b == 0;
  if (op == "<=") return a <= b;
  if (op == "<") return a < b;
  if (op == ">=") return a >= b;
  if (op == ">") return a > b;
  return (a == b) == (op == "==");
}

}  // namespace

MappedProgram::MappedProgram(const std::string& name, const std::string& text,
                             const functional::Given& given)
    : name_(name) {
  dsl::DiagnosticSink sink;
  program_ = functional::ReadText(name, text, given, sink);
  if (program_ == nullptr) throw UsageError(MistakesOf(sink));
  constraints_ = functional::ExhText(*program_, sink.sources());
}

functional::Assignment MappedProgram::Values() const {
  functional::Assignment values;
  std::vector<std::string> open;
  for (const functional::ProgramParameter& parameter : program_->parameters) {
    if (parameter.values.size() == 1) {
      values[parameter.name] = parameter.values[0];
    } else {
      open.push_back(parameter.name);
    }
  }
  if (!open.empty()) {
    throw UsageError(
        fmt::format("to run one mapping the parameters must have values: --size {}=…\n"
                    "search solve --space {} --sample 1 shows values that go together",
                    fmt::join(open, "=…,"), name_));
  }
  const functional::Terms& terms = program_->terms;
  for (const ProgramRequirement& requirement : program_->requirements) {
    const auto left = terms.Evaluate(requirement.left, values);
    const auto right = terms.Evaluate(requirement.right, values);
    if (left && right && Holds(requirement, *left, *right)) continue;
    throw UsageError(fmt::format("with these values a requirement does not hold: {} ({} {} {})",
                                 requirement.why, terms.Text(requirement.left), requirement.op,
                                 terms.Text(requirement.right)));
  }
  return values;
}

void MappedProgram::CheckLengths(bool of_all) const {
  std::set<std::string> open;
  for (const functional::ProgramParameter& parameter : program_->parameters) {
    if (parameter.values.size() > 1) open.insert(parameter.name);
  }
  const auto check = [&](const std::string& what, const functional::DataType* type) {
    for (; !type->items.empty() || type->kind == functional::DataType::Kind::kVector;
         type = type->items[0].get()) {
      for (const std::string& name : program_->terms.ParametersOf(type->length)) {
        if (!open.contains(name)) continue;
        throw UsageError(
            fmt::format("a length of '{}' depends on the parameter '{}', so its values cannot be "
                        "compared: give "
                        "it one, --size {}=…, or join and transpose what is calculated",
                        what, name, name));
      }
      if (type->items.empty()) break;
    }
  };
  for (const functional::ProgramKernel& kernel : program_->kernels) {
    const bool is_last = &kernel == &program_->kernels.back();
    if (of_all || is_last) check(kernel.name, kernel.result->type.get());
  }
}

std::vector<functional::Assignment> MappedProgram::SomeValues(std::size_t most) const {
  dsl::DiagnosticSink sink;
  const auto loaded = load::LoadText("inferred", constraints_, sink);
  if (!loaded) throw Error("the parameters of a program:\n" + dsl::RenderText(sink));
  const auto instance = load::Freeze(*loaded);
  std::vector<functional::Assignment> all;
  if (instance->root_result() == runtime::Propagation::kDeadEnd) return all;
  const ChoiceOrder order = ChoiceOrder::Parse("", *instance);
  Descender descender(order);
  Random random(1);
  constexpr int kAttempts = 1000;
  for (int attempt = 0; attempt < kAttempts && all.size() < most; ++attempt) {
    const auto result = descender.Run(runtime::Candidate(instance), random, [](const auto&) {});
    if (result != DescentResult::kImplementation) continue;
    all.push_back(ValuesOf(*program_, descender.candidate()));
  }
  return all;
}

void MappedProgram::AllowVectors(std::vector<lift::Map>& maps) const {
  constexpr std::size_t kLookedAt = 8;
  const bool has_open = std::ranges::any_of(
      program_->parameters,
      [](const functional::ProgramParameter& parameter) { return parameter.values.size() > 1; });
  if (!has_open) return;  // The tree knows.
  bool is_first = true;
  for (const functional::Assignment& values : SomeValues(kLookedAt)) {
    const auto can = functional::VectorMaps(*program_, program_->kernels[0], values);
    if (!can) continue;
    for (lift::Map& map : maps) {
      map.may_vectorise = (*can)[map.id] && (is_first || map.may_vectorise);
    }
    is_first = false;
  }
}

lift::TreeFile MappedProgram::Tree() const {
  try {
    lift::TreeFile tree = lift::TreeOfKernels(*program_);
    AllowVectors(tree.maps);
    return tree;
  } catch (const UsageError&) {
    throw;
  } catch (const Error& error) {
    throw UsageError(error.what());
  }
}

namespace {

/// Of a choice without arguments; nothing: there is none of this name.
std::optional<std::int64_t> NumberOf(const runtime::Candidate& implementation,
                                     const std::string& name) {
  const runtime::Instance& instance = implementation.instance();
  const int choice = instance.FindChoice(name);
  if (choice < 0) return std::nullopt;
  const auto decision = instance.FindDecision(choice, {});
  EXH_CHECK(decision);
  const auto value = static_cast<std::size_t>(implementation.FirstValue(decision->id));
  return instance.universe(decision->id)[value];
}

}  // namespace

functional::Assignment ValuesOf(const functional::Program& program,
                                const runtime::Candidate& implementation) {
  functional::Assignment values;
  for (const functional::ProgramParameter& parameter : program.parameters) {
    const auto number = NumberOf(implementation, parameter.name);
    EXH_CHECK(number);
    values[parameter.name] = *number;
  }
  return values;
}

functional::Codes CodesOf(const runtime::Candidate& implementation) {
  functional::Codes codes;
  while (const auto code = NumberOf(implementation, fmt::format("code_{}", codes.size()))) {
    codes.push_back(static_cast<int>(*code));
  }
  return codes;
}

functional::Codes ParseMapping(const std::string& text, const lift::TreeFile& tree) {
  functional::Codes codes(tree.maps.size(), -1);
  std::vector<std::string> names;
  for (const lift::Map& map : tree.maps) names.push_back(map.name());
  for (const auto& [name, value] : ParseAssignments(text, "--mapping")) {
    const auto found = std::ranges::find(names, name);
    if (found == names.end()) throw UsageError(UnknownName("map", std::string(name), names));
    const auto code = ParseInteger(value);
    const bool fits = code && ((*code >= 0 && *code <= 2) ||
                               (*code / 10 >= 1 && *code / 10 <= 3 && *code % 10 <= 2));
    if (!fits) {
      throw UsageError(fmt::format(
          "bad code {}={}: 0 to 2, 10 to 12, 20 to 22 or 30 to 32 (docs/lift.md)", name, value));
    }
    codes[static_cast<std::size_t>(found - names.begin())] = static_cast<int>(*code);
  }
  return codes;
}

}  // namespace exh::search
