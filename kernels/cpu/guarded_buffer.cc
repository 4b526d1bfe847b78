// SPDX-License-Identifier: MIT
#include "kernels/cpu/guarded_buffer.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <utility>

namespace exh::kernels::cpu {
namespace {

constexpr std::size_t kPage = 4096;
constexpr std::size_t kGuardBytes = kPage;  // Before; behind it is this, and the rest of a page.
constexpr std::uint32_t kPattern = 0x7FC5A5A5;  // A NaN, so that a sum that reads it shows.

float Pattern() {
  float value = 0;
  std::memcpy(&value, &kPattern, sizeof value);
  return value;
}

std::size_t Pages(std::size_t bytes) {
  return (bytes + kPage - 1) / kPage * kPage;
}

}  // namespace

GuardedBuffer::GuardedBuffer(std::size_t elements) : elements_(elements) {
  open_bytes_ = kGuardBytes + Pages(elements * sizeof(float)) + kGuardBytes;
  map_bytes_ = open_bytes_ + 2 * kPage;
  void* map = ::mmap(nullptr, map_bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (map == MAP_FAILED) return;
  map_ = static_cast<char*>(map);
  open_ = map_ + kPage;
  if (::mprotect(open_, open_bytes_, PROT_READ | PROT_WRITE) != 0) {
    ::munmap(std::exchange(map_, nullptr), map_bytes_);
    return;
  }
  ::madvise(open_, open_bytes_, MADV_HUGEPAGE);  // As malloc would get for large arrays.
  data_ = reinterpret_cast<float*>(open_ + kGuardBytes);
  const auto fill = [](std::span<const float> zone) {
    std::fill_n(const_cast<float*>(zone.data()), zone.size(), Pattern());
  };
  fill(Before());
  fill(Behind());
}

GuardedBuffer::GuardedBuffer(GuardedBuffer&& other) noexcept
    : elements_(other.elements_),
      map_bytes_(other.map_bytes_),
      open_bytes_(other.open_bytes_),
      map_(std::exchange(other.map_, nullptr)),
      open_(other.open_),
      data_(other.data_) {}

GuardedBuffer::~GuardedBuffer() {
  if (map_ != nullptr) ::munmap(map_, map_bytes_);
}

std::span<const float> GuardedBuffer::Before() const {
  return {reinterpret_cast<const float*>(open_), kGuardBytes / sizeof(float)};
}

std::span<const float> GuardedBuffer::Behind() const {
  const float* end = reinterpret_cast<const float*>(open_ + open_bytes_);
  return {data_ + elements_, end};
}

void GuardedBuffer::FillNan() {
  std::fill_n(data_, elements_, std::numeric_limits<float>::quiet_NaN());
}

void GuardedBuffer::CopyFrom(std::span<const float> values) {
  std::copy(values.begin(), values.end(), data_);
}

void GuardedBuffer::MakeReadOnly() {
  ::mprotect(open_, open_bytes_, PROT_READ);
}

std::string GuardedBuffer::CheckGuards() const {
  const auto touched = [](float value) {
    return std::memcmp(&value, &kPattern, sizeof value) != 0;
  };
  const auto before = Before(), behind = Behind();
  const auto low = std::find_if(before.begin(), before.end(), touched);
  if (low != before.end()) return fmt::format("element {}", low - before.end());
  const auto high = std::find_if(behind.begin(), behind.end(), touched);
  if (high == behind.end()) return "";
  return fmt::format("element {} of {}",
                     elements_ + static_cast<std::size_t>(high - behind.begin()), elements_);
}

}  // namespace exh::kernels::cpu
