// SPDX-License-Identifier: MIT
#include "search/view/eval_sample.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace exh::search {

void EvalSample::Add(EvalRecord eval) {
  latest_.push_back(eval);
  if (latest_.size() > most_latest_) latest_.pop_front();
  if (eval.verdict != kernels::Verdict::kCorrect || !(eval.best_ns > 0)) return;
  const double ns = eval.best_ns;
  fastest_.emplace(ns, std::move(eval));
  if (fastest_.size() <= most_fastest_) return;
  AddOther(std::move(fastest_.extract(std::prev(fastest_.end())).mapped()));
}

void EvalSample::AddOther(EvalRecord eval) {
  if (num_others_++ % step_ == 0) others_.push_back(std::move(eval));
  if (others_.size() <= most_others_) return;
  for (std::size_t i = 1; 2 * i < others_.size(); ++i) others_[i] = std::move(others_[2 * i]);
  others_.resize((others_.size() + 1) / 2);
  step_ *= 2;
}

const EvalRecord* EvalSample::Find(std::uint64_t n) const {
  for (const EvalRecord& eval : latest_) {
    if (eval.n == n) return &eval;
  }
  for (const auto& [ns, eval] : fastest_) {
    if (eval.n == n) return &eval;
  }
  for (const EvalRecord& eval : others_) {
    if (eval.n == n) return &eval;
  }
  return nullptr;
}

void EvalSample::SetBest(std::uint64_t n) {
  if (!best_.empty() && best_.front().n == n) return;
  if (const EvalRecord* const eval = Find(n)) best_ = {*eval};
}

std::vector<EvalRecord> EvalSample::evals() const {
  std::vector<EvalRecord> all = best_;
  for (const auto& [ns, eval] : fastest_) all.push_back(eval);
  all.insert(all.end(), others_.begin(), others_.end());
  all.insert(all.end(), latest_.begin(), latest_.end());
  std::ranges::stable_sort(all, {}, &EvalRecord::n);
  const auto again = std::ranges::unique(all, {}, &EvalRecord::n);
  all.erase(again.begin(), again.end());
  return all;
}

}  // namespace exh::search
