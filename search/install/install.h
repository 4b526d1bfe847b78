// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace exh::search {

struct InstallRequest {
  std::vector<std::string> runs;  ///< Folders, logs, or RUN@N for a record that is not the best.
  std::string out;                ///< The folder of the library.
  std::string name;               ///< What the kernel is called there; empty: as it is called.
};

/// Writes a tuned library with the best of each run, or adds them to the one that is there. Returns
/// what was done, in lines. Throws UsageError, or Error where something cannot be written; then
/// nothing has changed.
std::string Install(const InstallRequest& request);

}  // namespace exh::search
