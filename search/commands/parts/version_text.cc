// SPDX-License-Identifier: MIT
#include "search/commands/parts/version_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

#include "base/version/compiled_by.h"
#include "base/version/version.h"
#include "kernels/build_stamp.h"
#include "kernels/devices/backend.h"
#include "kernels/plugin.h"
#include "search/install/tuned_library.h"
#include "search/install/wisdom.h"
#include "search/learn/prior.h"
#include "search/log/log_records.h"
#include "search/tune/fleet_folder.h"

namespace exh::search {

std::string ToolName() {
  return fmt::format("search {}", Version());
}

std::string VersionText() {
  std::vector<std::string_view> devices;
  for (const kernels::Backend* backend : kernels::AllBackends()) {
    devices.push_back(backend->language());
  }
  return fmt::format(
      "{}\n"
      "commit      {}\n"
      "devices     {}\n"
      "compiled by {}\n"
      "formats     log {}, fleet {}, prior {}, wisdom {}, tuned.h {}\n"
      "plugins     {}, stamp {}",
      ToolName(), Commit(), fmt::join(devices, ", "), kCompiledBy, RunRecord().version,
      kFleetFormat, Prior::kVersion, kWisdomVersion, kTunedInterface, kernels::kPluginSymbol,
      kernels::BuildStamp());
}

}  // namespace exh::search
