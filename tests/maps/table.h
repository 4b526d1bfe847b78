// SPDX-License-Identifier: MIT
//
// Table: the store of one choice in an engine of the paper's kind: a hash map from
// the ids of a tuple to its domain. Open addressing, a multiplicative hash with one round per tag
// and id, at most 7/8 full, a power of two of buckets. Tables are shared and copied as a whole by
// whoever writes first.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <new>
#include <utility>

#include "runtime/host.h"

namespace exh::maps {

using runtime::Bits;
using runtime::Object;

/// The ids of a tuple: 32 bits each for up to two, 16 bits each for three and four.
using Key = std::uint64_t;
inline constexpr Key kNoKey = ~Key{0};
inline constexpr int kMaxArity = 4;

constexpr Key KeyOf() {
  return 0;
}
constexpr Key KeyOf(Object a) {
  return a;
}
constexpr Key KeyOf(Object a, Object b) {
  return Key{a} << 32 | b;
}
constexpr Key KeyOf(Object a, Object b, Object c) {
  return Key{a} << 32 | Key{b} << 16 | c;
}
constexpr Key KeyOf(Object a, Object b, Object c, Object d) {
  return Key{a} << 48 | Key{b} << 32 | Key{c} << 16 | d;
}

/// Id number `position` of the tuple of `arity` ids that `key` stands for.
constexpr Object ObjectOf(Key key, int arity, int position) {
  const int bits = arity <= 2 ? 32 : 16;
  return static_cast<Object>(key >> (bits * (arity - 1 - position)));
}

inline Key KeyOf(const Object* objects, int arity) {
  const int bits = arity <= 2 ? 32 : 16;
  Key key = 0;
  for (int i = 0; i < arity; ++i) key = key << bits | objects[i];
  return key;
}

/// Ids carry a tag (which kind of statement it is): two rounds each.
template <int arity>
constexpr std::uint64_t HashOf(Key key) {
  constexpr std::uint64_t kFactor = 0x517cc1b727220a95ull;
  std::uint64_t hash = 0;
  for (int i = 0; i < arity; ++i) {
    for (const std::uint64_t word : {std::uint64_t{1}, std::uint64_t{ObjectOf(key, arity, i)}}) {
      hash = ((hash << 5 | hash >> 59) ^ word) * kFactor;
    }
  }
  return hash >> 20;
}

inline std::uint64_t HashOf(Key key, int arity) {
  switch (arity) {
    case 0:
      return HashOf<0>(key);
    case 1:
      return HashOf<1>(key);
    case 2:
      return HashOf<2>(key);
    case 3:
      return HashOf<3>(key);
    default:
      return HashOf<4>(key);
  }
}

/// One allocation: this header, the keys, the values.
struct Block {
  std::uint32_t references;
  std::uint32_t count;
  std::uint64_t mask;  ///< Buckets - 1.
  std::uint32_t value_bytes;
  std::uint32_t arity;

  Key* keys() { return reinterpret_cast<Key*>(this + 1); }
  const Key* keys() const { return reinterpret_cast<const Key*>(this + 1); }
  template <typename V>
  V* values() {
    return reinterpret_cast<V*>(keys() + mask + 1);
  }
  template <typename V>
  const V* values() const {
    return reinterpret_cast<const V*>(keys() + mask + 1);
  }
  std::size_t bytes() const { return BytesOf(mask + 1, value_bytes); }
  static std::size_t BytesOf(std::uint64_t buckets, std::uint32_t value_bytes) {
    return sizeof(Block) + buckets * (sizeof(Key) + value_bytes);
  }

  /// The bucket of the key, or the empty one where it would go.
  template <int kArity>
  [[gnu::always_inline]] std::uint64_t Find(Key key) const {
    const Key* const all = keys();
    std::uint64_t i = HashOf<kArity>(key) & mask;
    while (all[i] != key && all[i] != kNoKey) i = (i + 1) & mask;
    return i;
  }
  std::uint64_t Find(Key key) const {
    std::uint64_t i = HashOf(key, static_cast<int>(arity)) & mask;
    while (keys()[i] != key && keys()[i] != kNoKey) i = (i + 1) & mask;
    return i;
  }
};
static_assert(sizeof(Block) % alignof(std::uint64_t) == 0);

class Table {
 public:
  Table() = default;
  Table(int arity, int value_bytes)
      : block_(New(8, static_cast<std::uint32_t>(value_bytes), static_cast<std::uint32_t>(arity))) {
  }
  Table(const Table& other) : block_(other.block_) {
    if (block_ != nullptr) ++block_->references;
  }
  Table(Table&& other) noexcept : block_(std::exchange(other.block_, nullptr)) {}
  Table& operator=(Table other) noexcept {
    std::swap(block_, other.block_);
    return *this;
  }
  ~Table() { Drop(); }

  const Block& block() const { return *block_; }
  /// The block for writing: copied first if others see it.
  Block& Own() {
    if (block_->references != 1) {
      Block* copy = static_cast<Block*>(::operator new(block_->bytes()));
      std::memcpy(static_cast<void*>(copy), block_, block_->bytes());
      copy->references = 1;
      --block_->references;
      block_ = copy;
    }
    return *block_;
  }
  bool Contains(Key key) const { return block_->keys()[block_->Find(key)] == key; }

  /// The place of the value of a key, added with zero bytes if it is new.
  template <typename V>
  V& Insert(Key key) {
    if ((block_->count + 1) * 8 > (block_->mask + 1) * 7) Grow();
    Block& own = Own();
    const std::uint64_t i = own.Find(key);
    if (own.keys()[i] == kNoKey) {
      own.keys()[i] = key;
      ++own.count;
    }
    return own.values<V>()[i];
  }

 private:
  static Block* New(std::uint64_t buckets, std::uint32_t value_bytes, std::uint32_t arity) {
    void* memory = ::operator new(Block::BytesOf(buckets, value_bytes));
    Block* block = new (memory) Block{1, 0, buckets - 1, value_bytes, arity};
    std::fill_n(block->keys(), buckets, kNoKey);
    std::memset(static_cast<void*>(block->keys() + buckets), 0, buckets * value_bytes);
    return block;
  }
  void Grow() {
    Block* more = New(2 * (block_->mask + 1), block_->value_bytes, block_->arity);
    for (std::uint64_t i = 0; i <= block_->mask; ++i) {
      const Key key = block_->keys()[i];
      if (key == kNoKey) continue;
      const std::uint64_t place = more->Find(key);
      more->keys()[place] = key;
      std::memcpy(more->values<std::uint8_t>() + place * more->value_bytes,
                  block_->values<std::uint8_t>() + i * block_->value_bytes, more->value_bytes);
    }
    more->count = block_->count;
    Drop();
    block_ = more;
  }
  void Drop() {
    if (block_ != nullptr && --block_->references == 0) ::operator delete(block_);
  }

  Block* block_ = nullptr;
};

}  // namespace exh::maps
