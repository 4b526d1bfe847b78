// SPDX-License-Identifier: MIT
//
// Groups of four warps that multiply matrices out of shared memory (wgmma), on the CPU. Written
// from the PTX ISA, and of nothing that prints: descriptors are decoded, and each element is looked
// up where the swizzle of the hardware has it.
//
// What is an error:
//   * a step that the thread has not begun a batch for, or whose descriptors differ among the
//     threads of its group; a group that has not all of its threads;
//   * matrices that begin within a tile of the swizzle's rows;
//   * an element that is being written, or whose writer has not published it (memory.h), when the
//     step is issued or when it is done;
//   * a block that ends with steps that nobody has waited for.
// A step is done when it is issued, or when its batch is waited for, as copies arrive. Where
// threads order each other by barriers in shared memory (Memory::is_ordered), it reads at both
// times, for a bulk copy may begin between.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tests/cuda_shim/launch.h"

namespace exh_shim {

class Memory;

/// Those of a block.
class Groups {
 public:
  void BeginBlock(unsigned threads);
  /// What is left undone; empty: nothing.
  std::string EndBlock() const;

  void Begin(unsigned thread) { threads_[thread].has_begun = true; }
  void Commit(unsigned thread) {
    threads_[thread].has_begun = false;
    ++threads_[thread].batches;
  }
  /// False if it is an error: of the memory, or error() says which.
  bool Issue(const StepInPlace& step, unsigned thread, bool is_late, Memory& memory);
  bool Await(int left, unsigned thread, Memory& memory);
  const std::string& error() const { return error_; }

 private:
  struct Step {
    StepInPlace what;
    std::vector<void*> sums;  ///< Empty: it has been done.
    std::int64_t batch = 0;
    std::int32_t copies = 0;  ///< Bulk copies of the block that had begun.
  };
  struct Thread {
    bool has_begun = false;
    std::int64_t batches = 0;
    std::size_t issued = 0;
    std::vector<Step> pending;
  };
  /// What the first thread of a group has issued.
  struct Issued {
    int line = 0;
    unsigned long long first = 0, second = 0;
  };

  /// Reads what the step does, and writes nothing.
  bool Look(const Step& step, unsigned thread, Memory& memory);
  bool Do(const Step& step, void* const* sums, unsigned thread, Memory& memory);
  bool Fail(unsigned thread, int line, const std::string& why);

  std::vector<Thread> threads_;
  std::vector<std::vector<Issued>> issued_;  ///< By group.
  std::string error_;
};

}  // namespace exh_shim
