// SPDX-License-Identifier: MIT
//
// The process that runs candidates on one GPU. It answers requests until a candidate breaks its
// context, writes outside of its arrays or does not end; then it says so and ends too, and another
// process takes its place.
#pragma once

namespace exh::kernels::cuda {

/// Reads a RunSetup, answers a RunReady; then reads a RunRequest and answers a RunAnswer for each,
/// as long as there are any: one line of JSON each, on the standard streams. Returns the exit code.
/// The hidden sub-command of the search program that GpuPool starts.
int CandidateProcessMain();

}  // namespace exh::kernels::cuda
