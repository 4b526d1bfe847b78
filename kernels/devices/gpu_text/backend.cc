// SPDX-License-Identifier: MIT
#include "kernels/devices/gpu_text/backend.h"

#include <string>
#include <utility>

#include "kernels/codegen/plan/work.h"
#include "kernels/codegen/print/gpu/printer.h"

namespace exh::kernels::gpu_text {
namespace {

class TextBackend final : public Backend {
 public:
  /// Shuffles are printed for devices whose architecture is `shuffles`; empty: for all.
  TextBackend(std::string_view language, ir::Dialect dialect, std::string_view suffix,
              std::string_view shuffles = "")
      : language_(language), dialect_(dialect), suffix_(suffix), shuffles_(shuffles) {}

  std::string_view language() const override { return language_; }
  ir::Dialect dialect() const override { return dialect_; }
  std::string_view suffix() const override { return suffix_; }

  Source Print(const codegen::LoweredCode& code, const ir::Device& device) const override {
    const bool shuffles = shuffles_.empty() || device.architecture == shuffles_;
    codegen::GpuText text = codegen::PrintGpu(code, {.dialect = dialect_, .shuffles = shuffles});
    Source source(std::move(text.source), text.launch);
    source.gpu->least_registers = codegen::LeastRegisters(*code.function, code.tree, code.values);
    source.rough_ns = codegen::RoughTimeNs(code.tree, text.launch);
    return source;
  }

 private:
  const std::string_view language_;
  const ir::Dialect dialect_;
  const std::string_view suffix_, shuffles_;
};

}  // namespace

const Backend& HipBackend() {
  static const TextBackend backend("hip", ir::Dialect::kHip, ".hip");
  return backend;
}

const Backend& OpenClBackend() {
  static const TextBackend backend("opencl", ir::Dialect::kOpenCl, ".cl",
                                   "cl_khr_subgroup_shuffle");
  return backend;
}

}  // namespace exh::kernels::gpu_text
