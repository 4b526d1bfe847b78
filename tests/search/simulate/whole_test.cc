// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/hash.h"
#include "search/descend/rollout.h"
#include "search/log/replay.h"
#include "search/simulate/whole/oracle.h"
#include "search/simulate/whole/oracle_evaluator.h"
#include "search/simulate/whole/whole_report.h"
#include "search/simulate/whole/whole_simulation.h"
#include "search/subject/problem.h"
#include "tests/search/scene.h"

namespace exh::search {
namespace {

using kernels::Verdict;
using testing::HasSubstr;

kernels::Source EmitToy(const runtime::Candidate& implementation) {
  return FakeEvaluator().Emit(implementation);
}

std::string CodeOf(const runtime::Candidate& implementation) {
  return HashText(WithoutComments(EmitToy(implementation).text));
}

/// A recorded run of random descents in the toy space; those with `size(c)=2` do not compile.
Log ToyRun(const std::string& budget) {
  Scene run;
  run.evaluator.compile = [](const std::string& source) {
    return source.find("size(c)=2") == source.npos ? Verdict::kCorrect : Verdict::kCompileError;
  };
  run.Budget(budget);
  run.Go();
  return run.log();
}

/// A space with a record of it, and an oracle.
struct Known {
  explicit Known(Log log, runtime::Candidate of_root, SearchBound of_bound, int jobs = 2)
      : logs{std::move(log)},
        root(std::move(of_root)),
        bound(std::move(of_bound)),
        order(ChoiceOrder::Parse("", root.instance())),
        oracle(root, LeavesOf(logs, std::vector<std::string>{"run"}), bound, 4, jobs) {}
  Known(const Known&) = delete;

  runtime::Candidate Again(const EvalRecord& eval) const {
    runtime::Candidate candidate = root;
    ReplayRecord(logs.front(), eval, candidate);
    return candidate;
  }
  /// Without a cut, which would prove the toy space after some evaluations.
  WholeSpace Space(std::uint64_t evaluations) const {
    WholeSpace space{.root = root, .order = order, .oracle = oracle, .emit = EmitToy};
    space.evaluations = evaluations;
    space.options.policy = MakePolicy("tag", {});
    space.options.proposer.local_share = 0.85;
    space.options.proposer.screen = 16;
    space.options.proposer.amounts = bound.amounts;
    return space;
  }

  std::vector<Log> logs;
  runtime::Candidate root;
  SearchBound bound;
  ChoiceOrder order;
  Oracle oracle;
};

Known Toy(const std::string& budget = "evals=200", int jobs = 2) {
  return Known(ToyRun(budget), ToyRoot(), {ToyBound, {}, {}, "toy"}, jobs);
}

/// Implementations of the toy space.
std::vector<runtime::Candidate> SomeImplementations(const runtime::Candidate& root, int count) {
  const ChoiceOrder order = ChoiceOrder::Parse("", root.instance());
  const BoundFunction unbounded;
  std::vector<runtime::Candidate> found;
  Random random(7);
  while (static_cast<int>(found.size()) < count) {
    BoundGuide uniform(unbounded, 1e9, 0);
    const PatientDescent descent =
        DescendPatiently(root, order, kRolloutPatience, random, uniform, [](const DeadEnd&) {});
    if (descent.result == DescentResult::kImplementation) {
      found.push_back(descent.descender.candidate());
    }
  }
  return found;
}

TEST(Oracle, SaysOfWhatWasRecordedWhatWasRecorded) {
  const Known known = Toy();
  int failed = 0;
  for (const EvalRecord& eval : known.logs.front().evals) {
    const OracleAnswer answer = known.oracle.Of(known.Again(eval), eval.vector, eval.code);
    EXPECT_TRUE(answer.is_recorded);
    EXPECT_EQ(answer.verdict, eval.verdict);
    EXPECT_EQ(answer.ns, eval.verdict == Verdict::kCorrect ? QuietTime(eval) : 0);
    EXPECT_EQ(answer.why, eval.why);
    failed += eval.verdict == Verdict::kCompileError ? 1 : 0;
  }
  EXPECT_GT(failed, 20);
  EXPECT_EQ(known.oracle.num_recorded(), known.logs.front().evals.size());
}

TEST(Oracle, GuessesNothingWhereAllIsRecorded) {
  const Known known = Toy();
  const Oracle complete(known.root, LeavesOf(known.logs, std::vector<std::string>{"run"}),
                        known.bound, 4, 1, /*is_complete=*/true);
  int others = 0;
  for (const runtime::Candidate& other : SomeImplementations(known.root, 100)) {
    const std::string vector = VectorText(other);
    const OracleAnswer answer = complete.Of(other, vector, CodeOf(other));
    const OracleAnswer same = known.oracle.Of(other, vector, CodeOf(other));
    EXPECT_EQ(answer.is_recorded, same.is_recorded);
    EXPECT_EQ(answer.verdict, same.is_recorded ? same.verdict : Verdict::kCompileError);
    EXPECT_EQ(answer.ns, same.is_recorded ? same.ns : 0);
    others += answer.is_recorded ? 0 : 1;
  }
  EXPECT_GT(others, 5);
}

TEST(Oracle, SaysTheSameOfTheSameProgram) {
  const Known known = Toy();
  for (const runtime::Candidate& other : SomeImplementations(known.root, 40)) {
    const OracleAnswer answer = known.oracle.Of(other, VectorText(other), CodeOf(other));
    if (answer.is_recorded) continue;
    const EvalRecord& eval = known.logs.front().evals.front();
    EXPECT_EQ(known.oracle.Of(other, VectorText(other), eval.code).verdict, eval.verdict);
    return;
  }
  FAIL() << "all were recorded";
}

TEST(Oracle, SaysOfOthersWhatIsLikely) {
  const Known known = Toy(), again = Toy("evals=200", 1);
  int others = 0, right = 0, correct = 0, near = 0;
  for (const runtime::Candidate& other : SomeImplementations(known.root, 400)) {
    const std::string vector = VectorText(other);
    const OracleAnswer answer = known.oracle.Of(other, vector, CodeOf(other));
    // The same whoever asks, and however many threads learned it.
    const OracleAnswer same = again.oracle.Of(other, vector, CodeOf(other));
    EXPECT_EQ(answer.verdict, same.verdict);
    EXPECT_EQ(answer.ns, same.ns);
    if (answer.is_recorded) continue;
    ++others;
    const std::string source = EmitToy(other).text;
    const bool fails = source.find("size(c)=2") != source.npos;
    right += fails == (answer.verdict == Verdict::kCompileError) ? 1 : 0;
    if (answer.verdict != Verdict::kCorrect) continue;
    ++correct;
    EXPECT_GE(answer.ns, ToyBound(other));
    EXPECT_GE(answer.ns, known.oracle.best_ns());
    near += std::abs(std::log(answer.ns / FakeEvaluator::TimeOf(source))) < 0.3 ? 1 : 0;
  }
  EXPECT_GT(others, 100);
  EXPECT_GT(right, 0.85 * others);
  EXPECT_GT(near, 0.7 * correct);
}

TEST(Oracle, SaysHowGoodItIs) {
  const Known known = Toy();
  const OracleQuality& quality = known.oracle.quality();
  EXPECT_GT(quality.mean, 0.85);
  EXPECT_GT(quality.answer, 0.5);
  EXPECT_GT(quality.factor, 1);
  EXPECT_LT(quality.factor, 1.5);
  EXPECT_NEAR(quality.answered_failures, quality.failures, 0.1);
  EXPECT_GT(quality.failures, 0.2);
}

TEST(Oracle, NeedsSomethingThatWasCorrect) {
  Log log = ToyRun("evals=20");
  for (EvalRecord& eval : log.evals) eval.verdict = Verdict::kCrash;
  EXPECT_THROW(Known(std::move(log), ToyRoot(), {ToyBound, {}, {}, "toy"}), UsageError);
}

TEST(OracleEvaluator, AnswersAsADeviceDoes) {
  const Known known = Toy();
  OracleEvaluator evaluator(known.oracle, EmitToy, 1234);
  EXPECT_EQ(evaluator.most_text_bytes(), 1234u);
  bool has_failed = false, was_slow = false;
  for (const EvalRecord& eval : known.logs.front().evals) {
    const runtime::Candidate candidate = known.Again(eval);
    const kernels::Source source = evaluator.Emit(candidate);
    const kernels::Compiled compiled = evaluator.CompileOf(source, candidate);
    EXPECT_EQ(compiled.verdict, eval.verdict);
    EXPECT_EQ(evaluator.Compile(source).verdict, eval.verdict);
    has_failed |= compiled.verdict == Verdict::kCompileError;
    const kernels::Measurement all = evaluator.Measure(compiled, {}, Effort::kQuick);
    EXPECT_EQ(all.verdict, eval.verdict);
    if (eval.verdict != Verdict::kCorrect) continue;
    EXPECT_EQ(all.best_ns, QuietTime(eval));
    EXPECT_EQ(evaluator.Measure(compiled, {all.best_ns, 0}, Effort::kFinal).best_ns, all.best_ns);
    const auto capped = evaluator.Measure(compiled, {0.9 * all.best_ns, 0}, Effort::kQuick);
    EXPECT_EQ(capped.verdict, Verdict::kSlow);
    EXPECT_EQ(capped.best_ns, 0);
    was_slow = true;
  }
  EXPECT_TRUE(has_failed && was_slow);
  EXPECT_EQ(evaluator.Compile({"something else"}).verdict, Verdict::kBroken);
}

TEST(WholeSimulation, IsTheSameForTheSameSeed) {
  const Known known = Toy("evals=100");
  const WholeSpace space = known.Space(60);
  const Trace one = SimulateWhole(space, {}, 3), same = SimulateWhole(space, {}, 3);
  EXPECT_EQ(one.best.size(), 60u);
  EXPECT_EQ(one.best, same.best);
  EXPECT_NE(one.best, SimulateWhole(space, {}, 4).best);
  EXPECT_TRUE(std::ranges::is_sorted(one.best, std::greater<>()));
  const std::vector<ChangedConstant> changes = ParseConstant("--vary", "walks=1,4");
  const SimulationSetup setup{.runs = {"run"}, .run = {}, .bound = "toy", .seed = 3, .seeds = 3};
  const auto json = [&](int jobs) {
    return WholeJson(setup, known.oracle, 60, SimulateWhole(space, changes, 3, 3, jobs));
  };
  EXPECT_EQ(json(1), json(2));
}

TEST(WholeSimulation, ComparesSettings) {
  const Known known = Toy("evals=100");
  const WholeSpace space = known.Space(64);
  const WholeResults results =
      SimulateWhole(space, ParseConstant("--vary", "on_islands=0,1"), 1, 4, 2);
  ASSERT_EQ(results.settings.size(), 3u);
  EXPECT_EQ(results.settings[0].setting, "default");
  EXPECT_EQ(results.settings[2].setting, "on_islands=1");
  EXPECT_EQ(results.evaluations, 3u * 4 * 64);
  EXPECT_EQ(results.settings[0].against_default, 1);
  for (const WholeResult& result : results.settings) {
    ASSERT_EQ(result.looks.size(), 4u);
    EXPECT_EQ(result.looks[0].evaluations, 8);
    EXPECT_EQ(result.looks[3].evaluations, 64);
    for (std::size_t look = 0; look < 4; ++look) {
      const WholeResult::Look& at = result.looks[look];
      EXPECT_EQ(at.all.size(), 4u);
      EXPECT_GE(at.least, 1);
      EXPECT_GE(at.mean, at.least);
      EXPECT_LE(at.mean, at.most);
      if (look == 0) continue;
      EXPECT_LE(at.mean, result.looks[look - 1].mean);
    }
    ASSERT_EQ(result.reached.size(), 2u);
    EXPECT_LE(result.reached[0].least, result.reached[1].least);
  }
  const SimulationSetup setup{.runs = {"run"}, .run = {}, .bound = "toy", .seed = 1, .seeds = 4};
  const std::string text = WholeText(setup, known.oracle, 64, results);
  EXPECT_THAT(text, HasSubstr("record: 100 implementations, "));
  EXPECT_THAT(text, HasSubstr("\non_islands=0  "));
  EXPECT_THAT(text, HasSubstr("\n(recorded) "));
  const auto json = nlohmann::json::parse(WholeJson(setup, known.oracle, 64, results));
  EXPECT_EQ(json["settings"].size(), 3u);
  EXPECT_EQ(json["settings"][1]["setting"], "on_islands=0");
  EXPECT_EQ(json["settings"][1]["looks"][3]["all"].size(), 4u);
  const Trace first = known.oracle.FirstRun();
  EXPECT_EQ(first.best.size(), 100u);
  EXPECT_EQ(first.best.back(), known.oracle.best_ns());
  EXPECT_EQ(json["recorded"][1], first.best[15] / known.oracle.best_ns());
  EXPECT_EQ(json["best_ns"], known.oracle.best_ns());
}

/// Of a real space: each size and each kind of a loop makes an implementation faster or slower.
double TimeOfLoops(const std::string& source) {
  double sum = 0;
  std::size_t begin = 0;
  for (std::size_t end; (end = source.find('\n', begin)) != source.npos; begin = end + 1) {
    const std::string_view line = std::string_view(source).substr(begin, end - begin);
    if (!line.starts_with("size(") && !line.starts_with("dim_kind(")) continue;
    const double share = static_cast<double>(Fnv1a64(line) >> 11) * 0x1p-53;
    sum += share * share;  // Few matter much.
  }
  return 1000 * std::exp(0.3 * sum);
}

/// What a device would guess of it.
AmountsFunction GuessOfLoops() {
  AmountsFunction amounts;
  amounts.count = 1;
  amounts.guess = 0;
  amounts.fill = [](const runtime::Candidate& candidate, std::span<double> numbers) {
    numbers[0] = TimeOfLoops(EmitToy(candidate).text);
  };
  return amounts;
}

TEST(WholeSimulation, ABadSettingIsWorse) {
  ProblemOptions options;
  options.kernel = "mv";
  options.size = "m=256,n=256";
  const Problem problem = MakeProblem(options);
  Scene run;
  run.root = [&] { return problem.root(); };
  run.order = "";
  run.evaluator.measure = [](const std::string& source, int) {
    const double share = static_cast<double>(Fnv1a64(source) >> 11) * 0x1p-53;
    return Correct(TimeOfLoops(source) * (0.8 + 0.4 * share));
  };
  run.Budget("evals=240");
  run.options.policy = MakePolicy("tag", {});
  run.options.proposer.local_share = 0.85;
  run.options.proposer.screen = 16;
  run.options.proposer.amounts = GuessOfLoops();
  run.Go();
  const Known known(run.log(), problem.root(), {{}, {}, GuessOfLoops(), ""});
  EXPECT_GT(known.oracle.quality().answer, 0.7);
  EXPECT_LT(known.oracle.quality().factor, 1.3);
  const WholeResults results =
      SimulateWhole(known.Space(60), ParseConstant("--vary", "screen=1"), 1, 3, 2);
  const WholeResult &usual = results.settings[0], &bad = results.settings[1];
  EXPECT_LT(usual.looks[3].mean, bad.looks[3].mean);
  EXPECT_GT(bad.against_default, 1.05);
  EXPECT_GT(bad.error, 0);
}

}  // namespace
}  // namespace exh::search
