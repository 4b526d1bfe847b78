// SPDX-License-Identifier: MIT
//
// What printed texts with bulk copies call, on the processor: a copy arrives at once, barriers
// count arrivals and bytes as those of the hardware do, and nobody gives registers away.
#pragma once

#include <barrier>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <thread>

#include "cuda_runtime.h"
#include "tensor_map.h"

#define __grid_constant__

struct alignas(64) exh_tensor_map {
  unsigned char bytes[128];
};

/// The 64 bits of a barrier in shared memory.
struct FakeBarrier {
  unsigned count : 15, pending : 15, phase : 1;
  int bytes;  ///< That are still to come.
};
static_assert(sizeof(FakeBarrier) == sizeof(unsigned long long));

inline std::mutex fake_barriers;

/// Changes a barrier; a phase ends when nobody and nothing is missing.
template <typename Change>
void FakeChange(unsigned long long* at, const Change& change) {
  const std::lock_guard<std::mutex> alone(fake_barriers);
  FakeBarrier barrier;
  std::memcpy(&barrier, at, sizeof barrier);
  change(barrier);
  if (barrier.pending == 0 && barrier.bytes == 0) {
    barrier.pending = barrier.count;
    barrier.phase ^= 1;
  }
  std::memcpy(at, &barrier, sizeof barrier);
}

inline void exh_barrier_init(unsigned long long* barrier, unsigned count) {
  FakeChange(barrier, [&](FakeBarrier& made) {
    made.count = made.pending = count;
    made.phase = 0;
    made.bytes = 0;
  });
}
inline void exh_barriers_made() {}
inline void exh_expect(unsigned long long* barrier, unsigned bytes) {
  FakeChange(barrier, [&](FakeBarrier& one) {
    one.bytes += static_cast<int>(bytes);
    --one.pending;
  });
}
inline void exh_arrive(unsigned long long* barrier) {
  FakeChange(barrier, [](FakeBarrier& one) { --one.pending; });
}
inline void exh_await(unsigned long long* barrier, unsigned parity) {
  for (bool waits = true; waits; std::this_thread::yield()) {
    const std::lock_guard<std::mutex> alone(fake_barriers);
    FakeBarrier now;
    std::memcpy(&now, barrier, sizeof now);
    waits = now.phase == parity;
  }
}

template <typename... Corner>
void exh_bulk_copy(void* to, const exh_tensor_map* map, unsigned long long* barrier,
                   Corner... corner) {
  const int at[] = {corner...};
  FakeTensorMap seen;
  std::memcpy(&seen, map, sizeof seen);
  if (seen.mark != FakeTensorMap::kMark || seen.axes != sizeof...(corner)) {
    std::fputs("a bulk copy has no map, or one with another number of axes\n", stderr);
    std::_Exit(9);
  }
  const std::uint32_t bytes = CopyFakeBox(seen, at, static_cast<unsigned char*>(to),
                                          reinterpret_cast<unsigned char*>(exh_shared));
  FakeChange(barrier, [&](FakeBarrier& one) { one.bytes -= static_cast<int>(bytes); });
}

template <int registers>
void exh_fewer_registers() {}
template <int registers>
void exh_more_registers() {}

/// The first `threads` threads of a block meet, without the others.
inline void exh_meet(unsigned threads) {
  static std::mutex lock;
  static std::map<unsigned, std::barrier<>> meetings;
  std::barrier<>* meeting = nullptr;
  {
    const std::lock_guard<std::mutex> alone(lock);
    meeting = &meetings.try_emplace(threads, threads).first->second;
  }
  meeting->arrive_and_wait();
}
