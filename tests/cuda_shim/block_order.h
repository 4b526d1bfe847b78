// SPDX-License-Identifier: MIT
//
// What one block of a kernel may know of what another wrote: in CUDA, blocks run in any order, and
// their writes reach each other in any order, too. What a block wrote is ordered before what
// another reads where all of these happened, one after the other:
//   * the write;
//   * a fence, by the thread that wrote, or by any of its block behind a barrier;
//   * an atomic operation on a ticket, by the thread of the fence, or behind a barrier;
//   * one on the same ticket, by the other block: by the thread that reads, or before a barrier.
// Here the blocks run one after the other, so that a write that is not ordered so is seen. That is
// an error, and no luck.
#pragma once

#include <cstdint>
#include <vector>

namespace exh_shim {

/// Who wrote something last in this kernel, and when.
struct Written {
  std::int32_t block = -1;  ///< -1: nobody.
  std::uint32_t thread = 0;
  std::uint32_t interval = 0;
  std::uint32_t event = 0;  ///< Fences of the kernel before.
};

/// What the blocks of one kernel know of each other.
class BlockOrder {
 public:
  void BeginKernel(unsigned grid, unsigned threads);
  void BeginBlock(unsigned block);

  /// What happens in the block that runs; later intervals have larger numbers.
  Written Write(unsigned thread, std::uint32_t interval) const;
  void Fence(unsigned thread, std::uint32_t interval);
  /// An atomic operation on the ticket at this offset.
  void Ticket(unsigned thread, std::uint32_t interval, std::int64_t offset);
  /// May it read now what another block wrote?
  bool Sees(const Written& written, unsigned thread, std::uint32_t interval) const;

 private:
  struct LastFence {
    std::uint32_t event = 0;  ///< 0: there is none.
    std::uint32_t interval = 0;
  };
  /// What a block let others know by an atomic operation on a ticket.
  struct Release {
    std::int64_t ticket;
    std::uint32_t before;               ///< All that is older than this interval …
    std::vector<std::uint32_t> fenced;  ///< … and, by thread, than this event.
  };
  struct Taken {
    std::int64_t ticket;
    std::uint32_t thread, interval;
  };

  unsigned block_ = 0;
  std::uint32_t events_ = 0;
  bool any_fence_ = false;                      ///< Of the block.
  std::vector<LastFence> latest_;               ///< By thread.
  std::vector<LastFence> earlier_;              ///< By thread: the latest of an earlier interval.
  std::vector<Taken> taken_;                    ///< By the block.
  std::vector<std::vector<Release>> releases_;  ///< By block.
};

}  // namespace exh_shim
