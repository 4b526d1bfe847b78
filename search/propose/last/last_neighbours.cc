// SPDX-License-Identifier: MIT
#include "search/propose/last/last_neighbours.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/hash.h"
#include "search/descend/value_set.h"
#include "search/log/decisions.h"

namespace exh::search {

using runtime::Candidate;
using runtime::DecisionId;

namespace {

std::uint64_t HashOf(const Candidate& candidate) {
  return Fnv1a64(VectorText(candidate));
}

/// For each decision that was taken, every other value that the space has.
std::vector<PathStep> StepsFrom(const Candidate& root, const Candidate& candidate,
                                const Path& path) {
  std::vector<PathStep> steps;
  ValueSet others;
  for (const PathStep& taken : path) {
    const auto decision = static_cast<DecisionId>(taken.decision);
    others.Assign(root, decision);
    others.Remove(candidate, decision);
    others.ForEach([&](int value) { steps.push_back({taken.decision, value}); });
  }
  return steps;
}

}  // namespace

LastNeighbours::LastNeighbours(std::unique_ptr<Proposer> before, const EntryMaker& entries,
                               Frontier& frontier, std::shared_ptr<Screen> screen,
                               const LocalSearch& elites, const ChoiceOrder& order,
                               const LastNeighboursOptions& options)
    : before_(std::move(before)),
      entries_(entries),
      frontier_(frontier),
      screen_(std::move(screen)),
      elites_(elites),
      order_(order),
      options_(options) {}

bool LastNeighbours::Propose(Random& random, Attempt& attempt) {
  if (is_ending_ && ProposeNeighbour(attempt)) return true;
  return before_->Propose(random, attempt);
}

bool LastNeighbours::ProposeNeighbour(Attempt& attempt) {
  // Near the end of all neighbours most are known. The run may be over meanwhile: whoever proposes
  // is not to look on for ever.
  constexpr int kMostLooks = 2;
  for (int number = 0; number < kMostLooks; ++number) {
    const bool is_any_left = Look(attempt);
    while (const std::optional<Task> best = TakeBest()) {
      const std::optional<Candidate> neighbour = TakeGuarded(*best, [](const DeadEnd&) {});
      if (!neighbour) continue;  // It is cut by now.
      if (!frontier_.Admit(entries_.Make(*neighbour), ChosenBy::kLast, attempt)) continue;
      screen_->NoteProposed(*attempt.entry);
      return true;
    }
    if (!is_any_left) return false;
  }
  return false;
}

bool LastNeighbours::Look(Attempt& attempt) {
  for (int look = 0; look < std::max(1, options_.looks); ++look) {
    const std::optional<Task> task = NextTask();
    if (!task) return false;
    LookAt(*task, NoteIn(attempt));
  }
  return true;
}

void LastNeighbours::LookAt(const Task& task, const Descender::OnDeadEnd& note) {
  const std::optional<Candidate> neighbour = TakeGuarded(task, note);
  std::optional<double> expected;
  if (neighbour) expected = screen_->Expected(*neighbour);
  const std::uint64_t hash = neighbour ? HashOf(*neighbour) : 0;
  const std::lock_guard lock(mutex_);
  if (task.steps.size() == 1) {
    const bool is_dropped = expected && !std::isfinite(*expected);
    task.base->pairs.Note(task.single, is_dropped ? std::nullopt : expected);
  }
  if (neighbour && vectors_.insert(hash).second) found_.emplace(*expected, task.number);
}

std::optional<LastNeighbours::Task> LastNeighbours::NextTask() {
  const std::lock_guard lock(mutex_);
  FindBases();
  const auto has_left = [](const auto& base) { return base->next < base->pairs.steps().size(); };
  const auto base = std::ranges::find_if(bases_, has_left);
  if (base == bases_.end()) return NextPair();
  const std::size_t single = (*base)->next++;
  return Deal(*base, {(*base)->pairs.steps()[single]}, single);
}

std::optional<LastNeighbours::Task> LastNeighbours::NextPair() {
  for (const std::shared_ptr<Base>& base : bases_) {
    // Another thread is still looking where a step of it leads.
    if (!base->pairs.AreAllNoted()) continue;
    if (!base->worst) {
      base->worst = screen_->Expected(base->candidate) + std::log(options_.first_of_pair);
    }
    const auto pair = base->pairs.Next(base->candidate.instance(), *base->worst);
    if (pair) return Deal(base, {pair->first, pair->second}, 0);
  }
  return std::nullopt;
}

const LastNeighbours::Task& LastNeighbours::Deal(const std::shared_ptr<Base>& base,
                                                 std::vector<PathStep> steps, std::size_t single) {
  return tasks_.emplace_back(Task{base, std::move(steps), single, tasks_.size()});
}

void LastNeighbours::FindBases() {
  const std::uint64_t version = elites_.version();
  if (version_ == version) return;
  version_ = version;
  for (LocalSearch::Fast& fast : elites_.Fastest(options_.fastest)) {
    const std::uint64_t hash = HashOf(fast.candidate);
    if (std::ranges::find(bases_, hash, &Base::hash) != bases_.end()) continue;
    vectors_.insert(hash);
    PairsOfSteps pairs(StepsFrom(entries_.root(), fast.candidate, fast.path));
    auto base = std::make_shared<Base>(
        Base{std::move(fast.candidate), fast.ns, hash, std::move(fast.path), std::move(pairs)});
    bases_.insert(std::ranges::upper_bound(bases_, base->ns, {}, &Base::ns), std::move(base));
  }
}

std::optional<Candidate> LastNeighbours::TakeGuarded(const Task& task,
                                                     const Descender::OnDeadEnd& note) const {
  std::optional<Candidate> neighbour;
  entries_.Guard(task.base->candidate, [&] { neighbour = Take(task, note); });
  return neighbour;
}

std::optional<Candidate> LastNeighbours::Take(const Task& task,
                                              const Descender::OnDeadEnd& note) const {
  constexpr std::uint64_t kStream = 0x9e3779b97f4a7c15ULL;
  Random random((task.number + 1) * kStream);
  const Neighbourhood near{task.base->candidate, std::nullopt, {}, task.steps, task.base->path};
  NearGuide guide(near, entries_.bound(), frontier_.cut(), NearGuide::kSeldom);
  Candidate start = entries_.root();
  if (!RestrictTo(task.steps, start) || guide.Prunes(start)) return std::nullopt;
  Leap leap(start);
  if (!leap.Run(start, near.path, 0, near, guide, random, note)) return std::nullopt;
  PatientDescent descent = DescendPatiently(start, order_, kLocalPatience, random, guide, note);
  if (descent.result != DescentResult::kImplementation) return std::nullopt;
  return descent.descender.candidate();
}

std::optional<LastNeighbours::Task> LastNeighbours::TakeBest() {
  const std::lock_guard lock(mutex_);
  if (found_.empty()) return std::nullopt;
  const std::uint64_t number = found_.extract(found_.begin()).value().second;
  return tasks_[number];
}

}  // namespace exh::search
