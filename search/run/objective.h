// SPDX-License-Identifier: MIT
//
// Objective: what makes an implementation better than another one.
//
//   time    It is faster.
//   memory  It takes fewer bytes of main memory; of two that take as many, the faster one is
//           better.
//
// The arrays are the same for all implementations of a run, so what counts is what one takes beside
// them. With `memory`, what takes more than the incumbent need not be compiled. What takes less is
// better however slow it is: so the time of an incumbent cuts the space only if nothing can take
// less, which is when it takes nothing beside the arrays.
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <string_view>

namespace exh::search {

enum class Objective { kTime, kMemory };

/// Throws UsageError for what is none.
Objective ParseObjective(std::string_view name);

/// What two implementations are compared by.
struct Merit {
  std::uint64_t workspace_bytes = 0;  ///< Beside the arrays.
  double ns = 0;
};

/// Is `a` better than `b` however long both take?
inline bool TakesLess(Objective objective, std::uint64_t a, std::uint64_t b) {
  return objective == Objective::kMemory && a < b;
}

/// Is `a` better than `b`?
inline bool IsBetter(Objective objective, const Merit& a, const Merit& b) {
  if (TakesLess(objective, a.workspace_bytes, b.workspace_bytes)) return true;
  if (TakesLess(objective, b.workspace_bytes, a.workspace_bytes)) return false;
  return a.ns < b.ns;
}

/// Is everything worse that takes longer than this incumbent?
inline bool CutsByTime(Objective objective, std::uint64_t workspace_bytes) {
  return objective == Objective::kTime || workspace_bytes == 0;
}

/// What a candidate may take beside the arrays to be worth a compiler. Compilers of many threads
/// ask while one thread sets it.
class WorkspaceLimit {
 public:
  explicit WorkspaceLimit(Objective objective) : objective_(objective) {}

  bool IsAbove(std::uint64_t bytes) const { return bytes > most_; }
  std::uint64_t bytes() const { return most_; }
  /// The incumbent takes so many.
  void Set(std::uint64_t bytes) {
    if (objective_ == Objective::kMemory) most_ = bytes;
  }

 private:
  Objective objective_;
  std::atomic<std::uint64_t> most_ = std::numeric_limits<std::uint64_t>::max();
};

}  // namespace exh::search
