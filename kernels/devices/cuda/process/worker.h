// SPDX-License-Identifier: MIT
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "base/stop.h"
#include "base/system/process_tree.h"

namespace exh::kernels::cuda {

/// A process that lives for many requests and answers each with one line. It and all that it
/// starts die with this object, and when this process dies. Not to be used from two threads at
/// once.
class Worker {
 public:
  enum class Reply { kLine, kTimedOut, kDied, kStopped };

  Worker() = default;
  /// Starts argv[0] with its standard input and output connected to this. One that cannot be
  /// started is not alive, and `obituary` says why.
  explicit Worker(const std::vector<std::string>& argv);
  ~Worker();
  Worker(Worker&& other) noexcept;
  Worker& operator=(Worker&& other) noexcept;

  bool alive() const { return tree_.is_running(); }
  /// Sends a line (its end is added) and never waits: what the process does not read yet is sent
  /// while the answer is awaited.
  void Send(std::string line);
  /// Waits for a line. After kTimedOut the process still lives, and so it does when `stop` ended
  /// the waiting (kStopped, within 50 ms); after kDied it is gone.
  Reply Receive(double timeout_s, std::string& line, const StopToken* stop = nullptr);
  /// Drops what nobody asked for, and notices an end that came between two requests.
  void Drain();
  /// Says that there is nothing more to do, and waits so long for its end; then it is killed.
  void End(double patience_s);
  /// Kills it and waits until it is gone.
  void Kill();
  /// How it ended, with the last line of what it said to the standard error since its last answer.
  const std::string& obituary() const { return obituary_; }
  /// Did others end it: a person, or the kernel when memory was out? Not by Kill().
  bool was_killed() const { return was_killed_; }

 private:
  bool SendSome();
  bool ReadSome();
  void Reap();
  void Bury(std::string how);

  ProcessTree tree_;
  bool was_killed_ = false;
  int socket_ = -1;     ///< Both directions.
  int errors_ = -1;     ///< A file in memory: its standard error.
  off_t heard_ = 0;     ///< Length of that file at the last answer.
  std::string output_;  ///< What is still to be sent, from `sent_` on.
  std::size_t sent_ = 0;
  std::string input_, obituary_;
};

}  // namespace exh::kernels::cuda
