// SPDX-License-Identifier: MIT
#include "search/run/lanes/lane_threads.h"

#include <chrono>
#include <utility>

#include "base/trace/trace.h"

namespace exh::search {

LaneThreads::LaneThreads(const std::vector<std::string>& names) : threads_(names.size()) {
  for (std::size_t lane = 0; lane < names.size(); ++lane) {
    threads_[lane].thread = std::thread([this, lane, name = names[lane]] { Run(lane, name); });
  }
}

LaneThreads::~LaneThreads() {
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
  }
  for (One& one : threads_) {
    one.given.notify_one();
    one.thread.join();
  }
}

void LaneThreads::Start(std::size_t lane, std::function<void()> work) {
  {
    const std::lock_guard lock(mutex_);
    threads_[lane].is_busy = true;
    threads_[lane].work = std::move(work);
    ++busy_;
  }
  threads_[lane].given.notify_one();
}

std::optional<std::size_t> LaneThreads::Next(double seconds) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, std::chrono::duration<double>(seconds),
                    [&] { return !ended_.empty() || is_awake_; });
  is_awake_ = false;
  if (ended_.empty()) return std::nullopt;
  const std::size_t lane = ended_.front();
  ended_.pop_front();
  threads_[lane].is_busy = false;
  --busy_;
  if (threads_[lane].failure) {
    std::rethrow_exception(std::exchange(threads_[lane].failure, nullptr));
  }
  return lane;
}

void LaneThreads::Wake() {
  {
    const std::lock_guard lock(mutex_);
    is_awake_ = true;
  }
  changed_.notify_all();
}

void LaneThreads::Run(std::size_t lane, const std::string& name) {
  TraceThread(name);
  One& own = threads_[lane];
  std::unique_lock lock(mutex_);
  while (true) {
    own.given.wait(lock, [&] { return own.work || is_over_; });
    if (!own.work) return;
    const std::function<void()> work = std::exchange(own.work, nullptr);
    lock.unlock();
    std::exception_ptr failure;
    try {
      work();
    } catch (...) {
      failure = std::current_exception();
    }
    lock.lock();
    own.failure = failure;
    ended_.push_back(lane);
    changed_.notify_all();
  }
}

}  // namespace exh::search
