// SPDX-License-Identifier: MIT
//
// Some evaluations of a log that grows, whole: those that loops, code and the roofline are made
// again from. All of them would take as much memory as the log.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <vector>

#include "search/log/log_records.h"

namespace exh::search {

/// Kept are the fastest that are correct; of all others that are correct every k-th, where k
/// doubles when there are too many; the latest; and the best.
class EvalSample {
 public:
  explicit EvalSample(std::size_t fastest = 300, std::size_t others = 300, std::size_t latest = 200)
      : most_fastest_(fastest), most_others_(others), most_latest_(latest) {}

  void Add(EvalRecord eval);
  /// Keeps the best, as far as it is still there. `n`: its number.
  void SetBest(std::uint64_t n);

  /// By number, each once.
  std::vector<EvalRecord> evals() const;

 private:
  const EvalRecord* Find(std::uint64_t n) const;
  void AddOther(EvalRecord eval);

  std::size_t most_fastest_, most_others_, most_latest_;
  std::size_t step_ = 1, num_others_ = 0;
  std::multimap<double, EvalRecord> fastest_;  ///< By time.
  std::vector<EvalRecord> others_;
  std::deque<EvalRecord> latest_;
  std::vector<EvalRecord> best_;  ///< One, or none.
};

}  // namespace exh::search
