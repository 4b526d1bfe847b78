// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdio>
#include <memory>

#include "base/error.h"
#include "base/system/signals.h"
#include "search/commands/command.h"
#include "search/commands/space/asked_space.h"
#include "search/descend/order_study.h"
#include "search/run/stopper.h"

namespace exh::search {
namespace {

struct OrderOptions {
  AskedSpace asked;
  std::string order;
  std::uint64_t descents = 200, seed = 1;
  int places = 4;
};

int StudyOrder(const OrderOptions& options) {
  if (options.descents < 1) throw UsageError("--descents must be 1 or more");
  if (options.places < 1) throw UsageError("--places must be 1 or more");
  const std::unique_ptr<Subject> subject = SubjectAsked(options.asked);
  const runtime::Candidate root = subject->root();
  const ChoiceOrder first = subject->order(options.order, root);
  const std::atomic<bool>& interrupted = ListenForSignals();
  OrderStudyOptions study;
  study.descents = options.descents;
  study.seed = options.seed;
  study.places = options.places;
  study.stopped = [&] { return interrupted.load(); };
  study.kept = [](const MeasuredOrder& order) {
    const auto [low, high] = order.share.Interval();
    fmt::print("{:6.2f} % ({:.2f} to {:.2f} %) of {} descents die: {}\n", 100 * order.share.share(),
               100 * low, 100 * high, order.share.descents, fmt::join(order.names, ","));
    std::fflush(stdout);
  };
  const MeasuredOrder best = StudyOrders(root, first.names(), study);
  if (interrupted) fmt::print("interrupted; the best order until then is\n");
  fmt::print("--order {}\n", fmt::join(best.names, ","));
  return 0;
}

}  // namespace

void AddOrderCommand(CLI::App& app, Invocation& invocation) {
  CLI::App* const command = app.add_subcommand(
      "order", "find an order of choices with which few random descents meet a dead end");
  const auto options = std::make_shared<OrderOptions>();
  AddAskedSpace(*command, options->asked);
  command->add_option("--descents", options->descents, "for each order (default 200)");
  command->add_option("--places", options->places,
                      "so many of the first choices are sought (default 4)");
  command->add_option("--seed", options->seed, "seed (default 1)");
  command->add_option("--order", options->order, "the order to begin with");
  command->callback(
      [options, &invocation] { invocation.run = [options] { return StudyOrder(*options); }; });
}

}  // namespace exh::search
