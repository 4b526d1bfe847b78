// SPDX-License-Identifier: MIT
#include "search/propose/screen.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "search/log/decisions.h"

namespace exh::search {

Screen::Screen(const EntryMaker& entries, const Frontier& frontier, const AmountsFunction& amounts,
               const ScreenOptions& options, std::uint64_t seed)
    : entries_(entries),
      frontier_(frontier),
      amounts_(amounts),
      options_(options),
      model_(entries.root().instance(), amounts.count, seed, options.prior, amounts.guess) {}

std::optional<Prospect> Screen::Walk(Walker& walker, double cut,
                                     const std::function<bool(const runtime::Candidate&)>& accepts,
                                     Random& random, const Descender::OnDeadEnd& note) const {
  struct Seen {
    runtime::Candidate candidate;
    double score;
  };
  std::vector<Seen> seen;
  const double exploration = options_.most_exploration * random.Real();
  const auto look_at = [&](const runtime::Candidate& candidate) {
    const double bound = entries_.BoundOf(candidate);
    if (bound >= cut) return std::numeric_limits<double>::infinity();
    seen.push_back({candidate, Score(candidate, bound, exploration)});
    return seen.back().score;
  };
  double here = look_at(walker.candidate());
  for (int step = 0; step < options_.steps && !walker.path().empty(); ++step) {
    const Neighbourhood near = LocalSearch::Around(walker.candidate(), walker.path(), random);
    NearGuide guide(near, entries_.bound(), cut, NearGuide::kSeldom);
    if (!walker.Look(near, guide, random, note)) continue;
    if (accepts && !accepts(walker.neighbour())) continue;
    const double there = look_at(walker.neighbour());
    if (there >= here) continue;
    walker.Go();
    here = there;
  }
  std::ranges::sort(seen, {}, &Seen::score);
  for (const Seen& one : seen) {
    Entry entry = entries_.Make(one.candidate);
    if (!frontier_.IsKnown(entry.code_hash)) return Prospect{std::move(entry), one.score};
  }
  return std::nullopt;
}

double Screen::Expected(const runtime::Candidate& candidate) const {
  return Score(candidate, entries_.BoundOf(candidate), 0);
}

double Screen::Score(const runtime::Candidate& candidate, double bound, double exploration) const {
  if (!learns()) return 0;
  const auto guess = model_.Ask(VectorText(candidate), AmountsOf(candidate), bound);
  return guess ? guess->mean - exploration * guess->deviation : 0;
}

std::span<const double> Screen::AmountsOf(const runtime::Candidate& candidate) const {
  thread_local std::vector<double> amounts;
  amounts.resize(amounts_.count);
  if (amounts_.fill) amounts_.fill(candidate, amounts);
  return amounts;
}

void Screen::Learn(const Lesson& lesson) {
  if (!learns()) return;
  const runtime::Candidate& candidate = lesson.implementation;
  model_.Add(lesson.vector, AmountsOf(candidate), entries_.BoundOf(candidate), lesson.path,
             lesson.near_path, lesson.ns);
}

}  // namespace exh::search
