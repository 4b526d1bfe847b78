// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

namespace exh::search {

struct InstallRequest {
  std::vector<std::string> runs;  ///< Folders, logs, or RUN@N for a record that is not the best.
  std::string out;                ///< The folder of the library.
  std::string name;               ///< What the kernel is called there; empty: as it is called.
  bool only_faster = false;       ///< What lost in the finals of its run stays out.
};

struct InstallResult {
  std::string said;         ///< What was done, in lines.
  bool has_library = true;  ///< The folder holds one; false: all was left out.
};

/// Writes a tuned library with the best of each run, or adds them to the one that is there. Others
/// that do the same meanwhile wait. Throws UsageError, or Error where something cannot be written;
/// then nothing has changed.
InstallResult Install(const InstallRequest& request);

}  // namespace exh::search
