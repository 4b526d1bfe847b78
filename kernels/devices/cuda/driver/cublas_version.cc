// SPDX-License-Identifier: MIT
#include "kernels/devices/cuda/driver/cublas_version.h"

#include <fmt/format.h>

#include "kernels/devices/cuda/driver/library.h"

namespace exh::kernels::cuda {

std::vector<std::string> CublasNames() {
  return {"libcublas.so.13", "libcublas.so.12", "libcublas.so"};
}

CublasVersion FindCublas() {
  std::vector<std::string> names = CublasNames();
  names.emplace_back("/usr/local/cuda/lib64/libcublas.so");
  const Library library = Library::Open(names);
  if (!library.is_open()) return {};
  using GetProperty = int (*)(int property, int* value);
  const auto get = reinterpret_cast<GetProperty>(library.Find("cublasGetProperty"));
  std::string version;
  for (const int property : {0, 1, 2}) {  // MAJOR_VERSION, MINOR_VERSION, PATCH_LEVEL.
    int value = 0;
    if (get == nullptr || get(property, &value) != 0) return {library.name(), ""};
    version += fmt::format("{}{}", version.empty() ? "" : ".", value);
  }
  return {library.name(), version};
}

}  // namespace exh::kernels::cuda
