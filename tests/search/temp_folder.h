// SPDX-License-Identifier: MIT
#pragma once

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace exh::search {

/// A folder for one test, gone after it.
class TempFolder {
 public:
  TempFolder() {
    path_ = (std::filesystem::temp_directory_path() / "exh-search-test-XXXXXX").string();
    if (::mkdtemp(path_.data()) == nullptr) path_.clear();
  }
  ~TempFolder() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

inline std::string ReadAll(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

/// The message of the exception of this type that `call` throws; "(nothing thrown)" otherwise.
template <typename Exception, typename Call>
std::string Thrown(Call call) {
  try {
    call();
  } catch (const Exception& error) {
    return error.what();
  }
  return "(nothing thrown)";
}

}  // namespace exh::search
