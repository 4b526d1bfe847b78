// SPDX-License-Identifier: MIT
#include "kernels/devices/package/unit.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/hash.h"
#include "kernels/devices/standalone/interface.h"
#include "kernels/devices/standalone/names.h"
#include "kernels/library/call_kernel.h"

namespace exh::kernels::package {

Unit UnitOf(const Task& task, const std::string& name) {
  const Kernel& kernel = *task.kernel;
  const ir::Target& function = *task.function;
  Unit unit;
  unit.kernel = standalone::KernelIdentifier(name.empty() ? function.name : name);
  unit.summary = kernel.summary();
  // Two kernels that are C++ are told apart by their names alone.
  unit.meaning =
      fmt::format("{:016x}", Fnv1a64(kernel.text().empty() ? kernel.name() : kernel.text()));
  const std::vector<std::string> meaningful = kernel.MeaningfulParameters();
  for (const Parameter& parameter : kernel.parameters()) {
    if (std::ranges::count(meaningful, parameter.name) == 0) continue;
    unit.sizes.push_back({parameter.name, task.sizes.at(parameter.name), parameter.default_value,
                          parameter.is_option, parameter.words});
  }
  unit.language = function.device.language;
  const ArrayLayouts layouts = CallKernel(kernel, "Layouts", &Kernel::Layouts, task.sizes);
  for (const ir::Array& array : function.arrays) {
    UnitArray one;
    one.name = array.name;
    one.type = ir::WordOf(array.type);
    one.is_output = standalone::IsOutput(array);
    one.elements = array.elements;
    one.alignment = array.alignment;
    if (const auto layout = layouts.find(array.name); layout != layouts.end()) {
      one.has_shape = true;
      one.extents = layout->second.extents;
      one.strides = layout->second.strides;
    }
    unit.arrays.push_back(std::move(one));
  }
  for (const ir::Scalar& scalar : function.scalars) {
    unit.scalars.push_back({scalar.name, std::string(ir::WordOf(scalar.type)), scalar.value});
  }
  return unit;
}

void NameUnit(const std::string& source, Unit& unit) {
  std::string key = unit.device + '\0' + unit.architecture;
  for (const UnitSize& size : unit.sizes) key += fmt::format("\n{}={}", size.name, size.value);
  unit.symbol = fmt::format("exh_{}_{}", unit.kernel, CacheKey(key + '\0' + source).substr(0, 12));
}

}  // namespace exh::kernels::package
