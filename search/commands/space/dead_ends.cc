// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>

#include "base/error.h"
#include "base/parallel.h"
#include "base/system/signals.h"
#include "search/commands/command.h"
#include "search/commands/space/asked_space.h"
#include "search/count/size_estimate.h"
#include "search/descend/descent.h"
#include "search/report/report.h"

namespace exh::search {
namespace {

struct DeadEndsOptions {
  AskedSpace asked;
  std::string order;
  std::uint64_t descents = 1000, seed = 1;
};

/// The share among the leaves of the tree, each of which counts the same: a descent meets those
/// high up more often than those far below.
std::string DeadLeavesText(const SizeEstimate& estimate) {
  return fmt::format(
      "  of the leaves of the tree, estimated: {:.3g} %; as good as {:.0f} dead ends and {:.0f} "
      "implementations of equal weight",
      100 * estimate.dead_leaves(), estimate.dead_ends.effective_samples(),
      estimate.implementations.effective_samples());
}

int DeadEnds(const DeadEndsOptions& options) {
  if (options.descents < 1) throw UsageError("--descents must be 1 or more");
  const std::unique_ptr<Subject> subject = SubjectAsked(options.asked);
  const runtime::Candidate root = subject->root();
  const ChoiceOrder order = subject->order(options.order, root);
  const std::atomic<bool>& interrupted = ListenForSignals();
  const DeadEndStudy study(order);
  Random random(options.seed);
  DeadEndShare share;
  std::map<std::string, std::uint64_t, std::less<>> labels;
  while (share.descents < options.descents && !interrupted) {
    ++share.descents;
    if (const auto dead_end = study.Run(root, random)) {
      ++share.dead;
      ++labels[dead_end->label];
    }
  }
  const auto [low, high] = share.Interval();
  fmt::print("{}: {} of {} descents met a dead end: {:.2f} % (95 % interval {:.2f} to {:.2f} %)\n",
             subject->name(), share.dead, share.descents, 100 * share.share(), 100 * low,
             100 * high);
  if (!labels.empty()) fmt::print("  at {}\n", CountsText(labels, 10));
  if (interrupted) return 0;
  SampleOptions samples;
  samples.samples = std::max<std::uint64_t>(2, options.descents);
  samples.seed = options.seed;
  samples.jobs = NumCores();
  samples.enough = [&] { return interrupted.load(); };
  fmt::print("{}\n", DeadLeavesText(EstimateSize(root, order, Strata::kKnuth, samples)));
  return 0;
}

}  // namespace

void AddDeadEndsCommand(CLI::App& app, Invocation& invocation) {
  CLI::App* const command = app.add_subcommand(
      "dead-ends", "share of random descents, without backing out, that meet a dead end");
  command->alias("deadends");
  const auto options = std::make_shared<DeadEndsOptions>();
  AddAskedSpace(*command, options->asked);
  command->add_option("--descents", options->descents, "number of descents (default 1000)");
  command->add_option("--seed", options->seed, "seed (default 1)");
  command->add_option("--order", options->order, "choices in the order they are decided");
  command->callback(
      [options, &invocation] { invocation.run = [options] { return DeadEnds(*options); }; });
}

}  // namespace exh::search
