// SPDX-License-Identifier: MIT
#include "tests/maps/engine.h"

#include <algorithm>

namespace exh::maps {
namespace {

std::size_t At(int i) {
  return static_cast<std::size_t>(i);
}

template <typename T>
std::vector<Scope> ScopesOf(const runtime::Space& space, const std::vector<T>& items) {
  std::vector<Scope> scopes;
  for (const T& item : items) scopes.emplace_back(space, item.variables);
  return scopes;
}

}  // namespace

Bits ValuesThat(std::span<const std::uint32_t> universe, runtime::CompareOp op,
                std::span<const std::uint32_t> other, Bits other_values) {
  if (other_values == 0) return 0;
  const Interval hull = NumbersOf(other, other_values);
  Bits values = 0;
  std::size_t j = 0;
  for (std::size_t i = 0; i < universe.size(); ++i) {
    bool holds = false;
    switch (op) {
      case runtime::CompareOp::kLt:
      case runtime::CompareOp::kLe:
        holds = runtime::Compare(op, universe[i], hull.max);
        break;
      case runtime::CompareOp::kGt:
      case runtime::CompareOp::kGe:
        holds = runtime::Compare(op, universe[i], hull.min);
        break;
      case runtime::CompareOp::kEq:
        while (j < other.size() && other[j] < universe[i]) ++j;
        holds = j < other.size() && other[j] == universe[i] && (other_values >> j & 1) != 0;
        break;
      case runtime::CompareOp::kNe:
        holds = hull.min != hull.max || universe[i] != hull.min;
        break;
    }
    if (holds) values |= Bits{1} << i;
  }
  return values;
}

Engine::Engine(const Model& model, const runtime::Host& host) : model_(model), host_(host) {
  EXH_CHECK(model.choices.size() <= tables_.size());
  const runtime::Space& space = *model.space;
  for (const Choice& choice : model.choices) choice_scopes_.emplace_back(space, choice.arguments);
  filter_scopes_ = ScopesOf(space, model.filters);
  counter_scopes_ = ScopesOf(space, model.counters);
  trigger_scopes_ = ScopesOf(space, model.triggers);
  filters_of_.resize(model.choices.size());
  for (std::size_t f = 0; f < model.filters.size(); ++f) {
    filters_of_[At(model.filters[f].target)].push_back(static_cast<int>(f));
  }
  for (std::size_t c = 0; c < model.choices.size(); ++c) {
    const int arity = static_cast<int>(model.choices[c].arguments.size());
    tables_[c] = Table(arity, model.choices[c].value_bytes);
    pending_[c] = Pending(arity);
    universe_places_.emplace_back(arity, static_cast<int>(sizeof(std::uint32_t)));
  }
  FindPlanned();
  sets_ = Sets(space, host);
  activated_ = std::make_shared<std::vector<bool>>(At(num_planned_), false);
  fired_ = std::make_shared<std::set<std::pair<int, Key>>>();
  fresh_keys_.resize(model.choices.size());
  is_fresh_key_.resize(model.choices.size());
  // What has no arguments is there from the start.
  for (std::size_t t = 0; t < model.triggers.size(); ++t) {
    if (trigger_scopes_[t].size() == 0) enabled_.insert({static_cast<int>(t), {}});
  }
  root_is_alive_ = AddObjects(Refresh()) && Propagate();
}

Snapshot Engine::Save() const {
  Snapshot snapshot;
  snapshot.tables.assign(tables_.begin(), tables_.begin() + std::ssize(model_.choices));
  snapshot.sets = sets_;
  snapshot.activated = activated_;
  snapshot.fired = fired_;
  return snapshot;
}

void Engine::Restore(const Snapshot& snapshot) {
  std::copy(snapshot.tables.begin(), snapshot.tables.end(), tables_.begin());
  sets_ = snapshot.sets;
  activated_ = snapshot.activated;
  fired_ = snapshot.fired;
}

// ---- Access by number.

Bits Engine::ValuesAt(const Block& block, std::uint64_t place) {
  switch (block.value_bytes) {
    case 1:
      return block.values<std::uint8_t>()[place];
    case 2:
      return block.values<std::uint16_t>()[place];
    case 4:
      return block.values<std::uint32_t>()[place];
    default:
      return block.values<std::uint64_t>()[place];
  }
}

void Engine::Write(int choice, Key key, Bits values) {
  Block& block = tables_[At(choice)].Own();
  const std::uint64_t place = block.Find(key);
  switch (block.value_bytes) {
    case 1:
      block.values<std::uint8_t>()[place] = static_cast<std::uint8_t>(values);
      break;
    case 2:
      block.values<std::uint16_t>()[place] = static_cast<std::uint16_t>(values);
      break;
    case 4:
      block.values<std::uint32_t>()[place] = static_cast<std::uint32_t>(values);
      break;
    default:
      block.values<std::uint64_t>()[place] = values;
  }
}

Key Engine::KeyOfStored(int choice, const Object* objects, bool* swapped) const {
  const Choice& info = model_.choices[At(choice)];
  *swapped = info.is_symmetric && objects[0] > objects[1];
  return *swapped ? KeyOf(objects[1], objects[0])
                  : KeyOf(objects, static_cast<int>(info.arguments.size()));
}

bool Engine::HasDecision(int choice, const Object* objects) const {
  bool swapped = false;
  return tables_[At(choice)].Contains(KeyOfStored(choice, objects, &swapped));
}

Bits Engine::Domain(int choice, const Object* objects) const {
  bool swapped = false;
  const Bits values = Values(choice, KeyOfStored(choice, objects, &swapped));
  const auto invert = model_.choices[At(choice)].invert;
  return swapped && invert != nullptr ? invert(values) : values;
}

Interval Engine::CounterOf(int choice, const Object* objects) const {
  const Block& block = tables_[At(choice)].block();
  const int arity = static_cast<int>(model_.choices[At(choice)].arguments.size());
  return block.values<Interval>()[block.Find(KeyOf(objects, arity))];
}

bool Engine::Restrict(int choice, const Object* objects, Bits allowed) {
  bool swapped = false;
  const Key key = KeyOfStored(choice, objects, &swapped);
  const auto invert = model_.choices[At(choice)].invert;
  if (swapped && invert != nullptr) allowed = invert(allowed);
  return ShrinkAny(choice, key, allowed) ? Propagate() : Fail();
}

bool Engine::ShrinkAny(int choice, Key key, Bits allowed) {
  const Bits old = Values(choice, key);
  const Bits now = old & allowed;
  if (now == old) return true;
  Write(choice, key, now);
  pending_[At(choice)].Note(key, Value::Of(old));
  return now != 0;
}

// ---- Propagation.

bool Engine::Fail() {
  for (std::size_t c = 0; c < model_.choices.size(); ++c) pending_[c].Clear();
  enabled_.clear();
  return false;
}

bool Engine::Propagate() {
  if (!RunTriggers()) return Fail();
  for (bool again = true; again;) {
    again = false;
    for (const int choice : model_.emission_order) {
      while (!pending_[At(choice)].empty()) {
        again = true;
        ++events_;
        const Change change = pending_[At(choice)].Pop();
        if (!model_.on_change(*this, choice, change)) return Fail();
        if (!enabled_.empty() && !RunTriggers()) return Fail();
      }
    }
  }
  return true;
}

Bits Engine::AllowedValues(int choice, const Object* objects) const {
  Bits allowed = ~Bits{0};
  Object binding[kMaxVariables];
  for (const int f : filters_of_[At(choice)]) {
    const Filter& filter = model_.filters[At(f)];
    const Scope& filter_scope = filter_scopes_[At(f)];
    std::uint32_t bound = 0;
    bool agrees = true;
    for (int i = 0; i < filter.num_arguments && agrees; ++i) {
      binding[i] = objects[i];
      bound |= 1u << i;
      agrees = Agrees(sets_, filter_scope, binding, bound, i);
    }
    if (!agrees) continue;
    ForEachBinding(sets_, filter_scope, binding, bound, [&] {
      allowed &= filter.bits(*this, binding);
      return allowed != 0;
    });
  }
  return allowed;
}

Interval Engine::Allowed(int choice, const Object* objects) const {
  Interval allowed;
  Object binding[kMaxVariables];
  for (const int f : filters_of_[At(choice)]) {
    const Filter& filter = model_.filters[At(f)];
    const Scope& filter_scope = filter_scopes_[At(f)];
    std::uint32_t bound = 0;
    bool agrees = true;
    for (int i = 0; i < filter.num_arguments && agrees; ++i) {
      binding[i] = objects[i];
      bound |= 1u << i;
      agrees = Agrees(sets_, filter_scope, binding, bound, i);
    }
    if (!agrees) continue;
    ForEachBinding(sets_, filter_scope, binding, bound, [&] {
      allowed = allowed & filter.interval(*this, binding);
      return !allowed.IsEmpty();
    });
  }
  return allowed;
}

void Engine::Enqueue(int trigger, std::initializer_list<Object> objects) {
  enabled_.insert({trigger, objects});
}

bool Engine::RunTriggers() {
  while (!enabled_.empty()) {
    const auto [index, objects] = *enabled_.begin();
    enabled_.erase(enabled_.begin());
    if (!RunTrigger(index, objects)) return false;
  }
  return true;
}

bool Engine::RunTrigger(int index, const std::vector<Object>& objects) {
  const Trigger& trigger = model_.triggers[At(index)];
  if (!trigger.certain(*this, objects.data())) return true;
  if (trigger.quotient < 0) {
    Key key = 0;  // Of the tuple: callbacks are idempotent, so running each once changes nothing.
    for (const Object object : objects) key = key << 16 | object;
    if (fired_->contains({index, key})) return true;
    auto fired = std::make_shared<std::set<std::pair<int, Key>>>(*fired_);
    fired->insert({index, key});
    fired_ = std::move(fired);
    auto activated = std::make_shared<std::vector<bool>>(*activated_);
    for (const runtime::Host::Planned& planned : host_.Plan(trigger.planned, objects)) {
      const auto& potential = potential_[At(planned.set)];
      const auto place = std::ranges::find(potential, planned.member) - potential.begin();
      (*activated)[At(planned_of_[At(planned.set)][At(static_cast<int>(place))])] = true;
    }
    activated_ = std::move(activated);
    return AddObjects(Refresh());
  }
  // An election that was made just before may have added an equivalent member.
  const Member member =
      objects.size() == 2 ? Member{objects[0], objects[1]} : Member{runtime::kNoObject, objects[0]};
  if (sets_.Has(trigger.quotient, member)) return true;
  if (CounterOf(trigger.class_counter, objects.data()).max != 0) return true;
  constexpr Bits kTrue = 2;
  if (!ShrinkAny(trigger.flag, KeyOf(objects.data(), static_cast<int>(objects.size())), kTrue)) {
    return false;
  }
  sets_.Add(trigger.quotient, member);
  FreshSets fresh = Refresh();
  fresh[At(trigger.quotient)].push_back(member);
  return AddObjects(std::move(fresh));
}

}  // namespace exh::maps
