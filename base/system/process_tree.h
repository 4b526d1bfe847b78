// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace exh {

/// A program to start. File descriptors stay the caller's.
struct ProgramStart {
  std::string program;                   ///< Path.
  std::vector<std::string> argv;         ///< argv[0] included.
  std::vector<std::string> environment;  ///< All of it: "NAME=value".
  int in = -1, out = -1, err = -1;       ///< Become 0, 1 and 2. It gets no others.
  std::uint64_t max_memory_bytes = 0;    ///< Limit of its address space; 0: none.
  std::uint64_t stack_bytes = 0;         ///< Size of its main stack; 0: as ours.
};

/// How a program ended. Everything that it had started is gone by then.
struct ProcessEnd {
  enum class Kind : std::uint8_t {
    kEnded,       ///< `value` is its status as wait() has it.
    kNotStarted,  ///< `value` is an errno: there was no process, or it could not be made to run it.
    kLost,        ///< Its supervisor was killed, and it with it.
  };
  Kind kind = Kind::kLost;
  int value = 0;
};

/// A program that runs, with all that it starts: helpers of a compiler, daemons, processes in
/// groups and sessions of their own. All of them end when the program does, when this object does,
/// and when this process ends in whatever way. Not to be used from two threads at once.
class ProcessTree {
 public:
  ProcessTree() = default;
  ~ProcessTree() { Kill(); }
  ProcessTree(ProcessTree&& other) noexcept;
  ProcessTree& operator=(ProcessTree&& other) noexcept;

  /// Safe to call from many threads. Without a process for it, `why` says so and the tree is not
  /// running. What cannot be executed shows in its end.
  static ProcessTree Start(const ProgramStart& start, std::string& why);

  bool is_running() const { return control_ >= 0; }
  /// Can be read from (poll) when the program has ended.
  int fd() const { return control_; }
  /// Waits so long for the end, negative for ever. Nothing: it runs on. Only while it is running.
  std::optional<ProcessEnd> Wait(int timeout_ms);
  /// Kills it all and waits until it is gone. Says how the program ended, which may have been
  /// before. Does nothing when it is not running.
  ProcessEnd Kill();

 private:
  int control_ = -1;  ///< A socket; its other end is the supervisor's.
};

/// Makes the process that starts all others, which ProcessTree does otherwise the first time. It is
/// a copy of this process and keeps what this one writes over later: best made while that is
/// little.
void StartSupervisor();

}  // namespace exh
