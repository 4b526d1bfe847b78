// SPDX-License-Identifier: MIT
#include "search/propose/mix.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "tests/search/toy_space.h"

namespace exh::search {
namespace {

using testing::ElementsAre;

/// Notes who was asked and taught.
class Noted final : public Proposer {
 public:
  Noted(char name, bool has_something, std::string& notes)
      : name_(name), has_something_(has_something), notes_(notes) {}
  bool Propose(Random&, Attempt&) override {
    notes_ += name_;
    return has_something_;
  }
  bool learns() const override { return name_ == 'b'; }
  void Learn(Lesson& lesson) override {
    notes_ += name_;
    lesson.near_path.push_back({name_, 0});
  }

 private:
  char name_;
  bool has_something_;
  std::string& notes_;
};

Mix MixOf(std::string& notes, bool a_has_something, double a_share, double b_share) {
  std::vector<Mix::Part> parts;
  parts.push_back({std::make_unique<Noted>('a', a_has_something, notes), a_share});
  parts.push_back({std::make_unique<Noted>('b', true, notes), b_share});
  parts.push_back({std::make_unique<Noted>('c', true, notes), 1 - a_share - b_share});
  return Mix(std::move(parts));
}

TEST(Mix, DrawsByShares) {
  std::string notes;
  Mix mix = MixOf(notes, true, 0.6, 0.1);
  Random random(3);
  Attempt attempt;
  for (int number = 0; number < 10000; ++number) EXPECT_TRUE(mix.Propose(random, attempt));
  EXPECT_NEAR(static_cast<double>(std::ranges::count(notes, 'a')), 6000, 200);
  EXPECT_NEAR(static_cast<double>(std::ranges::count(notes, 'b')), 1000, 150);
  EXPECT_EQ(notes.size(), 10000u);
}

TEST(Mix, WhoHasNothingPassesOnToTheNext) {
  std::string notes;
  Mix mix = MixOf(notes, false, 1, 0);
  Random random(3);
  Attempt attempt;
  EXPECT_TRUE(mix.Propose(random, attempt));
  EXPECT_EQ(notes, "ab");
}

TEST(Mix, AllLearnInTheirOrder) {
  std::string notes;
  Mix mix = MixOf(notes, true, 1, 0);
  EXPECT_TRUE(mix.learns());
  const runtime::Candidate root = ToyRoot();
  Lesson lesson{root, notes, {}, 1};
  mix.Learn(lesson);
  EXPECT_EQ(notes, "abc");
  EXPECT_THAT(lesson.near_path, ElementsAre(PathStep{'a', 0}, PathStep{'b', 0}, PathStep{'c', 0}));
}

}  // namespace
}  // namespace exh::search
