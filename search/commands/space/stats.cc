// SPDX-License-Identifier: MIT
//
// `search stats`: nodes and dead ends of the search tree level by level, in one order of decisions
// or in several of them side by side.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/parallel.h"
#include "base/spelling.h"
#include "base/system/signals.h"
#include "search/commands/command.h"
#include "search/commands/space/asked_space.h"
#include "search/commands/space/cut_options.h"
#include "search/count/level_table.h"

namespace exh::search {
namespace {

struct StatsOptions {
  AskedSpace asked;
  std::vector<std::string> orders;
  CutOptions cut;
  std::string format = "text";
  int depth = 10, jobs = NumCores();
  std::uint64_t beyond = 0;
};

int Stats(const StatsOptions& options) {
  if (options.depth < 0) throw UsageError("--depth must be 0 or more");
  CheckJobs(options.jobs);
  if (options.format != "text" && options.format != "json") {
    throw UsageError(UnknownName("format", options.format, {"text", "json"}));
  }
  const std::unique_ptr<Subject> subject = SubjectAsked(options.asked);
  const Cut cut = MakeCut(options.cut, *subject);
  const std::atomic<bool>& flag = ListenForSignals();
  const LevelRequest request = {
      .depth = options.depth, .beyond = options.beyond, .jobs = options.jobs, .interrupted = [&] {
        return flag.load();
      }};
  const runtime::Candidate root = subject->root();
  std::vector<std::string> orders = options.orders;
  if (orders.empty()) orders.push_back(subject->usual_order());
  const std::vector<OrderLevels> counted = CountOrders(root, orders, request, cut);
  if (counted.empty()) {
    fmt::print(stderr, "interrupted: nothing is counted\n");
    return 1;
  }
  if (options.format == "text") {
    fmt::print("{}", LevelTable(counted));
    return 0;
  }
  nlohmann::ordered_json json = HeadJson(*subject);
  json["orders"] = LevelJson(counted);
  fmt::print("{}\n", json.dump(2));
  return 0;
}

}  // namespace

void AddStatsCommand(CLI::App& app, Invocation& invocation) {
  CLI::App* const command = app.add_subcommand(
      "stats", "nodes and dead ends of the search tree, level by level, in one or several orders");
  const auto options = std::make_shared<StatsOptions>();
  AddAskedSpace(*command, options->asked);
  command->add_option("--depth", options->depth, "last level that is counted (default 10)");
  command->add_option("--beyond", options->beyond,
                      "ends at the first level with more nodes than this, not at --depth");
  command
      ->add_option("--order", options->orders,
                   "choices in the order they are decided, 'paper' or 'paper-reversed'; several: "
                   "side by side")
      ->allow_extra_args(false);
  AddCutOptions(*command, options->cut);
  command->add_option("--format", options->format, "text (default) or json");
  command->add_option("--jobs", options->jobs, "threads (default: one per core)");
  command->callback(
      [options, &invocation] { invocation.run = [options] { return Stats(*options); }; });
}

}  // namespace exh::search
