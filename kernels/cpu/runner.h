// SPDX-License-Identifier: MIT
//
// The process that runs one candidate and ends with it.
#pragma once

namespace exh::kernels::cpu {

/// Reads a RunRequest from stdin, runs the candidate, writes a Measurement to stdout: one line of
/// JSON each. What the candidate itself prints goes to stderr. Returns the exit code: 0 whenever
/// there is an answer. The hidden sub-command of the search program that RunCandidate starts.
int RunnerMain();

}  // namespace exh::kernels::cpu
