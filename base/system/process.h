// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/stop.h"

namespace exh {

/// A program to run to its end, with all that it starts (process_tree.h).
struct ProcessRequest {
  std::vector<std::string> argv;         ///< argv[0] is looked up on PATH unless it has a slash.
  std::string input;                     ///< What it reads from stdin.
  double timeout_s = 60;                 ///< Then the program is killed.
  std::vector<std::string> environment;  ///< "NAME=value": added to ours, or instead of ours.
  std::uint64_t max_memory_bytes = 0;    ///< Limit of its address space; 0: none.
  std::uint64_t stack_bytes = 0;         ///< Size of its main stack; 0: as ours.
  std::size_t max_output = 1 << 20;      ///< Of each stream; what is beyond is dropped.
  const StopToken* stop = nullptr;       ///< When it is stopped, so is the program.
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

/// Runs the program and waits. Whatever becomes of it is a value. It and all that it started are
/// gone when this returns: when it ends, when its time is over, when it is stopped (within 50 ms),
/// and when this process dies. Safe to call from many threads.
ProcessResult RunProcess(const ProcessRequest& request);

/// Our environment, "NAME=value" each, with what is added to it or stands instead of ours.
std::vector<std::string> EnvironmentWith(const std::vector<std::string>& added);

/// Full path of a program, or an empty text if PATH has none of that name.
std::string FindProgram(const std::string& name);

/// Full path of this program.
std::string ThisProgram();

/// "signal 11 (Segmentation fault)".
std::string SignalText(int signal);

/// Is it a signal that others send (SIGKILL, SIGTERM, …: a person, an out-of-memory killer), and no
/// program gets by its own mistakes?
bool IsSentByOthers(int signal);

}  // namespace exh
