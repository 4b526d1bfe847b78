// SPDX-License-Identifier: MIT
#include "kernels/devices/cuda/driver/library.h"

#include <dlfcn.h>

namespace exh::kernels::cuda {

Library Library::Open(std::span<const std::string> names) {
  Library library;
  for (const std::string& name : names) {
    library.handle_ = ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library.handle_ == nullptr) continue;
    library.name_ = name;
    break;
  }
  return library;
}

void* Library::Find(const char* symbol) const {
  return handle_ == nullptr ? nullptr : ::dlsym(handle_, symbol);
}

}  // namespace exh::kernels::cuda
