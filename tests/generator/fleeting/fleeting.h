// SPDX-License-Identifier: MIT
//
// A backbone that gives everything by value: its answers are wrong as soon as they are gone. Its
// namespace has the name of the .exh file, and one of its types a name that generated code uses.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <initializer_list>
#include <utility>
#include <vector>

namespace fleeting {

struct ItemId {
  std::uint16_t value = 0xDEAD;
  friend constexpr auto operator<=>(ItemId, ItemId) = default;
};

/// A list that forgets its elements when it dies. Their memory stays, so that reading them later is
/// seen, and harms nothing.
template <typename T>
class List {
 public:
  List() : List(std::vector<T>()) {}
  explicit List(std::vector<T> elements) : elements_(&Arena().emplace_back(std::move(elements))) {}
  List(const List& other) : List(*other.elements_) {}
  List& operator=(const List& other) {
    *elements_ = *other.elements_;
    return *this;
  }
  ~List() {
    for (T& element : *elements_) element = Gone(element);
  }

  const T* begin() const { return elements_->data(); }
  const T* end() const { return begin() + elements_->size(); }
  const T& at(std::size_t index) const { return elements_->at(index); }
  const T& front() const { return at(0); }
  std::size_t size() const { return elements_->size(); }
  void Add(T element) { elements_->push_back(std::move(element)); }

 private:
  static std::uint32_t Gone(std::uint32_t) { return 0xDEAD; }
  static bool Gone(bool value) { return !value; }
  template <typename Other>
  static Other Gone(const Other&) {
    return Other();
  }
  static std::deque<std::vector<T>>& Arena() {
    static std::deque<std::vector<T>> arena;
    return arena;
  }

  std::vector<T>* elements_;
};

/// What is known of an item. Without its list it is nobody.
struct Facts {
  ItemId id;
  std::uint32_t weight = 0xDEAD;
  bool heavy = false;
  std::vector<std::uint32_t> sizes;
};

/// Facts for as long as it lives.
class Record {
 public:
  explicit Record(const Facts& facts) : facts_({facts}) {}
  const ItemId& id() const { return facts_.front().id; }
  const std::uint32_t& weight() const { return facts_.front().weight; }
  const bool& heavy() const { return facts_.front().heavy; }
  const std::vector<std::uint32_t>& sizes() const { return facts_.front().sizes; }

 private:
  List<Facts> facts_;
};

/// An item; `Space` is also what generated code calls its tables.
class Space {
 public:
  Space() = default;
  explicit Space(Facts facts) : facts_(std::move(facts)) {}
  Record record() const { return Record(facts_); }

 private:
  Facts facts_;
};

/// What splitting an item adds.
class Added {
 public:
  const List<ItemId>& items() const { return items_; }
  const List<std::pair<ItemId, ItemId>>& parts() const { return parts_; }
  void Add(ItemId whole, ItemId part) {
    items_.Add(part);
    parts_.Add({whole, part});
  }
  Added copy() const { return *this; }

 private:
  List<ItemId> items_;
  List<std::pair<ItemId, ItemId>> parts_;
};

/// All answers of a plan, for as long as it lives.
class Sheet {
 public:
  const List<Space>& items() const { return items_; }
  const List<Space>& big() const { return big_; }
  const List<Space>& parts() const { return parts_; }
  const List<Space>& wholes() const { return wholes_; }
  const List<std::uint32_t>& limits() const { return limits_; }
  const List<const Space*>& found() const { return found_; }
  const List<Added>& added() const { return added_; }

 private:
  friend class Plan;
  List<Space> items_, big_, parts_, wholes_;
  List<std::uint32_t> limits_;
  List<const Space*> found_;
  List<Added> added_;
};

/// Items 0 to `num_fixed` - 1 are there; each may be split, which adds its parts.
class Plan {
 public:
  struct Item {
    std::uint32_t weight = 1;
    std::vector<std::uint32_t> sizes;
    bool big = false;
    std::vector<std::uint16_t> parts;
  };
  std::vector<Item> all;
  std::vector<std::uint32_t> limits;

  Sheet sheet() const {
    Sheet sheet;
    for (std::uint16_t i = 0; i < all.size(); ++i) {
      sheet.items_.Add(ItemAt(i));
      if (all[i].big) sheet.big_.Add(ItemAt(i));
    }
    sheet.limits_ = List<std::uint32_t>(limits);
    return sheet;
  }
  Sheet sheet(const Record& of) const {
    Sheet sheet;
    const std::uint16_t number = of.id().value;
    for (const std::uint16_t part : all.at(number).parts) sheet.parts_.Add(ItemAt(part));
    for (std::uint16_t i = 0; i < all.size(); ++i) {
      if (HasPart(i, number)) sheet.wholes_.Add(ItemAt(i));
    }
    return sheet;
  }
  Sheet sheet(ItemId whole) const {
    Sheet sheet;
    Added added;
    for (const std::uint16_t part : all.at(whole.value).parts) added.Add(whole, {part});
    sheet.added_.Add(added);
    return sheet;
  }
  /// The first of the items if `yes`, else nothing.
  Sheet found(bool yes) const {
    Sheet sheet = this->sheet();
    sheet.found_.Add(yes ? sheet.items_.begin() : nullptr);
    return sheet;
  }
  /// The first part of the item, if it has one.
  Sheet first_part(const Record& of) const {
    Sheet sheet = this->sheet(of);
    sheet.found_.Add(sheet.parts_.size() > 0 ? sheet.parts_.begin() : nullptr);
    return sheet;
  }
  bool IsBig(ItemId id) const { return all.at(id.value).big; }
  bool HasPart(std::uint16_t whole, std::uint16_t part) const {
    for (const std::uint16_t each : all.at(whole).parts) {
      if (each == part) return true;
    }
    return false;
  }

 private:
  Space ItemAt(std::uint16_t number) const {
    const Item& item = all.at(number);
    return Space({{number}, item.weight, item.weight > 2, item.sizes});
  }
};

}  // namespace fleeting
