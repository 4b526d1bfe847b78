// SPDX-License-Identifier: MIT
#include "kernels/devices/standalone/interface.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "kernels/ir/text/type_text.h"
#include "kernels/library/call_kernel.h"

namespace exh::kernels::standalone {

std::string_view Plural(ir::Type type) {
  switch (type) {
    case ir::Type::kF64:
      return "doubles";
    case ir::Type::kF32:
      return "floats";
    case ir::Type::kF16:
      return "f16 (the bits of IEEE 754 binary16)";
    case ir::Type::kBf16:
      return "bf16 (the upper 16 bits of a float)";
    case ir::Type::kF8E4M3:
      return "f8e4m3 (bytes, the bits of a float with 4 of exponent and no infinities)";
    case ir::Type::kF8E5M2:
      return "f8e5m2 (bytes, the upper 8 bits of IEEE 754 binary16)";
    case ir::Type::kI64:
      return "integers of 64 bits";
    case ir::Type::kI32:
      return "integers";
    case ir::Type::kU32:
      return "integers without a sign";
    case ir::Type::kI8:
      return "integers of 8 bits";
    case ir::Type::kBool:
      break;
  }
  return "bools (bytes that are 0 or 1)";
}

std::vector<std::string> ArrayParameters(const ir::Function& function, const Names& names) {
  std::vector<std::string> parameters;
  for (std::size_t i = 0; i < function.arrays.size(); ++i) {
    const ir::Array& array = function.arrays[i];
    parameters.push_back(fmt::format("{}{}* {}", IsOutput(array) ? "" : "const ",
                                     ir::ElementName(array.type), names.arrays[i]));
  }
  return parameters;
}

std::vector<std::string> ScalarParameters(const ir::Function& function, const Names& names) {
  std::vector<std::string> parameters;
  for (std::size_t i = 0; i < function.scalars.size(); ++i) {
    const ir::Type type = ir::ComputeTypeOf(function.scalars[i].type);
    parameters.push_back(fmt::format("{} {}", ir::RegisterName(type), names.scalars[i]));
  }
  return parameters;
}

std::vector<std::string> ArrayLines(const Task& task, const Names& names) {
  const ArrayLayouts layouts = CallKernel(*task.kernel, "Layouts", &Kernel::Layouts, task.sizes);
  std::vector<std::string> lines;
  const auto& arrays = task.function->arrays;
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    std::string line = names.arrays[i] + ": ";
    const auto layout = layouts.find(arrays[i].name);
    if (layout != layouts.end() && !layout->second.extents.empty()) {
      line += fmt::format("[{}], ", fmt::join(layout->second.extents, ", "));
      if (!layout->second.is_dense()) {
        line += fmt::format("with strides ({}), ", fmt::join(layout->second.strides, ", "));
      }
    }
    line += fmt::format("{} {}, aligned to {} bytes{}", arrays[i].elements, Plural(arrays[i].type),
                        arrays[i].alignment, IsOutput(arrays[i]) ? ", all of them written" : "");
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace exh::kernels::standalone
