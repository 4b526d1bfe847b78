// SPDX-License-Identifier: MIT
#include "kernels/cuda/nvrtc.h"

#include <fmt/format.h>

#include "kernels/cuda/library.h"

namespace exh::kernels::cuda {

std::vector<std::string> NvrtcNames() {
  return {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so", "/usr/local/cuda/lib64/libnvrtc.so"};
}

NvrtcFacts FindNvrtc(std::span<const std::string> names) {
  NvrtcFacts facts;
  const Library library = Library::Open(names);
  if (!library.is_open()) {
    facts.problem = "libnvrtc.so is not there: install the CUDA toolkit, version 12 or later";
    return facts;
  }
  facts.library = library.name();
  const auto version = reinterpret_cast<int (*)(int*, int*)>(library.Find("nvrtcVersion"));
  if (version == nullptr || version(&facts.major, &facts.minor) != 0) {
    facts.problem = fmt::format("{} does not tell its version", facts.library);
  } else if (facts.major < 12) {
    facts.problem =
        fmt::format("{} is version {}.{}: install the CUDA toolkit, version 12 or later",
                    facts.library, facts.major, facts.minor);
  }
  return facts;
}

}  // namespace exh::kernels::cuda
