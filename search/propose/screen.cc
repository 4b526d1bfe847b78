// SPDX-License-Identifier: MIT
#include "search/propose/screen.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "base/activity.h"
#include "search/log/decisions.h"

namespace exh::search {
namespace {

/// The score of what is not compiled at all.
constexpr double kBeforeAll = -std::numeric_limits<double>::infinity();

}  // namespace

Screen::Screen(const EntryMaker& entries, const Frontier& frontier, const AmountsFunction& amounts,
               const ScreenOptions& options, std::uint64_t seed)
    : entries_(entries),
      frontier_(frontier),
      amounts_(amounts),
      options_(options),
      model_(entries.root().instance(), amounts.count, seed, options.prior, amounts.guess) {}

std::optional<Prospect> Screen::Walk(Walker& walker, double cut, Random& random,
                                     const Descender::OnDeadEnd& note) const {
  struct Seen {
    runtime::Candidate candidate;
    double score;
  };
  std::vector<Seen> seen;
  const double exploration = options_.most_exploration * random.Real();
  std::vector<std::pair<runtime::Candidate, Dropped>> dropped;
  const auto look_at = [&](const runtime::Candidate& candidate) {
    constexpr double kNever = std::numeric_limits<double>::infinity();
    const double bound = entries_.BoundOf(candidate);
    if (bound >= cut) return kNever;
    Dropped why;
    const auto score = Score(candidate, bound, exploration, why);
    if (!score) {
      dropped.emplace_back(candidate, std::move(why));
      return kNever;
    }
    seen.push_back({candidate, *score});
    return *score;
  };
  double here = look_at(walker.candidate());
  for (int step = 0; step < options_.steps && !walker.path().empty(); ++step) {
    const Neighbourhood near = LocalSearch::Around(walker.candidate(), walker.path(), random);
    NearGuide guide(near, entries_.bound(), cut, NearGuide::kSeldom);
    if (!walker.Look(near, guide, random, note)) continue;
    const double there = look_at(walker.neighbour());
    if (there >= here) continue;
    walker.Go();
    here = there;
  }
  for (const auto& [candidate, why] : dropped) {
    Entry entry = entries_.Make(candidate, why);
    if (!frontier_.IsKnown(entry.code_hash)) return Prospect{std::move(entry), kBeforeAll};
  }
  std::ranges::sort(seen, {}, &Seen::score);
  for (const Seen& one : seen) {
    Entry entry = entries_.Make(one.candidate);
    if (!frontier_.IsKnown(entry.code_hash)) return Prospect{std::move(entry), one.score};
  }
  return std::nullopt;
}

double Screen::Expected(const runtime::Candidate& candidate) const {
  Dropped why;
  return Score(candidate, entries_.BoundOf(candidate), 0, why).value_or(kBeforeAll);
}

std::optional<double> Screen::Score(const runtime::Candidate& candidate, double bound,
                                    double exploration, Dropped& why) const {
  if (!learns()) return 0;
  const auto amounts = AmountsOf(candidate, why);
  if (!amounts) return std::nullopt;
  const Doing look(Activity::kLook);
  const auto guess = model_.Ask(VectorText(candidate), *amounts, bound);
  return guess ? guess->mean - exploration * guess->deviation : 0;
}

std::optional<std::span<const double>> Screen::AmountsOf(const runtime::Candidate& candidate,
                                                         Dropped& why) const {
  thread_local std::vector<double> amounts;
  amounts.assign(amounts_.count, 0);
  if (!amounts_.fill) return amounts;
  const Doing lower(Activity::kLower);
  auto dropped = DroppedBy([&] { amounts_.fill(candidate, amounts); });
  if (!dropped) return amounts;
  why = *std::move(dropped);
  return std::nullopt;
}

void Screen::Learn(const Lesson& lesson) {
  if (!learns()) return;
  const runtime::Candidate& candidate = lesson.implementation;
  Dropped why;
  const auto amounts = AmountsOf(candidate, why);
  if (!amounts) {  // As it was dropped for what it costs, or printed although that is not known.
    if (why.verdict == kernels::Verdict::kInternal) {
      entries_.failed_checks().Note(why.why, candidate);
    }
    return;
  }
  model_.Add(lesson.vector, *amounts, entries_.BoundOf(candidate), lesson.path, lesson.near_path,
             lesson.ns);
}

}  // namespace exh::search
