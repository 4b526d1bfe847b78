// SPDX-License-Identifier: MIT
#include "kernels/devices/standalone/header.h"

#include <fmt/format.h>

#include "kernels/devices/standalone/text.h"

namespace exh::kernels::standalone {

std::string Header(const Task& task, const Names& names, const std::string& about,
                   const std::vector<std::string>& includes, const std::string& declarations) {
  const std::string upper = UpperCase(names.kernel);
  std::string text = Comment(about) + "#pragma once\n\n";
  for (const std::string& include : includes) text += "#include <" + include + ">\n";
  if (!includes.empty()) text += "\n";
  text += "// The sizes that it is for, and no others.\n";
  ir::Taken macros;  // Of m and M each has one.
  for (const std::string& name : task.kernel->MeaningfulParameters()) {
    text += fmt::format("#define {} {}\n", ir::Numbered(upper + "_SIZE_" + UpperCase(name), macros),
                        task.sizes.at(name));
  }
  return text + "\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n" + declarations +
         "\n#ifdef __cplusplus\n}\n#endif\n";
}

}  // namespace exh::kernels::standalone
