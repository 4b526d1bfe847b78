// SPDX-License-Identifier: MIT
//
// HIP spells a kernel as CUDA does: `extern "C" __global__`, __launch_bounds__, __shared__, float4,
// uint4, fmaf, __syncthreads(). What it lacks is not printed for it: loads and stores with
// directives for caches, because the device's `cache_flags` have none; the %globaltimer of
// kernels that give up, which only an evaluator asks for; and launches that overlap. Where halves
// become floats, the text itself has arithmetic for HIP and instructions for CUDA. Its shuffles
// take no mask: a wavefront runs together, and has 32 lanes or 64. What blocks leave for each other
// is read past the cache of a compute unit by atomic loads, as __ldcv does. What it needs besides
// is its header.
#include "kernels/devices/hip_text/backend.h"

#include <string>
#include <utility>

#include "base/check.h"
#include "kernels/codegen/plan/work.h"
#include "kernels/codegen/print/gpu/printer.h"

namespace exh::kernels::hip {
namespace {

class HipTextBackend final : public Backend {
 public:
  std::string_view language() const override { return "hip"; }
  ir::Language dialect() const override { return ir::Language::kCuda; }
  std::string_view suffix() const override { return ".hip"; }

  Source Print(const codegen::LoweredCode& code, const ir::Device& /*device*/) const override {
    codegen::GpuText text = codegen::PrintGpu(code);
    // Below the first comment, which says what was decided.
    const std::size_t end = text.source.find("\n\n");
    EXH_CHECK(end != std::string::npos);
    std::string head = "#include <hip/hip_runtime.h>\n\n";
    const auto define = [&](const std::string& name, const std::string& definition) {
      if (text.source.find(name) == std::string::npos) return;
      head += "#define " + name + definition + "\n\n";
    };
    define("__shfl_xor_sync", "(mask, value, lanes) __shfl_xor(value, lanes)");
    define("__ldcv", "(from) __hip_atomic_load(from, __ATOMIC_RELAXED, __HIP_MEMORY_SCOPE_AGENT)");
    text.source.insert(end + 2, head);
    Source source(std::move(text.source), text.launch);
    source.gpu->least_registers = codegen::LeastRegisters(*code.function, code.tree, code.values);
    source.rough_ns = codegen::RoughTimeNs(code.tree, text.launch);
    return source;
  }
};

}  // namespace

const Backend& GetBackend() {
  static const HipTextBackend backend;
  return backend;
}

}  // namespace exh::kernels::hip
