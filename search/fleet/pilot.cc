// SPDX-License-Identifier: MIT
#include "search/fleet/pilot.h"

#include <fmt/format.h>

#include <chrono>
#include <utility>

#include "base/error.h"
#include "base/hash.h"

namespace exh::search {
namespace {

using kernels::Verdict;

/// Between two looks at whether the search has ended. Answers wake who waits for them, of whom
/// there are some for each pilot.
constexpr auto kLook = std::chrono::milliseconds(100);

PilotAnswer Broken(const std::string& why) {
  PilotAnswer answer;
  answer.measurement.verdict = Verdict::kBroken;
  answer.measurement.why = why;
  return answer;
}

PilotMode ModeOf(Effort effort) {
  switch (effort) {
    case Effort::kQuick:
      return PilotMode::kQuick;
    case Effort::kFinal:
      return PilotMode::kFinal;
    case Effort::kAgain:
      return PilotMode::kAgain;
    case Effort::kAudit:
      return PilotMode::kAudit;
  }
  return PilotMode::kQuick;
}

}  // namespace

Pilot::Pilot(std::string name, PilotOptions options, Check check)
    : name_(std::move(name)), options_(std::move(options)), check_(std::move(check)) {
  Launch();
}

Pilot::~Pilot() {
  std::unique_ptr<PilotLink> link;
  {
    const std::lock_guard lock(mutex_);
    link = std::move(link_);
  }
  // Without the lock: its thread may want it.
}

/// Not under the lock, but nobody else uses `link_` meanwhile.
void Pilot::Launch() {
  try {
    link_ = std::make_unique<PilotLink>(
        options_.command, BeatMessage(), options_.silence_s,
        [this](const std::string& message) { return Hear(message); },
        [this](const std::string& why, bool has_died) { End(why, has_died); });
    link_->Send(ToMessage(options_.hello));
  } catch (const Error& error) {
    lost_ = error.what();
  }
}

bool Pilot::Hear(const std::string& message) {
  std::optional<PilotSaid> said = ParseSaid(message);
  if (!said) return false;
  std::function<void()> on_change;
  {
    const std::lock_guard lock(mutex_);
    if (said->ready) {
      const PilotReady& ready = *said->ready;
      lost_ = !ready.why.empty() ? ready.why : check_(ready);
      if (lost_.empty()) ready_ = *std::move(said->ready);
      on_change = on_change_;
    } else if (said->answer) {
      // Late, or a second one: nobody waits for it.
      const auto task = tasks_.find(said->answer->id);
      if (task != tasks_.end() && !task->second) task->second = *std::move(said->answer);
    }
  }
  changed_.notify_all();
  if (on_change) on_change();
  return true;
}

void Pilot::End(const std::string& why, bool has_died) {
  std::function<void()> on_change;
  {
    const std::lock_guard lock(mutex_);
    is_dead_ = true;
    obituary_ = why;
    ++ends_;
    bool is_blamed = has_died;  // The first one that it had not answered.
    for (auto& [id, answer] : tasks_) {
      if (answer) continue;
      answer = Broken(fmt::format("{} died: {}", name_, why));
      answer->has_died = std::exchange(is_blamed, false);
      answer->was_beside = !answer->has_died;
    }
    // One that was never ready has no candidate to blame.
    const bool is_given_up = !has_died || !ready_ || ends_ >= options_.most_deaths;
    if (is_given_up && lost_.empty()) {
      lost_ = ends_ > 1 && has_died ? fmt::format("it died {} times: {}", ends_, why) : why;
    }
    ready_.reset();
    compiled_.clear();
    on_change = on_change_;
  }
  changed_.notify_all();
  if (on_change) on_change();
}

void Pilot::Revive() {
  is_dead_ = false;
  std::unique_ptr<PilotLink> old = std::move(link_);
  old.reset();  // Its thread has ended with End().
  Launch();
}

/// What was under way beside what the pilot died of is asked once more, of the one in its place.
PilotAnswer Pilot::Ask(const PilotTask& task) {
  for (;;) {
    PilotAnswer answer = AskOnce(task);
    if (!answer.was_beside) return answer;
  }
}

PilotAnswer Pilot::AskOnce(PilotTask task) {
  std::unique_lock lock(mutex_);
  if (is_dead_ && lost_.empty()) Revive();
  while (!ready_) {
    if (!lost_.empty()) return Broken(fmt::format("{} is lost: {}", name_, lost_));
    if (is_dead_) return Broken(fmt::format("{} died: {}", name_, obituary_));
    if (IsStopped(options_.stop)) break;
    changed_.wait_for(lock, kLook);
  }
  PilotAnswer stopped;
  stopped.measurement.verdict = Verdict::kStopped;
  if (IsStopped(options_.stop) || !link_) return stopped;
  task.id = next_++;
  tasks_[task.id] = std::nullopt;
  link_->Send(ToMessage(task));
  while (!tasks_[task.id]) {
    if (IsStopped(options_.stop)) {
      if (!is_dead_) link_->Send(StopMessage(task.id));
      tasks_.erase(task.id);
      return stopped;
    }
    changed_.wait_for(lock, kLook);
  }
  PilotAnswer answer = *std::move(tasks_[task.id]);
  tasks_.erase(task.id);
  return answer;
}

PilotAnswer Pilot::Compile(PilotTask task, const std::string& library) {
  task.mode = PilotMode::kCompile;
  PilotAnswer answer = Ask(std::move(task));
  if (answer.measurement.verdict == Verdict::kCorrect) {
    const std::lock_guard lock(mutex_);
    compiled_.insert(Fnv1a64(library));
  }
  return answer;
}

kernels::Measurement Pilot::Measure(const kernels::Compiled& compiled, const Cap& cap,
                                    Effort effort) {
  if (compiled.verdict != Verdict::kCorrect) {
    kernels::Measurement failed;
    failed.verdict = compiled.verdict;
    failed.why = compiled.why;
    return failed;
  }
  PilotTask task = ProgramOf(compiled.library);
  task.mode = ModeOf(effort);
  task.cap = cap;
  const PilotAnswer answer = Ask(std::move(task));
  if (answer.has_died) {
    const std::lock_guard lock(mutex_);
    ++deaths_;
  }
  return answer.measurement;
}

bool Pilot::is_ready() const {
  const std::lock_guard lock(mutex_);
  return ready_.has_value() || (is_dead_ && lost_.empty());
}

int Pilot::deaths() const {
  const std::lock_guard lock(mutex_);
  return deaths_;
}

std::string Pilot::lost() const {
  const std::lock_guard lock(mutex_);
  return lost_;
}

bool Pilot::has(const kernels::Compiled& compiled) const {
  if (compiled.library.empty()) return false;
  const std::uint64_t hash = Fnv1a64(compiled.library);
  const std::lock_guard lock(mutex_);
  return compiled_.contains(hash);
}

std::size_t Pilot::load() const {
  const std::lock_guard lock(mutex_);
  return tasks_.size();
}

std::optional<PilotReady> Pilot::ready() const {
  const std::lock_guard lock(mutex_);
  return ready_;
}

std::string Pilot::LastComplaint() const {
  const std::lock_guard lock(mutex_);
  return link_ ? link_->LastComplaint() : "";
}

void Pilot::OnChange(std::function<void()> changed) {
  const std::lock_guard lock(mutex_);
  on_change_ = std::move(changed);
}

}  // namespace exh::search
