// SPDX-License-Identifier: MIT
#include "search/view/load_http.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include "base/error.h"
#include "search/page/program_folder.h"

namespace exh::search {
namespace {

constexpr const char* kFile = "exhaust-http.so";
constexpr const char* kPackage =
    "it is built where Debian's libcpp-httplib-dev is installed (apt-get install "
    "libcpp-httplib-dev), and search report makes the same page without it";

}  // namespace

std::vector<std::string> HttpPaths(const std::string& program_folder) {
  const std::filesystem::path folder(program_folder);
  return {(folder / "../lib/exhaust" / kFile).lexically_normal().string(),
          (folder / kFile).lexically_normal().string()};
}

std::unique_ptr<HttpServer> LoadHttp(HttpHandler& handler) {
  const std::vector<std::string> paths = HttpPaths(ProgramFolder());
  for (const std::string& path : paths) {
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(path, ignored)) continue;
    void* const library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
      throw UsageError(fmt::format("search view needs '{}', which cannot be loaded: {}; {}", path,
                                   ::dlerror(), kPackage));
    }
    const auto version =
        reinterpret_cast<HttpInterfaceFunction>(::dlsym(library, kHttpInterfaceSymbol));
    const auto make = reinterpret_cast<MakeHttpFunction>(::dlsym(library, kMakeHttpSymbol));
    if (version == nullptr || make == nullptr || version() != kHttpInterface) {
      throw UsageError(fmt::format("'{}' is of another version of this program", path));
    }
    return std::unique_ptr<HttpServer>(make(&handler));
  }
  throw UsageError(
      fmt::format("search view needs '{}', which is not there: {}", paths.back(), kPackage));
}

}  // namespace exh::search
