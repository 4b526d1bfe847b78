// SPDX-License-Identifier: MIT
#include "search/propose/near_elites.h"

#include <cmath>
#include <utility>

#include "search/descend/rollout.h"

namespace exh::search {
namespace {

/// The island that an implementation was found for.
struct FromIsland final : EntryOrigin {
  explicit FromIsland(std::shared_ptr<Island> of) : island(std::move(of)) {}
  std::shared_ptr<Island> island;
};

}  // namespace

NearElites::NearElites(const EntryMaker& entries, Frontier& frontier,
                       std::shared_ptr<Screen> screen, const NearElitesOptions& options)
    : entries_(entries),
      frontier_(frontier),
      screen_(std::move(screen)),
      options_(options),
      near_order_(ChoiceOrder::ForRepair(entries.root().instance())),
      structures_(entries.root()),
      local_(entries.root(), options.elites),
      islands_(entries.root(), options.islands) {}

bool NearElites::Propose(Random& random, Attempt& attempt) {
  if (!screen_->is_ready()) return LookAround(random, attempt);
  std::optional<Prospect> best;
  for (int number = 0; number < options_.walks; ++number) {
    std::optional<Prospect> prospect;
    const auto walk = [&] { prospect = WalkFromSomewhere(random, attempt); };
    if (!entries_.Guard(entries_.root(), walk)) continue;
    if (!prospect || (best && best->score <= prospect->score)) continue;
    best = std::move(prospect);
    if (best->score < std::log(options_.worthwhile * frontier_.cut())) break;
  }
  if (!best || !frontier_.Admit(std::move(best->entry), ChosenBy::kLocal, attempt)) return false;
  screen_->NoteProposed(*attempt.entry);
  return true;
}

bool NearElites::LookAround(Random& random, Attempt& attempt) {
  for (int number = 0; number < options_.tries; ++number) {
    const auto structure = local_.DrawStructure(random);
    const auto near = structure ? local_.Draw(*structure, random) : std::nullopt;
    if (!near) return false;
    NearGuide guide(*near, entries_.bound(), frontier_.cut());
    runtime::Candidate start = entries_.root();
    if (!RestrictTo(near->first, start)) continue;
    std::optional<Entry> entry;
    const bool is_sound = entries_.Guard(start, [&] {
      const PatientDescent descent =
          DescendPatiently(start, near_order_, kLocalPatience, random, guide, NoteIn(attempt));
      if (descent.result != DescentResult::kImplementation) return;
      entry = entries_.Make(descent.descender.candidate());
    });
    if (!is_sound || !entry) continue;
    if (frontier_.Admit(*std::move(entry), ChosenBy::kLocal, attempt)) return true;
  }
  return false;
}

std::optional<Prospect> NearElites::WalkFromSomewhere(Random& random, Attempt& attempt) {
  const bool is_on_island = random.Real() < options_.on_islands;
  const std::shared_ptr<Island> island = is_on_island ? islands_.Draw(random) : nullptr;
  const LocalSearch& local = island ? island->local : local_;
  auto structure = island ? std::optional(island->structure) : local_.DrawStructure(random);
  if (!structure) return std::nullopt;
  const bool is_anywhere = island ? !local.is_ready() : random.Real() < options_.from_anywhere;
  const bool is_at_start = is_anywhere && island && island->start;
  if (is_at_start) structure = structures_.Add(*island->start);
  std::optional<runtime::Candidate> across;
  if (!is_anywhere && random.Real() < options_.across) {
    across = StepAcross(local, *structure, random, attempt);
    if (!across) return std::nullopt;
    structure = structures_.Add(*across);
  }
  const runtime::Candidate root = structures_.Confined(*structure);
  Walker walker(root, near_order_);
  if (across) {
    walker.BeginAt(*across);
  } else if (is_at_start) {
    walker.BeginAt(*island->start);
  } else if (is_anywhere) {
    if (!BeginAnywhere(walker, random, attempt)) return std::nullopt;
  } else if (!BeginNear(local, *structure, walker, random, attempt)) {
    return std::nullopt;
  }
  std::optional<Prospect> prospect =
      screen_->Walk(walker, frontier_.cut(), random, NoteIn(attempt));
  if (prospect && island) prospect->entry.origin = std::make_shared<const FromIsland>(island);
  return prospect;
}

bool NearElites::BeginNear(const LocalSearch& local, std::uint64_t structure, Walker& walker,
                           Random& random, Attempt& attempt) const {
  for (int number = 0; number < options_.tries; ++number) {
    const auto near = local.Draw(structure, random);
    if (!near) return false;
    NearGuide guide(*near, entries_.bound(), frontier_.cut(), NearGuide::kSeldom);
    if (walker.BeginNear(*near, guide, random, NoteIn(attempt))) return true;
  }
  return false;
}

bool NearElites::BeginAnywhere(Walker& walker, Random& random, Attempt& attempt) const {
  BoundGuide uniform(entries_.bound(), frontier_.cut(), 0);
  return walker.Begin(uniform, random, NoteIn(attempt));
}

std::optional<runtime::Candidate> NearElites::StepAcross(const LocalSearch& local,
                                                         std::uint64_t structure, Random& random,
                                                         Attempt& attempt) const {
  Walker walker(entries_.root(), near_order_);
  if (!BeginNear(local, structure, walker, random, attempt)) return std::nullopt;
  return walker.candidate();
}

void NearElites::Learn(Lesson& lesson) {
  const std::uint64_t structure = structures_.Add(lesson.implementation);
  local_.Count(structure);
  islands_.LearnOf(structure);
  const auto* const from = dynamic_cast<const FromIsland*>(lesson.origin.get());
  const bool is_timed = lesson.ns > 0;
  const bool is_elite = is_timed && local_.MayTake(structure, lesson.ns);
  if (is_elite || (from != nullptr && is_timed)) {
    const auto complete = [&] {
      CompletePath(entries_.root(), lesson.implementation, near_order_, lesson.near_path);
    };
    if (!entries_.Guard(lesson.implementation, complete)) return;
  }
  if (is_elite) local_.Add(lesson.implementation, lesson.near_path, lesson.ns);
  if (from == nullptr) return;
  islands_.Learn(from->island, lesson.implementation, lesson.near_path, lesson.ns);
}

}  // namespace exh::search
