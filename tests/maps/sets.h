// SPDX-License-Identifier: MIT
//
// The sets of a backbone while a search adds objects to it, and loops over bindings of variables.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "runtime/host.h"
#include "runtime/space.h"

namespace exh::maps {

using runtime::Object;
using Member = runtime::Host::Member;
using Objects = std::span<const Object>;

/// The members of one set, in the host's order.
struct SetData {
  std::vector<Object> all;                   ///< Of a plain set.
  std::vector<std::vector<Object>> of;       ///< Of a parametric set, by parameter.
  std::vector<std::vector<Object>> reverse;  ///< Of a parametric set: parameters by object.
  std::vector<std::uint8_t> in;              ///< By object, or parameter * objects + object.
};

/// Sets share their data until one of them grows.
class Sets {
 public:
  Sets() = default;
  /// No set has a member yet.
  Sets(const runtime::Space& space, const runtime::Host& host);

  Objects Members(int set) const { return data_[set]->all; }
  Objects MembersOf(int set, Object parameter) const { return data_[set]->of[parameter]; }
  /// The parameters p with `object` in set(p).
  Objects Reverse(int set, Object object) const { return data_[set]->reverse[object]; }
  bool Has(int set, Object object) const { return data_[set]->in[object] != 0; }
  bool HasOf(int set, Object parameter, Object object) const {
    return data_[set]->in[std::size_t{parameter} * sizes_[set] + object] != 0;
  }
  bool Has(int set, Member member) const {
    return member.parameter == runtime::kNoObject ? Has(set, member.object)
                                                  : HasOf(set, member.parameter, member.object);
  }
  void Add(int set, Member member);

 private:
  std::vector<std::shared_ptr<SetData>> data_;
  std::vector<std::size_t> sizes_;  ///< Objects of the root.
};

/// `$v in Set($p)`: `parameter` is the number of `$p` in the scope, -1 for a plain set.
struct Variable {
  int set = -1;
  int parameter = -1;
};

/// The variables of a filter, counter, trigger or choice, with what its bindings must satisfy:
/// membership and, where sets may overlap, distinct objects.
struct Scope {
  std::vector<Variable> variables;
  std::vector<std::uint32_t> distinct;  ///< For each variable, those that must differ from it.
  std::vector<std::uint32_t> users;     ///< For each variable, those whose parameter it is.
  std::vector<int> plain;  ///< For each variable, the nearest superset without a parameter.

  Scope() = default;
  Scope(const runtime::Space& space, std::vector<Variable> variables);
  int size() const { return static_cast<int>(variables.size()); }
};

inline constexpr int kMaxVariables = 12;

/// Whether variable `i`, just bound, agrees with the others in `bound` (which holds `i`).
bool Agrees(const Sets& sets, const Scope& scope, const Object* binding, std::uint32_t bound,
            int i);

/// What variable `i` ranges over, given the others that are bound. Agrees() decides the rest.
Objects Candidates(const Sets& sets, const Scope& scope, const Object* binding, std::uint32_t bound,
                   int i);

/// Calls `body()` for each completion of a binding; stops when it returns false and returns that.
template <typename Body>
bool ForEachBinding(const Sets& sets, const Scope& scope, Object* binding, std::uint32_t bound,
                    const Body& body) {
  int i = 0;
  while (i < scope.size() && (bound >> i & 1) != 0) ++i;
  if (i == scope.size()) return body();
  const std::uint32_t with = bound | 1u << i;
  for (const Object object : Candidates(sets, scope, binding, bound, i)) {
    binding[i] = object;
    if (!Agrees(sets, scope, binding, with, i)) continue;
    if (!ForEachBinding(sets, scope, binding, with, body)) return false;
  }
  return true;
}

}  // namespace exh::maps
