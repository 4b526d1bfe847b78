// SPDX-License-Identifier: MIT
//
// Compilers that run ahead, for evaluators that compilers do not disturb (a GPU): threads descend
// and compile, and the oldest of what they made is measured meanwhile.
//
// What a frontier without a tree yields is measured in the order of its descents, so that the log
// does not depend on the number of threads. A tree learns from every result: then less is under way
// at once, and what is there first is measured first.
//
// A candidate that may run for ever (Source::careful) goes through phases 2 and 3 twice: its trial
// is compiled and tried, and only one that ended in time is compiled as it is. It waits until a
// whole window of others had their turn; with a tree, until it is compiled.
#pragma once

#include <cstdint>
#include <deque>
#include <future>

#include "search/run/pipeline/pipeline.h"

namespace exh::search {

class AheadPipeline final : public Pipeline {
 public:
  explicit AheadPipeline(const RunParts& parts);

  /// A compiler may take minutes for one of the first implementations: the next one does not wait
  /// for it, and it is measured when it is there. However late that is, it is measured under no cap
  /// as long as nothing is known.
  void EvaluateFirst(Entry entry) override;
  void Run() override;

 private:
  /// A candidate that is worth its compilation.
  struct Tried {
    std::uint64_t due = 0;  ///< Number of the attempt before which it is measured, without a tree.
    Entry entry;
    std::future<kernels::Compiled> compiled;
    Effort effort = Effort::kQuick;  ///< As long as nothing is known.
  };

  /// Compiles it by a compiler that runs ahead like the others.
  void CompileTried(Entry entry, std::uint64_t due, Effort effort = Effort::kQuick);
  /// The one that is measured now, if any: when its turn comes, or with a tree when it is compiled
  /// and when there are many of them.
  std::deque<Tried>::iterator NextTried();
  void MeasureTried(std::deque<Tried>::iterator which);

  int jobs_;
  std::uint64_t window_;  ///< Attempts under way at once, at most.
  std::deque<Tried> tried_;
};

}  // namespace exh::search
