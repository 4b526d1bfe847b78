// SPDX-License-Identifier: MIT
//
// Values that are read once more when a reduction over them has ended, as batch norm does: each
// text has a naive nest and finds implementations, on processors and on a GPU, however much of a
// value would have to be held until then.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/random.h"
#include "kernels/first.h"
#include "search/descend/descent.h"
#include "search/descend/first.h"
#include "search/subject/problem.h"

namespace exh::search {
namespace {

struct Text {
  std::string statements, sizes;
};

/// What is wrong with the space of a text on a device; empty: nothing.
std::string Trouble(const Text& text, const std::string& device) {
  ProblemOptions options;
  options.compute = text.statements;
  options.size = text.sizes;
  options.device = device;
  options.threads = 2;
  const Problem problem = MakeProblem(options);
  if (problem.task.root_failed) return "the space is empty";
  const runtime::Candidate root = problem.root();
  const ChoiceOrder order = ChoiceOrder::Default(root.instance());
  const auto recipes = kernels::FirstRecipes(*problem.task.function);
  const auto [naive, missed] = Follow(recipes.back(), root, order);
  if (!naive) return "no naive nest: " + missed;
  // Some descents end as in any space; without a way to keep the value all of them would.
  constexpr int kDescents = 6, kPatience = 200, kWanted = 2;
  int found = 0;
  for (std::uint64_t seed = 1; seed <= kDescents; ++seed) {
    Descender descender(order, kPatience);
    Random random(seed);
    const auto result = descender.Run(root, random, [](const DeadEnd&) {});
    found += result == DescentResult::kImplementation ? 1 : 0;
  }
  if (found >= kWanted) return "";
  return fmt::format("{} of {} descents find an implementation", found, kDescents);
}

std::string TroubleOnAll(const Text& text) {
  std::string all;
  for (const char* const device : {"cpu", "h200"}) {
    const std::string trouble = Trouble(text, device);
    if (!trouble.empty()) all += fmt::format("on {}: {}\n", device, trouble);
  }
  return all.empty() ? "" : fmt::format("{} [{}]\n{}", text.statements, text.sizes, all);
}

TEST(LateReads, BatchNormIsThere) {
  const std::string text =
      "mean[c] = (sum(n, h) x[n, c, h]) / (n * h); d[n, c, h] = x[n, c, h] - mean[c]; "
      "var[c] = (sum(n, h) d[n, c, h] * d[n, c, h]) / (n * h); "
      "y[n, c, h] = d[n, c, h] * rsqrt(var[c] + 0.00001)";
  EXPECT_EQ(TroubleOnAll({text, "n=6,c=16,h=240"}), "");
  EXPECT_EQ(TroubleOnAll({text, "n=32,c=64,h=784"}), "");
}

TEST(LateReads, RowsThatAreLongAreThere) {
  EXPECT_EQ(TroubleOnAll({"d[i, j] = exp(x[i, j]); s[i] = sum(j) d[i, j]; y[i, j] = d[i, j] / s[i]",
                          "i=16,j=5000"}),
            "");
}

/// One of 2 to 4 indices: a value of them, reductions over some, and a reader of all.
Text Draw(Random& random) {
  const auto pick = [&](auto... values) {
    const std::vector<std::common_type_t<decltype(values)...>> all = {values...};
    return all[random.Below(all.size())];
  };
  const std::vector<std::string> names = {"n", "c", "h", "w"};
  const std::size_t rank = pick(2, 3, 3, 3, 4);
  std::vector<std::string> indices(names.begin(),
                                   names.begin() + static_cast<std::ptrdiff_t>(rank));
  std::vector<std::string> kept, reduced, sizes;
  for (const std::string& index : indices) {
    const bool is_last = &index == &indices.back();
    const bool reduces = random.Below(2) == 0 || (is_last && reduced.empty());
    (reduces ? reduced : kept).push_back(index);
    sizes.push_back(fmt::format("{}={}", index, pick(3, 8, 20, 64, 100, rank < 4 ? 240 : 32)));
  }
  const std::string all = fmt::format("[{}]", fmt::join(indices, ", "));
  const std::string some = kept.empty() ? "" : fmt::format("[{}]", fmt::join(kept, ", "));
  const std::string over = fmt::format("({})", fmt::join(reduced, ", "));
  std::string text;
  const std::string x = "x" + all;
  switch (random.Below(4)) {
    case 0:
      text = fmt::format("m{1} = max{2} {0}; d{3} = {0} - m{1}; ", x, some, over, all);
      break;
    case 1:  // What is reduced itself.
      text =
          fmt::format("d{} = sum(k) {} * b[k, {}]; ", all,
                      "a[" + fmt::format("{}", fmt::join(indices, ", ")) + ", k]", indices.back());
      sizes.emplace_back("k=16");
      break;
    case 2:
      text = fmt::format("q{1} = {0} * {0}; d{1} = q{1} + {0}; ", x, all);
      break;
    default:
      text = fmt::format("d{1} = exp({0}); ", x, all);
  }
  const std::string d = "d" + all;
  text += fmt::format("s{} = sum{} {}; ", some, over, pick(d, d + " * " + d));
  if (random.Below(3) == 0) text += fmt::format("e{0} = {1} + 1; ", all, d);
  const std::string late = text.find("e" + all + " =") != text.npos ? "e" + all : d;
  text += fmt::format("y{} = {} {} s{}", all, late, pick("/", "-"), some);
  return {text, fmt::format("{}", fmt::join(sizes, ","))};
}

TEST(LateReads, OfAnyTextHaveImplementations) {
  constexpr int kTexts = 40;
  for (std::uint64_t seed = 1; seed <= kTexts; ++seed) {
    Random random(seed);
    const Text text = Draw(random);
    EXPECT_EQ(TroubleOnAll(text), "") << "seed " << seed;
  }
}

}  // namespace
}  // namespace exh::search
