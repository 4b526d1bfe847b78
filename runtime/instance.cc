// SPDX-License-Identifier: MIT
#include "runtime/instance.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "runtime/int_domain.h"
#include "runtime/internal/freeze/freezer.h"
#include "runtime/internal/network/network.h"
#include "runtime/internal/network/objects.h"

namespace exh::runtime {

Instance::Instance() = default;
Instance::~Instance() = default;

std::shared_ptr<const Instance> Instance::Freeze(const Space& space, const Host& host,
                                                 const FreezeOptions& options) {
  return internal::Freezer(space, host, options).Run();
}

int Instance::FindChoice(std::string_view name) const {
  const auto it = std::ranges::find(space_.choices, name, &Choice::name);
  return it == space_.choices.end() ? -1 : static_cast<int>(it - space_.choices.begin());
}

int Instance::FindSet(std::string_view name) const {
  const auto it = std::ranges::find(space_.sets, name, &Set::name);
  return it == space_.sets.end() ? -1 : static_cast<int>(it - space_.sets.begin());
}

int Instance::FindValue(int choice, std::string_view name) const {
  const std::vector<std::string>& values = space_.choices[choice].values;
  const auto it = std::ranges::find(values, name);
  return it == values.end() ? -1 : static_cast<int>(it - values.begin());
}

int Instance::num_objects(int set) const {
  return static_cast<int>(tables_->names[space_.sets[set].root].size());
}

const std::string& Instance::object_name(int set, Object object) const {
  return tables_->names[space_.sets[set].root][object];
}

std::optional<Object> Instance::FindObject(int set, std::string_view name) const {
  const std::vector<std::string>& names = tables_->names[space_.sets[set].root];
  const auto it = std::ranges::find(names, name);
  if (it == names.end()) return std::nullopt;
  return static_cast<Object>(it - names.begin());
}

std::span<const Host::Member> Instance::members(int set) const {
  return tables_->sets[set].members;
}

std::optional<DecisionRef> Instance::FindDecision(int choice,
                                                  std::span<const Object> objects) const {
  const internal::ChoiceTable& table = tables_->choices[choice];
  const std::vector<Variable>& arguments = space_.choices[choice].arguments;
  if (objects.size() != arguments.size()) return std::nullopt;
  for (std::size_t i = 0; i < objects.size(); ++i) {
    if (objects[i] >= num_objects(arguments[i].set.set)) return std::nullopt;
  }
  const std::int32_t found = table.lookup[table.Index(objects.data())];
  if (found < 0) return std::nullopt;
  return DecisionRef{static_cast<DecisionId>(found >> 1), (found & 1) != 0};
}

int Instance::FindCounter(int choice, std::span<const Object> objects) const {
  const std::optional<DecisionRef> found = FindDecision(choice, objects);
  return found ? static_cast<int>(found->id) : -1;
}

Bits Instance::Invert(int choice, Bits values) const {
  const Choice& c = space_.choices[choice];
  if (c.symmetry != Symmetry::kAntisymmetric) return values;
  Bits inverted = 0;
  for (; values != 0; values &= values - 1) {
    const auto value = static_cast<std::size_t>(std::countr_zero(values));
    if (value < c.inverse.size()) inverted |= Bits{1} << c.inverse[value];
  }
  return inverted;
}

std::span<const std::uint32_t> Instance::universe(DecisionId decision) const {
  return tables_->universes[universe_of_[decision]];
}

std::string Instance::DecisionName(DecisionId decision) const {
  const Choice& c = space_.choices[decision_choice_[decision]];
  std::string name = c.name + "(";
  const std::span<const Object> tuple = objects(decision);
  for (std::size_t i = 0; i < tuple.size(); ++i) {
    if (i > 0) name += ",";
    name += object_name(c.arguments[i].set.set, tuple[i]);
  }
  return name + ")";
}

std::string Instance::ValueName(DecisionId decision, int value) const {
  const Choice& c = space_.choices[decision_choice_[decision]];
  if (c.kind == ChoiceKind::kInteger) return std::to_string(universe(decision)[value]);
  return c.values[value];
}

int Instance::num_values(DecisionId decision) const {
  const Choice& c = space_.choices[decision_choice_[decision]];
  return static_cast<int>(c.kind == ChoiceKind::kInteger ? universe(decision).size()
                                                         : c.values.size());
}

std::string Instance::ValuesText(DecisionId decision, Bits values, int word) const {
  const bool is_long = IsLong(decision);
  const int first = 64 * word, size = std::min(64, num_values(decision) - first);
  const auto has = [&](int value) { return value < size && (values >> value & 1) != 0; };
  std::string text;
  for (int value = 0; value < size; ++value) {
    if (!has(value)) continue;
    if (!text.empty()) text += "|";
    text += ValueName(decision, first + value);
    if (!is_long) continue;
    const Universe numbers = universe(decision);
    const auto number = [&](int at) { return numbers[static_cast<std::size_t>(first + at)]; };
    int last = value;
    while (has(last + 1) && number(last + 1) == number(last) + 1) ++last;
    if (last - value < 2) continue;
    text += ".." + ValueName(decision, first + last);
    value = last;
  }
  return text;
}

std::string StatisticsText(const InstanceStatistics& s) {
  const std::pair<const char*, std::size_t> rows[] = {
      {"decisions", s.decisions},
      {"decisions open at the root", s.decisions_open_at_root},
      {"hidden domains", s.hidden_slots},
      {"counters", s.counters},
      {"increments", s.increments},
      {"gates", s.gates},
      {"ground clauses", s.ground_clauses},
      {"pair tables", s.pair_tables},
      {"triple tables", s.triple_tables},
      {"wide tables", s.wide_tables},
      {"clauses", s.clauses},
      {"distinct relations", s.relations},
      {"entailed at the root", s.entailed_at_root},
      {"bytes of a state", s.state_bytes},
      {"bytes shared", s.shared_bytes},
  };
  std::string text;
  for (const auto& [name, number] : rows) {
    text += std::string(name) + ": " + std::to_string(number) + "\n";
  }
  return text;
}

}  // namespace exh::runtime
