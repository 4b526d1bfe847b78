// SPDX-License-Identifier: MIT
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace exh::search {

/// A thread for each lane, which does one piece of work after the other. Whoever gives it out hears
/// of the ends through one queue, and is the only one who calls the members, but for Wake().
class LaneThreads {
 public:
  /// Of lanes with these names.
  explicit LaneThreads(const std::vector<std::string>& names);
  /// Waits for what is at work.
  ~LaneThreads();
  LaneThreads(const LaneThreads&) = delete;
  LaneThreads& operator=(const LaneThreads&) = delete;

  /// Has everything that was started there come out of Next()?
  bool is_free(std::size_t lane) const { return !threads_[lane].is_busy; }
  bool are_all_free() const { return busy_ == 0; }

  /// Only at a lane that is free.
  void Start(std::size_t lane, std::function<void()> work);
  /// The lane whose work ended first. Waits so many seconds at most; nothing: none ended meanwhile,
  /// or Wake() was called. Throws what that work threw.
  std::optional<std::size_t> Next(double seconds);
  /// From any thread: who waits looks around.
  void Wake();

 private:
  struct One {
    std::thread thread;
    std::function<void()> work;  ///< Empty: there is none.
    std::exception_ptr failure;
    bool is_busy = false;
    std::condition_variable given;  ///< Its own: of many lanes only one has work.
  };
  void Run(std::size_t lane, const std::string& name);

  std::vector<One> threads_;
  std::size_t busy_ = 0;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::size_t> ended_;
  bool is_over_ = false, is_awake_ = false;
};

}  // namespace exh::search
