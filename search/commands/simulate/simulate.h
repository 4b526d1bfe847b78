// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "search/commands/search_options.h"
#include "search/log/log_reader.h"
#include "search/simulate/simulation_report.h"
#include "search/simulate/whole/whole_simulation.h"

namespace exh::search {

/// `search --simulate RUN…`: compares policies on what runs recorded, or with `--whole` settings of
/// the proposer, and measures nothing. Returns the exit code. Throws UsageError.
int Simulate(const CLI::App& app, const SearchOptions& options);

/// The part with `--whole` (whole.cc).
int SimulateProposer(const CLI::App& app, const SearchOptions& options);

/// Files of other tuners, `--simulate FILE.json…`: each with a table of its own, and what random
/// search takes (hub.cc).
int SimulateHub(const CLI::App& app, const SearchOptions& options);

/// What both parts begin with.
struct SimulatedRuns {
  std::vector<Log> logs;
  std::unique_ptr<Subject> subject;
  SimulationSetup setup;     ///< But for the bound.
  bool is_complete = false;  ///< All of the space is recorded.
};

/// Reads the runs of `--simulate`, and makes their space again. Throws UsageError.
SimulatedRuns ReadSimulatedRuns(const SearchOptions& options);

/// The evaluations of `--budget evals=2000`, or as many as is usual. Throws UsageError.
std::uint64_t EvaluationsOf(const SearchOptions& options);

/// Calls `use` with the whole space of the runs, as the command line wants it searched. Throws
/// UsageError.
void ForWholeSpace(const CLI::App& app, const SearchOptions& options, SimulatedRuns& runs,
                   const std::function<void(const WholeSpace& space)>& use);

/// The order that the command line asks for, or that of the first run.
ChoiceOrder OrderOf(const CLI::App& app, const SearchOptions& options, const RunRecord& run,
                    const runtime::Instance& instance);

/// Throws UsageError when one of `meaningless` stands on the command line: with `mode`
/// ("--simulate") it means nothing; `takes` says what does.
void RefuseOptions(const CLI::App& app, std::span<const char* const> meaningless, const char* mode,
                   const char* takes);

}  // namespace exh::search
