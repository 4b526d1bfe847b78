// SPDX-License-Identifier: MIT
//
// `search report`: runs, or a fleet, as one page for a browser.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "base/error.h"
#include "search/commands/command.h"
#include "search/log/run_folder.h"
#include "search/page/page.h"
#include "search/tune/fleet_folder.h"
#include "search/tune/status/fleet_status.h"

namespace exh::search {
namespace {

namespace fs = std::filesystem;

struct ReportOptions {
  std::vector<std::string> runs;
  std::string out = "report.html";
  std::string page;
};

/// The fleet that the page is of; empty: it is of runs. Throws UsageError.
std::string FleetIn(const std::vector<std::string>& runs) {
  const auto fleet = std::ranges::find_if(runs, IsFleet);
  if (fleet == runs.end()) return "";
  if (runs.size() > 1) {
    throw UsageError(
        fmt::format("'{}' is a fleet, and the page of a fleet has nothing else: search report {} "
                    "-o fleet.html; of its runs search report {}/NAME compares some",
                    *fleet, *fleet, FleetFolder(*fleet).path()));
  }
  return *fleet;
}

/// The folder as one finds it from where the page lies.
std::string FromPage(const std::string& folder, const std::string& page) {
  std::error_code error;
  const fs::path place = fs::absolute(page, error).parent_path();
  const fs::path from = fs::proximate(folder, place, error);
  return error || from.empty() ? folder : from.string();
}

std::string FleetPage(const std::string& page, const std::string& folder, const std::string& out) {
  const FleetStatus fleet = ReadFleetStatus(folder);
  const std::size_t count = fleet.shapes.size();
  const std::string title =
      fmt::format("{} {} on {}", count, count == 1 ? "shape" : "shapes", fleet.options.device);
  return FillPage(page, title,
                  FleetPageData(StatusJson(fleet, -1), FromPage(fleet.folder, out), TimeStamp()));
}

int WriteReport(const ReportOptions& options) {
  if (options.runs.empty()) {
    throw UsageError(
        "report which run? search report RUN -o report.html, or the folder of a fleet");
  }
  std::error_code ignored;
  if (options.out.empty() || fs::is_directory(options.out, ignored)) {
    throw UsageError(fmt::format("-o takes the name of a file, not '{}': for example -o {}",
                                 options.out, (fs::path(options.out) / "report.html").string()));
  }
  const std::string page = ReadTemplate(options.page);  // Before what takes long.
  if (const std::string fleet = FleetIn(options.runs); !fleet.empty()) {
    WriteFile(options.out, FleetPage(page, fleet, options.out));
    fmt::print("{}\n", options.out);
    return 0;
  }
  const std::vector<NamedLog> runs = ReadRuns(options.runs);
  WriteFile(options.out, FillPage(page, PageTitle(runs), PageData(runs, TimeStamp())));
  fmt::print("{}\n", options.out);
  return 0;
}

}  // namespace

void AddReportCommand(CLI::App& app, Invocation& invocation) {
  CLI::App* const command = app.add_subcommand(
      "report", "runs, or a fleet, as a page for a browser: one file that needs nothing else");
  const auto options = std::make_shared<ReportOptions>();
  command->add_option("runs", options->runs,
                      "folders of runs, or their logs; several are compared. Or a fleet, which "
                      "search tune made");
  command->add_option("-o,--out", options->out, "file to write (default report.html)");
  command->add_option("--page", options->page,
                      "the page to fill (default: what ./exh report-assets made)");
  command->callback(
      [options, &invocation] { invocation.run = [options] { return WriteReport(*options); }; });
}

}  // namespace exh::search
