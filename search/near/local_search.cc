// SPDX-License-Identifier: MIT
#include "search/near/local_search.h"

#include <algorithm>
#include <array>
#include <utility>

#include "base/hash.h"
#include "search/descend/value_set.h"
#include "search/descend/weights.h"
#include "search/near/related.h"

namespace exh::search {

using runtime::Candidate;
using runtime::DecisionId;
using runtime::Instance;

namespace {

std::uint64_t FamilyOf(const Path& path) {
  std::uint64_t hash = kFnvStart;
  for (std::size_t step = 0; step < path.size() / 2; ++step) {
    const int numbers[] = {path[step].decision, path[step].value};
    hash = Fnv1a64({reinterpret_cast<const char*>(numbers), sizeof(numbers)}, hash);
  }
  return hash;
}

/// Any live decision of the choice, with a value that it does not have.
std::optional<PathStep> OtherValue(const Candidate& candidate, int choice, Random& random) {
  const Instance& instance = candidate.instance();
  const DecisionId begin = instance.first_decision(choice), end = instance.end_decision(choice);
  constexpr int kTries = 16;
  for (int number = 0; number < kTries; ++number) {
    const auto decision = begin + static_cast<DecisionId>(random.Below(end - begin));
    if (!candidate.IsLive(decision)) continue;
    ValueSet others = ValueSet::OfRoot(instance, decision);
    others.Remove(candidate, decision);
    if (others.empty()) continue;
    return PathStep{static_cast<int>(decision), others.Draw(random)};
  }
  return std::nullopt;
}

DecisionId DecisionOf(const PathStep& step) {
  return static_cast<DecisionId>(step.decision);
}

/// Which decisions of a neighbourhood are open, or what changes first.
enum class Kind { kFew, kSameChoice, kSameObject, kFirst, kTrade };

/// What changes first costs as much as ten neighbours that keep everything else: it is drawn less
/// often.
Kind DrawKind(bool are_trades_there, Random& random) {
  constexpr std::array kKinds = {Kind::kFew,        Kind::kFew,        Kind::kSameChoice,
                                 Kind::kSameChoice, Kind::kSameObject, Kind::kSameObject,
                                 Kind::kFirst,      Kind::kTrade};
  return kKinds[random.Below(kKinds.size() - (are_trades_there ? 0 : 1))];
}

}  // namespace

bool RestrictTo(std::span<const PathStep> steps, Candidate& candidate) {
  if (steps.empty()) return true;
  std::vector<runtime::Action> actions;
  for (const PathStep& step : steps) {
    actions.push_back(runtime::Action::Take(DecisionOf(step), step.value));
  }
  return candidate.Restrict(actions) == runtime::Propagation::kFixpoint;
}

const std::vector<LocalSearch::Elite>* LocalSearch::ElitesOf(std::uint64_t structure) const {
  const auto found = std::ranges::find(structures_, structure, &Elites::structure);
  return found == structures_.end() ? nullptr : &found->members;
}

std::optional<std::vector<LocalSearch::Elite>::const_iterator> LocalSearch::RoomFor(
    const std::vector<Elite>& elites, std::uint64_t family, double ns) const {
  const auto is_related = [&](const Elite& elite) { return elite.family == family; };
  const bool is_full_family =
      static_cast<std::size_t>(std::ranges::count_if(elites, is_related)) >= options_.related;
  if (!is_full_family && elites.size() < options_.elites) return elites.end();
  // The slowest member makes room; where the family is full, the slowest of the family.
  auto last = elites.end() - 1;
  while (is_full_family && !is_related(*last)) --last;
  if (last->ns <= ns) return std::nullopt;
  return last;
}

bool LocalSearch::MayTake(std::uint64_t structure, double ns) const {
  const std::lock_guard lock(mutex_);
  const std::vector<Elite>* const elites = ElitesOf(structure);
  return elites == nullptr || elites->size() < options_.elites || ns < elites->back().ns;
}

bool LocalSearch::Takes(std::uint64_t structure, const Path& path, double ns) const {
  if (path.empty()) return false;
  const std::lock_guard lock(mutex_);
  const std::vector<Elite>* const elites = ElitesOf(structure);
  return elites == nullptr || RoomFor(*elites, FamilyOf(path), ns).has_value();
}

void LocalSearch::Count(std::uint64_t structure) {
  const std::lock_guard lock(mutex_);
  const auto found = std::ranges::find(structures_, structure, &Elites::structure);
  if (found == structures_.end()) return;
  ++found->stale;
  for (Elites& one : structures_) one.recent *= 1 - 1 / options_.window;
  ++found->recent;
}

void LocalSearch::Add(const Candidate& candidate, const Path& path, double ns) {
  if (path.empty()) return;
  const std::uint64_t family = FamilyOf(path), structure = StructureOf(candidate);
  const std::lock_guard lock(mutex_);
  auto found = std::ranges::find(structures_, structure, &Elites::structure);
  if (found == structures_.end()) found = structures_.insert(found, {structure, {}, ns, 0});
  std::vector<Elite>& elites = found->members;
  const auto room = RoomFor(elites, family, ns);
  if (!room) return;
  if (*room != elites.end()) elites.erase(*room);
  ++version_;
  const auto place = std::ranges::upper_bound(elites, ns, {}, &Elite::ns);
  elites.insert(place, {candidate, path, ns, family});
  if (ns < (1 - options_.progress) * found->fastest) {
    found->fastest = ns;
    found->stale = 0;
  }
  std::ranges::stable_sort(structures_, {}, [](const Elites& e) { return e.members.front().ns; });
}

std::vector<LocalSearch::Fast> LocalSearch::Fastest(std::size_t count) const {
  std::vector<Fast> fastest;
  {
    const std::lock_guard lock(mutex_);
    for (const Elites& one : structures_) {
      for (std::size_t rank = 0; rank < std::min(count, one.members.size()); ++rank) {
        const Elite& elite = one.members[rank];
        fastest.push_back({elite.candidate, elite.path, elite.ns});
      }
    }
  }
  std::ranges::stable_sort(fastest, {}, &Fast::ns);
  return fastest;
}

std::uint64_t LocalSearch::version() const {
  const std::lock_guard lock(mutex_);
  return version_;
}

bool LocalSearch::is_ready() const {
  const std::lock_guard lock(mutex_);
  return !structures_.empty();
}

std::optional<std::uint64_t> LocalSearch::DrawStructure(Random& random) const {
  if (!is_ready()) return std::nullopt;
  const std::lock_guard lock(mutex_);
  double all_due = 0, all_recent = 0;
  std::vector<double> weights;
  for (const Elites& one : structures_) {
    weights.push_back(1 / static_cast<double>(weights.size() + 1) /
                      (1 + one.stale / options_.patience));
    all_due += weights.back();
    all_recent += one.recent;
  }
  // All evaluations of a structure count, whichever proposer they came from.
  for (std::size_t index = 0; index < weights.size(); ++index) {
    const double due = weights[index] / all_due;
    const double had = all_recent > 0 ? structures_[index].recent / all_recent : 0;
    weights[index] = std::max(due - had, options_.always * due);
  }
  return structures_[DrawWeighted(weights, random)].structure;
}

std::optional<Neighbourhood> LocalSearch::Draw(std::uint64_t structure, Random& random) const {
  std::optional<Elite> elite;
  std::optional<Candidate> mate;
  {
    const std::lock_guard lock(mutex_);
    const std::vector<Elite>* const elites = ElitesOf(structure);
    if (elites == nullptr) return std::nullopt;
    const double place = random.Real() * random.Real();
    const auto index = static_cast<std::size_t>(place * static_cast<double>(elites->size()));
    elite = (*elites)[index];
    const std::size_t other = random.Below(elites->size());
    if (random.Below(3) == 0 && other != index) mate = (*elites)[other].candidate;
  }
  Neighbourhood near = Around(elite->candidate, elite->path, trades_, random);
  near.mate = std::move(mate);
  return near;
}

Neighbourhood LocalSearch::Around(const Candidate& candidate, const Path& path,
                                  const Trades& trades, Random& random) {
  const Instance& instance = candidate.instance();
  const DecisionId chosen = DecisionOf(path[random.Below(path.size())]);
  std::vector<DecisionId> open = {chosen};
  const Kind kind = DrawKind(trades.are_there(), random);
  if (kind == Kind::kTrade) {
    std::vector<PathStep> trade = trades.Draw(candidate, path, random);
    if (!trade.empty()) return {candidate, std::nullopt, {}, std::move(trade), path};
  } else if (kind == Kind::kFirst) {
    if (const auto first = OtherValue(candidate, instance.choice(chosen), random)) {
      return {candidate, std::nullopt, {}, {*first}, path};
    }
  }
  if (kind == Kind::kFew || kind == Kind::kTrade) {
    while (random.Below(2) == 0) open.push_back(DecisionOf(path[random.Below(path.size())]));
  } else {
    for (const PathStep& step : path) {
      const DecisionId other = DecisionOf(step);
      const bool is_near = kind == Kind::kSameChoice
                               ? instance.choice(other) == instance.choice(chosen)
                               : ShareObject(instance, other, chosen);
      if (is_near && random.Below(2) == 0) open.push_back(other);
    }
  }
  std::ranges::sort(open);
  return {candidate, std::nullopt, std::move(open), {}, path};
}

int NearGuide::Draw(const Candidate& state, DecisionId decision, int depth, Random& random) {
  const int kept = OnlyCommonValue(neighbourhood_.elite, state, decision);
  if (!std::ranges::binary_search(neighbourhood_.open, decision)) {
    return kept >= 0 ? kept : Guide::Draw(state, decision, depth, random);
  }
  if (neighbourhood_.mate) {
    const int wanted = OnlyCommonValue(*neighbourhood_.mate, state, decision);
    if (wanted >= 0) return wanted;
  }
  for (;;) {
    const int value = Guide::Draw(state, decision, depth, random);
    if (has_changed_ || value != kept) {
      has_changed_ = true;
      return value;
    }
  }
}

bool NearGuide::Prunes(const Candidate& child) {
  if (!bound_ || until_next_-- > 0) return false;
  until_next_ = every_ - 1;
  return bound_(child) >= cut_;
}

}  // namespace exh::search
