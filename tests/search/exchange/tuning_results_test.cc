// SPDX-License-Identifier: MIT
//
// Results of other tuners as runs, and runs as results: what goes out and comes back is the same.
#include "search/exchange/results/tuning_results.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <set>
#include <string>

#include "search/exchange/results/recorded_run.h"
#include "search/exchange/results/time_stamp.h"
#include "search/log/log_reader.h"
#include "search/simulate/recorded_space.h"
#include "tests/search/temp_folder.h"

namespace exh::search {
namespace {

using kernels::Verdict;
using testing::HasSubstr;

const SpaceFile kSpace = {"conv.exh", R"(
/// as: BLOCK_X
choice integer block_x(): 16 | 32 end
/// as: precision
choice enum precision():
  /// as: "half"
  value HALF:
  /// as: 32
  value V32:
end
choice integer unroll(): 0 .. 99 end
require not_both: block_x() is 32 => unroll() < 50
)"};

constexpr const char* kResults = R"({"schema_version": "1.0.0", "results": [
  {"timestamp": "2026-01-31 12:00:01.250000+00:00", "configuration": {"BLOCK_X": 16, "precision": "half", "unroll": 99},
   "times": {"compilation": 600.5, "benchmark": 20, "framework": 3, "search_algorithm": 1, "validation": 2.5, "runtimes": [1.5, 1.25]},
   "invalidity": "correct", "correctness": 1, "objectives": ["time"],
   "measurements": [{"name": "time", "value": 1.375, "unit": "ms"}, {"name": "GFLOP/s", "value": 10, "unit": ""}]},
  {"timestamp": "2026-01-31 12:00:02+00:00", "configuration": {"BLOCK_X": 32, "precision": 32, "unroll": 3},
   "times": {"compilation_time": 700, "runtimes": [1.0]}, "invalidity": "correct", "correctness": 1},
  {"timestamp": "2026-01-31 13:00:03+01:00", "configuration": {"BLOCK_X": 32, "precision": "half", "unroll": 4},
   "times": {}, "invalidity": "compile", "correctness": 0},
  {"timestamp": "2026-01-31 12:00:04", "configuration": {"BLOCK_X": 32, "precision": "half", "unroll": 60},
   "times": {}, "invalidity": "constraints", "correctness": 0},
  {"timestamp": "2026-01-31 12:00:05", "configuration": {"BLOCK_X": 16, "precision": "half", "unroll": 4},
   "times": {"runtimes": [0.5]}, "invalidity": "correctness", "correctness": 0}]})";

TEST(TuningResults, BecomeARun) {
  const RecordedRun run = RunOfResults(ParseTuningResults(kResults), kSpace);
  EXPECT_EQ(run.num_outside, 1u);
  EXPECT_THAT(run.first_outside, HasSubstr("\"unroll\":60"));
  const Log& log = run.log;
  ASSERT_EQ(log.evals.size(), 4u);
  EXPECT_EQ(log.run->subject, "own");
  EXPECT_EQ(log.run->started, "2026-01-31T12:00:01Z");
  EXPECT_EQ(log.evals[0].vector, "00~1Z");  // 99 is value 1 * 64 + 35.
  EXPECT_EQ(log.evals[0].best_ns, 1.375e6);
  EXPECT_EQ(log.evals[0].compile_ms, 600.5);
  EXPECT_EQ(log.evals[0].dt, 0.25);
  EXPECT_EQ(log.evals[1].best_ns, 1e6);
  EXPECT_EQ(log.evals[2].verdict, Verdict::kCompileError);
  EXPECT_EQ(log.evals[2].dt, 2);
  EXPECT_EQ(log.evals[3].verdict, Verdict::kWrong);
  ASSERT_EQ(log.bests.size(), 2u);
  EXPECT_EQ(log.bests.back().n, 2u);
  EXPECT_EQ(log.end->verdicts.at("correct"), 2u);
}

TEST(TuningResults, GoOutAndComeBackTheSame) {
  const TempFolder temp;
  const std::string first = temp.path() + "/first", second = temp.path() + "/second";
  Log log = RunOfResults(ParseTuningResults(kResults), kSpace).log;
  log.evals[0].runtimes_ns = {1234567.891234, 1e9 / 3};  // More digits than are written.
  log.evals[2].verdict = Verdict::kSpills;
  log.evals[2].why = "too many registers: \xC3\xA4";
  log.evals[3].verdict = Verdict::kSlow;
  WriteRun(log, first);
  const std::string json = TuningResultsJson(ResultsOfRun(ReadLog(first)));
  const RecordedRun again = RunOfResults(ParseTuningResults(json), kSpace);
  EXPECT_EQ(again.num_outside, 0u);
  EXPECT_EQ(again.log.evals[2].verdict, Verdict::kSpills);
  EXPECT_EQ(again.log.evals[2].why, log.evals[2].why);
  EXPECT_EQ(again.log.evals[3].verdict, Verdict::kSlow);
  WriteRun(again.log, second);
  EXPECT_EQ(TuningResultsJson(ResultsOfRun(ReadLog(second))), json);
  EXPECT_TRUE(ReadLog(second).problems.empty());
}

/// What the schema of T4 asks for.
TEST(TuningResults, KeepTheSchema) {
  const std::set<std::string> invalidities = {"timeout",     "compile",     "runtime",
                                              "correctness", "constraints", "correct"};
  TuningResults results = ParseTuningResults(kResults);
  for (TuningResult& result : results.results) {
    for (int verdict = 0; verdict <= static_cast<int>(Verdict::kStopped); ++verdict) {
      result.verdict = static_cast<Verdict>(verdict);
      EXPECT_TRUE(invalidities.contains(std::string(InvalidityOf(result.verdict))));
    }
  }
  const Json json = Json::parse(TuningResultsJson(results));
  EXPECT_EQ(json["schema_version"], "1.0.0");
  for (const Json& result : json["results"]) {
    EXPECT_TRUE(result["timestamp"].is_string());
    EXPECT_TRUE(result["configuration"].is_object());
    EXPECT_TRUE(result["objectives"].is_array());
    EXPECT_TRUE(result["correctness"] == 0 || result["correctness"] == 1);
    EXPECT_TRUE(invalidities.contains(result["invalidity"].get<std::string>()));
    for (const char* const name :
         {"compilation_time", "framework", "search_algorithm", "validation"}) {
      EXPECT_TRUE(result["times"][name].is_number()) << name;
    }
    EXPECT_TRUE(result["times"]["runtimes"].is_array());
    for (const Json& measurement : result["measurements"]) {
      EXPECT_TRUE(measurement["name"].is_string() && measurement["unit"].is_string());
      EXPECT_TRUE(measurement["value"].is_number() || measurement["value"].is_string());
    }
  }
}

TEST(TuningResults, ReadACacheOfKernelTuner) {
  constexpr const char* kCache =
      R"({"device_name": "A", "kernel_name": "conv", "tune_params_keys": ["x", "y"],
"tune_params": {"x": [16, 32], "y": [1, 2]}, "objective": "time", "cache": {
"16,1": {"x": 16, "y": 1, "time": 3.5, "times": [3.5, 3.75], "compile_time": 9, "verification_time": 0, "benchmark_time": 1, "strategy_time": 0, "framework_time": 1, "timestamp": "2023-12-22 09:54:05.502007+00:00"},
"16,2": {"x": 16, "y": 2, "time": "CompilationFailedConfig", "compile_time": 9, "timestamp": "2023-12-22 09:54:06+00:00"},
"32,1": {"x": 32, "y": 1, "time": "RuntimeFailedConfig", "timestamp": "2023-12-22 09:54:07+00:00"},
"32,2": {"x": 32, "y": 2, "time": 1e20},
)";
  for (const std::string end : {"}}", ""}) {  // One that is still written to has none.
    std::string text = std::string(kCache);
    if (!end.empty()) text = text.substr(0, text.rfind(',')) + end;
    const TuningResults results = ParseTuningResults(text);
    ASSERT_EQ(results.results.size(), 4u);
    EXPECT_EQ(results.device, "A");
    EXPECT_EQ(results.results[0].ns, 3.5e6);
    EXPECT_EQ(results.results[1].verdict, Verdict::kCompileError);
    EXPECT_EQ(results.results[2].verdict, Verdict::kCrash);
    EXPECT_EQ(results.results[3].verdict, Verdict::kCrash);
    ASSERT_TRUE(results.space);
    EXPECT_EQ(results.space->parameters.size(), 2u);
  }
}

std::string Refusal(const std::string& json) {
  try {
    RunOfResults(ParseTuningResults(json), kSpace);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "nothing was refused";
}

TEST(TuningResults, SayWhatIsWrongAndWhere) {
  EXPECT_THAT(Refusal("{"), HasSubstr("line 1"));
  EXPECT_THAT(Refusal("{}"), HasSubstr("neither a list 'results' (T4) nor an object 'cache'"));
  EXPECT_THAT(Refusal(R"({"results": [{}]})"), HasSubstr("result 1 has no 'configuration'"));
  const auto result = [](const std::string& configuration, const std::string& invalidity) {
    return Refusal(R"({"results": [{"configuration": )" + configuration +
                   R"(, "times": {"runtimes": [1]}, "invalidity": ")" + invalidity +
                   R"(", "correctness": 1}]})");
  };
  EXPECT_THAT(result(R"({"BLOCK_Y": 1})", "correct"),
              HasSubstr("result 1: unknown parameter 'BLOCK_Y'; did you mean 'BLOCK_X'?"));
  EXPECT_THAT(result(R"({"BLOCK_X": 16})", "correct"), HasSubstr("result 1 has no 'precision'"));
  EXPECT_THAT(result("{}", "corect"), HasSubstr("did you mean 'correct'?"));
}

TEST(TuningResults, ReadTimesOfDay) {
  const auto again = [](const char* text) {
    const auto micros = ParseTimeStamp(text);
    return micros ? TimeStampText(*micros) : "none";
  };
  EXPECT_EQ(again("2023-12-21 10:44:42.236642+00:00"), "2023-12-21T10:44:42.236642Z");
  EXPECT_EQ(again("2024-02-29T23:59:59Z"), "2024-02-29T23:59:59Z");
  EXPECT_EQ(again("2024-01-01 00:30:00+01:00"), "2023-12-31T23:30:00Z");
  EXPECT_EQ(again("1969-12-31T23:59:59.5Z"), "1969-12-31T23:59:59.500000Z");
  for (const char* const wrong : {"", "2023", "2023-13-01T00:00:00Z", "2023-02-30T00:00:00Z",
                                  "2023-12-21 10:44", "2023-12-21 10:44:42x"}) {
    EXPECT_EQ(again(wrong), "none") << wrong;
  }
}

/// What `--simulate` reads of it.
TEST(TuningResults, AreLeavesOfASimulation) {
  const Log log = RunOfResults(ParseTuningResults(kResults), kSpace).log;
  const std::string name = "run";
  const std::vector<RecordedLeaf> leaves = LeavesOf({&log, 1}, {&name, 1});
  ASSERT_EQ(leaves.size(), 4u);
  EXPECT_EQ(leaves[0].ns, 1.375e6);
  EXPECT_EQ(leaves[2].ns, 0);
}

}  // namespace
}  // namespace exh::search
