// SPDX-License-Identifier: MIT
#include "search/page/again/tree.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <exception>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "search/descend/choice_order.h"
#include "search/tree/tree_replay.h"

namespace exh::search {
namespace {

struct Again {
  std::vector<std::pair<double, double>> bounds;  ///< Seconds, nanoseconds.
  std::string trouble;
};

/// Seconds of events that have a time of their own.
std::map<std::uint64_t, double> TimesOfEvents(const Log& log) {
  std::map<std::uint64_t, double> times;
  for (const EvalRecord& eval : log.evals) times[eval.sequence] = eval.dt;
  for (const BestRecord& best : log.bests) times[best.sequence] = best.dt;
  return times;
}

void MakeAgain(const Log& log, const Rebuilt& rebuilt, std::size_t most, PrefixTree& prefixes,
               Again& again) {
  const runtime::Candidate& root = rebuilt.root();
  const ChoiceOrder order =
      ChoiceOrder::Parse(fmt::format("{}", fmt::join(log.run->order, ",")), root.instance());
  const SearchBound bound = BoundOf(rebuilt.subject(), *log.run);
  const CandidateSpace space(root, order, bound.bound);
  Tree tree(space, TreeOptionsOf(*log.run));
  const std::map<std::uint64_t, double> times = TimesOfEvents(log);
  double now = 0, last = 0;
  const auto note = [&] {
    const double proven = tree.LowerBound();
    if (!(proven > 0) || !std::isfinite(proven) || proven == last) return;
    last = proven;
    again.bounds.emplace_back(now, proven);
  };
  note();
  std::uint64_t num_events = 0;
  const auto go_on = [&](std::uint64_t sequence) {
    if (const auto time = times.find(sequence); time != times.end()) now = time->second;
    note();
    num_events = sequence;
    return tree.num_nodes() < most;
  };
  try {
    if (ReplayTree(log, tree, go_on).stopped) {
      again.trouble =
          fmt::format("the tree is large; they are those after its first {} events", num_events);
    }
  } catch (const Error& error) {  // The log is damaged: the tree up to there is the run's.
    again.trouble = error.what();
  }
  prefixes.Learn(tree);
}

}  // namespace

void WriteTreeAgain(const Log& log, const Rebuilt& rebuilt, std::size_t most, PrefixTree& prefixes,
                    ScriptJson& json) {
  Again again;
  again.trouble = rebuilt.trouble();
  if (again.trouble.empty() && !log.selects.empty()) {
    try {
      MakeAgain(log, rebuilt, most, prefixes, again);
    } catch (const std::exception& error) {
      again.trouble = error.what();
    }
  }
  json.Key("bounds").Open('[');
  for (const auto& [seconds, ns] : again.bounds) {
    json.Open('[');
    json.Number(seconds);
    json.Number(ns);
    json.Close();
  }
  json.Close();
  json.Key("treeTrouble").Text(again.trouble);
}

}  // namespace exh::search
