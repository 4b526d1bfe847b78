// SPDX-License-Identifier: MIT
#include "search/commands/command.h"

namespace exh::search {

void AddDeviceOptions(CLI::App& app, ProblemOptions& options) {
  app.add_option("--device", options.device, "device to search for (default cpu)");
  app.add_option("--threads", options.threads, "host threads that share the blocks");
  app.add_option("--max-threads", options.max_threads, "THREAD iterations per block");
  app.add_option("--set", options.limits, "limit=value: another limit of the device")
      ->allow_extra_args(false);
}

void AddProblemOptions(CLI::App& app, ProblemOptions& options) {
  app.add_option("--kernel", options.kernel, "kernel to search (see `search list`)");
  app.add_option("--size", options.size, "sizes of the kernel: m=512,n=512,k=512");
  app.add_option("--space", options.space,
                 "default: every decision of the space; paper: none beyond those of the paper");
  AddDeviceOptions(app, options);
}

}  // namespace exh::search
