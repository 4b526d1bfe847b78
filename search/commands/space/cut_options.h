// SPDX-License-Identifier: MIT
//
// --cut and --cut-depth: counts without the branches that the lower bound rules out.
#pragma once

#include <CLI/CLI.hpp>

#include <string>

#include "search/descend/cut.h"
#include "search/subject/subject.h"

namespace exh::search {

struct CutOptions {
  std::string time;  ///< "4.81ms"; empty: no cut.
  int depth = 10;    ///< The last level that loses nodes (the paper, section 5.4).
};

void AddCutOptions(CLI::App& app, CutOptions& options);

/// The cut, by the lower bound of the subject, which outlives it. Throws UsageError for a time that
/// is none, and where there is no bound.
Cut MakeCut(const CutOptions& options, const Subject& subject);

}  // namespace exh::search
