// SPDX-License-Identifier: MIT
//
// `search worker`: measures for a search on this machine or another one.
#include <memory>

#include "base/error.h"
#include "search/commands/command.h"
#include "search/fleet/pilot_process.h"

namespace exh::search {

void AddWorkerCommand(CLI::App& app, Invocation& invocation) {
  CLI::App* const command = app.add_subcommand(
      "worker", "measures for a search that started it with --worker, until that ends");
  const auto options = std::make_shared<PilotProcessOptions>();
  command->add_option("--gpu", options->gpu, "which GPU, for devices that are one (default 0)");
  command->add_option("--jobs", options->jobs, "compilers at once (default: cores)");
  command->add_option(
      "--cache", options->cache,
      "folder for what was compiled for GPUs, which workers may share (default: the "
      "user's)");
  command->add_option("--silence", options->silence_s,
                      "seconds without a sign of the search after which it ends (default 60)");
  command->callback([&invocation, options] {
    invocation.run = [options] {
      if (!(options->silence_s > 0)) {
        throw UsageError(
            "--silence: seconds, more than 0; a search says every 10 that it is alive");
      }
      if (options->jobs != 0) CheckJobs(options->jobs);
      return PilotMain(*options);
    };
  });
}

}  // namespace exh::search
