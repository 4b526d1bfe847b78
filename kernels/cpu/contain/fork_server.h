// SPDX-License-Identifier: MIT
//
// Processes for candidates, without the time that it takes to start a program. A program is started
// once, linked and loaded, and from then on it does nothing but fork: each copy of it becomes the
// process of one candidate. The program itself never sees a candidate, so that what one of them
// does to its process is gone with it.
//
//   search ── start once ──► fork server ── fork ──► process of a candidate
//      ▲                                                  │
//      └───────────── its parent is the search ───────────┘
#pragma once

#include <sys/types.h>

#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace exh::kernels::cpu {

/// What a process of a candidate has open beside /dev/null. All stay the caller's.
struct CandidateFiles {
  int printed = -1;  ///< For what it prints, on both streams.
  int channel = -1, inputs = -1, outputs = -1;
};

/// Starts its program when it is first needed, and again when it is gone: it is killed when the
/// thread that started it ends, as every candidate is. Safe to call from several threads.
class ForkServer {
 public:
  /// `command`: a program whose main calls RunnerMain.
  explicit ForkServer(std::vector<std::string> command) : command_(std::move(command)) {}
  ForkServer(const ForkServer&) = delete;
  ForkServer& operator=(const ForkServer&) = delete;
  ~ForkServer();

  /// A new process, a child of this one, of which RunnerMain makes a runner. -1: there is none, and
  /// `error` says why.
  pid_t Launch(const CandidateFiles& files, std::string& error);

 private:
  /// Empty, or why the program does not run.
  std::string Start();
  void Stop();
  /// False: the program is gone, or answers nothing.
  bool Ask(const CandidateFiles& files, pid_t& pid, int& fork_error) const;

  const std::vector<std::string> command_;
  std::mutex mutex_;  ///< Of what follows.
  pid_t pid_ = -1;
  int socket_ = -1;
};

/// The program's side: forks whenever it is asked, until nobody is there to ask. True in each copy,
/// which has the descriptors of channel.h and is a child of the process that asked.
bool ServeForks();

}  // namespace exh::kernels::cpu
