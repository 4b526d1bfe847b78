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

#include "base/error.h"
#include "kernels/ir/builder.h"
#include "kernels/library/registry.h"
#include "kernels/library/text_kernel.h"
#include "tests/dsl/expectations.h"
#include "tests/kernels/notation/texts.h"
#include "tests/kernels/oracle/kernels.h"
#include "tests/support/tree.h"

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
      std::string(kSourceDir) + "/kernels/library/texts/" + GetParam().name + ".kernel";
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
TEST(LibraryKernel, SaysHowItsArraysLie) {
  const Kernel& matmul = *FindKernel("matmul");
  Parameters sizes;
  for (const Parameter& parameter : matmul.parameters()) {
    sizes[parameter.name] = parameter.default_value;
    const bool is_size = parameter.name.size() == 1;
    EXPECT_EQ(parameter.is_option, !is_size) << parameter.name;
  }
  sizes["m"] = 6, sizes["n"] = 5, sizes["k"] = 4, sizes["a_stride"] = 3, sizes["transpose_b"] = 1;
  const ArrayLayouts layouts = matmul.Layouts(sizes);
  ASSERT_EQ(layouts.size(), 3U);
  using Numbers = std::vector<std::int64_t>;
  EXPECT_EQ(layouts.at("a").extents, Numbers({6, 4}));
  EXPECT_EQ(layouts.at("a").strides, Numbers({12, 3}));
  EXPECT_FALSE(layouts.at("a").is_dense());
  EXPECT_EQ(layouts.at("b").extents, Numbers({4, 5}));
  EXPECT_EQ(layouts.at("b").strides, Numbers({1, 4}));
  EXPECT_FALSE(layouts.at("b").is_dense());
  EXPECT_TRUE(layouts.at("c").is_dense());
  // What only tiles mention says nothing of what is computed.
  EXPECT_EQ(matmul.MeaningfulParameters(),
            std::vector<std::string>(
                {"m", "n", "k", "transpose_a", "transpose_b", "relu", "a_stride", "type"}));
}

TEST(LibraryKernel, EachFileIsComparedWithCppOrIsOnlyText) {
  // reduce, softmax, layer_norm, rms_norm, logsumexp, cross_entropy, attention, scan, dot,
  // moments, conv2d
  constexpr std::size_t kOnlyText = 11;
  EXPECT_EQ(dsl::FilesIn("kernels/library/texts", ".kernel").size(), Pairs().size() + kOnlyText);
}

// ---- reduce

/// The backbone of `reduce`, as testing::OutlineOf() tells it; or the message that refuses it.
std::string ReduceOutline(const Sizes& sizes, std::string* types = nullptr) {
  const std::string path = std::string(kSourceDir) + "/kernels/library/texts/reduce.kernel";
  static const TextKernel reduce(path, dsl::ReadFile(path));
  Parameters all;
  for (const Parameter& p : reduce.parameters()) all[p.name] = p.default_value;
  for (const auto& [name, value] : sizes) all[name] = value;
  ir::Function function;
  ir::Builder builder(function);
  try {
    reduce.Build(builder, all);
  } catch (const UsageError& error) {
    return error.what();
  }
  if (types != nullptr) *types = notation::testing::TypesOf(function);
  return notation::testing::OutlineOf(function);
}

std::map<std::string, std::vector<std::string>> ReduceWords() {
  std::map<std::string, std::vector<std::string>> words;
  const std::string path = std::string(kSourceDir) + "/kernels/library/texts/reduce.kernel";
  for (const Parameter& p : TextKernel(path, dsl::ReadFile(path)).parameters()) {
    words[p.name] = p.words;
  }
  return words;
}

// Runs of before these had words go on: sum, product, smallest and largest are 0 to 3, of floats.
TEST(Reduce, NumbersMeanWhatTheyAlwaysMeant) {
  const auto words = ReduceWords();
  EXPECT_EQ(words.at("op"),
            (std::vector<std::string>{"sum", "prod", "min", "max", "any", "all", "argmax"}));
  EXPECT_EQ(words.at("type").front(), "f32");
  const auto outline = [](const std::string& name, const std::string& op, const std::string& init) {
    return fmt::format(
        "load_x(j, k) = x[8 j + k]\ninit(j) = copy({2})\n{0}(j, k: k) = {1}(load_x*) from init\n"
        "store_y(j) = {0} -> y[j]\n",
        name, op, init);
  };
  const Sizes sizes = {{"b", 4}, {"c", 8}};
  const auto with = [&](std::int64_t op) {
    Sizes all = sizes;
    all["op"] = op;
    return ReduceOutline(all);
  };
  EXPECT_EQ(with(0), outline("sum", "add", "0"));
  EXPECT_EQ(with(1), outline("prod", "mul", "1"));
  EXPECT_EQ(with(2), outline("min", "min", "inf"));
  EXPECT_EQ(with(3), outline("max", "max", "-inf"));
}

TEST(Reduce, KnowsEachOperatorOfEachTypeThatItMakesSenseFor) {
  const auto words = ReduceWords();
  const std::vector<std::string>&ops = words.at("op"), &types = words.at("type");
  for (std::size_t op = 0; op < ops.size(); ++op) {
    for (std::size_t type = 0; type < types.size(); ++type) {
      std::string found;
      const std::string outline = ReduceOutline({{"b", 4},
                                                 {"c", 8},
                                                 {"op", static_cast<std::int64_t>(op)},
                                                 {"type", static_cast<std::int64_t>(type)}},
                                                &found);
      const bool is_test = ops[op] == "any" || ops[op] == "all";
      if (is_test != (types[type] == "bool")) {
        EXPECT_NE(outline.find(fmt::format("any and all are of type=bool, all other operators of "
                                           "numbers; here op={}, type={}",
                                           ops[op], types[type])),
                  std::string::npos)
            << outline;
        continue;
      }
      EXPECT_TRUE(outline.starts_with("load_x(j, k) = x[8 j + k]\n")) << outline;
      EXPECT_TRUE(found.starts_with("load_x: " + types[type])) << found;
      EXPECT_TRUE(found.ends_with("store_y: " + (ops[op] == "argmax" ? "i32" : types[type])))
          << found;
    }
  }
}

TEST(Reduce, IsEachFormOfAReduction) {
  const auto sum_of = [](std::int64_t a, std::int64_t b, std::int64_t c, std::int64_t d) {
    const std::string outline = ReduceOutline({{"a", a}, {"b", b}, {"c", c}, {"d", d}});
    const std::size_t begin = outline.find("sum(");
    return outline.substr(
        begin, outline.find(')') == std::string::npos ? 0 : outline.find(')', begin) + 1 - begin);
  };
  EXPECT_EQ(sum_of(1, 1, 9, 1), "sum(k: k)") << "all";
  EXPECT_EQ(sum_of(1, 4, 9, 1), "sum(j, k: k)") << "x";
  EXPECT_EQ(sum_of(1, 1, 9, 5), "sum(l, k: k)") << "y";
  EXPECT_EQ(sum_of(3, 4, 9, 1), "sum(j, i, k: i, k)") << "rpr";
  EXPECT_EQ(sum_of(1, 4, 9, 5), "sum(j, l, k: k)") << "prp";
}

TEST(Reduce, CountsStepsAlongBothAxes) {
  const std::int64_t argmax = 6;
  EXPECT_EQ(ReduceOutline({{"b", 4}, {"c", 8}, {"op", argmax}}),
            "load_x(j, k) = x[8 j + k]\n"
            "init_largest(j) = copy(-inf)\n"
            "max_largest(j, k: k) = max(load_x*) from init_largest\n"
            "load_x_2(j, k) = x[8 j + k]\n"
            "equal(j, k) = equal(load_x_2*, max_largest*)\n"
            "index(k) = k\n"
            "select(j, k) = select(equal, index, 8)\n"
            "init_y(j) = copy(2147483647)\n"
            "min_y(j, k: k) = min(select) from init_y\n"
            "store_y(j) = min_y -> y[j]\n");
  const std::string both = ReduceOutline({{"a", 3}, {"b", 4}, {"c", 8}, {"op", argmax}});
  EXPECT_NE(both.find("mad"), std::string::npos) << both;
  EXPECT_NE(both.find(", 24)"), std::string::npos) << "more than any step: " << both;
  EXPECT_NE(ReduceOutline({{"a", 65536}, {"c", 32768}, {"op", argmax}})
                .find("argmax counts up to 2^31 - 1 elements; here op=argmax, a=65536, c=32768"),
            std::string::npos);
}

}  // namespace
}  // namespace exh::kernels
