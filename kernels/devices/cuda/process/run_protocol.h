// SPDX-License-Identifier: MIT
//
// What crosses between the search and the process that runs candidates on a GPU: one line of JSON
// each way, many times.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "kernels/evaluation.h"
#include "kernels/launch.h"

namespace exh::kernels::cuda {

/// Which of the problems is which (kCheckedProblems). On the first a candidate is timed; on the
/// others it is checked.
enum ProblemNumber : std::size_t { kTimed, kWholeNumbers, kOtherSeed, kSpecialValues };

/// The first line: what every candidate of a run needs.
struct RunSetup {
  std::vector<std::string> drivers;  ///< Names of the driver's library, to be tried in turn.
  /// Problem files, by ProblemNumber: as many as there are.
  std::vector<std::string> problems;
  std::string programs;  ///< Cubin of the device programs.
  int ordinal = 0;       ///< Which GPU.
  bool cold = false;     ///< Rotate buffers, so that L2 holds none of the inputs.
};

/// The answer to it.
struct RunReady {
  std::string why;  ///< Empty: ready.
  std::string gpu;  ///< Its name.
  std::string driver;
};

/// One candidate.
struct RunRequest {
  std::string cubin;  ///< Path.
  Launch launch;
  double cap_ns = 5e6;        ///< Above it: slow, and not timed any further.
  double patience_ns = 50e6;  ///< A launch that lasts longer than cap and patience is given up.
  double stop_ns = 0;         ///< A first batch slower than this is the last one; 0: never.
  /// A program whose blocks are alike is launched in part first. It is slow, and not launched
  /// whole, when all of it takes longer than this by the time of that part; 0: always whole.
  double worth_ns = 0;
  double batch_ns = 200e3;  ///< A batch lasts at least this long.
  int batches = 5;
  /// Instead of all that follows the first check: so many launches one by one, each into poisoned
  /// outputs, checked and timed by itself.
  int launches = 0;
  bool full = false;                 ///< Checked on every problem, and over many launches.
  double audit_ns = 0;               ///< What 128 of these launches may last, if that is long.
  std::optional<VendorCall> vendor;  ///< Instead of a cubin.
  bool vendor_lt = false;            ///< Through cublasLt.
  /// The kernel gives up after `give_up_ns`: it is launched once, and is correct when it ended
  /// before, whatever it computed.
  double give_up_ns = 0;
  bool rates = false;  ///< Instead of all: the rates of the device.
  /// Instead of all: what is asked from here on is asked of these files (RunSetup::problems).
  std::vector<std::string> problems = {};
};

struct RunAnswer {
  Measurement measurement;
  MeasuredRates rates;
  bool ends = false;  ///< The process ends after this answer: it is of no use any more.
};

std::string ToJsonLine(const RunSetup& setup);
std::string ToJsonLine(const RunReady& ready);
std::string ToJsonLine(const RunRequest& request);
std::string ToJsonLine(const RunAnswer& answer);
std::optional<RunSetup> ParseRunSetup(const std::string& line);
std::optional<RunReady> ParseRunReady(const std::string& line);
std::optional<RunRequest> ParseRunRequest(const std::string& line);
std::optional<RunAnswer> ParseRunAnswer(const std::string& line);

}  // namespace exh::kernels::cuda
