// SPDX-License-Identifier: MIT
#include "kernels/devices/rates/kept.h"

#include <fmt/format.h>

#include <cctype>
#include <filesystem>
#include <system_error>

#include "base/error.h"
#include "base/system/cache_folder.h"

namespace exh::kernels {

std::string KeptRatesFile(const std::string& model) {
  const std::string folder = CacheFolder("rates");
  if (folder.empty()) return "";
  std::string name = model;
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '.') c = '_';
  }
  return folder + "/" + name + ".json";
}

std::string MakeKeptRatesFile(const std::string& model) {
  const std::string file = KeptRatesFile(model);
  std::error_code error;
  std::filesystem::create_directories(std::filesystem::path(file).parent_path(), error);
  if (!file.empty() && !error) return file;
  throw UsageError(fmt::format(
      "there is no folder to keep the rates of '{}' in ({}): set XDG_CACHE_HOME, or HOME", model,
      file.empty() ? "neither is set" : error.message()));
}

}  // namespace exh::kernels
