// SPDX-License-Identifier: MIT
//
// The process that runs one candidate and ends with it.
#pragma once

namespace exh::kernels::cpu {

/// Forks as a fork server does (fork_server.h). Each copy maps the arrays that it is handed,
/// contains itself, loads its candidate and runs it as it is told through its channel, until that
/// is closed. Returns the exit code only where nobody asks for copies, or any more. The hidden
/// sub-command of the search program that RunCandidate starts.
int RunnerMain();

}  // namespace exh::kernels::cpu
