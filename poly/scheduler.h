// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "poly/influence.h"
#include "poly/isl/dependences.h"
#include "poly/schedule.h"
#include "poly/scop.h"
#include "poly/system.h"

namespace exh::poly {

struct SchedulerOptions {
  CoefficientBounds bounds;
  /// Decisions that one system may take to solve. One that takes more counts as infeasible.
  std::uint64_t max_nodes = 100'000;
};

/// What the construction does when a system has no solution, in the order in which it is tried. The
/// first five have the numbers of the backtracking steps of Algorithm 1.
enum class SchedulerStep {
  kDropProgression =
      1,               // No dependence is open: influence asks for more dimensions than there are.
  kNextSibling = 2,    // The next alternative for this dimension.
  kDropSatisfied = 3,  // Dependences that earlier rows order are dropped. A band ends.
  kAncestorSibling = 4,  // The next alternative for an earlier dimension.
  kSplit = 5,            // A scalar row orders groups of statements.
  kLeaveTree = 6,        // No alternative is left: all begins anew, without influence.
  kOriginalOrder = 7,    // Without influence nothing is found either: the order of the program.
};

struct ScheduleEvent {
  SchedulerStep step = SchedulerStep::kDropProgression;
  int depth = 0;      // The dimension for which there was no solution.
  std::string label;  // Of the node that failed; empty without influence.
};

struct Scheduled {
  enum class Outcome { kInfluenced, kUninfluenced, kOriginal };
  Outcome outcome = Outcome::kUninfluenced;
  Schedule schedule;
  std::string leaf;  // Label of the leaf that was reached.
  std::vector<ScheduleEvent> events;
  int num_systems = 0;          // Solved, or found to have no solution.
  int num_infeasible = 0;       // Of them: without a solution.
  std::uint64_t num_nodes = 0;  // Decisions that solving took.

  int NumSteps(SchedulerStep step) const;
};

/// Makes schedules for one scop, each for another tree.
class Scheduler {
 public:
  /// Takes copies. The scop must be right (ProblemOf). Throws IslError.
  Scheduler(Scop scop, std::vector<Dependence> dependences, SchedulerOptions options = {});
  ~Scheduler();

  /// The schedule that Algorithm 1 builds under the influence of a tree, or without it for an empty
  /// one. isl has proven that it is legal. The tree must be right (ProblemOf). Throws IslError.
  Scheduled Find(const InfluenceTree& tree) const;

  const Scop& scop() const { return scop_; }
  const std::vector<Dependence>& dependences() const { return dependences_; }

 private:
  const Scop scop_;
  const std::vector<Dependence> dependences_;
  const SchedulerOptions options_;
  std::unique_ptr<const SystemBuilder> systems_;
};

/// Events for people: a line for each.
std::string EventsText(const Scheduled& scheduled);

}  // namespace exh::poly
