// SPDX-License-Identifier: MIT
//
// Brute-forced spaces as the field collects them: a file with the result of each configuration (T4,
// or a cache of Kernel Tuner), and its space beside it.
#pragma once

#include <string>

#include "search/exchange/results/recorded_run.h"

namespace exh::search {

/// The space in a file: a `.exh`, or a tuning problem (T1, `.json`), which becomes one. Throws
/// UsageError. `data`: the path of what it asks for, or empty.
SpaceFile ReadSpaceFile(const std::string& path,
                        const std::map<std::string, std::int64_t, std::less<>>& sizes = {},
                        const std::string& data = "");

/// The results at `path` as a run. `space`: its file, with sizes and data; no path: the `.exh` of
/// the same name beside it, or the parameters of the file itself, where it lists them and has a
/// result for all of their combinations. Throws UsageError.
RecordedRun ReadHubFile(const std::string& path, const SpaceFile& space);

}  // namespace exh::search
