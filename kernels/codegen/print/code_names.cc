// SPDX-License-Identifier: MIT
#include "kernels/codegen/print/code_names.h"

#include "kernels/loops/loop_text.h"

#include <algorithm>
#include <cctype>
#include <utility>

namespace exh::kernels::codegen {
namespace {

std::string Identifier(const std::string& prefix, const std::string& name,
                       const std::vector<std::string>& taken) {
  std::string text = prefix;
  for (const char c : name) {
    text += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  }
  // "x.1" and "x_1" would clash.
  while (std::find(taken.begin(), taken.end(), text) != taken.end()) text += "x";
  return text;
}

}  // namespace

CodeNames::CodeNames(const LoweredCode& code) {
  const ir::Function& function = *code.function;
  for (const DimClass& dim_class : code.tree.classes) {
    const bool are_lanes = dim_class.dims.empty();
    const std::string name = are_lanes ? "lanes_" + std::to_string(dim_class.size)
                                       : function.dim(dim_class.dims.front()).name();
    indices_.push_back(Identifier("i_", name, indices_));
  }
  for (const ir::Array& array : function.arrays) {
    arrays_.push_back(Identifier("arg_", array.name, arrays_));
  }
  for (const ir::Scalar& scalar : function.scalars) {
    scalars_.push_back(Identifier("s_", scalar.name, scalars_));
  }
  for (const ir::MemBlock& block : function.blocks) {
    const std::string& name = block.name();
    const bool named_tmp = name.rfind("tmp", 0) == 0;
    temps_.push_back(Identifier(named_tmp ? "" : "tmp_", name, temps_));
  }
  for (const ir::Instruction& inst : function.insts) {
    // A value's name gets unroll indices appended: one that ends in a digit could become another.
    std::string name = inst.name();
    if (!name.empty() && std::isdigit(static_cast<unsigned char>(name.back())) != 0) name += "_";
    values_.push_back(Identifier("v_", name, values_));
  }
}

std::string ThreadIndex(std::uint32_t stride, std::uint32_t size, std::uint32_t threads,
                        const std::string& thread) {
  return loops::DigitText(thread, stride, size, stride * size == threads);
}

std::string PatchLine(const std::string& type, const ThreadLayout& layout, bool loses_warp) {
  const auto text = [](std::uint32_t number) { return std::to_string(number); };
  const std::string rows = text(layout.patch * layout.row), columns = text(layout.columns());
  const std::string lanes = text(ir::kWarpLanes);
  const std::string warp = loses_warp ? "" : " + t % " + rows + " / " + lanes + " * " + columns;
  return "const " + type + " " + kPlaceInPatches + " = t / " + rows + " * " + rows + " + t % " +
         lanes + " / " + columns + " * " + text(layout.row) + warp + " + t % " + columns +
         ";  // patches of " + columns + " x " + text(layout.patch);
}

std::vector<std::string> RegistersOf(const std::string& value, const ValueStorage& storage,
                                     bool with_lanes) {
  std::vector<std::string> points = {value};
  for (const KeyDim& key : storage.key) {
    if (key.is_vector && !with_lanes) continue;
    std::vector<std::string> longer;
    for (const std::string& point : points) {
      for (std::uint32_t i = 0; i < key.size; ++i) {
        longer.push_back(point + "_" + std::to_string(i));
      }
    }
    points = std::move(longer);
  }
  return points;
}

std::string DimNames(const LoweredCode& code, int dim_class) {
  std::string text;
  for (const ir::DimId dim : code.tree.classes[static_cast<std::size_t>(dim_class)].dims) {
    text += (text.empty() ? "" : " + ") + code.function->dim(dim).name();
  }
  return text.empty() ? "lanes" : text;
}

std::string And(const std::string& a, const std::string& b) {
  return a.empty() || b.empty() ? a + b : a + " && " + b;
}

std::string Moved(const std::string& base, const std::string& offset) {
  if (offset.empty()) return base;
  return offset.front() == '-' ? base + " - " + offset.substr(1) : base + " + " + offset;
}

void PrintSourceHeader(const LoweredCode& code, TextWriter& out) {
  out.Line("// " + code.function->name + ", printed by Exhaust.");
  out.Line();
}

}  // namespace exh::kernels::codegen
