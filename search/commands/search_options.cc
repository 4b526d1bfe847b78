// SPDX-License-Identifier: MIT
#include "search/commands/search_options.h"
#include "kernels/devices/backend.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <functional>
#include <sstream>

#include "base/error.h"
#include "base/numbers.h"
#include "base/spelling.h"
#include "base/system/process.h"
#include "search/commands/command.h"
#include "search/descend/choice_order.h"
#include "search/kernel/kernel_subject.h"
#include "search/own/own_text.h"
#include "search/report/progress.h"
#include "search/run/objective.h"
#include "search/subject/decision_file.h"
#include "search/subject/winners/logged_winners.h"

namespace exh::search {
namespace {

constexpr const char* kDefaultBudget = "60s";

/// What an option says and what the run has, when they differ.
struct Difference {
  std::string option, has;
};

[[noreturn]] void Refuse(const Difference& difference) {
  throw UsageError(
      fmt::format("{} contradicts the run, which has {}: leave it out, or search anew "
                  "without --resume",
                  difference.option, difference.has));
}

/// The sizes that the command line names must be those of the run.
void CheckSizes(const SearchOptions& options, const Problem& problem) {
  // What --type says is that of statements, or stands among the sizes.
  const kernels::Parameters wanted = ParseSizes(*problem.kernel, options.problem);
  const auto text = [&](const std::string& name, const kernels::Parameters& sizes) {
    return SizesText(*problem.kernel, {{name, sizes.at(name)}});
  };
  const auto check = [&](const std::string& name, const std::string& option) {
    if (wanted.at(name) != problem.sizes.at(name)) Refuse({option, text(name, problem.sizes)});
  };
  for (const auto& [name, value] : ParseAssignments(options.problem.size, "--size")) {
    check(name, fmt::format("--size {}={}", name, value));
  }
  const bool is_option = options.problem.compute.empty() && !options.problem.type.empty();
  if (is_option) check(kTypeOption, "--type " + options.problem.type);
}

/// The limits of the device that the command line names must be those of the run.
void CheckLimits(const SearchOptions& options, const RunRecord& run) {
  ProblemOptions device = options.problem;
  const bool says_any = device.threads || device.max_threads || device.deterministic;
  if (!says_any && device.limits.empty()) return;  // The device need not be one of this program.
  device.device = run.device;
  const auto wanted = DeviceLimits(FindDevice(device));
  const auto check = [&](const std::string& limit, const std::string& option) {
    const auto now = wanted.find(limit);
    const auto then = run.limits.find(limit);
    if (now == wanted.end() || then == run.limits.end() || now->second == then->second) return;
    Refuse({option, fmt::format("{}={}", limit, then->second)});
  };
  if (device.threads) check("threads", fmt::format("--threads {}", *device.threads));
  if (device.max_threads)
    check("max_threads", fmt::format("--max-threads {}", *device.max_threads));
  if (device.deterministic && !run.limits.contains("deterministic")) {
    Refuse({"--deterministic", "deterministic=false"});
  }
  for (const std::string& limit : device.limits) {
    check(limit.substr(0, limit.find('=')), "--set " + limit);
  }
}

}  // namespace

std::string SearchOptions::policy() const {
  if (policies.size() > 1) {
    throw UsageError("a search has one --policy; to compare several on a recorded run: --simulate");
  }
  return policies.empty() ? "tag" : policies.front();
}

BoundUse SearchOptions::bound_use() const {
  const bool has_tree = policy() != "random";
  if (bound.empty()) return has_tree ? BoundUse::kCut : BoundUse::kNone;
  if (bound == "none") return BoundUse::kNone;
  if (bound == "check") return BoundUse::kCheck;
  if (bound != "cut") {
    throw UsageError(UnknownName("use of the bound", bound, {"cut", "check", "none"}));
  }
  if (!has_tree) {
    throw UsageError(
        "--bound cut: --policy random has no tree to cut; --bound check writes the bound of each "
        "implementation beside its time");
  }
  return BoundUse::kCut;
}

bool SearchOptions::cold() const {
  if (l2 != "warm" && l2 != "cold")
    throw UsageError(UnknownName("state of L2", l2, {"warm", "cold"}));
  return l2 == "cold";
}

std::string SearchOptions::winners_folder() const {
  // What begins knowing nothing begins with nothing of others, either.
  const bool is_auto = winners == "auto";
  const bool is_off = winners == "none" || (is_auto && prior == "none");
  if (is_off || policy() == "random" || screen == 1 || ParseShare("--local", local) <= 0) return "";
  if (!is_auto) return winners;
  std::error_code unknown;
  const std::string shipped = ShippedWinners();
  return std::filesystem::is_directory(shipped, unknown) ? shipped : "";
}

std::string SearchOptions::cache_folder() const {
  if (cache.empty() || cache == "none") return "";
  std::error_code error;
  std::filesystem::create_directories(cache, error);
  if (error || !std::filesystem::is_directory(cache, error)) {
    throw UsageError(fmt::format("--cache {}: it is no folder, and none can be made there{}", cache,
                                 error ? ": " + error.message() : ""));
  }
  return cache;
}

std::vector<std::string> WordsOfUnder(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  if (!words.empty() && FindProgram(words.front()).empty()) {
    throw UsageError(fmt::format("--under: '{}' was not found on PATH", words.front()));
  }
  return words;
}

std::vector<std::string> SearchOptions::under() const {
  return WordsOfUnder(runs_under);
}

double ParseShare(const std::string& option, const std::string& text) {
  const auto percent =
      text.ends_with('%') ? ParseReal(text.substr(0, text.size() - 1)) : std::nullopt;
  if (!percent || *percent < 0 || *percent >= 100) {
    throw UsageError(fmt::format("bad {} '{}'; legal: 0% or more, below 100%", option, text));
  }
  return *percent / 100;
}

void AddRunOptions(CLI::App& app, SearchOptions& options) {
  app.add_option("--budget", options.budgets,
                 "60s, 5m, 2h, evals=500; the first of several to be used up ends the run; with "
                 "--resume time counts from now, evals from the start of the run")
      ->allow_extra_args(false);
  app.add_option(
         "--stop", options.stops,
         "gap=10% (best to bound), stale=3000 (evaluations without a new best), bound=12us; "
         "besides the budget")
      ->allow_extra_args(false);
  app.add_option("--policy", options.policies,
                 "how the tree is searched: tag (default), uct, bound, uniform; random: no tree; "
                 "with --simulate several, such as tag,bound=off")
      ->allow_extra_args(false);
  app.add_option("--topk", options.policy_options.topk,
                 "of tag: so many of the best evaluations count (default 10)");
  app.add_option("--delta", options.policy_options.delta, "of tag: larger is greedier (default 1)");
  app.add_option("--local", options.local,
                 "share of descents near the best implementations so far (default 85%; 0%: the "
                 "tree alone)");
  app.add_option("--screen", options.screen,
                 "implementations that a cost model, which learns from the run, looks at for each "
                 "one that is compiled (default 64, on a cpu 32; 1: no model)");
  app.add_option(
      "--prior", options.prior,
      "what the cost model begins with: what earlier runs learned of such devices (auto, "
      "default), nothing (none), or a file that search learn made");
  app.add_option(
      "--winners", options.winners,
      "two of four islands begin near the winners of the nearest sizes: those that are shipped "
      "(auto, default; with --prior none none), none, or those in a folder of lists of decisions, "
      "such as a folder of runs");
  app.add_option(
      "--cache", options.cache,
      "folder that searches share, also on many machines: what was compiled for GPUs, and which "
      "programs are wrong or do not compile (default none: GPUs have one of the user's)");
  app.add_option("--first", options.first,
                 "begins with this list of decisions, such as best.replay of a run of other sizes, "
                 "as far as it is possible here; repeatable")
      ->allow_extra_args(false);
  app.add_option("--epsilon", options.epsilon,
                 "what cannot be faster than the best by more is cut (default 1%)");
  app.add_option("--bound", options.bound,
                 "what the lower bound is for: cut (the tree; default), check (only stands beside "
                 "each time), none (default without a tree)");
  app.add_option("--objective", options.objective,
                 "what is best: the fastest (time, default), or the fastest of those that take the "
                 "least main memory (memory)");
  app.add_option("--seed", options.seed, "seed of all random choices (default 1)");
  app.add_option("--out", options.out,
                 "folder of the run (default runs/<kernel>-<time>); of --simulate a file for JSON");
  app.add_option("--jobs", options.jobs, "compilers at once (default: cores)");
  app.add_option("--order", options.order, "choices in the order they are decided: size,dim_kind");
  app.add_option("--progress", options.progress, "auto, plain or none");
  app.add_option("--gpus", options.gpus,
                 "measure on several GPUs of one model at once: 0-3, 0,2 or all");
  app.add_option(
         "--worker", options.workers,
         "a command that ends in `search worker`, and measures instead of this process: "
         "'srun -n1 --gpus=1 --exact search worker', 'ssh host search worker'; may be given "
         "several times")
      ->allow_extra_args(false);
  app.add_option("--under", options.runs_under,
                 "program below which the processes that use a GPU run: 'compute-sanitizer "
                 "--log-file FILE'");
  app.add_option(
      "--trace", options.trace,
      "file for what this process does over time, as a Chrome trace: open it in Perfetto "
      "(docs/search.md)");
  app.add_flag("--durable", options.durable,
               "each evaluation is on the disk before the next one begins: nothing of the log is "
               "lost when the power fails");
}

void CheckRunOptions(const SearchOptions& options) {
  ParseProgress(options.progress, stdout);
  if (options.jobs) CheckJobs(*options.jobs);
  AnyStopper checked;
  AddBudgets(options, SteadyClock(), checked);
  ParseShare("--epsilon", options.epsilon);
  ParseShare("--local", options.local);
  if (options.screen && (*options.screen < 1 || *options.screen > 1000)) {
    throw UsageError("--screen must be 1 to 1000");
  }
  ParseObjective(options.objective);
  if (!options.first.empty() &&
      (options.policy() == "random" || ParseShare("--local", options.local) <= 0)) {
    throw UsageError(
        "--first: a search with --policy random or --local 0% begins with nothing; leave it out");
  }
  for (const std::string& file : options.first) WishesOf(ReadDecisionFile(file));
  options.bound_use();
  options.under();
  options.cache_folder();
  if (options.problem.gpu && !options.gpus.empty()) {
    throw UsageError("--gpu and --gpus: one run has the one or the several; leave one out");
  }
  if (options.workers.empty()) return;
  const auto refuse = [](const char* option) {
    throw UsageError(
        fmt::format("{} and --worker: workers measure, each where it was started; give "
                    "it to their commands ('search worker --gpu 1'), or leave it out",
                    option));
  };
  if (options.problem.gpu) refuse("--gpu");
  if (!options.gpus.empty()) refuse("--gpus");
  if (!options.runs_under.empty()) refuse("--under");
  if (!options.cache_folder().empty()) refuse("--cache");
}

std::shared_ptr<const Policy> PolicyOf(const std::string& name, const PolicyOptions& options) {
  const int most = 1000;
  if (options.topk < 1 || options.topk > most) {
    throw UsageError(fmt::format("--topk must be 1 to {}", most));
  }
  if (options.delta <= 0) throw UsageError("--delta must be above zero");
  return MakePolicy(name, options);
}

void AddBudgets(const SearchOptions& options, const Clock& clock, AnyStopper& stopper) {
  for (const std::string& budget : options.budgets) stopper.Add(ParseBudget(budget, clock));
  if (options.budgets.empty()) stopper.Add(ParseBudget(kDefaultBudget, clock));
  for (const std::string& stop : options.stops) stopper.Add(ParseStop(stop));
}

void CheckResumable(const Log& log, const std::string& path) {
  const int version = RunRecord().version;
  if (log.run->version > version) {
    throw UsageError(fmt::format(
        "'{}' is of version {} of the format; this program goes on with versions up to {}", path,
        log.run->version, version));
  }
  if (!log.problems.empty()) {
    throw UsageError(fmt::format("'{}' is damaged ({}); search log repair keeps what is whole",
                                 path, log.problems.front()));
  }
}

void RefuseContradictions(const CLI::App& app, const SearchOptions& options, const RunRecord& run,
                          const Subject& subject) {
  const auto is_given = [&](const char* name) {
    const CLI::Option* const option = app.get_option_no_throw(name);
    return option != nullptr && option->count() > 0;
  };
  const auto check = [&](const char* option, const auto& wanted, const auto& has) {
    if (!is_given(option) || wanted == has) return;
    Refuse({fmt::format("{} {}", option, wanted), fmt::format("{}", has)});
  };
  const bool is_own_kernel = run.subject == kOwnSubject && run.device == kDeviceOfOwnKernel;
  if (options.problem.gpu && subject.device() == nullptr && !is_own_kernel) {
    throw UsageError(
        fmt::format("--gpu {}: this runs on no GPU; leave it out", *options.problem.gpu));
  }
  if (options.problem.gpu && subject.device() != nullptr) {
    kernels::RequireGpu(*subject.device(), fmt::format("--gpu {}", *options.problem.gpu));
  }
  if (!options.under().empty()) kernels::RequireGpu(*subject.device(), "--under");
  if (is_given("--out")) {
    throw UsageError("--out and --resume: a run that goes on stays in its folder");
  }
  const auto* const kernel = dynamic_cast<const KernelSubject*>(&subject);
  if ((is_given("--kernel") || is_given("--compute")) &&
      (kernel == nullptr || &FindKernel(options.problem) != kernel->problem().kernel)) {
    Refuse({is_given("--compute") ? "--compute" : "--kernel " + options.problem.kernel,
            run.text.empty() || kernel == nullptr ? run.kernel
                                                  : "another text of '" + run.kernel + "'"});
  }
  check("--device", options.problem.device, run.device);
  check("--space", options.problem.space, run.decisions);
  check("--seed", options.seed, run.seed);
  check("--objective", options.objective, run.objective);
  check("--policy", options.policy(), run.policy);
  check("--topk", options.policy_options.topk, run.topk);
  check("--delta", options.policy_options.delta, run.delta);
  check("--screen", options.screen.value_or(run.screen), run.screen);
  check("--l2", options.l2, std::string(run.is_cold() ? "cold" : "warm"));
  const auto check_share = [&](const char* option, const std::string& wanted, double has) {
    if (!is_given(option) || ParseShare(option, wanted) == has) return;
    Refuse({fmt::format("{} {}", option, wanted), fmt::format("{:.6g}%", 100 * has)});
  };
  check_share("--epsilon", options.epsilon, run.epsilon);
  check_share("--local", options.local, run.local);
  if (is_given("--bound")) {
    const char* const has = !run.bound.empty() ? "cut" : run.check.empty() ? "none" : "check";
    if (options.bound != has) Refuse({"--bound " + options.bound, std::string(has)});
  }
  if (is_given("--order")) {
    const auto wanted = subject.order(options.order, subject.root()).names();
    const std::vector<std::string>& has = run.order;
    if (wanted != has) Refuse({"--order " + options.order, fmt::format("{}", fmt::join(has, ","))});
  }
  if (kernel != nullptr) {
    CheckSizes(options, kernel->problem());
  } else if (is_given("--size")) {
    throw UsageError("--size and --resume: a run that goes on keeps its sizes");
  }
  CheckLimits(options, run);
}

}  // namespace exh::search
