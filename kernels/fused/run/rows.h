// SPDX-License-Identifier: MIT
//
// One operator in several ways on this machine's processor: compiled, checked against the
// reference, timed.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/stop.h"
#include "base/system/scratch_folder.h"
#include "kernels/cpu/compile.h"
#include "kernels/evaluation.h"
#include "kernels/fused/graph/graph.h"
#include "kernels/fused/schedule/schedules.h"

namespace exh::kernels::fused {

/// The compiler of programs, whose files go into the folder.
cpu::CompilerOptions CompilerIn(const std::string& folder, const StopToken* stop);

struct RowOptions {
  std::uint64_t seed = 1;
  int threads = 1;
  /// Names of poly::IslSettings() to compare with.
  std::vector<std::string> isl = {"default"};
  poly::DependenceKind dependences = poly::DependenceKind::kValue;
  /// Leaves of the tree, the best first, that are tried beside the one that Algorithm 1 reaches.
  int leaves = 4;
  /// Operators that must move more are not run.
  std::uint64_t most_bytes = 256ULL << 20;
  double batches_ms = 100;  ///< Of a measurement.
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

/// Runs operators one after the other.
class RowRunner {
 public:
  /// `command`: a program whose main calls cpu::RunnerMain. Both outlive it.
  RowRunner(std::vector<std::string> command, const RowOptions& options, const StopToken* stop);

  /// Never throws because of what the operator, a compiler or a candidate does.
  OperatorRows Run(const Graph& graph);

 private:
  struct Measured;
  Row Measure(const std::string& name, const std::string& text, Measured& measured);
  double CopyNs(std::uint64_t bytes);

  const std::vector<std::string> command_;
  const RowOptions options_;
  const StopToken* const stop_;
  ScratchFolder scratch_;
  cpu::Compiler compiler_;
  std::map<std::uint64_t, double> copies_;  ///< By bytes.
};

}  // namespace exh::kernels::fused
