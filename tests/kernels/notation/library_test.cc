// SPDX-License-Identifier: MIT
//
// The kernels of the library are texts. Their backbones are those of the same kernels written by
// hand: names, operands, axes, tiles, strides and numbers.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "kernels/ir/builder.h"
#include "kernels/library/text_kernel.h"
#include "tests/dsl/expectations.h"
#include "tests/kernels/notation/texts.h"
#include "tests/kernels/oracle/kernels.h"

namespace exh::kernels {
namespace {

using notation::Sizes;

using Maker = std::unique_ptr<Kernel> (*)();

struct Pair {
  std::string name;
  Maker make;
  std::vector<Sizes> sizes;  ///< Beside the defaults.
};

const std::vector<Pair>& Pairs() {
  static const std::vector<Pair> kPairs = {
      {"axpy", MakeAxpy, {{{"n", 97}}, {{"n", 1}}, {{"n", 4096}, {"inner_tile", 4}}}},
      {"mv", MakeMv, {{{"m", 12}, {"n", 30}}, {{"m", 1}, {"n", 1}}}},
      {"matmul",
       MakeMatmul,
       {{{"m", 12}, {"n", 30}, {"k", 7}},
        {{"m", 8}, {"n", 16}, {"k", 4}, {"transpose_a", 1}},
        {{"m", 8}, {"n", 16}, {"k", 4}, {"transpose_b", 1}, {"relu", 1}},
        {{"m", 8}, {"n", 16}, {"k", 4}, {"transpose_a", 1}, {"transpose_b", 1}, {"a_stride", 3}},
        {{"a_stride", 32}},
        {{"k_tile", 1}, {"inner_tile", 4}},
        {{"m", 1}, {"n", 1}, {"k", 1}, {"relu", 1}}}},
      {"gesummv", MakeGesummv, {{{"m", 12}, {"n", 30}}, {{"m", 1}, {"n", 1}}}},
      {"batched_matmul",
       MakeBatchedMatmul,
       {{{"batch", 6}, {"m", 4}, {"n", 5}, {"k", 7}},
        {{"transpose_a", 1}},
        {{"transpose_b", 1}},
        {{"reuse_b", 1}},
        {{"reuse_b", 1}, {"transpose_a", 1}, {"transpose_b", 1}, {"batch", 1}}}},
      {"matmul2", MakeMatmul2, {{{"m", 4}, {"n", 6}, {"k", 10}, {"p", 14}}, {{"inner_tile", 4}}}},
  };
  return kPairs;
}

std::string InputsText(const ir::Function& function, const ir::Instruction& inst) {
  std::string text;
  for (const ir::Communication& comm : function.comms) {
    if (comm.consumer != inst.id) continue;
    text += fmt::format("  {} operand {}{}:", comm.name(), comm.operand,
                        comm.may_lower ? " may be staged" : "");
    for (const ir::PairId id : comm.pairs) {
      const ir::DimPair& pair = function.pair(id);
      text += fmt::format(" {}={}", function.dim(pair.src).name(), function.dim(pair.dst).name());
    }
    text += "\n";
  }
  return text;
}

/// All of a function by name: instructions in another order are the same function.
std::map<std::string, std::string> Described(const ir::Function& function) {
  std::map<std::string, std::string> all;
  int position = 0;
  for (const ir::Array& array : function.arrays) {
    all["array " + array.name] =
        fmt::format("{}: {} elements, {}", position++, array.elements,
                    array.role == ir::ArrayRole::kInput ? "input" : "output");
  }
  position = 0;
  for (const ir::Scalar& scalar : function.scalars) {
    all["scalar " + scalar.name] = fmt::format("{}: {}", position++, scalar.value);
  }
  const std::string outline = notation::testing::OutlineOf(function);
  std::size_t at = 0;
  for (const ir::Instruction& inst : function.insts) {
    const std::size_t end = outline.find('\n', at);
    std::string text = outline.substr(at, end - at) + "\n" + InputsText(function, inst);
    at = end + 1;
    for (const ir::DimId id : inst.dims) {
      const ir::Dimension& dim = function.dim(id);
      text += fmt::format("  {} level {} of {} ({}): {}{}{}\n", dim.name(), dim.level,
                          function.logical(dim.logical).name, function.logical(dim.logical).total,
                          fmt::join(dim.sizes, " "), dim.is_reduction ? ", reduces" : "",
                          dim.innermost_level ? ", innermost" : "");
    }
    all[inst.name()] = text;
  }
  return all;
}

class LibraryKernel : public ::testing::TestWithParam<Pair> {};

TEST_P(LibraryKernel, IsTheOneThatIsWrittenInCpp) {
  const std::string path =
      std::string(EXH_SOURCE_DIR) + "/kernels/library/texts/" + GetParam().name + ".kernel";
  const TextKernel text(path, dsl::ReadFile(path));
  const std::unique_ptr<Kernel> cpp = GetParam().make();
  EXPECT_EQ(text.name(), cpp->name());
  EXPECT_EQ(text.summary(), cpp->summary());
  const auto parameters_of = [](const Kernel& kernel) {
    std::map<std::string, std::string> all;
    for (const Parameter& p : kernel.parameters()) {
      all[p.name] = fmt::format("{} in {}..{}: {}", p.default_value, p.min, p.max, p.what);
    }
    return all;
  };
  EXPECT_EQ(parameters_of(text), parameters_of(*cpp));
  std::vector<Sizes> all_sizes = GetParam().sizes;
  all_sizes.emplace_back();
  for (const Sizes& sizes : all_sizes) {
    Parameters parameters;
    for (const Parameter& p : cpp->parameters()) parameters[p.name] = p.default_value;
    for (const auto& [name, value] : sizes) parameters[name] = value;
    for (const bool paper : {false, true}) {
      // Of a text, axes of one iteration go (kernels/notation/axes/joined_axes.h).
      const auto has_one = [&](const char* size) {
        return parameters.count(size) != 0 && parameters[size] == 1;
      };
      static constexpr const char* kExtents[] = {"m", "n", "k", "p", "batch"};
      if (!paper && std::ranges::any_of(kExtents, has_one)) continue;
      ir::Function of_text, of_cpp;
      ir::Builder text_builder(of_text, paper), cpp_builder(of_cpp, paper);
      text.Build(text_builder, parameters);
      cpp->Build(cpp_builder, parameters);
      cpp_builder.Finish();
      EXPECT_EQ(Described(of_text), Described(of_cpp));
      EXPECT_EQ(text_builder.knows_sizes(), cpp_builder.knows_sizes());
      EXPECT_EQ(text_builder.notes(), cpp_builder.notes());
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Notation, LibraryKernel, ::testing::ValuesIn(Pairs()),
                         [](const auto& pair) { return pair.param.name; });

// Kernels that never were C++ have their reference and random implementations alone.
TEST(LibraryKernel, EachFileIsComparedWithCppOrIsOnlyText) {
  constexpr std::size_t kOnlyText = 5;  // reduce, softmax, layer_norm, dot, moments
  EXPECT_EQ(dsl::FilesIn("kernels/library/texts", ".kernel").size(), Pairs().size() + kOnlyText);
}

}  // namespace
}  // namespace exh::kernels
