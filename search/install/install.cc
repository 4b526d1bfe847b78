// SPDX-License-Identifier: MIT
#include "search/install/install.h"

#include <fmt/format.h>

#include <filesystem>
#include <set>

#include "base/error.h"
#include "base/numbers.h"
#include "base/system/user_file.h"
#include "search/install/tuned_library.h"
#include "search/install/whole_folder.h"
#include "search/install/wisdom.h"
#include "search/log/log_text.h"

namespace exh::search {
namespace {

namespace fs = std::filesystem;

constexpr const char* kWisdom = "wisdom.jsonl";

/// What the folder knows. Throws UsageError when it is none of a library.
std::vector<Wisdom> Known(const std::string& out, const WholeFolder& folder) {
  std::error_code error;
  const fs::path path = fs::path(out) / kWisdom;
  if (!fs::exists(path, error)) {
    if (!folder.is_empty()) {
      throw UsageError(
          fmt::format("'{}' is not empty, and no tuned library: it has no {}; give another --out",
                      out, kWisdom));
    }
    return {};
  }
  return ReadWisdom(ReadUserFile(path.string()), path.string());
}

std::map<std::string, std::string> FilesOf(const std::vector<Wisdom>& all) {
  if (all.empty()) return {};
  auto files = LibraryFiles(all);
  files[kWisdom] = WriteWisdom(all);
  return files;
}

/// How it fared against the fastest of what it was compared with.
struct Outcome {
  bool is_lost = false;  ///< Nothing says that it was not slower.
  std::string text;      ///< Empty: it was faster.
};

Outcome OutcomeOf(const Wisdom& wisdom) {
  if (wisdom.compared.empty()) return {true, "it was compared with nothing in its run"};
  const Rival* const fastest = FastestOf(wisdom.compared);
  if (fastest->ns >= wisdom.ns) return {};
  const std::string times = fmt::format("{} takes {}, this one {}", fastest->name,
                                        FormatTime(fastest->ns), FormatTime(wisdom.ns));
  if (fastest->is_tied) return {false, times + ", which is within the noise"};
  return {true, fmt::format("{} is faster: {}, {:.2f} times as long", fastest->name, times,
                            wisdom.ns / fastest->ns)};
}

}  // namespace

InstallResult Install(const InstallRequest& request) {
  std::error_code error;
  if (fs::exists(request.out, error) && !fs::is_directory(request.out, error)) {
    throw UsageError(
        fmt::format("'{}' is a file: --out takes the folder of a library", request.out));
  }
  std::vector<Wisdom> found;  // Before anybody waits.
  for (const std::string& run : request.runs) {
    const RecordName record = ParseRecordName(run);
    found.push_back(WisdomOf(ReadProgram(record.run, record.n), request.name));
  }
  WholeFolder folder(request.out);
  std::vector<Wisdom> all = Known(request.out, folder);
  std::set<std::string> before;
  for (const auto& [name, text] : FilesOf(all)) before.insert(name);
  InstallResult result;
  for (const Wisdom& wisdom : found) {
    const Outcome outcome = OutcomeOf(wisdom);
    if (request.only_faster && outcome.is_lost) {
      result.said += fmt::format("{}: left out; {}\n", PlaceText(wisdom.unit), outcome.text);
      continue;
    }
    result.said += Merge(wisdom, all) + "\n";
    if (!outcome.text.empty()) result.said += "  " + outcome.text + "\n";
  }
  result.has_library = !all.empty();
  if (result.has_library) folder.Write(FilesOf(all), before);
  return result;
}

}  // namespace exh::search
