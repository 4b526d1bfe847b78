// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

namespace exh::kernels::cuda {

/// What the library may be called, newest version first.
std::vector<std::string> CublasNames();

/// What `doctor` and logs say of cuBLAS.
struct CublasVersion {
  std::string library;  ///< "libcublas.so.13"; empty: the loader finds none.
  std::string version;  ///< "13.0.2"; empty: it does not tell.
};

/// Of the library that yardsticks take, or of one in the toolkit's usual folder. Its functions
/// stay unloaded.
CublasVersion FindCublas();

}  // namespace exh::kernels::cuda
