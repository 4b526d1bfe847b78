// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace exh::search {

struct PilotProcessOptions {
  int gpu = 0;             ///< Which GPU, where the device is one.
  int jobs = 0;            ///< Compilers at once; 0: as many as there are cores.
  std::string cache = {};  ///< EvaluatorOptions::cache.
  /// A search that has said that it is alive, and says nothing for so many seconds, is gone.
  double silence_s = 60;
};

/// What `search worker` does: reads from standard input what is to be compiled and measured, and
/// answers on standard output (pilot_protocol.h), until the input ends or falls silent: what passes
/// lines on may outlive the search. Returns the exit code.
int PilotMain(const PilotProcessOptions& options);

}  // namespace exh::search
