// SPDX-License-Identifier: MIT
#include "search/page/page.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/error.h"
#include "search/log/log_text.h"
#include "search/page/program_folder.h"
#include "search/page/run_json.h"
#include "search/page/script_json.h"

namespace exh::search {
namespace {

/// Of what page/page.html has for this program, and of the data.
constexpr int kPageVersion = 3;
/// RunRecord::device of programs of users.
constexpr std::string_view kNoDevice = "program";
constexpr std::string_view kTitlePlace = "<!--title-->", kDataPlace = "<!--data-->";
constexpr std::string_view kFile = "report.html";

std::string Escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '<') {
      out += "&lt;";
    } else if (c == '&') {
      out += "&amp;";
    } else {
      out += c;
    }
  }
  return out;
}

std::string ReadText(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file) throw Error(fmt::format("the page '{}' cannot be read", path));
  return text.str();
}

/// Opens the object that a page's data are.
void Begin(const std::string& made, std::string_view live, ScriptJson& json) {
  json.Open('{');
  json.Key("v").Integer(kPageVersion);
  json.Key("made").Text(made);
  if (!live.empty()) json.Key("live").Written(live);
}

}  // namespace

std::vector<NamedLog> ReadRuns(const std::vector<std::string>& runs) {
  std::vector<NamedLog> logs;
  for (const std::string& run : runs) {
    Log log = ReadLogAloud(run);
    if (log.run->version > kNewestLog) {
      throw UsageError(fmt::format("the log '{}' is of version {}; this program reads 1 and {}",
                                   LogPath(run), log.run->version, kNewestLog));
    }
    if (log.evals.empty()) {
      throw UsageError(
          fmt::format("'{}' has no evaluations: there is nothing to show; search --resume {} goes "
                      "on with it",
                      run, run));
    }
    logs.push_back({run, std::move(log)});
  }
  return logs;
}

std::string PageData(const std::vector<NamedLog>& runs, const std::string& made,
                     std::string_view live) {
  ColumnLimits limits;
  limits.reasons /= runs.size();
  limits.all /= runs.size();
  limits.tree_nodes /= runs.size();
  ScriptJson json;
  Begin(made, live, json);
  json.Key("runs").Open('[');
  for (const NamedLog& run : runs) WriteRun(run.name, run.log, limits, json);
  json.Close();
  json.Close();
  return json.Take();
}

std::string RunPageData(std::string_view run, const std::string& made, std::string_view live) {
  ScriptJson json;
  Begin(made, live, json);
  json.Key("runs").Open('[');
  json.Written(run);
  json.Close();
  json.Close();
  return json.Take();
}

std::string FleetPageData(std::string_view status, const std::string& folder,
                          const std::string& made, std::string_view live) {
  ScriptJson json;
  Begin(made, live, json);
  json.Key("folder").Text(folder);
  json.Key("fleet").Column(ScriptSafe(status));
  json.Close();
  return json.Take();
}

std::string FillPage(std::string_view page, std::string_view title, std::string_view data) {
  const std::size_t title_at = page.find(kTitlePlace);
  const std::size_t data_at = page.find(kDataPlace);
  const std::string mark = fmt::format("<!--exhaust report {}-->", kPageVersion);
  if (page.find(mark) == page.npos || title_at == page.npos || data_at == page.npos ||
      data_at < title_at) {
    throw Error("the page was made for another version of search: ./exh report-assets makes it");
  }
  std::string filled;
  filled.reserve(page.size() + data.size());
  filled += page.substr(0, title_at);
  filled += Escaped(title);
  const std::size_t after_title = title_at + kTitlePlace.size();
  filled += page.substr(after_title, data_at - after_title);
  filled += data;
  filled += page.substr(data_at + kDataPlace.size());
  return filled;
}

std::string PageTitle(const std::vector<NamedLog>& runs) {
  const RunRecord& run = *runs.front().log.run;
  if (runs.size() > 1) return fmt::format("{} runs of {}", runs.size(), run.kernel);
  return PageTitle(run);
}

std::string PageTitle(const RunRecord& run) {
  // What a program of a user runs on the log does not know.
  if (run.device == kNoDevice) return NameText(run);
  return fmt::format("{} on {}", NameText(run), run.device);
}

std::vector<std::string> TemplatePaths(const std::string& program_folder) {
  const std::filesystem::path folder(program_folder);
  return {(folder / "../share/exhaust/report" / kFile).lexically_normal().string(),
          (folder / "../../report-assets" / kFile).lexically_normal().string()};
}

std::string ReadTemplate(const std::string& path) {
  const std::vector<std::string> paths =
      path.empty() ? TemplatePaths(ProgramFolder()) : std::vector<std::string>{path};
  for (const std::string& candidate : paths) {
    std::error_code ignored;
    if (std::filesystem::is_regular_file(candidate, ignored)) return ReadText(candidate);
  }
  throw UsageError(
      fmt::format("the page that reports are made of is not there ('{}'); this makes it, with "
                  "Node.js and npm: ./exh report-assets",
                  paths.back()));
}

}  // namespace exh::search
