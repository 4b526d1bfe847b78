// SPDX-License-Identifier: MIT
//
// Bulk copies, the barriers in shared memory that count their bytes, and blocks whose threads have
// different roles: the words of printed CUDA C++ for them, and what they do on the CPU.
//
// Includes nothing of the system: it is compiled together with every source that is run.
#pragma once

#include "tests/cuda_shim/tracked.h"

/// A tensor as bulk copies see it (kernels::TensorMap), and the array of the launch that it is of.
/// Axes begin with the innermost one.
struct exh_tensor_map {
  static constexpr unsigned kMostAxes = 5;

  const void* array;
  unsigned element_bytes, axes;
  unsigned long long extents[kMostAxes];  ///< In elements.
  unsigned long long strides[kMostAxes];  ///< In bytes; of the first axis: those of an element.
  unsigned box[kMostAxes];                ///< In elements.
  unsigned swizzle_bytes;                 ///< 0: none, 32, 64 or 128.
};

namespace exh_shim {

/// mbarrier.init of the running thread, for so many arrivals in each phase.
void InitBarrier(int line, const Address& barrier, unsigned count);

/// What makes all barriers that the running thread has initialised known to bulk copies, and what
/// it wrote to shared memory, too (Publish). A barrier of the block must follow.
void BarriersMade();

/// mbarrier.arrive.expect_tx: as many bytes more have to come before the phase ends; then one
/// arrival.
void ExpectBytes(int line, const Address& barrier, unsigned bytes);

/// mbarrier.arrive: what the running thread did before happens before what those do that wait for
/// the phase.
void ArriveAt(int line, const Address& barrier);

/// The same (mbarrier.arrive.release.cluster) at the barrier that is at the same place in the
/// shared memory of the block of that rank in the cluster.
void ArriveAtRank(int line, const Address& barrier, int rank);

/// mbarrier.try_wait.parity, until it succeeds: the latest phase of that parity has ended.
void AwaitPhase(int line, const Address& barrier, unsigned parity);

/// cp.async.bulk.tensor, of the box whose first element has these coordinates, by axis.
void CopyBox(int line, const Address& to, const exh_tensor_map& map, const Address& barrier,
             const int* coordinates, unsigned axes);

/// The same with .multicast::cluster, to the blocks of the cluster whose ranks are bits of
/// `blocks`: the box goes to the same place of each, and its bytes count at the same barrier of
/// each.
void ShareBox(int line, const Address& to, const exh_tensor_map& map, const Address& barrier,
              unsigned blocks, const int* coordinates, unsigned axes);

/// bar.sync 1: the first threads of the block, so many, wait for each other.
void Meet(int line, unsigned threads);

using BarrierPlace = Tracked<unsigned long long>;

/// Whatever a pointer to shared memory may be.
struct BoxPlace {
  Address at;
  BoxPlace(const void* place) : at(place) {}
  template <typename T>
  BoxPlace(const Tracked<T>& place) : at(place.at()) {}
};

template <typename... Coordinates>
void CopyBox(int line, const BoxPlace& to, const exh_tensor_map* map, const BarrierPlace& barrier,
             Coordinates... coordinates) {
  const int all[] = {static_cast<int>(coordinates)...};
  CopyBox(line, to.at, *map, barrier.at(), all, sizeof...(coordinates));
}
template <typename... Coordinates>
void ShareBox(int line, const BoxPlace& to, const exh_tensor_map* map, const BarrierPlace& barrier,
              unsigned blocks, Coordinates... coordinates) {
  const int all[] = {static_cast<int>(coordinates)...};
  ShareBox(line, to.at, *map, barrier.at(), blocks, all, sizeof...(coordinates));
}
/// A program may give up where the clock is behind `end`. Here no time passes.
inline void AwaitPhase(int line, const BarrierPlace& barrier, unsigned parity,
                       [[maybe_unused]] unsigned long long end = 0) {
  AwaitPhase(line, barrier.at(), parity);
}

}  // namespace exh_shim

#define __grid_constant__
#define exh_barrier_init(barrier, count) \
  ::exh_shim::InitBarrier(__LINE__, ::exh_shim::BarrierPlace(barrier).at(), count)
#define exh_barriers_made() ::exh_shim::BarriersMade()
#define exh_expect(barrier, bytes) \
  ::exh_shim::ExpectBytes(__LINE__, ::exh_shim::BarrierPlace(barrier).at(), bytes)
#define exh_arrive(barrier) ::exh_shim::ArriveAt(__LINE__, ::exh_shim::BarrierPlace(barrier).at())
#define exh_arrive_at(barrier, rank) \
  ::exh_shim::ArriveAtRank(__LINE__, ::exh_shim::BarrierPlace(barrier).at(), rank)
#define exh_await(...) ::exh_shim::AwaitPhase(__LINE__, __VA_ARGS__)
#define exh_bulk_copy(...) ::exh_shim::CopyBox(__LINE__, __VA_ARGS__)
#define exh_bulk_share(...) ::exh_shim::ShareBox(__LINE__, __VA_ARGS__)
#define exh_meet(threads) ::exh_shim::Meet(__LINE__, threads)

/// How many registers a thread may have is no matter of right and wrong.
template <int registers>
void exh_fewer_registers() {}
template <int registers>
void exh_more_registers() {}
