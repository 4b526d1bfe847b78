// SPDX-License-Identifier: MIT
//
// Pipeline: in which order, and how much at once, a run does its phases: descend, compile, measure.
// In turn (in_turn.h) where a compiler beside a candidate would spoil its time, ahead (ahead.h)
// where it does not.
#pragma once

#include <cstdint>
#include <memory>

#include "search/measure/evaluator.h"
#include "search/propose/frontier/frontier.h"
#include "search/propose/proposer.h"
#include "search/run/explorer_options.h"
#include "search/run/judge.h"
#include "search/run/run_state.h"

namespace exh::search {

/// What pipelines work with.
struct RunParts {
  RunState& state;
  Judge& judge;
  Frontier& frontier;
  Proposer& proposer;
  Evaluator& evaluator;
  const ExplorerOptions& options;
};

class Pipeline {
 public:
  /// What `parts` refers to outlives it.
  explicit Pipeline(const RunParts& parts) : parts_(parts) {}
  virtual ~Pipeline() = default;
  Pipeline(const Pipeline&) = delete;
  Pipeline& operator=(const Pipeline&) = delete;

  /// Evaluates one of the implementations that a run begins with, as soon as possible.
  virtual void EvaluateFirst(Entry entry) = 0;
  /// Evaluates what is proposed until the run is over.
  virtual void Run() = 0;

  /// Compiles a candidate, or its trial, unless it is idle, was dropped, or is known to be of no
  /// use. From any thread.
  void Compile(Entry& entry) const;
  /// Has another search found out that it is of no use? Then it has that verdict. From any thread.
  bool Recall(Entry& entry) const;

 protected:
  /// The source of chance of descent number `number`: each draws from a stream of its own, so that
  /// what is found does not depend on how many threads there are.
  Random RandomOf(std::uint64_t number) const;
  /// Tells what proposes when the last part of the run begins.
  void LookForEnd() const {
    if (parts_.state.IsEnding()) parts_.proposer.BeginEnd();
  }
  const RunParts parts_;
};

/// The pipeline for an evaluator, and for how much its frontier learns.
std::unique_ptr<Pipeline> MakePipeline(const RunParts& parts);

}  // namespace exh::search
