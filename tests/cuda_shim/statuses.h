// SPDX-License-Identifier: MIT
//
// Words that blocks write for those behind them, which wait for them (exh_tell, exh_hear). Blocks
// run one after the other here, so whoever looks at a word of a block before finds all that it has
// ever said. On a GPU it may find any of it: what the word was before, what was said first, or what
// was said last. So one of these is chosen, each time anew.
//
//   word      5, of an earlier launch
//   said      7, then 9
//   heard     9 by the first order of threads; 5, then 7 by the second; any of them by a seed
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <vector>

namespace exh_shim {

class Statuses {
 public:
  /// `order`: Program::thread_order.
  explicit Statuses(int order) : order_(order), random_(static_cast<unsigned>(order)) {}

  void BeginKernel() { said_.clear(); }
  /// A block writes `word` where there was `before`.
  void Tell(std::int64_t offset, std::uint64_t before, std::uint64_t word);
  /// What a thread finds that looks; nothing: nobody has said anything in this kernel, and nobody
  /// will.
  std::optional<std::uint64_t> Hear(std::int64_t offset);
  /// Has anybody ever?
  bool has_word(std::int64_t offset) const { return all_.contains(offset); }
  /// All words that were said, by where they lie.
  const std::set<std::int64_t>& all() const { return all_; }

 private:
  struct Said {
    std::uint64_t before = 0;
    bool is_heard = false;
    std::vector<std::uint64_t> words;
  };
  const int order_;
  std::mt19937 random_;
  std::map<std::int64_t, Said> said_;  ///< In the kernel that runs.
  std::set<std::int64_t> all_;
};

}  // namespace exh_shim
