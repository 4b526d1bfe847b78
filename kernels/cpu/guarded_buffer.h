// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace exh::kernels::cpu {

/// An array argument of a candidate in memory of its own, with guard zones of a known pattern
/// before and behind it, and inaccessible pages beyond those. 64-byte aligned.
class GuardedBuffer {
 public:
  explicit GuardedBuffer(std::size_t elements);
  GuardedBuffer(const GuardedBuffer&) = delete;
  GuardedBuffer& operator=(const GuardedBuffer&) = delete;
  GuardedBuffer(GuardedBuffer&& other) noexcept;
  ~GuardedBuffer();

  bool valid() const { return map_ != nullptr; }  ///< False: out of memory.
  float* data() { return data_; }
  std::span<const float> values() const { return {data_, elements_}; }

  void FillNan();
  void CopyFrom(std::span<const float> values);
  /// Inputs: a candidate that writes them dies.
  void MakeReadOnly();

  /// Empty, or which element outside the array was written.
  std::string CheckGuards() const;

 private:
  std::span<const float> Before() const;
  std::span<const float> Behind() const;

  std::size_t elements_ = 0, map_bytes_ = 0, open_bytes_ = 0;
  char* map_ = nullptr;   ///< Everything, inaccessible pages included.
  char* open_ = nullptr;  ///< The accessible part.
  float* data_ = nullptr;
};

}  // namespace exh::kernels::cpu
