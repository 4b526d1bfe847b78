// SPDX-License-Identifier: MIT
//
// What a person reads when a run is over.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "search/log/log_reader.h"

namespace exh::search {

/// "187x the speed of the naive loop nest (…)", one line per yardstick: SpeedText().
std::string ComparisonText(const std::vector<ReferenceRecord>& references);

/// Launches one by one, of `search replay --repeat`, in a line: "20 launches: 2 different results,
/// bit by bit; 12.1 us to 13.0 us, median 12.3 us".
std::string RepeatText(const ReferenceRecord& record);

/// Evaluations that failed in the same way.
struct Failure {
  kernels::Verdict verdict = kernels::Verdict::kStopped;
  std::string why;  ///< The first reason of the kind.
  std::uint64_t count = 0;
  std::uint64_t n = 0;  ///< The record of the first one.
  /// That is EvalRecord::known: another search has found it.
  bool is_known = false;
};

/// The first of them, which is the most frequent: "most often (12 of 15): crash: signal 11". Empty
/// when there is none.
std::string FailuresText(const std::vector<Failure>& failures);

/// Results that were wrong are a mistake of ours, or of a compiler: the first of each kind, with
/// the command that builds and checks it again. Empty when there is none. `replay`: what that
/// command begins with; `run`: as below.
std::string WrongText(const std::vector<Failure>& failures, const std::string& replay,
                      const std::string& run);

/// The commands that show, replay and emit a record: `program` is how this program was called.
std::string CommandsText(const std::string& program, const std::string& run, std::uint64_t n);

/// Loops as kernels::Outline() has them, without those of one iteration: what is in them stands in
/// their place.
std::string WithoutSingleLoops(const std::string& outline);

/// Every line of `text` moved two columns to the right.
std::string Indented(const std::string& text);

/// Where the time went, two lines: of who looked for candidates, and of who judged them. Empty
/// where a run does not say.
std::string ActivityText(const std::map<std::string, double, std::less<>>& seconds);

/// Labels and counts, most frequent first, as many as `most`.
std::string CountsText(const std::map<std::string, std::uint64_t, std::less<>>& counts,
                       std::size_t most);

}  // namespace exh::search
