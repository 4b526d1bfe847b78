// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "runtime/space.h"

namespace exh::runtime {

/// An object: its number in its root set, 0 <= object < Host::Size(root).
using Object = std::uint16_t;
inline constexpr Object kNoObject = 0xFFFF;
/// Of a root set, planned ones included.
inline constexpr int kMaxObjects = 65534;

/// The narrow interface through which a backbone fills an Instance: objects, relations, predicates.
/// Generated code implements it over a C++ backbone; anything else that can answer may too. It is
/// called during the freeze only, never during search. The backbone already holds every planned
/// object; which of them are absent at first follows from what the triggers return.
class Host {
 public:
  /// (parameter, object); the parameter is kNoObject for a plain set.
  struct Member {
    Object parameter = kNoObject;
    Object object = kNoObject;
    friend auto operator<=>(const Member&, const Member&) = default;
  };
  /// An object that a trigger adds to a set.
  struct Planned {
    int set = -1;
    Member member;
    friend auto operator<=>(const Planned&, const Planned&) = default;
  };

  virtual ~Host() = default;
  /// Number of objects of a root set, planned ones included.
  virtual int Size(int root_set) const = 0;
  /// The name of an object in logs and on command lines; unique in its root set, no blanks,
  /// commas or parentheses.
  virtual std::string Name(int root_set, Object object) const = 0;
  /// All members of a set that is not a quotient, planned ones included, in iteration order.
  virtual std::vector<Member> Members(int set) const = 0;
  /// Value of a predicate snippet for the objects bound to the variables of its scope.
  virtual bool Test(CodeId code, std::span<const Object> scope) const = 0;
  /// Value of a number snippet: one number, or a sorted list of distinct ones.
  virtual std::vector<std::uint32_t> Numbers(CodeId code, std::span<const Object> scope) const = 0;
  /// Value of a code snippet in an integer term. Only spaces with such terms call it.
  virtual std::int64_t Integer(CodeId code, std::span<const Object> scope) const {
    return Numbers(code, scope).front();
  }
  /// The object that a dynamic predicate asks for, or kNoObject: it holds while that object is
  /// there. Only spaces with dynamic predicates call it.
  virtual Object FindObject(CodeId code, std::span<const Object> scope) const {
    static_cast<void>(code);
    static_cast<void>(scope);
    return kNoObject;
  }
  /// What firing the trigger for this tuple adds; called once per tuple.
  virtual std::vector<Planned> Plan(int trigger, std::span<const Object> scope) const = 0;
};

}  // namespace exh::runtime
