// SPDX-License-Identifier: MIT
//
// The search of one shape: a child process, `search --kernel … --out fleet/NAME`, or `search
// --resume fleet/NAME` where it was interrupted. Whatever becomes of the child is a value.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/stop.h"
#include "base/system/process.h"
#include "search/tune/fleet_folder.h"

namespace exh::search {

struct ShapeJob {
  const TuneShape& shape;
  std::optional<int> gpu;          ///< Nothing: the usual one, or a processor.
  std::vector<std::string> first;  ///< Lists of decisions to begin with.
  std::string prior = {};          ///< The file of one of a search that begins; empty: the usual.
};

/// How a child ended.
struct ShapeEnd {
  enum class Kind : std::uint8_t {
    kDone,
    kFailed,   ///< `why` says of what.
    kKilled,   ///< `why` says by which signal; somebody sent it, and the shape can go on.
    kStopped,  ///< Nobody waits for it any more.
  };
  Kind kind = Kind::kFailed;
  std::string why;
  /// Does the log know of more evaluations than before?
  bool has_news = false;
};

/// What all children have in common.
struct ShapeRunner {
  const FleetFolder& folder;
  const FleetOptions& options;
  /// The program, and what it is called with before all else: plugins.
  std::vector<std::string> program;
  const StopToken* stop = nullptr;
  /// Compilers of a child, where the options do not say how many; 0: one for each core.
  int jobs = 0;

  /// Runs a shape to its end. What the child prints goes to FleetFolder::OutputOf(). Safe to call
  /// from many threads, for different shapes.
  ShapeEnd Run(const ShapeJob& job) const;
};

/// In a line, why a process came to no good end.
std::string WhyFailed(const ProcessResult& result);

/// Does a command line (FleetOptions::words) have this option?
bool HasOption(const std::vector<std::string>& words, std::string_view option);

/// Seconds that a search with these budgets takes at most; infinity: evaluations are counted.
/// Throws UsageError for a budget that is none.
double SecondsOf(const std::vector<std::string>& budgets);

}  // namespace exh::search
