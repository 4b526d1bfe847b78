// SPDX-License-Identifier: MIT
#include "tests/functional/mapped_cases.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <stdexcept>
#include <utility>

#include "functional/lift/judge.h"
#include "kernels/cpu/compare.h"
#include "search/descend/choice_order.h"
#include "search/descend/descent.h"
#include "search/functional/joint_space.h"
#include "search/functional/program_workload.h"
#include "tests/cuda_shim/shim_source.h"
#include "tests/support/compiled_texts.h"

namespace exh::tests {
namespace {

using functional::Codes;

functional::ProgramLimits Limits() {
  functional::ProgramLimits limits;
  limits.threads = 96;  // So that some threads have several elements.
  return limits;
}

std::string TextOf(const Codes& codes) {
  std::string text;
  for (const int code : codes) text += (text.empty() ? "" : " ") + std::to_string(code);
  return text;
}

/// Of an implementation of lift.exh.
Codes CodesOfTree(const runtime::Candidate& implementation) {
  const runtime::Instance& instance = implementation.instance();
  const int choice = instance.FindChoice("code");
  Codes codes;
  for (runtime::Object map = 0;; ++map) {
    const auto decision = instance.FindDecision(choice, {&map, 1});
    if (!decision) return codes;
    const auto value = static_cast<std::size_t>(implementation.FirstValue(decision->id));
    codes.push_back(static_cast<int>(instance.universe(decision->id)[value]));
  }
}

bool Allows(const runtime::Instance& instance, runtime::Candidate candidate, const Codes& codes) {
  const int choice = instance.FindChoice("code");
  for (runtime::Object map = 0; map < codes.size(); ++map) {
    const auto decision = instance.FindDecision(choice, {&map, 1});
    const auto universe = instance.universe(decision->id);
    const auto value = std::ranges::find(universe, static_cast<std::uint32_t>(codes[map]));
    if (candidate.Take(decision->id, static_cast<int>(value - universe.begin())) ==
        runtime::Propagation::kDeadEnd) {
      return false;
    }
  }
  return true;
}

/// What is wrong with a run in this order of threads; empty: it is right.
std::string Compared(exh_shim::RunFunction run, const kernels::cpu::Problem& problem, int order,
                     Spoil spoils_input, Spoil spoils_output) {
  std::vector<std::vector<float>> arrays;
  std::vector<std::vector<unsigned char>> written;
  for (const kernels::cpu::ProblemArray& array : problem.arrays) {
    arrays.emplace_back(array.elements(), std::nanf(""));
    written.emplace_back(array.elements(), 0);
    if (!array.is_output) {
      std::copy_n(reinterpret_cast<const float*>(array.values.data()), array.elements(),
                  arrays.back().begin());
      if (spoils_input != nullptr) {
        std::ranges::transform(arrays.back(), arrays.back().begin(), spoils_input);
      }
    }
  }
  std::vector<void*> pointers;
  std::vector<unsigned char*> counts;
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    pointers.push_back(arrays[i].data());
    counts.push_back(written[i].data());
  }
  char error[512] = "";
  run(pointers.data(), nullptr, counts.data(), error, sizeof(error), order);
  if (*error != 0) return error;
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    if (!problem.arrays[i].is_output) continue;
    if (spoils_output != nullptr)
      std::ranges::transform(arrays[i], arrays[i].begin(), spoils_output);
    const std::string why =
        kernels::cpu::Compare(problem.arrays[i], std::as_bytes(std::span(arrays[i]))).why;
    if (!why.empty()) return why;
  }
  return "";
}

}  // namespace

std::optional<Codes> DrawMapping(const std::shared_ptr<const runtime::Instance>& instance,
                                 Random& random) {
  for (int attempt = 0; attempt < 20; ++attempt) {
    runtime::Candidate candidate(instance);
    const int choice = instance->FindChoice("code");
    bool is_dead = false;
    for (auto open = candidate.FirstOpen(choice); open != runtime::kNoDecision && !is_dead;
         open = candidate.FirstOpen(choice)) {
      std::vector<int> values;
      candidate.ForEachValue(open, [&](int value) { values.push_back(value); });
      const int value = values[random.Below(values.size())];
      is_dead = candidate.Take(open, value) == runtime::Propagation::kDeadEnd;
    }
    if (!is_dead && candidate.IsImplementation()) return CodesOfTree(candidate);
  }
  return std::nullopt;
}

std::vector<Codes> ForbiddenBy(bool lift::Rules::*rule, const search::MappedProgram& program,
                               int most, int attempts) {
  lift::Rules rules;
  const lift::TreeFile tree = program.Tree();
  const auto all = lift::FreezeTree(tree.maps, rules);
  rules.*rule = false;
  const auto dropped = lift::FreezeTree(tree.maps, rules);
  Random random(5);
  std::vector<Codes> forbidden;
  for (int i = 0; i < attempts && static_cast<int>(forbidden.size()) < most; ++i) {
    const auto codes = DrawMapping(dropped, random);
    if (codes && !Allows(*all, runtime::Candidate(all), *codes)) forbidden.push_back(*codes);
  }
  return forbidden;
}

void Mapped::MakeProblems(const functional::Assignment& values) {
  for (const kernels::CheckedProblem& one : kernels::kCheckedProblems) {
    problems.push_back(search::ProblemOf(*program, values, one).value());
  }
}

Mapped& MappedCases::NewMapped(const std::string& name, const std::string& text,
                               const functional::Given& given) {
  mapped_.push_back(std::make_unique<Mapped>());
  Mapped& mapped = *mapped_.back();
  mapped.name = name;
  mapped.program = std::make_unique<search::MappedProgram>(name, text, given);
  mapped.MakeProblems(mapped.program->Values());
  return mapped;
}

void MappedCases::AddRandom(const std::string& name, const std::string& text,
                            const functional::Given& given, int mappings,
                            const lift::Rules& rules) {
  const search::MappedProgram program(name, text, given);
  const auto instance = lift::FreezeTree(program.Tree().maps, rules);
  Random random(static_cast<std::uint64_t>(mappings) + name.size());
  std::vector<Codes> drawn;
  for (int i = 0; i < mappings; ++i) {
    auto codes = DrawMapping(instance, random);
    if (!codes) throw std::runtime_error("no mapping of " + name + " was found");
    drawn.push_back(*std::move(codes));
  }
  Add(name, text, given, drawn);
}

void MappedCases::Add(const std::string& name, const std::string& text,
                      const functional::Given& given, const std::vector<Codes>& mappings) {
  const Mapped& mapped = NewMapped(name, text, given);
  for (const Codes& codes : mappings) {
    try {
      cases_.push_back(
          {&mapped, TextOf(codes),
           search::SourceOf(*mapped.program, mapped.program->Values(), {codes}, Limits())});
    } catch (const functional::Unlowerable& why) {
      refused_.push_back(name + ", " + TextOf(codes) + ": " + why.what());
    }
  }
}

void MappedCases::AddJoint(const std::string& name, const std::string& text,
                           const functional::Given& given, int implementations) {
  mapped_.push_back(std::make_unique<Mapped>());
  Mapped& mapped = *mapped_.back();
  mapped.name = name;
  mapped.program = std::make_unique<search::MappedProgram>(name, text, given);
  const auto instance = search::FreezeJoint(mapped.program->constraints(),
                                            lift::MakeProgram(mapped.program->Tree().maps, {}));
  const search::ChoiceOrder order = search::ChoiceOrder::Parse("", *instance);
  search::Descender descender(order);
  Random random(7);
  for (int i = 0; i < implementations;) {
    const auto result = descender.Run(runtime::Candidate(instance), random, [](const auto&) {});
    if (result != search::DescentResult::kImplementation) continue;
    ++i;
    const auto values = search::ValuesOf(mapped.program->program(), descender.candidate());
    const Codes codes = search::CodesOf(descender.candidate());
    if (mapped.problems.empty()) mapped.MakeProblems(values);
    std::string what;
    for (const auto& [parameter, value] : values) {
      what += parameter + "=" + std::to_string(value) + " ";
    }
    try {
      cases_.push_back({&mapped, what + TextOf(codes),
                        search::SourceOf(*mapped.program, values, {codes}, Limits())});
    } catch (const functional::Unlowerable& why) {
      refused_.push_back(name + ", " + what + TextOf(codes) + ": " + why.what());
    }
  }
}

void MappedCases::AddAsWritten(const std::string& name, const std::string& text,
                               const functional::Given& given) {
  const Mapped& mapped = NewMapped(name, text, given);
  const auto codes = functional::CodesOf(mapped.program->program());
  cases_.push_back({&mapped, "as written",
                    search::SourceOf(*mapped.program, mapped.program->Values(), codes, Limits())});
}

void MappedCases::Run(
    const std::function<void(const MappedCase&, const std::string&)>& seen) const {
  const auto facts = [](const MappedCase& of) {
    std::vector<exh_shim::ArrayFacts> arrays;
    for (const kernels::cpu::ProblemArray& array : of.mapped->problems.front().view.arrays) {
      arrays.push_back({array.name, array.elements(), array.is_output, 4});
    }
    return arrays;
  };
  const kernels::testing::CompiledTexts texts(
      cases_.size(),
      [&](std::size_t i) {
        return exh_shim::ShimSource({cases_[i].source.text, cases_[i].source.gpu->launch},
                                    facts(cases_[i]), 0, i);
      },
      exh_shim::kPrologue, exh_shim::CompilerFlags());
  for (std::size_t i = 0; i < cases_.size(); ++i) {
    const auto run =
        reinterpret_cast<exh_shim::RunFunction>(texts.Find(i, "exh_shim_run_" + std::to_string(i)));
    if (run == nullptr) {
      seen(cases_[i], texts.CompilerError(i));
      continue;
    }
    for (const int order : {0, 1, 77}) {
      std::string why;
      for (std::size_t number = 0; why.empty() && number < std::size(kernels::kCheckedProblems);
           ++number) {
        // What orders of threads change, they change on any problem.
        if (number > 0 && order != 1) break;
        why = Compared(run, cases_[i].mapped->problems[number].view, order, spoils_input_,
                       spoils_output_);
        if (!why.empty()) why += std::string(" ") + kernels::kCheckedProblems[number].what;
      }
      seen(cases_[i], why);
    }
  }
}

int MappedCases::CountWrong() const {
  std::set<const MappedCase*> wrong;
  Run([&](const MappedCase& of, const std::string& mistake) {
    if (!mistake.empty()) wrong.insert(&of);
  });
  return static_cast<int>(wrong.size());
}

}  // namespace exh::tests
