// SPDX-License-Identifier: MIT
#include "tests/maps/sets.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "base/check.h"

namespace exh::maps {
namespace {

bool IsPromisedDisjoint(const runtime::Space& space, int a, int b) {
  for (int i = a; i >= 0; i = space.sets[i].superset) {
    for (int j = b; j >= 0; j = space.sets[j].superset) {
      if (std::ranges::count(space.sets[i].disjoint, j) > 0) return true;
      if (std::ranges::count(space.sets[j].disjoint, i) > 0) return true;
    }
  }
  return false;
}

}  // namespace

Sets::Sets(const runtime::Space& space, const runtime::Host& host) {
  for (const runtime::Set& set : space.sets) {
    auto data = std::make_shared<SetData>();
    const auto objects = static_cast<std::size_t>(host.Size(set.root));
    if (set.parameter_set < 0) {
      data->in.assign(objects, 0);
    } else {
      const int parameters = host.Size(space.sets[set.parameter_set].root);
      data->of.resize(static_cast<std::size_t>(parameters));
      data->reverse.resize(objects);
      data->in.assign(objects * static_cast<std::size_t>(parameters), 0);
    }
    data_.push_back(std::move(data));
    sizes_.push_back(objects);
  }
}

void Sets::Add(int set, Member member) {
  if (data_[set].use_count() != 1) data_[set] = std::make_shared<SetData>(*data_[set]);
  SetData& data = *data_[set];
  if (member.parameter == runtime::kNoObject) {
    data.all.push_back(member.object);
    data.in[member.object] = 1;
  } else {
    data.of[member.parameter].push_back(member.object);
    data.reverse[member.object].push_back(member.parameter);
    data.in[std::size_t{member.parameter} * sizes_[set] + member.object] = 1;
  }
}

Scope::Scope(const runtime::Space& space, std::vector<Variable> list)
    : variables(std::move(list)), distinct(variables.size(), 0), users(variables.size(), 0) {
  EXH_CHECK(variables.size() <= kMaxVariables);
  for (std::size_t i = 0; i < variables.size(); ++i) {
    const int a = variables[i].set;
    for (std::size_t j = 0; j < variables.size(); ++j) {
      const int b = variables[j].set;
      if (variables[j].parameter == static_cast<int>(i)) users[i] |= 1u << j;
      if (i == j || space.sets[a].root != space.sets[b].root) continue;
      if (!IsPromisedDisjoint(space, a, b)) distinct[i] |= 1u << j;
    }
    int plain_set = a;
    while (space.sets[plain_set].parameter_set >= 0 && space.sets[plain_set].superset >= 0) {
      plain_set = space.sets[plain_set].superset;
    }
    plain.push_back(plain_set);
  }
}

bool Agrees(const Sets& sets, const Scope& scope, const Object* binding, std::uint32_t bound,
            int i) {
  const auto place = static_cast<std::size_t>(i);
  for (std::uint32_t rest = scope.distinct[place] & bound; rest != 0; rest &= rest - 1) {
    if (binding[i] == binding[std::countr_zero(rest)]) return false;
  }
  for (std::uint32_t rest = scope.users[place] & bound; rest != 0; rest &= rest - 1) {
    const int user = std::countr_zero(rest);
    const int set = scope.variables[static_cast<std::size_t>(user)].set;
    if (!sets.HasOf(set, binding[i], binding[user])) return false;
  }
  const Variable& self = scope.variables[place];
  if (self.parameter < 0) return sets.Has(self.set, binding[i]);
  return (bound >> self.parameter & 1) == 0 ||
         sets.HasOf(self.set, binding[self.parameter], binding[i]);
}

Objects Candidates(const Sets& sets, const Scope& scope, const Object* binding, std::uint32_t bound,
                   int i) {
  const Variable& self = scope.variables[i];
  if (self.parameter >= 0) {
    return (bound >> self.parameter & 1) != 0 ? sets.MembersOf(self.set, binding[self.parameter])
                                              : sets.Members(scope.plain[i]);
  }
  const std::uint32_t users = scope.users[static_cast<std::size_t>(i)] & bound;
  if (users == 0) return sets.Members(self.set);
  const int user = std::countr_zero(users);
  return sets.Reverse(scope.variables[static_cast<std::size_t>(user)].set, binding[user]);
}

}  // namespace exh::maps
