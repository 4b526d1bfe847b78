// SPDX-License-Identifier: MIT
//
// What a program has beside searches of kernels on a processor. The program `search` has all of it.
// The program `search-kernels` has none, so that it is built in a few minutes: where a command line
// needs more, it hands it over to the whole program (needs.h).
#pragma once

#include <CLI/CLI.hpp>

#include <memory>
#include <string>

#include "search/commands/command.h"
#include "search/subject/subject.h"

namespace exh::search {

struct SearchOptions;

struct Parts {
  /// Adds the sub-commands that not every program has.
  void (*add)(CLI::App& app, Invocation& invocation);
  /// `search --simulate`; see simulate.h.
  int (*simulate)(const CLI::App& app, const SearchOptions& options);
  /// `search --space FILE.exh`: a program of a user.
  int (*own)(const SearchOptions& options, const Invocation& invocation);
  /// A space of a user, `problem.space`, without a program. `data`: a file, or empty. Throws
  /// UsageError and Error.
  std::unique_ptr<Subject> (*own_space)(const ProblemOptions& problem, const std::string& data);
  /// `search list --spaces`.
  int (*list_spaces)();
};

/// Those of this program, once RunProgram() was called.
const Parts& PartsOfProgram();

/// The program: reads the command line and runs what it asks for. Returns the exit code.
int RunProgram(int argc, char** argv, const Parts& parts);

/// Everything.
const Parts& WholeParts();

/// Nothing: sub-commands hand the command line over.
const Parts& NoParts();

}  // namespace exh::search
