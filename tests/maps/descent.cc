// SPDX-License-Identifier: MIT
#include "tests/maps/descent.h"

#include <algorithm>
#include <bit>

namespace exh::maps {
namespace {

constexpr int kMostDeadEnds = 2000;

Bits DrawValue(Bits values, std::mt19937_64& random) {
  for (auto skip = random() % static_cast<unsigned>(std::popcount(values)); skip > 0; --skip) {
    values &= values - 1;
  }
  return values & (~values + 1);
}

}  // namespace

Descender::Descender(Engine& engine, const std::vector<std::string>& order)
    : engine_(engine), root_(engine.Save()) {
  const std::vector<Choice>& choices = engine.model().choices;
  const auto add = [&](std::size_t c) {
    const bool searched =
        choices[c].kind != runtime::ChoiceKind::kCounter && !choices[c].is_auxiliary;
    const int choice = static_cast<int>(c);
    if (searched && std::ranges::count(order_, choice) == 0) order_.push_back(choice);
  };
  for (const std::string& name : order) {
    for (std::size_t c = 0; c < choices.size(); ++c) {
      if (name == choices[c].name) add(c);
    }
  }
  for (std::size_t c = 0; c < choices.size(); ++c) add(c);
}

bool Descender::FindOpen(int* choice, Key* key) const {
  Object binding[kMaxVariables];
  for (const int c : order_) {
    const Scope& scope = engine_.scope(c);
    const Choice& info = engine_.model().choices[static_cast<std::size_t>(c)];
    const bool none = ForEachBinding(engine_.sets(), scope, binding, 0, [&] {
      if (info.is_symmetric && binding[0] > binding[1]) return true;
      const Key here = KeyOf(binding, scope.size());
      if (std::popcount(engine_.Values(c, here)) < 2) return true;
      *key = here;
      return false;
    });
    if (none) continue;
    *choice = c;
    return true;
  }
  return false;
}

bool Descender::Apply(int choice, Key key, Bits values) {
  const int arity = engine_.scope(choice).size();
  Object objects[kMaxArity];
  for (int i = 0; i < arity; ++i) objects[i] = ObjectOf(key, arity, i);
  return engine_.Restrict(choice, objects, values);
}

bool Descender::Run(std::mt19937_64& random) {
  engine_.Restore(root_);
  levels_.clear();
  int dead_ends = 0;
  Level level;
  while (FindOpen(&level.choice, &level.key)) {
    level.value = DrawValue(engine_.Values(level.choice, level.key), random);
    level.snapshot = engine_.Save();
    levels_.push_back(level);
    ++counts_.decisions;
    if (Apply(level.choice, level.key, level.value)) continue;
    for (;;) {
      ++counts_.dead_ends;
      if (++dead_ends > kMostDeadEnds || levels_.empty()) {
        ++counts_.gave_up;
        engine_.Restore(root_);
        return false;
      }
      const Level failed = std::move(levels_.back());
      levels_.pop_back();
      engine_.Restore(failed.snapshot);
      if (Apply(failed.choice, failed.key, ~failed.value)) break;
    }
  }
  ++counts_.implementations;
  return true;
}

}  // namespace exh::maps
