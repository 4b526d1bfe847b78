// SPDX-License-Identifier: MIT
//
// What was proposed and is not evaluated yet. What is proposed meanwhile knows nothing of how it
// went, so that the model's favourite and nineteen variants of it may be compiled at once. A walk
// asks how alike something is to what is in flight, and prefers what is not.
#pragma once

#include <cstddef>
#include <deque>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace exh::search {

/// Vectors (VectorText()) of one space, to which others are compared.
class Likeness {
 public:
  Likeness() = default;
  explicit Likeness(const std::vector<std::string>& vectors);

  /// The share of the decisions that have a value in this vector, or in that of ours to which it is
  /// most alike, and are equal in both. 0 to 1; 0: we have none.
  double Of(std::string_view vector) const;

 private:
  std::vector<std::vector<int>> values_;  ///< Of each, by decision; -1: none.
};

class InFlight {
 public:
  /// More are forgotten, the oldest first: not all that is proposed is evaluated.
  static constexpr std::size_t kMost = 64;

  // From any thread.
  void Add(std::string vector);
  /// It was evaluated.
  void Remove(std::string_view vector);
  /// Those of now.
  std::vector<std::string> All() const;

 private:
  mutable std::mutex mutex_;
  std::deque<std::string> vectors_;
};

}  // namespace exh::search
