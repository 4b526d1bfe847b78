// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <string>
#include <string_view>

namespace exh {

/// Texts on their way from one thread to one other, whole and in their order, without a lock. Of a
/// fixed size.
///
/// `written_` and `read_` count bytes for ever; what lies between them is in the ring. The writer
/// alone changes the one, when a text is there whole, and the reader alone the other:
///
///   written_ 11, read_ 7 of a ring of 8:   [i j k . . . . h]   "hijk" is on its way
class EventRing {
 public:
  static constexpr std::size_t kBytes = std::size_t{1} << 17;

  /// By the one thread that writes. False: there is no room for it now.
  bool Push(std::string_view text) {
    const std::size_t written = written_.load(std::memory_order_relaxed);
    const std::size_t used = written - read_.load(std::memory_order_acquire);
    if (text.size() > kBytes - used) return false;
    const std::size_t at = written % kBytes;
    const std::size_t first = std::min(text.size(), kBytes - at);
    text.copy(bytes_.data() + at, first);
    text.substr(first).copy(bytes_.data(), text.size() - first);
    written_.store(written + text.size(), std::memory_order_release);
    return true;
  }

  /// By the one thread that reads: adds all that is there to `texts`.
  void Take(std::string& texts) {
    const std::size_t read = read_.load(std::memory_order_relaxed);
    const std::size_t count = written_.load(std::memory_order_acquire) - read;
    const std::size_t at = read % kBytes;
    const std::size_t first = std::min(count, kBytes - at);
    texts.append(bytes_.data() + at, first);
    texts.append(bytes_.data(), count - first);
    read_.store(read + count, std::memory_order_release);
  }

 private:
  std::array<char, kBytes> bytes_;
  std::atomic<std::size_t> written_ = 0, read_ = 0;
};

}  // namespace exh
