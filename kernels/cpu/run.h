// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "kernels/cpu/protocol.h"
#include "kernels/evaluation.h"
#include "kernels/stop.h"

namespace exh::kernels::cpu {

/// Runs a candidate in a disposable process started as `command` (a program whose main calls
/// RunnerMain). A crash, a hang and a wrong result are verdicts; never throws. The caller sees to
/// it that nothing else (a compiler, above all) keeps the cores busy meanwhile. When `stop` is
/// stopped, so is the candidate: kStopped.
Measurement RunCandidate(const RunRequest& request, const std::vector<std::string>& command,
                         const StopToken* stop = nullptr);

}  // namespace exh::kernels::cpu
