// SPDX-License-Identifier: MIT
//
// What tuning a program came to, as the field exchanges it: T4, which has a list `results`, and the
// cache file of Kernel Tuner, which has an object `cache`. Times there are milliseconds unless the
// file says something else; here all are nanoseconds.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/evaluation.h"
#include "search/exchange/tuning_problem.h"
#include "search/log/log_json.h"

namespace exh::search {

struct TuningResult {
  std::optional<std::int64_t> micros;  ///< When, since 1970.
  Json configuration = Json::object();
  kernels::Verdict verdict = kernels::Verdict::kCorrect;
  std::string why;
  double compile_ms = 0, check_ms = 0;
  double search_ms = 0;  ///< Of the tuner itself.
  std::vector<double> runtimes_ns;
  double ns = 0;  ///< What it is compared by; 0: nothing was timed.
};

struct TuningResults {
  std::string device;
  std::optional<std::int64_t> started;  ///< Microseconds since 1970.
  std::vector<TuningResult> results;
  /// The parameters and their values, where the file lists them (Kernel Tuner); no restrictions.
  std::optional<TuningProblem> space;
};

/// A file of either kind. Throws UsageError with what is wrong and where: "result 17 has no
/// 'configuration'".
TuningResults ParseTuningResults(std::string_view json);

/// As T4, version 1.0.0. Read again it is the same.
std::string TuningResultsJson(const TuningResults& results);

/// The word of T4 for a verdict: `correct`, `compile`, `runtime`, `timeout` or `correctness`.
std::string_view InvalidityOf(kernels::Verdict verdict);

}  // namespace exh::search
