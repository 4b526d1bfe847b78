// SPDX-License-Identifier: MIT
#include "tests/kernels/fused/program_run.h"

#include <gtest/gtest.h>

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

}  // namespace

std::string Compared(const Graph& graph, const Program& program, const RunArrays& run) {
  const OperatorProblem problem(graph, program, 7, std::size_t{1} << 30);
  const cpu::Problem view = problem.View();
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
    const cpu::Comparison comparison = cpu::Compare(view.arrays[i], arrays[i]);
    if (!comparison.why.empty()) return comparison.why;
  }
  return "";
}

void ExpectRight(const std::vector<CpuProgram>& programs) {
  const kernels::testing::CompiledTexts texts(
      programs.size(), [&](std::size_t i) { return Unique(programs[i].text, i); }, "",
      "-O1 -fopenmp -Wall -Werror -Wno-unused-variable");
  for (std::size_t i = 0; i < programs.size(); ++i) {
    using RunFunction = void (*)(void* const*, const double*, int);
    const auto run = reinterpret_cast<RunFunction>(texts.Find(i, "exh_run_" + std::to_string(i)));
    ASSERT_NE(run, nullptr) << texts.CompilerError(i) << programs[i].text;
    EXPECT_EQ(Compared(*programs[i].graph, *programs[i].program,
                       [&](const std::vector<void*>& arrays, const cpu::Problem&) {
                         run(arrays.data(), nullptr, 2);
                         return std::string();
                       }),
              "")
        << programs[i].name << "\n"
        << programs[i].text;
  }
}

}  // namespace exh::kernels::fused::testing
