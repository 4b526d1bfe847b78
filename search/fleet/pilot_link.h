// SPDX-License-Identifier: MIT
#pragma once

#include <sys/types.h>

#include <atomic>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "base/system/descriptor.h"
#include "base/system/process_tree.h"
#include "search/fleet/message_lines.h"

namespace exh::search {

/// A process that a command starts, with messages there and back. It and all that it starts die
/// with this object, and when this process dies.
class PilotLink {
 public:
  /// Both are called by a thread of its own: `heard` for every message, `ended` once, when nothing
  /// more will come, with why. False of `heard`: that was no message, and ends it.
  using Heard = std::function<bool(const std::string& message)>;
  using Ended = std::function<void(const std::string& why, bool has_died)>;

  /// `command` is the shell's. `beat`: a message that is sent every now and then. Silent for
  /// `silence_s` seconds after it has said anything: it has ended. Until then it may wait for a
  /// machine that is free.
  PilotLink(const std::string& command, std::string beat, double silence_s, Heard heard,
            Ended ended);
  ~PilotLink();
  PilotLink(const PilotLink&) = delete;
  PilotLink& operator=(const PilotLink&) = delete;

  /// From any thread; never waits.
  void Send(const std::string& message);
  /// The last line that it has written to its standard error, if any. From any thread.
  std::string LastComplaint() const;

 private:
  void Run(double silence_s);
  /// Why it has ended, after its stream has.
  std::string Obituary();
  bool SendSome();

  const std::string beat_;
  Heard heard_;
  Ended ended_;
  ProcessTree tree_;
  Descriptor socket_, errors_, wake_;
  std::mutex mutex_;
  std::string output_;  ///< What is still to be sent.
  std::atomic<bool> is_over_ = false;
  std::thread thread_;
};

}  // namespace exh::search
