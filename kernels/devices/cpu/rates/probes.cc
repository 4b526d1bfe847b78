// SPDX-License-Identifier: MIT
#include "kernels/devices/cpu/rates/probes.h"

#include <sys/mman.h>
#include <time.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <thread>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace exh::kernels::cpu {

#if defined(__x86_64__)

namespace {

using Clock = std::chrono::steady_clock;

double NsSince(Clock::time_point start) {
  return std::chrono::duration<double, std::nano>(Clock::now() - start).count();
}

bool HasAvx512() {
  return __builtin_cpu_supports("avx512f") != 0;
}

// ---- Arithmetic -------------------------------------------------------------------------------

/// Steps of one cycle each, every one of which needs the one before: no processor joins or skips
/// them.
double StepsOfOneCycle(int rounds) {
  std::uint64_t a = 1, b = 3;
  for (int round = 0; round < rounds; ++round) {
    asm volatile(
        "xor %1, %0\n\txor %0, %1\n\txor %1, %0\n\txor %0, %1\n\t"
        "xor %1, %0\n\txor %0, %1\n\txor %1, %0\n\txor %0, %1\n\t"
        "xor %1, %0\n\txor %0, %1\n\txor %1, %0\n\txor %0, %1\n\t"
        "xor %1, %0\n\txor %0, %1\n\txor %1, %0\n\txor %0, %1\n\t"
        : "+r"(a), "+r"(b));
  }
  return 16.0 * rounds;
}

/// Multiply-adds in twelve chains: enough for two units, each of which takes five cycles.
constexpr int kChains = 12;

__attribute__((target("avx512f"))) double MultiplyAvx512(int rounds) {
  __m512 sums[kChains];
  for (__m512& sum : sums) sum = _mm512_setzero_ps();
  __m512 a = _mm512_set1_ps(0.5F), b = _mm512_set1_ps(0.25F);
  for (int round = 0; round < rounds; ++round) {
    asm volatile("" : "+v"(a), "+v"(b));
#pragma GCC unroll 12
    for (__m512& sum : sums) sum = _mm512_fmadd_ps(a, b, sum);
  }
  for (__m512& sum : sums) asm volatile("" : "+v"(sum));
  return 16.0 * kChains * rounds;
}

__attribute__((target("avx2,fma"))) double MultiplyAvx2(int rounds) {
  __m256 sums[kChains];
  for (__m256& sum : sums) sum = _mm256_setzero_ps();
  __m256 a = _mm256_set1_ps(0.5F), b = _mm256_set1_ps(0.25F);
  for (int round = 0; round < rounds; ++round) {
    asm volatile("" : "+x"(a), "+x"(b));
#pragma GCC unroll 12
    for (__m256& sum : sums) sum = _mm256_fmadd_ps(a, b, sum);
  }
  for (__m256& sum : sums) asm volatile("" : "+x"(sum));
  return 8.0 * kChains * rounds;
}

/// The fastest of many moments: what `work` says it did, by the ns that it took.
double Fastest(double (*work)(int), int rounds, int moments) {
  double fastest = 0;
  for (int moment = 0; moment < moments; ++moment) {
    const Clock::time_point start = Clock::now();
    const double done = work(rounds);
    fastest = std::max(fastest, done / NsSince(start));
  }
  return fastest;
}

// ---- Memory -----------------------------------------------------------------------------------

/// Vectors of 32 bytes, which every processor here moves as fast as it can move anything.
using Vector = float __attribute__((vector_size(32), aligned(32), may_alias));
constexpr std::size_t kLanes = sizeof(Vector);

/// How a thread's share of the memory is gone through. Back and forth is what caches of any kind
/// keep most of.
enum class Mix { kReadAll, kReadEight, kBackAndForth, kCopy, kAdd, kAddPast, kFill };
struct MixOf {
  Mix mix;
  double times;  ///< How often a pass goes through everything.
  double reads;  ///< The share of it that is read.
};
constexpr MixOf kMixes[] = {{Mix::kReadAll, 1, 1},      {Mix::kReadEight, 1, 1},
                            {Mix::kBackAndForth, 2, 1}, {Mix::kCopy, 1, 0.5},
                            {Mix::kAdd, 1, 2.0 / 3},    {Mix::kAddPast, 1, 2.0 / 3},
                            {Mix::kFill, 1, 0}};

__attribute__((target("avx2"))) void GoThrough(Mix mix, char* begin, std::size_t bytes) {
  const auto at = [](char* from) { return reinterpret_cast<Vector*>(from); };
  const std::size_t third = bytes / 3 / (8 * kLanes) * (8 * kLanes);
  const std::size_t half = bytes / 2 / (8 * kLanes) * (8 * kLanes);
  switch (mix) {
    case Mix::kReadEight: {  // At eight places at once: more is under way.
      Vector sums[8] = {};
      const Vector* const x = at(begin);
      const std::size_t part = bytes / kLanes / 8;
      for (std::size_t i = 0; i < part; ++i) {
        for (std::size_t j = 0; j < 8; ++j) sums[j] += x[j * part + i];
      }
      for (Vector& sum : sums) asm volatile("" : "+x"(sum));
      return;
    }
    case Mix::kReadAll:
    case Mix::kBackAndForth: {
      Vector sums[8] = {};
      const Vector* const x = at(begin);
      const std::size_t vectors = bytes / kLanes / 8 * 8;
      for (std::size_t i = 0; i < vectors; i += 8) {
        for (std::size_t j = 0; j < 8; ++j) sums[j] += x[i + j];
      }
      for (std::size_t i = mix == Mix::kReadAll ? 0 : vectors; i > 0; i -= 8) {
        for (std::size_t j = 1; j <= 8; ++j) sums[j - 1] += x[i - j];
      }
      for (Vector& sum : sums) asm volatile("" : "+x"(sum));
      return;
    }
    case Mix::kCopy: {
      const Vector* const x = at(begin);
      Vector* const z = at(begin + half);
      for (std::size_t i = 0; i < half / kLanes; ++i) {
        z[i] = x[i];
        asm volatile("" ::: "memory");  // No call of memcpy.
      }
      return;
    }
    case Mix::kAdd:
    case Mix::kAddPast: {
      const Vector *const x = at(begin), *const y = at(begin + third);
      Vector* const z = at(begin + 2 * third);
      const bool past = mix == Mix::kAddPast;
      for (std::size_t i = 0; i < third / kLanes; ++i) {
        const Vector sum = x[i] + y[i];
        if (past) {
          __builtin_ia32_movntps256(reinterpret_cast<float*>(z + i), sum);
        } else {
          z[i] = sum;
        }
      }
      return;
    }
    case Mix::kFill: {
      Vector* const z = at(begin);
      const Vector value = {};
      for (std::size_t i = 0; i < bytes / kLanes; ++i) {
        z[i] = value;
        asm volatile("" ::: "memory");
      }
      return;
    }
  }
}

/// What the calling thread computed, in ns: it stands still while another program has the core.
double ComputedNs() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return 1e9 * static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec);
}

/// Threads that begin each pass together; the calling one is one of them.
class Team {
 public:
  explicit Team(std::uint32_t threads) : threads_(threads), ns_(threads) {}

  /// How many passes a ns all threads together do, of the fastest pass: the sum of what each does
  /// while it has a core. `work` gets the number of its thread.
  double Fastest(int passes, const std::function<void(std::uint32_t)>& work) {
    std::vector<std::thread> others;
    const auto pass = [&](std::uint32_t number) {
      Meet();
      const double before = ComputedNs();
      work(number);
      ns_[number] = ComputedNs() - before;
      Meet();
    };
    for (std::uint32_t number = 1; number < threads_; ++number) {
      others.emplace_back([&, number] {
        for (int i = 0; i < passes; ++i) pass(number);
      });
    }
    double fastest = 0;
    for (int i = 0; i < passes; ++i) {
      pass(0);
      double rate = 0;
      for (const double ns : ns_) rate += 1 / std::max(ns, 1.0);
      fastest = std::max(fastest, rate / threads_);
    }
    for (std::thread& other : others) other.join();
    return fastest;
  }

 private:
  void Meet() {
    const std::uint32_t meeting = meeting_.load();
    if (arrived_.fetch_add(1) + 1 == threads_) {
      arrived_ = 0;
      meeting_ = meeting + 1;
      return;
    }
    // What waits too long lets others work: there may be fewer cores than threads.
    for (int looks = 0; meeting_.load() == meeting; ++looks) {
      constexpr int kMany = 20000;
      if (looks > kMany) std::this_thread::yield();
    }
  }

  const std::uint32_t threads_;
  std::vector<double> ns_;  ///< Of the pass that ended last, by thread.
  std::atomic<std::uint32_t> arrived_ = 0, meeting_ = 0;
};

/// The fastest mixes when all threads together go through so many bytes again and again.
Sweep SweepThrough(Team& team, std::uint32_t threads, char* memory, std::size_t bytes) {
  constexpr std::size_t kPage = 4096;
  constexpr double kMostNs = 1.5e6, kLeastPasses = 2, kMostPasses = 100;
  const std::size_t share = bytes / threads / kPage * kPage;
  const auto all = static_cast<double>(share * threads);
  Sweep sweep{static_cast<double>(bytes), 0, 0};
  for (const auto& [mix, times, reads] : kMixes) {
    const auto work = [&, mix = mix](std::uint32_t number) {
      GoThrough(mix, memory + number * share, share);
    };
    const double first = team.Fastest(2, work);
    const double passes = std::clamp(kMostNs * first, kLeastPasses, kMostPasses);
    const double rate = std::max(first, team.Fastest(static_cast<int>(passes), work));
    sweep.gbs = std::max(sweep.gbs, times * all * rate);
    sweep.read_gbs = std::max(sweep.read_gbs, times * reads * all * rate);
  }
  return sweep;
}

constexpr std::size_t kLeastBytes = 256 << 10, kMostBytes = 128 << 20;

}  // namespace

bool CanMeasureSpeed() {
  __builtin_cpu_init();
  return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
}

ProcessorSpeed MeasureSpeed(std::uint32_t threads) {
  ProcessorSpeed speed;
  constexpr int kRounds = 4000, kMoments = 600;
  speed.clock_ghz = Fastest(StepsOfOneCycle, kRounds, kMoments);
  const double fma = Fastest(HasAvx512() ? MultiplyAvx512 : MultiplyAvx2, kRounds / 2, kMoments);
  speed.fma_per_clk = fma / speed.clock_ghz;

  void* const map =
      ::mmap(nullptr, kMostBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (map == MAP_FAILED) return speed;
  ::madvise(map, kMostBytes, MADV_HUGEPAGE);
  Team team(threads);
  for (std::size_t bytes = kLeastBytes * threads; bytes <= kMostBytes; bytes += bytes / 2) {
    speed.sweeps.push_back(SweepThrough(team, threads, static_cast<char*>(map), bytes));
  }
  ::munmap(map, kMostBytes);
  // What is faster with more bytes would be with fewer: that was an accident.
  for (std::size_t i = speed.sweeps.size(); i-- > 1;) {
    Sweep& fewer = speed.sweeps[i - 1];
    fewer.gbs = std::max(fewer.gbs, speed.sweeps[i].gbs);
    fewer.read_gbs = std::max(fewer.read_gbs, speed.sweeps[i].read_gbs);
  }
  return speed;
}

#else

bool CanMeasureSpeed() {
  return false;
}
ProcessorSpeed MeasureSpeed(std::uint32_t /*threads*/) {
  return {};
}

#endif

}  // namespace exh::kernels::cpu
