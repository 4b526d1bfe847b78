// SPDX-License-Identifier: MIT
//
// What a generated SpaceHost is made of: the numbers of a set's objects, and checks of what the
// snippets yield. A snippet that yields nonsense (an id twice, a negative size, an `iterator` that
// disagrees with `from_superset`) is the space author's mistake; it is found while a kernel is
// frozen and thrown as a HostError that names the place in the `.exh`.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <map>
#include <ranges>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/error.h"
#include "runtime/host.h"

namespace exh::runtime {

/// A snippet of a space contradicts another one, or yields what its key does not allow.
class HostError : public Error {
 public:
  HostError(std::string_view where, std::string_view what)
      : Error(std::string(where) + ": " + std::string(what)) {}
};

/// A range whose elements bind to `const T&`.
template <typename Range, typename T>
concept RangeOf = requires(const std::remove_reference_t<Range>& range) {
  { *std::begin(range) } -> std::convertible_to<const T&>;
}
|| requires(std::remove_reference_t<Range>& range) {
  { *std::begin(range) } -> std::convertible_to<const T&>;
};

/// `const T*`, null for "not a member", or an optional T.
template <typename Found, typename T>
concept MaybeItem = requires(const std::remove_cvref_t<Found>& found) {
  static_cast<bool>(found);
  { *found } -> std::convertible_to<const T&>;
};

/// Unsigned numbers, or a range of them.
template <typename T>
concept NumberSource = std::integral<std::remove_cvref_t<T>> || requires(T&& numbers) {
  { *std::begin(numbers) } -> std::convertible_to<std::uint64_t>;
};

/// The objects of a root set: numbers in iteration order, ids, names.
template <typename Id>
class ObjectTable {
 public:
  int size() const { return static_cast<int>(ids_.size()); }
  bool Contains(const Id& id) const { return numbers_.contains(id); }
  const Id& id(Object object) const { return ids_.at(object); }
  const std::string& name(Object object) const { return names_.at(object); }

  /// The number of `id`, new if it is seen for the first time.
  Object Add(const Id& id, std::string_view where) {
    const auto [known, fresh] = numbers_.emplace(id, static_cast<Object>(ids_.size()));
    if (fresh) {
      if (ids_.size() + 1 >= kNoObject) throw HostError(where, "more than 65534 objects");
      ids_.push_back(id);
      names_.emplace_back();
    }
    return known->second;
  }

  Object Number(const Id& id, std::string_view where) const {
    const auto found = numbers_.find(id);
    if (found == numbers_.end()) throw HostError(where, "yields an id that the root set lacks");
    return found->second;
  }

  /// A name stands in logs and on command lines, and says there which object is meant.
  void SetName(Object object, std::string name, std::string_view where) {
    if (name.find_first_of(" \t\r\n\v\f,()") != std::string::npos) {
      throw HostError(where, "an object is called '" + name +
                                 "': a name has no blanks, commas and parentheses");
    }
    if (!taken_.insert(name).second) {
      throw HostError(where, "two objects are called '" + name + "'; names differ in a set");
    }
    names_.at(object) = std::move(name);
  }

 private:
  std::vector<Id> ids_;
  std::vector<std::string> names_;
  std::map<Id, Object> numbers_;
  std::set<std::string> taken_;
};

/// The members of a set, with the ids that the set itself gives them.
template <typename Id>
class MemberTable {
 public:
  const std::vector<Host::Member>& members() const { return members_; }
  bool Contains(Host::Member member) const { return known_.contains(member); }
  const Id& id(Object object) const { return ids_.at(object); }

  void Add(Host::Member member, const Id& id, std::string_view where) {
    if (!known_.insert(member).second) throw HostError(where, "yields an object twice");
    members_.push_back(member);
    ids_.emplace(member.object, id);
  }

 private:
  std::vector<Host::Member> members_;
  std::set<Host::Member> known_;
  std::map<Object, Id> ids_;
};

template <typename Item>
concept HasName = requires(const Item& item) {
  { item.name() } -> std::convertible_to<std::string>;
};

/// `item.name()` if there is such a thing and it says something, otherwise the prefix and the
/// number.
template <typename Item>
std::string NameOf(const Item& item, std::string_view prefix, Object object) {
  std::string name;
  if constexpr (HasName<Item>) name = item.name();
  return name.empty() ? std::string(prefix) + std::to_string(object) : name;
}

inline std::uint32_t CheckedNumber(std::uint64_t number, std::string_view where) {
  if (number > std::numeric_limits<std::uint32_t>::max()) {
    throw HostError(where, "yields a number that is negative or needs more than 32 bits");
  }
  return static_cast<std::uint32_t>(number);
}

/// `a div b`: rounds down. Throws Error for b = 0.
inline std::int64_t FloorDivided(std::int64_t a, std::int64_t b) {
  if (b == 0) throw Error("'div' by 0 in the numbers of a choice");
  return a / b - (a % b != 0 && (a < 0) != (b < 0) ? 1 : 0);
}
/// `a % b`: a - b * (a div b). Throws Error for b = 0.
inline std::int64_t FloorRemainder(std::int64_t a, std::int64_t b) {
  return a - b * FloorDivided(a, b);
}

/// A number, or all from `first` to `last`, both of them in it; none when last < first.
struct NumberSpan {
  std::int64_t first, last;
  // Implicit on purpose: generated code lists numbers and spans side by side.
  NumberSpan(std::int64_t number) : first(number), last(number) {}  // NOLINT
  NumberSpan(std::int64_t first_, std::int64_t last_) : first(first_), last(last_) {}
};

/// The numbers of the spans, in ascending order, each once. Throws Error for negative ones, and
/// where there are more than a decision may have.
inline std::vector<std::uint32_t> UniverseOf(std::span<const NumberSpan> spans) {
  std::set<std::uint32_t> numbers;
  for (const NumberSpan& span : spans) {
    if (span.last < span.first) continue;
    if (span.first < 0 || span.last > std::numeric_limits<std::uint32_t>::max()) {
      throw Error("a choice from " + std::to_string(span.first) + " to " +
                  std::to_string(span.last) + ": its numbers are 0 or more and fit 32 bits");
    }
    if (span.last - span.first >= kMaxValues) {
      throw Error("a choice from " + std::to_string(span.first) + " to " +
                  std::to_string(span.last) + ": these are more than " +
                  std::to_string(kMaxValues) + " numbers");
    }
    for (std::int64_t number = span.first; number <= span.last; ++number) {
      numbers.insert(static_cast<std::uint32_t>(number));
    }
  }
  return {numbers.begin(), numbers.end()};
}
inline std::vector<std::uint32_t> UniverseOf(std::initializer_list<NumberSpan> spans) {
  return UniverseOf(std::span<const NumberSpan>(spans.begin(), spans.size()));
}

/// What a snippet for numbers yields, sorted and without repetitions.
template <NumberSource T>
std::vector<std::uint32_t> NumbersOf(T&& source, std::string_view where) {
  std::vector<std::uint32_t> numbers;
  if constexpr (std::integral<std::remove_cvref_t<T>>) {
    numbers.push_back(CheckedNumber(static_cast<std::uint64_t>(source), where));
  } else {
    for (const auto& number : source) {
      numbers.push_back(CheckedNumber(static_cast<std::uint64_t>(number), where));
    }
    std::sort(numbers.begin(), numbers.end());
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  }
  return numbers;
}

/// The same, of a comparison that stands after 'not' or on the left of '=>': its opposite is a
/// comparison with one number.
template <NumberSource T>
std::vector<std::uint32_t> OneNumberOf(T&& source, std::string_view where) {
  std::vector<std::uint32_t> numbers = NumbersOf(std::forward<T>(source), where);
  if (numbers.size() != 1) {
    throw HostError(where, "yields " + std::to_string(numbers.size()) +
                               " numbers; after 'not' and on the left of '=>' a comparison is one "
                               "with a single number");
  }
  return numbers;
}

/// A trigger adds something that the set's iterator does not enumerate.
inline void CheckKnown(bool known, std::string_view where) {
  if (!known) throw HostError(where, "new_objs yields an object that the iterator lacks");
}

/// Two keys of a set must agree about each member.
inline void CheckAgree(bool by_iterator, bool by_other, std::string_view where,
                       std::string_view other, std::string_view name) {
  if (by_iterator == by_other) return;
  throw HostError(where, std::string("iterator and ") + std::string(other) + " disagree on '" +
                             std::string(name) + "': the iterator " +
                             (by_iterator ? "has it, " : "lacks it, ") + std::string(other) +
                             (by_other ? " has it" : " lacks it"));
}

}  // namespace exh::runtime
