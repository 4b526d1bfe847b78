// SPDX-License-Identifier: MIT
#include "kernels/devices/cuda/driver/nvrtc.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>

#include "kernels/devices/cuda/driver/library.h"
#include "kernels/ir/text/architecture.h"

namespace exh::kernels::cuda {
namespace {

constexpr nvrtcResult kSuccess = 0;
constexpr nvrtcResult kInvalidOption = 5;
// The failures that are the text's own.
constexpr nvrtcResult kCompilation = 6;
constexpr nvrtcResult kInternalError = 11;
constexpr int kOldestMajor = 12;
constexpr std::pair<int, int> kFirstWithCache = {12, 9}, kFirstQuick = {13, 0};

/// The first symbol that the library lacks; null when the table is full.
const char* Fill(const Library& library, NvrtcFunctions* functions) {
#define EXH_NVRTC_FUNCTION(name, ...)                                                    \
  functions->name = reinterpret_cast<nvrtcResult (*)(__VA_ARGS__)>(library.Find(#name)); \
  if (functions->name == nullptr) return #name;
#include "kernels/devices/cuda/driver/nvrtc_functions.inc"
#undef EXH_NVRTC_FUNCTION
  return nullptr;
}

/// The numbers that stand before each `unit` in the text.
std::vector<int> NumbersBefore(std::string_view text, std::string_view unit) {
  std::vector<int> numbers;
  for (std::size_t at = 0; (at = text.find(unit, at)) != text.npos; at += unit.size()) {
    std::size_t begin = at;
    while (begin > 0 && std::isdigit(static_cast<unsigned char>(text[begin - 1])) != 0) --begin;
    int number = 0;
    std::from_chars(text.data() + begin, text.data() + at, number);
    numbers.push_back(number);
  }
  return numbers;
}

int FirstBefore(std::string_view text, std::string_view unit) {
  const std::vector<int> numbers = NumbersBefore(text, unit);
  return numbers.empty() ? 0 : numbers.front();
}

/// What the log says between the line that begins with this kernel and the next kernel's.
std::string_view SectionOf(std::string_view log, std::string_view entry) {
  constexpr std::string_view kBegin = "Compiling entry function '";
  std::size_t begin = log.find(fmt::format("{}{}'", kBegin, entry));
  if (begin == log.npos) begin = log.find(kBegin);
  if (begin == log.npos) return log;
  return log.substr(begin, log.find(kBegin, begin + kBegin.size()) - begin);
}

/// Why a compilation failed that the text is not to blame for.
std::string Trouble(nvrtcResult result, const std::string& log) {
  if (!log.empty()) return log.substr(0, log.find('\n'));
  return result == kInvalidOption ? "the compiler does not know an option"
                                  : fmt::format("the compiler failed with code {}", result);
}

}  // namespace

std::vector<std::string> Nvrtc::LibraryNames() {
  return {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so", "/usr/local/cuda/lib64/libnvrtc.so"};
}

NvrtcOrProblem Nvrtc::Load(std::span<const std::string> names) {
  const std::string help = "install the CUDA toolkit, version 12 or later";
  const Library library = Library::Open(names);
  if (!library.is_open()) return {std::nullopt, "libnvrtc.so is not there: " + help};
  Nvrtc nvrtc;
  if (const char* missing = Fill(library, &nvrtc.functions_)) {
    return {std::nullopt, fmt::format("{} has no '{}': {}", library.name(), missing, help)};
  }
  int major = 0, minor = 0;
  if (nvrtc.functions_.nvrtcVersion(&major, &minor) != kSuccess) {
    return {std::nullopt, fmt::format("{} does not tell its version: {}", library.name(), help)};
  }
  nvrtc.has_cache_ = std::pair(major, minor) >= kFirstWithCache;
  nvrtc.can_be_quick_ = std::pair(major, minor) >= kFirstQuick;
  nvrtc.description_ = fmt::format("{}: version {}.{}", library.name(), major, minor);
  if (major < kOldestMajor) return {std::nullopt, fmt::format("{}; {}", nvrtc.description_, help)};
  return {nvrtc, ""};
}

Cubin Nvrtc::Compile(const std::string& source, const std::string& architecture,
                     std::span<const std::string> options, Optimization optimization) const {
  std::vector<std::string> all = {"--gpu-architecture=" + ir::ArchitectureFor(source, architecture),
                                  "--ptxas-options=-v"};
  // What its own cache knows comes without a word about registers, and the processes of a pool
  // wait for each other at it.
  if (has_cache_) all.push_back("--no-cache");
  const bool is_quick = can_be_quick_ && optimization == Optimization::kQuick;
  if (is_quick) all.push_back("--Ofast-compile=min");
  all.insert(all.end(), options.begin(), options.end());
  std::vector<const char*> arguments;
  for (const std::string& option : all) arguments.push_back(option.c_str());

  Cubin cubin;
  nvrtcProgram program = nullptr;
  if (functions_.nvrtcCreateProgram(&program, source.c_str(), "kernel.cu", 0, nullptr, nullptr) !=
      kSuccess) {
    cubin.log = cubin.trouble = "the compiler does not start";
    return cubin;
  }
  const nvrtcResult result =
      functions_.nvrtcCompileProgram(program, static_cast<int>(arguments.size()), arguments.data());
  std::size_t size = 0;
  if (functions_.nvrtcGetProgramLogSize(program, &size) == kSuccess && size > 1) {
    cubin.log.resize(size);
    if (functions_.nvrtcGetProgramLog(program, cubin.log.data()) != kSuccess) cubin.log.clear();
    cubin.log.erase(cubin.log.find_last_not_of(std::string("\0\n", 2)) + 1);
  }
  if (result == kSuccess && functions_.nvrtcGetCUBINSize(program, &size) == kSuccess && size > 0) {
    cubin.bytes.resize(size);
    if (functions_.nvrtcGetCUBIN(program, cubin.bytes.data()) != kSuccess) cubin.bytes.clear();
  }
  functions_.nvrtcDestroyProgram(&program);
  cubin.resources = ReadResources(cubin.log);
  if (!cubin.ok() && result != kCompilation && result != kInternalError) {
    cubin.trouble = Trouble(result, cubin.log);
  }
  return cubin;
}

KernelResources ReadResources(std::string_view log, std::string_view entry) {
  const std::string_view section = SectionOf(log, entry);
  KernelResources resources;
  resources.registers = FirstBefore(section, " registers");
  // A function that is not inlined has a line of its own, and its spills are the kernel's.
  for (const int bytes : NumbersBefore(section, " bytes spill stores")) {
    resources.spill_bytes += bytes;
  }
  resources.shared_bytes = FirstBefore(section, " bytes smem");
  resources.local_bytes = std::max(FirstBefore(section, " bytes stack frame"),
                                   FirstBefore(section, " bytes cumulative stack size"));
  return resources;
}

}  // namespace exh::kernels::cuda
