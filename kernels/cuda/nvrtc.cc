// SPDX-License-Identifier: MIT
#include "kernels/cuda/nvrtc.h"

#include <fmt/format.h>

#include <regex>

#include "kernels/cuda/library.h"

namespace exh::kernels::cuda {
namespace {

constexpr nvrtcResult kSuccess = 0;
constexpr int kOldestMajor = 12;

/// The first symbol that the library lacks; null when the table is full.
const char* Fill(const Library& library, NvrtcFunctions* functions) {
#define EXH_NVRTC_FUNCTION(name, ...)                                                    \
  functions->name = reinterpret_cast<nvrtcResult (*)(__VA_ARGS__)>(library.Find(#name)); \
  if (functions->name == nullptr) return #name;
#include "kernels/cuda/nvrtc_functions.inc"
#undef EXH_NVRTC_FUNCTION
  return nullptr;
}

/// The number in the first match; 0 without one.
int NumberIn(const std::string& text, const char* pattern) {
  std::smatch match;
  return std::regex_search(text, match, std::regex(pattern)) ? std::stoi(match[1]) : 0;
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
  nvrtc.description_ = fmt::format("{}: version {}.{}", library.name(), major, minor);
  if (major < kOldestMajor) return {std::nullopt, fmt::format("{}; {}", nvrtc.description_, help)};
  return {nvrtc, ""};
}

Cubin Nvrtc::Compile(const std::string& source, const std::string& architecture,
                     std::span<const std::string> options) const {
  std::vector<std::string> all = {"--gpu-architecture=" + architecture, "--ptxas-options=-v"};
  all.insert(all.end(), options.begin(), options.end());
  std::vector<const char*> arguments;
  for (const std::string& option : all) arguments.push_back(option.c_str());

  Cubin cubin;
  nvrtcProgram program = nullptr;
  if (functions_.nvrtcCreateProgram(&program, source.c_str(), "kernel.cu", 0, nullptr, nullptr) !=
      kSuccess) {
    cubin.log = "the compiler does not start";
    return cubin;
  }
  const bool compiled = functions_.nvrtcCompileProgram(program, static_cast<int>(arguments.size()),
                                                       arguments.data()) == kSuccess;
  std::size_t size = 0;
  if (functions_.nvrtcGetProgramLogSize(program, &size) == kSuccess && size > 1) {
    cubin.log.resize(size);
    if (functions_.nvrtcGetProgramLog(program, cubin.log.data()) != kSuccess) cubin.log.clear();
    cubin.log.erase(cubin.log.find_last_not_of(std::string("\0\n", 2)) + 1);
  }
  if (compiled && functions_.nvrtcGetCUBINSize(program, &size) == kSuccess && size > 0) {
    cubin.bytes.resize(size);
    if (functions_.nvrtcGetCUBIN(program, cubin.bytes.data()) != kSuccess) cubin.bytes.clear();
    cubin.resources = ReadResources(cubin.log);
  }
  functions_.nvrtcDestroyProgram(&program);
  return cubin;
}

KernelResources ReadResources(const std::string& log) {
  return {NumberIn(log, "Used (\\d+) registers"), NumberIn(log, "(\\d+) bytes spill stores"),
          NumberIn(log, "(\\d+) bytes smem")};
}

}  // namespace exh::kernels::cuda
