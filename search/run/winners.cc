// SPDX-License-Identifier: MIT
#include "search/run/winners.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/parallel.h"
#include "search/log/replay.h"

namespace exh::search {

using kernels::Verdict;

Winner WinnerOf(const Entry& entry, const EvalRecord& record) {
  return {record.n,    record.best_ns,        LearnedTime(record), entry.candidate,
          entry.path,  entry.vector,          entry.compiled,      false,
          entry.bound, record.workspace_bytes};
}

void Winners::Promote(Winner winner) {
  const std::optional<Winner> last = std::exchange(incumbent_, std::move(winner));
  if (last) Release(last->vector, last->compiled);
}

bool Winners::CompileIncumbent() {
  if (incumbent_->is_restored) {
    incumbent_->compiled =
        evaluator_.CompileOf(evaluator_.Emit(incumbent_->candidate), incumbent_->candidate);
    incumbent_->is_restored = false;
  }
  return incumbent_->compiled.verdict == Verdict::kCorrect;
}

void Winners::Offer(Winner finalist) {
  if (most_ < 2) return;
  const auto takes_less = [&](const Winner& a, const Winner& b) {
    return TakesLess(objective_, a.workspace_bytes, b.workspace_bytes);
  };
  if (!finalists_.empty() && takes_less(finalists_.back(), finalist)) return;
  while (!finalists_.empty() && takes_less(finalist, finalists_.back())) DropLastFinalist();
  const auto place =
      std::ranges::upper_bound(finalists_, finalist.compared_ns, {}, &Winner::compared_ns);
  const auto most = static_cast<std::size_t>(most_);
  if (place == finalists_.end() && finalists_.size() >= most) return;
  finalists_.insert(place, std::move(finalist));
  if (finalists_.size() > most) DropLastFinalist();
}

void Winners::DropLastFinalist() {
  const Winner last = std::move(finalists_.back());
  finalists_.pop_back();
  Release(last.vector, last.compiled);
}

void Winners::Release(const std::string& vector, const kernels::Compiled& compiled) {
  if (incumbent_ && incumbent_->vector == vector) return;
  if (held_.contains(vector)) return;
  const auto is_it = [&](const Winner& finalist) { return finalist.vector == vector; };
  if (std::ranges::any_of(finalists_, is_it)) return;
  evaluator_.Discard(compiled);
}

void Winners::LetGo(const std::string& vector, const kernels::Compiled& compiled) {
  held_.erase(held_.find(vector));
  Release(vector, compiled);
}

void Winners::Restore(const Log& log, const runtime::Candidate& root) {
  std::vector<const EvalRecord*> fastest;
  for (const EvalRecord& eval : log.evals) {
    if (eval.verdict == Verdict::kCorrect) fastest.push_back(&eval);
  }
  const auto wanted = static_cast<std::size_t>(most_ > 1 ? most_ : 0);
  const auto most = std::min(fastest.size(), wanted);
  const auto middle = fastest.begin() + static_cast<std::ptrdiff_t>(most);
  std::partial_sort(fastest.begin(), middle, fastest.end(), [&](const auto* a, const auto* b) {
    const Merit merit_a{a->workspace_bytes, LearnedTime(*a)};
    const Merit merit_b{b->workspace_bytes, LearnedTime(*b)};
    if (IsBetter(objective_, merit_a, merit_b)) return true;
    return !IsBetter(objective_, merit_b, merit_a) && a->n < b->n;
  });
  fastest.erase(middle, fastest.end());
  for (const EvalRecord* eval : fastest) Offer(Restored(log, *eval, eval->best_ns, root));
  const EvalRecord* const best = log.Best();
  if (best == nullptr) return;
  incumbent_ = Restored(log, *best, log.BestTime(), root);
  incumbent_->compared_ns = log.bests.back().compared_ns();
}

Winner Winners::Restored(const Log& log, const EvalRecord& eval, double ns,
                         const runtime::Candidate& root) {
  runtime::Candidate candidate = root;
  ReplayRecord(log, eval, candidate);
  Winner winner{eval.n, ns,   QuietTime(eval), std::move(candidate), eval.path, eval.vector,
                {},     true, eval.bound_ns,   eval.workspace_bytes};
  winner.compiled.source = evaluator_.Emit(winner.candidate).text;
  return winner;
}

void Winners::CompileRestored(int jobs) {
  std::vector<Winner*> restored;
  for (Winner& finalist : finalists_) {
    if (finalist.is_restored) restored.push_back(&finalist);
  }
  if (incumbent_ && incumbent_->is_restored) restored.push_back(&*incumbent_);
  std::map<std::uint64_t, const Winner*> by_number;
  for (const Winner* one : restored) by_number.emplace(one->n, one);
  std::vector<std::pair<std::uint64_t, kernels::Source>> all;
  for (const auto& [n, one] : by_number) all.emplace_back(n, evaluator_.Emit(one->candidate));
  std::vector<kernels::Compiled> compiled(all.size());
  RunInParallel(all.size(), jobs, [&](std::size_t index) {
    const auto& [n, source] = all[index];
    compiled[index] = evaluator_.CompileOf(source, by_number.at(n)->candidate);
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
