// SPDX-License-Identifier: MIT
//
// The front of time and memory: of the implementations that were correct, those that no other one
// beats in both.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "search/log/log_reader.h"
#include "search/log/times/best_time.h"

namespace exh::search {

/// An implementation by what it takes.
struct FrontPoint {
  std::uint64_t n = 0;      ///< Number of its record.
  double ns = 0;            ///< EvalRecord::best_ns.
  std::uint64_t bytes = 0;  ///< EvalRecord::memory_bytes.
  double typical_ns = 0;    ///< As TypicalTime(); not less than `ns`.
  friend bool operator==(const FrontPoint&, const FrontPoint&) = default;
};

class Front {
 public:
  /// Takes it, unless another point takes neither more time nor more bytes; of equal points the
  /// first stays. Points that it beats so go. True: it was taken.
  bool Add(const FrontPoint& point);
  /// The same of an evaluation; one that was not correct, or whose memory is not known, is left
  /// out.
  bool Add(const EvalRecord& eval);
  /// Fewest bytes first, and so the slowest first.
  const std::vector<FrontPoint>& points() const { return points_; }
  /// Those of them whose bytes buy time beyond doubt: a point that takes more than the one before
  /// is also faster than it, whatever times vary by (IsFasterForSure).
  std::vector<FrontPoint> PointsForSure() const;

 private:
  std::vector<FrontPoint> points_;
};

/// That of a run.
Front FrontOf(const Log& log);

/// "12.6 MB"; below 10,000 bytes "960 bytes".
std::string BytesText(std::uint64_t bytes);

/// "memory: 15.7 MB, of which 3.15 MB lie beside the arrays". Empty where it is not known.
std::string MemoryText(std::uint64_t memory_bytes, std::uint64_t workspace_bytes);

/// The front, a point a line, as far as it is sure. Empty where it has fewer than two: then nothing
/// is to be chosen.
std::string FrontText(const Front& front);

}  // namespace exh::search
