// SPDX-License-Identifier: MIT
//
// A log that is read as it comes. Lines are checked and followed one after the other, so that a
// reader may stop anywhere behind a line and go on when there is more.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "search/log/log_reader.h"

namespace exh::search {

class LogParser {
 public:
  LogParser();
  ~LogParser();
  LogParser(LogParser&& other) noexcept;
  LogParser& operator=(LogParser&& other) noexcept;

  /// The lines behind those before: whole ones, and at the end of the log perhaps one that is cut
  /// off. Never fails: what is damaged is left out and said among the problems.
  void Add(std::string_view block);

  /// What was read so far, without the problems that Missing() says. A caller may take lists of
  /// records out of it; what comes later is then all that they hold.
  Log& log() { return log_; }

  /// Lines that have not come although later ones have: "line 18 is missing".
  std::vector<std::string> Missing() const;

  /// All of it, when there is no more.
  Log Take();

 private:
  class State;  ///< The chain of the lines.
  std::unique_ptr<State> state_;
  Log log_;
};

}  // namespace exh::search
