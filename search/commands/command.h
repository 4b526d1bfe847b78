// SPDX-License-Identifier: MIT
//
// Sub-commands of the program `search`: one file each. Add…Command() declares the options and sets
// what is to be run when the command line asks for it.
#pragma once

#include <CLI/CLI.hpp>

#include <functional>
#include <string>
#include <vector>

#include "search/subject/problem.h"

namespace exh::search {

/// How the program was called, and what it is to do.
struct Invocation {
  std::vector<std::string> argv;
  /// As the program was called, with its plugins: "./exh search --plugin build/dot.so".
  std::string program;
  std::vector<std::string> plugins;  ///< Files of --plugin, in their order.
  std::function<int()> run;          ///< Returns the exit code.
};

/// `search --kernel …` itself: options of the program, not of a sub-command.
void AddSearchCommand(CLI::App& app, Invocation& invocation);
void AddListCommand(CLI::App& app, Invocation& invocation);
void AddFormatCommand(CLI::App& app, Invocation& invocation);
void AddLogCommand(CLI::App& app, Invocation& invocation);
void AddReplayCommand(CLI::App& app, Invocation& invocation);
void AddReplayRunCommand(CLI::App& app, Invocation& invocation);
void AddEmitCommand(CLI::App& app, Invocation& invocation);
void AddDeadEndsCommand(CLI::App& app, Invocation& invocation);
void AddOrderCommand(CLI::App& app, Invocation& invocation);
void AddDevicesCommand(CLI::App& app, Invocation& invocation);
void AddCharacterizeCommand(CLI::App& app, Invocation& invocation);
void AddDoctorCommand(CLI::App& app, Invocation& invocation);
void AddSizeCommand(CLI::App& app, Invocation& invocation);
void AddSolveCommand(CLI::App& app, Invocation& invocation);
void AddFunctionalCommand(CLI::App& app, Invocation& invocation);
void AddStatsCommand(CLI::App& app, Invocation& invocation);
void AddLearnCommand(CLI::App& app, Invocation& invocation);
void AddExportCommand(CLI::App& app, Invocation& invocation);
void AddImportCommand(CLI::App& app, Invocation& invocation);
void AddReportCommand(CLI::App& app, Invocation& invocation);
void AddViewCommand(CLI::App& app, Invocation& invocation);
void AddFusedCommand(CLI::App& app, Invocation& invocation);
void AddTuneCommand(CLI::App& app, Invocation& invocation);
void AddInstallKernelCommand(CLI::App& app, Invocation& invocation);
void AddExplainCommand(CLI::App& app, Invocation& invocation);
void AddBoundCommand(CLI::App& app, Invocation& invocation);
void AddWhyCommand(CLI::App& app, Invocation& invocation);
void AddWorkerCommand(CLI::App& app, Invocation& invocation);
void AddDeviceProcessCommands(CLI::App& app, Invocation& invocation);
void AddAskPluginCommand(CLI::App& app, Invocation& invocation);

/// From now on every option of the program and its sub-commands that takes a number refuses what is
/// none with a UsageError that says what would be one.
void CheckNumbers(CLI::App& app);

/// Throws UsageError when so many compilers or threads make no sense.
void CheckJobs(int jobs);

/// Is this the folder or the log of a run, and not a list of decisions?
bool IsRun(const std::string& source);

/// --kernel, --compute, --type, --size, --device, --gpu, --threads, --max-threads, --deterministic,
/// --set.
void AddProblemOptions(CLI::App& app, ProblemOptions& options);

/// --type, of --compute and of kernels with such an option.
void AddTypeOption(CLI::App& app, ProblemOptions& options);

/// What --memory is for where references are computed whole.
inline constexpr const char* kForReferences = "for the reference, and to build the space";

/// --memory, in words `what` it is for: "to build the space".
void AddMemoryOption(CLI::App& app, std::string& memory, const std::string& what);

/// --device and the options that change its limits.
void AddDeviceOptions(CLI::App& app, ProblemOptions& options);

}  // namespace exh::search
