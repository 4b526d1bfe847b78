// SPDX-License-Identifier: MIT
//
// What evaluators of texts on a GPU have in common, wherever the texts come from: a subclass says
// what the text of an implementation is.
#pragma once

#include <optional>
#include <string>

#include "kernels/devices/cuda/evaluator.h"
#include "kernels/devices/cuda/gpu_bench.h"
#include "kernels/devices/evaluator.h"
#include "kernels/ir/device.h"

namespace exh::kernels::cuda {

class TextEvaluator : public Evaluator {
 public:
  /// Throws what GpuBench does.
  TextEvaluator(const ir::Device& device, const EvaluatorOptions& options,
                const GpuBench::WriteProblems& write)
      : cold_(options.cold), bench_(device, options, write) {}

  Compiled Compile(const Source& source) override {
    return bench_.Compile(source, source.text, Optimization::kFull);
  }
  bool compiles_while_measuring() const override { return true; }
  double first_cap_ns() const override { return kCudaLeastCapNs; }
  int finalists() const override { return kFinalists; }
  Measurement Measure(const Compiled& compiled, const Cap& cap, Effort effort) override {
    return bench_.Measure(compiled, cap, effort);
  }
  Measurement Repeat(const Compiled& compiled, int launches) override {
    return bench_.Repeat(compiled, launches);
  }
  /// "NVIDIA H100 80GB HBM3, driver 13.0, warm L2".
  std::string YardstickText() const override {
    return bench_.Conditions() + (cold_ ? ", cold L2" : ", warm L2");
  }
  std::vector<std::string> Notes() const override { return bench_.Notes(); }
  std::map<std::string, std::string, std::less<>> Versions() const override {
    return bench_.Versions();
  }
  std::optional<MeasuredRates> Rates() override { return bench_.Rates(); }
  void Discard(const Compiled& compiled) override { bench_.Discard(compiled); }

 private:
  static constexpr int kFinalists = 8;
  const bool cold_;
  GpuBench bench_;
};

}  // namespace exh::kernels::cuda
