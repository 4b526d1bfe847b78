// SPDX-License-Identifier: MIT
#include "search/page/program_folder.h"

#include <filesystem>
#include <system_error>

namespace exh::search {

std::string ProgramFolder() {
  std::error_code error;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", error);
  return error ? "" : program.parent_path().string();
}

}  // namespace exh::search
