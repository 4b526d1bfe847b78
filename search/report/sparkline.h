// SPDX-License-Identifier: MIT
//
// How the incumbent went down, in the width of a few characters: "██▆▅▅▃▃▂▂▁".
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace exh::search {

class Sparkline {
 public:
  /// The incumbent takes `best_ns` after so many seconds, which do not go back; 0: there is none.
  void Add(double seconds, double best_ns);

  /// As many characters as `width`, one for each part of the time up to `seconds`: what the
  /// incumbent took at its end, on a scale of factors. The lowest is the incumbent now. A blank
  /// where there was none.
  std::string Text(double seconds, std::size_t width) const;

 private:
  struct Step {
    double seconds = 0, ns = 0;
  };
  std::vector<Step> steps_;  ///< One for each new incumbent.
};

/// Does the terminal show such characters? By the locale and the kind of terminal that the
/// environment names.
bool TerminalDraws();

}  // namespace exh::search
