// SPDX-License-Identifier: MIT
//
// The example of kernels/README.md: a kernel that is not in the library, built, searched at random,
// run and checked. The text in the README is the text here.
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <sstream>

#include "kernels/codegen/interpreter.h"
#include "kernels/codegen/plan/lowered_code.h"
#include "kernels/problem.h"
#include "kernels/task.h"
#include "search/descend/descent.h"
#include "tests/kernels/space/sample.h"
#include "tests/support/tree.h"

namespace exh::kernels {
namespace {

using ir::ArrayId, ir::AxisRef, ir::InRegisters, ir::MayStage, ir::Op, ir::Value;

class Add final : public Kernel {
 public:
  std::string_view name() const override { return "add"; }
  std::string_view summary() const override { return "z = x + y"; }
  std::vector<Parameter> parameters() const override { return {{"n", 1024, 1, 1 << 28, "length"}}; }

  void Build(ir::Builder& b, const Parameters& sizes) const override {
    const auto n = static_cast<std::uint32_t>(sizes.at("n"));
    // From here on as in kernels/README.md.
    const ArrayId x = b.InputArray("x", n), y = b.InputArray("y", n), z = b.OutputArray("z", n);
    const AxisRef axis = b.Axis("n", n, {{2, 1024}, {2, 16}});  // tile levels and their sizes
    const Value load_x = b.Load("load_x", x, {{axis, 1}});      // a loop nest of its own
    const Value load_y = b.Load("load_y", y, {{axis, 1}});
    const Value add = b.Compute("add", Op::kAdd, {axis}, {MayStage(load_x), MayStage(load_y)});
    b.Store("store_z", z, {{axis, 1}}, InRegisters(add));
  }

  void Reference(const Parameters&, ProblemData& data) const override {
    const auto x = data.at("x").values.As<float>(), y = data.at("y").values.As<float>();
    for (std::size_t i = 0; i < x.size(); ++i) {
      data.at("z").reference.push_back(double{x[i]} + double{y[i]});
      data.at("z").tolerance.push_back(1e-6);
    }
  }
  double Flops(const Parameters& sizes) const override {
    return static_cast<double>(sizes.at("n"));
  }
  std::string NaiveSource(const Parameters&) const override { return ""; }
  std::string EigenSource(const Parameters&) const override { return ""; }
};

TEST(ExampleKernel, IsBuiltSearchedAndRight) {
  const Add kernel;
  const Task task = MakeTask(kernel, {{"n", 96}}, testing::TestDevice(16));
  ASSERT_FALSE(task.root_failed);
  const ProblemData problem = MakeProblem(task, 1);
  const auto order = search::ChoiceOrder::Default(*task.instance);
  search::Descender descender(order);
  Random random(5);
  const runtime::Candidate root(task.instance);
  for (int i = 0; i < 50; ++i) {
    ASSERT_EQ(descender.Run(root, random, [](const search::DeadEnd&) {}),
              search::DescentResult::kImplementation);
    const codegen::Schedule schedule = ExtractSchedule(task, descender.candidate());
    const codegen::LoweredCode code = codegen::LowerSchedule(*task.function, schedule);
    ASSERT_EQ(code.error, "");
    codegen::InterpreterData data;
    for (const ir::Array& array : task.function->arrays) {
      const auto values = problem.find(array.name)->second.values.As<float>();
      data.arrays.emplace_back(values.begin(), values.end());
      data.arrays.back().resize(array.elements, std::nan(""));
    }
    ASSERT_EQ(codegen::Interpret(code, data).error, "");
    for (std::size_t e = 0; e < 96; ++e) {
      ASSERT_NEAR(data.arrays[2][e], problem.find("z")->second.reference[e], 1e-6);
    }
  }
}

std::string WithoutBlanks(const std::string& path) {
  std::ifstream file(std::string(kSourceDir) + "/" + path);
  std::string text, word;
  while (file >> word) text += word;
  return text;
}

TEST(ExampleKernel, IsTheOneOfTheReadme) {
  const std::string readme = WithoutBlanks("kernels/README.md");
  const std::size_t begin = readme.find("```cpp") + 6;
  const std::string example = readme.substr(begin, readme.find("```", begin) - begin);
  EXPECT_GT(example.size(), 200u);
  EXPECT_NE(WithoutBlanks("tests/kernels/example_kernel_test.cc").find(example), std::string::npos);
}

}  // namespace
}  // namespace exh::kernels
