// SPDX-License-Identifier: MIT
//
// The options of `search` itself, and those of them that a run that goes on has decided already.
#pragma once

#include <CLI/CLI.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "search/log/log_reader.h"
#include "search/run/stopper.h"
#include "search/subject/problem.h"
#include "search/subject/subject.h"
#include "search/tree/policy.h"

namespace exh::search {

/// What the lower bound does in a run.
enum class BoundUse {
  kNone,
  kCheck,  ///< Stands beside what was measured.
  kCut,    ///< Prunes the tree, guides its rollouts, proves.
};

struct SearchOptions {
  ProblemOptions problem;
  std::vector<std::string> budgets, stops;
  std::vector<std::string> policies;  ///< Of a search one at most.
  PolicyOptions policy_options;
  std::string epsilon = "1%", local = "85%";
  std::optional<int> screen;   ///< Nothing: 64, or 32 where compilers wait for measurements.
  std::string prior = "auto";  ///< "auto", "none" or a file.
  /// Winners of earlier searches near which islands begin: "auto", "none" or a folder of lists.
  std::string winners = "auto";
  std::string cache;  ///< Folder that searches share; empty or "none": none.
  std::string bound;  ///< What the lower bound is for; empty: the default of the policy.
  std::string order, out, emit, progress = "auto";
  std::string objective = "time";
  std::uint64_t seed = 1;
  std::optional<int> jobs;
  std::string l2 = "warm";
  std::string runs_under;
  std::string gpus;  ///< Of one run on several GPUs, as ParseGpus() takes it; empty: on one.
  std::vector<std::string> first;     ///< Lists of decisions that the run begins with.
  std::string resume;                 ///< Folder or log of the run that goes on; empty: a new one.
  std::vector<std::string> simulate;  ///< Runs on which policies are compared; empty: none.
  std::string
      resume_or_start;  ///< The same where there is one at that place; else it starts there.
  /// Of a program of a user, which `problem.space` names a space of.
  struct Own {
    std::string data, run, serve, build, filter;
    std::string cuda, entry, launch;  ///< A kernel of theirs, its name, how it is launched.
    double timeout_s = 60;
    bool trust_times = false;
  } own;
  std::string trace;                 ///< File for what this process does over time; empty: none.
  std::vector<std::string> workers;  ///< Commands of pilots; empty: this process measures.
  bool durable = false;              ///< Evaluations are on the disk when they are logged.
  int seeds = 8;                     ///< Of each policy or setting that is simulated.
  bool whole = false;                ///< The whole proposer is simulated.
  std::vector<std::string> vary;     ///< Constants of it, each with values: "walks=1,4".

  /// The name of the policy. Throws UsageError when there are several.
  std::string policy() const;
  /// Throws UsageError.
  BoundUse bound_use() const;
  /// Throws UsageError.
  bool cold() const;
  /// The folder of the winners that islands begin near; empty: none do. Throws UsageError.
  std::string winners_folder() const;
  /// The folder of --cache; empty: none. Throws UsageError when it cannot be made.
  std::string cache_folder() const;
  /// Throws UsageError.
  std::vector<std::string> under() const;
};

/// The words of --under, which blanks part. Throws UsageError when there is no such program.
std::vector<std::string> WordsOfUnder(const std::string& text);

/// --budget, --policy, --seed, --out and all else that says how a search goes, whatever is
/// searched.
void AddRunOptions(CLI::App& app, SearchOptions& options);

/// Mistakes in these options show before anything is built. Throws UsageError.
void CheckRunOptions(const SearchOptions& options);

/// `1%`: 0.01. `option` is what it belongs to. Throws UsageError.
double ParseShare(const std::string& option, const std::string& text);

/// The policy of a tree; null for none. Throws UsageError.
std::shared_ptr<const Policy> PolicyOf(const std::string& name, const PolicyOptions& options);

/// Budgets, the default one when there is none, and other ends. Throws UsageError.
void AddBudgets(const SearchOptions& options, const Clock& clock, AnyStopper& stopper);

/// Throws UsageError when the log at `path` cannot go on: it is damaged, or of another version.
void CheckResumable(const Log& log, const std::string& path);

/// Throws UsageError when an option that stands on the command line says something else than the
/// run that goes on, with both. `app` knows which ones stand there.
void RefuseContradictions(const CLI::App& app, const SearchOptions& options, const RunRecord& run,
                          const Subject& subject);

}  // namespace exh::search
