// SPDX-License-Identifier: MIT
//
// Whatever the bytes are, the reader says what is wrong or yields a graph that can be evaluated.
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "base/error.h"
#include "kernels/fused/graph/read.h"
#include "kernels/fused/group.h"
#include "kernels/fused/inputs.h"
#include "kernels/fused/lower.h"
#include "kernels/fused/reference.h"
#include "tests/kernels/fused/operator_text.h"

namespace exh::kernels::fused {
namespace {

using nlohmann::json;
using testing::OperatorJson;

/// One of everything.
json Rich() {
  return OperatorJson(
      {"x: float32 [4, 6]", "h: float16 [6]", "p: int32 [4]", "q: float32 [4, 6]"},
      {{"Cast", {"h"}, "c: float32 [6]", {{"dst_type", "float32"}}},
       {"Mul", {"x", "c"}, "m: float32 [4, 6]"},
       {"Greater", {"m", "0.5: float32"}, "g: bool [4, 6]"},
       {"Select", {"g", "m", "x"}, "s: float32 [4, 6]"},
       {"Transpose", {"s"}, "t: float32 [6, 4]", {{"perm", {1, 0}}}},
       {"Reshape", {"t"}, "r: float32 [3, 8]", {{"shape", {3, -1}}}},
       {"PadAkg", {"r"}, "a: float32 [5, 8]", {{"head", {1, 0}}, {"tail", {1, 0}}, {"pad_val", 1}}},
       {"UnPadAkg", {"a"}, "u: float32 [4, 8]", {{"tail", {1, 0}}}},
       {"Tile", {"u"}, "e: float32 [4, 16]", {{"multiples", {1, 2}}}},
       {"ReduceSum", {"e"}, "y: float32 [4]", {{"axis", {-1}}, {"keep_dims", false}}},
       {"OneHot",
        {"p", "1: float32", "0: float32"},
        "o: float32 [4, 5]",
        {{"depth", 5}, {"axis", -1}}},
       {"InplaceAssign", {"q", "m", "y"}, "f: float32 [4]", {{"fake_output", false}}}},
      {"y", "o", "f"});
}

/// Returns whether there is a graph.
bool Try(const std::string& text) {
  const ReadResult result = ReadOperator(text);
  EXPECT_NE(result.graph.has_value(), !result.mistakes.empty()) << text;
  for (const Mistake& mistake : result.mistakes) {
    EXPECT_FALSE(mistake.text.empty());
    EXPECT_FALSE(mistake.reason.empty());
  }
  if (!result.graph) return false;
  const StatementList list = StatementsOf(*result.graph);
  EXPECT_FALSE(TextOf(Grouped(list)).empty());
  std::int64_t elements = 0;
  for (const GraphTensor& tensor : result.graph->tensors) elements += ElementsOf(tensor.shape);
  if (elements < 20000) Evaluate(list, DrawInputs(*result.graph, 1));
  return true;
}

TEST(Robust, EveryTruncationIsRefused) {
  const std::string text = Rich().dump();
  ASSERT_TRUE(Try(text));
  for (std::size_t size = 0; size < text.size(); ++size) EXPECT_FALSE(Try(text.substr(0, size)));
}

TEST(Robust, EveryByteMayBeAnother) {
  const std::string text = Rich().dump();
  const std::string others = std::string("\0\"{}[],:09-.e\\ \x80\xff", 17) + "ntx";
  std::mt19937 random(7);
  for (std::size_t i = 0; i < text.size(); ++i) {
    for (int some = 0; some < 2; ++some) {
      std::string changed = text;
      changed[i] = others[random() % others.size()];
      Try(changed);
    }
  }
}

/// Calls `visit` with each value inside of another.
template <typename Visit>
void ForValues(json& value, const Visit& visit) {
  for (json& inner : value) {
    visit(inner);
    if (inner.is_structured()) ForValues(inner, visit);
  }
}

// Well-formed JSON with one value that is another one, or gone.
TEST(Robust, EveryValueMayBeAnother) {
  const json others = {nullptr,
                       true,
                       0,
                       -1,
                       1,
                       2,
                       5,
                       2147483648,
                       -9223372036854775807,
                       1e300,
                       "",
                       "y",
                       "x",
                       json::array(),
                       json::object(),
                       {{1}},
                       {1, 1}};
  const json rich = Rich();
  std::size_t count = 0, graphs = 0;
  json counted = rich;
  ForValues(counted, [&](json&) { ++count; });
  for (std::size_t which = 0; which < count; ++which) {
    for (const json& other : others) {
      json changed = rich;
      std::size_t i = 0;
      json* target = nullptr;
      ForValues(changed, [&](json& value) {
        if (i++ == which) target = &value;
      });
      *target = other;
      graphs += Try(changed.dump()) ? 1 : 0;
    }
  }
  EXPECT_GT(count, 300u);
  EXPECT_GT(graphs, 0u);  // Some change nothing that matters.
}

TEST(Robust, DeepNestingIsNoStackOverflow) {
  EXPECT_FALSE(Try(std::string(100000, '[')));
  EXPECT_FALSE(Try(std::string(100000, '[') + std::string(100000, ']')));
}

}  // namespace
}  // namespace exh::kernels::fused
