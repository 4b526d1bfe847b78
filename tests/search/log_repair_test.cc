// SPDX-License-Identifier: MIT
#include "search/log/log_repair.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include "base/error.h"
#include "search/log/event_log.h"
#include "search/log/log_text.h"
#include "tests/search/log_samples.h"
#include "tests/search/scene.h"
#include "tests/support/tree.h"

namespace exh::search {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

std::vector<std::string> Lines(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return lines;
}

std::string Joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line;
  return text;
}

/// The log of a search of the toy space, with a tree.
std::string TreeLog() {
  Scene run;
  run.options.policy = MakePolicy("tag", {});
  run.Budget("evals=60");
  run.Go();
  return ReadAll(run.folder / "log.jsonl");
}

TEST(MendBit, FindsTheOneBitThatChanged) {
  LogTail tail;
  std::string line = SealLine(RecordText(ToJson(SampleEval(1))), tail);
  line.pop_back();
  for (std::size_t bit = 0; bit < 8 * line.size(); ++bit) {
    std::string damaged = line;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
    EXPECT_FALSE(Unseal(damaged)) << bit;
    EXPECT_EQ(MendBit(damaged), line) << bit;
  }
  std::string damaged = line;
  damaged[10] = '#';
  damaged[40] = '#';
  const auto mended = MendBit(damaged);
  EXPECT_TRUE(!mended || *mended != line);
}

TEST(LogRepair, AWholeLogNeedsNone) {
  const std::string text = SampleLogText();
  EXPECT_FALSE(RepairLog(text, {}).needed);
  EXPECT_FALSE(RepairLog(text.substr(0, text.size() - 30), {}).needed);  // Killed: no damage.
}

/// The log is as it was, but for the line that tells of the repair.
void ExpectMended(const std::string& text, const std::string& damaged, const std::string& what) {
  SCOPED_TRACE(what);
  ASSERT_FALSE(ParseLog(damaged).problems.empty());
  const LogRepair repair = RepairLog(damaged, {});
  EXPECT_TRUE(repair.needed);
  EXPECT_THAT(repair.record.lost, IsEmpty());
  EXPECT_THAT(repair.text, StartsWith(text));
  const Log log = ParseLog(repair.text);
  EXPECT_THAT(log.problems, IsEmpty());
  EXPECT_EQ(log.repairs.size(), 1u);
}

TEST(LogRepair, AnyFlippedBitIsMended) {
  const std::string text = SampleLogText();
  for (std::size_t bit = 0; bit < 8 * text.size(); bit += 37) {
    std::string damaged = text;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
    ExpectMended(text, damaged, fmt::format("bit {}", bit));
  }
  // The ends of all lines, of which two become one, or one less a little.
  for (std::size_t end = text.find('\n'); end != text.npos; end = text.find('\n', end + 1)) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string damaged = text;
      damaged[end] = static_cast<char>(damaged[end] ^ (1 << bit));
      ExpectMended(text, damaged, fmt::format("end at {}, bit {}", end, bit));
    }
  }
}

TEST(LogRepair, LinesThatStandTwiceOrInAnotherOrderArePutRight) {
  const std::string text = TreeLog();
  std::vector<std::string> lines = Lines(text);
  std::swap(lines[20], lines[25]);
  lines.insert(lines.begin() + 40, lines[10]);
  ExpectMended(text, Joined(lines), "swapped and doubled");
}

/// Lines go, anywhere: all others are kept, a tree can be made of them, and the run goes on.
TEST(LogRepair, GoesOnAfterAnyLoss) {
  const std::string text = TreeLog();
  const std::size_t header = Lines(text.substr(0, text.find("{\"t\":\"select\""))).size();
  const Log whole = ParseLog(text);
  const std::uint64_t seed = 23;
  Random random(seed);
  for (int attempt = 0; attempt < 40; ++attempt) {
    SCOPED_TRACE(fmt::format("seed {}, attempt {}", seed, attempt));
    std::vector<std::string> lines = Lines(text);
    const std::size_t most = lines.size() - header;
    // Some lines are gone, and of others half is garbage.
    for (std::uint64_t loss = 1 + random.Below(4); loss > 0; --loss) {
      const std::size_t which = header + random.Below(most - 5);
      if (random.Below(2) == 0) {
        lines.erase(lines.begin() + static_cast<std::ptrdiff_t>(which));
      } else {
        lines[which].replace(10, 12, "############");
      }
    }
    Scene run;
    run.options.policy = MakePolicy("tag", {});
    std::ofstream(run.folder / "log.jsonl", std::ios::binary) << Joined(lines);
    const Log damaged = run.log();
    ASSERT_THAT(damaged.problems, testing::Not(IsEmpty()));
    const LogRepair repair = RepairRun(run.folder.path(), "test");
    EXPECT_TRUE(repair.needed);
    const Log repaired = run.log();
    EXPECT_THAT(repaired.problems, IsEmpty());
    EXPECT_EQ(repaired.evals.size(), damaged.evals.size());
    EXPECT_EQ(repaired.deads.size(), damaged.deads.size());
    EXPECT_EQ(repaired.selects.size(), damaged.selects.size());
    EXPECT_EQ(ReadAll(run.folder / "log.jsonl.damaged"), Joined(lines));
    double fastest = 1e9;
    for (const EvalRecord& eval : repaired.evals) {
      if (eval.verdict == kernels::Verdict::kCorrect) fastest = std::min(fastest, eval.best_ns);
    }
    // A best whose line alone was lost is known again.
    const bool has_bests = std::ranges::all_of(
        whole.bests, [&](const BestRecord& best) { return repaired.Find(best.n) != nullptr; });
    if (has_bests) {
      EXPECT_EQ(repaired.BestTime(), fastest);
    }
    run.Budget("evals=90");
    const Outcome outcome = run.Resume();
    const Log log = run.log();
    EXPECT_THAT(log.problems, IsEmpty());
    EXPECT_EQ(outcome.end.evaluations, 90u);
    EXPECT_EQ(run.ReplayedDigest(), outcome.end.tree);
    std::set<std::string> codes;
    for (const EvalRecord& eval : log.evals) EXPECT_TRUE(codes.insert(eval.code).second);
  }
}

TEST(LogRepair, SaysWhatWasLost) {
  std::vector<std::string> lines = Lines(SampleLogText());
  lines[6].replace(60, 12, "############");  // Evaluation 2, which is the best.
  lines.erase(lines.begin() + 4);            // A dead end.
  const LogRepair repair = RepairLog(Joined(lines), {});
  EXPECT_THAT(repair.record.lost, ElementsAre("line 5 (missing)", "line 7 (an evaluation)",
                                              "line 10 (a new best of what is lost)"));
  const Log log = ParseLog(repair.text);
  EXPECT_EQ(log.evals.size(), 3u);
  EXPECT_THAT(log.bests, IsEmpty());
  EXPECT_THAT(RunText(log, 3), HasSubstr("0 lines mended, 3 lines lost\n  line 5 (missing)"));
}

TEST(LogRepair, ADeepNestAndAFieldOfTheWrongTypeAreLost) {
  LogTail tail;
  std::string text = SampleLogText();
  tail = ParseLog(text).tail;
  text += SealLine(R"({"t":"dead","x":)" + std::string(100, '['), tail);
  text += SealLine(RecordText(Json{{"t", "eval"}, {"n", "one"}}), tail);
  const LogRepair repair = RepairLog(text, {});
  EXPECT_EQ(repair.record.lost.size(), 2u);
  EXPECT_THAT(ParseLog(repair.text).problems, IsEmpty());
}

TEST(LogRepair, WithoutItsHeaderNothingCanBeDone) {
  TempFolder folder;
  std::vector<std::string> lines = Lines(SampleLogText());
  lines[0].replace(10, 12, "############");
  std::ofstream(folder / "log.jsonl", std::ios::binary) << Joined(lines);
  EXPECT_THAT(Thrown<UsageError>([&] { RepairRun(folder.path(), "test"); }),
              HasSubstr("the header of the log is lost"));
  EXPECT_EQ(ReadAll(folder / "log.jsonl"), Joined(lines));
  EXPECT_FALSE(std::filesystem::exists(folder / "log.jsonl.damaged"));
}

TEST(LogRepair, KeepsEveryDamagedFileAndRefusesOneInUse) {
  TempFolder folder;
  const std::string path = folder / "log.jsonl";
  for (int time = 1; time <= 2; ++time) {
    std::string text = SampleLogText();
    text[text.find("\"t\":\"dead\"") + 7] = static_cast<char>('0' + time);
    std::filesystem::remove(path);
    std::ofstream(path, std::ios::binary) << text;
    EXPECT_EQ(RepairRun(folder.path(), "test").record.damaged,
              time == 1 ? "log.jsonl.damaged" : "log.jsonl.damaged-2");
  }
  EXPECT_THAT(ReadAll(path + ".damaged"), HasSubstr("\"de1d\""));
  EXPECT_THAT(ReadAll(path + ".damaged-2"), HasSubstr("\"de2d\""));
  EXPECT_FALSE(RepairRun(folder.path(), "test").needed);
  const EventLog held = EventLog::Reopen(path);
  EXPECT_THAT(Thrown<UsageError>([&] { RepairRun(folder.path(), "test"); }),
              HasSubstr("another process writes"));
}

/// A log of a toy run as version 1 of the format wrote it: no numbers, no chain.
std::string Version1() {
  return ReadAll(std::string(kSourceDir) + "/tests/search/golden/log-v1.jsonl");
}

TEST(Version1, IsReadAndRepaired) {
  const std::string text = Version1();
  const Log log = ParseLog(text);
  ASSERT_TRUE(log.run);
  EXPECT_EQ(log.run->version, 1);
  EXPECT_THAT(log.problems, IsEmpty());
  EXPECT_EQ(log.evals.size(), 20u);
  EXPECT_EQ(log.tail.lines, Lines(text).size());
  std::string damaged = text;
  damaged[damaged.find("\"t\":\"eval\"") + 20] ^= 4;
  ExpectMended(text, damaged, "a bit");
}

TEST(Version1, GoesOnWithNumberedLines) {
  Scene run;
  run.options.policy = MakePolicy("tag", {});
  std::ofstream(run.folder / "log.jsonl", std::ios::binary) << Version1();
  run.Budget("evals=40");
  const Outcome outcome = run.Resume();
  const std::string text = ReadAll(run.folder / "log.jsonl");
  EXPECT_THAT(text, StartsWith(Version1()));
  EXPECT_THAT(run.log().problems, IsEmpty());
  EXPECT_EQ(run.log().evals.size(), 40u);
  EXPECT_EQ(run.ReplayedDigest(), outcome.end.tree);
  std::vector<std::string> lines = Lines(text);
  lines.erase(lines.end() - 3);
  EXPECT_THAT(ParseLog(Joined(lines)).problems,
              ElementsAre(fmt::format("line {} is missing", lines.size() - 1)));
}

}  // namespace
}  // namespace exh::search
