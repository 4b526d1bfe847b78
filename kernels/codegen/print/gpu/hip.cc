// SPDX-License-Identifier: MIT
//
// HIP spells a kernel as CUDA does. Its shuffles take no mask: a wavefront runs together, and has
// 32 lanes or 64. What blocks leave for each other is read past the cache of a compute unit by
// atomic loads. Where halves become floats, the text itself has arithmetic for HIP and instructions
// for CUDA.
#include "kernels/codegen/print/gpu/words.h"

namespace exh::kernels::codegen {
namespace {

class Hip final : public GpuWords {
 public:
  Hip() {
    dialect = ir::Dialect::kHip;
    name = "HIP";
    lacks = {needs::kVectorAtomics, needs::kCacheHints, needs::kAsyncCopies, needs::kMatrixUnits,
             needs::kOverlap,       needs::kClock,      needs::kClusters};
  }

  std::string Head(const Needs& /*needs*/) const override {
    return "#include <hip/hip_runtime.h>\n";
  }
  std::string Shuffle(const std::string& value, std::uint32_t bit,
                      std::uint32_t /*threads*/) const override {
    return "__shfl_xor(" + value + ", " + std::to_string(bit) + ")";
  }
  std::string LookBackFunctions() const override {
    // Of a wavefront of 64 lanes, the half that the lane is in.
    return R"(static __device__ __forceinline__ void exh_tell(unsigned long long* to, unsigned long long word) {
  __hip_atomic_store(to, word, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}
static __device__ __forceinline__ unsigned long long exh_hear(const unsigned long long* from) {
  return __hip_atomic_load(from, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT);
}
static __device__ __forceinline__ unsigned exh_ballot(bool is_set) {
  return static_cast<unsigned>(__ballot(is_set) >> (threadIdx.x & 32u & (warpSize - 1)));
}
static __device__ __forceinline__ void exh_pause(unsigned) { __builtin_amdgcn_s_sleep(8); }
#define exh_swap(value, bit) __shfl_xor(value, bit)
)";
  }
  std::string Fresh(const std::string& pointer) const override {
    return "__hip_atomic_load(" + pointer + ", __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT)";
  }
};

}  // namespace

const GpuWords& HipWords() {
  static const Hip words;
  return words;
}

}  // namespace exh::kernels::codegen
