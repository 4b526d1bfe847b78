// SPDX-License-Identifier: MIT
#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>

namespace exh {

/// Does work beside its owner: one thread takes items in the order in which they are given.
template <typename Item>
class Beside {
 public:
  /// What `use` throws, the next call of Give() or Await() throws; items behind it are still used.
  explicit Beside(std::function<void(Item&)> use)
      : use_(std::move(use)), thread_([this] { Work(); }) {}
  /// Waits for the item that is at work; those behind it are dropped.
  ~Beside() {
    {
      const std::lock_guard lock(mutex_);
      is_over_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }
  Beside(const Beside&) = delete;
  Beside& operator=(const Beside&) = delete;

  void Give(Item item) {
    {
      const std::lock_guard lock(mutex_);
      Rethrow();
      items_.push_back(std::move(item));
    }
    changed_.notify_all();
  }

  /// Waits until all that was given is done.
  void Await() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return items_.empty() && !is_at_work_; });
    Rethrow();
  }

 private:
  void Rethrow() {
    if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
  }

  void Work() {
    std::unique_lock lock(mutex_);
    while (true) {
      changed_.wait(lock, [this] { return is_over_ || !items_.empty(); });
      if (is_over_) return;
      Item item = std::move(items_.front());
      items_.pop_front();
      is_at_work_ = true;
      lock.unlock();
      std::exception_ptr failure;
      try {
        use_(item);
      } catch (...) {
        failure = std::current_exception();
      }
      lock.lock();
      if (failure) failure_ = failure;
      is_at_work_ = false;
      changed_.notify_all();
    }
  }

  std::function<void(Item&)> use_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Item> items_;
  bool is_over_ = false, is_at_work_ = false;
  std::exception_ptr failure_;
  std::thread thread_;
};

}  // namespace exh
