// SPDX-License-Identifier: MIT
#include "search/functional/program_kernel.h"

#include <fmt/format.h>

#include <filesystem>
#include <vector>

#include "base/error.h"
#include "base/system/user_file.h"
#include "functional/expression/kernel.h"
#include "search/functional/mapped_program.h"
#include "search/solve/functional_file.h"

namespace exh::search {

bool IsProgram(std::string_view path) {
  return path.ends_with(".fun");
}

std::string KernelOfProgram(const std::string& path, const std::string& size) {
  const MappedProgram mapped(path, ReadUserFile(path), GivenOf(size));
  mapped.CheckLengths(false);
  // What is computed is the same for all values. How an axis is divided is not, and of some there
  // are sums over parts of rows, which a kernel's text has no words for.
  constexpr std::size_t kTried = 256;
  const std::vector<functional::Assignment> settings = mapped.SomeValues(kTried);
  if (settings.empty()) {
    throw UsageError(
        fmt::format("{}: no values of its parameters were found that go together", path));
  }
  const std::string name = std::filesystem::path(path).stem().string();
  std::string why;
  for (const functional::Assignment& values : settings) {
    try {
      return functional::KernelTextOf(mapped.program(), values, name);
    } catch (const Refused& refused) {
      why = refused.what();
    } catch (const UsageError&) {
      throw;
    } catch (const Error& error) {
      throw UsageError(fmt::format("{}: {}", path, error.what()));
    }
  }
  throw UsageError(
      fmt::format("{} is no kernel: {}; 'search functional search {}' searches mappings of it",
                  path, why, path));
}

}  // namespace exh::search
