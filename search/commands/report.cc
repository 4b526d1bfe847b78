// SPDX-License-Identifier: MIT
//
// `search report`: runs as one page for a browser.
#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "base/error.h"
#include "search/commands/command.h"
#include "search/log/run_folder.h"
#include "search/page/page.h"

namespace exh::search {
namespace {

struct ReportOptions {
  std::vector<std::string> runs;
  std::string out = "report.html";
  std::string page;
};

int WriteReport(const ReportOptions& options) {
  if (options.runs.empty()) throw UsageError("report which run? search report RUN -o report.html");
  std::error_code ignored;
  if (options.out.empty() || std::filesystem::is_directory(options.out, ignored)) {
    throw UsageError(fmt::format("-o takes the name of a file, not '{}': for example -o {}",
                                 options.out,
                                 (std::filesystem::path(options.out) / "report.html").string()));
  }
  const std::string page = ReadTemplate(options.page);  // Before what takes long.
  const std::vector<NamedLog> runs = ReadRuns(options.runs);
  WriteFile(options.out, FillPage(page, PageTitle(runs), PageData(runs, TimeStamp())));
  fmt::print("{}\n", options.out);
  return 0;
}

}  // namespace

void AddReportCommand(CLI::App& app, Invocation& invocation) {
  CLI::App* const command = app.add_subcommand(
      "report", "runs as a page for a browser: one file that needs nothing else");
  const auto options = std::make_shared<ReportOptions>();
  command->add_option("runs", options->runs,
                      "folders of runs, or their logs; several are compared");
  command->add_option("-o,--out", options->out, "file to write (default report.html)");
  command->add_option("--page", options->page,
                      "the page to fill (default: what ./exh report-assets made)");
  command->callback(
      [options, &invocation] { invocation.run = [options] { return WriteReport(*options); }; });
}

}  // namespace exh::search
