// SPDX-License-Identifier: MIT
//
// How far a shape is. Its log says it: a shape is done when that has an `end`, with a best. The
// journals add what a log cannot know: which shapes a process that still lives has begun, and why
// one ended without an `end`.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "search/log/log_reader.h"
#include "search/log/times/best_time.h"
#include "search/tune/fleet_folder.h"
#include "search/tune/line_file.h"

namespace exh::search {

enum class ShapePhase : std::uint8_t { kWaiting, kRunning, kDone, kFailed };

/// "waiting".
const char* PhaseName(ShapePhase phase);

/// Something that was measured in turn with the best of a shape: a library, or the naive kernel.
struct ShapeYardstick {
  std::string name;
  TimeInterval time;
};

struct ShapeState {
  ShapePhase phase = ShapePhase::kWaiting;
  std::string why;                ///< Of a failed one.
  std::string note;               ///< What else a person should know: "interrupted after 31 s".
  double seconds = 0;             ///< That its search took until now.
  std::uint64_t evaluations = 0;  ///< That it made until now.
  TimeInterval best;              ///< Its `ns` is 0: nothing correct was found yet.
  double bound_ns = 0;            ///< Nothing is faster; 0: that is not known (yet).
  /// What the model says that the best itself cannot be faster than; 0: it says nothing.
  double best_bound_ns = 0;
  double flops = 0;
  std::string type;     ///< As --type, where the log says it.
  std::string machine;  ///< What times are comparable on (winner_board.h, DeviceKey()).
  std::string program;  ///< That began it: "search 0.1.0".
  std::vector<ShapeYardstick> yardsticks;  ///< Those that were correct, the fastest first.

  /// The share of the best's time that is not proven to be needed; negative: not known.
  double gap() const { return best.ns > 0 && bound_ns > 0 ? 1 - bound_ns / best.ns : -1; }
};

/// What the journals of a fleet say last of each shape.
class Journals {
 public:
  explicit Journals(const FleetFolder& folder);

  bool IsRunning(const std::string& shape) const;
  /// Why it failed; nothing: it did not, as far as they know.
  std::optional<std::string> Failure(const std::string& shape) const;

 private:
  struct Said {
    std::string what, why, at;
    bool is_alive = false;  ///< Who wrote it still runs.
  };
  std::map<std::string, Said> said_;
};

/// A line of a journal: of a shape it "begins", "ends", "fails" or "stops"; without a shape a
/// process "starts" to write it.
nlohmann::ordered_json JournalLine(const std::string& shape, const std::string& what,
                                   const std::string& why);

/// What the log of a shape says at its ends (search/log/ends), if it has begun; nothing: it has no
/// whole first line.
std::optional<Log> LogIfBegun(const FleetFolder& folder, const TuneShape& shape);

/// Whether its search has come to an end by itself, and has a best.
bool IsDone(const Log& log);

ShapeState StateOf(const FleetFolder& folder, const TuneShape& shape, const Journals& journals);

}  // namespace exh::search
