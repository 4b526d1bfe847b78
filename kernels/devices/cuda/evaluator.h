// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "kernels/devices/evaluator.h"
#include "kernels/devices/workload.h"

namespace exh::kernels {

/// A candidate that takes longer than this many times the best (and than kCudaLeastCapNs) is slow.
inline constexpr double kCudaSlowFactor = 20;
inline constexpr double kCudaLeastCapNs = 5e6;
/// Longer texts are not compiled. The winners that are kept have 4 to 87 kB. Of 15 candidates of
/// two searches five were longer than this, with two thirds of all bytes; a compiler takes half a
/// second and more for one.
inline constexpr std::uint64_t kCudaMostTextBytes = 128'000;
/// A candidate that may run for ever is first tried with loops that look at the clock, which takes
/// time: it is slow when it has not ended after this many times the cap.
inline constexpr double kCudaCareFactor = 1.25;
/// One whose first batch is this much slower than the best is not timed any further.
inline constexpr double kCudaStopFactor = 1.5;
/// Where the best takes this long, candidates are judged by a part of their blocks first, and run
/// whole if that is within kCudaStopFactor. Below it a launch takes no longer than what is around
/// it: outputs are poisoned and checked, and the answer goes from process to process.
inline constexpr double kCudaPartFromNs = 2e6;

/// The evaluator of a GPU: NVRTC in processes of this program (`search compile-cuda`), and a
/// disposable process that runs the candidates (`search run-cuda`). Throws Error when the driver, a
/// GPU or NVRTC is missing.
std::unique_ptr<Evaluator> MakeCudaEvaluator(std::unique_ptr<const Workload> workload,
                                             const EvaluatorOptions& options);

/// The sub-commands of this program that compile and run candidates.
inline constexpr const char* kCompileCuda = "compile-cuda";
inline constexpr const char* kRunCuda = "run-cuda";

}  // namespace exh::kernels
