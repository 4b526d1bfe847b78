// SPDX-License-Identifier: MIT
//
// From the text of a CUDA program to C++ that runs it on the CPU.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "kernels/launch.h"

namespace exh_shim {

/// A printed program: `exh_kernel`, and what its launch names beside it. The parameters of each are
/// the arrays, the scalars, where the text says so `exh_global`, and the maps of the launch.
struct CudaText {
  std::string source;
  exh::kernels::Launch launch;
};

/// An array parameter.
struct ArrayFacts {
  std::string name;
  std::uint64_t elements = 0;
  bool is_output = false;
  unsigned element_bytes = 4;
};

/// What defines
///   extern "C" void exh_shim_run_<number>(void* const* arrays, const double* scalars,
///                                         unsigned char* const* written, char* error,
///                                         int capacity, int thread_order);
/// (launch.h says what the arguments are; scalars become the types of their parameters). Several
/// numbers fit into one file, after kPrologue. Lines in messages are those of `text.source`.
std::string ShimSource(const CudaText& text, const std::vector<ArrayFacts>& arrays,
                       std::size_t num_scalars, std::size_t number);

inline constexpr const char* kPrologue = "#include \"tests/cuda_shim/cuda_shim.h\"";

/// Flags of g++ for such a file, beside which the tree is a folder "tree" (CompiledTexts).
std::string CompilerFlags();

/// The type of exh_shim_run_<number>.
using RunFunction = void (*)(void* const* arrays, const double* scalars,
                             unsigned char* const* written, char* error, int capacity,
                             int thread_order);

}  // namespace exh_shim
