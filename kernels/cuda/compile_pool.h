// SPDX-License-Identifier: MIT
//
// Compilation of candidates in processes: NVRTC scales with processes and not with threads, and a
// compiler that hangs or crashes takes nothing with it.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "kernels/cuda/cubin_cache.h"
#include "kernels/cuda/nvrtc.h"
#include "kernels/cuda/worker.h"
#include "kernels/evaluation.h"

namespace exh::kernels::cuda {

struct CompilePoolOptions {
  std::vector<std::string> command;  ///< Starts a program whose main calls CompileProcessMain.
  std::string folder;                ///< Where cubins go that the cache does not keep.
  std::string cache;                 ///< Folder of the cache; empty: none.
  std::string architecture = "sm_90";
  double timeout_s = 60;  ///< Of one compilation.
  int workers = 1;
  int recycle = 500;  ///< Compilations after which a worker is replaced: compilers leak.
};

/// A compiled kernel, or why it is none.
struct CompiledKernel {
  /// kCorrect; kCompileError, kCompileTimeout; kSpills; kBroken: no compiler.
  Verdict verdict = Verdict::kCorrect;
  std::string why;
  std::string cubin;  ///< Path.
  KernelResources resources;
  double compile_ms = 0;
  bool from_cache = false;
};

class CompilePool {
 public:
  explicit CompilePool(CompilePoolOptions options);

  /// May be called from many threads at once; each call waits for a worker of its own. Whatever
  /// becomes of the compiler is a value.
  CompiledKernel Compile(const std::string& source);

 private:
  struct Slot {
    Worker worker;
    std::string compiler;  ///< Name and version.
    int compilations = 0;
    bool busy = false;
  };
  Slot& Acquire();
  void Release(Slot& slot);
  CompiledKernel CompileIn(Slot& slot, const std::string& source, const std::string& file);

  CompilePoolOptions options_;
  CubinCache cache_;
  std::vector<Slot> slots_;
  std::mutex mutex_;
  std::condition_variable free_;
  std::uint64_t number_ = 0;  ///< Of the next file.
};

/// The worker's main: reads one request per line, answers one line each. Returns the exit code.
/// The hidden sub-command of the search program that CompilePool starts.
int CompileProcessMain();

}  // namespace exh::kernels::cuda
