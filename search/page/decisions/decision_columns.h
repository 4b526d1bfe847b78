// SPDX-License-Identifier: MIT
//
// What each decision was in each evaluation, in columns: those of a whole log, and those of a log
// that grows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "search/log/log_reader.h"
#include "search/page/script_json.h"

namespace exh::search {

/// The value of a decision in all evaluations.
struct DecisionColumn {
  std::string characters;   ///< As the vectors have them.
  std::vector<int> values;  ///< Where some are above 63; empty otherwise. -1: it takes no part.

  bool IsSameEverywhere() const;
  /// About what it takes.
  std::size_t num_bytes() const { return characters.size() + 4 * values.size(); }
};

/// The members "decisions" and "decisionsLeftOut", in at most `most` bytes. A decision that was
/// taken in some evaluation, and that is not the same in all of them, is an object with its name,
/// its choice, its values (of a long one the ranges of its numbers) and a column: one character per
/// evaluation, as in `vector`, or where one of them does not do, a list of the indices of the
/// values, -1 for none. Those that were taken most often come first.
void WriteDecisions(const Log& log, std::size_t most, ScriptJson& json);

/// Columns of decisions that grow by an evaluation at a time, in bounded memory. All decisions have
/// one until they take too much. Then those that were taken least often go, and are counted.
///
/// A decision is *shown* from the time on when it was taken and is not the same everywhere. What is
/// shown is never taken back, so that a page that has some needs no more than what came since.
class GrowingDecisions {
 public:
  /// At most so many are shown, and all columns have about so many bytes.
  explicit GrowingDecisions(std::size_t most_shown = 200, std::size_t most_bytes = 48 << 20)
      : most_shown_(most_shown), most_bytes_(most_bytes) {}

  void Add(const EvalRecord& eval);
  /// Shows what is to be shown, most often taken first. `log` has the choices.
  void Show(const Log& log);

  std::size_t num_shown() const { return shown_.size(); }
  /// As WriteDecisions(), all that are shown.
  void Write(const Log& log, ScriptJson& json) const { WriteNew(log, 0, json); }
  /// The same, of those that are shown from the one with the index `first_shown` on; with the whole
  /// column of each.
  void WriteNew(const Log& log, std::size_t first_shown, ScriptJson& json) const;
  /// The member "pieces": the columns of the first `num_shown`, from evaluation `first` on.
  void WritePieces(std::size_t num_shown, std::size_t first, ScriptJson& json) const;

 private:
  enum class Place : std::uint8_t { kWaiting, kShown, kLeftOut };
  struct Growing {
    /// As long as it is the same everywhere, this is all that there is of it.
    char character = '.';
    int value = -1;
    bool differs = false;
    DecisionColumn column;
    std::size_t taken = 0;
    Place place = Place::kWaiting;
  };

  static void Append(Growing& growing, char character, int value, std::size_t count);
  /// Where the columns take too much, until they take half of that.
  void LeaveOut();

  std::size_t most_shown_, most_bytes_, count_ = 0;
  std::vector<Growing> all_;        ///< By decision.
  std::vector<std::size_t> shown_;  ///< Decisions in the order in which they were shown.
};

}  // namespace exh::search
