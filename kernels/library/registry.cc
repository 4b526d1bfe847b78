// SPDX-License-Identifier: MIT
#include "kernels/library/registry.h"

#include "kernels/library/kernels.h"

namespace exh::kernels {
namespace {

/// One line per kernel. An explicit list: objects that register themselves are dropped by the
/// linker when nothing else in their file is used.
constexpr std::unique_ptr<Kernel> (*kMakers[])() = {
    MakeAxpy,
    MakeMv,
    MakeMatmul,
};

std::vector<std::unique_ptr<Kernel>> MakeAll() {
  std::vector<std::unique_ptr<Kernel>> all;
  for (const auto make : kMakers) all.push_back(make());
  return all;
}

}  // namespace

const std::vector<std::unique_ptr<Kernel>>& AllKernels() {
  static const std::vector<std::unique_ptr<Kernel>> all = MakeAll();
  return all;
}

const Kernel* FindKernel(std::string_view name) {
  for (const auto& kernel : AllKernels()) {
    if (kernel->name() == name) return kernel.get();
  }
  return nullptr;
}

Parameter InnerTile() {
  return {"inner_tile", 16, 2, 64, "largest inner tile of a tiled axis"};
}

std::uint32_t LargestInnerTile(const Parameters& sizes) {
  const auto found = sizes.find("inner_tile");
  return static_cast<std::uint32_t>(found == sizes.end() ? InnerTile().default_value
                                                         : found->second);
}

std::string Yardstick(const Parameters& sizes, const std::string& body) {
  std::string text;
  for (const auto& [name, value] : sizes) {
    text += "constexpr long " + name + " = " + std::to_string(value) + ";\n";
  }
  return text + body;
}

}  // namespace exh::kernels
