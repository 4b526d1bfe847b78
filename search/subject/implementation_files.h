// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "runtime/candidate.h"
#include "search/log/log_records.h"
#include "search/subject/subject.h"

namespace exh::search {

/// Writes what an implementation is into a folder, which is made: its source as `<name>.cc` (or
/// what the device's sources end with), all its decisions as `<name>.decisions.txt`, and those that
/// were taken as `<name>.replay`, for `search replay`, under `comment`. Throws Error.
void WriteImplementation(const std::string& folder, const std::string& name, const Subject& subject,
                         const RunRecord& run, const runtime::Candidate& implementation,
                         const Path& path, const std::string& source, const std::string& comment);

}  // namespace exh::search
