// SPDX-License-Identifier: MIT
//
// Sets as tables, and which variables of a scope must be bound to different objects. Two variables
// range over the same objects where their chains of supersets meet; they are kept distinct unless
// sets below that point are declared disjoint, for then they cannot coincide.
#include "runtime/internal/network/objects.h"

#include <algorithm>

namespace exh::runtime::internal {

void SetTable::Index(std::size_t num_parameters) {
  const std::size_t rows = num_parameters == 0 ? 1 : num_parameters;
  begin.assign(rows + 1, 0);
  items.resize(members.size());
  membership.assign(rows * num_objects, kNotMember);
  const auto row_of = [&](const Host::Member& member) {
    return num_parameters == 0 ? std::size_t{0} : std::size_t{member.parameter};
  };
  for (const Host::Member& member : members) ++begin[row_of(member) + 1];
  for (std::size_t row = 0; row < rows; ++row) begin[row + 1] += begin[row];
  std::vector<std::uint32_t> next(begin.begin(), begin.end() - 1);
  for (const Host::Member& member : members) {
    items[next[row_of(member)]++] = member.object;
    membership[row_of(member) * num_objects + member.object] = kPermanent;
  }
}

namespace {

/// The set, its superset, …, up to (not including) `end`; end -1: up to the root.
std::vector<int> Chain(const Space& space, int set, int end) {
  std::vector<int> chain;
  for (; set != end && set >= 0; set = space.sets[set].superset) chain.push_back(set);
  return chain;
}

bool Promised(const Space& space, int left, int right) {
  return std::ranges::count(space.sets[left].disjoint, right) != 0 ||
         std::ranges::count(space.sets[right].disjoint, left) != 0;
}

}  // namespace

bool MustDiffer(const Space& space, const SetRef& left, const SetRef& right) {
  const std::vector<int> right_chain = Chain(space, right.set, -1);
  int common = left.set;
  while (common >= 0 && std::ranges::count(right_chain, common) == 0) {
    common = space.sets[common].superset;
  }
  if (left.parameter != right.parameter) {
    while (common >= 0 && space.sets[common].parameter_set >= 0) {
      common = space.sets[common].superset;
    }
  }
  if (common < 0) return false;
  for (const int a : Chain(space, left.set, common)) {
    for (const int b : Chain(space, right.set, common)) {
      if (Promised(space, a, b)) return false;
    }
  }
  return true;
}

Scope::Scope(const Space& space, const Objects& objects, std::span<const Variable> variables) {
  for (std::size_t v = 0; v < variables.size(); ++v) {
    const SetRef& ref = variables[v].set;
    Plan plan{&objects.sets[ref.set], ref.parameter, space.sets[ref.set].root, {}, {}};
    for (std::size_t earlier = 0; earlier < v; ++earlier) {
      if (MustDiffer(space, variables[earlier].set, ref)) {
        plan.distinct_from.push_back(static_cast<int>(earlier));
      }
    }
    for (const int set : Chain(space, ref.set, -1)) {
      if (objects.sets[set].conditional) {
        plan.conditional.emplace_back(&objects.sets[set], space.sets[set].parameter_set >= 0);
      }
    }
    variables_.push_back(std::move(plan));
  }
}

double Scope::NumObjects(std::size_t variable) const {
  const Plan& plan = variables_[variable];
  const double rows = plan.parameter < 0 ? 1 : static_cast<double>(plan.table->begin.size() - 1);
  return static_cast<double>(plan.table->items.size()) / std::max(1.0, rows);
}

double Scope::NumTuples() const {
  double tuples = 1;
  for (std::size_t variable = 0; variable < size(); ++variable) tuples *= NumObjects(variable);
  return tuples;
}

void Scope::AppendMemberships(const Object* objects, std::size_t first, std::size_t last,
                              std::vector<Slot>* slots) const {
  for (std::size_t v = first; v < last; ++v) {
    const Plan& plan = variables_[v];
    for (const auto& [table, parametric] : plan.conditional) {
      const Object parameter = parametric ? objects[plan.parameter] : kNoObject;
      const int membership = table->at(parameter, objects[v]);
      if (membership >= 0) slots->push_back(static_cast<Slot>(membership));
    }
  }
}

}  // namespace exh::runtime::internal
