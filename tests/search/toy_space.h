// SPDX-License-Identifier: MIT
//
// A space that fits on a page, filled by hand, with a dead end that propagation does not foresee:
//
//   mode($r)        LOOSE, TIGHT
//   color($i)       RED, GREEN, BLUE
//   size($i)        1, 2, 4
//   order($i, $j)   BEFORE, AFTER, antisymmetric
//   require different:  all colors are different (three items: all three colors are used)
//   require tight:      mode is not TIGHT || color($i) is not BLUE
//   require transitive: order($i,$j) BEFORE and order($j,$k) BEFORE give order($i,$k) BEFORE
//   decide size, order
//
// TIGHT leaves two colors for three items: no implementation, but every domain looks fine until one
// color is taken. So exactly half of all descents that take `mode` first end dead.
#pragma once

#include <bit>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "runtime/candidate.h"

namespace exh::search {

inline constexpr runtime::Bits kRed = 1, kGreen = 2, kBlue = 4;

/// `choice(arguments) is values`, numbers as in the space and in the clause's variables.
inline runtime::Condition ToyIs(int choice, std::vector<int> arguments, runtime::Bits values) {
  runtime::Condition condition;
  condition.kind = runtime::Condition::Kind::kIs;
  condition.lhs.choice = choice;
  condition.lhs.arguments = std::move(arguments);
  condition.values = values;
  return condition;
}

inline runtime::Space ToySpace() {
  using namespace runtime;
  Space space;
  space.name = "toy";
  space.fingerprint = "f00d";
  space.sets.resize(2);
  space.sets[0].name = "Roots";
  space.sets[0].root = 0;
  space.sets[1].name = "Items";
  space.sets[1].root = 1;

  const Variable root{"r", {0, -1}}, i{"i", {1, -1}}, j{"j", {1, -1}}, k{"k", {1, -1}};
  space.choices.resize(4);
  Choice& mode = space.choices[0];
  mode.name = "mode";
  mode.arguments = {root};
  mode.values = {"LOOSE", "TIGHT"};
  Choice& color = space.choices[1];
  color.name = "color";
  color.arguments = {i};
  color.values = {"RED", "GREEN", "BLUE"};
  Choice& size = space.choices[2];
  size.name = "size";
  size.kind = ChoiceKind::kInteger;
  size.arguments = {i};
  size.universe = 0;
  Choice& order = space.choices[3];
  order.name = "order";
  order.arguments = {i, j};
  order.values = {"BEFORE", "AFTER"};
  order.symmetry = Symmetry::kAntisymmetric;
  order.inverse = {1, 0};

  space.requirements = {
      {"different", {"toy.exh", 1}}, {"tight", {"toy.exh", 2}}, {"transitive", {"toy.exh", 3}}};
  for (const Bits value : {kRed, kGreen, kBlue}) {
    const Bits others = (kRed | kGreen | kBlue) & ~value;
    space.clauses.push_back({0, {i, j}, {ToyIs(1, {0}, others), ToyIs(1, {1}, others)}});
  }
  space.clauses.push_back({1, {root, i}, {ToyIs(0, {0}, 1), ToyIs(1, {1}, kRed | kGreen)}});
  space.clauses.push_back(
      {2, {i, j, k}, {ToyIs(3, {0, 1}, 2), ToyIs(3, {1, 2}, 2), ToyIs(3, {0, 2}, 1)}});
  space.order = {2, 3};
  return space;
}

/// One root `r`, and items `a`, `b`, `c`.
class ToyHost final : public runtime::Host {
 public:
  int Size(int root_set) const override { return root_set == 0 ? 1 : 3; }
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
  std::vector<std::uint32_t> Numbers(runtime::CodeId,
                                     std::span<const runtime::Object>) const override {
    return {1, 2, 4};
  }
  std::vector<Planned> Plan(int, std::span<const runtime::Object>) const override { return {}; }
};

/// 3! colors, 3^3 sizes, 3! orders; mode is LOOSE in all of them.
inline constexpr int kToyImplementations = 6 * 27 * 6;

inline runtime::Candidate ToyRoot() {
  return runtime::Candidate(runtime::Instance::Freeze(ToySpace(), ToyHost()));
}

/// A lower bound for cuts: the smallest sum that the three sizes may still have.
inline double SumOfSizes(const runtime::Candidate& candidate) {
  double sum = 0;
  const int size = candidate.instance().FindChoice("size");
  for (auto d = candidate.instance().first_decision(size);
       d < candidate.instance().end_decision(size); ++d) {
    sum += 1 << std::countr_zero(candidate.domain(d));
  }
  return sum;
}

/// Of the 27 sizes those with a sum of 6 at most: none of 4, but with 1 and 1.
inline constexpr int kToyImplementationsToSix = 6 * (8 + 3) * 6;

/// Takes decisions given as text; the test fails when one is refused.
inline runtime::Propagation Take(runtime::Candidate& candidate, const std::string& text) {
  std::string error;
  const auto actions = runtime::ParseActions(candidate.instance(), text, &error);
  if (!actions) return runtime::Propagation::kDeadEnd;
  return candidate.Restrict(*actions);
}

}  // namespace exh::search
