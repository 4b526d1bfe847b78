// SPDX-License-Identifier: MIT
//
// Results of other tuners as the log of a run, and a run as results.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

#include "search/exchange/results/tuning_results.h"
#include "search/log/log_reader.h"

namespace exh::search {

/// A space as files have it.
struct SpaceFile {
  std::string path;  ///< As messages call it.
  std::string text;
  /// Of `extern`s: what --size says, and the text of --data with its name; empty: none.
  std::map<std::string, std::int64_t, std::less<>> sizes = {};
  std::string data = {}, data_name = {};
};

struct RecordedRun {
  Log log;
  /// Results whose configuration the space does not allow, and the first of them.
  std::size_t num_outside = 0;
  std::string first_outside;
};

/// The run of a program of a user (own/own_subject.h) that nothing measures. Throws UsageError when
/// the space is none without C++, and when a configuration has other parameters than the space.
RecordedRun RunOfResults(const TuningResults& results, const SpaceFile& space);

/// Makes the folder of a run of it. Throws as RunFolder does.
void WriteRun(const Log& log, const std::string& folder);

/// All evaluations of a run, those of no use among them. Decisions have the names that the space of
/// an own program gives them (exh_names.h), and those of the log otherwise; objects stand behind
/// them, `start(cut)`.
TuningResults ResultsOfRun(const Log& log);

}  // namespace exh::search
