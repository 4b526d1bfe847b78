// SPDX-License-Identifier: MIT
#include "kernels/fused/schedule/schedules.h"

#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/error.h"
#include "poly/isl/loops.h"
#include "poly/tree_text.h"

namespace exh::kernels::fused {
namespace {

/// Seconds of the processor that this thread took.
class Stopwatch {
 public:
  double Seconds() const { return Now() - begin_; }

 private:
  static double Now() {
    timespec now{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
  }
  double begin_ = Now();
};

void EndIfStopped(const StopToken* stop) {
  if (IsStopped(stop)) throw Interrupted("interrupted while schedules were found");
}

void Count(const poly::Scheduled& found, SchedulingCost& cost) {
  cost.systems += found.num_systems;
  cost.infeasible += found.num_infeasible;
  for (const poly::ScheduleEvent& event : found.events) {
    ++cost.steps[static_cast<std::size_t>(event.step)];
  }
}

}  // namespace

SchedulingCost& SchedulingCost::operator+=(const SchedulingCost& other) {
  seconds += other.seconds;
  systems += other.systems;
  infeasible += other.infeasible;
  for (std::size_t i = 0; i < steps.size(); ++i) steps[i] += other.steps[i];
  return *this;
}

Schedules::Schedules(const OperatorProgram& program, poly::DependenceKind kind,
                     poly::IslPatience patience)
    : program_(program), patience_(patience) {
  const Stopwatch watch;
  for (const ProgramPart& part : program.parts) {
    EndIfStopped(patience_.stop);
    PartProblem problem;
    problem.dependences = poly::DependencesOf(part.scop, kind);
    problem.scenarios = poly::ScenariosOf(part.scop, {});
    problem.tree = poly::TreeOf(part.scop, problem.dependences, problem.scenarios);
    problem.scheduler = std::make_unique<poly::Scheduler>(part.scop, problem.dependences);
    parts_.push_back(std::move(problem));
  }
  seconds_ = watch.Seconds();
}

Schedules::~Schedules() = default;

ProgramSchedule Schedules::Influenced() const {
  const Stopwatch watch;
  ProgramSchedule result{.way = "influenced"};
  for (const PartProblem& part : parts_) {
    poly::Scheduled found = part.scheduler->Find(part.tree);
    Count(found, result.cost);
    result.parts.push_back(std::move(found.schedule));
    result.leaves.push_back(std::move(found.leaf));
  }
  result.cost.seconds = seconds_ + watch.Seconds();
  return result;
}

std::vector<ProgramSchedule> Schedules::Leaves(int most) const {
  std::vector<ProgramSchedule> results;
  if (most <= 0 || parts_.empty()) return results;
  const ProgramSchedule influenced = Influenced();
  std::size_t largest = 0;
  for (std::size_t i = 1; i < parts_.size(); ++i) {
    if (program_.parts[i].pieces.size() > program_.parts[largest].pieces.size()) largest = i;
  }
  std::set<std::vector<poly::IntMatrix>> known = {influenced.parts[largest].statements};
  for (const poly::InfluenceTree& path : poly::PathsOf(parts_[largest].tree)) {
    if (static_cast<int>(results.size()) >= most) break;
    EndIfStopped(patience_.stop);
    const Stopwatch watch;
    poly::Scheduled found = parts_[largest].scheduler->Find(path);
    if (found.outcome != poly::Scheduled::Outcome::kInfluenced) continue;
    if (!known.insert(found.schedule.statements).second) continue;
    ProgramSchedule result = influenced;
    result.way = "leaf " + found.leaf;
    result.cost = {};
    Count(found, result.cost);
    result.parts[largest] = std::move(found.schedule);
    result.leaves[largest] = std::move(found.leaf);
    result.cost.seconds = watch.Seconds();
    results.push_back(std::move(result));
  }
  return results;
}

ProgramSchedule Schedules::ByIsl(const poly::NamedIslOptions& options) const {
  poly::IslPatience patience = patience_;
  if (patience.stop != nullptr) {
    // What does not end leaves time for the others.
    constexpr double kPart = 0.25, kLeast = 0.5;
    const double part = std::max(kLeast, kPart * patience.stop->SecondsLeft());
    patience.seconds = std::min(patience.seconds, part);
  }
  ProgramSchedule result{.way = "isl " + options.name};
  for (std::size_t i = 0; i < parts_.size() && result.why.empty(); ++i) {
    poly::IslApart found = poly::ScheduleByIslApart(program_.parts[i].scop, parts_[i].dependences,
                                                    options.options, patience);
    result.cost.seconds += found.seconds;
    result.why = std::move(found.why);
    result.in_time = found.in_time;
    if (!found.schedule) break;
    result.parts.push_back(std::move(*found.schedule));
    result.leaves.emplace_back();
  }
  return result;
}

ProgramSchedule Schedules::Original() const {
  ProgramSchedule result{.way = "original"};
  for (const ProgramPart& part : program_.parts) {
    result.parts.push_back(poly::OriginalSchedule(part.scop));
    result.leaves.emplace_back();
  }
  return result;
}

namespace {

std::string LoopsOf(const poly::Scop& scop, const poly::Schedule& schedule) {
  return "schedule\n" + poly::TableText(scop, schedule) + "loops\n" +
         poly::LoopsText(scop, schedule);
}

}  // namespace

std::string LoopsOf(const Schedules& schedules, const ProgramSchedule& schedule) {
  if (!schedule.why.empty()) return schedule.why + "\n";
  std::string text = schedule.way + "\n";
  for (std::size_t i = 0; i < schedule.parts.size(); ++i) {
    text += LoopsOf(schedules.program().parts[i].scop, schedule.parts[i]);
  }
  return text;
}

std::string ExplanationOf(const Schedules& schedules) {
  std::string text;
  const auto& parts = schedules.parts();
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const poly::Scop& scop = schedules.program().parts[i].scop;
    const poly::Scheduled found = parts[i].scheduler->Find(parts[i].tree);
    if (parts.size() > 1) text += fmt::format("part {} of {}\n", i + 1, parts.size());
    text += "scenarios\n" + poly::ScenariosText(scop, parts[i].scenarios);
    text += "tree\n" + poly::TreeText(scop, parts[i].tree);
    text += fmt::format("steps\n{}reached {} after {} systems, {} of them without a solution\n",
                        poly::EventsText(found),
                        found.leaf.empty() ? "no leaf" : fmt::format("'{}'", found.leaf),
                        found.num_systems, found.num_infeasible);
    text += LoopsOf(scop, found.schedule);
  }
  return text;
}

}  // namespace exh::kernels::fused
