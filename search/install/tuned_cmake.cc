// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "kernels/devices/standalone/text.h"
#include "search/install/tuned_library.h"
#include "search/install/whole_folder.h"

namespace exh::search {
namespace {

using kernels::package::Unit;
using kernels::standalone::Fill;

constexpr const char* kBegin =
    R"(# The target tuned::tuned: a shared library with the functions of tuned.h. Build it here,
#   cmake -B build && cmake --build build
# add it to a project, add_subdirectory(tuned), or install it: find_package(tuned).
cmake_minimum_required(VERSION 3.18)
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release)
endif()
if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/$UNFINISHED$)
  message(FATAL_ERROR "this folder is written in part: install-kernel was killed while it wrote it. "
                      "The next one with this --out goes on where it was")
endif()
project(tuned LANGUAGES $LANGUAGES$)
$BEGIN$
add_library(tuned SHARED tuned$SUFFIX$)
add_library(tuned::tuned ALIAS tuned)
target_compile_features(tuned PRIVATE cxx_std_17)
target_include_directories(tuned PUBLIC
  $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}> $<INSTALL_INTERFACE:include>)
)";

constexpr const char* kEnd = R"(
include(GNUInstallDirs)
install(TARGETS tuned EXPORT tuned-targets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(FILES tuned.h DESTINATION include)
install(EXPORT tuned-targets NAMESPACE tuned:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/tuned)
file(WRITE ${CMAKE_CURRENT_BINARY_DIR}/tuned-config.cmake [[
$DEPENDENCY$include(${CMAKE_CURRENT_LIST_DIR}/tuned-targets.cmake)
]])
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/tuned-config.cmake
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/tuned)
)";

}  // namespace

std::string TunedCMake(const TunedLibrary& library) {
  const auto& kind = *library.kind;
  // Units that are compiled alike are told together.
  std::map<std::pair<std::string, std::string>, std::string> files;
  for (const TunedKernel& kernel : library.kernels) {
    for (const Wisdom* wisdom : kernel.units) {
      const Unit& unit = wisdom->unit;
      std::string& group =
          files[{unit.architecture, fmt::format("{}", fmt::join(unit.flags, ";"))}];
      group += (group.empty() ? "  " : "\n  ") + UnitFile(unit, kind);
    }
  }
  std::string text = Fill(kBegin, {{"LANGUAGES", std::string(kind.cmake_languages)},
                                   {"UNFINISHED", WholeFolder::kUnfinished},
                                   {"SUFFIX", std::string(kind.suffix)},
                                   {"BEGIN", std::string(kind.cmake_begin)}});
  for (const auto& [alike, names] : files) {
    text += Fill(std::string(kind.cmake_units),
                 {{"FILES", names}, {"ARCHITECTURE", alike.first}, {"FLAGS", alike.second}});
  }
  const std::string dependency = kind.cmake_dependency.empty()
                                     ? ""
                                     : fmt::format(
                                           "include(CMakeFindDependencyMacro)\n"
                                           "find_dependency({})\n",
                                           kind.cmake_dependency);
  return text + std::string(kind.cmake_end) + Fill(kEnd, {{"DEPENDENCY", dependency}});
}

}  // namespace exh::search
