// SPDX-License-Identifier: MIT
//
// `search size`: the nodes of the search tree, level by level.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "search/choice_order.h"
#include "search/commands/command.h"
#include "search/decision_file.h"
#include "search/error.h"
#include "search/signals.h"
#include "search/size.h"
#include "search/suggest.h"

namespace exh::search {
namespace {

struct SizeOptions {
  ProblemOptions problem;
  std::string order, format = "text", below;
  int depth = 10, jobs = NumCores();
};

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

std::string JsonText(const Problem& problem, const ChoiceOrder& order,
                     const std::vector<LevelCount>& levels) {
  nlohmann::ordered_json json;
  json["kernel"] = problem.kernel->name();
  for (const auto& [name, value] : problem.sizes) json["sizes"][name] = value;
  json["device"] = problem.device.name;
  json["space"] = problem.space();
  json["order"] = order.names();
  json["levels"] = nlohmann::ordered_json::array();
  for (const LevelCount& level : levels) {
    json["levels"].push_back({{"nodes", level.nodes},
                              {"dead_ends", level.dead_ends},
                              {"implementations", level.implementations}});
  }
  return json.dump(2) + "\n";
}

int Size(const SizeOptions& options) {
  if (options.depth < 0) throw UsageError("--depth must be 0 or more");
  if (options.jobs < 1) throw UsageError("--jobs must be 1 or more");
  if (options.format != "text" && options.format != "json") {
    throw UsageError(UnknownName("format", options.format, {"text", "json"}));
  }
  const Problem problem = MakeProblem(options.problem);
  runtime::Candidate root = problem.root();
  if (!options.below.empty()) ApplyDecisions(ReadDecisionFile(options.below), root);
  const ChoiceOrder order = ChoiceOrder::Parse(options.order, root.instance());
  const std::atomic<bool>& interrupted = ListenForSignals();
  const std::vector<LevelCount> levels =
      CountLevels(root, order, options.depth, options.jobs, [&] { return interrupted.load(); });
  if (levels.empty()) {
    fmt::print(stderr, "interrupted: nothing is counted\n");
    return 1;
  }
  fmt::print("{}", options.format == "json" ? JsonText(problem, order, levels) : TableText(levels));
  return 0;
}

}  // namespace

void AddSizeCommand(CLI::App& app, Invocation& invocation) {
  CLI::App* const command =
      app.add_subcommand("size", "counts the nodes of the search tree, level by level");
  const auto options = std::make_shared<SizeOptions>();
  options->problem.space = "paper";
  AddProblemOptions(*command, options->problem);
  command->add_option("--depth", options->depth, "last level that is counted (default 10)");
  command->add_option("--order", options->order,
                      "choices in the order they are decided, or 'paper'");
  command->add_option("--below", options->below,
                      "list of decisions: count the tree below them, not below the root");
  command->add_option("--format", options->format, "text (default) or json");
  command->add_option("--jobs", options->jobs, "threads (default: one per core)");
  command->callback(
      [options, &invocation] { invocation.run = [options] { return Size(*options); }; });
}

}  // namespace exh::search
