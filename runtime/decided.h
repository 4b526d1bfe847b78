// SPDX-License-Identifier: MIT
//
// Decided: one value for each tuple of ids, which is how a generated Schedule holds a choice:
// `schedule.dim_kind(dim)` reads like the `.exh`. Ids that say their index() are looked up in an
// array, others in a map.
#pragma once

#include <concepts>
#include <cstddef>
#include <map>
#include <optional>
#include <type_traits>
#include <vector>

#include "base/check.h"

namespace exh::runtime {

/// An id that is a small number: `id.index()`.
template <typename Id>
concept IndexedId = requires(const Id& id) {
  { id.index() } -> std::convertible_to<std::size_t>;
};

template <typename Value, typename... Ids>
class Decided;

/// No ids: a value or none.
template <typename Value>
class Decided<Value> {
 public:
  /// Null: nothing is decided.
  const Value* Find() const { return value_ ? &*value_ : nullptr; }
  const Value& operator()() const {
    EXH_CHECK(value_.has_value());
    return *value_;
  }
  Value Or(const Value& otherwise) const { return value_.value_or(otherwise); }
  void Set(const Value& value) { value_ = value; }

  /// What `f` makes of the value; it may make nothing of it.
  template <typename To, typename F>
  Decided<To> Map(const F& f) const {
    Decided<To> mapped;
    if (value_) mapped.value_ = f(*value_);
    return mapped;
  }

 private:
  template <typename, typename...>
  friend class Decided;
  std::optional<Value> value_;
};

template <typename Value, typename Id, typename... Rest>
class Decided<Value, Id, Rest...> {
 public:
  /// The value for these ids; null: there is none.
  const Value* Find(const Id& id, const Rest&... rest) const {
    if constexpr (IndexedId<Id>) {
      return id.index() < values_.size() ? values_[id.index()].Find(rest...) : nullptr;
    } else {
      const auto found = values_.find(id);
      return found == values_.end() ? nullptr : found->second.Find(rest...);
    }
  }
  /// The same; there is one.
  const Value& operator()(const Id& id, const Rest&... rest) const {
    const Value* const value = Find(id, rest...);
    EXH_CHECK(value != nullptr);
    return *value;
  }
  /// The same; `otherwise` when there is none.
  Value Or(const Value& otherwise, const Id& id, const Rest&... rest) const {
    const Value* const value = Find(id, rest...);
    return value == nullptr ? otherwise : *value;
  }
  void Set(const Id& id, const Rest&... rest, const Value& value) {
    if constexpr (IndexedId<Id>) {
      if (id.index() >= values_.size()) values_.resize(id.index() + 1);
      values_[id.index()].Set(rest..., value);
    } else {
      values_[id].Set(rest..., value);
    }
  }

  /// What `f` makes of each value, for the same ids; it may make nothing of one.
  template <typename To, typename F>
  Decided<To, Id, Rest...> Map(const F& f) const {
    Decided<To, Id, Rest...> mapped;
    if constexpr (IndexedId<Id>) {
      mapped.values_.reserve(values_.size());
      for (const Inner& inner : values_) mapped.values_.push_back(inner.template Map<To>(f));
    } else {
      for (const auto& [id, inner] : values_) {
        mapped.values_.emplace(id, inner.template Map<To>(f));
      }
    }
    return mapped;
  }

 private:
  template <typename, typename...>
  friend class Decided;
  using Inner = Decided<Value, Rest...>;
  template <typename Key, bool is_indexed>
  struct Table {
    using Type = std::map<Key, Inner>;
  };
  template <typename Key>
  struct Table<Key, true> {
    using Type = std::vector<Inner>;
  };
  typename Table<Id, IndexedId<Id>>::Type values_;
};

}  // namespace exh::runtime
