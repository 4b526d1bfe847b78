// SPDX-License-Identifier: MIT
#include "poly/isl/apart.h"

#include <fmt/format.h>
#include <time.h>

#include <sstream>
#include <utility>

#include "base/system/forked.h"
#include "poly/isl/legality.h"
#include "poly/isl/loop_tree.h"
#include "poly/isl/owners.h"

namespace exh::poly {
namespace {

// ---- a schedule as numbers with blanks between, for the pipe

std::string TextOf(const Schedule& schedule) {
  std::string text = fmt::format("{} {}", schedule.num_parameters, schedule.rows.size());
  for (const RowTraits& row : schedule.rows) {
    text += fmt::format(" {} {} {}", int{row.is_scalar}, int{row.is_parallel}, row.band);
  }
  text += fmt::format(" {}", schedule.statements.size());
  for (const IntMatrix& statement : schedule.statements) {
    for (const IntRow& row : statement) {
      text += fmt::format(" {}", row.size());
      for (const std::int64_t number : row) text += fmt::format(" {}", number);
    }
  }
  return text;
}

Schedule ScheduleIn(std::istream& text) {
  Schedule schedule;
  std::size_t rows = 0, statements = 0;
  text >> schedule.num_parameters >> rows;
  schedule.rows.resize(rows);
  for (RowTraits& row : schedule.rows) text >> row.is_scalar >> row.is_parallel >> row.band;
  text >> statements;
  schedule.statements.assign(statements, IntMatrix(rows));
  for (IntMatrix& statement : schedule.statements) {
    for (IntRow& row : statement) {
      std::size_t columns = 0;
      text >> columns;
      row.resize(columns);
      for (std::int64_t& number : row) text >> number;
    }
  }
  return schedule;
}

/// Seconds of the processor that this thread took; in a copy of a process, from its beginning on.
double SecondsOfThread() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace

IslApart ScheduleByIslApart(const Scop& scop, const std::vector<Dependence>& dependences,
                            const IslOptions& options, const IslPatience& patience) {
  // "seconds found", then the schedule or why there is none.
  const auto work = [&] {
    std::string answer;
    bool is_found = false;
    const double begin = SecondsOfThread();
    const IslScheduled found = ScheduleByIsl(scop, dependences, options, patience.operations);
    if (!found.schedule) {
      answer = "a statement of isl's schedule has no single date in whole numbers";
    } else {
      answer = WhyIllegal(scop, dependences, *found.schedule);
      is_found = answer.empty();
    }
    if (is_found) {
      LoopTreeOf(scop, *found.schedule);  // Who has the schedule asks for its loops.
      answer = TextOf(*found.schedule);
    }
    return fmt::format("{} {} {}", SecondsOfThread() - begin, int{is_found}, answer);
  };
  IslApart result;
  const ForkedResult forked = RunForked(work, patience.seconds, patience.stop);
  switch (forked.status) {
    case ForkedResult::Status::kDone:
      break;
    case ForkedResult::Status::kTimedOut:
      result.in_time = false;
      result.why = fmt::format("isl did not end within {:.3g} s", patience.seconds);
      return result;
    case ForkedResult::Status::kStopped:
      result.in_time = false;
      result.why = "isl did not end within what was left of the budget";
      return result;
    case ForkedResult::Status::kThrew:
      result.in_time = forked.text.find(kOutOfOperations) == std::string::npos;
      result.why = result.in_time
                       ? forked.text
                       : fmt::format("isl did not end within {} operations", patience.operations);
      return result;
    case ForkedResult::Status::kDied:
    case ForkedResult::Status::kNotStarted:
      result.why = "isl's process: " + forked.text;
      return result;
  }
  std::istringstream text(forked.text);
  bool is_found = false;
  text >> result.seconds >> is_found;
  if (is_found) {
    result.schedule = ScheduleIn(text);
  } else {
    text.get();  // The blank.
    std::getline(text, result.why, '\0');
  }
  return result;
}

}  // namespace exh::poly
