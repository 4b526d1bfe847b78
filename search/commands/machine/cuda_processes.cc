// SPDX-License-Identifier: MIT
#include "kernels/cuda/candidate_process.h"
#include "kernels/cuda/compile_process.h"
#include "search/commands/command.h"
#include "search/measure/cuda_evaluator.h"

namespace exh::search {
namespace {

void AddHidden(CLI::App& app, Invocation& invocation, const char* name, const char* what,
               int (*main)()) {
  CLI::App* const command = app.add_subcommand(name, what);
  command->group("");  // Not for people: left out of the help.
  command->callback([&invocation, main] { invocation.run = main; });
}

}  // namespace

void AddCudaProcessCommands(CLI::App& app, Invocation& invocation) {
  AddHidden(app, invocation, kCompileCuda, "compiles kernels: requests on stdin",
            kernels::cuda::CompileProcessMain);
  AddHidden(app, invocation, kRunCuda, "runs kernels on a GPU: requests on stdin",
            kernels::cuda::CandidateProcessMain);
}

}  // namespace exh::search
