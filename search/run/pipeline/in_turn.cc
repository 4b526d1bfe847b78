// SPDX-License-Identifier: MIT
#include "search/run/pipeline/in_turn.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/parallel.h"

namespace exh::search {

void InTurn::EvaluateFirst(Entry entry) {
  entry.compiled = parts_.evaluator.Compile(entry.source);
  Measure(entry);
}

void InTurn::Run() {
  RunState& state = parts_.state;
  while (!state.Stopped()) {
    LookForEnd();
    std::vector<Entry> batch = Fill();
    // What is in the batch when nothing new is found is still worth its evaluation.
    const bool nothing_new = state.why() == "exhausted" || state.why() == "stuck";
    if (nothing_new && !batch.empty()) state.GoOn();
    parts_.judge.WatchMachine();
    for (Entry& entry : batch) {
      if (entry.ready) Measure(entry);
    }
  }
}

void InTurn::Measure(Entry& entry) {
  if (parts_.state.Stopped()) {
    parts_.state.winners().Release(entry.vector, entry.compiled);
  } else {
    parts_.judge.Evaluate(entry);
  }
  parts_.state.ShowStatus(false);
}

std::uint64_t InTurn::BatchSize() const {
  const auto size = static_cast<std::uint64_t>(std::max(1, parts_.options.batch));
  const auto left = parts_.state.EvaluationsLeft();
  return left ? std::min(size, *left) : size;
}

std::vector<Entry> InTurnByOne::Fill() {
  RunState& state = parts_.state;
  const std::uint64_t size = BatchSize();
  std::vector<Entry> batch;
  while (batch.size() < size && !state.Stopped()) {
    Attempt attempt;
    parts_.proposer.Propose(random_, attempt);
    if (state.Accept(attempt)) batch.push_back(*std::move(attempt.entry));
    state.ShowStatus(false);
  }
  RunInParallel(batch.size(), parts_.options.jobs, [&](std::size_t index) {
    if (state.StopReason() || (index > 0 && state.StopperReason())) return false;
    Compile(batch[index]);
    batch[index].ready = true;
    return true;
  });
  return batch;
}

std::vector<Entry> InTurnByMany::Fill() {
  RunState& state = parts_.state;
  std::vector<std::optional<Attempt>> attempts(BatchSize());
  RunInParallel(attempts.size(), parts_.options.jobs, [&](std::size_t index) {
    if (state.StopReason()) return false;
    Random random = RandomOf(proposed_ + index);
    Attempt attempt;
    parts_.proposer.Propose(random, attempt);
    if (attempt.entry && !parts_.frontier.IsKnown(attempt.entry->code_hash)) {
      Compile(*attempt.entry);
      attempt.entry->ready = true;
    }
    attempts[index] = std::move(attempt);
    return true;
  });
  proposed_ += attempts.size();
  std::vector<Entry> batch;
  for (std::optional<Attempt>& attempt : attempts) {
    if (!attempt) continue;
    if (state.Accept(*attempt)) {
      batch.push_back(*std::move(attempt->entry));
    } else if (attempt->entry && attempt->entry->ready) {
      // Another of the batch has the same source.
      parts_.evaluator.Discard(attempt->entry->compiled);
    }
  }
  state.ShowStatus(false);
  return batch;
}

}  // namespace exh::search
