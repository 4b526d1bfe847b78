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
