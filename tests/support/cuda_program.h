// SPDX-License-Identifier: MIT
//
// CUDA programs of one file, without a GPU: compiled by nvcc where it is installed, and compiled by
// g++ and run against a runtime that is the processor (fake_cuda/cuda_runtime.h).
#pragma once

#include <string>

namespace exh::tests {

struct ProgramRun {
  std::string compiler;  ///< What the compiler said; empty when all is well.
  int code = -1;         ///< Of the program; -1 when it did not end by itself.
  std::string out, err;
};

/// Compiles `text` and runs it. Programs of several threads may be run at a time.
ProgramRun RunOnProcessor(const std::string& text);

/// The path of nvcc; empty where there is none.
std::string FindNvcc();

/// What nvcc says of `text`, every warning an error; empty when it says nothing.
std::string CompileWithNvcc(const std::string& text, const std::string& architecture);

}  // namespace exh::tests
