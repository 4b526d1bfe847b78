// SPDX-License-Identifier: MIT
#include "search/proposer.h"

#include <algorithm>
#include <utility>

#include "search/crc32c.h"
#include "search/decisions.h"
#include "search/replay.h"
#include "search/rollout.h"

namespace exh::search {
namespace {

using kernels::Verdict;

/// What may be fast counts, and not only what probably is: by how much, is drawn each time anew, up
/// to this.
constexpr double kMostHope = 2;

/// Of walks, the share that begins anywhere, and the share that may leave the structure in which
/// it begins: the model knows best what has been tried most, and would lead all of them there.
constexpr double kFromAnywhere = 0.3, kFree = 0.25;

Descender::OnDeadEnd NoteIn(Attempt& attempt) {
  return [&attempt](const DeadEnd& dead_end) { attempt.dead_ends.push_back(dead_end); };
}

}  // namespace

Proposer::Proposer(const runtime::Candidate& root, const ChoiceOrder& order, Evaluator& evaluator,
                   TreeSearch* tree, const ProposerOptions& options, std::uint64_t seed)
    : root_(root),
      order_(order),
      evaluator_(evaluator),
      tree_(tree),
      options_(options),
      near_order_(ChoiceOrder::ForRepair(root.instance())),
      local_(root),
      model_(root.instance(), options.amounts.count, seed) {}

Attempt Proposer::Make(Random& random) const {
  Attempt attempt;
  if (tree_ == nullptr) {
    MakeAtRandom(random, attempt);
  } else if (random.Real() >= options_.local_share || !MakeNear(random, attempt)) {
    MakeFromTree(attempt);
  }
  return attempt;
}

// ---- A descent --------------------------------------------------------------------------------

void Proposer::MakeAtRandom(Random& random, Attempt& attempt) const {
  Guide uniform;
  const PatientDescent descent =
      DescendPatiently(root_, order_, Patience(), random, uniform, NoteIn(attempt));
  attempt.result = descent.result;
  if (descent.result != DescentResult::kImplementation) return;
  Found found = FoundBy(descent, order_, {});
  attempt.entry = EntryOf(found);
  attempt.entry->path = std::move(found.path);
}

void Proposer::MakeFromTree(Attempt& attempt) const {
  attempt.selection = tree_->Select();
  attempt.is_idle = !attempt.selection;
  if (attempt.is_idle) return;
  const Selection& selection = *attempt.selection;
  const runtime::Candidate start = tree_->CandidateOf(selection);
  Random random = tree_->RandomOf(selection);
  BoundGuide guide(options_.bound, selection.cut, options_.weighted_depth);
  // A rollout takes longer than a step of a walk, and the tree wants to hear of all kinds.
  constexpr int kStepsPerRollout = 4;
  const bool chooses = options_.screen > kStepsPerRollout && model_.is_ready();
  const int rollouts = chooses ? options_.screen / kStepsPerRollout : 1;
  const double hope = rollouts > 1 ? kMostHope * random.Real() : 0;
  std::optional<Found> best;
  for (int number = 0; number < rollouts; ++number) {
    const PatientDescent descent =
        DescendPatiently(start, order_, kRolloutPatience, random, guide, NoteIn(attempt));
    attempt.pruned += descent.pruned;
    // The first speaks for what is below the selection.
    if (number == 0) attempt.result = descent.result;
    if (descent.result != DescentResult::kImplementation) break;
    Found found = FoundBy(descent, order_, selection.path);
    if (rollouts > 1) found.score = Score(found.candidate, found.bound, hope);
    if (!best || found.score < best->score) best = std::move(found);
  }
  if (!best) return;
  Entry entry = EntryOf(*best);
  entry.path = std::move(best->path);
  entry.selection = selection;
  if (options_.bound) entry.bound = std::max(entry.bound, selection.bound);
  attempt.entry = std::move(entry);
}

// ---- Near the fastest -------------------------------------------------------------------------

bool Proposer::MakeNear(Random& random, Attempt& attempt) const {
  if (options_.screen == 1 || !model_.is_ready()) return LookAround(random, attempt);
  std::vector<Found> way = Walk(random, attempt);
  return std::ranges::any_of(way, [&](Found& found) { return Take(found, attempt); });
}

bool Proposer::LookAround(Random& random, Attempt& attempt) const {
  // Much of what is near was seen, is cut or a dead end; to compile something costs far more than
  // to look again.
  constexpr int kTries = 4;
  for (int number = 0; number < kTries; ++number) {
    const auto structure = local_.DrawStructure(random);
    const auto near = structure ? local_.Draw(*structure, random) : std::nullopt;
    if (!near) return false;
    NearGuide guide(*near, options_.bound, tree_->cut());
    runtime::Candidate start = root_;
    if (near->first && !RestrictTo(*near->first, start)) continue;
    PatientDescent descent =
        DescendPatiently(start, near_order_, kLocalPatience, random, guide, NoteIn(attempt));
    if (descent.result != DescentResult::kImplementation) continue;
    descent.backed_out |= near->first.has_value();
    Found found = FoundBy(descent, near_order_, {});
    if (Take(found, attempt)) return true;
  }
  return false;
}

std::vector<Proposer::Found> Proposer::Walk(Random& random, Attempt& attempt) const {
  const double cut = tree_->cut(), hope = kMostHope * random.Real();
  const auto note = NoteIn(attempt);
  std::vector<Found> way;
  Walker walker(root_, near_order_);
  if (!BeginWalk(walker, random, attempt)) return way;
  const bool is_free = random.Real() < kFree;
  const std::uint64_t structure = local_.StructureOf(walker.candidate());
  const auto arrive = [&](double bound, double score) {
    way.push_back({walker.candidate(), walker.path(), bound, score});
  };
  const double bound = BoundOf(walker.candidate());
  arrive(bound, Score(walker.candidate(), bound, hope));
  for (int step = 0; step < options_.screen; ++step) {
    const Neighbourhood near = LocalSearch::Around(walker.candidate(), walker.path(), random);
    NearGuide guide(near, options_.bound, cut);
    if (!walker.Look(near, guide, random, note)) continue;
    if (!is_free && local_.StructureOf(walker.neighbour()) != structure) continue;
    const double new_bound = BoundOf(walker.neighbour());
    const double score = Score(walker.neighbour(), new_bound, hope);
    if (score >= way.back().score) continue;
    walker.Go();
    arrive(new_bound, score);
  }
  std::ranges::reverse(way);
  return way;
}

bool Proposer::BeginWalk(Walker& walker, Random& random, Attempt& attempt) const {
  const auto structure = local_.DrawStructure(random);
  if (!structure) return false;
  if (random.Real() >= kFromAnywhere) {
    const std::optional<Neighbourhood> near = local_.Draw(*structure, random);
    if (!near) return false;
    NearGuide guide(*near, options_.bound, tree_->cut());
    return walker.Begin(near->first, guide, random, NoteIn(attempt));
  }
  // Some structures are rare; then it is another one.
  constexpr int kTries = 8;
  for (int number = 0; number < kTries; ++number) {
    BoundGuide uniform(options_.bound, tree_->cut(), 0);
    if (!walker.Begin({}, uniform, random, NoteIn(attempt))) return false;
    if (local_.StructureOf(walker.candidate()) == *structure) break;
  }
  return true;
}

bool Proposer::Take(Found& found, Attempt& attempt) const {
  Entry entry = EntryOf(found);
  if (tree_->IsKnown(entry.code_hash)) return false;
  CompletePath(root_, entry.candidate, order_, entry.path);
  entry.near_path = std::move(found.path);
  attempt.selection = tree_->SelectTo(entry.path);
  if (!attempt.selection) return false;
  entry.selection = attempt.selection;
  entry.bound = std::max(entry.bound, attempt.selection->bound);
  attempt.result = DescentResult::kImplementation;
  attempt.entry = std::move(entry);
  return true;
}

// ---- What both share --------------------------------------------------------------------------

Proposer::Found Proposer::FoundBy(const PatientDescent& descent, const ChoiceOrder& order,
                                  Path path) const {
  Found found{descent.descender.candidate(), std::move(path)};
  const Path below = descent.descender.path();
  found.path.insert(found.path.end(), below.begin(), below.end());
  if (descent.backed_out) CompletePath(root_, found.candidate, order, found.path);
  found.bound = BoundOf(found.candidate);
  return found;
}

double Proposer::BoundOf(const runtime::Candidate& candidate) const {
  if (options_.bound) return options_.bound(candidate);
  return options_.check ? options_.check(candidate) : 0;
}

double Proposer::Score(const runtime::Candidate& candidate, double bound, double hope) const {
  const auto guess = model_.Ask(VectorText(candidate), AmountsOf(candidate), bound);
  return guess ? guess->mean - hope * guess->deviation : 0;
}

std::span<const double> Proposer::AmountsOf(const runtime::Candidate& candidate) const {
  thread_local std::vector<double> amounts;
  amounts.resize(options_.amounts.count);
  if (options_.amounts.fill) options_.amounts.fill(candidate, amounts);
  return amounts;
}

Entry Proposer::EntryOf(const Found& found) const {
  Entry entry{.candidate = found.candidate};
  entry.vector = VectorText(entry.candidate);
  entry.source = evaluator_.Emit(entry.candidate);
  const std::string code = WithoutComments(entry.source.text);
  entry.code = HashText(code);
  entry.code_hash = Fnv1a64(code);
  entry.bound = found.bound;
  return entry;
}

// ---- Results ----------------------------------------------------------------------------------

void Proposer::Learn(const Entry& entry, double ns) {
  if (tree_ == nullptr) return;
  Learn(entry.candidate, entry.vector, entry.path, entry.near_path, ns);
}

void Proposer::Learn(const Log& log) {
  const bool learns = options_.local_share > 0 || options_.screen > 1;
  if (tree_ == nullptr || !learns) return;
  for (const EvalRecord& eval : log.evals) {
    if (eval.verdict == kernels::VerdictName(Verdict::kBroken)) continue;
    runtime::Candidate candidate = root_;
    ReplayRecord(log, eval, candidate);
    const bool is_timed = eval.verdict == kernels::VerdictName(Verdict::kCorrect);
    Learn(candidate, eval.vector, eval.path, {}, is_timed ? eval.best_ns : 0);
  }
}

void Proposer::Learn(const runtime::Candidate& candidate, const std::string& vector,
                     const Path& path, Path near_path, double ns) {
  const std::uint64_t structure = local_.StructureOf(candidate);
  local_.Count(structure);
  if (ns > 0 && options_.local_share > 0 && local_.MayTake(structure, ns)) {
    if (near_path.empty()) CompletePath(root_, candidate, near_order_, near_path);
    local_.Add(candidate, near_path, ns);
  } else {
    near_path.clear();
  }
  if (options_.screen == 1) return;
  model_.Add(vector, AmountsOf(candidate), BoundOf(candidate), path, near_path, ns);
}

}  // namespace exh::search
