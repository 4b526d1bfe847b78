// SPDX-License-Identifier: MIT
//
// The arrays of a launch, and who reads and writes each of their grains: elements, or, where a
// memory has elements of several types, what the smallest access to it was.
//
// A race is one of these, within one interval (what the threads of a block do between two
// barriers) and about one grain:
//   * several threads write it, and not all writes have the same bits;
//   * a thread reads it that has not written it before in the interval, and another writes it,
//     before or after.
// Threads that repeat each other's work write equal values and read what they wrote: no race.
// The threads run an interval one after the other: if the running thread has written a grain, it is
// the last that did; and if it is the first that read it, it is the only one.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "tests/cuda_shim/launch.h"
#include "tests/cuda_shim/tracked.h"

namespace exh_shim {

/// What an array is to the kernel.
enum class RegionKind { kInput, kOutput, kShared, kGlobal };

/// What happened to a grain in the interval of that number; of no worth in another.
struct History {
  std::uint32_t interval = 0;
  std::int32_t writer = -1;  ///< The last thread that wrote it.
  std::int32_t reader = -1;  ///< The first thread that read it without having written it.
  bool several_writers = false;
  bool varied = false;  ///< It was overwritten with other bits.
};

/// One array.
struct Region {
  std::string name;
  RegionKind kind;
  unsigned char* data;
  std::int64_t size;                  ///< Bytes that may be accessed …
  std::int64_t reach;                 ///< … and bytes that a pointer into it may lie within.
  int element = 0;                    ///< Bytes of one; 0: it may have those of several types.
  int grain = 4;                      ///< Bytes.
  unsigned char* written = nullptr;   ///< Outputs: writes of each element.
  std::vector<History> history{};     ///< By grain; empty for inputs.
  std::vector<std::int32_t> owner{};  ///< kGlobal, by grain: the one block that touches it, or -1.
};

/// One access.
struct Access {
  std::int64_t offset;  ///< Bytes.
  int bytes;
  int unit;  ///< Bytes of what messages count in where the array has no elements of its own.
  Via via;
};

/// All arrays of one launch.
class Memory {
 public:
  /// Registers the arrays of the launch, and sets all bits of those of the blocks: NaN.
  explicit Memory(const Launch& launch);
  Memory(const Memory&) = delete;
  ~Memory();

  /// The memory behind `exh_global`, null where the launch asks for none.
  void* global() { return global_; }
  /// The array that the address lies in, and the byte; null and 0 where it lies in none.
  Region* Find(const void* at, long long* offset);

  /// The accesses that follow are those of this block; all bits of shared memory are set.
  void BeginBlock(unsigned block);
  /// All threads have left the barrier of that line.
  void BeginInterval(int line);

  /// An access by `thread`; `region` may be null. False if it is an error: then error() says which.
  bool Read(Region* region, const Access& access, void* value, unsigned thread);
  bool Write(Region* region, const Access& access, const void* value, unsigned thread);
  const std::string& error() const { return error_; }

 private:
  bool Check(Region* region, const Access& access, unsigned thread, const char* verb);
  bool CheckOwner(Region& region, const Access& access, std::int64_t grain, unsigned thread,
                  const char* verb);
  History& HistoryOf(Region& region, std::int64_t grain);
  bool Fail(unsigned thread, const std::string& what);
  std::string Since() const;

  std::deque<Region> regions_;  ///< Address points into it.
  Region* shared_ = nullptr;
  unsigned char* global_ = nullptr;
  unsigned block_ = 0;
  int line_ = 0;  ///< Of the barrier at which the interval began, 0 the start of the block.
  std::uint32_t interval_ = 0;
  std::string error_;
};

}  // namespace exh_shim
