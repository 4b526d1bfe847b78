// SPDX-License-Identifier: MIT
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "base/activity.h"
#include "base/trace/trace.h"

namespace exh {

enum class HandOut {
  kInOrder,  ///< What comes out does not depend on how many threads there are.
  kAsMade,   ///< One that takes long holds nobody up.
};

/// Makes items 0, 1, 2 … with several threads and hands them out. `make` is called from any of
/// them.
template <typename Item>
class Ahead {
 public:
  /// At most `window` items are made and not yet handed out. `notify`, which may be empty, is
  /// called from any of the threads whenever one more of them is made.
  Ahead(int threads, std::uint64_t window, HandOut order, std::function<Item(std::uint64_t)> make,
        std::function<void()> notify = {})
      : window_(window), order_(order), make_(std::move(make)), notify_(std::move(notify)) {
    for (int i = 0; i < threads; ++i) threads_.emplace_back([this] { Work(); });
  }
  /// Waits for the items that are being made.
  ~Ahead() {
    {
      const std::lock_guard lock(mutex_);
      stopped_ = true;
    }
    room_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }
  Ahead(const Ahead&) = delete;
  Ahead& operator=(const Ahead&) = delete;

  /// The next item; waits for it. Throws what `make` threw.
  Item Next() {
    std::unique_lock lock(mutex_);
    there_.wait(lock, [&] { return is_there(); });
    return Take(lock);
  }

  /// The next item, if it is there. Throws what `make` threw.
  std::optional<Item> Poll() {
    std::unique_lock lock(mutex_);
    if (!is_there()) return std::nullopt;
    return Take(lock);
  }

 private:
  /// The length of the queue, in a trace.
  static constexpr std::string_view kTracedAs = "made ahead";

  struct Made {
    std::unique_ptr<Item> item;
    std::exception_ptr failure;
  };

  bool is_there() const {
    return !made_.empty() && (order_ == HandOut::kAsMade || made_.begin()->first == next_);
  }

  Item Take(std::unique_lock<std::mutex>& lock) {
    Made made = std::move(made_.extract(made_.begin()).mapped());
    ++next_;
    const std::size_t left = made_.size();
    lock.unlock();
    TraceCounter(kTracedAs, static_cast<double>(left));
    room_.notify_one();
    if (made.failure) std::rethrow_exception(made.failure);
    return std::move(*made.item);
  }

  void Work() {
    std::unique_lock lock(mutex_);
    while (true) {
      {
        const Doing full(Activity::kFull);
        room_.wait(lock, [&] { return stopped_ || begun_ < next_ + window_; });
      }
      if (stopped_) return;
      const std::uint64_t number = begun_++;
      lock.unlock();
      Made made;
      try {
        made.item = std::make_unique<Item>(make_(number));
      } catch (...) {
        made.failure = std::current_exception();
      }
      lock.lock();
      made_.emplace(number, std::move(made));
      TraceCounter(kTracedAs, static_cast<double>(made_.size()));
      there_.notify_all();
      if (notify_) notify_();
    }
  }

  std::uint64_t window_, next_ = 0, begun_ = 0;  ///< `next_` were handed out.
  HandOut order_;
  std::function<Item(std::uint64_t)> make_;
  std::function<void()> notify_;
  std::map<std::uint64_t, Made> made_;
  bool stopped_ = false;
  std::mutex mutex_;
  /// For threads of ours, of which each item that is handed out lets one go on; for Next().
  std::condition_variable room_, there_;
  std::vector<std::thread> threads_;
};

}  // namespace exh
