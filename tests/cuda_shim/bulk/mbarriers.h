// SPDX-License-Identifier: MIT
//
// Barriers in shared memory (mbarrier) of a block, or of all blocks of a cluster, and the bulk
// copies that they count the bytes of. Written from the PTX ISA.
//
// A phase ends when as many arrivals have come as the barrier was initialised for, and as many
// bytes as were expected. Then the next one begins. Who waits for a parity waits for the latest
// phase of that parity to end: phase 0 has parity 0, and before it all of parity 1 have ended. So a
// thread must wait for each phase before the next one but one could be taken for it.
//
//   expected 512   copy of 512 begins   copy lands
//   --- phase 0 ---------------------------------- | --- phase 1 ---
//                  a thread waits for parity 0 …     goes on
//
// What is an error:
//   * to use a barrier that was not initialised, or not made known (exh_barriers_made) by the
//     thread that did so, before a barrier of the block; or that of another block, before a barrier
//     of the cluster;
//   * more arrivals in a phase, or more bytes, than it takes;
//   * a phase that ends, and a copy that it was to count is under way: nobody expected its bytes;
//   * a phase that may end before a thread has gone on that waits for the phase before;
//   * a block that ends while bytes are expected, or with a copy that nobody has waited for.
//
// Bytes that another block copies may come before they are expected. They count in the phase that
// has not ended: it still lacks the arrival that expects them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/cuda_shim/bulk/thread_order.h"

namespace exh_shim {

/// A bulk copy: it is done for those who know that the phase has ended.
struct BulkCopy {
  /// 16 neighbouring bytes, and where they go in shared memory.
  struct Piece {
    std::int64_t to = 0;
    std::array<unsigned char, 16> bytes{};
  };
  int line = 0;
  unsigned rank = 0;  ///< Of the block that it goes to.
  std::size_t barrier = 0;
  std::uint32_t phase = 0;
  std::int64_t bytes = 0;
  std::vector<Piece> pieces = {};  ///< Until it lands.
};

/// A thread that waits for a phase of a barrier to end.
struct PhaseWait {
  std::size_t barrier = 0;
  std::int64_t phase = 0;  ///< -1: the one before the first.
  int line = 0;
};

/// Where a barrier is.
struct BarrierSpot {
  unsigned rank;       ///< Of its block in the cluster.
  std::int64_t place;  ///< Its byte in the shared memory of that block.

  bool operator==(const BarrierSpot&) const = default;
};

/// Who does something, and when.
struct Actor {
  unsigned thread;         ///< Of the cluster: those of the first block come first.
  std::uint32_t interval;  ///< Of its block, as Memory counts them.
};

/// Those of a cluster. Where a function returns a text it says what is wrong, empty: nothing.
class Mbarriers {
 public:
  /// So many blocks, from that one on, with so many threads each.
  void BeginCluster(unsigned first_block, unsigned blocks, unsigned threads);
  /// What is left undone in the block of this rank; empty: nothing.
  std::string EndBlock(unsigned rank) const;

  ThreadOrder& order() { return order_; }
  const ThreadOrder& order() const { return order_; }

  std::string Init(const BarrierSpot& spot, unsigned count, unsigned thread);
  void MakeKnown(const Actor& who);
  std::string Expect(const BarrierSpot& spot, unsigned bytes, const Actor& who);
  std::string Arrive(const BarrierSpot& spot, const Actor& who);

  std::string BeginWait(const BarrierSpot& spot, unsigned parity, const Actor& who,
                        PhaseWait& wait);
  /// If so, the thread knows it afterwards, and what was done before.
  bool HasEnded(const PhaseWait& wait, unsigned thread);
  /// What a wait lacks that goes on forever.
  std::string Missing(const PhaseWait& wait) const;

  /// Begins a copy whose bytes the barrier counts, which is in the block that it goes to. Its
  /// number is that of copies before.
  std::string Begin(std::int64_t place, BulkCopy copy, const Actor& who);
  std::int32_t num_copies() const { return static_cast<std::int32_t>(copies_.size()); }
  const BulkCopy& copy(std::int32_t number) const {
    return copies_[static_cast<std::size_t>(number)];
  }
  /// Copies that the barrier waits for and that have not landed.
  std::vector<std::int32_t> UnderWay(std::size_t barrier) const {
    return barriers_[barrier].under_way;
  }
  /// The bytes are there: they are counted, and `copy` has no pieces any more.
  std::string Land(std::int32_t number);
  /// Does the thread know that the copy is done?
  bool Knows(unsigned thread, std::int32_t number) const;

 private:
  /// A thread that has begun to wait then, and need not have gone on since.
  struct Waiter {
    Moment since;
    std::int64_t phase;
  };
  struct One {
    BarrierSpot spot{};
    std::uint32_t count = 0, pending = 0;  ///< Arrivals.
    std::uint32_t phase = 0;               ///< The one that has not ended.
    std::int64_t expected = 0;             ///< Bytes, less those that have come; may be below 0.
    std::vector<std::int32_t> under_way = {};
    std::uint32_t thread = 0;  ///< That initialised it.
    bool is_known = false;
    std::uint32_t known_since = 0;                ///< The interval in which it was made known, …
    Moment made{};                                ///< … and when in the order of threads.
    std::uint32_t awaited = 0;                    ///< Phases that some thread has waited for.
    ThreadOrder::Clock arrived = {}, ended = {};  ///< News of this phase, and of the one before.
    std::vector<Waiter> waiters = {};             ///< For this phase and the one before.
  };

  /// "the barrier at byte 64 of shared memory".
  std::string Name(const BarrierSpot& spot) const;
  std::string Find(const BarrierSpot& spot, const Actor& who, std::size_t& number) const;
  std::string Arrive(One& barrier, unsigned thread);
  std::string EndIfDone(One& barrier);

  ThreadOrder order_;
  std::vector<One> barriers_;
  std::vector<BulkCopy> copies_;
  unsigned first_block_ = 0, blocks_ = 1, threads_ = 1;  ///< Of the cluster.
};

}  // namespace exh_shim
