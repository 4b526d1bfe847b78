// SPDX-License-Identifier: MIT
//
// A run from its folder to the commands that go on from it, whatever is searched: the log and its
// header, the search, the finals, and what a person reads.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/stop.h"
#include "base/trace/trace.h"
#include "search/commands/command.h"
#include "search/commands/search_options.h"
#include "search/learn/prior.h"
#include "search/log/event_log.h"
#include "search/log/log_reader.h"
#include "search/run/explorer_options.h"
#include "search/run/stopper.h"
#include "search/subject/subject.h"

namespace exh::search {

/// The time that a run may take, from the moment when this is made.
struct Budget {
  /// Throws UsageError for budgets that make no sense.
  Budget(const SearchOptions& options, const std::atomic<bool>& is_interrupted);
  /// Seconds that are left for yardsticks and finals: a part of the time, and not more than `most`.
  double Reserve(double most) const;

  const std::atomic<bool>& interrupted;
  Clock clock;
  double start;
  double total;  ///< Seconds; infinite when only evaluations count.
  AnyStopper stopper;
  StopToken stop;  ///< Ends what is in flight.
};

/// Says in the header how a run searches: policy, shares, seed, as the command line has them.
/// `is_ahead`: compilers run beside what is measured. Throws UsageError.
void SetHowSearched(const SearchOptions& options, bool is_ahead, RunRecord& run);

/// What the cost model of a run begins with, and how the header calls it.
struct BeginsWith {
  std::shared_ptr<const PriorOfSpace> prior;  ///< Null: nothing.
  std::string name;
};
/// As --prior asks for it. Only a search with a tree and a model has one. Throws UsageError.
BeginsWith PriorFor(const Subject& subject, const runtime::Instance& instance,
                    const SearchBound& bound, const RunRecord& header, const std::string& asked);

/// What a run with this header begins with: nothing without a tree, or where nothing but the tree
/// is to be searched.
std::vector<runtime::Candidate> FirstOf(const RunRecord& header, const Subject& subject,
                                        const runtime::Candidate& root, const ChoiceOrder& order);

/// How a run with this header explores. What depends on the machine is as it is usual.
ExplorerOptions ExplorerOptionsOf(const RunRecord& header, const Subject& subject,
                                  const SearchBound& bound,
                                  std::shared_ptr<const PriorOfSpace> prior,
                                  std::shared_ptr<const Policy> policy);

/// What `work` returns, which is a search from the building of its space on: with --trace, this is
/// what is traced. Throws what it throws; of what it gave up (Interrupted) because the time was
/// over, and not because of a signal, says so.
int WithinBudget(const SearchOptions& options, const std::function<int()>& work);

/// What --trace asks for, as long as it lives. The row of this thread is called `thread`.
TraceFile TraceOf(const SearchOptions& options, std::string_view thread);

/// A run that goes on: its log, open, and what stands in it.
struct EarlierRun {
  std::string path;  ///< Of the log.
  EventLog log;
  Log earlier;
};
/// That of `--resume`. From here on nobody else writes to its log. Throws UsageError and Error.
std::unique_ptr<EarlierRun> OpenEarlierRun(const SearchOptions& options);

/// Begins a run, and ends it. Returns the exit code. Throws UsageError and Error.
int BeginRun(const Subject& subject, const SearchOptions& options, const Invocation& invocation,
             Budget& budget);

/// Goes on with the run of `--resume`, whatever it searched. `app` has the options that were given:
/// what contradicts the run is refused. Returns the exit code. Throws UsageError and Error.
int ResumeAnyRun(const CLI::App& app, const SearchOptions& options, const Invocation& invocation);

/// Goes on with a run of the same subject: `log` is open, and `earlier` is what stands in it. Of
/// the options, what the run has decided is not looked at. Returns the exit code. Throws UsageError
/// and Error, also when the space is another one.
int ResumeRun(const Subject& subject, const SearchOptions& options, const Invocation& invocation,
              Budget& budget, EventLog& log, const Log& earlier);

}  // namespace exh::search
