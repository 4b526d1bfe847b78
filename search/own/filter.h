// SPDX-License-Identifier: MIT
//
// What a requirement of a space cannot say, a program may (`--filter CMD`): which implementations
// there are. It is a process that is asked by lines, many implementations at once, each of them
// once:
//
//   > {"v":1,"id":3,"decisions":[{"block_x":64},{"block_x":96}],"sizes":{"n":512}}
//   < {"id":3,"valid":[true,false]}
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "base/stop.h"
#include "search/own/decided_values.h"
#include "search/own/line_process.h"

namespace exh::search {

class OwnFilter {
 public:
  /// `values` and the token, which may be null, outlive it.
  OwnFilter(const std::string& command, double timeout_s, const DecidedValues& values,
            const StopToken* stop)
      : process_(command, {}), timeout_s_(timeout_s), values_(values), stop_(stop) {}

  /// Is the implementation with this text one? From any thread: what many ask at the same time is
  /// one question. Throws Error where the program has no answer, and Interrupted when it was
  /// stopped.
  bool Allows(const std::string& text);

 private:
  struct Answer {
    bool is_known = false, is_valid = false;
    std::string problem;
  };
  /// Asks for those that wait. The lock is held before and after it, and not meanwhile.
  void AskAll(std::unique_lock<std::mutex>& lock);
  /// What the program says of them, or why it says nothing.
  std::string Ask(const std::vector<std::string>& texts, std::vector<bool>& valid);

  LineProcess process_;
  const double timeout_s_;
  const DecidedValues& values_;
  const StopToken* stop_;
  std::uint64_t last_id_ = 0;
  std::mutex mutex_;
  std::condition_variable answered_;
  bool is_asking_ = false;
  std::vector<std::string> waiting_;
  std::map<std::string, Answer> answers_;
};

}  // namespace exh::search
