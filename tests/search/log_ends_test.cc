// SPDX-License-Identifier: MIT
#include "search/log/ends/log_ends.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "base/error.h"
#include "search/log/times/best_time.h"
#include "tests/search/log_samples.h"
#include "tests/search/temp_folder.h"

namespace exh::search {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

/// What is asked of the ends of a log, in words; of a log that was read as a whole the same.
std::string Said(const Log& log) {
  const TimeInterval best = BestTimeOf(log);
  std::string text =
      fmt::format("{} {} last {} at {} best {} of {} ({} to {}) cut {}", log.run->kernel,
                  log.run->flops, log.evals.empty() ? 0 : log.evals.back().n, log.last_dt, best.ns,
                  log.Best() != nullptr ? log.Best()->n : 0, best.lo_ns, best.hi_ns, log.cut_off);
  if (log.Best() != nullptr) text += fmt::format(" bound {}", log.Best()->bound_ns);
  for (const ReferenceRecord& one : log.references) {
    text += fmt::format(" {}={}", one.name, one.median_ns);
  }
  if (log.rates) text += fmt::format(" copy {}", log.rates->driver_copy_gbs);
  if (log.end) text += fmt::format(" end {} {}", log.end->why, log.end->bound_ns);
  return text;
}

/// A run: evaluations that fail or are correct, bests, finals, ends, and parts that go on.
class RandomLog {
 public:
  explicit RandomLog(unsigned seed) : random_(seed) {
    Add(SampleRun());
    for (int index = 0; index < 3; ++index) Add(SampleChoice(index));
    const int parts = 1 + Upto(2);
    for (int part = 0; part < parts; ++part) {
      if (part > 0) {
        ResumeRecord resume;
        resume.dt = dt_;
        Add(resume);
      }
      for (int left = Upto(12); left > 0; --left) Evaluate();
      if (Upto(3) > 0) Finals();
    }
  }
  const std::vector<std::string>& lines() const { return lines_; }

 private:
  int Upto(int most) { return std::uniform_int_distribution<int>(0, most)(random_); }
  template <typename Record>
  void Add(const Record& record) {
    lines_.push_back(SealLine(RecordText(ToJson(record)), tail_));
  }
  void Evaluate() {
    EvalRecord eval = SampleEval(++n_);
    eval.dt = dt_ += 0.5;
    eval.verdict = Upto(3) == 0 ? kernels::Verdict::kWrong : kernels::Verdict::kCorrect;
    eval.best_ns = 1000 - 10.0 * static_cast<double>(n_) + Upto(50);
    eval.bound_ns = eval.best_ns / 2;
    // Some lines are longer than what is read at once.
    if (Upto(19) == 0) eval.why = std::string(150000, 'x');
    Add(eval);
    if (eval.verdict == kernels::Verdict::kCorrect && Upto(1) == 0) Best(n_, eval.best_ns);
    // It was measured again; where that is far from the finals an interval has both.
    if (best_ != 0 && Upto(2) == 0) Best(best_, eval.best_ns * (1 + 2 * Upto(1)));
    if (Upto(2) == 0) {
      DeadRecord dead;
      dead.dt = dt_ += 0.1;
      dead.step = {1, 2};
      Add(dead);
    }
  }
  void Best(std::uint64_t n, double ns) {
    BestRecord best;
    best.n = best_ = n;
    best.dt = dt_;
    best.ns = ns;
    Add(best);
  }
  void Finals() {
    for (const char* const name : {"winner", "eigen", "record 1"}) {
      ReferenceRecord reference;
      reference.name = name;
      reference.verdict = kernels::Verdict::kCorrect;
      reference.lo_ns = 700 + Upto(10);
      reference.median_ns = 720 + Upto(10);
      reference.hi_ns = 740 + Upto(10);
      Add(reference);
      // The finals may make another one the best.
      if (std::string(name) == "winner" && n_ > 0 && Upto(2) == 0) {
        Best(1 + static_cast<std::uint64_t>(Upto(static_cast<int>(n_) - 1)), reference.median_ns);
      }
    }
    RatesRecord rates;
    rates.driver_copy_gbs = 10 + Upto(5);
    Add(rates);
    if (Upto(3) == 0) return;
    EndRecord end;
    end.dt = dt_ += 1;
    end.why = Upto(1) == 0 ? "budget:time" : "signal";
    end.tree = "c0ffee";  // Only a search with a tree has a bound.
    end.bound_ns = 100 + Upto(100);
    Add(end);
  }

  std::mt19937 random_;
  LogTail tail_;
  std::vector<std::string> lines_;
  std::uint64_t n_ = 0, best_ = 0;
  double dt_ = 0;
};

class LogEnds : public testing::Test {
 protected:
  void Write(const std::string& text) const {
    std::ofstream(folder_ / "log.jsonl", std::ios::binary) << text;
  }
  TempFolder folder_;
};

TEST_F(LogEnds, SayWhatTheWholeLogSaysWhereverItStops) {
  for (unsigned seed = 0; seed < 25; ++seed) {
    const RandomLog log(seed);
    std::string text;
    for (std::size_t i = 0; i < log.lines().size(); ++i) {
      const std::string& line = log.lines()[i];
      // A line that is being written, a line whose end is missing, and a whole one.
      for (const std::size_t length : {line.size() / 2, line.size() - 1, line.size()}) {
        if (i == 0 && length < line.size()) continue;
        Write(text + line.substr(0, length));
        ASSERT_EQ(Said(ReadLogEnds(folder_.path())), Said(ReadLog(folder_.path())))
            << "seed " << seed << ", line " << i + 1 << ", " << length << " bytes of it";
      }
      text += line;
    }
  }
}

TEST_F(LogEnds, LookPastLinesThatAreDamaged) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    const RandomLog log(seed);
    for (std::size_t damaged = 1; damaged < log.lines().size(); ++damaged) {
      // Without the line between them two parts are one, of which the whole log has all finals.
      if (log.lines()[damaged].starts_with(R"({"t":"resume")")) continue;
      std::string text;
      for (std::size_t i = 0; i < log.lines().size(); ++i) {
        std::string line = log.lines()[i];
        if (i == damaged) line[line.size() / 2] ^= 1;
        text += line;
      }
      Write(text);
      const Log whole = ReadLog(folder_.path());
      ASSERT_EQ(Said(ReadLogEnds(folder_.path())), Said(whole))
          << "seed " << seed << ", line " << damaged + 1;
    }
  }
}

TEST_F(LogEnds, HaveNothingOfWhatLiesBetween) {
  Write(SampleLogText());
  const Log log = ReadLogEnds(folder_.path());
  EXPECT_THAT(log.choices, IsEmpty());
  EXPECT_THAT(log.deads, IsEmpty());
  ASSERT_EQ(log.evals.size(), 2U);  // The best, and the last one.
  EXPECT_EQ(log.evals[0].n, 2U);
  EXPECT_EQ(log.evals[1].n, 4U);
}

TEST_F(LogEnds, OfWhatIsNoLogSayTheSame) {
  const auto refusal = [&](const auto& read) -> std::string {
    try {
      read(folder_.path());
      return "none";
    } catch (const UsageError& error) {
      return error.what();
    }
  };
  EXPECT_THAT(refusal(ReadLogEnds), HasSubstr("no log at"));
  std::string headless = SampleLogText();
  headless.erase(0, headless.find('\n') + 1);
  for (const std::string& text :
       {std::string(), std::string("x"), std::string("x\ny\n"), headless}) {
    Write(text);
    EXPECT_EQ(refusal(ReadLogEnds), refusal(ReadLog)) << text;
    EXPECT_THAT(refusal(ReadLogEnds), HasSubstr("no header")) << text;
  }
}

}  // namespace
}  // namespace exh::search
