// SPDX-License-Identifier: MIT
//
// The process that runs one candidate and ends with it.
#pragma once

namespace exh::kernels::cpu {

/// Maps the arrays that it is handed, contains itself, loads the candidate and runs it as it is
/// told through its channel, until that is closed. Returns the exit code only where there is no
/// channel. The hidden sub-command of the search program that RunCandidate starts.
int RunnerMain();

}  // namespace exh::kernels::cpu
