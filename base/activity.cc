// SPDX-License-Identifier: MIT
#include "base/activity.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <vector>

#include "base/trace/trace.h"

namespace exh {
namespace {

using SteadyTime = std::chrono::steady_clock::time_point;

std::array<std::atomic<std::int64_t>, kNumActivities> g_nanoseconds{};

/// What this thread is at.
struct Current {
  const Doing* scope = nullptr;
  Activity activity = Activity::kDescend;
  SteadyTime since;
};
thread_local Current t_current;

void Add(Activity activity, std::int64_t ns) {
  g_nanoseconds[static_cast<std::size_t>(activity)].fetch_add(ns, std::memory_order_relaxed);
}

/// Counts what the current scope took until now.
void Settle(SteadyTime now) {
  if (t_current.scope != nullptr) {
    Add(t_current.activity,
        std::chrono::duration_cast<std::chrono::nanoseconds>(now - t_current.since).count());
  }
  t_current.since = now;
}

// ---- Spans of a trace -------------------------------------------------------------------------

/// Shorter ones within others are not written: a search looks at hundreds of candidates for each
/// that it compiles. What they take together is written beside the scope around them.
constexpr auto kShortest = std::chrono::microseconds(100);

/// A scope that will be a span.
struct Level {
  const Doing* scope = nullptr;
  SteadyTime began;
  std::array<std::int64_t, kNumActivities> within{};  ///< Nanoseconds of what is not written.
};
thread_local std::vector<Level> t_levels;

/// What is beside a scope: microseconds, by activity.
constexpr std::array<std::string_view, kNumActivities> kWithin = {
    "descend_us", "look_us", "lower_us", "compile_us", "full_us",
    "check_us",   "time_us", "learn_us", "wait_us"};

/// How the row of a thread is called whose first scope is this.
std::string_view KindOf(Activity activity) {
  switch (activity) {
    case Activity::kDescend:
    case Activity::kLook:
    case Activity::kLower:
    case Activity::kFull:
      return "proposer";
    case Activity::kCompile:
      return "compiler";
    case Activity::kLearn:
      return "learner";
    case Activity::kCheck:
    case Activity::kTime:
    case Activity::kWait:
      break;
  }
  return "judge";
}

/// Is this scope, the innermost one, a span? A trace may have begun in it.
bool IsSpan(const Doing& scope) {
  return !t_levels.empty() && t_levels.back().scope == &scope;
}

void BeginSpan(const Doing& scope, Activity activity, SteadyTime now) {
  TraceThreadKind(KindOf(activity));
  t_levels.push_back({&scope, now});
}

void EndSpan(Activity activity, SteadyTime now) {
  const Level level = t_levels.back();
  t_levels.pop_back();
  if (now - level.began < kShortest && !t_levels.empty()) {
    std::array<std::int64_t, kNumActivities>& around = t_levels.back().within;
    std::int64_t own = std::chrono::nanoseconds(now - level.began).count();
    for (std::size_t i = 0; i < kNumActivities; ++i) {
      around[i] += level.within[i];
      own -= level.within[i];
    }
    around[static_cast<std::size_t>(activity)] += std::max<std::int64_t>(0, own);
    return;
  }
  std::array<TraceArg, kNumActivities> args;
  std::size_t count = 0;
  for (std::size_t i = 0; i < kNumActivities; ++i) {
    if (level.within[i] == 0) continue;
    constexpr double kNsPerUs = 1e3;
    args[count++] = {kWithin[i], static_cast<double>(level.within[i]) / kNsPerUs};
  }
  TraceSpanOf(NameOf(activity), level.began, now, args.data(), count);
}

}  // namespace

std::string_view NameOf(Activity activity) {
  constexpr std::array<std::string_view, kNumActivities> kNames = {
      "descend", "look", "lower", "compile", "full", "check", "time", "learn", "wait"};
  return kNames[static_cast<std::size_t>(activity)];
}

ActivitySeconds SecondsOfActivities() {
  ActivitySeconds seconds{};
  for (std::size_t i = 0; i < kNumActivities; ++i) {
    seconds[i] = static_cast<double>(g_nanoseconds[i].load(std::memory_order_relaxed)) / 1e9;
  }
  return seconds;
}

Doing::Doing(Activity activity)
    : outer_(t_current.scope), outer_activity_(t_current.activity), activity_(activity) {
  const SteadyTime now = std::chrono::steady_clock::now();
  Settle(now);
  t_current.scope = this;
  t_current.activity = activity;
  if (IsTraced()) BeginSpan(*this, activity, now);
}

Doing::~Doing() {
  const SteadyTime now = std::chrono::steady_clock::now();
  Settle(now);
  t_current.scope = outer_;
  t_current.activity = outer_activity_;
  if (IsSpan(*this)) EndSpan(activity_, now);
}

void Doing::Move(Activity to, double seconds) {
  const auto ns = static_cast<std::int64_t>(std::max(0.0, seconds) * 1e9);
  Add(activity_, -ns);
  Add(to, ns);
  if (IsSpan(*this)) t_levels.back().within[static_cast<std::size_t>(to)] += ns;
}

}  // namespace exh
