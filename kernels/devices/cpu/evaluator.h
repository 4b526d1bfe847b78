// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/stop.h"
#include "kernels/devices/evaluator.h"
#include "kernels/devices/workload.h"

namespace exh::kernels {

/// Longer texts are not compiled: a compiler takes 5 to 50 ms for each thousand characters, up to
/// 8 s.
inline constexpr std::uint64_t kCpuMostTextBytes = 160'000;

/// The evaluator of the cpu device: the system's compiler, and a disposable process of this program
/// (`search run-candidate`) per measurement, which gets the arrays and never sees a reference.
/// Those are computed when the first candidate is measured, and the rest of the problems when they
/// are first needed. Libraries go to a folder of its own under the system's folder for temporary
/// files, removed at the end. `stop` outlives it; see EvaluatorOptions::stop. Throws Error when
/// there is no compiler or the folder cannot be written.
std::unique_ptr<Evaluator> MakeCpuEvaluator(std::unique_ptr<const Workload> workload,
                                            const StopToken* stop);

/// The compiler that it calls, and where it is; empty when it is missing.
std::string CompilerName();
std::string CompilerPath();
/// As it is called: "g++ -O3 -march=native …".
std::string CompilerCall();
/// What it says of itself: "g++ (Debian 12.2.0-14) 12.2.0"; empty when it says nothing.
std::string CompilerVersion();
/// Throws Error when it is missing: one line that says what to install.
void RequireCompiler();

/// The sub-command of this program that runs a candidate.
inline constexpr const char* kRunCandidate = "run-candidate";

}  // namespace exh::kernels
