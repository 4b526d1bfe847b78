// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>

#include "search/commands/command.h"
#include "search/subject/subject.h"

namespace exh::search {

struct SearchOptions;

/// `search --space FILE.exh --run CMD` or `--serve CMD`: the parameters of a program of a user. Or
/// FILE.own, the text of a run (own/own_text.h), which has all of that.
/// Returns the exit code. Throws UsageError and Error.
int SearchOwn(const SearchOptions& options, const Invocation& invocation);

/// The space `problem.space` at `problem.size`, without a program. `data`: a file, or empty. Throws
/// UsageError and Error.
std::unique_ptr<Subject> SpaceOfOwn(const ProblemOptions& problem, const std::string& data);

}  // namespace exh::search
