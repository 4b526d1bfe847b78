// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "search/report/logged_program.h"

namespace exh::search {

/// A logged implementation as a file to take home. `format`: "cu" of a GPU's run, "cc" of a
/// processor's, or "header", the header of either for C and C++. Programs say where they come from:
/// the time that was measured, what it was compared with, and every decision that was taken.
/// Throws UsageError when the run has no such format.
std::string ExportProgram(const LoggedProgram& program, const std::string& format);

/// The same of the best of a run, or of a record (ReadProgram()).
std::string ExportProgram(const std::string& run, std::optional<std::uint64_t> record,
                          const std::string& format);

}  // namespace exh::search
