// SPDX-License-Identifier: MIT
//
// Phases in turn, for evaluators that need the processor for themselves: a batch is found and
// compiled by several threads, then measured one by one while nothing compiles.
//
// Who fills the batch depends on the frontier. Without one that learns, descents happen in one
// thread, in an order that nothing but the seed decides, so the same seed and the same times give
// the same log with any number of compilers. With a tree, to find what is worth a compiler can take
// as long as the compiler, and so threads descend as well: then the log says in which order the
// tree took its events, and the same tree comes of it again (tree_replay.h).
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "search/run/pipeline/pipeline.h"

namespace exh::search {

class InTurn : public Pipeline {
 public:
  using Pipeline::Pipeline;
  void EvaluateFirst(Entry entry) final;
  void Run() final;

 protected:
  /// Phases 1 and 2: up to BatchSize() entries, all of them new. Those that are not `ready` were
  /// not compiled, because the run ended before.
  virtual std::vector<Entry> Fill() = 0;
  /// As many as there are still evaluations in the budget, and no more than one batch has.
  std::uint64_t BatchSize() const;

 private:
  std::vector<Entry> NextBatch();
  void Measure(Entry& entry);
};

/// One thread descends, then all compile.
class InTurnByOne final : public InTurn {
 public:
  explicit InTurnByOne(const RunParts& parts) : InTurn(parts), random_(parts.options.seed) {}

 protected:
  std::vector<Entry> Fill() override;

 private:
  Random random_;
};

/// Each thread descends, and compiles what it found. While the last compilers of a batch run,
/// threads that have nothing left to compile descend for the next batch.
class InTurnByMany final : public InTurn {
 public:
  using InTurn::InTurn;

 protected:
  std::vector<Entry> Fill() override;

 private:
  Attempt Propose(std::uint64_t number) const;

  std::uint64_t proposed_ = 0;  ///< Descents so far.
  std::deque<Attempt> ahead_;   ///< Found for the next batch, not compiled.
};

}  // namespace exh::search
