// SPDX-License-Identifier: MIT
#include "search/run/proposer.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/hash.h"
#include "search/descend/rollout.h"
#include "search/log/decisions.h"
#include "search/log/replay.h"

namespace exh::search {
namespace {

using kernels::Verdict;

/// The exploration weight of each walk is drawn from [0, kMostHope): some walks trust the model's
/// mean, others prefer what it is uncertain about (Score).
constexpr double kMostHope = 2;

/// The share of walks on lines; of the others, the share that starts at a random implementation.
constexpr double kOfLines = 0.5, kFromAnywhere = 0.1;

/// When even the score of the best that a walk saw is slower than the cut by more than kWorthwhile,
/// another walk is made, up to kWalks in all: that costs less than a compilation.
constexpr double kWorthwhile = 2;
constexpr int kWalks = 2;

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
      lines_(root),
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

std::optional<Attempt> Proposer::MakeFirst(const runtime::Candidate& implementation) const {
  Attempt attempt;
  if (!Take(EntryOf(implementation), attempt, ChosenBy::kFirst)) return std::nullopt;
  return attempt;
}

// ---- A descent --------------------------------------------------------------------------------

void Proposer::MakeAtRandom(Random& random, Attempt& attempt) const {
  Guide uniform;
  const PatientDescent descent =
      DescendPatiently(root_, order_, Patience(), random, uniform, NoteIn(attempt));
  attempt.result = descent.result;
  if (descent.result != DescentResult::kImplementation) return;
  attempt.entry = EntryOf(descent.descender.candidate());
  attempt.entry->path = PathOf(descent, {});
}

void Proposer::MakeFromTree(Attempt& attempt) const {
  attempt.selection = tree_->Select();
  attempt.is_idle = !attempt.selection;
  if (attempt.is_idle) return;
  const Selection& selection = *attempt.selection;
  const runtime::Candidate start = tree_->CandidateOf(selection);
  Random random = tree_->RandomOf(selection);
  BoundGuide guide(options_.bound, selection.cut, options_.weighted_depth);
  const auto note = NoteIn(attempt);
  const PatientDescent descent =
      DescendPatiently(start, order_, kRolloutPatience, random, guide, note);
  attempt.pruned = descent.pruned;
  attempt.result = descent.result;
  if (descent.result != DescentResult::kImplementation) return;
  const runtime::Candidate& found = descent.descender.candidate();
  std::optional<Prospect> prospect;
  if (options_.screen > 1 && model_.is_ready()) {
    // The decisions of the prefix stay; the walk changes only those below.
    Walker walker(start, near_order_);
    walker.BeginAt(found);
    prospect = Walk(walker, selection.cut, {}, random, note);
  }
  Entry entry = prospect ? std::move(prospect->entry) : EntryOf(found);
  if (prospect) {
    CompletePath(root_, entry.candidate, order_, entry.path);
  } else {
    entry.path = PathOf(descent, selection.path);
  }
  entry.selection = selection;
  if (options_.bound) entry.bound = std::max(entry.bound, selection.bound);
  attempt.entry = std::move(entry);
}

// ---- Near the fastest -------------------------------------------------------------------------

bool Proposer::MakeNear(Random& random, Attempt& attempt) const {
  if (options_.screen == 1 || !model_.is_ready()) return LookAround(random, attempt);
  std::optional<Prospect> best;
  for (int number = 0; number < kWalks; ++number) {
    std::optional<Prospect> prospect = WalkNear(random, attempt);
    if (!prospect || (best && best->score <= prospect->score)) continue;
    best = std::move(prospect);
    if (best->score < std::log(kWorthwhile * tree_->cut())) break;
  }
  return best && Take(std::move(best->entry), attempt);
}

bool Proposer::LookAround(Random& random, Attempt& attempt) const {
  // Many neighbours are known, cut or dead ends; looking again costs far less than compiling.
  constexpr int kTries = 4;
  for (int number = 0; number < kTries; ++number) {
    const auto structure = local_.DrawStructure(random);
    const auto near = structure ? local_.Draw(*structure, random) : std::nullopt;
    if (!near) return false;
    NearGuide guide(*near, options_.bound, tree_->cut());
    runtime::Candidate start = root_;
    if (near->first && !RestrictTo(*near->first, start)) continue;
    const PatientDescent descent =
        DescendPatiently(start, near_order_, kLocalPatience, random, guide, NoteIn(attempt));
    if (descent.result != DescentResult::kImplementation) continue;
    if (Take(EntryOf(descent.descender.candidate()), attempt)) return true;
  }
  return false;
}

std::optional<Proposer::Prospect> Proposer::WalkNear(Random& random, Attempt& attempt) const {
  const std::shared_ptr<Line> line = random.Real() < kOfLines ? lines_.Draw(random) : nullptr;
  Walker walker(root_, near_order_);
  const bool has_begun =
      line ? BeginOn(*line, walker, random, attempt) : BeginNearFastest(walker, random, attempt);
  if (!has_begun) return std::nullopt;
  const std::uint64_t structure = local_.StructureOf(walker.candidate());
  std::optional<Prospect> prospect = Walk(walker, tree_->cut(), structure, random, NoteIn(attempt));
  if (prospect) prospect->entry.line = line;
  return prospect;
}

bool Proposer::BeginNearFastest(Walker& walker, Random& random, Attempt& attempt) const {
  const auto structure = local_.DrawStructure(random);
  if (!structure) return false;
  if (random.Real() < kFromAnywhere) return BeginAnywhere(*structure, walker, random, attempt);
  return BeginNear(local_, *structure, walker, random, attempt);
}

bool Proposer::BeginOn(const Line& line, Walker& walker, Random& random, Attempt& attempt) const {
  if (!line.local.is_ready()) return BeginAnywhere(line.structure, walker, random, attempt);
  return BeginNear(line.local, line.structure, walker, random, attempt);
}

bool Proposer::BeginNear(const LocalSearch& local, std::uint64_t structure, Walker& walker,
                         Random& random, Attempt& attempt) const {
  const auto near = local.Draw(structure, random);
  if (!near) return false;
  NearGuide guide(*near, options_.bound, tree_->cut());
  return walker.Begin(near->first, guide, random, NoteIn(attempt));
}

bool Proposer::BeginAnywhere(std::uint64_t structure, Walker& walker, Random& random,
                             Attempt& attempt) const {
  // A random descent may meet a rare structure only after several tries.
  constexpr int kTries = 8;
  for (int number = 0; number < kTries; ++number) {
    BoundGuide uniform(options_.bound, tree_->cut(), 0);
    if (!walker.Begin({}, uniform, random, NoteIn(attempt))) return false;
    if (local_.StructureOf(walker.candidate()) == structure) return true;
  }
  return false;
}

std::optional<Proposer::Prospect> Proposer::Walk(Walker& walker, double cut,
                                                 std::optional<std::uint64_t> structure,
                                                 Random& random,
                                                 const Descender::OnDeadEnd& note) const {
  struct Seen {
    runtime::Candidate candidate;
    double score;
  };
  std::vector<Seen> seen;
  const double hope = kMostHope * random.Real();
  const auto look_at = [&](const runtime::Candidate& candidate) {
    seen.push_back({candidate, Score(candidate, hope)});
    return seen.back().score;
  };
  double here = look_at(walker.candidate());
  for (int step = 0; step < options_.screen && !walker.path().empty(); ++step) {
    const Neighbourhood near = LocalSearch::Around(walker.candidate(), walker.path(), random);
    NearGuide guide(near, options_.bound, cut);
    if (!walker.Look(near, guide, random, note)) continue;
    if (structure && local_.StructureOf(walker.neighbour()) != *structure) continue;
    const double there = look_at(walker.neighbour());
    if (there >= here) continue;
    walker.Go();
    here = there;
  }
  std::ranges::sort(seen, {}, &Seen::score);
  for (const Seen& one : seen) {
    Entry entry = EntryOf(one.candidate);
    if (!tree_->IsKnown(entry.code_hash)) return Prospect{std::move(entry), one.score};
  }
  return std::nullopt;
}

bool Proposer::Take(Entry entry, Attempt& attempt, ChosenBy chosen_by) const {
  if (tree_->IsKnown(entry.code_hash)) return false;
  CompletePath(root_, entry.candidate, order_, entry.path);
  attempt.selection = tree_->SelectTo(entry.path, chosen_by);
  if (!attempt.selection) return false;
  entry.selection = attempt.selection;
  entry.bound = std::max(entry.bound, attempt.selection->bound);
  attempt.result = DescentResult::kImplementation;
  attempt.entry = std::move(entry);
  return true;
}

// ---- What both share --------------------------------------------------------------------------

Path Proposer::PathOf(const PatientDescent& descent, const Path& start) const {
  Path path = start;
  const Path below = descent.descender.path();
  path.insert(path.end(), below.begin(), below.end());
  if (descent.backed_out) CompletePath(root_, descent.descender.candidate(), order_, path);
  return path;
}

double Proposer::BoundOf(const runtime::Candidate& candidate) const {
  if (options_.bound) return options_.bound(candidate);
  return options_.check ? options_.check(candidate) : 0;
}

double Proposer::Score(const runtime::Candidate& candidate, double hope) const {
  const auto guess = model_.Ask(VectorText(candidate), AmountsOf(candidate), BoundOf(candidate));
  return guess ? guess->mean - hope * guess->deviation : 0;
}

std::span<const double> Proposer::AmountsOf(const runtime::Candidate& candidate) const {
  thread_local std::vector<double> amounts;
  amounts.resize(options_.amounts.count);
  if (options_.amounts.fill) options_.amounts.fill(candidate, amounts);
  return amounts;
}

Entry Proposer::EntryOf(const runtime::Candidate& implementation) const {
  Entry entry{.candidate = implementation};
  entry.vector = VectorText(entry.candidate);
  entry.source = evaluator_.Emit(entry.candidate);
  const std::string code = WithoutComments(entry.source.text);
  entry.code = HashText(code);
  entry.code_hash = Fnv1a64(code);
  entry.bound = BoundOf(implementation);
  return entry;
}

// ---- Results ----------------------------------------------------------------------------------

void Proposer::Learn(const Entry& entry, double ns) {
  if (tree_ == nullptr) return;
  Learn(entry.candidate, entry.vector, entry.path, ns, entry.line);
}

void Proposer::Learn(const Log& log) {
  const bool learns = options_.local_share > 0 || options_.screen > 1;
  if (tree_ == nullptr || !learns) return;
  for (const EvalRecord& eval : log.evals) {
    if (eval.verdict == Verdict::kBroken) continue;
    runtime::Candidate candidate = root_;
    ReplayRecord(log, eval, candidate);
    const bool is_timed = eval.verdict == Verdict::kCorrect;
    Learn(candidate, eval.vector, eval.path, is_timed ? eval.best_ns : 0, nullptr);
  }
}

void Proposer::Learn(const runtime::Candidate& candidate, const std::string& vector,
                     const Path& path, double ns, const std::shared_ptr<Line>& line) {
  const std::uint64_t structure = local_.StructureOf(candidate);
  local_.Count(structure);
  lines_.LearnOf(structure);
  const bool is_elite = ns > 0 && options_.local_share > 0 && local_.MayTake(structure, ns);
  Path near_path;
  if (is_elite || (line && ns > 0)) CompletePath(root_, candidate, near_order_, near_path);
  if (is_elite) local_.Add(candidate, near_path, ns);
  if (line) lines_.Learn(line, candidate, near_path, ns);
  if (options_.screen == 1) return;
  model_.Add(vector, AmountsOf(candidate), BoundOf(candidate), path, near_path, ns);
}

}  // namespace exh::search
