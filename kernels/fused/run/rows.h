// SPDX-License-Identifier: MIT
//
// One operator in several ways on a device: compiled, checked against the reference, timed.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "kernels/evaluation.h"
#include "kernels/fused/code/nest.h"
#include "kernels/fused/graph/graph.h"
#include "kernels/fused/run/problem.h"
#include "kernels/fused/schedule/schedules.h"

namespace exh::kernels::fused {

struct RowOptions {
  std::uint64_t seed = 1;
  /// Names of poly::IslSettings() to compare with.
  std::vector<std::string> isl = {"default"};
  /// How long each is waited for, by part of the operator.
  poly::IslPatience isl_patience = {};
  poly::DependenceKind dependences = poly::DependenceKind::kValue;
  /// Leaves of the tree, the best first, that are tried beside the one that Algorithm 1 reaches.
  int leaves = 4;
  /// Operators that must move more are not run.
  std::uint64_t most_bytes = 256ULL << 20;
  /// Nor are those whose reference takes more (ReferenceBytes()).
  std::uint64_t reference_bytes = kMostReferenceBytes;
  /// What moving so many bytes takes at least; empty: nothing is known of it. What is faster twice
  /// is `impossible`.
  std::function<double(std::uint64_t)> least_ns;
};

/// A schedule as it ran.
struct Row {
  std::string name;  ///< "isl default", "no vectors", "influenced", "searched".
  std::string of;    ///< Of "searched": what it is: "leaf 2 inner".
  Verdict verdict = Verdict::kBroken;
  double ns = 0;    ///< kCorrect: of the fastest batch.
  std::string why;  ///< Else: what went wrong.
};

struct OperatorRows {
  std::vector<Row> rows;
  std::string refused;         ///< Not empty: nothing ran, for this reason.
  std::uint64_t bytes = 0;     ///< That any implementation moves.
  double floor_ns = 0;         ///< What a copy of so many bytes takes; 0: not measured.
  SchedulingCost cost;         ///< Of the influenced schedule.
  bool is_influenced = false;  ///< A leaf was reached in every part.
  bool has_vectors = false;    ///< A loop of the influenced schedule is a vector.
  bool transposes = false;     ///< The operator has a Transpose.

  /// Null where there is no row of this name.
  const Row* Find(const std::string& name) const;
};

/// What runs programs of one operator after the other.
class RowMachine {
 public:
  virtual ~RowMachine() = default;

  /// The program of a schedule.
  virtual Source Text(const OperatorProgram& program, const std::vector<NestNode>& nests) const = 0;
  /// Executions that come one after the other (StepsOnGpu()); 0: schedules differ in nothing like
  /// that.
  virtual double Steps(const OperatorProgram& /*program*/,
                       const std::vector<NestNode>& /*nests*/) const {
    return 0;
  }
  /// Are tiles that neighbouring threads do (WithPatches()) tried?
  virtual bool has_patches() const { return false; }
  /// Programs are of this operator from here on, and run on problems drawn from `seed`. Both
  /// outlive the last run. Empty, or why they cannot. Throws TooLarge when a reference takes more
  /// than `most_bytes`.
  virtual std::string Begin(const Graph& graph, const OperatorProgram& program, std::uint64_t seed,
                            std::uint64_t most_bytes) = 0;
  /// So many may be compiled at once.
  virtual int jobs() const { return 1; }
  virtual Compiled Compile(const Source& source) = 0;
  /// Of what was compiled: checked and timed. `is_full`: for what is going to be reported, on all
  /// problems and over many runs.
  virtual Measurement Run(const Compiled& compiled, bool is_full) = 0;
  virtual void Discard(const Compiled& compiled) = 0;
  /// What a copy takes that moves so many bytes, read and written; 0: not known.
  virtual double CopyNs(std::uint64_t bytes) = 0;
  /// In words: with what programs are built and run.
  virtual std::string Conditions() const = 0;
};

/// Runs operators one after the other.
class RowRunner {
 public:
  /// The machine outlives it.
  RowRunner(RowMachine& machine, RowOptions options);

  /// Never throws because of what the operator, a compiler or a candidate does.
  OperatorRows Run(const Graph& graph);

 private:
  RowMachine& machine_;
  const RowOptions options_;
};

}  // namespace exh::kernels::fused
