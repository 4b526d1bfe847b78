// SPDX-License-Identifier: MIT
//
// Brute-forced spaces as the field collects them: a file with the result of each configuration (T4,
// or a cache of Kernel Tuner), and its space beside it.
#pragma once

#include <string>

#include "search/exchange/results/recorded_run.h"

namespace exh::search {

/// The space in a file: a `.exh`, or a tuning problem (T1, `.json`), which becomes one. Throws
/// UsageError.
SpaceFile ReadSpaceFile(const std::string& path);

/// The results at `path` as a run. `space`: its file; empty: the `.exh` of the same name beside it,
/// or the parameters of the file itself, where it lists them and has a result for all of their
/// combinations. Throws UsageError.
RecordedRun ReadHubFile(const std::string& path, const std::string& space);

}  // namespace exh::search
