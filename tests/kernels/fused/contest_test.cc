// SPDX-License-Identifier: MIT
//
// What becomes of the ways to run an operator, on a machine that says what it is told to.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <map>

#include "kernels/fused/code/code.h"
#include "kernels/fused/run/rows.h"
#include "tests/kernels/fused/operator_text.h"

namespace exh::kernels::fused {
namespace {

using ::testing::HasSubstr;

/// Programs are known by their text; `run` says what comes of one.
class ToldMachine final : public RowMachine {
 public:
  using Run_ = std::function<Measurement(int way, bool is_full)>;

  explicit ToldMachine(Run_ run) : run_(std::move(run)) {}

  Source Text(const OperatorProgram& program, const std::vector<NestNode>& nests) const override {
    return CpuText(program, nests);
  }
  std::string Begin(const Graph&, const OperatorProgram&, std::uint64_t, std::uint64_t) override {
    return "";
  }
  Compiled Compile(const Source& source) override {
    Compiled compiled;
    compiled.library = source.text;
    return compiled;
  }
  Measurement Run(const Compiled& compiled, bool is_full) override {
    const int way =
        ways_.try_emplace(compiled.library, static_cast<int>(ways_.size())).first->second;
    return run_(way, is_full);
  }
  void Discard(const Compiled&) override { ++discarded; }
  double CopyNs(std::uint64_t) override { return 100; }
  std::string Conditions() const override { return ""; }

  std::size_t ways() const { return ways_.size(); }
  std::size_t discarded = 0;

 private:
  const Run_ run_;
  std::map<std::string, int> ways_;
};

Measurement Took(double ns) {
  Measurement measurement;
  measurement.verdict = Verdict::kCorrect;
  measurement.best_ns = ns;
  return measurement;
}
Measurement Wrong() {
  Measurement measurement;
  measurement.verdict = Verdict::kWrong;
  measurement.why = "y[0] is 1";
  return measurement;
}

Graph LayoutGraph() {
  return testing::GraphOf(
      testing::OperatorJson({"x: float32 [24, 16]", "z: float32 [16, 24]"},
                            {{"Transpose", {"z"}, "t: float32 [24, 16]", {{"perm", {1, 0}}}},
                             {"Add", {"x", "t"}, "y: float32 [24, 16]"}},
                            {"y"}));
}

OperatorRows RowsOf(ToldMachine& machine) {
  RowOptions options;
  options.least_ns = [](std::uint64_t) { return 50; };
  return RowRunner(machine, options).Run(LayoutGraph());
}

TEST(FusedContest, WhatIsTwiceFasterThanItsBytesIsImpossible) {
  ToldMachine machine([](int way, bool) { return Took(way == 0 ? 3 : 200); });
  const OperatorRows rows = RowsOf(machine);
  ASSERT_GT(machine.ways(), 1u);
  EXPECT_EQ(rows.rows.front().verdict, Verdict::kImpossible);
  EXPECT_THAT(rows.rows.front().why, HasSubstr("3 ns, twice"));
  const Row* best = rows.Find("searched");
  ASSERT_NE(best, nullptr);
  EXPECT_EQ(best->verdict, Verdict::kCorrect);
  EXPECT_EQ(best->ns, 200);
  EXPECT_EQ(machine.discarded, machine.ways());
}

TEST(FusedContest, WhatIsOnceFasterIsAnAccident) {
  ToldMachine machine([](int way, bool is_full) { return Took(way == 0 && !is_full ? 3 : 200); });
  const OperatorRows rows = RowsOf(machine);
  EXPECT_EQ(rows.rows.front().verdict, Verdict::kCorrect);
  EXPECT_EQ(rows.rows.front().ns, 200);
  EXPECT_EQ(rows.Find("searched")->ns, 200);
}

TEST(FusedContest, TheFastestIsWhatStandsUpToEveryCheck) {
  ToldMachine machine([](int way, bool is_full) {
    if (way == 1 && is_full) return Wrong();
    return Took(way == 1 ? 100 : 200);
  });
  const OperatorRows rows = RowsOf(machine);
  EXPECT_EQ(rows.Find("searched")->ns, 200);
  EXPECT_NE(std::ranges::find(rows.rows, Verdict::kWrong, &Row::verdict), rows.rows.end());
}

TEST(FusedContest, WhereNoneIsRightTheRowSaysWhy) {
  ToldMachine machine([](int, bool) { return Wrong(); });
  const OperatorRows rows = RowsOf(machine);
  const Row* best = rows.Find("searched");
  ASSERT_NE(best, nullptr);
  EXPECT_EQ(best->verdict, Verdict::kWrong);
  EXPECT_THAT(best->why, HasSubstr("y[0] is 1"));
}

}  // namespace
}  // namespace exh::kernels::fused
