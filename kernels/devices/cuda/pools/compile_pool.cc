// SPDX-License-Identifier: MIT
#include "kernels/devices/cuda/pools/compile_pool.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <string_view>
#include <utility>

#include "base/trace/trace.h"
#include "kernels/cpu/compile.h"
#include "kernels/devices/cuda/process/compile_protocol.h"

namespace exh::kernels::cuda {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

double MsSince(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

/// The first lines that tell something: at most 8, at most 1000 characters.
std::string FirstLines(std::string_view text) {
  std::size_t end = 0;
  for (int line = 0; line < 8 && end < text.size(); ++line) {
    end = std::min(text.find('\n', end), text.size() - 1) + 1;
  }
  std::string head(text.substr(0, std::min<std::size_t>(end, 1000)));
  while (!head.empty() && head.back() == '\n') head.pop_back();
  return head;
}

/// What the compiler has against a text.
std::string Complaint(const std::string& log, const KernelResources& resources) {
  const std::size_t error = std::min(log.find("error"), log.find("fatal"));
  if (error != log.npos) {
    const std::size_t newline = log.rfind('\n', error);
    return FirstLines(std::string_view(log).substr(newline == log.npos ? 0 : newline + 1));
  }
  // The assembler says nothing else when shared memory is too small.
  if (resources.shared_bytes > 0) {
    return fmt::format("no machine code for {} registers and {} bytes of static shared memory",
                       resources.registers, resources.shared_bytes);
  }
  return log.empty() ? "no machine code, and no word about it" : FirstLines(log);
}

CompiledKernel Failure(Verdict verdict, std::string why) {
  CompiledKernel kernel;
  kernel.verdict = verdict;
  kernel.why = std::move(why);
  return kernel;
}

/// What a text's compilation comes to, fresh or remembered.
CompiledKernel Judge(const CachedCubin& cubin) {
  CompiledKernel kernel;
  kernel.cubin = cubin.path;
  kernel.resources = cubin.resources;
  const KernelResources& r = cubin.resources;
  if (cubin.path.empty()) {
    kernel.verdict = Verdict::kCompileError;
    kernel.why = Complaint(cubin.log, r);
  } else if (r.spill_bytes > 0) {
    kernel.verdict = Verdict::kSpills;
    kernel.why = fmt::format("{} bytes spilled with {} registers", r.spill_bytes, r.registers);
  } else if (r.local_bytes > 0) {
    kernel.verdict = Verdict::kSpills;
    kernel.why = fmt::format("{} bytes of stack with {} registers", r.local_bytes, r.registers);
  }
  return kernel;
}

}  // namespace

/// A slot that nobody else has.
class CompilePool::Lease {
 public:
  explicit Lease(CompilePool& pool) : pool_(pool) {
    std::unique_lock lock(pool_.mutex_);
    const auto is_free = [](const Slot& slot) { return !slot.busy; };
    pool_.free_.wait(lock, [&] { return std::ranges::any_of(pool_.slots_, is_free); });
    slot_ = &*std::ranges::find_if(pool_.slots_, is_free);
    slot_->busy = true;
    began_ = TraceNow();
  }
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;
  ~Lease() {
    TraceSpanIn(fmt::format("compile process {}", slot_ - pool_.slots_.data() + 1), "compile",
                began_);
    {
      const std::lock_guard lock(pool_.mutex_);
      slot_->busy = false;
    }
    pool_.free_.notify_one();
  }
  Slot& slot() const { return *slot_; }

 private:
  CompilePool& pool_;
  Slot* slot_;
  TraceTime began_;  ///< Of the lease.
};

CompilePool::CompilePool(CompilePoolOptions options)
    : options_(std::move(options)), cache_(options_.cache) {
  slots_.resize(static_cast<std::size_t>(std::max(1, options_.workers)));
  std::error_code ignored;
  fs::create_directories(options_.folder, ignored);
  cache_.TrimIfDue(options_.cache_bytes);
}

std::uint64_t CompilePool::runs() const {
  const std::lock_guard lock(mutex_);
  return runs_;
}

std::uint64_t CompilePool::starts() const {
  const std::lock_guard lock(mutex_);
  return starts_;
}

CompiledKernel CompilePool::Compile(const std::string& source, Optimization optimization) {
  auto start = Clock::now();
  std::string compiler, key;
  {
    const std::lock_guard lock(mutex_);
    compiler = compiler_;
  }
  std::optional<CompiledKernel> kernel;
  if (!compiler.empty()) {
    key = KeyOf(source, optimization, compiler);
    kernel = Remembered(key);
  }
  if (!kernel) {
    const Lease lease(*this);
    start = Clock::now();
    Slot& slot = lease.slot();
    if (std::string why = MakeReady(slot); !why.empty()) {
      kernel = IsStopped(options_.stop) ? Failure(Verdict::kStopped, "")
                                        : Failure(Verdict::kBroken, std::move(why));
    } else {
      if (slot.compiler != compiler) {  // It is only now known what the key is.
        key = KeyOf(source, optimization, slot.compiler);
        kernel = Remembered(key);
      }
      if (!kernel) kernel = CompileIn(slot, source, optimization, key);
    }
  }
  if (kernel->compile_ms == 0) kernel->compile_ms = MsSince(start);
  return *std::move(kernel);
}

std::string CompilePool::compiler() const {
  const std::lock_guard lock(mutex_);
  return compiler_;
}

std::vector<std::string> CompilePool::OptionsOf(const std::string& source) const {
  std::vector<std::string> options = options_.options;
  for (std::string& option : known_.OptionsFor(source)) options.push_back(std::move(option));
  return options;
}

std::string CompilePool::KeyOf(const std::string& source, Optimization optimization,
                               const std::string& compiler) const {
  if (options_.cache.empty()) return "";
  std::vector<std::string> options = OptionsOf(source);
  if (optimization == Optimization::kQuick) options.push_back("quick");
  return CubinCache::Key(source, options_.architecture, options, compiler);
}

std::optional<CompiledKernel> CompilePool::Remembered(const std::string& key) const {
  const std::optional<CachedCubin> known = cache_.Find(key);
  if (!known) return std::nullopt;
  CompiledKernel kernel = Judge(*known);
  kernel.from_cache = true;
  return kernel;
}

/// Empty when the slot's process waits for a text, otherwise why none does.
std::string CompilePool::MakeReady(Slot& slot) {
  slot.worker.Drain();
  if (slot.compilations >= options_.recycle) slot.worker = Worker();
  if (slot.worker.alive()) return "";
  slot.worker = Worker(options_.command);
  slot.compilations = 0;
  {
    const std::lock_guard lock(mutex_);
    ++starts_;
  }
  std::string line, why;
  switch (slot.worker.Receive(options_.timeout_s, line, options_.stop)) {
    case Worker::Reply::kTimedOut:
      why = fmt::format("the compiler does not start: no word in {} s", options_.timeout_s);
      break;
    case Worker::Reply::kStopped:
      why = "stopped before the compiler was ready";
      break;
    case Worker::Reply::kDied:
      why = fmt::format("the compiler does not start: {}", slot.worker.obituary());
      break;
    case Worker::Reply::kLine:
      if (const auto ready = ParseCompileReady(line)) {
        why = ready->why;
        slot.compiler = ready->compiler;
      } else {
        why = "the compiler does not start: its first line is not understood";
      }
      break;
  }
  if (!why.empty()) {
    slot.worker.Kill();
    return why;
  }
  const std::lock_guard lock(mutex_);
  compiler_ = slot.compiler;
  return "";
}

CompiledKernel CompilePool::CompileIn(Slot& slot, const std::string& source,
                                      Optimization optimization, const std::string& key) {
  static std::atomic<std::uint64_t> next_id{1};
  CompileRequest request;
  request.id = next_id++;
  request.source = source;
  request.architecture = options_.architecture;
  request.options = OptionsOf(source);
  request.optimization = optimization;
  request.file = fmt::format("{}/{}-{}.cubin", options_.folder, ::getpid(), request.id);
  ++slot.compilations;
  {
    const std::lock_guard lock(mutex_);
    ++runs_;
  }
  slot.worker.Send(ToJsonLine(request));
  const double patience_s = PatienceSeconds(options_.timeout_s, options_.stop);
  std::string line;
  std::optional<CompileAnswer> answer;
  CompiledKernel failure;
  switch (slot.worker.Receive(patience_s, line, options_.stop)) {
    case Worker::Reply::kTimedOut:
      slot.worker.Kill();
      failure = Failure(Verdict::kCompileTimeout,
                        fmt::format("the compiler ran longer than {:.3g} s", patience_s));
      break;
    case Worker::Reply::kStopped:
      slot.worker.Kill();
      failure = Failure(Verdict::kStopped, "");
      break;
    case Worker::Reply::kDied:
      failure = Failure(slot.worker.was_killed() ? Verdict::kBroken : Verdict::kCompileError,
                        fmt::format("the compiler died: {}", slot.worker.obituary()));
      break;
    case Worker::Reply::kLine:
      answer = ParseCompileAnswer(line);
      if (!answer || answer->id != request.id) {  // It may be an answer behind.
        slot.worker.Kill();
        answer.reset();
        failure = Failure(Verdict::kCompileError, "the compiler gave no answer that can be read");
      } else if (!answer->ok && answer->why.empty() && cpu::IsEnvironmentTrouble(answer->log)) {
        failure = Failure(Verdict::kBroken, FirstLines(answer->log));
        answer.reset();
      } else if (!answer->why.empty()) {
        failure = Failure(Verdict::kBroken, answer->why);
        answer.reset();
      }
      break;
  }
  std::error_code ignored;
  if (!answer) {
    fs::remove(request.file, ignored);  // What there is of it.
    return failure;
  }
  CachedCubin cubin;
  cubin.resources = answer->resources;
  if (answer->ok) {
    cubin.path = request.file;
  } else {
    cubin.log = std::move(answer->log);
  }
  cubin.path = cache_.Keep(key, cubin);
  if (cubin.path != request.file) fs::remove(request.file, ignored);
  CompiledKernel kernel = Judge(cubin);
  kernel.compile_ms = answer->compile_ms;
  return kernel;
}

}  // namespace exh::kernels::cuda
