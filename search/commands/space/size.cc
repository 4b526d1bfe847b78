// SPDX-License-Identifier: MIT
//
// `search size`: how many implementations there are; with --depth, the nodes of the search tree
// level by level.
#include <fmt/format.h>

#include <functional>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/parallel.h"
#include "base/spelling.h"
#include "base/system/signals.h"
#include "search/commands/command.h"
#include "search/commands/space/asked_space.h"
#include "search/commands/space/cut_options.h"
#include "search/count/size.h"
#include "search/count/size_report.h"
#include "search/descend/choice_order.h"
#include "search/exact/exact_report.h"
#include "search/run/stopper.h"
#include "search/subject/decision_file.h"

namespace exh::search {
namespace {

struct SizeOptions {
  AskedSpace asked;
  std::string order, format = "text", below, estimate = "auto", budget;
  CutOptions cut;
  std::optional<int> depth;
  std::optional<std::int64_t> samples;
  std::uint64_t seed = 1;
  int jobs = NumCores();
  bool exact = false;
  std::string cache;
};

constexpr const char* kDefaultBudget = "60s";

std::string TableText(const std::vector<LevelCount>& levels) {
  std::string text =
      fmt::format("{:>5} {:>14} {:>14} {:>15}\n", "depth", "nodes", "dead ends", "implementations");
  for (std::size_t depth = 0; depth < levels.size(); ++depth) {
    const LevelCount& level = levels[depth];
    text += fmt::format("{:>5} {:>14} {:>14} {:>15}\n", depth, level.nodes, level.dead_ends,
                        level.implementations);
  }
  return text;
}

nlohmann::ordered_json OrderedJson(const Subject& subject, const ChoiceOrder& order) {
  nlohmann::ordered_json json = HeadJson(subject);
  json["order"] = order.names();
  return json;
}

std::string LevelsJson(nlohmann::ordered_json json, const std::vector<LevelCount>& levels) {
  json["levels"] = nlohmann::ordered_json::array();
  for (const LevelCount& level : levels) {
    json["levels"].push_back({{"nodes", level.nodes},
                              {"dead_ends", level.dead_ends},
                              {"implementations", level.implementations}});
  }
  return json.dump(2) + "\n";
}

SizeRequest Request(const SizeOptions& options) {
  SizeRequest request;
  request.method = ParseSizeMethod(options.estimate);
  if (options.samples && *options.samples < 2) throw UsageError("--samples must be 2 or more");
  if (options.samples) request.samples = static_cast<std::uint64_t>(*options.samples);
  request.budget = options.budget.empty() && !options.samples ? kDefaultBudget : options.budget;
  if (request.budget.starts_with("evals=")) {
    throw UsageError("--budget of `search size` is a time; --samples says how many");
  }
  if (!request.budget.empty()) ParseBudget(request.budget, SteadyClock());  // Mistakes first.
  request.seed = options.seed;
  request.jobs = options.jobs;
  return request;
}

/// The subject, unless the time is over or a signal comes before its space is built.
std::unique_ptr<Subject> SubjectWithin(const SizeOptions& options, const std::string& budget) {
  StopToken stop(&ListenForSignals());
  if (!budget.empty()) stop.StopIn(ParseBudget(budget, SteadyClock())->SecondsLeft());
  return SubjectAsked(options.asked, &stop);
}

runtime::Candidate RootOf(const Subject& subject, const SizeOptions& options) {
  runtime::Candidate root = subject.root();
  if (!options.below.empty())
    ApplyDecisions(ReadDecisionFile(options.below), root, subject.notes());
  return root;
}

/// The count of --exact, for a part of the time that samples have.
class CountOfAll {
 public:
  CountOfAll(const runtime::Candidate& root, const SizeOptions& options, const Cut& cut)
      : root_(root) {
    if (options.estimate != "auto" || options.samples || cut.bound) return;
    seconds_ = kInsteadShare *
               ParseBudget(options.budget.empty() ? kDefaultBudget : options.budget, SteadyClock())
                   ->SecondsLeft();
  }

  bool is_possible() const { return seconds_ > 0; }
  bool is_complete() const { return count_ && count_->complete; }

  /// Is all counted?
  bool Try(const std::function<bool()>& interrupted) {
    ExactRequest request;
    request.interrupted = interrupted;
    request.seconds = seconds_;
    StatusLine line(SteadyClock());
    ExactCounter counter = MakeCounter(root_, request, line);
    count_ = counter.Count(root_);
    status_ = counter.status();
    return count_->complete;
  }

  std::string Text(const std::string& name) const {
    return ExactText(name, "implementations", *count_, status_);
  }
  nlohmann::ordered_json Json() const { return ExactJson("implementations", *count_, status_); }
  /// What else there is, where samples had to do.
  std::string Advice() const {
    if (!count_) return "";
    return fmt::format(
        "to count all of them took more than {:.0f} s: --exact does, for as long as --budget "
        "says\n",
        seconds_);
  }

 private:
  const runtime::Candidate& root_;
  double seconds_ = 0;  ///< 0: it is not tried.
  std::optional<ExactCount> count_;
  CountStatus status_;
};

int Interrupted() {
  fmt::print(stderr, "interrupted: nothing is counted\n");
  return 1;
}

/// --exact: without a limit of nodes, in one thread. The exit code is 1 when it was ended early.
int SizeExact(const SizeOptions& options) {
  for (const auto& [said, name] : {std::pair(options.depth.has_value(), "--depth"),
                                   std::pair(options.samples.has_value(), "--samples"),
                                   std::pair(options.estimate != "auto", "--estimate"),
                                   std::pair(!options.cut.time.empty(), "--cut"),
                                   std::pair(!options.order.empty(), "--order")}) {
    if (said) throw UsageError(fmt::format("--exact counts all there is, without {}", name));
  }
  if (options.budget.starts_with("evals=")) throw UsageError("--budget of `search size` is a time");
  ExactRequest request;
  request.max_cache_bytes = ParseCacheBytes(options.cache);
  if (!options.budget.empty()) {
    request.seconds = ParseBudget(options.budget, SteadyClock())->SecondsLeft();
  }
  const std::unique_ptr<Subject> subject = SubjectWithin(options, options.budget);
  const runtime::Candidate root = RootOf(*subject, options);
  const std::atomic<bool>& flag = ListenForSignals();
  request.interrupted = [&] { return flag.load(); };
  StatusLine line(SteadyClock());
  ExactCounter counter = MakeCounter(root, request, line);
  const ExactCount count = counter.Count(root);
  line.Clear();
  if (options.format == "text") {
    fmt::print("{}", ExactText(subject->name(), "implementations", count, counter.status()));
  } else {
    nlohmann::ordered_json json = HeadJson(*subject);
    json["exact"] = ExactJson("implementations", count, counter.status());
    fmt::print("{}\n", json.dump(2));
  }
  return count.complete ? 0 : 1;
}

int Size(const SizeOptions& options) {
  if (options.depth && *options.depth < 0) throw UsageError("--depth must be 0 or more");
  CheckJobs(options.jobs);
  if (options.format != "text" && options.format != "json") {
    throw UsageError(UnknownName("format", options.format, {"text", "json"}));
  }
  if (options.exact) return SizeExact(options);
  if (!options.cache.empty()) throw UsageError("--cache is of --exact");
  SizeRequest request = Request(options);
  const std::unique_ptr<Subject> subject = SubjectWithin(options, request.budget);
  const runtime::Candidate root = RootOf(*subject, options);
  const ChoiceOrder order = subject->order(options.order, root);
  const Cut cut = MakeCut(options.cut, *subject);
  const std::atomic<bool>& flag = ListenForSignals();
  const auto interrupted = [&] { return flag.load(); };
  const bool text = options.format == "text";
  if (options.depth) {
    const std::vector<LevelCount> levels =
        CountLevels(root, order, *options.depth, options.jobs, interrupted, cut);
    if (levels.empty()) return Interrupted();
    fmt::print("{}", text ? TableText(levels) : LevelsJson(OrderedJson(*subject, order), levels));
    return 0;
  }
  request.interrupted = interrupted;
  StatusLine line(SteadyClock());
  std::mutex mutex;  // Of the line.
  request.progress = [&](const std::function<std::string()>& what) {
    const std::lock_guard lock(mutex);
    if (line.IsDue()) line.Show(fmt::format("{}, {:.0f} s", what(), line.seconds()));
  };
  // A space that falls into parts can be counted, however large its tree is. That takes as long as
  // it takes: it is tried, where nothing asks for samples.
  CountOfAll all(root, options, cut);
  if (all.is_possible()) request.instead = [&] { return all.Try(interrupted); };
  const SizeReport report = FindSize(root, order, request, SteadyClock(), cut);
  line.Clear();
  const std::string name = subject->name();
  if (all.is_complete()) {
    if (text) {
      fmt::print("{}", all.Text(name));
    } else {
      nlohmann::ordered_json json = OrderedJson(*subject, order);
      json["exact"] = all.Json();
      json["estimates"] = nlohmann::ordered_json::array();
      fmt::print("{}\n", json.dump(2));
    }
    return 0;
  }
  if (report.exact.empty() && report.estimates.empty()) {
    if (interrupted()) return Interrupted();
    fmt::print(stderr,
               "nothing is known: no two samples were complete within {}; a longer --budget\n",
               request.budget);
    return 1;
  }
  if (text) {
    fmt::print("{}{}", SizeText(name, report), report.exact.empty() ? all.Advice() : "");
  } else {
    nlohmann::ordered_json json = OrderedJson(*subject, order);
    json["seed"] = options.seed;
    json.update(SizeJson(report));
    fmt::print("{}\n", json.dump(2));
  }
  return 0;
}

}  // namespace

void AddSizeCommand(CLI::App& app, Invocation& invocation) {
  CLI::App* const command = app.add_subcommand(
      "size", "how many implementations there are: counted, or estimated when they are too many");
  const auto options = std::make_shared<SizeOptions>();
  AddAskedSpace(*command, options->asked);
  command->add_option("--estimate", options->estimate,
                      "auto (default): counts a small space, and one that falls into parts; takes "
                      "the better of both estimators for a large one; knuth, chen: only that one");
  command->add_flag("--exact", options->exact,
                    "counts all of them, however many: parts that are independent multiply, and "
                    "none is counted twice; --budget ends it with a lower bound");
  command->add_option("--cache", options->cache,
                      "of --exact: memory for counts of parts that were met (default 1GiB)");
  command->add_option("--samples", options->samples, "samples of each estimator");
  command->add_option("--budget", options->budget,
                      "time for samples (default 60s, or without end with --samples)");
  command->add_option("--seed", options->seed, "seed of the samples (default 1)");
  command->add_option("--depth", options->depth,
                      "counts the nodes of the search tree instead, level by level to this one");
  command->add_option("--order", options->order,
                      "choices in the order they are decided, or 'paper'");
  AddCutOptions(*command, options->cut);
  command->add_option("--below", options->below,
                      "list of decisions: the tree below them, not below the root");
  command->add_option("--format", options->format, "text (default) or json");
  command->add_option("--jobs", options->jobs, "threads (default: one per core)");
  command->callback(
      [options, &invocation] { invocation.run = [options] { return Size(*options); }; });
}

}  // namespace exh::search
