// SPDX-License-Identifier: MIT
//
// What the process that runs a candidate may do, from before the candidate is loaded until its end.
// README.md says what is promised and where.
#pragma once

#include <cstdint>
#include <string>

namespace exh::kernels::cpu {

/// What is allowed to it.
struct ProcessAllowance {
  std::uint64_t memory_bytes = 0;  ///< Of memory of its own: heap, arrays by thread, stacks.
  bool may_pin_threads = false;    ///< The environment asks OpenMP to bind threads to cores.
};

/// How much a candidate gets that runs `threads` threads on arrays of `array_bytes` in all.
ProcessAllowance AllowanceFor(std::uint64_t array_bytes, int threads);

/// Which means of containment hold. The rest of them is not offered by the system.
struct Containment {
  bool limits = false;      ///< Memory, size of files, open files.
  bool privileges = false;  ///< None can be gained, and root has none left.
  bool calls = false;       ///< seccomp: calls of the system by list; no process, no signal.
  int files = 0;            ///< Landlock's version: no file is written; 0: not offered.
  bool network() const { return files >= 4; }
  bool signals() const { return files >= 6; }
  bool complete() const { return limits && privileges && calls && files > 0; }
};

/// Contains this process, which must have a single thread, for ever. What the system does not offer
/// is left out.
Containment Contain(const ProcessAllowance& allowance);

/// What would hold on this machine: tried in a child process.
Containment TryContainment();

/// "limits, no privileges, calls by list (seccomp), no writing of files (Landlock 3)".
std::string ContainmentText(const Containment& containment);
/// What is missing, with what that means and what would help; empty where nothing is.
std::string MissingContainmentText(const Containment& containment);

/// For the channel between two processes.
std::uint64_t ToBits(const Containment& containment);
Containment ContainmentOfBits(std::uint64_t bits);

}  // namespace exh::kernels::cpu
