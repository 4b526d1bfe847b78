// SPDX-License-Identifier: MIT
#include "tests/kernels/cuda/fake_kernels.h"

#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <limits>
#include <sstream>

#include "kernels/cpu/compare.h"
#include "kernels/devices/cuda/driver/device_programs.h"
#include "tests/support/fake_cuda/tensor_map.h"

namespace exh::kernels::cuda::fake {
namespace {

constexpr std::uint64_t kMegahertz = 1980;  ///< Of the multiprocessors.

/// Argument number `index` of a launch.
template <typename T>
T Argument(void** arguments, int index) {
  T value;
  std::memcpy(&value, arguments[index], sizeof value);
  return value;
}

bool IsOneOf(std::initializer_list<std::string_view> names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// False: a word of the line is not understood.
bool Set(CudaFunction& function, const std::string& key, const std::string& value) {
  try {
    if (key == "n") {
      function.n = std::stoull(value);
    } else if (key == "us") {
      function.ns = static_cast<std::uint64_t>(1e3 * std::stod(value));
    } else if (key == "early") {
      function.early_ns = static_cast<std::uint64_t>(1e3 * std::stod(value));
    } else if (key == "block_us") {
      function.block_ns = static_cast<std::uint64_t>(1e3 * std::stod(value));
    } else if (key == "grid") {
      function.grid = std::stoull(value);
    } else if (key == "fault") {
      function.fault = value;
      return IsOneOf({"wrong", "nan", "stale", "rounds", "late", "ticket", "writes", "lost", "hang",
                      "stuck", "crash", "exit", "chatter"},
                     value);
    } else if (key == "type" && ir::TypeOfWord(value)) {
      function.type = *ir::TypeOfWord(value);
    } else if (key == "of" && value.size() == 1) {
      function.of = value.front();
    } else if (key == "at") {
      function.at = std::stoll(value);
    } else if (key == "after") {
      function.after = std::stoull(value);
    } else if (key == "every") {
      function.every = std::stoull(value);
    } else if (key == "scratch") {
      function.scratch = std::stoull(value);
    } else if (key == "tickets") {
      function.tickets = std::stoull(value);
    } else if (key == "map_at") {
      function.map_at = std::stoull(value);
    } else if (key == "registers") {
      function.registers = std::stoull(value);
    } else if (key == "dims") {
      function.dims = value;
    } else if (key == "variable" && value.find(':') != value.npos) {
      function.variable = value.substr(0, value.find(':'));
      function.variable_bytes = std::stoull(value.substr(value.find(':') + 1));
    } else if (key == "plain") {
      function.is_plain = value == "1";
    } else {
      return false;
    }
  } catch (const std::exception&) {
    return false;
  }
  return true;
}

/// Is an argument a tensor map of the array there, where a driver finds it?
bool IsMapOf(CUdeviceptr array, const void* argument) {
  if (reinterpret_cast<std::uintptr_t>(argument) % 64 != 0) return false;
  FakeTensorMap map;
  std::memcpy(&map, argument, sizeof map);
  return map.mark == FakeTensorMap::kMark && map.array == array;
}

/// What a fault does besides wrong numbers.
void Misbehave(const CudaFunction& function) {
  if (!function.is_faulty) return;
  if (function.fault == "lost") Memory::Get().Break(kUnknown);
  if (function.fault == "crash") std::abort();
  if (function.fault == "exit") ::_exit(3);
  if (function.fault == "chatter") std::puts("{\"verdict\":\"correct\"}");
  if (function.fault == "chatter") std::fflush(stdout);
  while (function.fault == "stuck") ::pause();
}

/// As another order of additions may do.
void RoundOtherwise(float& value) {
  if (value != std::floor(value)) value += 0x1p-12f;
}

std::function<void()> Axpy(CudaFunction& function, std::uint64_t blocks, void** arguments) {
  const auto x = Argument<CUdeviceptr>(arguments, 0), y = Argument<CUdeviceptr>(arguments, 1);
  const auto z = Argument<CUdeviceptr>(arguments, 2);
  const float given = function.is_plain ? 1 : Argument<float>(arguments, 3);
  const auto scratch = function.scratch == 0 ? 0 : Argument<CUdeviceptr>(arguments, 4);
  return [=, &function] {
    Misbehave(function);
    Memory& memory = Memory::Get();
    const float* const from_x = memory.At<float>(x, function.n);
    const float* const from_y = memory.At<float>(y, function.n);
    float* const to = memory.At<float>(z, function.n);
    float* const own =
        scratch == 0 ? nullptr : memory.At<float>(scratch, blocks * function.scratch);
    if (memory.error() != kSuccess || function.Has("nan")) return;
    if (function.Has("stale")) {
      if (function.kept.size() == function.n) std::copy_n(function.kept.begin(), function.n, to);
      return;
    }
    std::fill_n(own, own == nullptr ? 0 : blocks * function.scratch, 1.0f);
    const std::uint64_t n = function.grid == 0 ? function.n : function.n * blocks / function.grid;
    const float* const held =
        function.variable_data == 0 ? nullptr : memory.At<float>(function.variable_data, 1);
    const float alpha = given + (held == nullptr ? 0 : *held);
    for (std::uint64_t i = 0; i < n; ++i) to[i] = std::fma(alpha, from_x[i], from_y[i]);
    function.kept.assign(to, to + function.n);
    if (function.Has("wrong")) to[function.at] += 1;
    if (function.Has("rounds")) RoundOtherwise(to[function.at]);
    if (!function.Has("writes")) return;
    const CUdeviceptr array = function.of == 'x' ? x : function.of == 'y' ? y : z;
    float* const stray = memory.At<float>(array + 4 * static_cast<CUdeviceptr>(function.at), 1);
    if (stray != nullptr) *stray = 7;
  };
}

std::function<void()> Fill(const CudaFunction& function, void** arguments) {
  const auto z = Argument<CUdeviceptr>(arguments, 2);
  return [=, &function] {
    float* const to = Memory::Get().At<float>(z, function.n);
    if (to != nullptr) std::fill_n(to, function.n, 0.0f);
  };
}

/// What blocks leave for each other, behind the tickets.
CUdeviceptr PartsIn(CUdeviceptr workspace, const CudaFunction& function) {
  return workspace + sizeof(std::uint32_t) * function.tickets;
}

std::function<void()> Part(CudaFunction& function, void** arguments) {
  const auto x = Argument<CUdeviceptr>(arguments, 0), y = Argument<CUdeviceptr>(arguments, 1);
  const auto alpha = Argument<float>(arguments, 3);
  const auto workspace = Argument<CUdeviceptr>(arguments, 4);
  return [=, &function] {
    Misbehave(function);
    Memory& memory = Memory::Get();
    const float* const from_x = memory.At<float>(x, function.n);
    const float* const from_y = memory.At<float>(y, function.n);
    auto* const tickets = memory.At<std::uint32_t>(workspace, function.tickets);
    float* const parts = memory.At<float>(PartsIn(workspace, function), function.n);
    if (memory.error() != kSuccess) return;
    if (std::any_of(tickets, tickets + function.tickets, [](auto one) { return one != 0; })) return;
    for (std::uint64_t i = 0; i < function.n; ++i) parts[i] = std::fma(alpha, from_x[i], from_y[i]);
    if (function.Has("wrong")) parts[function.at] += 1;
    if (function.Has("rounds")) RoundOtherwise(parts[function.at]);
    if (function.Has("ticket")) tickets[0] = 1;
  };
}

std::function<void()> Finish(const CudaFunction& function, void** arguments) {
  const auto z = Argument<CUdeviceptr>(arguments, 2);
  const auto workspace = Argument<CUdeviceptr>(arguments, 4);
  return [=, &function] {
    Memory& memory = Memory::Get();
    float* const to = memory.At<float>(z, function.n);
    float* const parts = memory.At<float>(PartsIn(workspace, function), function.n);
    if (memory.error() != kSuccess) return;
    for (std::uint64_t i = 0; i < function.n; ++i) to[i] += parts[i];
    std::fill_n(parts, function.n, std::numeric_limits<float>::quiet_NaN());
  };
}

std::function<void()> Copy(CudaFunction& function, void** arguments) {
  const auto x = Argument<CUdeviceptr>(arguments, 0), y = Argument<CUdeviceptr>(arguments, 1);
  return [=, &function] {
    Misbehave(function);
    Memory& memory = Memory::Get();
    const auto* const from = memory.At<unsigned char>(x, function.n);
    auto* const to = memory.At<unsigned char>(y, function.n);
    if (memory.error() != kSuccess || function.Has("nan")) return;
    std::copy_n(from, function.n, to);
    if (function.Has("wrong")) ++to[function.at];
    if (!function.Has("writes")) return;
    const CUdeviceptr stray = (function.of == 'x' ? x : y) + static_cast<CUdeviceptr>(function.at);
    if (auto* const byte = memory.At<unsigned char>(stray, 1)) *byte = 7;
  };
}

std::function<void()> Add(CudaFunction& function, void** arguments) {
  const auto x = Argument<CUdeviceptr>(arguments, 0), y = Argument<CUdeviceptr>(arguments, 1);
  return [=, &function] {
    Misbehave(function);
    Memory& memory = Memory::Get();
    const float* const from = memory.At<float>(x, function.n);
    float* const to = memory.At<float>(y, function.n);
    if (memory.error() != kSuccess || function.Has("nan")) return;
    for (std::uint64_t i = 0; i < function.n; ++i) to[i] += from[i];
    if (function.Has("wrong")) to[function.at] += 1;
  };
}

/// Of elements of this type.
std::function<void()> Check(ir::Type type, void** arguments) {
  const auto out = Argument<CUdeviceptr>(arguments, 0);
  const auto reference = Argument<CUdeviceptr>(arguments, 1);
  const auto tolerance = Argument<CUdeviceptr>(arguments, 2);
  const auto n = Argument<std::uint64_t>(arguments, 3);
  const auto to = Argument<CUdeviceptr>(arguments, 4);
  return [=] {
    Memory& memory = Memory::Get();
    const std::size_t width = ir::BytesOf(type);
    const auto* const got = memory.At<unsigned char>(out, n * width);
    const double* const expected = memory.At<double>(reference, n);
    const double* const allowed = memory.At<double>(tolerance, n);
    CheckResult* const result = memory.At<CheckResult>(to, 1);
    if (memory.error() != kSuccess) return;
    for (std::uint64_t i = 0; i < n; ++i) {
      const unsigned char* const element = got + i * width;
      const bool is_number = type != ir::Type::kBool || *element <= 1;
      const double error =
          type == ir::Type::kI64 ? cpu::ErrorOf(ir::ReadNumber(type, element).whole(),
                                                std::bit_cast<std::int64_t>(expected[i]))
          : is_number ? cpu::ErrorOf(type, ir::ReadElement(type, element), expected[i], allowed[i])
                      : std::numeric_limits<double>::infinity();
      const double most = std::max(allowed[i], 0.0);
      if (!(error <= most) || std::isinf(error)) {
        ++result->wrong;
        result->first_wrong = std::min(result->first_wrong, i);
      }
      result->max_error = std::max(result->max_error, error);
      if (error > 0) result->max_ratio = std::max(result->max_ratio, error / most);
      if (!(most > 0) || std::isinf(most)) continue;
      result->squares += error / most * (error / most);
      ++result->counted;
    }
  };
}

std::function<void()> Hash(void** arguments) {
  const auto out = Argument<CUdeviceptr>(arguments, 0);
  const auto n = Argument<std::uint64_t>(arguments, 1),
             salt = Argument<std::uint64_t>(arguments, 2);
  const auto to = Argument<CUdeviceptr>(arguments, 3);
  return [=] {
    const std::uint32_t* const words = Memory::Get().At<std::uint32_t>(out, n);
    std::uint64_t* const sum = Memory::Get().At<std::uint64_t>(to, 1);
    if (words == nullptr || sum == nullptr) return;
    for (std::uint64_t i = 0; i < n; ++i) {
      *sum += ((i + salt) * 0x9e3779b97f4a7c15ULL + words[i]) * 0xbf58476d1ce4e5b9ULL;
    }
  };
}

std::function<void()> Guard(void** arguments) {
  const auto zone = Argument<CUdeviceptr>(arguments, 0);
  const auto word = Argument<unsigned>(arguments, 1);
  const auto skipped = Argument<unsigned>(arguments, 2);
  const auto first = Argument<std::uint64_t>(arguments, 3);
  const auto n = Argument<unsigned>(arguments, 4);
  const auto to = Argument<CUdeviceptr>(arguments, 5);
  return [=] {
    const auto* const bytes = Memory::Get().At<unsigned char>(zone, 4 * n);
    CheckResult* const result = Memory::Get().At<CheckResult>(to, 1);
    if (bytes == nullptr || result == nullptr) return;
    for (unsigned i = skipped; i < 4 * n; ++i) {
      const auto expected = static_cast<unsigned char>(word >> 8 * (i % 4));
      if (bytes[i] != expected) result->guard = std::min(result->guard, first + i);
    }
  };
}

std::function<void()> Ticks(void** arguments) {
  const auto ns = Argument<std::uint64_t>(arguments, 0);
  const auto to = Argument<CUdeviceptr>(arguments, 1);
  return [=] {
    std::uint64_t* const ticks = Memory::Get().At<std::uint64_t>(to, 2);
    if (ticks == nullptr) return;
    ticks[0] = ns * kMegahertz / 1000;
    ticks[1] = ns;
  };
}

/// The virtual clock stands still while a kernel runs: what counts is that there is a place for it.
std::function<void()> Deadline(void** arguments) {
  const auto ns = Argument<std::uint64_t>(arguments, 0);
  const auto to = Argument<CUdeviceptr>(arguments, 1);
  return [=] {
    if (std::uint64_t* const place = Memory::Get().At<std::uint64_t>(to, 1)) *place = ns;
  };
}

std::function<void()> Spans(std::uint64_t n, void** arguments) {
  const auto to = Argument<CUdeviceptr>(arguments, 0);
  return [=] {
    std::int64_t* const clocks = Memory::Get().At<std::int64_t>(to, 2 * n);
    if (clocks == nullptr) return;
    for (std::uint64_t i = 0; i < n; ++i) clocks[2 * i] = 0, clocks[2 * i + 1] = 4096;
  };
}

}  // namespace

std::optional<CudaModule> ParseModule(std::string_view text) {
  std::istringstream lines{std::string(text)};
  std::string line;
  if (!std::getline(lines, line) || line != "fake cubin") return std::nullopt;
  CudaModule module;
  while (std::getline(lines, line)) {
    std::istringstream words(line);
    std::string kernel, name, word;
    CudaFunction function;
    if (!(words >> kernel >> name >> function.what) || kernel != "kernel") return std::nullopt;
    if (!IsOneOf({"axpy", "copy", "add", "fill", "part", "finish", "check", "guard", "hash",
                  "clock", "deadline", "spans", "nothing"},
                 function.what)) {
      return std::nullopt;
    }
    while (words >> word) {
      const std::size_t equals = word.find('=');
      if (equals == word.npos) return std::nullopt;
      if (!Set(function, word.substr(0, equals), word.substr(equals + 1))) return std::nullopt;
    }
    module.functions.emplace(name, function);
  }
  return module;
}

Work Launch(CudaFunction& function, std::uint64_t blocks, void** arguments, bool is_early) {
  Work work;
  work.start = [&function, blocks, is_early] {
    const std::uint64_t number = function.started++;
    function.is_faulty = !function.fault.empty() && number >= function.after &&
                         (function.every == 0 || number % function.every == 0);
    const std::uint64_t ns =
        function.ns + blocks * function.block_ns - (is_early ? function.early_ns : 0);
    if (function.Has("hang")) return kForever;
    return function.Has("late") ? ns + ns / 2 : ns;
  };
  if (function.what == "axpy") work.finish = Axpy(function, blocks, arguments);
  if (function.what == "copy") work.finish = Copy(function, arguments);
  if (function.what == "add") work.finish = Add(function, arguments);
  if (function.what == "fill") work.finish = Fill(function, arguments);
  if (function.what == "part") work.finish = Part(function, arguments);
  if (function.what == "finish") work.finish = Finish(function, arguments);
  if (function.what == "check") work.finish = Check(function.type, arguments);
  if (function.what == "guard") work.finish = Guard(arguments);
  if (function.what == "hash") work.finish = Hash(arguments);
  if (function.what == "deadline") work.finish = Deadline(arguments);
  if (function.what == "spans") work.finish = Spans(function.n, arguments);
  if (function.what == "nothing") work.finish = [] {};
  if (function.what == "clock") {
    function.ns = Argument<std::uint64_t>(arguments, 0);
    work.finish = Ticks(arguments);
  }
  if (function.map_at > 0 &&
      !IsMapOf(Argument<CUdeviceptr>(arguments, 0), arguments[function.map_at])) {
    work.finish = [] {};
  }
  return work;
}

}  // namespace exh::kernels::cuda::fake
