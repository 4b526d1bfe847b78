// SPDX-License-Identifier: MIT
//
// The arrays of a launch, and who reads and writes each of their elements.
//
// A race is one of these, within one interval (what the threads of a block do between two
// barriers) and about one element:
//   * several threads write it, and not all writes have the same bits;
//   * a thread reads it that has not written it before in the interval, and another writes it,
//     before or after.
// Threads that repeat each other's work write equal values and read what they wrote: no race.
// The threads run an interval one after the other: if the running thread has written an element, it
// is the last that did; and if it is the first that read it, it is the only one.
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

/// What happened to an element in the interval of that number; of no worth in another.
struct ElementHistory {
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
  float* data;
  std::int64_t size;                    ///< Floats that may be accessed …
  std::int64_t reach;                   ///< … and floats that a pointer into it may lie within.
  unsigned char* written = nullptr;     ///< Outputs: writes of each element.
  std::vector<ElementHistory> history;  ///< By element; empty for inputs.
  std::vector<std::int32_t> owner;      ///< kGlobal: the only block that touches it, -1 none yet.
};

/// All arrays of one launch.
class Memory {
 public:
  /// Registers the arrays of the launch, and fills those of the blocks with NaN.
  explicit Memory(const Launch& launch);
  Memory(const Memory&) = delete;
  ~Memory();

  /// The memory behind `exh_global`, null where the launch asks for none.
  float* global() { return global_; }
  /// The array that the address lies in, and the element; null and 0 where it lies in none.
  Region* Find(const void* at, long long* index);

  /// The accesses that follow are those of this block; shared memory is NaN.
  void BeginBlock(unsigned block);
  /// All threads have left the barrier of that line.
  void BeginInterval(int line);

  /// An access by `thread` to `lanes` floats at `index`; `region` may be null. False if it is an
  /// error: then error() says which.
  bool Read(Region* region, long long index, float* values, int lanes, Via via, unsigned thread);
  bool Write(Region* region, long long index, const float* values, int lanes, Via via,
             unsigned thread);
  const std::string& error() const { return error_; }

 private:
  bool Check(const Region* region, long long index, int lanes, unsigned thread, const char* verb);
  bool CheckOwner(Region& region, std::int64_t index, unsigned thread, const char* verb);
  ElementHistory& History(Region& region, std::int64_t index);
  bool Fail(unsigned thread, const std::string& what);
  std::string Since() const;

  std::deque<Region> regions_;  ///< Tracked points into it.
  Region* shared_ = nullptr;
  float* global_ = nullptr;
  unsigned block_ = 0;
  int line_ = 0;  ///< Of the barrier at which the interval began, 0 the start of the block.
  std::uint32_t interval_ = 0;
  std::string error_;
};

}  // namespace exh_shim
