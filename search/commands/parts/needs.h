// SPDX-License-Identifier: MIT
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "search/subject/registry.h"

namespace exh::search {

/// A sub-command that the whole program alone has, and what it does.
struct LaterCommand {
  const char *name, *what;
};
std::span<const LaterCommand> LaterCommands();

/// What of a command line (without the program's name) needs the whole program, in words for
/// people: "fused", "--device cuda", "runs/gpu, which is of the device h200". Empty: nothing does.
/// It is looked at from the outside, before anything is done: names of commands and of devices, and
/// the headers of the logs and the lists of decisions that are named. `kinds`: the subjects that
/// this program has (SubjectKinds()).
std::string WhatNeedsTheWhole(const std::vector<std::string>& words,
                              std::span<const SubjectKind> kinds);

/// The environment's variable with the command that has the whole program: it is called with the
/// words of the command line.
inline constexpr const char* kWholeProgram = "EXH_WHOLE";

/// Becomes the whole program. Throws UsageError where there is none: `why` says what needs it.
[[noreturn]] void BecomeTheWhole(const std::vector<std::string>& words, const std::string& why);

}  // namespace exh::search
