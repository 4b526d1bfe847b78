// SPDX-License-Identifier: MIT
//
// The objects of an Instance: who is a member of what, where the decision of a tuple lies, and the
// loops over tuples of distinct objects that everything else is grounded with.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "runtime/host.h"
#include "runtime/space.h"
#include "runtime/state.h"

namespace exh::runtime::internal {

inline constexpr int kNotMember = -2;
inline constexpr int kPermanent = -1;

struct SetTable {
  std::vector<Host::Member> members;  ///< In iteration order.
  /// Objects by parameter (one row when the set is plain).
  std::vector<std::uint32_t> begin;
  std::vector<Object> items;
  std::size_t num_objects = 0;  ///< Of the root.
  /// By row and object: kNotMember, kPermanent, or the Boolean slot that decides.
  std::vector<int> membership;
  bool conditional = false;  ///< Some membership is a slot.

  /// Sets the rows from `members`; `num_parameters` is 0 for a plain set.
  void Index(std::size_t num_parameters);
  std::span<const Object> row(std::size_t parameter) const {
    return {items.data() + begin[parameter], items.data() + begin[parameter + 1]};
  }
  int& at(Object parameter, Object object) {
    return membership[(parameter == kNoObject ? 0 : parameter) * num_objects + object];
  }
  int at(Object parameter, Object object) const {
    return membership[(parameter == kNoObject ? 0 : parameter) * num_objects + object];
  }
};

/// Tuple of objects -> number of its decision or counter.
struct ChoiceTable {
  std::vector<std::size_t> strides;
  std::vector<std::int32_t> lookup;  ///< 2 * number + swapped, or -1.

  std::size_t Index(const Object* objects) const {
    std::size_t index = 0;
    for (std::size_t i = 0; i < strides.size(); ++i) index += objects[i] * strides[i];
    return index;
  }
};

struct Objects {
  std::vector<std::vector<std::string>> names;  ///< By root set.
  std::vector<SetTable> sets;
  std::vector<ChoiceTable> choices;
  std::vector<std::vector<std::uint32_t>> universes;  ///< [0] is empty: enums.
};

/// Variables and the loops over their tuples. Two variables are kept distinct when their sets have
/// a common superset and no set below it on one side is declared disjoint from one on the other; a
/// parametric set used with two different parameters meets only in its superset.
class Scope {
 public:
  Scope(const Space& space, const Objects& objects, std::span<const Variable> variables);

  std::size_t size() const { return variables_.size(); }

  /// Calls leaf() for every extension of objects[0 … depth) to the first `limit` variables; after
  /// each binding of variable d, enter(d) == false skips what follows from it.
  template <typename Enter, typename Leaf>
  void ForEach(std::size_t depth, std::size_t limit, Object* objects, const Enter& enter,
               const Leaf& leaf) const {
    if (depth == limit) {
      leaf();
      return;
    }
    for (const Object object : Row(depth, objects)) {
      if (!IsDistinct(depth, object, objects)) continue;
      objects[depth] = object;
      if (enter(depth)) ForEach(depth + 1, limit, objects, enter, leaf);
    }
  }
  template <typename Enter, typename Leaf>
  void ForEach(std::size_t depth, Object* objects, const Enter& enter, const Leaf& leaf) const {
    ForEach(depth, variables_.size(), objects, enter, leaf);
  }
  template <typename Leaf>
  void ForEach(std::size_t depth, Object* objects, const Leaf& leaf) const {
    ForEach(
        depth, objects, [](std::size_t) { return true; }, leaf);
  }

  /// What a variable runs over, given the objects of those before it …
  std::span<const Object> Row(std::size_t variable, const Object* objects) const {
    const Plan& plan = variables_[variable];
    return plan.table->row(plan.parameter < 0 ? 0 : objects[plan.parameter]);
  }
  /// … less those that they have taken.
  bool IsDistinct(std::size_t variable, Object object, const Object* objects) const {
    bool distinct = true;
    for (const int other : variables_[variable].distinct_from) distinct &= objects[other] != object;
    return distinct;
  }
  /// The object is a member of the sets of its variable whatever is decided.
  bool IsPermanent(std::size_t variable, Object object, const Object* objects) const {
    const Plan& plan = variables_[variable];
    for (const auto& [table, parametric] : plan.conditional) {
      if (table->at(parametric ? objects[plan.parameter] : kNoObject, object) != kPermanent) {
        return false;
      }
    }
    return true;
  }
  /// Objects of the two variables are kept distinct.
  bool AreDistinct(std::size_t a, std::size_t b) const {
    const std::vector<int>& others = variables_[std::max(a, b)].distinct_from;
    return std::ranges::count(others, static_cast<int>(std::min(a, b))) != 0;
  }
  /// Equal numbers are the same object for both.
  bool HaveSameRoot(std::size_t a, std::size_t b) const {
    return variables_[a].root == variables_[b].root;
  }
  /// Whether an object is a member is decided, and depends on the parameter.
  bool IsParametricallyConditional(std::size_t variable) const {
    return std::ranges::any_of(variables_[variable].conditional,
                               [](const auto& table) { return table.second; });
  }
  /// About how many objects a variable runs over for each binding of those before it.
  double NumObjects(std::size_t variable) const;
  /// About how many tuples there are.
  double NumTuples() const;

  /// Appends the Boolean slots that must be TRUE for objects[first … last) to be members of the
  /// sets of their variables (and of the supersets).
  void AppendMemberships(const Object* objects, std::size_t first, std::size_t last,
                         std::vector<Slot>* slots) const;

 private:
  struct Plan {
    const SetTable* table;
    int parameter;
    int root;
    std::vector<int> distinct_from;
    std::vector<std::pair<const SetTable*, bool>> conditional;  ///< Table, parametric.
  };
  std::vector<Plan> variables_;
};

/// Two variables of one scope whose objects must differ.
bool MustDiffer(const Space& space, const SetRef& left, const SetRef& right);

}  // namespace exh::runtime::internal
