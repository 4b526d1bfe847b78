// SPDX-License-Identifier: MIT
//
// The page of some runs, or of a fleet: one file of HTML that needs nothing else.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "search/log/log_reader.h"

namespace exh::search {

/// The newest version of logs that pages show.
inline constexpr int kNewestLog = 2;

/// A run with the name that a person gave it.
struct NamedLog {
  std::string name;
  Log log;
};

/// Reads the log of each run, and says on the standard error what is damaged. Throws UsageError for
/// a run without a log, one of a version that this program does not know, or one without
/// evaluations.
std::vector<NamedLog> ReadRuns(const std::vector<std::string>& runs);

/// What the page shows, as JSON. `made` is the time of day, UTC. `live`: an object for a page that
/// is told what changes (search/view); empty: it is a report.
std::string PageData(const std::vector<NamedLog>& runs, const std::string& made,
                     std::string_view live = "");

/// The same of one run that somebody else wrote as an object.
std::string RunPageData(std::string_view run, const std::string& made, std::string_view live);

/// What the page of a fleet shows: `status` is what `search tune --status --format json` prints.
/// `folder`: of the fleet, from where the page lies, for links to reports of shapes.
/// `live` as in PageData().
std::string FleetPageData(std::string_view status, const std::string& folder,
                          const std::string& made, std::string_view live = "");

/// The template with title and data in their places. Throws Error when it has not got them: it was
/// made for another version.
std::string FillPage(std::string_view page, std::string_view title, std::string_view data);

/// The title of the page of these runs, and of one of them.
std::string PageTitle(const std::vector<NamedLog>& runs);
std::string PageTitle(const RunRecord& run);

/// Where `search` looks for the template, when its program lies in this folder: among the
/// installed files, and in the build of the tree.
std::vector<std::string> TemplatePaths(const std::string& program_folder);

/// The template. `path`: where it is; empty: where this program finds it. Throws UsageError when it
/// is not there, with the command that makes it.
std::string ReadTemplate(const std::string& path);

}  // namespace exh::search
