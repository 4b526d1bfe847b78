// SPDX-License-Identifier: MIT
//
// What a command about a space is asked of: a kernel, which options name; or whatever a run
// searched, a kernel or not.
#pragma once

#include <CLI/CLI.hpp>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "base/stop.h"
#include "search/descend/choice_order.h"
#include "search/subject/problem.h"
#include "search/subject/subject.h"

namespace exh::search {

inline constexpr const char* kAskedRun =
    "folder of a run, or its log: the space that it searched, of a kernel or not";

struct AskedSpace {
  ProblemOptions problem;
  std::string data;                   ///< File for `problem.space`, where that is an .exh.
  std::string run;                    ///< Folder or log of a run; empty: `problem` says it.
  const CLI::App* command = nullptr;  ///< The command that has the options.
};

/// A run, in words `what` it may be, and the options of a problem. `asked` lives as long as the
/// command.
void AddAskedSpace(CLI::App& command, AskedSpace& asked, const char* what = kAskedRun);

/// The subject. `stop`, which may be null, ends the building of its space, which then throws
/// Interrupted. Throws UsageError, also where options contradict the run, and Error.
std::unique_ptr<Subject> SubjectAsked(const AskedSpace& asked, const StopToken* stop = nullptr);

/// What it is, for the head of an answer in JSON: kernel, sizes, device and space.
nlohmann::ordered_json HeadJson(const Subject& subject);

}  // namespace exh::search
