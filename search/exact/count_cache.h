// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>

#include "search/exact/big_count.h"

namespace exh::search {

/// Counts by key, within a limit of memory. It has two generations: what is found moves into the
/// young one, and when that has half of the limit the old one is forgotten. What is forgotten is
/// counted again; no count depends on what is remembered.
class CountCache {
 public:
  explicit CountCache(std::size_t max_bytes) : max_bytes_(max_bytes) {}

  /// Null when it is not known. Valid until the next call.
  const BigCount* Find(const std::string& key) {
    const auto young = young_.find(key);
    if (young != young_.end()) return &young->second;
    const auto old = old_.find(key);
    if (old == old_.end()) return nullptr;
    auto node = old_.extract(old);
    return &Insert(std::move(node.key()), std::move(node.mapped()));
  }
  void Add(std::string key, const BigCount& count) { Insert(std::move(key), count); }

  std::size_t size() const { return young_.size() + old_.size(); }
  /// About what it takes.
  std::size_t bytes() const { return young_bytes_ + old_bytes_; }
  std::uint64_t forgotten() const { return forgotten_; }

 private:
  using Counts = std::unordered_map<std::string, BigCount>;

  const BigCount& Insert(std::string key, BigCount count) {
    constexpr std::size_t kOverhead = 128;  // The node, the heads of text and number.
    const std::size_t bytes =
        kOverhead + key.capacity() + mpz_size(count.get_mpz_t()) * sizeof(mp_limb_t);
    if (young_bytes_ + bytes > max_bytes_ / 2) {
      forgotten_ += old_.size();
      old_ = std::exchange(young_, {});
      old_bytes_ = std::exchange(young_bytes_, 0);
    }
    young_bytes_ += bytes;
    return young_.insert_or_assign(std::move(key), std::move(count)).first->second;
  }

  std::size_t max_bytes_;
  Counts young_, old_;
  std::size_t young_bytes_ = 0, old_bytes_ = 0;
  std::uint64_t forgotten_ = 0;
};

}  // namespace exh::search
