// SPDX-License-Identifier: MIT
#include "kernels/cpu/runner.h"
#include "search/commands/command.h"
#include "search/measure/cpu_evaluator.h"

namespace exh::search {

void AddRunCandidateCommand(CLI::App& app, Invocation& invocation) {
  CLI::App* const command =
      app.add_subcommand(kRunCandidate, "runs one candidate: request on stdin, answer on stdout");
  command->group("");  // Not for people: left out of the help.
  command->callback([&invocation] { invocation.run = kernels::cpu::RunnerMain; });
}

}  // namespace exh::search
