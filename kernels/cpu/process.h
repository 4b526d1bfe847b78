// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "kernels/stop.h"

namespace exh::kernels::cpu {

/// A program to run to its end in a process group of its own.
struct ProcessRequest {
  std::vector<std::string> argv;         ///< argv[0] is looked up on PATH unless it has a slash.
  std::string input;                     ///< What it reads from stdin.
  double timeout_s = 60;                 ///< Then the whole group is killed.
  std::vector<std::string> environment;  ///< "NAME=value": added to ours, or instead of ours.
  std::uint64_t max_memory_bytes = 0;    ///< Limit of its address space; 0: none.
  std::uint64_t stack_bytes = 0;         ///< Size of its main stack; 0: as ours.
  std::size_t max_output = 1 << 20;      ///< Of each stream; what is beyond is dropped.
  const StopToken* stop = nullptr;       ///< When it is stopped, the whole group is killed.
};

struct ProcessResult {
  enum class Status : std::uint8_t {
    kExited,     ///< `code` is the exit code.
    kSignalled,  ///< `code` is the signal.
    kTimedOut,
    kStopped,     ///< ProcessRequest::stop said so.
    kNotStarted,  ///< `error` says why.
  };
  Status status = Status::kNotStarted;
  int code = 0;
  std::string out, err;
  std::string error;
  double wall_ms = 0;

  bool ok() const { return status == Status::kExited && code == 0; }
};

/// Runs the program and waits. Whatever becomes of it is a value. Its group is killed when it ends,
/// when its time is over, when it is stopped (within 50 ms), and when the thread that called dies.
/// Safe to call from many threads.
ProcessResult RunProcess(const ProcessRequest& request);

/// Full path of a program, or an empty text if PATH has none of that name.
std::string FindProgram(const std::string& name);

/// "signal 11 (Segmentation fault)".
std::string SignalText(int signal);

}  // namespace exh::kernels::cpu
