// SPDX-License-Identifier: MIT
//
// What crosses between CompilePool and a process that compiles: one line of JSON each way, many
// times. The process speaks first: it says which compiler it has.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kernels/devices/cuda/driver/nvrtc.h"

namespace exh::kernels::cuda {

/// The first line of the process.
struct CompileReady {
  std::string compiler;  ///< Name and version: a part of every key of the cache.
  std::string why;       ///< Not empty: there is no compiler, and the process ends.
};

/// One text.
struct CompileRequest {
  std::uint64_t id = 0;  ///< The answer repeats it.
  std::string source;
  std::string architecture;
  std::vector<std::string> options;
  std::string file;  ///< Path that the machine code is written to.
  Optimization optimization = Optimization::kFull;
};

/// What became of it.
struct CompileAnswer {
  std::uint64_t id = 0;
  bool ok = false;  ///< There is machine code.
  std::string log;  ///< What compiler and assembler printed.
  std::string why;  ///< Not empty: it failed, and the text is not to blame.
  KernelResources resources;
  double compile_ms = 0;
};

std::string ToJsonLine(const CompileReady& ready);
std::string ToJsonLine(const CompileRequest& request);
std::string ToJsonLine(const CompileAnswer& answer);
std::optional<CompileReady> ParseCompileReady(const std::string& line);
std::optional<CompileRequest> ParseCompileRequest(const std::string& line);
std::optional<CompileAnswer> ParseCompileAnswer(const std::string& line);

}  // namespace exh::kernels::cuda
