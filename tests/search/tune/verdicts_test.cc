// SPDX-License-Identifier: MIT
//
// What searches tell one another of programs that are of no use.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <set>
#include <vector>

#include "search/log/log_json.h"
#include "search/measure/verdict_cache.h"
#include "search/report/report.h"
#include "tests/search/scene.h"
#include "tests/search/temp_folder.h"

namespace exh::search {
namespace {

namespace fs = std::filesystem;
using kernels::Verdict;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

std::vector<fs::path> FilesIn(const std::string& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(folder)) files.push_back(entry.path());
  return files;
}

void Overwrite(const fs::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << text;
}

TEST(VerdictCache, HasWhatWasKept) {
  const TempFolder folder;
  const VerdictCache one(folder / "verdicts", "a problem");
  EXPECT_FALSE(one.Find("x = 1;"));
  one.Keep("x = 1;", {Verdict::kWrong, "x[0] is 2, expected 1 \xff"});
  one.Keep("x = ;", {Verdict::kCompileError, "expected an expression"});
  const VerdictCache other(folder / "verdicts", "a problem");  // Of another process.
  ASSERT_TRUE(other.Find("x = 1;"));
  EXPECT_EQ(other.Find("x = 1;")->verdict, Verdict::kWrong);
  EXPECT_THAT(other.Find("x = 1;")->why, HasSubstr("x[0] is 2, expected 1 "));
  ASSERT_TRUE(other.Find("x = ;"));
  EXPECT_EQ(other.Find("x = ;")->verdict, Verdict::kCompileError);
  EXPECT_FALSE(other.Find("x = 2;"));
  EXPECT_FALSE(VerdictCache(folder / "verdicts", "another problem").Find("x = 1;"));
}

// A time depends on the machine, a crash on its memory: nobody else learns of them.
TEST(VerdictCache, KeepsNothingElse) {
  const TempFolder folder;
  const VerdictCache cache(folder / "verdicts", "a problem");
  for (const Verdict verdict : {Verdict::kCorrect, Verdict::kSlow, Verdict::kCrash,
                                Verdict::kTimeout, Verdict::kBroken, Verdict::kImpossible}) {
    cache.Keep("x = 1;", {verdict, "so"});
  }
  EXPECT_THAT(FilesIn(folder / "verdicts"), IsEmpty());
}

TEST(VerdictCache, WhatIsNotAsItWasWrittenIsNone) {
  const TempFolder folder;
  const VerdictCache cache(folder / "verdicts", "a problem");
  cache.Keep("x = 1;", {Verdict::kWrong, "x[0] is 2"});
  cache.Keep("x = 2;", {Verdict::kWrong, "x[0] is 3"});
  const auto files = FilesIn(folder / "verdicts");
  ASSERT_THAT(files, SizeIs(2));
  const std::string first = ReadAll(files[0].string()), second = ReadAll(files[1].string());
  EXPECT_TRUE(cache.Find("x = 1;"));
  for (std::size_t end = 0; end + 1 < first.size(); ++end) {  // The last byte is that of its line.
    Overwrite(files[0], first.substr(0, end));
    Overwrite(files[1], second.substr(0, std::min(end, second.size() - 2)));
    ASSERT_FALSE(cache.Find("x = 1;")) << end;
    ASSERT_FALSE(cache.Find("x = 2;")) << end;
  }
  // Another text's, as if both had one key.
  Overwrite(files[0], second);
  Overwrite(files[1], first);
  EXPECT_FALSE(cache.Find("x = 1;"));
  EXPECT_FALSE(cache.Find("x = 2;"));
  Overwrite(files[0], std::string(first.size(), '\0'));
  EXPECT_FALSE(cache.Find("x = 1;") && cache.Find("x = 2;"));
  Overwrite(files[0], first);
  Overwrite(files[1], second);
  EXPECT_TRUE(cache.Find("x = 1;"));
  std::string changed = first;
  changed.replace(changed.find("x[0]"), 4, "x[9]");
  Overwrite(files[0], changed);
  EXPECT_NE(cache.Find("x = 1;").has_value(), cache.Find("x = 2;").has_value());
}

TEST(VerdictCache, AFolderThatCannotBeIsNoFailure) {
  const TempFolder folder;
  Overwrite(folder / "file", "text");
  const VerdictCache cache(folder / "file", "a problem");
  cache.Keep("x = 1;", {Verdict::kWrong, "so"});
  EXPECT_FALSE(cache.Find("x = 1;"));
}

TEST(VerdictContext, HasAllThatAVerdictDependsOn) {
  RunRecord run;
  run.kernel = "matmul";
  run.sizes = {{"m", 64}};
  run.device = "cpu";
  run.machine = {{"compiler", "g++ 12"}};
  std::set<std::string> all = {VerdictContext(run, "program")};
  EXPECT_FALSE(all.insert(VerdictContext(run, "program")).second);
  EXPECT_TRUE(all.insert(VerdictContext(run, "a mended program")).second);
  const auto differs = [&](const auto& change) {
    RunRecord other = run;
    change(other);
    return all.insert(VerdictContext(other, "program")).second;
  };
  EXPECT_TRUE(differs([](RunRecord& r) { r.kernel = "axpy"; }));
  EXPECT_TRUE(differs([](RunRecord& r) { r.text = "C[i] = A[i]"; }));
  EXPECT_TRUE(differs([](RunRecord& r) { r.sizes["m"] = 65; }));
  EXPECT_TRUE(differs([](RunRecord& r) { r.words["op"] = "max"; }));
  EXPECT_TRUE(differs([](RunRecord& r) { r.device = "gpu"; }));
  EXPECT_TRUE(differs([](RunRecord& r) { r.limits["threads"] = "8"; }));
  EXPECT_TRUE(differs([](RunRecord& r) { r.machine["compiler"] = "g++ 13"; }));
  // What is no matter of right and wrong.
  EXPECT_FALSE(differs([](RunRecord& r) { r.seed = 7; }));
  EXPECT_FALSE(differs([](RunRecord& r) { r.policy = "uct"; }));
}

TEST(ProgramDigest, IsOfItsContent) {
  const TempFolder folder;
  Overwrite(folder / "a.so", "one");
  Overwrite(folder / "b.so", "two");
  const std::string alone = ProgramDigest({}), one = ProgramDigest({folder / "a.so"});
  EXPECT_THAT(alone, Not(IsEmpty()));
  EXPECT_NE(alone, one);
  EXPECT_NE(one, ProgramDigest({folder / "b.so"}));
  Overwrite(folder / "b.so", "one");
  EXPECT_EQ(one, ProgramDigest({folder / "b.so"}));
  EXPECT_THAT(ProgramDigest({folder / "none.so"}), IsEmpty());
}

// ---- A search with such a folder --------------------------------------------------------------

bool IsWrong(const std::string& source) {
  return source.find("color(a)=GREEN") != source.npos;
}
bool IsNoProgram(const std::string& source) {
  return source.find("size(a)=1") != source.npos;
}

/// A search of all of the toy space: some programs are wrong, some do not compile.
struct Whole {
  explicit Whole(const VerdictCache* verdicts, bool ahead = false, bool has_tree = false) {
    scene.evaluator.ahead = ahead;
    scene.options.max_duplicates = 20000;
    scene.options.verdicts = verdicts;
    if (has_tree) scene.options.policy = MakePolicy("tag", {});
    scene.evaluator.compile = [this](const std::string& source) {
      if (IsNoProgram(source)) ++compiled_in_vain;
      return IsNoProgram(source) ? Verdict::kCompileError : Verdict::kCorrect;
    };
    scene.evaluator.measure = [this](const std::string& source, int) {
      if (!IsWrong(source)) return Correct(FakeEvaluator::TimeOf(source));
      ++run_in_vain;
      return Failed(Verdict::kWrong, "C[3] is 1, expected 2");
    };
    outcome = scene.Go();
  }

  Scene scene;
  std::atomic<int> compiled_in_vain = 0;
  int run_in_vain = 0;
  Outcome outcome;
};

TEST(KnownVerdicts, AreNotFoundOutAgain) {
  for (const bool ahead : {false, true}) {
    for (const bool has_tree : {false, true}) {
      const TempFolder folder;
      const VerdictCache verdicts(folder / "verdicts", "a problem");
      const Whole first(&verdicts, ahead, has_tree);
      ASSERT_GT(first.run_in_vain, 0);
      ASSERT_GT(first.compiled_in_vain, 0);
      Whole again(&verdicts, ahead, has_tree);
      EXPECT_EQ(again.run_in_vain, 0);
      EXPECT_EQ(again.compiled_in_vain, 0);
      EXPECT_EQ(again.outcome.end.verdicts.at("wrong"), first.outcome.end.verdicts.at("wrong"));
      EXPECT_EQ(again.outcome.end.verdicts, first.outcome.end.verdicts);
      ASSERT_TRUE(again.outcome.winner);
      EXPECT_EQ(again.outcome.winner->ns, first.outcome.winner->ns);
      for (const EvalRecord& eval : again.scene.log().evals) {
        const bool has_failed = eval.verdict != Verdict::kCorrect;
        EXPECT_EQ(eval.known, has_failed);
        if (!eval.known) continue;
        EXPECT_EQ(eval.compile_ms, 0);
        EXPECT_THAT(eval.runtimes_ns, IsEmpty());
        EXPECT_EQ(eval.why,
                  eval.verdict == Verdict::kWrong ? "C[3] is 1, expected 2" : "no such luck");
      }
      if (has_tree) {
        EXPECT_EQ(again.scene.ReplayedDigest(), again.outcome.end.tree);
      }
    }
  }
}

TEST(KnownVerdicts, OfAnotherProgramAreNone) {
  const TempFolder folder;
  const VerdictCache verdicts(folder / "verdicts", "a problem, a program");
  const Whole first(&verdicts);
  const VerdictCache mended(folder / "verdicts", "a problem, a mended program");
  const Whole again(&mended);
  EXPECT_EQ(again.run_in_vain, first.run_in_vain);
  EXPECT_EQ(again.compiled_in_vain, first.compiled_in_vain);
}

TEST(KnownVerdicts, AreSaid) {
  const TempFolder folder;
  const VerdictCache verdicts(folder / "verdicts", "a problem");
  const Whole first(&verdicts);
  const Whole again(&verdicts);
  const std::string said = "so an earlier search found it; it was not run here";
  EXPECT_THAT(WrongText(first.outcome.failures, "search replay", "runs/a"), Not(HasSubstr(said)));
  const std::string text = WrongText(again.outcome.failures, "search replay", "runs/a");
  EXPECT_THAT(text, HasSubstr("C[3] is 1, expected 2"));
  EXPECT_THAT(text, HasSubstr(said));
  EXPECT_THAT(text, HasSubstr("again   search replay runs/a --record "));
}

TEST(KnownVerdicts, StandInTheLogOnlyWhereThereAreAny) {
  const Whole without(nullptr);
  EXPECT_THAT(ReadAll(without.scene.folder / "log.jsonl"), Not(HasSubstr("known")));
  EvalRecord record;
  record.known = true;
  EvalRecord read;
  FromJson(ToJson(record), read);
  EXPECT_TRUE(read.known);
  EXPECT_FALSE(ToJson(EvalRecord{}).contains("known"));
}

}  // namespace
}  // namespace exh::search
