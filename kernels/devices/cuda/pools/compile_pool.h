// SPDX-License-Identifier: MIT
//
// Compilation of candidates in processes: NVRTC scales with processes and not with threads, and a
// compiler that hangs or crashes takes nothing with it.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "kernels/cpu/known_answers.h"
#include "kernels/devices/cuda/driver/nvrtc.h"
#include "kernels/devices/cuda/pools/cubin_cache.h"
#include "kernels/devices/cuda/process/worker.h"
#include "kernels/evaluation.h"

namespace exh::kernels::cuda {

struct CompilePoolOptions {
  std::vector<std::string> command;  ///< Starts a program whose main calls CompileProcessMain.
  std::string folder;                ///< Where cubins go that the cache does not keep.
  std::string cache;                 ///< Folder of the cache; empty: none.
  std::uintmax_t cache_bytes = std::uintmax_t{2}
                               << 30;  ///< What a new pool leaves of the cache, now and then.
  std::string architecture = "sm_90";
  std::vector<std::string> options;  ///< More options of the compiler.
  double timeout_s = 60;             ///< Of one compilation, and of the start of a process.
  int workers = 1;                   ///< Processes, and with them compilations at once.
  const StopToken* stop = nullptr;   ///< When it is stopped, so is what compiles: kStopped.
  int recycle = 500;  ///< Compilations after which a process is replaced: compilers leak.
};

/// A compiled kernel, or why it is none.
struct CompiledKernel {
  /// kCorrect; kCompileError, kCompileTimeout; kSpills: it would run, but not well; kBroken: no
  /// compiler, or no place to write to.
  Verdict verdict = Verdict::kCorrect;
  std::string why;
  std::string cubin;  ///< Path; the caller's to remove when it lies in the folder of the pool.
  KernelResources resources;
  double compile_ms = 0;  ///< Without the time until a process was free.
  bool from_cache = false;
};

/// Long-lived processes that compile, and a cache in front of them. They end with this object, and
/// when this process dies.
class CompilePool {
 public:
  /// Starts nothing yet. A folder that cannot be made shows with the first text.
  explicit CompilePool(CompilePoolOptions options);

  /// May be called from many threads at once; each call waits for a process of its own, except for
  /// what the cache has. Whatever becomes of the compiler is a value, and the next call works.
  CompiledKernel Compile(const std::string& source,
                         Optimization optimization = Optimization::kFull);

  /// From here on texts are compiled with the options that these answers ask for.
  void Heed(KnownAnswers known) { known_ = std::move(known); }
  const KnownAnswers& known() const { return known_; }
  /// Name and version of the compiler that was started last; empty: none was.
  std::string compiler() const;

  /// Number of times that the compiler really ran, and of processes that were started.
  std::uint64_t runs() const;
  std::uint64_t starts() const;

 private:
  struct Slot {
    Worker worker;
    std::string compiler;  ///< Name and version.
    int compilations = 0;
    bool busy = false;
  };
  class Lease;
  std::vector<std::string> OptionsOf(const std::string& source) const;
  std::string KeyOf(const std::string& source, Optimization optimization,
                    const std::string& compiler) const;
  std::optional<CompiledKernel> Remembered(const std::string& key) const;
  std::string MakeReady(Slot& slot);
  CompiledKernel CompileIn(Slot& slot, const std::string& source, Optimization optimization,
                           const std::string& key);

  CompilePoolOptions options_;
  CubinCache cache_;
  KnownAnswers known_;
  std::vector<Slot> slots_;
  mutable std::mutex mutex_;
  std::condition_variable free_;
  std::string compiler_;  ///< Of the process that was started last.
  std::uint64_t runs_ = 0, starts_ = 0;
};

}  // namespace exh::kernels::cuda
