// SPDX-License-Identifier: MIT
//
// What crosses between the search and the process that runs a candidate: one line of JSON each
// way.
#pragma once

#include <optional>
#include <string>

#include "kernels/evaluation.h"

namespace exh::kernels::cpu {

struct RunRequest {
  std::string library;  ///< Shared object with exh_run.
  std::string problem;  ///< Problem file.
  int threads = 1;      ///< Host threads.
  double cap_ns = 0;    ///< Stop after the first batch if slower; 0: never.
  double batch_ms = 1;  ///< A batch lasts at least this long (10 for finals).
  int batches = 5;
  double timeout_s = 30;  ///< Of the whole process; the parent watches.
};

std::string ToJsonLine(const RunRequest& request);
std::optional<RunRequest> ParseRunRequest(const std::string& line, std::string& error);

/// compile_ms does not travel: the runner does not know it.
std::string ToJsonLine(const Measurement& measurement);
std::optional<Measurement> ParseMeasurement(const std::string& line);

}  // namespace exh::kernels::cpu
