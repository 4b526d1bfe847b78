// SPDX-License-Identifier: MIT
//
// A subject without kernels goes through the whole of `search`: a toy space, whose evaluator is a
// function of the decisions, is searched, logged, taken up again, and its tree made again.
#include "search/subject/subject.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <set>
#include <string>

#include "base/check.h"
#include "base/error.h"
#include "search/commands/session.h"
#include "search/log/memory/front.h"
#include "search/report/comparison.h"
#include "search/report/dropped_text.h"
#include "search/report/report.h"
#include "tests/search/scene.h"

namespace exh::search {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

/// Passes everything on to an evaluator that outlives it.
class Borrowed final : public Evaluator {
 public:
  explicit Borrowed(Evaluator& evaluator) : evaluator_(evaluator) {}
  kernels::Source Emit(const runtime::Candidate& implementation) override {
    return evaluator_.Emit(implementation);
  }
  kernels::Compiled Compile(const kernels::Source& source) override {
    return evaluator_.Compile(source);
  }
  kernels::Measurement Measure(const kernels::Compiled& compiled, const kernels::Cap& cap,
                               Effort effort) override {
    return evaluator_.Measure(compiled, cap, effort);
  }
  std::string YardstickText() const override { return "no yardstick"; }
  void Discard(const kernels::Compiled& compiled) override { evaluator_.Discard(compiled); }

 private:
  Evaluator& evaluator_;
};

/// The toy space, with the least that a search needs, and its bound where that is wanted.
class ToySubject final : public Subject {
 public:
  explicit ToySubject(bool has_bound) : has_bound_(has_bound) {}

  std::string name() const override { return "toy"; }
  runtime::Candidate root() const override { return ToyRoot(); }
  void Describe(RunRecord& run) const override { run.device = "nowhere"; }
  std::string Outline(const runtime::Candidate&) const override { return ""; }
  kernels::Source Emit(const runtime::Candidate&) const override { return "toy"; }
  std::unique_ptr<Evaluator> MakeEvaluator(const EvaluatorOptions&) const override {
    return std::make_unique<Borrowed>(evaluator);
  }
  std::string InWords(const Comparison& comparison) const override {
    return ComparisonText(comparison.records);
  }
  SearchBound Bound(bool, WhichRates) const override {
    if (!has_bound_) return {};
    return {ToyBound, [](const auto&) { return std::string("sizes"); }, {}, "toy bound"};
  }

  mutable FakeEvaluator evaluator;

 private:
  bool has_bound_;
};

/// A run of a subject from a command line, in a folder of its own.
struct Session {
  explicit Session(bool has_bound) : subject(has_bound) {
    options.out = folder / "run";
    options.progress = "none";
    options.jobs = 1;
    options.screen = 8;
  }
  /// What it printed.
  std::string Begin(const std::string& budget, int code = 0) {
    options.budgets = {budget};
    Budget time(options, interrupted);
    testing::internal::CaptureStdout();
    EXPECT_EQ(BeginRun(subject, options, {}, time), code);
    return testing::internal::GetCapturedStdout();
  }
  std::string Resume(const std::string& budget, int code = 0) {
    options.budgets = {budget};
    Budget time(options, interrupted);
    EventLog file = EventLog::Reopen(LogPath(options.out));
    const Log earlier = log();
    testing::internal::CaptureStdout();
    EXPECT_EQ(ResumeRun(subject, options, {}, time, file, earlier), code);
    return testing::internal::GetCapturedStdout();
  }
  Log log() const { return ReadLog(options.out); }

  TempFolder folder;
  ToySubject subject;
  SearchOptions options;
  std::atomic<bool> interrupted = false;
};

/// The log gives the tree of all its parts again.
void ExpectSameTree(const Session& session) {
  const Log log = session.log();
  ASSERT_TRUE(log.end);
  const runtime::Candidate root = session.subject.root();
  const ChoiceOrder order = session.subject.order("", root);
  const SearchBound bound = BoundOf(session.subject, *log.run);
  const CandidateSpace space(root, order, bound.bound);
  Tree tree(space, TreeOptionsOf(*log.run));
  ReplayTree(log, tree);
  EXPECT_EQ(tree.Digest(), log.end->tree);
}

TEST(Subject, WithoutKernelsIsSearchedLoggedAndTakenUp) {
  Session session(false);
  const std::string text = session.Begin("evals=40");
  EXPECT_THAT(text, HasSubstr("40 evaluations"));
  EXPECT_THAT(text, HasSubstr("best: "));
  EXPECT_THAT(text, Not(HasSubstr("its loops")));
  const Log first = session.log();
  EXPECT_THAT(first.problems, IsEmpty());
  EXPECT_EQ(first.run->space, "toy");
  EXPECT_EQ(first.run->device, "nowhere");
  EXPECT_EQ(first.run->kernel, "");
  EXPECT_EQ(first.run->bound, "");
  EXPECT_EQ(first.evals.size(), 40u);
  EXPECT_THAT(ReadAll(session.options.out + "/best.replay"), HasSubstr("size(a)="));

  session.Resume("evals=100");
  const Log log = session.log();
  EXPECT_THAT(log.problems, IsEmpty());
  ASSERT_EQ(log.evals.size(), 100u);
  std::set<std::string> vectors;
  for (const EvalRecord& eval : log.evals) vectors.insert(eval.vector);
  EXPECT_EQ(vectors.size(), 100u);
  EXPECT_GT(session.subject.evaluator.compiled, 90);
  ExpectSameTree(session);
}

TEST(Subject, WithABoundIsProven) {
  Session session(true);
  session.options.epsilon = "0%";
  session.Begin("evals=5");
  EXPECT_EQ(session.log().run->bound, "toy bound");
  EXPECT_THAT(session.Resume("evals=1000"), HasSubstr("proven"));
  const Log log = session.log();
  EXPECT_EQ(log.end->why, "exhausted");
  EXPECT_LT(log.evals.size(), static_cast<std::size_t>(kToyImplementations));
  ExpectSameTree(session);
}

TEST(Subject, IsSearchedForLeastMemory) {
  // What is fast takes more than its arrays.
  const auto workspace = [](const std::string& source) -> std::uint64_t {
    return source.find("color(a)=RED") != source.npos ? 40'000 : 0;
  };
  // Batches of a program are 1 % apart.
  const auto steady = [](const std::string& source, int) {
    kernels::Measurement measurement = Correct(FakeEvaluator::TimeOf(source));
    measurement.runtimes_ns = {measurement.best_ns, 1.01 * measurement.best_ns};
    return measurement;
  };
  Session fast(true), small(true), noisy(true);
  for (Session* session : {&fast, &small, &noisy}) {
    session->options.epsilon = "0%";
    session->subject.evaluator.workspace_bytes = workspace;
    if (session != &noisy) session->subject.evaluator.measure = steady;
  }
  // Where they are half of it apart, nobody knows whether more memory buys time.
  EXPECT_THAT(noisy.Begin("evals=1000"), Not(HasSubstr("time against memory:\n")));
  const std::string text = fast.Begin("evals=1000");
  EXPECT_THAT(text, HasSubstr("memory: 41 kB, of which 40 kB lie beside the arrays\n"));
  EXPECT_THAT(text, HasSubstr("time against memory:\n"));
  EXPECT_EQ(fast.log().run->objective, "time");

  small.options.objective = "memory";
  small.Begin("evals=3");
  EXPECT_EQ(small.log().run->objective, "memory");
  small.options.objective = "time";  // The run has one already.
  const std::string last = small.Resume("evals=1000");
  EXPECT_THAT(last, HasSubstr("memory: 1000 bytes, that of the arrays\n"));
  EXPECT_THAT(last, HasSubstr("proven: no implementation of this space that takes as little memory "
                              "is faster than "));
  const Log log = small.log();
  EXPECT_EQ(log.end->why, "exhausted");
  EXPECT_EQ(log.Best()->workspace_bytes, 0u);
  EXPECT_GT(log.BestTime(), fast.log().BestTime());
  EXPECT_LE(log.BestTime(), FrontOf(fast.log()).points().front().ns);
  ExpectSameTree(small);
}

TEST(Subject, WithoutATreeIsSearchedAtRandom) {
  Session session(false);
  session.options.policies = {"random"};
  session.Begin("evals=30");
  session.Resume("evals=50");
  EXPECT_EQ(session.log().evals.size(), 50u);
}

TEST(Subject, ThatIsRefusedNowAndThenIsSearchedAllTheSame) {
  Session session(false);
  session.subject.evaluator.emit = [](const std::string& list) {
    if (list.find("size(b)=1") != list.npos) throw Refused("size(b) is 1");
    return list;
  };
  EXPECT_THAT(session.Begin("evals=40"), HasSubstr(" like it: size(b) is 1\n"));
}

TEST(Subject, OnWhichChecksFailSaysSoWithItsExitCode) {
  for (const char* size : {"size(b)=1", "size(b)="}) {  // Of some, and of all.
    Session session(false);
    session.subject.evaluator.emit = [size](const std::string& list) {
      EXH_CHECK(list.find(size) == list.npos);
      return list;
    };
    const std::string text = session.Begin("evals=40", kChecksFailed);
    EXPECT_THAT(text, HasSubstr("subject_test.cc:"));
    EXPECT_THAT(text, HasSubstr("please report this bug with "));
    EXPECT_THAT(session.Resume("evals=50", kChecksFailed), HasSubstr("please report this bug"));
  }
}

TEST(Subject, AnotherBoundThanThatOfTheRunIsRefused) {
  const ToySubject subject(false);
  RunRecord run;
  EXPECT_FALSE(BoundOf(subject, run).bound);
  run.device = "nowhere";
  run.bound = "toy bound";
  EXPECT_THAT(Thrown<UsageError>([&] { BoundOf(subject, run); }),
              HasSubstr("the run was cut by the bound 'toy bound'"));
}

}  // namespace
}  // namespace exh::search
