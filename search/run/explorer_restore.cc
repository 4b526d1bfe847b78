// SPDX-License-Identifier: MIT
//
// Runs that go on: what an explorer knows, from the log of its run.
#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/parallel.h"
#include "search/log/decisions.h"
#include "search/log/replay.h"
#include "search/run/explorer.h"

namespace exh::search {
namespace {

using kernels::Verdict;

/// A seed for part number `part` of a run: streams of neighbouring seeds and parts have nothing in
/// common.
std::uint64_t SeedOfPart(std::uint64_t seed, std::uint64_t part) {
  return Random(seed ^ (part * 0xd1342543de82ef95ULL)).Below(UINT64_MAX);
}

}  // namespace

void Explorer::Restore(const Log& log) {
  if (tree_) tree_->Restore(log);
  RestoreCounts(log);
  RestoreBest(log);
  before_ = log.last_dt;
  // The tree draws by the numbers of its events, which go on. Other descents would begin anew.
  options_.seed = SeedOfPart(options_.seed, log.resumes.size() + 1);
  random_ = Random(options_.seed);
}

void Explorer::RestoreCounts(const Log& log) {
  EndRecord& end = outcome_.end;
  for (const EvalRecord& eval : log.evals) {
    end.evaluations = std::max(end.evaluations, eval.n);
    ++end.verdicts[std::string(kernels::VerdictName(eval.verdict))];
    NoteFailure(eval);
    ++status_.verdicts[eval.verdict];
    if (tree_ || eval.verdict == Verdict::kBroken) continue;
    seen_vectors_.insert(HashOfText(eval.hash));
    seen_codes_.insert(HashOfText(eval.code));
  }
  for (const DeadRecord& dead : log.deads) ++end.dead_ends[dead.label];
  status_.dead_ends = log.deads.size();
  for (const ViolationRecord& violation : log.violations) NoteViolation(violation);
  NoteUnwrittenViolation(log);
  if (tree_) {
    for (const SelectRecord& select : log.selects) end.descents += select.is_closed ? 0 : 1;
    for (const ResultRecord& result : log.results) {
      end.duplicates += result.what == "known" ? 1 : 0;
      // What a rollout pruned has no line of its own. A selection that yielded nothing may be due
      // to that, and then not every implementation was evaluated.
      const bool may_be_cut = result.what == "empty" || result.what == "failed";
      if (options_.proposer.bound && may_be_cut) ++rollouts_cut_;
    }
    return;
  }
  // Only the end of a run says how many descents yielded nothing new.
  const auto& counted = log.end ? log.end : log.earlier_end;
  end.descents = end.evaluations;
  if (!counted) return;
  end.descents += counted->descents - std::min(counted->descents, counted->evaluations);
  end.duplicates = counted->duplicates;
}

/// The very last evaluation may have been below its bound, and the line that says so not written.
void Explorer::NoteUnwrittenViolation(const Log& log) {
  if (log.evals.empty()) return;
  const EvalRecord& last = log.evals.back();
  if (!IsViolation(last)) return;
  if (!log.violations.empty() && log.violations.back().n == last.n) return;
  ViolationRecord violation;
  violation.n = last.n;
  violation.ns = last.best_ns;
  violation.bound_ns = last.bound_ns;
  NoteViolation(violation);
}

void Explorer::RestoreBest(const Log& log) {
  std::vector<const EvalRecord*> fastest;
  for (const EvalRecord& eval : log.evals) {
    if (eval.verdict == Verdict::kCorrect) fastest.push_back(&eval);
  }
  const int wanted = options_.finalists > 1 ? options_.finalists : 0;
  const auto most = std::min(fastest.size(), static_cast<std::size_t>(wanted));
  const auto middle = fastest.begin() + static_cast<std::ptrdiff_t>(most);
  std::partial_sort(fastest.begin(), middle, fastest.end(), [](const auto* a, const auto* b) {
    return std::pair(a->best_ns, a->n) < std::pair(b->best_ns, b->n);
  });
  fastest.erase(middle, fastest.end());
  for (const EvalRecord* eval : fastest) AddFinalist(WinnerOf(log, *eval, eval->best_ns));
  proposer_.Learn(log);
  if (const EvalRecord* best = log.Best()) outcome_.winner = WinnerOf(log, *best, log.BestTime());

  // An evaluation is written before what follows from it: the very last one may be a best that has
  // no line of its own yet.
  const auto& end = log.end ? log.end : log.earlier_end;
  if (log.evals.empty() || (end && end->evaluations >= log.evals.back().n)) return;
  const EvalRecord& last = log.evals.back();
  const double ns = TimeOf(last);
  const bool is_faster = last.verdict == Verdict::kCorrect && last.again_ns > 0 &&
                         (log.bests.empty() || ns < log.BestTime());
  if (is_faster) unwritten_ = WinnerOf(log, last, ns);
}

Winner Explorer::WinnerOf(const Log& log, const EvalRecord& eval, double ns) {
  runtime::Candidate candidate = root_;
  ReplayRecord(log, eval, candidate);
  Winner winner{eval.n, ns, std::move(candidate), eval.path, eval.vector, {}, true, eval.bound_ns};
  winner.compiled.source = evaluator_.Emit(winner.candidate).text;
  return winner;
}

void Explorer::TakeUp() {
  if (tree_) tree_->GiveUpOpen();
  if (unwritten_) Promote(*std::exchange(unwritten_, std::nullopt));
}

void Explorer::CompileRestored() {
  std::vector<Winner*> restored;
  for (Winner& finalist : outcome_.finalists) {
    if (finalist.is_restored) restored.push_back(&finalist);
  }
  Winner* const winner = outcome_.winner ? &*outcome_.winner : nullptr;
  if (winner != nullptr && winner->is_restored) restored.push_back(winner);
  std::map<std::uint64_t, kernels::Source> sources;
  for (const Winner* one : restored) {
    if (sources.count(one->n) == 0) sources.emplace(one->n, evaluator_.Emit(one->candidate));
  }
  std::vector<std::pair<std::uint64_t, kernels::Source>> all(sources.begin(), sources.end());
  std::vector<kernels::Compiled> compiled(all.size());
  RunInParallel(all.size(), options_.jobs, [&](std::size_t index) {
    compiled[index] = evaluator_.Compile(all[index].second);
    return true;
  });
  for (std::size_t index = 0; index < all.size(); ++index) {
    for (Winner* one : restored) {
      if (one->n != all[index].first) continue;
      one->compiled = compiled[index];
      one->is_restored = false;
    }
  }
}

}  // namespace exh::search
