// SPDX-License-Identifier: MIT
#include "search/run/winners.h"

#include <algorithm>
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

void Winners::CompileRestored(int jobs, const std::function<bool()>& has_time) {
  std::vector<Winner*> restored;
  if (incumbent_ && incumbent_->is_restored) restored.push_back(&*incumbent_);
  for (Winner& finalist : finalists_) {
    if (finalist.is_restored) restored.push_back(&finalist);
  }
  std::vector<std::pair<Winner*, kernels::Source>> all;
  for (Winner* const one : restored) {
    const bool is_there =
        std::ranges::any_of(all, [&](const auto& a) { return a.first->n == one->n; });
    if (!is_there) all.emplace_back(one, evaluator_.Emit(one->candidate));
  }
  std::vector<kernels::Compiled> compiled(all.size());
  std::vector<char> is_done(all.size());  // Of threads: each writes its own.
  RunInParallel(all.size(), jobs, [&](std::size_t index) {
    if (index > 0 && !has_time()) return false;
    compiled[index] = evaluator_.CompileOf(all[index].second, all[index].first->candidate);
    is_done[index] = 1;
    return true;
  });
  for (std::size_t index = 0; index < all.size(); ++index) {
    if (is_done[index] == 0) continue;
    const std::uint64_t n = all[index].first->n;
    for (Winner* const one : restored) {
      if (one->n != n) continue;
      one->compiled = compiled[index];
      one->is_restored = false;
    }
  }
  std::erase_if(finalists_, [](const Winner& finalist) { return finalist.is_restored; });
}

}  // namespace exh::search
