// SPDX-License-Identifier: MIT
//
// z = alpha x + y for the tests on the fake driver: arrays with their reference, and the texts that
// the driver takes for machine code.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "kernels/cpu/problem_file.h"
#include "kernels/launch.h"
#include "tests/kernels/cuda/programs_text.h"

namespace exh::kernels::cuda::testing {

inline constexpr std::size_t kElements = 1000;

/// The arrays, and the problem whose spans point into them.
struct AxpyProblem {
  std::vector<float> x, y;
  std::vector<double> z, tolerance;

  /// x[i] = i + offset, y[i] = 2 i, alpha = 1.5: every result is exact.
  explicit AxpyProblem(float offset, double allowed = 1e-3) {
    for (std::size_t i = 0; i < kElements; ++i) {
      x.push_back(static_cast<float>(i) + offset);
      y.push_back(static_cast<float>(2 * i));
      z.push_back(1.5 * x.back() + y.back());
      tolerance.push_back(allowed);
    }
  }
  AxpyProblem(const AxpyProblem&) = delete;
  AxpyProblem& operator=(const AxpyProblem&) = delete;

  cpu::Problem problem() const {
    constexpr ir::Type kType = ir::Type::kF32;
    return {{{"x", false, kType, std::as_bytes(std::span(x)), {}, {}},
             {"y", false, kType, std::as_bytes(std::span(y)), {}, {}},
             {"z", true, kType, {}, z, tolerance}},
            {{kType, 1.5}}};
  }
};

/// Machine code of a candidate that takes 10 us, with `what` else there is to it.
inline std::string CandidateText(const std::string& what = "") {
  return "fake cubin\nkernel exh_kernel axpy n=" + std::to_string(kElements) + " us=10 " + what +
         "\n";
}

/// The same by three kernels, which take 3 us more; `kernel`: what there is to exh_kernel,
/// `finish`: to exh_finish. Where launches overlap, they take 2 us less; all of exh_fill could,
/// too, but the first launch of a program waits for all that was before.
inline std::string ProgramText(const std::string& kernel = "", const std::string& finish = "") {
  const std::string n = " n=" + std::to_string(kElements);
  return "fake cubin\nkernel exh_fill fill us=1 early=1" + n +
         "\nkernel exh_kernel part tickets=4 us=10 early=0.5" + n + " " + kernel +
         "\nkernel exh_finish finish tickets=4 us=2 early=1.5" + n + " " + finish + "\n";
}

/// How that is launched.
inline Launch ProgramLaunch() {
  Launch launch;
  launch.grid = 8;
  launch.threads = 128;
  launch.ticket_bytes = 16;
  launch.workspace_bytes = launch.ticket_bytes + sizeof(float) * kElements;
  // More shared memory than a block has without asking for it.
  launch.sides = {{"exh_fill", true, 4, 256, 0}, {"exh_finish", false, 2, 128, 60 << 10}};
  return launch;
}

}  // namespace exh::kernels::cuda::testing
