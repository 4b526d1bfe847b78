// SPDX-License-Identifier: MIT
#include "search/propose/screen.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "search/propose/frontier/seen_programs.h"
#include "search/propose/near_elites.h"
#include "search/propose/random_descents.h"
#include "tests/search/scene.h"

namespace exh::search {
namespace {

const Descender::OnDeadEnd kIgnore = [](const DeadEnd&) {};

TEST(Likeness, IsTheShareOfDecisionsThatAreEqual) {
  EXPECT_EQ(Likeness().Of("0123"), 0);
  EXPECT_EQ(Likeness({"0123"}).Of("0123"), 1);
  EXPECT_EQ(Likeness({"0123"}).Of("0133"), 0.75);
  EXPECT_EQ(Likeness({"0000", "0123"}).Of("0120"), 0.75) << "the one that it is most alike to";
  // What has no value in both does not count; in one it is a difference.
  EXPECT_EQ(Likeness({"01.."}).Of("01.."), 1);
  EXPECT_EQ(Likeness({"01.."}).Of("00.."), 0.5);
  EXPECT_EQ(Likeness({"01.."}).Of("011."), 2.0 / 3);
  // Indices of 64 and more stand behind the decisions.
  EXPECT_EQ(Likeness({"~0"
                      "10"})
                .Of("~0"
                    "10"),
            1);
  EXPECT_EQ(Likeness({"~0"
                      "10"})
                .Of("~0"
                    "11"),
            0.5);
}

TEST(InFlight, AreThoseThatAreNotEvaluatedYet) {
  InFlight in_flight;
  in_flight.Add("1");
  in_flight.Add("2");
  in_flight.Remove("1");
  in_flight.Remove("3");
  EXPECT_EQ(in_flight.All(), std::vector<std::string>{"2"});
  for (std::size_t number = 0; number < InFlight::kMost; ++number) in_flight.Add("4");
  EXPECT_EQ(in_flight.All(), std::vector<std::string>(InFlight::kMost, "4"));
}

/// Screens of the toy space that know that a large `b` is fast.
struct World {
  std::unique_ptr<Screen> Taught(const ScreenOptions& options) {
    auto screen =
        std::make_unique<Screen>(entries, frontier, AmountsFunction{}, options, /*seed=*/1);
    Random random(5);
    RandomDescents descents(entries);
    for (int number = 0; number < 160; ++number) {
      Attempt attempt;
      descents.Propose(random, attempt);
      if (!attempt.entry) continue;
      const Entry& entry = *attempt.entry;
      screen->Learn({entry.candidate, entry.vector, entry.path, TimeOf(entry.source.text)});
    }
    EXPECT_TRUE(screen->is_ready());
    return screen;
  }
  static bool IsFast(const std::string& text) {
    return text.find("size(b)=4") != std::string::npos &&
           text.find("color(a)=RED") != std::string::npos;
  }
  static double TimeOf(const std::string& text) { return IsFast(text) ? 100 : 1000; }
  /// Always the same walk, as far as the screen scores alike.
  std::string WalkOf(const Screen& screen) const {
    Random random(7);
    Walker walker(root, order);
    Guide uniform;
    EXPECT_TRUE(walker.Begin(uniform, random, kIgnore));
    const auto prospect = screen.Walk(walker, 1e9, random, kIgnore);
    return prospect ? prospect->entry.vector : "";
  }

  TempFolder folder;
  EventLog log{folder / "log.jsonl"};
  const runtime::Candidate root = ToyRoot();
  const ChoiceOrder order = ChoiceOrder::ForRepair(root.instance());
  FakeEvaluator evaluator;
  const EntryMaker entries{root, order, evaluator, {}, {}};
  SeenPrograms frontier{entries, log, 1000};
};

/// An entry of that vector, which a descent finds.
Entry EntryOf(const World& world, const std::string& vector) {
  Random random(5);
  RandomDescents descents(world.entries);
  for (;;) {
    Attempt attempt;
    descents.Propose(random, attempt);
    if (attempt.entry && attempt.entry->vector == vector) return *attempt.entry;
  }
}

TEST(Screen, PrefersWhatIsUnlikeWhatIsInFlight) {
  World world;
  const auto plain = world.Taught({.steps = 32, .most_exploration = 0});
  const auto shy = world.Taught({.steps = 32, .most_exploration = 0, .likeness_weight = 10});
  const std::string first = world.WalkOf(*plain);
  ASSERT_FALSE(first.empty());
  EXPECT_EQ(world.WalkOf(*shy), first) << "nothing is in flight yet";
  const Entry entry = EntryOf(world, first);
  plain->NoteProposed(entry);
  shy->NoteProposed(entry);
  EXPECT_EQ(world.WalkOf(*plain), first);
  const std::string other = world.WalkOf(*shy);
  ASSERT_FALSE(other.empty());
  EXPECT_LT(Likeness({first}).Of(other), 0.7);
}

/// How alike what is proposed on islands is to an implementation, on average.
double LikenessOnIslands(World& world, const Entry& to, bool begin_there) {
  NearElitesOptions options;
  options.on_islands = 1;
  if (begin_there) {
    options.islands.starts.assign(options.islands.at_once, to.candidate);
  }
  NearElites near(world.entries, world.frontier, world.Taught({.steps = 2}), options);
  Lesson lesson{to.candidate, to.vector, to.path, 0};
  near.Learn(lesson);
  Random random(3);
  double sum = 0;
  constexpr int kProposed = 50;
  for (int number = 0; number < kProposed; ++number) {
    Attempt attempt;
    while (!near.Propose(random, attempt)) {
    }
    sum += Likeness({to.vector}).Of(attempt.entry->vector);
  }
  return sum / kProposed;
}

TEST(NearElites, AnIslandBeginsWhereItIsTold) {
  World world;
  Random random(5);
  RandomDescents descents(world.entries);
  Attempt attempt;
  while (!attempt.entry) descents.Propose(random, attempt);
  const double there = LikenessOnIslands(world, *attempt.entry, true);
  const double anywhere = LikenessOnIslands(world, *attempt.entry, false);
  EXPECT_GT(there, anywhere + 0.1);
}

TEST(Screen, WeighsWhetherSomethingIsOneOfTheBest) {
  World world;
  const auto plain = world.Taught({.steps = 32});
  const auto weighing = world.Taught({.steps = 32, .best_weight = 1});
  double fast = 0, slow = 0;
  int num_fast = 0, num_slow = 0;
  Random random(9);
  RandomDescents descents(world.entries);
  for (int number = 0; number < 200; ++number) {
    Attempt attempt;
    descents.Propose(random, attempt);
    if (!attempt.entry) continue;
    const double more =
        weighing->Expected(attempt.entry->candidate) - plain->Expected(attempt.entry->candidate);
    const bool is_fast = World::IsFast(attempt.entry->source.text);
    (is_fast ? fast : slow) += more;
    ++(is_fast ? num_fast : num_slow);
  }
  ASSERT_GT(num_fast, 3);
  EXPECT_LT(fast / num_fast, 1);
  EXPECT_GT(slow / num_slow, 2);
}

}  // namespace
}  // namespace exh::search
