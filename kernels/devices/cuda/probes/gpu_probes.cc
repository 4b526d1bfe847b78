// SPDX-License-Identifier: MIT
#include "kernels/devices/cuda/probes/gpu_probes.h"

namespace exh::kernels {

const std::string& GpuProbesSource() {
  static const std::string source = R"cuda(
#define KERNEL extern "C" __global__ void
#define PROBE_OF(threads, name)                                            \
  KERNEL __launch_bounds__(threads, 1)                                     \
  name(long long* spans, int rounds, const void* memory, unsigned long long bytes)

#define PROBE(name) PROBE_OF(1024, name)

static __device__ __forceinline__ void Note(long long* spans, long long begin) {
  const long long end = clock64();
  const int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  if (threadIdx.x % 32 == 0) {
    spans[2 * warp] = begin;
    spans[2 * warp + 1] = end;
  }
}

// What is computed must seem to be needed.
static __device__ __forceinline__ void Use(long long* spans, float value) {
  if (value == 12345.678f) spans[0] = 1;
}

// ---- rates: instructions of a kind, in 8 chains of a thread ---------------------------------------
//
// Rounds are long where the loop's own instructions would otherwise take a share of what is measured.

PROBE(probe_fma) {
  float x[8];
  const float a = 0.5f + bytes, b = 1.0f;
#pragma unroll
  for (int i = 0; i < 8; ++i) x[i] = a + i + threadIdx.x;
  __syncthreads();
  const long long begin = clock64();
#pragma unroll 1
  for (int round = 0; round < rounds; ++round) {
#pragma unroll
    for (int i = 0; i < 512; ++i) x[i % 8] = fmaf(x[i % 8], a, b);
  }
  float sum = 0;
#pragma unroll
  for (int i = 0; i < 8; ++i) sum += x[i];
  Use(spans, sum);
  Note(spans, begin);
}

// An outer product, as in the middle of a matrix product: operands change from one to the next.
PROBE_OF(256, probe_fma_outer) {
  float x[64], a[8], b[8];
#pragma unroll
  for (int i = 0; i < 8; ++i) a[i] = 0.5f + i + bytes, b[i] = 1.5f - i * threadIdx.x;
#pragma unroll
  for (int i = 0; i < 64; ++i) x[i] = i;
  __syncthreads();
  const long long begin = clock64();
#pragma unroll 1
  for (int round = 0; round < rounds; ++round) {
#pragma unroll
    for (int i = 0; i < 64; ++i) x[i] = fmaf(a[i / 8], b[i % 8], x[i]);
  }
  float sum = 0;
#pragma unroll
  for (int i = 0; i < 64; ++i) sum += x[i];
  Use(spans, sum);
  Note(spans, begin);
}

PROBE(probe_int_mad) {
  int x[8];
  const int a = 3 + (int)bytes, b = 5;
#pragma unroll
  for (int i = 0; i < 8; ++i) x[i] = i + threadIdx.x;
  __syncthreads();
  const long long begin = clock64();
#pragma unroll 1
  for (int round = 0; round < rounds; ++round) {
#pragma unroll
    for (int i = 0; i < 64; ++i) asm volatile("mad.lo.s32 %0, %0, %1, %2;" : "+r"(x[i % 8]) : "r"(a), "r"(b));
  }
  float sum = 0;
#pragma unroll
  for (int i = 0; i < 8; ++i) sum += x[i];
  Use(spans, sum);
  Note(spans, begin);
}

// Two kinds in turn, of different pipes: what schedulers issue.
PROBE(probe_issue) {
  float x[8];
  unsigned y[8];
  const float a = 0.5f + bytes;
  const unsigned b = 0x5a5a5a5a + (unsigned)bytes, c = 0x0ff00ff0;
#pragma unroll
  for (int i = 0; i < 8; ++i) x[i] = a + i, y[i] = i + threadIdx.x;
  __syncthreads();
  const long long begin = clock64();
#pragma unroll 1
  for (int round = 0; round < rounds; ++round) {
#pragma unroll
    for (int i = 0; i < 256; ++i) {
      x[i % 8] = fmaf(x[i % 8], a, 1.0f);
      asm volatile("lop3.b32 %0, %0, %1, %2, 0xE8;" : "+r"(y[i % 8]) : "r"(b), "r"(c));
    }
  }
  float sum = 0;
#pragma unroll
  for (int i = 0; i < 8; ++i) sum += x[i] + y[i];
  Use(spans, sum);
  Note(spans, begin);
}

// ---- shared memory: 16 reads a round and thread, without conflicts ------------------------------

extern __shared__ float4 shared_memory[];

static __device__ __forceinline__ unsigned SharedAddress() {
  return (unsigned)__cvta_generic_to_shared(shared_memory);
}

// The assembler leaves out reads that nobody needs, and of the same place it reads once: every word
// is added to something, and to the address something that is 0 (`bytes`), which it cannot know.
#define SHARED_PROBE(name, width, words, load, ...)                        \
  PROBE(name) {                                                            \
    unsigned address = SharedAddress() + threadIdx.x * width;              \
    float sum[4] = {0, 0, 0, 0}, x[4] = {0, 0, 0, 0};                      \
    shared_memory[threadIdx.x] = make_float4(0, 0, 0, 0);                  \
    __syncthreads();                                                       \
    const long long begin = clock64();                                     \
    _Pragma("unroll 1") for (int round = 0; round < rounds; ++round) {     \
      _Pragma("unroll") for (int i = 0; i < 16; ++i) {                     \
        asm volatile(load : __VA_ARGS__ : "r"(address) : "memory");        \
        _Pragma("unroll") for (int w = 0; w < words; ++w) sum[w] += x[w];  \
        address += (unsigned)bytes;                                        \
      }                                                                    \
    }                                                                      \
    Use(spans, sum[0] + sum[1] + sum[2] + sum[3]);                         \
    Note(spans, begin);                                                    \
  }
SHARED_PROBE(probe_shared_32, 4, 1, "ld.shared.f32 %0, [%1];", "=f"(x[0]))
SHARED_PROBE(probe_shared_64, 8, 2, "ld.shared.v2.f32 {%0, %1}, [%2];", "=f"(x[0]), "=f"(x[1]))
SHARED_PROBE(probe_shared_128, 16, 4, "ld.shared.v4.f32 {%0, %1, %2, %3}, [%4];", "=f"(x[0]),
             "=f"(x[1]), "=f"(x[2]), "=f"(x[3]))

// ---- caches: 16 reads of 16 bytes a round and thread --------------------------------------------

#define READ_16(load, from)                                                                    \
  asm volatile(load " {%0, %1, %2, %3}, [%4];"                                                 \
               : "=f"(x[0]), "=f"(x[1]), "=f"(x[2]), "=f"(x[3]) : "l"(from) : "memory");       \
  _Pragma("unroll") for (int w = 0; w < 4; ++w) sum[w] += x[w]

// Every block reads the same `bytes`, which the first level holds.
PROBE(probe_l1) {
  const float4* const from = (const float4*)memory + threadIdx.x;
  float sum[4] = {0, 0, 0, 0}, x[4];
  const unsigned long long count = bytes / 16;
  unsigned long long at = 0;
  for (unsigned long long i = 0; i < count; i += 1024) {
    READ_16("ld.global.ca.v4.f32", from + i);
  }
  __syncthreads();
  const long long begin = clock64();
#pragma unroll 1
  for (int round = 0; round < rounds; ++round) {
#pragma unroll
    for (int i = 0; i < 16; ++i) {
      READ_16("ld.global.ca.v4.f32", from + at);
      at += 1024;
      if (at >= count) at -= count;
    }
  }
  Use(spans, sum[0] + sum[1] + sum[2] + sum[3]);
  Note(spans, begin);
}

// Blocks begin at different places of the same `bytes`, which the second level holds.
PROBE(probe_l2) {
  const unsigned long long count = bytes / 16;
  unsigned long long at = (blockIdx.x * 40961ull * 16 + threadIdx.x) % count;
  const float4* const from = (const float4*)memory;
  float sum[4] = {0, 0, 0, 0}, x[4];
  __syncthreads();
  const long long begin = clock64();
#pragma unroll 1
  for (int round = 0; round < rounds; ++round) {
#pragma unroll
    for (int i = 0; i < 16; ++i) {
      READ_16("ld.global.cg.v4.f32", from + at);
      at += 1024;
      if (at >= count) at -= count;
    }
  }
  Use(spans, sum[0] + sum[1] + sum[2] + sum[3]);
  Note(spans, begin);
}

// ---- latencies: `rounds` steps of one chain -------------------------------------------------------

PROBE(probe_fma_latency) {
  float x = threadIdx.x;
  const float a = 0.5f + bytes;
  const long long begin = clock64();
#pragma unroll 512
  for (int i = 0; i < rounds; ++i) x = fmaf(x, a, 1.0f);
  Use(spans, x);
  Note(spans, begin);
}

KERNEL probe_link(unsigned long long* links, unsigned long long count, unsigned long long step) {
  for (unsigned long long i = blockIdx.x * 256ull + threadIdx.x; i < count; i += gridDim.x * 256ull) {
    links[i * step / 8] = (unsigned long long)(links + (i + 1) % count * step / 8);
  }
}

// Each warp of the result is a stretch of the chain: the fastest counts.
#define CHASE_PROBE(name, load)                                            \
  KERNEL name(long long* spans, int rounds, const void* memory, unsigned long long) { \
    unsigned long long at = (unsigned long long)memory;                    \
    for (int stretch = 0; stretch < 64; ++stretch) {                       \
      const long long begin = clock64();                                   \
      _Pragma("unroll 1") for (int i = 0; i < rounds; ++i) {               \
        asm volatile(load " %0, [%1];" : "=l"(at) : "l"(at));              \
      }                                                                    \
      if (at == 1) spans[0] = 1;                                           \
      spans[2 * stretch] = begin;                                          \
      spans[2 * stretch + 1] = clock64();                                  \
    }                                                                      \
  }
CHASE_PROBE(probe_chase_ca, "ld.global.ca.u64")
CHASE_PROBE(probe_chase_cg, "ld.global.cg.u64")

PROBE(probe_chase_shared) {
  unsigned* const links = (unsigned*)shared_memory;
  const unsigned base = SharedAddress();
  for (int i = 0; i < 256; ++i) links[i] = base + (i + 1) % 256 * 4;
  unsigned at = base;
  const long long begin = clock64();
#pragma unroll 1
  for (int i = 0; i < rounds; ++i) asm volatile("ld.shared.u32 %0, [%1];" : "=r"(at) : "r"(at));
  if (at == 1) spans[0] = 1;
  Note(spans, begin);
}

PROBE(probe_barrier) {
  __syncthreads();
  const long long begin = clock64();
#pragma unroll 1
  for (int i = 0; i < rounds; ++i) __syncthreads();
  Note(spans, begin);
}

KERNEL probe_nothing() {}

// ---- main memory: `count` vectors of 16 bytes of each array ---------------------------------------

KERNEL __launch_bounds__(512, 1)
probe_read(const float4* a, const float4* b, float4* c, unsigned long long count) {
  const unsigned long long at = blockIdx.x * 2048ull + threadIdx.x;
  float4 x[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) x[i] = at + i * 512 < count ? __ldcs(a + at + i * 512) : make_float4(0, 0, 0, 0);
  float sum = 0;
#pragma unroll
  for (int i = 0; i < 4; ++i) sum += x[i].x + x[i].y + x[i].z + x[i].w;
  if (sum == 12345.678f) c[0] = x[0];
}
KERNEL __launch_bounds__(512, 1)
probe_write(const float4* a, const float4* b, float4* c, unsigned long long count) {
  const unsigned long long at = blockIdx.x * 2048ull + threadIdx.x;
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    if (at + i * 512 < count) __stcs(c + at + i * 512, make_float4(1, 2, 3, 4));
  }
}
KERNEL __launch_bounds__(512, 1)
probe_copy(const float4* a, const float4* b, float4* c, unsigned long long count) {
  const unsigned long long at = blockIdx.x * 2048ull + threadIdx.x;
  float4 x[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) if (at + i * 512 < count) x[i] = __ldcs(a + at + i * 512);
#pragma unroll
  for (int i = 0; i < 4; ++i) if (at + i * 512 < count) __stcs(c + at + i * 512, x[i]);
}
KERNEL __launch_bounds__(512, 1)
probe_add(const float4* a, const float4* b, float4* c, unsigned long long count) {
  const unsigned long long at = blockIdx.x * 2048ull + threadIdx.x;
  float4 x[4], y[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) if (at + i * 512 < count) x[i] = __ldcs(a + at + i * 512), y[i] = __ldcs(b + at + i * 512);
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    if (at + i * 512 < count) {
      __stcs(c + at + i * 512, make_float4(x[i].x + y[i].x, x[i].y + y[i].y, x[i].z + y[i].z, x[i].w + y[i].w));
    }
  }
}
)cuda";
  return source;
}

}  // namespace exh::kernels
