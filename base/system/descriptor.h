// SPDX-License-Identifier: MIT
//
// File descriptors: one that closes itself, and waiting for several of them.
#pragma once

#include <poll.h>

#include <chrono>
#include <cstdint>
#include <limits>
#include <span>

#include "base/stop.h"

namespace exh {

/// A file descriptor that closes itself.
class Descriptor {
 public:
  explicit Descriptor(int fd = -1) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(other.Release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept;
  ~Descriptor() { Close(); }

  int get() const { return fd_; }
  bool valid() const { return fd_ >= 0; }
  /// The caller closes it from now on.
  int Release();
  void Close();

 private:
  int fd_;
};

/// Whether there is something to read now. The end of a stream is nothing.
bool HasInput(int fd);

/// Waits for descriptors until a time is over or a token is stopped. The time is that of the
/// object, however often it is asked: who sends byte by byte does not get more of it.
class DescriptorWait {
 public:
  enum class End : std::uint8_t {
    kReady,     ///< `revents` say of which descriptors, and for what. An end of a stream counts.
    kQuiet,     ///< Nothing came for so long as For() was told.
    kTimedOut,  ///< The object's time is over.
    kStopped,   ///< Noticed within 20 ms.
  };

  /// Of `timeout_s` seconds, infinity for ever, from now on. With 0 the first wait looks once. The
  /// token may be null.
  explicit DescriptorWait(double timeout_s, const StopToken* stop = nullptr)
      : timeout_s_(timeout_s), stop_(stop) {}

  /// Waits for one of them; descriptors below 0 are passed over. A signal does not end it.
  End For(std::span<pollfd> descriptors, double quiet_s = std::numeric_limits<double>::infinity());

 private:
  using Clock = std::chrono::steady_clock;

  Clock::time_point start_ = Clock::now();
  double timeout_s_;
  const StopToken* stop_;
  bool has_looked_ = false;
};

}  // namespace exh
