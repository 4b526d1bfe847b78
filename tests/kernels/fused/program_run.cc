// SPDX-License-Identifier: MIT
#include "tests/kernels/fused/program_run.h"

#include <gtest/gtest.h>

#include <map>

#include "kernels/cpu/compare.h"
#include "kernels/fused/run/problem.h"
#include "tests/support/compiled_texts.h"

namespace exh::kernels::fused::testing {
namespace {

/// Several texts share a file.
std::string Unique(const std::string& text, std::size_t number) {
  const std::string name = "exh_run(";
  std::string unique = text;
  unique.replace(unique.find(name), name.size(), "exh_run_" + std::to_string(number) + "(");
  return "namespace t" + std::to_string(number) + " {\n" + unique + "}\n";
}

std::string ComparedOn(const cpu::Problem& view, const RunArrays& run) {
  std::vector<std::vector<std::byte>> arrays;
  std::vector<void*> pointers;
  for (const cpu::ProblemArray& array : view.arrays) {
    arrays.emplace_back(array.values.begin(), array.values.end());
    if (array.is_output) {
      arrays.back().resize(array.elements() * ir::BytesOf(array.type), std::byte{0x5a});
    }
    pointers.push_back(arrays.back().data());
  }
  const std::string error = run(pointers, view);
  if (!error.empty()) return error;
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    if (!view.arrays[i].is_output) continue;
    const cpu::OutputComparison comparison = cpu::Compare(view.arrays[i], arrays[i]);
    if (!comparison.why.empty()) return comparison.why;
  }
  return "";
}

}  // namespace

AllProblems::AllProblems(const Graph& graph, const OperatorProgram& program) {
  for (const CheckedProblem& one : kCheckedProblems) {
    problems_.push_back(std::make_unique<OperatorProblem>(
        graph, program, one.seed, std::uint64_t{1} << 30, nullptr, one.inputs));
  }
}

std::string AllProblems::Compared(const RunArrays& run) const {
  for (std::size_t i = 0; i < problems_.size(); ++i) {
    const std::string why = ComparedOn(problems_[i]->View(), run);
    if (!why.empty()) return why + " " + kCheckedProblems[i].what;
  }
  return "";
}

void ExpectRight(const std::vector<CpuProgram>& programs) {
  const kernels::testing::CompiledTexts texts(
      programs.size(), [&](std::size_t i) { return Unique(programs[i].text, i); }, "",
      "-O1 -fopenmp -Wall -Werror -Wno-unused-variable");
  std::map<const OperatorProgram*, AllProblems> problems;
  for (std::size_t i = 0; i < programs.size(); ++i) {
    using RunFunction = void (*)(void* const*, const double*, int);
    const auto run = reinterpret_cast<RunFunction>(texts.Find(i, "exh_run_" + std::to_string(i)));
    ASSERT_NE(run, nullptr) << texts.CompilerError(i) << programs[i].text;
    const AllProblems& of =
        problems.try_emplace(programs[i].program, *programs[i].graph, *programs[i].program)
            .first->second;
    EXPECT_EQ(of.Compared([&](const std::vector<void*>& arrays, const cpu::Problem&) {
      run(arrays.data(), nullptr, 2);
      return std::string();
    }),
              "")
        << programs[i].name << "\n"
        << programs[i].text;
  }
}

}  // namespace exh::kernels::fused::testing
