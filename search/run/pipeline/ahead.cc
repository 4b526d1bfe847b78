// SPDX-License-Identifier: MIT
#include "search/run/pipeline/ahead.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <string>
#include <utility>

#include "base/activity.h"
#include "base/ahead.h"

namespace exh::search {

using kernels::Verdict;

namespace {

Attempt NextOf(Ahead<Attempt>& attempts) {
  const Doing wait(Activity::kWait);
  return attempts.Next();
}

}  // namespace

AheadPipeline::AheadPipeline(const RunParts& parts)
    : Pipeline(parts),
      jobs_(std::max(1, parts.options.jobs)),
      window_(static_cast<std::uint64_t>(
          parts.frontier.learns() ? 2 * jobs_ : std::max(1, parts.options.batch))) {}

void AheadPipeline::CompileTried(Entry entry, std::uint64_t due, Effort effort) {
  auto compiled =
      std::async(std::launch::async, [&evaluator = parts_.evaluator, source = entry.source] {
        const Doing compile(Activity::kCompile);
        return evaluator.Compile(source);
      });
  tried_.push_back({due, std::move(entry), std::move(compiled), effort});
}

void AheadPipeline::EvaluateFirst(Entry entry) {
  RunState& state = parts_.state;
  CompileTried(std::move(entry), 0, Effort::kFinal);
  const std::future<kernels::Compiled>& compiled = tried_.back().compiled;
  const double end = state.now() + parts_.options.first_patience_s;
  bool ready = false;
  while (!ready && !state.Stopped() && state.now() < end) {
    ready = compiled.wait_for(std::chrono::milliseconds(20)) == std::future_status::ready;
  }
  if (ready && !state.Stopped()) MeasureTried(std::prev(tried_.end()));
}

void AheadPipeline::Run() {
  RunState& state = parts_.state;
  const auto make = [this](std::uint64_t number) {
    Random random = RandomOf(number);
    Attempt attempt;
    const Doing descend(Activity::kDescend);
    parts_.proposer.Propose(random, attempt);
    if (!attempt.entry || parts_.frontier.IsKnown(attempt.entry->code_hash)) return attempt;
    Compile(*attempt.entry);
    return attempt;
  };
  const HandOut order = parts_.frontier.learns() ? HandOut::kAsMade : HandOut::kInOrder;
  Ahead<Attempt> attempts(jobs_, window_, order, make);
  while (!state.Stopped()) {
    LookForEnd();
    const auto tried = NextTried();
    if (tried != tried_.end()) {
      MeasureTried(tried);
      continue;
    }
    Attempt attempt = NextOf(attempts);
    state.ShowStatus(false);
    if (!state.Accept(attempt)) continue;
    Entry& entry = *attempt.entry;
    if (!entry.is_trial || entry.compiled.verdict != Verdict::kCorrect) {
      parts_.judge.Evaluate(entry);
    } else if (parts_.judge.Try(entry)) {
      CompileTried(std::move(entry), state.attempts() + window_);
    }
    state.ShowStatus(false);
  }
  // Where nothing new is found, what was tried is still worth its evaluation.
  const std::string why = state.why();
  if (why != "exhausted" && why != "stuck") return;
  state.GoOn();
  while (!tried_.empty() && !state.Stopped()) MeasureTried(tried_.begin());
  if (state.why().empty()) state.End(why);
}

std::deque<AheadPipeline::Tried>::iterator AheadPipeline::NextTried() {
  if (tried_.empty()) return tried_.end();
  if (!parts_.frontier.learns()) {
    return tried_.front().due <= parts_.state.attempts() ? tried_.begin() : tried_.end();
  }
  const auto ready = std::ranges::find_if(tried_, [](const Tried& tried) {
    return tried.compiled.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
  });
  const auto most = static_cast<std::size_t>(4 * jobs_);
  return ready == tried_.end() && tried_.size() >= most ? tried_.begin() : ready;
}

void AheadPipeline::MeasureTried(std::deque<Tried>::iterator which) {
  Tried tried = std::move(*which);
  tried_.erase(which);
  const double trial_ms = tried.entry.compiled.compile_ms;
  tried.entry.compiled = tried.compiled.get();
  tried.entry.compiled.compile_ms += trial_ms;
  const bool is_known = parts_.state.winners().has_incumbent();
  parts_.judge.Evaluate(tried.entry, is_known ? Effort::kQuick : tried.effort);
  parts_.state.ShowStatus(false);
}

}  // namespace exh::search
