// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <limits>
#include <string>

#include "base/error.h"
#include "base/random.h"
#include "functional/expression/expression.h"
#include "kernels/problem.h"
#include "search/functional/program_workload.h"
#include "tests/functional/mapped_cases.h"
#include "tests/functional/programs.h"
#include "tests/functional/random_program.h"

namespace exh::tests {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

void ExpectRight(const MappedCases& cases) {
  cases.Run([](const MappedCase& of, const std::string& mistake) {
    EXPECT_EQ(mistake, "") << of.mapped->name << ", " << of.mapping << "\n" << of.source.text;
  });
}

std::string Listing1() {
  return R"(
size planes = 6
size rows = 5
size columns = 7
input planes_of_rows: [[[float]columns]rows]planes
def f(x) = x * 2.0 + 1.0
def g(x) = x * x
kernel output: [[[float]columns]rows]planes =
  map@A(plane ->
          let buffer = toLocal(map@B(row -> map@C(f, row), plane)) in
          transpose(toGlobal(map@D(column -> map@E(g, column), transpose(buffer)))),
        planes_of_rows)
)";
}

TEST(MappedPrograms, ValidMappingsComputeWhatTheReferenceDoes) {
  MappedCases cases;
  const std::string folder = "examples/lift/programs/";
  cases.AddRandom("listing 1", Listing1(), {}, 24);
  lift::Rules published;
  published.strict = published.whole_nest = true;
  cases.AddRandom("listing 1, published rules", Listing1(), {}, 8, published);
  cases.AddRandom("listing 3", functional::FileText(folder + "listing_3.fun"),
                  {{"n", 60}, {"s0", 15}, {"s1", 3}}, 24);
  cases.AddRandom("matmul", functional::FileText(folder + "matmul.fun"),
                  {{"m", 9}, {"n", 10}, {"k", 7}}, 12);
  cases.AddRandom("convolution", functional::FileText(folder + "convolution.fun"),
                  {{"channels", 3}, {"side", 6}, {"kernels", 5}, {"window", 3}}, 30);
  // Lengths that are multiples of four.
  cases.AddRandom("listing 1, vectors", Listing1(), {{"rows", 8}, {"columns", 8}}, 8);
  cases.AddRandom("convolution, vectors", functional::FileText(folder + "convolution.fun"),
                  {{"channels", 4}, {"side", 6}, {"kernels", 4}, {"window", 3}}, 12);
  // Windows, borders, vectors, parts of a row in another order.
  cases.AddRandom("windows", R"(
size n = 24
input x: [float]n
def three(w) = reduce(toPrivate(id(0.0)), (a, b) -> a + b, w)
kernel y = map@A(part -> map@B(w -> toGlobal(id(three(w))), part),
                 split(4, reorder(6, slide(3, 1, pad(1, 1, 0.5, x)))))
)",
                  {}, 8);
  cases.AddRandom("vectors", R"(
size m = 6
size n = 16
input x: [[float]n]m
input y: [float]n
kernel z: [[float]n]m =
  map@A(row -> asScalar(map@B((a, b) -> max(a, b) - a * 0.25, zip(asVector(4, row), asVector(4, y)))), x)
)",
                  {}, 8);
  cases.AddRandom("dots", R"(
size m = 6
size n = 16
input x: [[float]n]m
kernel z: [float]m =
  map@A(row -> toGlobal(id(reduce(toPrivate(id(1.0)), (s, v) -> s + dot(v, v), asVector(4, row)))), x)
)",
                  {}, 3);
  // What a step replaces is still needed.
  cases.AddRandom("sums that change places", R"(
size m = 4
size n = 6
input x: [[[float]n]3]m
kernel z: [[float]n]m =
  map@A(rows ->
      toGlobal(map@B(id,
        reduce(toPrivate(map@C(id, fill(n, 0.0))),
               (sums, row) -> map@D((s, v) -> s + v, zip(reorder(2, sums), row)), rows))), x)
)",
                  {}, 6);
  ExpectRight(cases);
  EXPECT_GT(cases.all().size(), 110u);
  EXPECT_GT(std::ranges::count_if(cases.all(),
                                  [](const MappedCase& of) {
                                    return of.source.text.find("float4*") != std::string::npos;
                                  }),
            7);
  for (const std::string& refused : cases.refused()) {
    EXPECT_THAT(refused, HasSubstr("groups write to global memory")) << refused;
  }
}

std::string Extremes() {
  return R"(
size n = 96
input x: [float]n
input y: [float]n
kernel z: [float]n = map((a, b) -> toGlobal(max(a, b) + min(a, 0.0) * 1.5), zip(x, y))
)";
}

std::string SumsOfRows() {
  return R"(
size m = 40
size n = 50
input x: [[float]n]m
kernel z: [float]m =
  map(row -> toGlobal(id(reduce(toPrivate(id(0.0)), (s, v) -> s + v * 3.0, row))), x)
)";
}

std::string Products() {
  return R"(
size n = 96
input x: [float]n
input y: [float]n
kernel z: [float]n = map((a, b) -> toGlobal(a * b - a), zip(x, y))
)";
}

TEST(MappedPrograms, WhatIsSabotagedIsFoundByTheProblems) {
  struct Sabotage {
    const char* name;
    Spoil input, output;
    bool sums = true;  ///< Does it change sums?
  };
  constexpr float kLeast = std::numeric_limits<float>::min();
  const std::vector<Sabotage> sabotages = {
      {"half a percent too large", nullptr, [](float x) { return x * 1.005f; }},
      {"a hundred thousandth too large", nullptr, [](float x) { return x * 1.00001f; }},
      {"NaN becomes 0", nullptr, [](float x) { return std::isnan(x) ? 0 : x; }},
      {"NaN of inputs is 0", [](float x) { return std::isnan(x) ? 0 : x; }, nullptr},
      {"infinity is cut", nullptr, [](float x) { return std::clamp(x, -3e38f, 3e38f); }},
      {"inputs are at most 1.5", [](float x) { return std::clamp(x, -1.5f, 1.5f); }, nullptr},
      {"flushed denormals", nullptr, [](float x) { return std::abs(x) < kLeast ? 0 : x; }, false},
      {"inputs in bfloat16",
       [](float x) { return std::bit_cast<float>(std::bit_cast<std::uint32_t>(x) & 0xffff0000u); },
       nullptr},
  };
  for (const std::string& text : {SumsOfRows(), Products()}) {
    const bool sums = text == SumsOfRows();
    MappedCases right;
    right.AddAsWritten("right", text, {});
    EXPECT_EQ(right.CountWrong(), 0);
    for (const Sabotage& sabotage : sabotages) {
      if (sums && !sabotage.sums) continue;
      MappedCases cases;
      cases.AddAsWritten(sabotage.name, text, {});
      cases.SpoilWith(sabotage.input, sabotage.output);
      EXPECT_EQ(cases.CountWrong(), 1) << sabotage.name << "\n" << text;
    }
  }
}

// Which of both operands it is changes nothing.
TEST(MappedPrograms, ANanWinsInExtremes) {
  MappedCases cases;
  cases.AddAsWritten("extremes", Extremes(), {});
  EXPECT_THAT(cases.all().front().source.text, HasSubstr("exh_max(float a, float b)"));
  ExpectRight(cases);
  for (const Spoil of : {+[](float x) { return std::isnan(x) ? 0 : x; }}) {
    MappedCases loses;
    loses.AddAsWritten("extremes", Extremes(), {});
    loses.SpoilWith(of, nullptr);
    EXPECT_EQ(loses.CountWrong(), 1);
  }
}

/// Table 1 of the CC paper.
TEST(MappedPrograms, MappingsOfTheCcPaperAreRightWhereItSaysSo) {
  const functional::Codes m1 = {30, 0, 0, 0, 0}, m2 = {31, 30, 0, 30, 0}, m3 = {0, 20, 10, 20, 10},
                          m4 = {20, 10, 0, 10, 0}, m5 = {20, 10, 0, 10, 2}, m6 = {20, 10, 2, 0, 10};
  MappedCases valid;
  valid.Add("listing 1", Listing1(), {{"rows", 8}, {"columns", 8}}, {m1, m4, m5, m6});
  ExpectRight(valid);
  EXPECT_EQ(valid.all().size(), 3u);
  EXPECT_THAT(valid.refused(), ElementsAre(HasSubstr("reads in local memory does not lie side")));
  EXPECT_THAT(valid.all()[2].source.text, HasSubstr("float4"));
  MappedCases invalid;
  // More columns than a group has threads, so that groups take parts of them.
  invalid.Add("listing 1", Listing1(), {{"columns", 150}}, {m2, m3});
  EXPECT_EQ(invalid.CountWrong(), 2);
}

TEST(MappedPrograms, ParametersChangeNoResult) {
  MappedCases cases;
  cases.AddJoint("tiled convolution",
                 functional::FileText("examples/lift/programs/tiled_convolution.fun"),
                 {{"channels", 3}, {"side", 6}, {"kernels", 6}}, 40);
  const std::size_t without_vectors = cases.all().size();
  // Channels are copied four at once, whatever the parameters are.
  cases.AddJoint("tiled convolution, vectors",
                 functional::FileText("examples/lift/programs/tiled_convolution.fun"),
                 {{"channels", 4}, {"side", 6}, {"kernels", 6}}, 24);
  ExpectRight(cases);
  EXPECT_GT(without_vectors, 30u);
  const auto has_vectors = [](const MappedCase& of) {
    return of.source.text.find("float4*") != std::string::npos;
  };
  EXPECT_EQ(std::ranges::count_if(
                cases.all().begin(),
                cases.all().begin() + static_cast<std::ptrdiff_t>(without_vectors), has_vectors),
            0);
  EXPECT_GT(std::ranges::count_if(cases.all(), has_vectors), 3);
}

TEST(MappedPrograms, NumbersMayBeNegative) {
  MappedCases cases;
  cases.AddRandom("largest of three", R"(
size n = 12
input x: [float]n
kernel y = map@A(w -> toGlobal(id(reduce(toPrivate(id(-9.5)), (a, b) -> max(a, b), w))),
                 slide(3, 1, pad(1, 1, -9.5, x)))
)",
                  {}, 3);
  ExpectRight(cases);
}

TEST(MappedPrograms, ProgramsOfSeveralKernelsRunAsWritten) {
  MappedCases cases;
  const std::string conv = functional::FileText("examples/conv_space/conv.fun");
  const functional::Given layer = {{"channels", 4}, {"side", 6}, {"kernels", 4}};
  const auto with = [&](functional::Given more) {
    more.insert(layer.begin(), layer.end());
    return more;
  };
  cases.AddAsWritten(
      "conv, one tile", conv,
      with({{"rho", 0}, {"theta", 8}, {"kappa", 2}, {"sigma", 6}, {"omega", 12}, {"v", 4}}));
  cases.AddAsWritten(
      "conv, tiles", conv,
      with({{"rho", 0}, {"theta", 4}, {"kappa", 4}, {"sigma", 2}, {"omega", 9}, {"v", 1}}));
  ExpectRight(cases);
}

TEST(MappedPrograms, RandomProgramsComputeWhatTheReferenceDoes) {
  MappedCases cases;
  const char* const programs = std::getenv("EXH_PROGRAMS");
  const std::uint64_t last = programs == nullptr ? 80 : std::stoull(programs);
  for (std::uint64_t seed = 1; seed <= last; ++seed) {
    Random random(seed);
    const std::string text = RandomProgram(random);
    try {
      cases.AddRandom("program " + std::to_string(seed), text, {}, 2);
    } catch (const UsageError& why) {
      // A kernel without maps has no mapping.
      EXPECT_THAT(why.what(), HasSubstr("no map")) << text;
    }
  }
  cases.Run([](const MappedCase& of, const std::string& mistake) {
    Random random(std::stoull(of.mapped->name.substr(8)));
    EXPECT_EQ(mistake, "") << of.mapped->name << ", " << of.mapping << "\n"
                           << RandomProgram(random) << of.source.text;
  });
  EXPECT_GT(cases.all().size(), last);
}

/// What is said when the program cannot be made ready to run; empty: it is.
std::string Objection(const std::string& text, const functional::Given& given,
                      const std::string& mapping = "") {
  try {
    const search::MappedProgram program("a.fun", text, given);
    const auto tree = program.Tree();
    const functional::Assignment values = program.Values();
    search::SourceOf(program, values, {search::ParseMapping(mapping, tree)}, {});
    search::ProblemOf(program, values, kernels::kCheckedProblems[0]);
  } catch (const std::exception& why) {
    return why.what();
  }
  return "";
}

TEST(MappedPrograms, MistakesAreNamed) {
  const std::string parts =
      "param m\ninput x: [float]12\nkernel y = join(map@A(p -> map@B(id, p), split(m, x)))\n";
  EXPECT_THAT(Objection(parts, {}), HasSubstr("--size m=…"));
  EXPECT_THAT(Objection(parts, {{"m", 5}}), HasSubstr("split(m) of 12"));
  EXPECT_EQ(Objection(parts, {{"m", 4}}, "A=20,B=10"), "");
  EXPECT_THAT(Objection(parts, {{"m", 4}}, "C=20"), HasSubstr("map 'C'"));
  EXPECT_THAT(Objection(parts, {{"m", 4}}, "A=13"), HasSubstr("bad code A=13"));
  EXPECT_THAT(Objection(parts + "kernel z = map(id, y)\n", {{"m", 4}}),
              HasSubstr("a mapping is of one kernel"));
  EXPECT_THAT(Objection("user f(float): float\ninput x: [float]4\nkernel y = map(f, x)\n", {}),
              HasSubstr("what 'f' calculates is not known"));
  EXPECT_THAT(Objection("input x: [int]4\nkernel y = map(id, x)\n", {}), HasSubstr("float"));
  EXPECT_THAT(Objection("size n = 9000\ninput x: [[float]n]2\nkernel y = map@A(r -> "
                        "toGlobal(map(id, toPrivate(map(id, r)))), x)\n",
                        {}),
              HasSubstr("an array of 9000 numbers of one thread"));
  EXPECT_THAT(Objection("input x: [float]4\nkernel y = slide(3, 1, map(id, x))\n", {}),
              HasSubstr("'slide' of what is written"));
}

TEST(MappedPrograms, HaveTheirReferenceWithinWhatTheyMayTake) {
  const search::MappedProgram program("a.fun", "input x: [float]4096\nkernel y = map(id, x)\n", {});
  const functional::Assignment values = program.Values();
  StopToken stop;
  const kernels::CheckedProblem& uniform = kernels::kCheckedProblems[0];
  const std::uint64_t bytes =
      kernels::ProblemBytes(functional::ArraysOf(program.program(), values));
  EXPECT_TRUE(search::ProblemOf(program, values, uniform, bytes, &stop).has_value());
  stop.Stop();
  EXPECT_FALSE(search::ProblemOf(program, values, uniform, bytes, &stop).has_value());
  // The size is looked at before anything is drawn, which would hear the token.
  EXPECT_THROW(search::ProblemOf(program, values, uniform, bytes - 1, &stop), TooLarge);
}

/// Of mappings that this rule alone forbids: how many are wrong, or have threads that race.
int WrongWithout(bool lift::Rules::*rule, const std::string& text, const functional::Given& given) {
  const search::MappedProgram program("program", text, given);
  MappedCases cases;
  cases.Add("program", text, given, ForbiddenBy(rule, program, 12, 2000));
  return cases.CountWrong();
}

TEST(MappedPrograms, RulesAreNeeded) {
  const std::string convolution = functional::FileText("examples/lift/programs/convolution.fun");
  const functional::Given layer = {{"channels", 3}, {"side", 6}, {"kernels", 5}, {"window", 3}};
  EXPECT_GT(WrongWithout(&lift::Rules::local_scope, Listing1(), {}), 0);
  EXPECT_GT(WrongWithout(&lift::Rules::no_duplicate, Listing1(), {}), 0);
  EXPECT_GT(WrongWithout(&lift::Rules::global_alone, convolution, layer), 0);
  EXPECT_GT(WrongWithout(&lift::Rules::private_scope, convolution, layer), 0);
}

}  // namespace
}  // namespace exh::tests
