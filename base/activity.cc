// SPDX-License-Identifier: MIT
#include "base/activity.h"

#include <algorithm>
#include <atomic>
#include <chrono>

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
  Settle(std::chrono::steady_clock::now());
  t_current.scope = this;
  t_current.activity = activity;
}

Doing::~Doing() {
  Settle(std::chrono::steady_clock::now());
  t_current.scope = outer_;
  t_current.activity = outer_activity_;
}

void Doing::Move(Activity to, double seconds) {
  const auto ns = static_cast<std::int64_t>(std::max(0.0, seconds) * 1e9);
  Add(activity_, -ns);
  Add(to, ns);
}

}  // namespace exh
