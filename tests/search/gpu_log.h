// SPDX-License-Identifier: MIT
//
// Logs of runs on a GPU, without one: a random implementation, and times that nothing was measured
// for.
#pragma once

#include <string>
#include <vector>

#include "kernels/task.h"
#include "search/log/log_records.h"
#include "search/subject/problem.h"

namespace exh::search {

struct GpuRun {
  std::string kernel, size;
  std::vector<std::string> wanted;    ///< Each of these is in the source …
  std::vector<std::string> unwanted;  ///< … and none of these.
  std::string space = "default";      ///< "paper" is built in a third of the time.
  std::string device = "h200";
  double cublas_ns = 50000;  ///< What the log says of it; the winner takes 40000.
};

/// What the log says of the winner, record 2, and of the yardsticks.
struct GpuLog {
  RunRecord run;
  kernels::Source source;  ///< Of record 2.
  Path path;
};

/// Writes `folder`/log.jsonl: record 1 was wrong, record 2 is the best and was measured in turn
/// with the yardsticks, record 3 was correct and not among the finalists, record 4 was.
GpuLog WriteGpuLog(const GpuRun& wish, const std::string& folder);

}  // namespace exh::search
