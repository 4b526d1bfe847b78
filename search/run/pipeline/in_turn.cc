// SPDX-License-Identifier: MIT
#include "search/run/pipeline/in_turn.h"

#include <algorithm>
#include <mutex>
#include <optional>
#include <utility>

#include "base/activity.h"
#include "base/parallel.h"
#include "base/trace/trace.h"

namespace exh::search {

void InTurn::EvaluateFirst(Entry entry) {
  entry.compiled = parts_.evaluator.CompileOf(entry.source, entry.candidate);
  Measure(entry);
}

void InTurn::Run() {
  RunState& state = parts_.state;
  while (!state.Stopped()) {
    LookForEnd();
    std::vector<Entry> batch = NextBatch();
    // What is in the batch when nothing new is found is still worth its evaluation.
    const bool nothing_new = state.why() == "exhausted" || state.why() == "stuck";
    if (nothing_new && !batch.empty()) state.GoOn();
    parts_.judge.WatchMachine();
    std::size_t left = batch.size();
    for (Entry& entry : batch) {
      TraceCounter("batch", static_cast<double>(left--));
      if (entry.ready) Measure(entry);
    }
    TraceCounter("batch", 0);
  }
}

std::vector<Entry> InTurn::NextBatch() {
  const Doing wait(Activity::kWait);
  return Fill();
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
    {
      const Doing descend(Activity::kDescend);
      parts_.proposer.Propose(random_, attempt);
    }
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

Attempt InTurnByMany::Propose(std::uint64_t number) const {
  Random random = RandomOf(number);
  Attempt attempt;
  const Doing descend(Activity::kDescend);
  parts_.proposer.Propose(random, attempt);
  return attempt;
}

std::vector<Entry> InTurnByMany::Fill() {
  RunState& state = parts_.state;
  std::vector<std::optional<Attempt>> attempts(BatchSize());
  std::mutex mutex;
  std::size_t taken = 0, at_work = 0, looking_ahead = 0;
  const auto compile_next = [&](std::unique_lock<std::mutex>& lock) {
    const std::size_t index = taken++;
    ++at_work;
    std::optional<Attempt> attempt;
    if (!ahead_.empty()) {
      attempt = std::move(ahead_.front());
      ahead_.pop_front();
    }
    const std::uint64_t number = attempt ? 0 : proposed_++;
    lock.unlock();
    if (!attempt) attempt = Propose(number);
    if (attempt->entry && !parts_.frontier.IsKnown(attempt->entry->code_hash)) {
      Compile(*attempt->entry);
      attempt->entry->ready = true;
    }
    lock.lock();
    --at_work;
    attempts[index] = std::move(attempt);
  };
  const auto look_ahead = [&](std::unique_lock<std::mutex>& lock) {
    ++looking_ahead;
    const std::uint64_t number = proposed_++;
    lock.unlock();
    Attempt attempt = Propose(number);
    lock.lock();
    --looking_ahead;
    ahead_.push_back(std::move(attempt));
  };
  const auto workers = static_cast<std::size_t>(std::max(1, parts_.options.jobs));
  RunInParallel(workers, parts_.options.jobs, [&](std::size_t) {
    std::unique_lock lock(mutex);
    while (!state.StopReason()) {
      if (taken < attempts.size()) {
        compile_next(lock);
      } else if (at_work > 0 && ahead_.size() + looking_ahead < attempts.size()) {
        look_ahead(lock);
      } else {
        return true;
      }
    }
    return false;
  });
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
