// SPDX-License-Identifier: MIT
//
// The processes of the tests: what `search run-cuda` and `search compile-cuda` are to the search.
#include <string_view>

#include "kernels/devices/cuda/process/candidate_process.h"
#include "kernels/devices/cuda/process/compile_process.h"

int main(int argc, char** argv) {
  const std::string_view what = argc == 2 ? argv[1] : "";
  if (what == "run") return exh::kernels::cuda::CandidateProcessMain();
  if (what == "compile") return exh::kernels::cuda::CompileProcessMain();
  return 2;
}
