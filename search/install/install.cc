// SPDX-License-Identifier: MIT
#include "search/install/install.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/error.h"
#include "search/install/tuned_library.h"
#include "search/install/whole_folder.h"
#include "search/install/wisdom.h"
#include "search/log/log_text.h"

namespace exh::search {
namespace {

constexpr const char* kWisdom = "wisdom.jsonl";

/// What the folder knows. Throws UsageError when it is none of a library.
std::vector<Wisdom> Known(const std::string& out) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::path path = fs::path(out) / kWisdom;
  if (fs::exists(out, error) && !fs::is_directory(out, error)) {
    throw UsageError(fmt::format("'{}' is a file: --out takes the folder of a library", out));
  }
  if (!fs::exists(path, error)) {
    if (fs::is_directory(out, error) && !fs::is_empty(out, error)) {
      throw UsageError(
          fmt::format("'{}' is not empty, and no tuned library: it has no {}; give another --out",
                      out, kWisdom));
    }
    return {};
  }
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file) {
    throw Error(fmt::format("cannot read '{}': {}", path.string(), std::strerror(errno)));
  }
  return ReadWisdom(text.str(), path.string());
}

}  // namespace

std::string Install(const InstallRequest& request) {
  std::vector<Wisdom> all = Known(request.out);
  std::string said;
  for (const std::string& run : request.runs) {
    const RecordName record = ParseRecordName(run);
    said += Merge(WisdomOf(ReadProgram(record.run, record.n), request.name), all) + "\n";
  }
  auto files = LibraryFiles(all);
  files[kWisdom] = WriteWisdom(all);
  WriteWholeFolder(request.out, files);
  return said;
}

}  // namespace exh::search
