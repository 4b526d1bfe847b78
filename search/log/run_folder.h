// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

namespace exh::search {

/// UTC now: "2026-01-31T12:00:00Z".
std::string TimeStamp();

/// Creates the folder of a run: `wanted`, or `runs/<kernel>-<time>` when that is empty. Throws
/// Error when it cannot, and UsageError when the folder already holds a run, or anything else.
std::string MakeRunFolder(const std::string& wanted, const std::string& kernel);

/// Throws Error ("cannot make folder '…': Permission denied").
void MakeFolder(const std::string& path);

/// Writes a file that is there whole or not at all (base/system/whole_file.h). Throws Error.
void WriteFile(const std::string& path, std::string_view text);

}  // namespace exh::search
