// SPDX-License-Identifier: MIT
//
// The parts of the program `search`: all of them.
#include "search/commands/own.h"
#include "search/commands/parts/parts.h"
#include "search/commands/simulate/simulate.h"
#include "search/commands/space/list_spaces.h"

namespace exh::search {
namespace {

void AddCommands(CLI::App& app, Invocation& invocation) {
  AddReplayRunCommand(app, invocation);
  AddDeadEndsCommand(app, invocation);
  AddOrderCommand(app, invocation);
  AddSizeCommand(app, invocation);
  AddSolveCommand(app, invocation);
  AddFunctionalCommand(app, invocation);
  AddStatsCommand(app, invocation);
  AddLearnCommand(app, invocation);
  AddExportCommand(app, invocation);
  AddImportCommand(app, invocation);
  AddReportCommand(app, invocation);
  AddViewCommand(app, invocation);
  AddWhyCommand(app, invocation);
  AddTuneCommand(app, invocation);
  AddInstallKernelCommand(app, invocation);
  AddFusedCommand(app, invocation);
  AddCharacterizeCommand(app, invocation);
  AddDoctorCommand(app, invocation);
}

}  // namespace

const Parts& WholeParts() {
  static constexpr Parts parts = {.add = AddCommands,
                                  .simulate = Simulate,
                                  .own = SearchOwn,
                                  .own_space = SpaceOfOwn,
                                  .list_spaces = ListSpaces};
  return parts;
}

}  // namespace exh::search
