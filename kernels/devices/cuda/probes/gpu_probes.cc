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

// The matrix unit of doubles: 16 x 8 x 16 products of a warp, four sums of tiles in turn.
#if __CUDA_ARCH__ >= 900
PROBE_OF(512, probe_dmma) {
  double c[4][4], a[8], b[4];
#pragma unroll
  for (int i = 0; i < 8; ++i) a[i] = 0.5 + i + bytes;
#pragma unroll
  for (int i = 0; i < 4; ++i) b[i] = 1.5 - i * (int)threadIdx.x;
#pragma unroll
  for (int i = 0; i < 16; ++i) c[i / 4][i % 4] = i;
  __syncthreads();
  const long long begin = clock64();
#pragma unroll 1
  for (int round = 0; round < rounds; ++round) {
#pragma unroll
    for (int i = 0; i < 16; ++i) {
      asm volatile(
          "mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, "
          "{%4, %5, %6, %7, %8, %9, %10, %11}, {%12, %13, %14, %15}, {%0, %1, %2, %3};"
          : "+d"(c[i % 4][0]), "+d"(c[i % 4][1]), "+d"(c[i % 4][2]), "+d"(c[i % 4][3])
          : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(a[4]), "d"(a[5]), "d"(a[6]), "d"(a[7]),
            "d"(b[0]), "d"(b[1]), "d"(b[2]), "d"(b[3]));
    }
  }
  double sum = 0;
#pragma unroll
  for (int i = 0; i < 16; ++i) sum += c[i / 4][i % 4];
  Use(spans, (float)sum);
  Note(spans, begin);
}
#endif

// Floats that become doubles. The high word of each is the float that comes next, which takes no
// instruction.
PROBE(probe_convert) {
  float x[8];
#pragma unroll
  for (int i = 0; i < 8; ++i) x[i] = 1.5f + i + threadIdx.x + bytes;
  __syncthreads();
  const long long begin = clock64();
#pragma unroll 1
  for (int round = 0; round < rounds; ++round) {
#pragma unroll
    for (int i = 0; i < 64; ++i) {
      double wide;
      asm volatile("cvt.f64.f32 %0, %1;" : "=d"(wide) : "f"(x[i % 8]));
      x[i % 8] = __int_as_float(__double2hiint(wide));
    }
  }
  float sum = 0;
#pragma unroll
  for (int i = 0; i < 8; ++i) sum += x[i];
  Use(spans, sum);
  Note(spans, begin);
}

// Special functions, of the pipe that has nothing else.
#define SPECIAL_PROBE(name, function)                                      \
  PROBE(name) {                                                            \
    float x[8];                                                            \
    _Pragma("unroll") for (int i = 0; i < 8; ++i) x[i] = 0.5f + i + bytes; \
    __syncthreads();                                                       \
    const long long begin = clock64();                                     \
    _Pragma("unroll 1") for (int round = 0; round < rounds; ++round) {     \
      _Pragma("unroll") for (int i = 0; i < 64; ++i) {                     \
        asm volatile(function " %0, %0;" : "+f"(x[i % 8]));                \
      }                                                                    \
    }                                                                      \
    float sum = 0;                                                         \
    _Pragma("unroll") for (int i = 0; i < 8; ++i) sum += x[i];             \
    Use(spans, sum);                                                       \
    Note(spans, begin);                                                    \
  }
SPECIAL_PROBE(probe_exp, "ex2.approx.ftz.f32")
SPECIAL_PROBE(probe_root, "rsqrt.approx.ftz.f32")

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

// ---- gaps between launches: `rounds` of a chain that takes as long in each, and a write -----------
//
// What is written is how many clocks the chain took, for each warp.

static __device__ __forceinline__ void Chain(int* spent, int rounds, float x) {
  int* const to = spent + (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  const long long begin = clock64();
#pragma unroll 1
  for (int round = 0; round < rounds; ++round) {
#pragma unroll
    for (int i = 0; i < 64; ++i) asm volatile("fma.rn.f32 %0, %0, %0, %0;" : "+f"(x));
  }
  // The clock is looked at when the last of them has its result.
  if (x == 12345.678f) spent[0] = 0;
  const long long end = clock64();
  if (threadIdx.x % 32 == 0) *to = (int)(end - begin);
}
KERNEL __launch_bounds__(1024, 1) probe_gap(int* spent, const float* from, int rounds) {
  Chain(spent, rounds, 0.25f);
}
// … that begins with a value that is read.
KERNEL __launch_bounds__(1024, 1) probe_gap_read(int* spent, const float* from, int rounds) {
  float x;
  asm volatile("ld.global.cg.f32 %0, [%1];" : "=f"(x) : "l"(from + blockIdx.x * 32) : "memory");
  // Nothing behind it begins before the value has come.
  if (x == 12345.678f) return;
  Chain(spent, rounds, x);
}

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

// ---- sweeps: `count` vectors of each array, again and again ----------------------------------------
//
// Those before `kept` may stay in the cache for the next launch, the others shall not.

static __device__ __forceinline__ float4 Load(const float4* from, unsigned long long at,
                                              unsigned long long kept) {
  return at < kept ? from[at] : __ldcs(from + at);
}
static __device__ __forceinline__ void Store(float4* to, unsigned long long at,
                                             unsigned long long kept, float4 value) {
  if (at < kept) to[at] = value; else __stcs(to + at, value);
}
#define SWEEP_PROBE(name, load, use)                                                            \
  KERNEL __launch_bounds__(512, 1)                                                              \
  name(const float4* a, const float4* b, float4* c, unsigned long long count,                   \
       unsigned long long kept) {                                                               \
    const unsigned long long first = blockIdx.x * 2048ull + threadIdx.x;                        \
    float4 x[4], y[4];                                                                          \
    _Pragma("unroll") for (int i = 0; i < 4; ++i) {                                             \
      const unsigned long long at = first + i * 512;                                            \
      x[i] = y[i] = make_float4(1, 2, 3, 4);                                                    \
      if (at < count) { load; }                                                                 \
    }                                                                                           \
    _Pragma("unroll") for (int i = 0; i < 4; ++i) {                                             \
      const unsigned long long at = first + i * 512;                                            \
      if (at < count) { use; }                                                                  \
    }                                                                                           \
  }
SWEEP_PROBE(probe_sweep_read, x[i] = Load(a, at, kept),
            if (x[i].x + x[i].y + x[i].z + x[i].w == 12345.678f) c[0] = x[i])
SWEEP_PROBE(probe_sweep_write, , Store(c, at, kept, x[i]))
SWEEP_PROBE(probe_sweep_third, (x[i] = Load(a, at, kept), y[i] = Load(b, at, kept)),
            Store(c, at, kept, make_float4(x[i].x + y[i].x, x[i].y + y[i].y, x[i].z + y[i].z, x[i].w + y[i].w)))
)cuda";
  return source;
}

}  // namespace exh::kernels
