// SPDX-License-Identifier: MIT
#include "kernels/cuda/compile_pool.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <utility>

namespace exh::kernels::cuda {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using Clock = std::chrono::steady_clock;

constexpr std::uintmax_t kCacheBytes = 2ULL << 30;

/// The first lines that tell something.
std::string FirstLines(const std::string& text) {
  std::size_t end = 0;
  for (int line = 0; line < 8 && end < text.size(); ++line) {
    end = std::min(text.find('\n', end), text.size() - 1) + 1;
  }
  std::string head = text.substr(0, std::min<std::size_t>(end, 1000));
  while (!head.empty() && head.back() == '\n') head.pop_back();
  return head;
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
  if (cubin.path.empty()) {
    kernel.verdict = Verdict::kCompileError;
    kernel.why = FirstLines(cubin.log);
  } else if (cubin.resources.spill_bytes > 0) {
    kernel.verdict = Verdict::kSpills;
    kernel.why = fmt::format("{} bytes of registers go to memory, {} registers do not suffice",
                             cubin.resources.spill_bytes, cubin.resources.registers);
  }
  return kernel;
}

}  // namespace

CompilePool::CompilePool(CompilePoolOptions options)
    : options_(std::move(options)), cache_(options_.cache) {
  slots_.resize(static_cast<std::size_t>(std::max(1, options_.workers)));
  std::error_code ignored;
  fs::create_directories(options_.folder, ignored);
  cache_.Trim(kCacheBytes);
}

CompilePool::Slot& CompilePool::Acquire() {
  std::unique_lock lock(mutex_);
  while (true) {
    for (Slot& slot : slots_) {
      if (slot.busy) continue;
      slot.busy = true;
      return slot;
    }
    free_.wait(lock);
  }
}

void CompilePool::Release(Slot& slot) {
  {
    const std::lock_guard lock(mutex_);
    slot.busy = false;
  }
  free_.notify_one();
}

CompiledKernel CompilePool::Compile(const std::string& source) {
  const auto start = Clock::now();
  Slot& slot = Acquire();
  std::string file;
  {
    const std::lock_guard lock(mutex_);
    file = fmt::format("{}/{}.cubin", options_.folder, number_++);
  }
  CompiledKernel kernel = CompileIn(slot, source, file);
  Release(slot);
  kernel.compile_ms = std::chrono::duration<double, std::milli>(Clock::now() - start).count();
  return kernel;
}

CompiledKernel CompilePool::CompileIn(Slot& slot, const std::string& source,
                                      const std::string& file) {
  if (slot.compilations >= options_.recycle) slot.worker = Worker();
  std::string line;
  if (!slot.worker.alive()) {
    slot.worker = Worker(options_.command);
    slot.compilations = 0;
    // Its first line names the compiler, or says why there is none.
    const Worker::Reply reply = slot.worker.Receive(options_.timeout_s, line);
    const json hello = json::parse(line, nullptr, false);
    if (reply != Worker::Reply::kLine || !hello.is_object()) {
      slot.worker.Kill();
      return Failure(Verdict::kBroken,
                     fmt::format("the compiler does not start: {}", slot.worker.obituary()));
    }
    if (const std::string why = hello.value("why", ""); !why.empty()) {
      slot.worker.Kill();
      return Failure(Verdict::kBroken, why);
    }
    slot.compiler = hello.value("compiler", "");
  }
  const std::string key = CubinCache::Key(source, options_.architecture, slot.compiler);
  if (const auto known = cache_.Find(key)) {
    CompiledKernel kernel = Judge(*known);
    kernel.from_cache = true;
    return kernel;
  }
  ++slot.compilations;
  slot.worker.Send(
      json({{"source", source}, {"architecture", options_.architecture}, {"file", file}})
          .dump(-1, ' ', false, json::error_handler_t::replace));
  switch (slot.worker.Receive(options_.timeout_s, line)) {
    case Worker::Reply::kTimedOut:
      slot.worker.Kill();
      return Failure(Verdict::kCompileTimeout,
                     fmt::format("the compiler ran longer than {} s", options_.timeout_s));
    case Worker::Reply::kDied:
      return Failure(Verdict::kCompileError,
                     fmt::format("the compiler died: {}", slot.worker.obituary()));
    case Worker::Reply::kLine:
      break;
  }
  const json answer = json::parse(line, nullptr, false);
  CachedCubin cubin;
  try {
    cubin.log = answer.at("log").get<std::string>();
    cubin.path = answer.at("ok").get<bool>() ? file : "";
    cubin.resources = {answer.at("registers").get<int>(), answer.at("spill_bytes").get<int>(),
                       answer.at("shared_bytes").get<int>()};
    if (const std::string why = answer.at("why").get<std::string>(); !why.empty()) {
      return Failure(Verdict::kBroken, why);
    }
  } catch (const json::exception&) {
    slot.worker.Kill();
    return Failure(Verdict::kCompileError, "the compiler gave no answer that can be read");
  }
  if (!cubin.path.empty()) cubin.log.clear();
  cubin.path = cache_.Keep(key, cubin);
  if (cubin.path != file) {
    std::error_code ignored;
    fs::remove(file, ignored);
  }
  return Judge(cubin);
}

}  // namespace exh::kernels::cuda
