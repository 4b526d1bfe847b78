// SPDX-License-Identifier: MIT
#include "kernels/devices/cuda/vendor/cublas.h"

#include <fmt/format.h>

#include "kernels/devices/cuda/driver/cublas_version.h"
#include "kernels/devices/cuda/driver/library.h"

namespace exh::kernels::cuda {
namespace {

/// The first symbol that a library lacks; null when the table is full.
const char* Fill(const Library& cublas, const Library& cublaslt, CublasFunctions* functions) {
#define EXH_CUBLAS_FUNCTION(library, name, symbol, ...)                                      \
  functions->name = reinterpret_cast<cublasStatus_t (*)(__VA_ARGS__)>(library.Find(symbol)); \
  if (functions->name == nullptr) return symbol;
#include "kernels/devices/cuda/vendor/cublas_functions.inc"
#undef EXH_CUBLAS_FUNCTION
  return nullptr;
}

}  // namespace

CublasOrProblem LoadCublas() {
  const std::vector<std::string> lt_names = {"libcublasLt.so.13", "libcublasLt.so.12",
                                             "libcublasLt.so"};
  const Library cublaslt = Library::Open(lt_names);
  const Library cublas = Library::Open(CublasNames());
  for (const auto& [library, name] :
       {std::pair(&cublas, "libcublas.so"), std::pair(&cublaslt, "libcublasLt.so")}) {
    if (!library->is_open()) {
      return {std::nullopt,
              fmt::format("{} is not there: install cuBLAS 12 or later, or name its folder in "
                          "LD_LIBRARY_PATH",
                          name)};
    }
  }
  CublasFunctions functions;
  if (const char* missing = Fill(cublas, cublaslt, &functions)) {
    return {std::nullopt,
            fmt::format("{} has no '{}': install cuBLAS 12 or later", cublas.name(), missing)};
  }
  return {functions, ""};
}

}  // namespace exh::kernels::cuda
