// SPDX-License-Identifier: MIT
//
// The evaluations of a log in columns: one list per field, each as long as there are evaluations. A
// field that is the same nothing everywhere is left out. Evaluations are added one after the other,
// as a log has them, and what came since a place can be written by itself:
//
//   records   {n 1, ns 90} {n 2, ns 80}  |  {n 3, ns 70}
//   Write      "n": [1, 2, 3], "ns": [90, 80, 70]
//   WriteFrom(2)                            "n": [3], "ns": [70]
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <string>
#include <unordered_set>
#include <vector>

#include "search/log/log_reader.h"
#include "search/page/script_json.h"

namespace exh::search {

/// How much the columns may take, in bytes. What does not fit is left out, and the page says so.
struct ColumnLimits {
  std::size_t reasons = 1'500'000;
  std::size_t reason = 2000;     ///< One of them.
  std::size_t all = 11'000'000;  ///< Decisions have what the rest leaves of it.
  std::size_t tree_nodes = 40'000;
};

/// Different texts, each once, as far as there is place for them.
class TextDictionary {
 public:
  explicit TextDictionary(std::size_t most_bytes) : most_bytes_(most_bytes) {}

  /// Its index; -2 when there is no place for it.
  int Add(const std::string& text);
  const std::vector<std::string>& texts() const { return texts_; }
  std::size_t num_left_out() const { return left_out_.size(); }

 private:
  std::size_t most_bytes_, bytes_ = 0;
  std::map<std::string, int> index_;
  std::vector<std::string> texts_;
  std::unordered_set<std::size_t> left_out_;  ///< Their hashes.
};

class EvalColumns {
 public:
  explicit EvalColumns(const ColumnLimits& limits = {});
  /// All of a log.
  EvalColumns(const Log& log, const ColumnLimits& limits);

  void Add(const EvalRecord& eval);
  std::size_t count() const { return verdict_.size(); }
  std::size_t num_reasons() const { return reasons_.texts().size(); }

  /// The members "count", "evals" (columns by name), "verdicts", "reasons" and "reasonsLeftOut".
  /// "verdict" and "reason" are indices; the reason is -1 where there is none, and -2 where it was
  /// left out. Times are nanoseconds, "dt" seconds.
  void Write(ScriptJson& json) const { WriteFrom(0, 0, json); }
  /// The same, with columns of the evaluations from the one with the index `first` on, and reasons
  /// from `first_reason` on. "count" and "verdicts" are of all.
  void WriteFrom(std::size_t first, std::size_t first_reason, ScriptJson& json) const;

 private:
  static constexpr std::size_t kNumbers = 15;

  ColumnLimits limits_;
  std::array<std::vector<double>, kNumbers>
      numbers_;  ///< In the order of the fields in the source.
  std::vector<int> verdict_, reason_;
  TextDictionary verdicts_, reasons_;
};

}  // namespace exh::search
