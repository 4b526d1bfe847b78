// SPDX-License-Identifier: MIT
//
// Schedules of a whole operator: one for each part, all found in one way.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kernels/fused/schedule/program.h"
#include "poly/isl/apart.h"
#include "poly/isl/dependences.h"
#include "poly/scenarios.h"
#include "poly/scheduler.h"

namespace exh::kernels::fused {

/// What it took to find schedules.
struct SchedulingCost {
  double seconds = 0;          ///< Of the processor, dependences and proofs included.
  int systems = 0;             ///< Solved, or found to have no solution.
  int infeasible = 0;          ///< Of them: without a solution.
  std::array<int, 8> steps{};  ///< By SchedulerStep: how often the construction went that way.

  SchedulingCost& operator+=(const SchedulingCost& other);
};

struct ProgramSchedule {
  std::string way;                    ///< "influenced", "isl default".
  std::vector<poly::Schedule> parts;  ///< By part of the program.
  std::vector<std::string> leaves;    ///< By part: the leaf that was reached; empty: none was.
  SchedulingCost cost;
  std::string why;      ///< Not empty: there is none, for this reason.
  bool in_time = true;  ///< False: isl was given up.
};

/// Finds schedules of one operator. For the thread that made it.
class Schedules {
 public:
  /// The program must outlive it, and so must the token of `patience`, which says how long isl's
  /// own scheduler is waited for; no longer than a quarter of what the token leaves. Throws
  /// poly::IslError.
  Schedules(const OperatorProgram& program, poly::DependenceKind kind,
            poly::IslPatience patience = {});
  ~Schedules();

  /// The schedule under the influence of the tree of all scenarios.
  ProgramSchedule Influenced() const;
  /// Those of at most so many leaves of the tree, the best first: of the part with most statements
  /// those that are reached without leaving the tree; the others as Influenced(). Each is another
  /// one, and none is the one that Influenced() has.
  std::vector<ProgramSchedule> Leaves(int most) const;
  /// That of isl's own scheduler. There is none where a statement has no single date, and where isl
  /// does not end in time.
  ProgramSchedule ByIsl(const poly::NamedIslOptions& options) const;
  /// The order of the operator itself.
  ProgramSchedule Original() const;

  /// What a part is scheduled with.
  struct PartProblem {
    std::vector<poly::Dependence> dependences;
    std::vector<poly::Scenario> scenarios;
    poly::InfluenceTree tree;
    std::unique_ptr<const poly::Scheduler> scheduler;
  };
  const OperatorProgram& program() const { return program_; }
  const std::vector<PartProblem>& parts() const { return parts_; }
  /// What `parts` took.
  double seconds() const { return seconds_; }

 private:
  const OperatorProgram& program_;
  const poly::IslPatience patience_;
  std::vector<PartProblem> parts_;
  double seconds_ = 0;
};

/// For people: of each part its scenarios, the tree, the steps of the construction, the schedule
/// as a table and as loops.
std::string ExplanationOf(const Schedules& schedules);

/// Of each part the schedule as a table and as loops; or why there is none.
std::string LoopsOf(const Schedules& schedules, const ProgramSchedule& schedule);

}  // namespace exh::kernels::fused
