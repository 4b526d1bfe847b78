// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "kernels/devices/standalone/text.h"
#include "search/install/python_text.h"
#include "search/install/tuned_library.h"

namespace exh::search {
namespace {

using Json = nlohmann::ordered_json;

bool IsType(const std::string& word) {
  return kernels::ir::TypeOfWord(word).has_value();
}

/// What tuned.py knows of a kernel.
Json KernelJson(const TunedKernel& kernel) {
  Json units = Json::array();
  for (const Wisdom* wisdom : kernel.units) {
    Json sizes = Json::object(), arrays = Json::array();
    for (std::size_t i = 0; i < kernel.sizes.size(); ++i) {
      sizes[kernel.sizes[i]] = wisdom->unit.sizes[i].value;
    }
    for (const auto& array : wisdom->unit.arrays) {
      arrays.push_back({{"type", array.type},
                        {"elements", array.elements},
                        {"shape", array.has_shape ? Json(array.extents) : Json()},
                        {"strides", array.has_shape ? Json(array.strides) : Json()},
                        {"alignment", array.alignment}});
    }
    units.push_back({{"sizes", sizes},
                     {"device", wisdom->unit.device},
                     {"architecture", wisdom->unit.architecture},
                     {"arrays", arrays},
                     {"workspace", wisdom->unit.workspace_bytes}});
  }
  Json sizes = Json::array(), arrays = Json::array(), scalars = Json::array();
  for (std::size_t i = 0; i < kernel.sizes.size(); ++i) {
    const auto& size = kernel.unit().sizes[i];
    // Sizes follow from shapes, and options that are types from types. Any other option that nobody
    // says is what it is by default.
    const bool is_type = !size.words.empty() && std::ranges::all_of(size.words, IsType);
    sizes.push_back({{"name", kernel.sizes[i]},
                     {"default", size.is_option && !is_type ? Json(size.default_value) : Json()},
                     {"words", size.words}});
  }
  for (std::size_t i = 0; i < kernel.arrays.size(); ++i) {
    arrays.push_back({{"name", kernel.arrays[i]}, {"output", kernel.unit().arrays[i].is_output}});
  }
  for (std::size_t i = 0; i < kernel.scalars.size(); ++i) {
    const auto& scalar = kernel.unit().scalars[i];
    scalars.push_back({{"name", kernel.scalars[i]},
                       {"c", kernel.scalar_types[i]},
                       {"default", scalar.value.is_whole() ? Json(scalar.value.whole())
                                                           : Json(double{scalar.value})}});
  }
  return {{"summary", kernel.unit().summary},
          {"sizes", sizes},
          {"arrays", arrays},
          {"scalars", scalars},
          {"units", units}};
}

}  // namespace

std::string TunedPython(const TunedLibrary& library) {
  Json kernels = Json::object();
  for (const TunedKernel& kernel : library.kernels) kernels[kernel.name] = KernelJson(kernel);
  // JSON within a raw string of Python: no name and no number has quotes or backslashes, and what
  // has is escaped.
  return kernels::standalone::Fill(kPythonText,
                                   {{"DEVICE", std::string(library.kind->python_device)},
                                    {"STREAM", library.kind->has_workspace ? "True" : "False"},
                                    {"KERNELS", kernels.dump(1)}});
}

}  // namespace exh::search
