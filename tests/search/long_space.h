// SPDX-License-Identifier: MIT
//
// A space whose decisions have more than 64 values, filled by hand, with a dead end that
// propagation does not foresee:
//
//   mode($r)        LOOSE, TIGHT
//   start($i)       0 … 63, 1000 … 1099: 164 numbers, in three words
//   size($i)        1, 2, 4
//   order($i, $j)   BEFORE, AFTER, antisymmetric
//   require tight:  mode is not TIGHT || start($i) < 2
//   require in_turn: order($i,$j) is not BEFORE || start($i) < start($j)
//
// All starts are different. TIGHT leaves two of them for three items: no implementation.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tests/search/toy_space.h"

namespace exh::search {

inline runtime::Space LongSpace() {
  using namespace runtime;
  Space space;
  space.name = "long";
  space.fingerprint = "1070";
  space.sets.resize(2);
  space.sets[0].name = "Roots";
  space.sets[0].root = 0;
  space.sets[1].name = "Items";
  space.sets[1].root = 1;

  const Variable root{"r", {0, -1}}, i{"i", {1, -1}}, j{"j", {1, -1}};
  space.choices.resize(4);
  Choice& mode = space.choices[0];
  mode.name = "mode";
  mode.arguments = {root};
  mode.values = {"LOOSE", "TIGHT"};
  Choice& start = space.choices[1];
  start.name = "start";
  start.kind = ChoiceKind::kInteger;
  start.arguments = {i};
  start.universe = 0;
  Choice& size = space.choices[2];
  size.name = "size";
  size.kind = ChoiceKind::kInteger;
  size.arguments = {i};
  size.universe = 1;
  Choice& order = space.choices[3];
  order.name = "order";
  order.arguments = {i, j};
  order.values = {"BEFORE", "AFTER"};
  order.symmetry = Symmetry::kAntisymmetric;
  order.inverse = {1, 0};

  space.requirements = {{"tight", {"long.exh", 1}}, {"in_turn", {"long.exh", 2}}};
  Condition is_early;
  is_early.kind = Condition::Kind::kCompareCode;
  is_early.lhs.choice = 1;
  is_early.lhs.arguments = {1};
  is_early.op = CompareOp::kLt;
  is_early.numbers = {2};
  space.clauses.push_back({0, {root, i}, {ToyIs(0, {0}, 1), is_early}});
  Condition is_before;
  is_before.kind = Condition::Kind::kCompare;
  is_before.lhs.choice = 1;
  is_before.lhs.arguments = {0};
  is_before.op = CompareOp::kLt;
  is_before.rhs.choice = 1;
  is_before.rhs.arguments = {1};
  space.clauses.push_back({1, {i, j}, {ToyIs(3, {0, 1}, 2), is_before}});
  space.order = {1, 2};
  return space;
}

/// The number of a start by its index.
inline std::uint32_t LongNumber(int index) {
  return static_cast<std::uint32_t>(index < 64 ? index : 1000 + index - 64);
}

/// One root `r`, and the first items of `a`, `b`, `c`.
class LongHost final : public runtime::Host {
 public:
  LongHost(int items, int starts) : items_(items), starts_(starts) {}

  int Size(int root_set) const override { return root_set == 0 ? 1 : items_; }
  std::string Name(int root_set, runtime::Object object) const override {
    return root_set == 0 ? "r" : std::string(1, static_cast<char>('a' + object));
  }
  std::vector<Member> Members(int set) const override {
    std::vector<Member> members;
    for (int object = 0; object < Size(set); ++object) {
      members.push_back({runtime::kNoObject, static_cast<runtime::Object>(object)});
    }
    return members;
  }
  bool Test(runtime::CodeId, std::span<const runtime::Object>) const override { return true; }
  std::vector<std::uint32_t> Numbers(runtime::CodeId code,
                                     std::span<const runtime::Object>) const override {
    if (code == 1) return {1, 2, 4};
    std::vector<std::uint32_t> starts;
    for (int index = 0; index < starts_; ++index) starts.push_back(LongNumber(index));
    return starts;
  }
  std::vector<Planned> Plan(int, std::span<const runtime::Object>) const override { return {}; }

 private:
  int items_, starts_;
};

inline constexpr int kLongStarts = 164;

inline runtime::Candidate LongRoot(int items, int starts) {
  return runtime::Candidate(runtime::Instance::Freeze(LongSpace(), LongHost(items, starts)));
}
inline runtime::Candidate LongRoot() {
  return LongRoot(3, kLongStarts);
}

/// All of them have different starts, and any sizes; mode is LOOSE.
inline int LongImplementations(int items, int starts) {
  int count = 1;
  for (int item = 0; item < items; ++item) count *= 3 * (starts - item);
  return count;
}

/// A lower bound of LongTime(): the earliest starts that are left.
inline double LongBound(const runtime::Candidate& candidate) {
  const runtime::Instance& instance = candidate.instance();
  const int start = instance.FindChoice("start");
  double ns = 100;
  for (auto item = instance.first_decision(start); item < instance.end_decision(start); ++item) {
    ns += LongNumber(candidate.FirstValue(item));
  }
  return ns;
}

/// The time of a list of decisions: early starts are fast, and so are small sizes, a little.
inline double LongTime(const std::string& source) {
  double ns = 100;
  for (const std::string item : {"a", "b", "c"}) {
    const auto number = [&](const std::string& choice) {
      const std::string name = choice + "(" + item + ")=";
      const std::size_t place = source.find(name);
      return place == source.npos ? 0 : std::stoi(source.substr(place + name.size()));
    };
    ns += number("start") + 0.01 * number("size");
  }
  return ns;
}

}  // namespace exh::search
