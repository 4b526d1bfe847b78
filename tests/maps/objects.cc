// SPDX-License-Identifier: MIT
//
// Objects that appear: at the start all of them, later those that triggers add.
#include <algorithm>
#include <map>

#include "tests/maps/engine.h"

namespace exh::maps {
namespace {

std::size_t At(int i) {
  return static_cast<std::size_t>(i);
}

}  // namespace

/// Numbers the members that some trigger adds: they are absent until one of them fires.
void Engine::FindPlanned() {
  const runtime::Space& space = *model_.space;
  Sets everything(space, host_);
  for (std::size_t s = 0; s < space.sets.size(); ++s) {
    int listed = static_cast<int>(s);
    while (space.sets[At(listed)].is_quotient) listed = space.sets[At(listed)].superset;
    std::vector<Member> members = host_.Members(listed);
    if (space.sets[s].is_quotient && space.sets[s].parameter_set >= 0) {
      std::vector<Member> pairs;
      for (const Member& of : host_.Members(space.sets[s].parameter_set)) {
        for (const Member& member : members) pairs.push_back({of.object, member.object});
      }
      members = std::move(pairs);
    }
    for (const Member& member : members) everything.Add(static_cast<int>(s), member);
    planned_of_.emplace_back(members.size(), -1);
    potential_.push_back(std::move(members));
  }
  for (std::size_t t = 0; t < model_.triggers.size(); ++t) {
    if (model_.triggers[t].quotient >= 0) continue;
    Object binding[kMaxVariables];
    const Scope& scope = trigger_scopes_[t];
    ForEachBinding(everything, scope, binding, 0, [&] {
      for (const runtime::Host::Planned& planned :
           host_.Plan(model_.triggers[t].planned, {binding, At(scope.size())})) {
        const auto& potential = potential_[At(planned.set)];
        const auto place = std::ranges::find(potential, planned.member) - potential.begin();
        int& number = planned_of_[At(planned.set)][At(static_cast<int>(place))];
        if (number < 0) number = num_planned_++;
      }
      return true;
    });
  }
}

/// Adds every member that has become active to its set; a superset and the set of the parameter
/// come before their users.
Engine::FreshSets Engine::Refresh() {
  const runtime::Space& space = *model_.space;
  FreshSets fresh(space.sets.size());
  for (std::size_t s = 0; s < space.sets.size(); ++s) {
    const runtime::Set& set = space.sets[s];
    if (set.is_quotient) continue;
    const bool super_has_parameter =
        set.superset >= 0 && space.sets[At(set.superset)].parameter_set >= 0;
    for (std::size_t m = 0; m < potential_[s].size(); ++m) {
      const Member& member = potential_[s][m];
      if (sets_.Has(static_cast<int>(s), member)) continue;
      const int planned = planned_of_[s][m];
      if (planned >= 0 && !(*activated_)[At(planned)]) continue;
      if (set.parameter_set >= 0 && !sets_.Has(set.parameter_set, member.parameter)) continue;
      if (set.superset >= 0 &&
          !sets_.Has(set.superset,
                     super_has_parameter ? member : Member{runtime::kNoObject, member.object})) {
        continue;
      }
      sets_.Add(static_cast<int>(s), member);
      fresh[s].push_back(member);
    }
  }
  return fresh;
}

bool Engine::IsFresh(const Scope& scope, const Object* binding, int i) const {
  const Variable& variable = scope.variables[At(i)];
  const Member member = {variable.parameter < 0 ? runtime::kNoObject : binding[variable.parameter],
                         binding[i]};
  return std::ranges::find(fresh_[At(variable.set)], member) != fresh_[At(variable.set)].end();
}

/// Calls `body(binding)` once for each binding in which some variable is new in its set.
template <typename Body>
bool Engine::ForEachFresh(const Scope& scope, const Body& body) {
  Object binding[kMaxVariables];
  for (int i = 0; i < scope.size(); ++i) {
    const Variable& variable = scope.variables[At(i)];
    for (const Member& member : fresh_[At(variable.set)]) {
      binding[i] = member.object;
      std::uint32_t bound = 1u << i;
      if (variable.parameter >= 0) {
        binding[variable.parameter] = member.parameter;
        bound |= 1u << variable.parameter;
        if (!Agrees(sets_, scope, binding, bound, variable.parameter)) continue;
      }
      const bool all = ForEachBinding(sets_, scope, binding, bound, [&] {
        for (int j = 0; j < i; ++j) {
          if (IsFresh(scope, binding, j)) return true;
        }
        return body(static_cast<const Object*>(binding));
      });
      if (!all) return false;
    }
  }
  return true;
}

void Engine::AllocateOne(int choice, const Object* objects) {
  const Choice& info = model_.choices[At(choice)];
  const int arity = static_cast<int>(info.arguments.size());
  const Key key = info.is_symmetric && objects[0] > objects[1] ? KeyOf(objects[1], objects[0])
                                                               : KeyOf(objects, arity);
  Table& table = tables_[At(choice)];
  if (table.Contains(key)) return;
  switch (info.kind) {
    case runtime::ChoiceKind::kCounter:
      table.Insert<Interval>(key) = Interval{};
      break;
    case runtime::ChoiceKind::kInteger: {
      Table& places = universe_places_[At(choice)];
      if (!places.Contains(key)) {
        places.Insert<std::uint32_t>(key) = static_cast<std::uint32_t>(universes_.size());
        universes_.push_back(host_.Numbers(info.universe, {objects, At(arity)}));
      }
      table.Insert<std::uint64_t>(key) = runtime::AllOf(Universe(choice, key));
      break;
    }
    case runtime::ChoiceKind::kEnum:
      if (info.value_bytes == 1) table.Insert<std::uint8_t>(key) = 0;
      if (info.value_bytes == 2) table.Insert<std::uint16_t>(key) = 0;
      if (info.value_bytes == 4) table.Insert<std::uint32_t>(key) = 0;
      if (info.value_bytes == 8) table.Insert<std::uint64_t>(key) = 0;
      Write(choice, key, ~Bits{0} >> (64 - info.num_values));
      break;
  }
  fresh_keys_[At(choice)].push_back(key);
  is_fresh_key_[At(choice)].insert(key);
}

void Engine::Allocate() {
  for (std::size_t c = 0; c < model_.choices.size(); ++c) {
    fresh_keys_[c].clear();
    is_fresh_key_[c].clear();
    const int choice = static_cast<int>(c);
    if (choice_scopes_[c].size() == 0) AllocateOne(choice, nullptr);
    ForEachFresh(choice_scopes_[c], [&](const Object* objects) {
      AllocateOne(choice, objects);
      return true;
    });
  }
}

/// A counter whose maximum is shown must not grow: what comes late does not count.
bool Engine::ForgetLateIncrements() {
  for (std::size_t k = 0; k < model_.counters.size(); ++k) {
    const Counter& counter = model_.counters[k];
    if (counter.visibility != runtime::Visibility::kFull) continue;
    const bool alive = ForEachFresh(counter_scopes_[k], [&](const Object* binding) {
      const Key key = KeyOf(binding, counter.num_arguments);
      if (is_fresh_key_[At(counter.choice)].contains(key)) return true;
      Object objects[kMaxArity];
      for (std::size_t i = 0; i < counter.increment_arguments.size(); ++i) {
        objects[i] = binding[counter.increment_arguments[i]];
      }
      bool swapped = false;
      const Key increment = KeyOfStored(counter.increment, objects, &swapped);
      const auto invert = model_.choices[At(counter.increment)].invert;
      const Bits not_counted =
          ~(swapped && invert != nullptr ? invert(counter.counted) : counter.counted);
      if (!is_fresh_key_[At(counter.increment)].contains(increment)) {
        return ShrinkAny(counter.increment, increment, not_counted);
      }
      Write(counter.increment, increment, Values(counter.increment, increment) & not_counted);
      return Values(counter.increment, increment) != 0;
    });
    if (!alive) return false;
  }
  return true;
}

bool Engine::FilterFresh(bool recorded) {
  for (const int choice : model_.emission_order) {
    const bool is_counter = model_.choices[At(choice)].kind == runtime::ChoiceKind::kCounter;
    if (is_counter) continue;
    const int arity = static_cast<int>(model_.choices[At(choice)].arguments.size());
    for (const Key key : fresh_keys_[At(choice)]) {
      Object objects[kMaxArity];
      for (int i = 0; i < arity; ++i) objects[i] = ObjectOf(key, arity, i);
      const Bits allowed = AllowedValues(choice, objects);
      if (recorded) {
        if (!ShrinkAny(choice, key, allowed)) return false;
      } else {
        const Bits old = Values(choice, key);
        if ((old & allowed) != old) Write(choice, key, old & allowed);
        if ((old & allowed) == 0) return false;
      }
    }
  }
  if (!recorded) return true;
  for (const Counter& counter : model_.counters) {
    for (const Key key : fresh_keys_[At(counter.choice)]) {
      Object objects[kMaxArity];
      for (int i = 0; i < counter.num_arguments; ++i) {
        objects[i] = ObjectOf(key, counter.num_arguments, i);
      }
      if (!counter.bound(*this, objects, Allowed(counter.choice, objects))) return false;
    }
  }
  return true;
}

Interval Engine::CountFromScratch(const Counter& counter, const Scope& scope,
                                  Object* binding) const {
  const bool half = counter.visibility == runtime::Visibility::kHalf;
  std::uint64_t base = counter.is_product ? 1 : 0;
  if (counter.base >= 0)
    base = static_cast<std::uint64_t>(
        host_.Integer(counter.base, {binding, At(counter.num_arguments)}));
  Interval count = {base, half ? runtime::kSaturated : base};
  const std::uint32_t bound = (1u << counter.num_arguments) - 1;
  ForEachBinding(sets_, scope, binding, bound, [&] {
    const Term term = counter.term(*this, binding);
    if (term.status == Status::kCounted) {
      count.min = Combined(counter.is_product, count.min, term.lo);
    }
    if (term.status != Status::kExcluded && !half) {
      count.max = Combined(counter.is_product, count.max, term.hi);
    }
    return true;
  });
  return count;
}

/// New counters are computed, old ones take in their new increments.
void Engine::CountFresh() {
  for (std::size_t k = 0; k < model_.counters.size(); ++k) {
    const Counter& counter = model_.counters[k];
    Table& table = tables_[At(counter.choice)];
    for (const Key key : fresh_keys_[At(counter.choice)]) {
      Object binding[kMaxVariables];
      for (int i = 0; i < counter.num_arguments; ++i) {
        binding[i] = ObjectOf(key, counter.num_arguments, i);
      }
      const Interval count = CountFromScratch(counter, counter_scopes_[k], binding);
      Block& block = table.Own();
      block.values<Interval>()[block.Find(key)] = count;
    }
    ForEachFresh(counter_scopes_[k], [&](const Object* binding) {
      const Key key = KeyOf(binding, counter.num_arguments);
      if (is_fresh_key_[At(counter.choice)].contains(key)) return true;
      const Term term = counter.term(*this, binding);
      const Interval old = CounterOf(counter.choice, binding);
      Interval now = old;
      if (term.status == Status::kCounted) {
        now.min = Combined(counter.is_product, now.min, term.lo);
      }
      if (term.status != Status::kExcluded && counter.visibility != runtime::Visibility::kHalf) {
        now.max = Combined(counter.is_product, now.max, term.hi);
      }
      if (now == old) return true;
      Block& block = table.Own();
      block.values<Interval>()[block.Find(key)] = now;
      pending_[At(counter.choice)].Note(key, Value::Of(old));
      return true;
    });
  }
}

bool Engine::FilterOldDecisions() {
  for (std::size_t f = 0; f < model_.filters.size(); ++f) {
    const Filter& filter = model_.filters[f];
    const bool is_symmetric = model_.choices[At(filter.target)].is_symmetric;
    const bool alive = ForEachFresh(filter_scopes_[f], [&](const Object* binding) {
      if (is_symmetric && binding[0] > binding[1]) return true;  // Its mirror image does this.
      const Key key = KeyOf(binding, filter.num_arguments);
      if (is_fresh_key_[At(filter.target)].contains(key)) return true;
      if (filter.bits != nullptr) {
        return ShrinkAny(filter.target, key, filter.bits(*this, binding));
      }
      const auto counter = std::ranges::find(model_.counters, filter.target, &Counter::choice);
      return counter->bound(*this, binding, filter.interval(*this, binding));
    });
    if (!alive) return false;
  }
  return true;
}

void Engine::EnqueueFresh() {
  for (std::size_t t = 0; t < model_.triggers.size(); ++t) {
    ForEachFresh(trigger_scopes_[t], [&](const Object* binding) {
      if (model_.triggers[t].certain(*this, binding)) {
        enabled_.insert({static_cast<int>(t), {binding, binding + trigger_scopes_[t].size()}});
      }
      return true;
    });
  }
}

bool Engine::AddObjects(FreshSets fresh) {
  fresh_ = std::move(fresh);
  Allocate();
  if (!ForgetLateIncrements() || !FilterFresh(false)) return false;
  CountFresh();
  if (!FilterFresh(true) || !FilterOldDecisions()) return false;
  EnqueueFresh();
  return true;
}

}  // namespace exh::maps
