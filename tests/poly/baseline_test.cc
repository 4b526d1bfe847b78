// SPDX-License-Identifier: MIT
//
// isl's schedules of Figure 2(a) depend on its options and on the kind of dependences. A golden of
// isl 0.25; with another version this says what has changed.
#include "poly/isl/baseline.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "poly/isl/apart.h"
#include "tests/poly/scops.h"

namespace exh::poly {
namespace {

// What the paper calls desired, Figure 2(c).
constexpr const char* kOneNest =
    "for (int c0 = 0; c0 < n0; c0 += 1)\n"
    "  for (int c1 = 0; c1 < n0; c1 += 1) {\n"
    "    X(c0, c1);\n"
    "    for (int c2 = 0; c2 < n0; c2 += 1)\n"
    "      Y(c0, c2, c1);\n"
    "  }\n";
// What the paper calls typical, Figure 2(b).
constexpr const char* kTwoNests =
    "{\n"
    "  for (int c0 = 0; c0 < n0; c0 += 1)\n"
    "    for (int c1 = 0; c1 < n0; c1 += 1)\n"
    "      X(c0, c1);\n"
    "  for (int c0 = 0; c0 < n0; c0 += 1)\n"
    "    for (int c1 = 0; c1 < n0; c1 += 1)\n"
    "      for (int c2 = 0; c2 < n0; c2 += 1)\n"
    "        Y(c0, c1, c2);\n"
    "}\n";
constexpr const char* kGuarded =
    "for (int c0 = 0; c0 < n0; c0 += 1)\n"
    "  for (int c1 = 0; c1 < n0; c1 += 1)\n"
    "    for (int c2 = 0; c2 < n0; c2 += 1) {\n"
    "      if (c1 == 0)\n"
    "        X(c0, c2);\n"
    "      Y(c0, c1, c2);\n"
    "    }\n";

IslOptions Setting(const std::string& name) {
  for (const NamedIslOptions& setting : IslSettings()) {
    if (setting.name == name) return setting.options;
  }
  ADD_FAILURE() << name;
  return {};
}

std::string Loops(DependenceKind kind, const std::string& setting) {
  const Scop scop = Figure2(256);
  return ScheduleByIsl(scop, DependencesOf(scop, kind), Setting(setting)).loops;
}

class BaselineTest : public testing::Test {
 protected:
  void SetUp() override {
    if (IslVersion().find("isl-0.25") == std::string::npos)
      GTEST_SKIP() << IslVersion() << ": golden of isl-0.25";
  }
};

TEST_F(BaselineTest, MakesOneNestOfValueBasedDependences) {
  for (const char* setting : {"default", "whole_component", "outer_coincidence"}) {
    EXPECT_EQ(Loops(DependenceKind::kValue, setting), kOneNest) << setting;
  }
}

TEST_F(BaselineTest, MakesTwoNestsWhenAskedForCoincidenceOrSeries) {
  for (const DependenceKind kind : {DependenceKind::kValue, DependenceKind::kMemory}) {
    for (const char* setting : {"maximize_coincidence", "serialize_sccs"}) {
      EXPECT_EQ(Loops(kind, setting), kTwoNests) << setting;
    }
  }
}

TEST_F(BaselineTest, GuardsXOfMemoryBasedDependences) {
  for (const char* setting : {"default", "whole_component", "outer_coincidence"}) {
    EXPECT_EQ(Loops(DependenceKind::kMemory, setting), kGuarded) << setting;
  }
}

TEST_F(BaselineTest, HasRows) {
  const Scop scop = Figure2(256);
  const IslScheduled found = ScheduleByIsl(scop, DependencesOf(scop, DependenceKind::kValue), {});
  ASSERT_TRUE(found.schedule);
  EXPECT_EQ(TableText(scop, *found.schedule),
            "row  X  Y\n"
            "0    i  i  band 0\n"
            "1    k  k  band 1\n"
            "2    0  j  band 2\n"
            "3    0  1  scalar\n");
}

// An error of isl is ours, and what comes after it works.
TEST(IslErrorTest, IsThrown) {
  const Scop scop = Figure2(256);
  const auto dependences = DependencesOf(scop, DependenceKind::kValue);
  EXPECT_THROW(ScheduleByIsl(scop, dependences, {}, 10), Error);
  EXPECT_NE(ScheduleByIsl(scop, dependences, {}).loops, "");
}

TEST(IslApart, HasTheSameSchedule) {
  const Scop scop = Figure2(256);
  const auto dependences = DependencesOf(scop, DependenceKind::kValue);
  for (const NamedIslOptions& setting : IslSettings()) {
    const IslScheduled here = ScheduleByIsl(scop, dependences, setting.options);
    const IslApart apart = ScheduleByIslApart(scop, dependences, setting.options, {});
    ASSERT_TRUE(here.schedule && apart.schedule) << setting.name << apart.why;
    EXPECT_EQ(apart.schedule->num_parameters, here.schedule->num_parameters);
    EXPECT_EQ(apart.schedule->statements, here.schedule->statements);
    EXPECT_EQ(TableText(scop, *apart.schedule), TableText(scop, *here.schedule));
    EXPECT_EQ(apart.why, "");
    EXPECT_TRUE(apart.in_time);
  }
}

TEST(IslApart, IsGivenUp) {
  const Scop scop = Figure2(256);
  const auto dependences = DependencesOf(scop, DependenceKind::kValue);
  const IslApart out_of_operations = ScheduleByIslApart(scop, dependences, {}, {.operations = 10});
  EXPECT_FALSE(out_of_operations.schedule);
  EXPECT_FALSE(out_of_operations.in_time);
  EXPECT_EQ(out_of_operations.why, "isl did not end within 10 operations");
  const IslApart out_of_time = ScheduleByIslApart(scop, dependences, {}, {.seconds = 0});
  // It may have been ready at once.
  EXPECT_EQ(out_of_time.in_time, out_of_time.schedule.has_value());
  StopToken stop;
  stop.Stop();
  const IslApart stopped = ScheduleByIslApart(scop, dependences, {}, {.stop = &stop});
  EXPECT_FALSE(stopped.in_time);
  EXPECT_EQ(stopped.why, "isl did not end within what was left of the budget");
}

}  // namespace
}  // namespace exh::poly
