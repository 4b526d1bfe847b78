// SPDX-License-Identifier: MIT
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <random>
#include <string>

#include "base/stop.h"
#include "kernels/cpu/contain/channel.h"
#include "kernels/cpu/contain/fork_server.h"

namespace exh::kernels::cpu {

/// Something to be done while a process works: `act`, not before `after_ns`.
struct Meanwhile {
  double after_ns = 0;
  std::function<void()> act;
};

/// The process that runs one candidate, seen from the one that checks. It has a channel, the arrays
/// and a pipe for what is printed, and no other descriptor. It is killed when this goes, and when
/// the thread that made this dies.
class ContainedProcess {
 public:
  struct Options {
    ForkServer* server = nullptr;  ///< Outlives the process.
    int inputs_fd = -1, outputs_fd = -1;
    RunnerSetup setup;  ///< Without its cookie.
    const StopToken* stop = nullptr;
  };
  /// `error()` says why there is no process.
  explicit ContainedProcess(const Options& options);
  ContainedProcess(const ContainedProcess&) = delete;
  ContainedProcess& operator=(const ContainedProcess&) = delete;
  ~ContainedProcess();

  const std::string& error() const { return error_; }
  pid_t pid() const { return pid_; }

  enum class Event : std::uint8_t {
    kReply,
    kEnded,           ///< The process is dead, or closed its channel.
    kLate,            ///< Nothing within the time.
    kStopped,         ///< Options::stop.
    kOutOfTurn,       ///< It said what it was not asked.
    kTooManyThreads,  ///< More than four times what it was given, and 32.
  };
  /// The answer to the setup.
  Event AwaitReady(RunnerReply& reply, double seconds);
  /// Lets it go on where it is paused, and waits for the answer to `command`, whose cookie is
  /// chosen here.
  Event Ask(RunnerCommand command, RunnerReply& reply, double seconds, Meanwhile meanwhile = {});
  /// From the command to the answer, on our clock, and what its threads computed meanwhile on the
  /// system's: of the last Ask().
  double wall_ns() const { return wall_ns_; }
  double cpu_ns() const { return cpu_ns_; }

  /// Each of its threads to a core of its own, where this process may use as many: woken together
  /// they otherwise begin on one core now and then, and the one that waits, computing, keeps the
  /// others from it for some ms.
  void PinThreads() const;

  /// None of its threads runs until the next Ask(): what it wrote stays as it is.
  void Pause();

  struct End {
    bool signalled = false;
    int code = 0;            ///< The signal, or the exit code.
    bool was_alive = false;  ///< We killed it.
  };
  /// Waits a moment for the end of a process that is about to end, then kills it.
  const End& Finish(double patience_s);
  /// The last line that it printed.
  std::string LastLine();

 private:
  Event Await(std::uint64_t cookie, RunnerReply& reply, double seconds, Meanwhile& meanwhile);
  void Drain();
  double CpuNs() const;
  int NumThreads() const;

  const StopToken* stop_;
  int max_threads_ = 0;
  std::mt19937_64 random_{std::random_device{}()};
  pid_t pid_ = -1;
  clockid_t clock_ = 0;
  std::uint64_t cookie_ = 0;  ///< Of the setup.
  int channel_ = -1, printed_ = -1;
  bool frozen_ = false, finished_ = false;
  double wall_ns_ = 0, cpu_ns_ = 0;
  End end_;
  std::string text_;
  std::string error_;
};

}  // namespace exh::kernels::cpu
