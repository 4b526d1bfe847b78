// SPDX-License-Identifier: MIT
//
// The arrays of a kernel in memory that two processes share: the one that checks fills inputs and
// reads outputs, the one that runs candidates gets two descriptors and nothing else.
//
//   inputs   one set after the other, one for each problem; sealed, so that nobody but their maker
//            can ever write them
//   outputs  one set, of all problems
//
// Every array begins on a page of its own, between pages of a known pattern, and in the process
// that runs candidates there is nothing else within kGuardBytes, or the size of the array where
// that is more.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "kernels/ir/types.h"

namespace exh::kernels::cpu {

/// What must be known of an array to place it.
struct SharedShape {
  std::uint64_t elements = 0;
  bool is_output = false;
  ir::Type type = ir::Type::kF32;

  std::uint64_t bytes() const { return elements * ir::BytesOf(type); }
};

/// Inaccessible addresses before and behind every array.
inline constexpr std::uint64_t kGuardBytes = 64ULL << 20;

/// Where arrays lie, in their file and in the addresses of the process that runs candidates. Both
/// processes compute it from the same shapes.
class SharedLayout {
 public:
  explicit SharedLayout(std::span<const SharedShape> shapes);

  struct Place {
    std::uint64_t open = 0;        ///< First byte of the pattern before the array, in its file.
    std::uint64_t open_bytes = 0;  ///< Up to the end of the pattern behind it.
    std::uint64_t data = 0;        ///< First element, in its file.
    std::uint64_t address = 0;     ///< Of `open`, in the reserved addresses.
  };
  const std::vector<SharedShape>& shapes() const { return shapes_; }
  const std::vector<Place>& places() const { return places_; }
  std::uint64_t input_bytes() const { return input_bytes_; }  ///< Of one problem.
  std::uint64_t output_bytes() const { return output_bytes_; }
  std::uint64_t address_bytes() const { return address_bytes_; }  ///< To reserve.
  std::uint64_t array_bytes() const;                              ///< Of elements alone.

 private:
  std::vector<SharedShape> shapes_;
  std::vector<Place> places_;
  std::uint64_t input_bytes_ = 0, output_bytes_ = 0, address_bytes_ = 0;
};

/// Memory that forked processes do not get copies of: it is shared, or belongs to a file.
class SharedMemory {
 public:
  SharedMemory() = default;
  SharedMemory(SharedMemory&& other) noexcept;
  SharedMemory& operator=(SharedMemory&& other) noexcept;
  ~SharedMemory();

  /// Without a file. False: out of memory.
  bool Allocate(std::uint64_t bytes);
  /// A file in memory with a descriptor that exec closes. False: out of memory or descriptors.
  bool AllocateFile(const char* name, std::uint64_t bytes);
  /// Fixes the size of the file; `forbid_writing`: and nobody but us may map it to be written.
  bool Seal(bool forbid_writing) const;

  char* data() const { return data_; }
  std::uint64_t bytes() const { return bytes_; }
  int fd() const { return fd_; }

 private:
  char* data_ = nullptr;
  std::uint64_t bytes_ = 0;
  int fd_ = -1;
};

/// The side that checks.
class SharedArrays {
 public:
  /// `error()` says what is wrong when there is not enough memory.
  SharedArrays(std::span<const SharedShape> shapes, std::size_t num_problems);

  const std::string& error() const { return error_; }
  const SharedLayout& layout() const { return layout_; }
  int inputs_fd() const { return inputs_.fd(); }
  int outputs_fd() const { return outputs_.fd(); }

  /// The elements in memory.
  std::span<std::byte> input(std::size_t problem, std::size_t array);
  std::span<std::byte> output(std::size_t array);

  /// Large pages for large arrays, where the system has them, as private memory would get them.
  void UseLargePages(std::size_t problem);
  /// Draws the patterns around the outputs again.
  void RestoreGuards();
  /// Empty, or which element outside an output was written.
  std::string CheckGuards(std::size_t array) const;

 private:
  /// Up to the first byte of the array, and from behind its last one on.
  static std::span<std::byte> Before(char* file, const SharedLayout::Place& place);
  std::span<std::byte> Behind(char* file, std::size_t array) const;
  void DrawGuards(char* file, std::size_t array);

  SharedLayout layout_;
  SharedMemory inputs_, outputs_;
  std::string error_;
};

/// The side that runs candidates: the same arrays at addresses of its own, inputs read-only.
class MappedArrays {
 public:
  /// `error()` says what is wrong.
  MappedArrays(const SharedLayout& layout, int inputs_fd, int outputs_fd);

  const std::string& error() const { return error_; }
  /// Puts the inputs of a problem where those of another were. False: they cannot be mapped.
  bool UseProblem(std::uint64_t problem);
  /// What a candidate is called with: a pointer to the first element of each array.
  void* const* pointers() const { return pointers_.data(); }

 private:
  const SharedLayout& layout_;
  int inputs_fd_;
  char* base_ = nullptr;
  std::vector<void*> pointers_;
  std::string error_;
};

}  // namespace exh::kernels::cpu
