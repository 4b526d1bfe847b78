// SPDX-License-Identifier: MIT
#pragma once

namespace exh::kernels::cpu {

/// From now on this process, and every thread that it starts, may call of the system what computing
/// takes and nothing else: memory, threads, clocks, reading files. A call that is not on the list
/// fails with EPERM. No processes, no signals to others, no sockets, no file opened to be written.
/// False: the system does not offer it (no seccomp).
bool AllowOnlyComputing(bool may_pin_threads);

}  // namespace exh::kernels::cpu
