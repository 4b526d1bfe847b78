// SPDX-License-Identifier: MIT
#include "search/propose/screen.h"

#include <algorithm>
#include <limits>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "base/activity.h"
#include "base/hash.h"
#include "search/log/decisions.h"

namespace exh::search {
namespace {

/// The score of what is not compiled at all.
constexpr double kBeforeAll = -std::numeric_limits<double>::infinity();
/// Of what nobody goes to.
constexpr double kNever = std::numeric_limits<double>::infinity();

}  // namespace

Screen::Screen(const EntryMaker& entries, const Frontier& frontier, const AmountsFunction& amounts,
               const ScreenOptions& options, std::uint64_t seed)
    : entries_(entries),
      frontier_(frontier),
      amounts_(amounts),
      options_(options),
      trades_(entries.root().instance()),
      model_(entries.root().instance(), amounts.count, seed, options.prior, amounts.guess,
             options.best_weight > 0) {}

std::optional<Prospect> Screen::Walk(Walker& walker, double cut, Random& random,
                                     const Descender::OnDeadEnd& note) const {
  struct Seen {
    runtime::Candidate candidate;
    double score;
  };
  std::vector<Seen> seen;
  Taste taste{options_.most_exploration * random.Real()};
  if (options_.likeness_weight > 0) taste.in_flight = Likeness(in_flight_.All());
  std::vector<std::pair<runtime::Candidate, Dropped>> dropped;
  // What was looked at already costs a draw and nothing else. Walks end also where there is nothing
  // new to look at.
  std::unordered_set<std::uint64_t> vectors;
  const auto look_at = [&](const runtime::Candidate& candidate) {
    const std::string vector = VectorText(candidate);
    if (!vectors.insert(Fnv1a64(vector)).second) return kNever;
    const double bound = entries_.BoundOf(candidate);
    if (bound >= cut) return kNever;
    Dropped why;
    const auto score = Score(candidate, vector, bound, taste, why);
    if (!score) {
      dropped.emplace_back(candidate, std::move(why));
      return kNever;
    }
    seen.push_back({candidate, *score});
    return *score;
  };
  double here = look_at(walker.candidate());
  const auto most = static_cast<std::size_t>(options_.steps);
  for (std::size_t step = 0; step < most && vectors.size() <= most && !walker.path().empty();
       ++step) {
    const Neighbourhood near =
        LocalSearch::Around(walker.candidate(), walker.path(), trades_, random);
    if (!near.first.empty()) {
      NearGuide guide(near, entries_.bound(), cut, NearGuide::kSeldom);
      if (!walker.Look(near, guide, random, note)) continue;
      const double there = look_at(walker.neighbour());
      if (there >= here) continue;
      walker.Go();
      here = there;
      continue;
    }
    if (!walker.Open(near)) continue;
    std::optional<runtime::Candidate> best;
    double there = here;
    for (int inside = 0; inside < options_.inside; ++inside) {
      NearGuide guide(near, entries_.bound(), cut, NearGuide::kSeldom);
      if (!walker.LookInside(guide, random, note)) continue;
      const double score = look_at(walker.neighbour());
      if (score >= there) continue;
      there = score;
      best = walker.neighbour();
    }
    if (!best) continue;
    walker.GoTo(*best);
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
  const std::string vector = VectorText(candidate);
  return Score(candidate, vector, entries_.BoundOf(candidate), {}, why).value_or(kBeforeAll);
}

std::optional<double> Screen::Score(const runtime::Candidate& candidate, const std::string& vector,
                                    double bound, const Taste& taste, Dropped& why) const {
  if (!learns()) return 0;
  const auto amounts = AmountsOf(candidate, why);
  if (!amounts) return std::nullopt;
  const Doing look(Activity::kLook);
  const auto guess = model_.Ask(vector, *amounts, bound);
  if (!guess) return 0;
  return guess->mean - taste.exploration * guess->deviation -
         options_.best_weight * guess->log_best +
         options_.likeness_weight * taste.in_flight.Of(vector);
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

void Screen::NoteProposed(const Entry& entry) {
  if (learns() && options_.likeness_weight > 0) in_flight_.Add(entry.vector);
}

void Screen::Learn(const Lesson& lesson) {
  if (!learns()) return;
  if (options_.likeness_weight > 0) in_flight_.Remove(lesson.vector);
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
