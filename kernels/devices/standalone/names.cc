// SPDX-License-Identifier: MIT
#include "kernels/devices/standalone/names.h"

#include <cctype>
#include <utility>

namespace exh::kernels::standalone {

Names::Names(const ir::Function& function) {
  ir::ArgumentNames arguments(function);
  kernel = ir::AsIdentifier(function.name);  // It stands nowhere by itself.
  arrays = std::move(arguments.arrays);
  scalars = std::move(arguments.scalars);
}

std::string KernelIdentifier(std::string_view name) {
  const std::string text = ir::AsIdentifier(name);
  // Of all libraries, and of each kernel of one.
  bool is_ours = text == "status_text";
  for (const char* const end :
       {"_function", "_set_fallback", "_is_tuned", "_workspace_bytes", "_workspace_init"}) {
    is_ours |= text.ends_with(end);
  }
  return is_ours || ir::IsWord(text) ? text + "_" : text;
}

std::string UpperCase(const std::string& name) {
  std::string text;
  for (const char c : name) {
    text += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  }
  return text;
}

}  // namespace exh::kernels::standalone
