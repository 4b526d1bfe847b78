// SPDX-License-Identifier: MIT
#pragma once

#include <cstdio>
#include <string>

#include "base/clock.h"

namespace exh::search {

/// One line on stderr that says, from its third second on, how far something is: written again and
/// again and erased in the end where that is a terminal, elsewhere a line now and then.
class StatusLine {
 public:
  explicit StatusLine(Clock clock, std::FILE* out = stderr);
  /// For tests: terminal or not.
  StatusLine(Clock clock, std::FILE* out, bool is_terminal);
  ~StatusLine() { Clear(); }
  StatusLine(const StatusLine&) = delete;
  StatusLine& operator=(const StatusLine&) = delete;

  /// It is time for another one: make the text only then.
  bool IsDue() const;
  void Show(const std::string& text);
  /// Takes the line away, before something else is printed.
  void Clear();
  double seconds() const { return clock_() - begin_; }

 private:
  const Clock clock_;
  std::FILE* const out_;
  const bool is_terminal_;
  const double begin_;
  double next_;
  bool shown_ = false;
};

}  // namespace exh::search
