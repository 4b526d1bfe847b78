// SPDX-License-Identifier: MIT
#include "kernels/library/registry.h"

#include <utility>

#include "base/check.h"
#include "kernels/library/kernels.h"

namespace exh::kernels {
namespace {

/// One maker per kernel. An explicit list: objects that register themselves are dropped by the
/// linker when nothing else in their file is used.
constexpr std::unique_ptr<Kernel> (*kMakers[])() = {
    MakeAxpy, MakeMv, MakeMatmul, MakeGesummv, MakeBatchedMatmul, MakeMatmul2,
};

struct Registry {
  Registry() {
    for (const auto make : kMakers) kernels.push_back(make());
    origins.resize(kernels.size());
  }
  std::vector<std::unique_ptr<Kernel>> kernels;
  std::vector<Origin> origins;  ///< By kernel.
};

Registry& TheRegistry() {
  static Registry registry;
  return registry;
}

}  // namespace

const std::vector<std::unique_ptr<Kernel>>& AllKernels() {
  return TheRegistry().kernels;
}

const Kernel* FindKernel(std::string_view name) {
  for (const auto& kernel : AllKernels()) {
    if (kernel->name() == name) return kernel.get();
  }
  return nullptr;
}

void AddKernel(std::unique_ptr<Kernel> kernel, Origin origin) {
  EXH_CHECK(FindKernel(kernel->name()) == nullptr);
  TheRegistry().kernels.push_back(std::move(kernel));
  TheRegistry().origins.push_back(std::move(origin));
}

const Origin* FindOrigin(const Kernel& kernel) {
  const Registry& registry = TheRegistry();
  for (std::size_t i = 0; i < registry.kernels.size(); ++i) {
    if (registry.kernels[i].get() == &kernel) return &registry.origins[i];
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

const KernelSpace& SpaceOf(const Kernel& kernel) {
  const Origin* const origin = FindOrigin(kernel);
  return origin != nullptr && origin->space != nullptr ? *origin->space : LinalgSpace();
}

}  // namespace exh::kernels
