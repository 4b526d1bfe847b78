// SPDX-License-Identifier: MIT
//
// What all languages say, as kernels: the text of each computes what the original does.
#include "kernels/text/kernel_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "base/error.h"
#include "base/random.h"
#include "functional/expression/expression.h"
#include "functional/expression/kernel.h"
#include "kernels/fused/expression.h"
#include "kernels/fused/graph/read.h"
#include "kernels/fused/lower.h"
#include "kernels/fused/text/kernel.h"
#include "kernels/fused/versions.h"
#include "kernels/library/call_kernel.h"
#include "kernels/library/registry.h"
#include "tests/functional/programs.h"
#include "tests/functional/random_program.h"
#include "tests/kernels/fused/operator_files.h"
#include "tests/kernels/fused/operator_text.h"
#include "tests/kernels/text/same_results.h"

namespace exh::kernels::text {
namespace {

using fused::testing::GraphOf;
using fused::testing::OperationText;
using fused::testing::OperatorJson;
using ::testing::HasSubstr;

// ---- kernels ------------------------------------------------------------------------------------

TEST(KernelText, OfEachKernelComputesWhatItDoes) {
  for (const auto& kernel : AllKernels()) {
    Parameters sizes;
    for (const Parameter& size : kernel->parameters()) {
      const bool is_option = size.is_option || size.min > 7 || size.max < 7;
      sizes[size.name] = is_option ? size.default_value : 7;
    }
    ir::Function function;
    BuildBackbone(*kernel, sizes, false, function);
    const derived::Expression expression = derived::ExpressionOf(function);
    Shapes shapes;
    for (const auto& [name, layout] : kernel->Layouts(sizes)) {
      if (layout.is_dense()) shapes[name] = layout.extents;
    }
    if (kernel->name() == "scan") {
      EXPECT_THROW(KernelText(expression, shapes, {"scan", ""}), Refused);
      continue;
    }
    const std::string text = KernelText(expression, shapes, {std::string(kernel->name()), ""});
    testing::ExpectSameResults(expression, text, 1, 1);
  }
}

// ---- fused operators ----------------------------------------------------------------------------

derived::Expression ExpressionOf(const fused::Graph& graph) {
  const fused::StatementList list = fused::WrittenOnce(fused::StatementsOf(graph));
  derived::Expression expression = fused::ExpressionOf(list);
  for (std::size_t i = 0; i < list.tensors.size(); ++i) {
    expression.arrays[i].name = list.tensors[i].name;
  }
  return expression;
}

std::string TextOf(const fused::Graph& graph) {
  const std::string text = fused::KernelTextOf(graph);
  testing::ExpectSameResults(ExpressionOf(graph), text, 1);
  testing::ExpectSameResults(ExpressionOf(graph), text, 2, 1);
  return text;
}

std::string TextOf(const std::vector<std::string>& inputs,
                   const std::vector<OperationText>& operations) {
  const std::string& last = operations.back().output;
  return TextOf(GraphOf(OperatorJson(inputs, operations, {last.substr(0, last.find(':'))})));
}

TEST(KernelText, OfEachOperatorComputesWhatItDoes) {
  for (const auto& [name, graph] : fused::testing::AllOperators()) {
    SCOPED_TRACE(name);
    if (name == "layout") {  // A reshape with quotients.
      EXPECT_THROW(fused::KernelTextOf(graph), Refused);
    } else {
      TextOf(graph);
    }
  }
}

/// Three of each kind, made at random (tests/kernels/fused/operators.py).
TEST(KernelText, OfRandomOperatorsComputesWhatTheyDo) {
  std::istringstream lines(functional::FileText("tests/kernels/text/operators.jsonl"));
  int kernels = 0, refused = 0;
  for (std::string line; std::getline(lines, line);) {
    SCOPED_TRACE(line);
    const fused::ReadResult result = fused::ReadOperator(line);
    ASSERT_TRUE(result.graph.has_value()) << fused::TextOf(result.mistakes.front());
    try {
      TextOf(*result.graph);
      ++kernels;
    } catch (const Refused&) {
      ++refused;
    }
  }
  EXPECT_GE(kernels, 130);
  EXPECT_LE(refused, 5);
}

TEST(KernelText, SumsKeepTheirNames) {
  EXPECT_EQ(TextOf({"x: float16 [8, 15]"},
                   {{"Cast", {"x"}, "c: float32 [8, 15]", {{"dst_type", "float32"}}},
                    {"Mul", {"c", "c"}, "m: float32 [8, 15]"},
                    {"ReduceSum", {"m"}, "s: float32 [8]", {{"axis", 1}}}}),
            R"(/// a fused operator of 3 operations
kernel Fused_test
  input x: f16[8, 15]
  output s: f32[8]
  c[i, j] = cast(f32, x[i, j])
  s[i] = sum(j) c[i, j] * c[i, j]
end
)");
}

TEST(KernelText, OfProducts) {
  const std::string product = TextOf(
      {"a: float16 [6, 4]", "b: float16 [5, 6]", "c: float16 [5]"},
      {{"MatMul", {"a", "b"}, "p: float16 [4, 5]", {{"transpose_a", true}, {"transpose_b", true}}},
       {"Add", {"p", "c"}, "y: float16 [4, 5]"}});
  EXPECT_THAT(product, HasSubstr("sum(k) a[k, i] * b[j, k]"));
  TextOf({"a: float32 [2, 3, 4, 6]", "b: float32 [2, 3, 6, 5]"},
         {{"BatchMatMul", {"a", "b"}, "p: float32 [2, 3, 4, 5]"}});
  TextOf({"x: float16 [2, 7, 9, 3]", "w: float16 [4, 3, 3, 3]"},
         {{"Conv2D", {"x", "w"}, "y: float16 [2, 3, 4, 4]", {{"stride", {1, 1, 2, 2}}}},
          {"Maximum", {"y", "0: float16"}, "z: float16 [2, 3, 4, 4]"}});
  TextOf({"x: float32 [1, 3, 6, 5]", "w: float32 [4, 3, 3, 2]"},
         {{"Conv2D",
           {"x", "w"},
           "y: float32 [1, 4, 6, 6]",
           {{"pad_list", {2, 2, 1, 1}}, {"dilation", {1, 1, 2, 1}}, {"format", "NCHW"}}}});
}

TEST(KernelText, OfReshapesThatSplitAndMerge) {
  TextOf({"x: float32 [6, 8]"}, {{"Mul", {"x", "x"}, "y: float32 [6, 8]"},
                                 {"Reshape", {"y"}, "z: float32 [48]", {{"shape", {48}}}},
                                 {"Neg", {"z"}, "n: float32 [48]"},
                                 {"Reshape", {"n"}, "o: float32 [2, 3, 8]", {{"shape", {2, 3, 8}}}},
                                 {"ReduceSum", {"o"}, "s: float32 [3]", {{"axis", {0, 2}}}}});
  TextOf({"x: float32 [4, 6]"}, {{"Transpose", {"x"}, "t: float32 [6, 4]", {{"perm", {1, 0}}}},
                                 {"Reshape", {"t"}, "z: float32 [24]", {{"shape", {24}}}}});
}

TEST(KernelText, OfPartsAndOfWhatIsAround) {
  TextOf({"x: float32 [4, 6]"}, {{"Exp", {"x"}, "e: float32 [4, 6]"},
                                 {"PadAkg",
                                  {"e"},
                                  "p: float32 [6, 9]",
                                  {{"head", {1, 2}}, {"tail", {1, 1}}, {"pad_val", 3}}}});
  TextOf({"x: float32 [4, 6]"}, {{"PadAkg",
                                  {"x"},
                                  "p: float32 [6, 9]",
                                  {{"head", {1, 2}}, {"tail", {1, 1}}, {"pad_val", 3}}}});
  TextOf({"x: float32 [4, 6]"},
         {{"UnPadAkg", {"x"}, "p: float32 [2, 3]", {{"head", {1, 2}}, {"tail", {1, 1}}}}});
  TextOf({"x: float32 [4, 6]"}, {{"UnPadAkg", {"x"}, "p: float32 [4, 3]", {{"tail", {0, 3}}}}});
  TextOf({"x: float32 [4, 6]"},
         {{"ReduceMax", {"x"}, "m: float32 [4]", {{"axis", 1}}},
          {"UnPadAkg", {"m"}, "p: float32 [2]", {{"head", {1}}, {"tail", {1}}}}});
}

TEST(KernelText, OfConditionsAndIntegers) {
  TextOf({"x: int32 [5]"}, {{"OneHot",
                             {"x", "1: float32", "0: float32"},
                             "y: float32 [5, 4]",
                             {{"depth", 4}, {"axis", -1}}}});
  TextOf({"x: float16 [9]", "y: float16 [9]"},
         {{"LessEqual", {"x", "y"}, "l: bool [9]"},
          {"LogicalNot", {"l"}, "n: bool [9]"},
          {"Cast", {"n"}, "c: float32 [9]", {{"dst_type", "float32"}}},
          {"Select", {"l", "x", "0.1: float16"}, "s: float16 [9]"},
          {"Cast", {"s"}, "t: float32 [9]", {{"dst_type", "float32"}}},
          {"Add", {"c", "t"}, "z: float32 [9]"}});
  TextOf({"x: int8 [9]"},
         {{"Add", {"x", "x"}, "y: int8 [9]"}, {"ReduceSum", {"y"}, "z: int8 [1]", {{"axis", 0}}}});
}

TEST(KernelText, OfPartsThatHaveNothingInCommon) {
  const fused::Graph graph =
      GraphOf(OperatorJson({"x: float32 [4, 6]", "z: float32 [5]"},
                           {{"Neg", {"x"}, "a: float32 [4, 6]"},
                            {"Exp", {"z"}, "b: float32 [5]"},
                            {"Abs", {"x"}, "c: float32 [4, 6]"},
                            {"ReduceSum", {"b"}, "d: float32 [1]", {{"axis", 0}}}},
                           {"a", "b", "c", "d"}));
  EXPECT_THAT(TextOf(graph),
              HasSubstr("/// a fused operator of 4 operations; 2 independent parts"));
  EXPECT_EQ(fused::KernelTextOf(graph, 1), R"(/// a fused operator of 4 operations
kernel Fused_test_1
  input x: f32[4, 6]
  output a: f32[4, 6]
  output c: f32[4, 6]
  a[i, j] = -x[i, j]
  c[i, j] = abs(x[i, j])
end
)");
  EXPECT_EQ(fused::KernelTextOf(graph, 2), R"(/// a fused operator of 4 operations
kernel Fused_test_2
  input z: f32[5]
  output b: f32[5]
  output d: f32
  b_2[i] = exp(z[i])
  b[i] = b_2[i]
  d = sum(i) b_2[i]
end
)");
  EXPECT_THROW(fused::KernelTextOf(graph, 3), Refused);
}

// ---- functional programs ------------------------------------------------------------------------

TEST(KernelText, OfRandomProgramsComputesWhatTheyDo) {
  int refused = 0, tried = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    Random random(seed);
    const std::string program_text = tests::RandomProgram(random);
    SCOPED_TRACE(program_text);
    dsl::DiagnosticSink sink;
    const auto program = functional::ReadText("p.fun", program_text, {}, sink);
    if (program == nullptr || !program->parameters.empty()) continue;
    ++tried;
    try {
      const std::string text = functional::KernelTextOf(*program, {}, "program");
      testing::ExpectSameResults(
          functional::ExpressionOf(*program, {}, functional::Results::kInPlace), text, seed);
    } catch (const Refused&) {
      ++refused;
    }
  }
  EXPECT_GE(tried, 100);
  EXPECT_LE(refused * 2, tried);
}

/// The published convolution, and one in tiles: nothing is left of tiles and of how they are
/// joined.
TEST(KernelText, OfConvolutionsIsTheConvolution) {
  const auto text_of = [](const std::string& file, const functional::Given& given) {
    dsl::DiagnosticSink sink;
    const auto program = functional::ReadText(file, functional::FileText(file), given, sink);
    const functional::Assignment values(given.begin(), given.end());
    std::string text = functional::KernelTextOf(*program, values, "conv");
    testing::ExpectSameResults(
        functional::ExpressionOf(*program, values, functional::Results::kInPlace), text, 1);
    return text;
  };
  const std::string tiled = text_of(
      "examples/lift/programs/tiled_convolution.fun",
      {{"channels", 4}, {"side", 6}, {"kernels", 6}, {"theta", 4}, {"kappa", 2}, {"sigma", 2}});
  EXPECT_THAT(tiled, HasSubstr("outside zero"));
  const std::string published = text_of("examples/conv_space/conv.fun", {{"channels", 4},
                                                                         {"side", 6},
                                                                         {"kernels", 6},
                                                                         {"rho", 1},
                                                                         {"theta", 5},
                                                                         {"kappa", 2},
                                                                         {"sigma", 3},
                                                                         {"omega", 36},
                                                                         {"v", 1}});
  EXPECT_THAT(published, HasSubstr("outside zero"));
}

}  // namespace
}  // namespace exh::kernels::text
