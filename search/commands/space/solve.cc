// SPDX-License-Identifier: MIT
//
// `search solve`: the solutions of a space without kernels. One of them, so many, all of them, how
// many there are, or some at random; of a space with an objective the best one.
#include <fmt/format.h>

#include <limits>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/error.h"
#include "base/spelling.h"
#include "base/system/signals.h"
#include "search/commands/command.h"
#include "search/descend/choice_order.h"
#include "search/exact/exact_report.h"
#include "search/run/stopper.h"
#include "search/solve/branch_and_bound.h"
#include "search/solve/open_space.h"
#include "search/solve/solution_text.h"
#include "search/solve/solver.h"
#include "search/subject/freeze_progress.h"

namespace exh::search {
namespace {

/// Exit codes beside 0 (what was asked for) and 2 (a mistake of the command line).
constexpr int kEnded = 1;       ///< A signal or the budget came before the answer was whole.
constexpr int kNoSolution = 3;  ///< There is none.

/// A count before random solutions gets so many seconds, unless there is a budget.
constexpr double kCountBeforeSamples = 60;

struct SolveCommand {
  std::string space, size, data, order, format = "text", budget, cache;
  bool all = false, count = false;
  std::optional<std::uint64_t> limit, sample;
  std::uint64_t seed = 1;
};

/// What prints solutions, as text or as one JSON object a line.
class Printer {
 public:
  explicit Printer(bool is_text) : is_text_(is_text) {}

  void Solution(const runtime::Candidate& solution, bool numbered) {
    ++count_;
    if (!is_text_) {
      fmt::print("{}\n", SolutionJson(solution).dump());
    } else {
      if (numbered) fmt::print("{}\n", count_);
      fmt::print("{}", SolutionText(solution));
    }
    std::fflush(stdout);
  }
  /// One that is better than those before, by the objective, which is called `text`.
  void Better(const runtime::Candidate& solution, const std::string& text, std::int64_t value) {
    ++count_;
    if (is_text_) {
      fmt::print("{} = {}\n{}", text, value, SolutionText(solution));
    } else {
      nlohmann::ordered_json json;
      json["objective"] = value;
      json["solution"] = SolutionJson(solution);
      fmt::print("{}\n", json.dump());
    }
    std::fflush(stdout);
  }
  std::uint64_t count() const { return count_; }

 private:
  bool is_text_;
  std::uint64_t count_ = 0;
};

std::string Solutions(std::uint64_t count) {
  return fmt::format("{} solution{}", count, count == 1 ? "" : "s");
}

class SolveRun {
 public:
  explicit SolveRun(const SolveCommand& command) : command_(command), line_(SteadyClock()) {
    const int wanted = int{command.all} + int{command.count} + int{command.limit.has_value()} +
                       int{command.sample.has_value()};
    if (wanted > 1) throw UsageError("one of --all, --count, --limit and --sample");
    if (command.limit == 0u) throw UsageError("--limit must be 1 or more");
    if (command.sample == 0u) throw UsageError("--sample must be 1 or more");
    if (command.format != "text" && command.format != "json") {
      throw UsageError(UnknownName("format", command.format, {"text", "json"}));
    }
    if (command.budget.starts_with("evals=")) {
      throw UsageError("--budget of `search solve` is a time");
    }
    request_.max_cache_bytes = ParseCacheBytes(command.cache);
    if (!command.budget.empty()) {
      request_.seconds = ParseBudget(command.budget, SteadyClock())->SecondsLeft();
      stop_.StopIn(request_.seconds);
    }
    const std::atomic<bool>& flag = ListenForSignals();
    request_.interrupted = [&flag] { return flag.load(); };
  }

  int Run() {
    const OpenedSpace opened =
        OpenSpace(command_.space, command_.size, command_.data, ShownFreeze(&stop_));
    name_ = opened.name;
    const auto& instance = opened.instance;
    if (instance->root_result() == runtime::Propagation::kDeadEnd) {
      return None(" (" + OriginText(instance->space(), instance->root_conflict().origin) + ")");
    }
    const runtime::Candidate root(instance);
    const ChoiceOrder order = ChoiceOrder::Parse(command_.order, *instance);
    if (const auto& objective = instance->space().objective) {
      if (!command_.count && !command_.sample && !command_.all && !command_.limit) {
        return Optimum(root, order);
      }
      Note(
          fmt::format("without --count, --all, --limit and --sample the best solution is looked "
                      "for: the space says '{} {}'",
                      objective->maximize ? "maximize" : "minimize", objective->text));
    }
    if (command_.count) return Count(root);
    if (command_.sample) return Sample(root, order);
    return Find(root, order);
  }

 private:
  bool is_text() const { return command_.format == "text"; }

  int None(const std::string& why = "") {
    if (is_text()) {
      fmt::print("no solution{}\n", why);
    } else {
      fmt::print("{}\n", nlohmann::ordered_json{{"solutions", "0"}, {"complete", true}}.dump());
    }
    return kNoSolution;
  }

  bool IsOver() const {
    return request_.interrupted() || (request_.seconds > 0 && line_.seconds() >= request_.seconds);
  }

  SolveOptions Options(Random* random) {
    return {random, [this](const SolveStatus& status) {
              if (line_.IsDue()) {
                line_.Show(fmt::format("{}, {} steps, {} dead ends, {:.0f} s",
                                       Solutions(status.solutions), status.nodes, status.dead_ends,
                                       line_.seconds()));
              }
              return IsOver();
            }};
  }

  /// The first solution, so many, or all.
  int Find(const runtime::Candidate& root, const ChoiceOrder& order) {
    const std::uint64_t most =
        command_.all ? std::numeric_limits<std::uint64_t>::max() : command_.limit.value_or(1);
    const bool numbered = command_.all || command_.limit;
    Printer printer(is_text());
    Solver solver(root.instance(), order, Options(nullptr));
    const SolveResult result = solver.Run(root, [&](const runtime::Candidate& solution) {
      line_.Clear();
      printer.Solution(solution, numbered);
      return printer.count() < most;
    });
    line_.Clear();
    if (result == SolveResult::kAll && printer.count() == 0) return None();
    const bool is_whole = result != SolveResult::kStopped;
    const bool are_all = result == SolveResult::kAll;
    if (is_text()) {
      if (!is_whole) {
        fmt::print("ended before it was through: {} so far, there may be others\n",
                   Solutions(printer.count()));
      } else if (numbered) {
        fmt::print("{}{}\n", Solutions(printer.count()), are_all ? ", all there are" : "");
      }
    } else if (numbered || !is_whole) {
      fmt::print("{}\n", nlohmann::ordered_json{{"solutions", std::to_string(printer.count())},
                                                {"complete", are_all}}
                             .dump());
    }
    return is_whole ? 0 : kEnded;
  }

  /// The best solution, and that there is no better one.
  int Optimum(const runtime::Candidate& root, const ChoiceOrder& order) {
    const runtime::SpaceObjective& objective = *root.instance().space().objective;
    Printer printer(is_text());
    BranchAndBound search(root.instance(), order, Options(nullptr));
    const BestFound best =
        search.Run(root, [&](const runtime::Candidate& solution, std::int64_t value) {
          line_.Clear();
          printer.Better(solution, objective.text, value);
        });
    line_.Clear();
    if (best.proven && !best.solution) return None();
    if (is_text()) {
      fmt::print("{}\n", OptimumText(best, objective.maximize));
    } else {
      nlohmann::ordered_json json;
      if (best.value) json[best.proven ? "optimum" : "best"] = *best.value;
      if (!best.proven) json["bound"] = best.bound;
      json["proven"] = best.proven;
      json["steps"] = search.status().nodes;
      fmt::print("{}\n", json.dump());
    }
    return best.proven ? 0 : kEnded;
  }

  static std::string OptimumText(const BestFound& best, bool maximize) {
    if (best.proven) return fmt::format("optimum: {} (proven)", *best.value);
    const std::string bound =
        fmt::format("nothing is {} {}", maximize ? "more than" : "less than", best.bound);
    return fmt::format("ended before it was through: {}, {}",
                       best.value ? fmt::format("best so far {}", *best.value) : "no solution yet",
                       bound);
  }

  int Count(const runtime::Candidate& root) {
    ExactCounter counter = MakeCounter(root, request_, line_);
    const ExactCount count = counter.Count(root);
    line_.Clear();
    if (count.complete && count.count == 0) return None();
    if (is_text()) {
      fmt::print("{}", ExactText(name_, "solutions", count, counter.status()));
    } else {
      fmt::print("{}\n", ExactJson("solutions", count, counter.status()).dump());
    }
    return count.complete ? 0 : kEnded;
  }

  /// Uniformly where all can be counted, by random descents otherwise.
  int Sample(const runtime::Candidate& root, const ChoiceOrder& order) {
    Random random(command_.seed);
    Printer printer(is_text());
    ExactRequest request = request_;
    request.seconds = request_.seconds > 0 ? request_.seconds / 2 : kCountBeforeSamples;
    ExactCounter counter = MakeCounter(root, request, line_);
    const ExactCount count = counter.Count(root);
    line_.Clear();
    if (count.complete && count.count == 0) return None();
    if (request_.interrupted()) return Ended(printer);
    if (!count.complete) return SampleByDescents(root, order, random, printer);
    Note(fmt::format("each of the {} solutions has the same probability", Digits(count.count)));
    // What is forgotten of the count is counted again: with the whole budget from here on.
    counter.set_stop([this](const CountStatus&) { return IsOver(); });
    while (printer.count() < *command_.sample && !IsOver()) {
      const auto drawn = counter.Draw(root, random);
      if (!drawn) break;
      printer.Solution(*drawn, true);
    }
    return printer.count() == *command_.sample ? 0 : Ended(printer);
  }

  int SampleByDescents(const runtime::Candidate& root, const ChoiceOrder& order, Random& random,
                       Printer& printer) {
    Note(
        "too many to be counted: found by random descents, where solutions have different "
        "probabilities");
    Solver solver(root.instance(), order, Options(&random));
    while (printer.count() < *command_.sample && !IsOver()) {
      const SolveResult result = solver.Run(root, [&](const runtime::Candidate& solution) {
        line_.Clear();
        printer.Solution(solution, true);
        return false;
      });
      line_.Clear();
      if (result == SolveResult::kAll) return None();
    }
    return printer.count() == *command_.sample ? 0 : Ended(printer);
  }

  /// Something to know of the solutions that follow; beside them, so that they can be read by
  /// programs.
  static void Note(const std::string& text) { fmt::print(stderr, "note: {}\n", text); }

  int Ended(const Printer& printer) {
    fmt::print(stderr, "ended before it was through: {} of {}\n", Solutions(printer.count()),
               *command_.sample);
    return kEnded;
  }

  const SolveCommand& command_;
  std::string name_;  ///< Of the space.
  StatusLine line_;
  ExactRequest request_;
  StopToken stop_;  ///< Of the building of the space, which hears signals by itself.
};

}  // namespace

void AddSolveCommand(CLI::App& app, Invocation& invocation) {
  CLI::App* const command = app.add_subcommand(
      "solve",
      "solutions of a space without kernels: one or the best, all, how many there are, some at "
      "random");
  const auto options = std::make_shared<SolveCommand>();
  command->add_option("--space", options->space,
                      "which space: a name of `search list --spaces`, an .exh file without C++, or "
                      "a functional program, .fun");
  command->add_option("--size", options->size, "its sizes, extern constants of a file: n=8");
  command->add_option("--data", options->data, "a file with its data, JSON: objects and numbers");
  command->add_flag("--all", options->all, "all solutions");
  command->add_flag("--count", options->count, "how many there are");
  command->add_option("--limit", options->limit, "so many solutions, the first ones");
  command->add_option("--sample", options->sample,
                      "so many solutions at random, each with the same probability where all can "
                      "be counted");
  command->add_option("--seed", options->seed, "seed of --sample (default 1)");
  command->add_option("--order", options->order, "choices in the order they are decided");
  command->add_option("--budget", options->budget, "ends after this time: 60s, 5m");
  command->add_option("--cache", options->cache,
                      "memory for counts of parts that were met (default 1GiB)");
  command->add_option("--format", options->format, "text (default), or json: an object a line");
  command->callback(
      [options, &invocation] { invocation.run = [options] { return SolveRun(*options).Run(); }; });
}

}  // namespace exh::search
