// SPDX-License-Identifier: MIT
#include "search/propose/last/last_neighbours.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "search/propose/frontier/seen_programs.h"
#include "tests/search/scene.h"

namespace exh::search {
namespace {

using testing::Each;
using testing::Ge;
using testing::IsEmpty;
using testing::IsSupersetOf;
using testing::Le;

/// Proposes nothing.
class Nobody final : public Proposer {
 public:
  bool Propose(Random&, Attempt&) override {
    ++asked;
    return false;
  }
  int asked = 0;
};

/// In how many decisions two vectors differ.
std::ptrdiff_t Distance(const std::string& a, const std::string& b) {
  std::ptrdiff_t count = 0;
  for (std::size_t i = 0; i < a.size(); ++i) count += a[i] == b[i] ? 0 : 1;
  return count;
}

/// The end of a search whose elite set a test fills.
struct End {
  explicit End(int looks = 4) {
    auto before = std::make_unique<Nobody>();
    nobody = before.get();
    proposer = std::make_unique<LastNeighbours>(std::move(before), entries, frontier, screen,
                                                elites, order, LastNeighboursOptions{3, looks});
  }
  /// An implementation with these decisions joins the elite set.
  std::string Add(const std::vector<std::string>& decisions, double ns) {
    runtime::Candidate candidate = root;
    for (const std::string& decision : decisions) {
      EXPECT_EQ(Take(candidate, decision), runtime::Propagation::kFixpoint) << decision;
    }
    EXPECT_TRUE(candidate.IsImplementation());
    Path path;
    CompletePath(root, candidate, order, path);
    elites.Add(candidate, path, ns);
    return VectorText(candidate);
  }
  /// All that is proposed until nothing is.
  std::vector<std::string> Drain(int most = 1000) {
    std::vector<std::string> vectors;
    Random random(1);
    for (int number = 0; number < most; ++number) {
      Attempt attempt;
      if (!proposer->Propose(random, attempt)) break;
      vectors.push_back(attempt.entry->vector);
    }
    return vectors;
  }

  TempFolder folder;
  EventLog log{folder / "log.jsonl"};
  const runtime::Candidate root = ToyRoot();
  const ChoiceOrder order = ChoiceOrder::ForRepair(root.instance());
  FakeEvaluator evaluator;
  const EntryMaker entries{root, order, evaluator, {}, {}};
  SeenPrograms frontier{entries, log, 1000};
  LocalSearch elites{root};
  const std::shared_ptr<Screen> screen =
      std::make_shared<Screen>(entries, frontier, AmountsFunction{}, ScreenOptions{}, 1);
  std::unique_ptr<LastNeighbours> proposer;
  Nobody* nobody = nullptr;
};

const std::vector<std::string> kElite = {
    "mode(r)=LOOSE", "color(a)=RED", "color(b)=GREEN",    "size(a)=1",
    "size(b)=2",     "size(c)=4",    "order(a,b)=BEFORE", "order(b,c)=BEFORE",
};

TEST(LastNeighbours, BeginWithTheEnd) {
  End end;
  end.Add(kElite, 100);
  EXPECT_THAT(end.Drain(), IsEmpty());
  EXPECT_EQ(end.nobody->asked, 1);
  end.proposer->BeginEnd();
  EXPECT_GT(end.Drain().size(), 6u);
}

TEST(LastNeighbours, AreAllThatDifferInOneDecision) {
  for (const int looks : {1, 4, 1000}) {
    End end(looks);
    const std::string elite = end.Add(kElite, 100);
    end.proposer->BeginEnd();
    const std::vector<std::string> found = end.Drain();
    // Two other sizes of each item; the others change what follows as well.
    std::set<std::string> sizes;
    const runtime::Instance& instance = end.root.instance();
    const auto first = instance.first_decision(instance.FindChoice("size"));
    for (auto item = first; item < first + 3; ++item) {
      for (const char value : {'0', '1', '2'}) {
        std::string other = elite;
        other[item] = value;
        if (other != elite) sizes.insert(other);
      }
    }
    EXPECT_EQ(sizes.size(), 6u);
    EXPECT_THAT(found, IsSupersetOf(sizes)) << looks;
    EXPECT_EQ(std::set(found.begin(), found.end()).size(), found.size());
    std::vector<std::ptrdiff_t> distances;
    for (const std::string& one : found) distances.push_back(Distance(elite, one));
    EXPECT_THAT(distances, Each(Ge(1)));
    EXPECT_THAT(distances, Each(Le(6)));
  }
}

TEST(LastNeighbours, ThenAreAllPairsThatShareAnObject) {
  End end;
  const std::string elite = end.Add(kElite, 100);
  end.proposer->BeginEnd();
  const std::vector<std::string> found = end.Drain();
  const runtime::Instance& instance = end.root.instance();
  const auto size = instance.first_decision(instance.FindChoice("size"));
  const auto order = instance.first_decision(instance.FindChoice("order"));
  const auto place = [&](const std::string& vector) {
    return std::ranges::find(found, vector) - found.begin();
  };
  const auto end_of_found = std::ssize(found);
  std::string single = elite;
  single[order + 2] = elite[order + 2] == '0' ? '1' : '0';  // order(b,c)
  ASSERT_LT(place(single), end_of_found);
  // size(b) and order(b,c) share b, size(a) and order(b,c) share nothing.
  for (const auto& [item, is_pair] :
       {std::pair(1u, true), std::pair(2u, true), std::pair(0u, false)}) {
    for (const char value : {'0', '1', '2'}) {
      std::string both = single;
      both[size + item] = value;
      if (both == single) continue;
      EXPECT_EQ(place(both) < end_of_found, is_pair) << item << " " << value;
      if (!is_pair) continue;
      EXPECT_LT(place(single), place(both));
    }
  }
}

TEST(PairsOfSteps, BeginWithWhatIsNotMuchWorseAndAreThereOnce) {
  const runtime::Candidate root = ToyRoot();
  const runtime::Instance& instance = root.instance();
  const auto of = [&](const char* choice, int item, int value) {
    const auto first = instance.first_decision(instance.FindChoice(choice));
    return PathStep{static_cast<int>(first) + item, value};
  };
  const PathStep size_a = of("size", 0, 1), size_b = of("size", 1, 0), color_a = of("color", 0, 2),
                 other_a = of("size", 0, 2);
  PairsOfSteps pairs({size_a, size_b, color_a, other_a});
  pairs.Note(0, 1.2);
  pairs.Note(1, 3.0);
  pairs.Note(2, 0.9);
  EXPECT_FALSE(pairs.AreAllNoted());
  pairs.Note(3, std::nullopt);
  EXPECT_TRUE(pairs.AreAllNoted());
  std::vector<std::pair<PathStep, PathStep>> all;
  while (const auto pair = pairs.Next(instance, 2.0)) all.push_back(*pair);
  // size(b) shares no object with the others; two values of size(a) are no pair.
  const auto is = [&](std::size_t n, const PathStep& first, const PathStep& second) {
    return all[n].first == first && all[n].second == second;
  };
  ASSERT_EQ(all.size(), 2u);
  EXPECT_TRUE(is(0, color_a, size_a));
  EXPECT_TRUE(is(1, color_a, other_a));
}

TEST(LastNeighbours, OfTheFastestComeFirst) {
  End end(1);
  std::vector<std::string> other = kElite;
  other[1] = "color(a)=GREEN";
  other[2] = "color(b)=BLUE";
  other[3] = "size(a)=4";
  const std::string slow = end.Add(kElite, 200), fast = end.Add(other, 100);
  end.proposer->BeginEnd();
  for (const std::string& one : end.Drain(5)) EXPECT_LT(Distance(fast, one), Distance(slow, one));
  // A new best brings its own.
  other[3] = "size(a)=2";
  other[4] = "size(b)=1";
  other[6] = "order(a,b)=AFTER";
  other[7] = "order(a,c)=AFTER";
  other.push_back("order(b,c)=AFTER");
  const std::string faster = end.Add(other, 50);
  for (const std::string& one : end.Drain(4)) EXPECT_LT(Distance(faster, one), Distance(fast, one));
}

TEST(LastNeighbours, WhatTheModelThinksMostOfComesFirst) {
  // A model that knows that a large `b` is fast, whatever is next to the fastest.
  End end(1000);
  const auto model = std::make_shared<Screen>(end.entries, end.frontier, AmountsFunction{},
                                              ScreenOptions{.steps = 64}, 1);
  Random random(5);
  RandomDescents descents(end.entries);
  for (int number = 0; number < 80; ++number) {
    Attempt attempt;
    descents.Propose(random, attempt);
    if (!attempt.entry) continue;
    const Entry& entry = *attempt.entry;
    const bool is_fast = entry.source.text.find("size(b)=4") != std::string::npos;
    model->Learn({entry.candidate, entry.vector, entry.path, is_fast ? 100.0 : 1000.0});
  }
  ASSERT_TRUE(model->is_ready());
  LastNeighbours last(std::make_unique<Nobody>(), end.entries, end.frontier, model, end.elites,
                      end.order, LastNeighboursOptions{3, 1000});
  end.Add(kElite, 500);  // Its `b` is of size 2.
  last.BeginEnd();
  Attempt attempt;
  ASSERT_TRUE(last.Propose(random, attempt));
  EXPECT_NE(attempt.entry->source.text.find("size(b)=4"), std::string::npos);
}

/// Evaluations by who selected them, with what part of the run was over.
std::multimap<std::string, double> WhenBy(const Log& log, double all,
                                          const std::function<double(const EvalRecord&)>& at) {
  std::map<std::uint64_t, std::string> policies;
  for (const SelectRecord& select : log.selects) policies[select.sequence] = select.policy;
  std::multimap<std::string, double> when;
  for (const EvalRecord& eval : log.evals) when.emplace(policies[eval.selection], at(eval) / all);
  return when;
}

TEST(LastNeighbours, ArePartOfTheLastTenthOfASearch) {
  for (const bool ahead : {false, true}) {
    Scene run;
    run.options.policy = MakePolicy("tag", {});
    run.options.proposer.local_share = 0.3;  // So that some of them are left.
    run.options.proposer.screen = 8;
    run.options.batch = 1;
    run.evaluator.ahead = ahead;
    run.Budget("evals=100");
    const Outcome outcome = run.Go();
    const auto when = WhenBy(run.log(), 100, [](const EvalRecord& eval) { return eval.n; });
    EXPECT_GT(when.count("last"), 4u);
    for (const auto& [policy, part] : when) {
      if (policy == "last") {
        EXPECT_GT(part, 0.89);
      }
    }
    EXPECT_EQ(run.ReplayedDigest(), outcome.end.tree);
  }
}

TEST(LastNeighbours, ArePartOfTheLastTenthOfTheTime) {
  Scene run;
  run.options.policy = MakePolicy("tag", {});
  run.options.proposer.local_share = 0.3;
  run.options.batch = 1;
  run.options.reserve = 1;
  run.Budget("2s");  // Some ten looks at the clock for each evaluation.
  run.Go();
  const auto when = WhenBy(run.log(), 1, [](const EvalRecord& eval) { return eval.dt; });
  EXPECT_GT(when.count("last"), 1u);
  for (const auto& [policy, part] : when) {
    if (policy == "last") {
      EXPECT_GT(part, 0.89);
    }
  }
}

TEST(LastNeighbours, ASearchOfTheTreeAloneHasNone) {
  Scene run;
  run.options.policy = MakePolicy("tag", {});
  run.Budget("evals=100");
  run.Go();
  EXPECT_EQ(std::ranges::count(run.log().selects, "last", &SelectRecord::policy), 0);
}

}  // namespace
}  // namespace exh::search
