// SPDX-License-Identifier: MIT
#include "kernels/derived/calls/library_text.h"

#include <fmt/format.h>

namespace exh::kernels::derived {

LibraryFacts OneDnnFacts(std::span<const LibraryFunction> functions) {
  return {{"libdnnl.so.3", "libdnnl.so.2", "libdnnl.so"}, "libdnnl.so.2", "oneDNN", functions};
}

void LibraryText::Declare() {
  for (const LibraryFunction& function : facts_.functions) {
    const std::string type = function.type;
    const std::size_t star = type.find("(*)");
    Line(type.substr(0, star + 2) + function.name + type.substr(star + 2) + ";");
  }
  Line("char said[200];");
}

void LibraryText::Load() {
  Line("void* library = nullptr;");
  for (const char* file : facts_.files) {
    if (file == nullptr) continue;
    Line(fmt::format("if (library == nullptr) library = dlopen(\"{}\", RTLD_NOW | RTLD_LOCAL);",
                     file));
  }
  Line(
      fmt::format("if (library == nullptr) return \"{} is not there: install {} to compare with "
                  "it\";",
                  facts_.usual_file, facts_.package));
  for (const LibraryFunction& function : facts_.functions) {
    Line(fmt::format("{0} = reinterpret_cast<decltype({0})>(dlsym(library, \"{0}\"));",
                     function.name));
    Line(
        fmt::format("if ({0} == nullptr) return \"this {1} has no '{0}': it is too old to "
                    "compare with\";",
                    function.name, facts_.package));
  }
}

void LibraryText::SayVersionOfOneDnn() {
  Line("const Version* const version = dnnl_version();");
  Line(
      "snprintf(said, sizeof said, \"oneDNN %d.%d.%d\", version->major, version->minor, "
      "version->patch);");
}

}  // namespace exh::kernels::derived
