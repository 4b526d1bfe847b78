// SPDX-License-Identifier: MIT
#include "kernels/library/registry.h"

#include <map>
#include <string>
#include <utility>

#include "base/check.h"
#include "kernels/library/library_texts.h"
#include "kernels/library/text_kernel.h"

namespace exh::kernels {
namespace {

struct Registry {
  Registry() {
    for (const KernelText& known : LibraryTexts()) {
      kernels.push_back(
          std::make_unique<TextKernel>(std::string(known.file), std::string(known.text)));
    }
    origins.resize(kernels.size());
  }
  std::vector<std::unique_ptr<Kernel>> kernels;
  std::vector<KernelOrigin> origins;  ///< By kernel.
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

void AddKernel(std::unique_ptr<Kernel> kernel, KernelOrigin origin) {
  EXH_CHECK(FindKernel(kernel->name()) == nullptr);
  TheRegistry().kernels.push_back(std::move(kernel));
  TheRegistry().origins.push_back(std::move(origin));
}

const Kernel& KernelOfText(const std::string& path, const std::string& text) {
  static std::map<std::string, std::unique_ptr<Kernel>> known;
  std::unique_ptr<Kernel>& kernel = known[text];
  if (kernel == nullptr) kernel = std::make_unique<TextKernel>(path, text);
  return *kernel;
}

const KernelOrigin* FindOrigin(const Kernel& kernel) {
  const Registry& registry = TheRegistry();
  for (std::size_t i = 0; i < registry.kernels.size(); ++i) {
    if (registry.kernels[i].get() == &kernel) return &registry.origins[i];
  }
  return nullptr;
}

const KernelSpace& SpaceOf(const Kernel& kernel) {
  const KernelOrigin* const origin = FindOrigin(kernel);
  return origin != nullptr && origin->space != nullptr ? *origin->space : LinalgSpace();
}

}  // namespace exh::kernels
