// SPDX-License-Identifier: MIT
#include "search/log/log_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "search/report/report.h"
#include "tests/search/log_samples.h"
#include "tests/search/temp_folder.h"

namespace exh::search {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(LogText, DecisionsInWordsAreGroupedByChoice) {
  const Log log = ParseLog(SampleLogText());
  EXPECT_EQ(DecisionsInWords(log, {{1, 0}, {0, 1}, {2, 2}}, "  "),
            "  color  a=RED  b=BLUE\n"
            "  mode   r=TIGHT\n");
}

TEST(LogText, WordsThatTheDictionaryLacksAreNumbers) {
  const Log log = ParseLog(SampleLogText());
  EXPECT_EQ(DecisionName(log, 99), "#99");
  EXPECT_EQ(ValueName(log, {1, 9}), "#9");
}

TEST(LogText, LongListsAreWrapped) {
  Log log;
  Path path;
  for (int index = 0; index < 60; ++index) {
    ChoiceRecord choice = SampleChoice(1);
    choice.index = index;
    log.choices.push_back(choice);
    path.push_back({index, 1});
  }
  const std::string text = DecisionsInWords(log, path, "  ");
  for (std::size_t begin = 0; begin < text.size(); begin = text.find('\n', begin) + 1) {
    EXPECT_LE(text.find('\n', begin) - begin, 100u);
  }
}

TEST(LogText, TheRunInWords) {
  const std::string text = RunText(ParseLog(SampleLogText()), 2);
  EXPECT_THAT(text, HasSubstr("matmul m=512,n=4 on cpu, seed 7"));
  EXPECT_THAT(text, HasSubstr("4 evaluations, 9 descents, 5 duplicates"));
  EXPECT_THAT(text, HasSubstr("wrong             1"));
  EXPECT_THAT(text, HasSubstr("dead end at different"));
  EXPECT_THAT(text, HasSubstr("best: record 2, 902 ns"));
  EXPECT_THAT(text, HasSubstr("901 ns"));       // The two fastest are records 1 and 2 …
  EXPECT_THAT(text, Not(HasSubstr("904 ns")));  // … and 4 is left out.
}

TEST(LogText, WhenARunCameNearItsBest) {
  Log log = ParseLog(SampleLogText());
  log.bests = {
      {.n = 1, .dt = 1, .ns = 2000}, {.n = 2, .dt = 3, .ns = 940}, {.n = 4, .dt = 5, .ns = 902}};
  EXPECT_THAT(RunText(log, 2), HasSubstr("within 10 % after 3.0 s (record 2), 5 % after 3.0 s "
                                         "(record 2), 1 % after 5.0 s (record 4)\n"));
}

TEST(LogText, ARecordInWords) {
  const Log log = ParseLog(SampleLogText());
  const std::string text = EvalText(log, *log.Find(2), false);
  EXPECT_THAT(text, HasSubstr("record 2 after 0.50 s: correct, 902 ns"));
  EXPECT_THAT(text, HasSubstr("color  b=BLUE"));
  const std::string full = EvalText(log, *log.Find(2), true);
  EXPECT_THAT(full, HasSubstr("mode(r)=LOOSE\ncolor(a)=GREEN\n"));
  EXPECT_THAT(full, Not(HasSubstr("color(b)")));  // It takes no part.
  EXPECT_THAT(EvalText(log, *log.Find(3), false), HasSubstr("z[3] is"));
}

TEST(LogText, OptionsHaveTheirWords) {
  Log log = ParseLog(SampleLogText());
  log.run->words = {{"n", "max"}};
  EXPECT_EQ(SizesText(*log.run), "m=512,n=max");
  EXPECT_THAT(RunText(log, 2), HasSubstr("matmul m=512,n=max on cpu"));
}

TEST(LogText, HowBlocksDivideReductionsStandsBesideTheTime) {
  Log log = ParseLog(SampleLogText());
  EXPECT_THAT(RunText(log, 9), Not(HasSubstr("bits")));
  EXPECT_THAT(EvalText(log, *log.Find(2), false), Not(HasSubstr("blocks divide")));
  log.evals.at(0).across = "LAST_BLOCK";
  log.evals.at(1).across = "ATOMIC_RED";
  log.evals.at(1).bits_vary = true;
  EXPECT_THAT(RunText(log, 9), HasSubstr("  LAST_BLOCK\n"));
  EXPECT_THAT(RunText(log, 9), HasSubstr("  ATOMIC_RED, bits may vary from run to run\n"));
  EXPECT_THAT(EvalText(log, *log.Find(1), false),
              HasSubstr("\nblocks divide reductions: LAST_BLOCK\n"));
  EXPECT_THAT(EvalText(log, *log.Find(2), false),
              HasSubstr("\nblocks divide reductions: ATOMIC_RED, bits may vary from run to run\n"));
}

TEST(LogText, MemoryStandsBesideTheTime) {
  Log log = ParseLog(SampleLogText());
  EXPECT_THAT(RunText(log, 9), Not(HasSubstr("memory")));
  EXPECT_THAT(EvalText(log, *log.Find(2), false), Not(HasSubstr("memory")));
  for (EvalRecord& eval : log.evals) eval.memory_bytes = 50'000;
  EXPECT_THAT(RunText(log, 9), HasSubstr("\nmemory: 50 kB, that of the arrays\n"));
  EXPECT_THAT(RunText(log, 9), Not(HasSubstr("time against memory"))) << "nothing is to be chosen";
  log.evals.at(0).runtimes_ns = log.evals.at(1).runtimes_ns = {};  // No noise.
  log.evals.at(0).workspace_bytes = 2'000;
  log.evals.at(0).memory_bytes += 2'000;
  EXPECT_THAT(EvalText(log, *log.Find(1), false),
              HasSubstr("\nmemory: 52 kB, of which 2000 bytes lie beside the arrays\n"));
  const std::string text = RunText(log, 9);
  EXPECT_THAT(text, HasSubstr("  2000 bytes beside the arrays\n"));
  EXPECT_THAT(text, HasSubstr("time against memory:\n"
                              "       2       50 kB      902 ns\n"
                              "       1       52 kB      901 ns\n"));
  log.run->objective = "memory";
  EXPECT_THAT(RunText(log, 9), HasSubstr("\nsearched for least memory\n"));
}

TEST(LogText, DiffListsWhatDiffers) {
  const Log log = ParseLog(SampleLogText());
  EXPECT_EQ(DiffText(log, *log.Find(1), log, *log.Find(2), true),
            "color(a): BLUE -> GREEN\n"
            "color(b): GREEN -> -\n");
  EXPECT_EQ(DiffText(log, *log.Find(1), log, *log.Find(3), true), "");
}

TEST(LogText, DiffListsWhatWasTakenAndCountsTheRest) {
  const Log log = ParseLog(SampleLogText());  // Of what differs, color(b) alone was taken.
  EXPECT_EQ(DiffText(log, *log.Find(1), log, *log.Find(2), false),
            "color(b): GREEN -> -\n"
            "1 more differs because of these; --full has them\n");
}

TEST(LogText, DiffGoesByNameNotByNumber) {
  const Log log = ParseLog(SampleLogText());
  Log renumbered = log;
  std::swap(renumbered.choices[0], renumbered.choices[1]);
  EvalRecord eval = *log.Find(1);
  std::swap(eval.vector[0], eval.vector[1]);
  EXPECT_EQ(DiffText(log, *log.Find(1), renumbered, eval, true), "");
}

TEST(RecordName, IsARunAndPerhapsANumber) {
  EXPECT_EQ(ParseRecordName("runs/mm").run, "runs/mm");
  EXPECT_EQ(ParseRecordName("runs/mm").n, std::nullopt);
  EXPECT_EQ(ParseRecordName("runs/mm@12").run, "runs/mm");
  EXPECT_EQ(ParseRecordName("runs/mm@12").n, 12u);
  EXPECT_EQ(ParseRecordName("runs/mm@best").n, std::nullopt);
  for (const char* bad : {"runs/mm@", "runs/mm@0", "runs/mm@x"}) {
    EXPECT_THROW(ParseRecordName(bad), UsageError) << bad;
  }
}

TEST(PickRecord, SaysWhatThereIs) {
  Log log = ParseLog(SampleLogText());
  EXPECT_EQ(PickRecord(log, "mm", std::nullopt).n, 2u);
  EXPECT_EQ(PickRecord(log, "mm", 3).n, 3u);
  EXPECT_THAT(Thrown<UsageError>([&] { PickRecord(log, "mm", 9); }),
              HasSubstr("'mm' has no record 9; it has 1 to 4"));
  log.bests.clear();
  EXPECT_THAT(Thrown<UsageError>([&] { PickRecord(log, "mm", std::nullopt); }),
              HasSubstr("no best"));
}

TEST(Report, LaunchesOneByOneHaveTimesAndBits) {
  ReferenceRecord record;
  record.runtimes_ns = {3e3, 1e3, 2e3, 5e3};
  record.results = 1;
  EXPECT_EQ(RepeatText(record),
            "4 launches: the same bits each time; 1.00 us to 5.00 us, median 2.50 us\n");
  record.runtimes_ns.pop_back();
  record.results = 2;
  EXPECT_EQ(RepeatText(record),
            "3 launches: 2 different results, bit by bit; 1.00 us to 3.00 us, median 2.00 us\n");
}

TEST(Report, RatiosAreOfTimesMeasuredInTurn) {
  ReferenceRecord winner, naive, eigen;
  winner.name = "winner";
  winner.verdict = naive.verdict = kernels::Verdict::kCorrect;
  winner.best_ns = 2e6;
  naive.name = "naive";
  naive.best_ns = 20e6;
  eigen.name = "eigen";
  eigen.verdict = kernels::Verdict::kCompileError;
  eigen.why = "no Eigen";
  const std::string text = ComparisonText({winner, naive, eigen});
  EXPECT_THAT(text, HasSubstr("10x the speed of the naive loop nest (20.0 ms"));
  EXPECT_THAT(text, HasSubstr("Eigen could not be measured: compile_error: no Eigen"));
  EXPECT_EQ(ComparisonText({naive}), "");
  winner.verdict = kernels::Verdict::kWrong;
  EXPECT_THAT(ComparisonText({winner, naive}), HasSubstr("measured once more it was wrong"));
}

TEST(Report, CommandsAreComplete) {
  EXPECT_EQ(CommandsText("./exh search", "runs/mm", 17),
            "  show    ./exh search log show runs/mm --record 17\n"
            "  replay  ./exh search replay runs/mm --record 17\n"
            "  emit    ./exh search emit runs/mm --record 17\n");
}

TEST(Report, CountsAreSorted) {
  EXPECT_EQ(CountsText({{"a", 1}, {"b", 5}, {"c", 2}}, 2), "b 5, c 2, 1 more");
}

}  // namespace
}  // namespace exh::search
