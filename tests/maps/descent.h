// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "tests/maps/engine.h"

namespace exh::maps {

struct DescentCounts {
  std::uint64_t implementations = 0;
  std::uint64_t gave_up = 0;    ///< Descents with more than 2000 dead ends.
  std::uint64_t dead_ends = 0;  ///< Values that failed, and removals of such values.
  std::uint64_t decisions = 0;  ///< Values tried.
};

/// Random descents from the root to an implementation. A step scans all decisions from the start
/// for the first open one, draws one of its values, keeps a snapshot, applies and propagates. (The
/// published system is dearer: it builds the child of every value and throws all but one away.)
/// After a dead end the snapshot comes back without the value; if that fails too, the value one
/// level up is the failed one.
class Descender {
 public:
  /// Choices in this order, then all others that are no counters and not auxiliary. The engine is
  /// at its root and returns there.
  Descender(Engine& engine, const std::vector<std::string>& order);
  /// True at an implementation, which the engine then holds. Adds to counts().
  bool Run(std::mt19937_64& random);
  const DescentCounts& counts() const { return counts_; }

 private:
  struct Level {
    Snapshot snapshot;
    int choice = -1;
    Key key = kNoKey;
    Bits value = 0;
  };
  bool FindOpen(int* choice, Key* key) const;
  bool Apply(int choice, Key key, Bits values);

  Engine& engine_;
  std::vector<int> order_;
  Snapshot root_;
  std::vector<Level> levels_;
  DescentCounts counts_;
};

}  // namespace exh::maps
