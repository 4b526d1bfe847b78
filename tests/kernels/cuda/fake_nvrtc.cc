// SPDX-License-Identifier: MIT
//
// A run-time compiler for the fake driver. A text with exh_check becomes the device programs, one
// with names that begin with probe_ the probes of a GPU, one with exh_kernel a candidate z = alpha
// x + y of EXH_FAKE_N elements, and any other is refused. Kernels beside it (exh_fill, exh_finish)
// do nothing and spill. With EXH_FAKE_PLAIN=1 a candidate is z = x + y, without an alpha.
//
// A text with exh_known is one with a known answer: exh_expect fills its output with 0, and
// exh_known likewise, but where the text contains EXH_FAKE_KNOWN and none of the options is
// EXH_FAKE_REMEDY: then it does nothing.
//
// A text with lines that begin with `// fake kernel` is a user's: these lines are its machine code,
// with the values of its defines in the place of `{NAME}`. `// fake-if NAME=VALUE …` adds words, or
// a fault, to the line before where the define has this value. Where no `extern "C"` stands in it,
// the names of kernels are those of C++.
//
// EXH_FAKE_FAULTS is a list of faults, with `;` between them. A candidate gets one of them: number
// h modulo their count, where h is the hash of its text without comments, as the log of a search
// has it (`code`). A fault is what else stands in the line of its kernel (fake_kernels.h), or
//
//   nvrtc=error     the text is refused
//   nvrtc=spills    its registers do not suffice
//   nvrtc=stack     its arrays do not fit registers
//   nvrtc=crash     the compiler aborts the process
//   nvrtc=hang      the compiler does not come back
//   nvrtc=killed    somebody kills the process
//   nvrtc=chatter   the compiler prints a line to the standard output
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/devices/cuda/driver/nvrtc.h"
#include "tests/kernels/cuda/programs_text.h"

namespace exh::kernels::cuda {
struct NvrtcProgram {
  std::string source, cubin, log;
};
}  // namespace exh::kernels::cuda

namespace {

using exh::kernels::cuda::nvrtcProgram;
using exh::kernels::cuda::nvrtcResult;

// As in nvrtc.h.
constexpr nvrtcResult kSuccess = 0, kInvalidOption = 5, kCompilation = 6;

constexpr int kFastestUs = 5, kSlowestUs = 60;

std::string Variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

/// FNV-1a, 64 bits, of all lines but those that are empty or comments.
std::uint64_t HashWithoutComments(const std::string& source) {
  std::uint64_t hash = 0xCBF29CE484222325;
  std::istringstream lines(source);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t first = line.find_first_not_of(" \t\r");
    if (first == line.npos || line.compare(first, 2, "//") == 0) continue;
    for (const char c : line + '\n') {
      hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3;
    }
  }
  return hash;
}

/// The fault of a text with this hash.
std::string FaultOf(std::uint64_t hash) {
  std::vector<std::string> faults;
  std::istringstream list(Variable("EXH_FAKE_FAULTS"));
  for (std::string fault; std::getline(list, fault, ';');) faults.push_back(fault);
  return faults.empty() ? "" : faults[hash % faults.size()];
}

/// The kernels of a candidate beside exh_kernel. Each name stands at the beginning of a line.
std::vector<std::string> SidesOf(const std::string& source) {
  std::vector<std::string> sides;
  for (const std::string_view prefix : {"\nexh_fill", "\nexh_finish"}) {
    for (std::size_t at = 0; (at = source.find(prefix, at)) != source.npos; at += prefix.size()) {
      sides.push_back(source.substr(at + 1, source.find('(', at) - at - 1));
    }
  }
  return sides;
}

/// What an assembler says of a kernel.
std::string Verbose(const std::string& kernel, int registers, int stack, int spills) {
  std::ostringstream log;
  log << "ptxas info    : Compiling entry function '" << kernel << "' for 'sm_90'\n"
      << "ptxas info    : Function properties for " << kernel << "\n"
      << "ptxas         .     " << stack << " bytes stack frame, " << spills
      << " bytes spill stores, " << spills << " bytes spill loads\n"
      << "ptxas info    : Used " << registers << " registers, used 1 barriers\n";
  return log.str();
}

nvrtcResult Refuse(nvrtcProgram program, const std::string& log) {
  program->log = log;
  return kCompilation;
}

nvrtcResult CompileCandidate(nvrtcProgram program) {
  const std::uint64_t hash = HashWithoutComments(program->source);
  std::string fault = FaultOf(hash);
  if (fault == "nvrtc=crash") std::abort();
  while (fault == "nvrtc=hang") ::pause();
  if (fault == "nvrtc=killed") ::kill(::getpid(), SIGKILL);
  if (fault == "nvrtc=error") return Refuse(program, "kernel.cu(1): error: it is a fault\n");
  if (fault == "nvrtc=chatter") {
    std::puts("nvrtc: what a nice text");
    std::fflush(stdout);
  }
  const bool spills = fault == "nvrtc=spills", has_stack = spills || fault == "nvrtc=stack";
  const std::vector<std::string> sides = SidesOf(program->source);
  for (const std::string& side : sides) program->log += Verbose(side, 64, 16, 8);
  program->log += Verbose("exh_kernel", 32, has_stack ? 40 : 0, spills ? 24 : 0);
  if (fault.starts_with("nvrtc=")) fault.clear();
  std::ostringstream text;
  text << "fake cubin\nkernel exh_kernel axpy n=" << Variable("EXH_FAKE_N")
       << " plain=" << Variable("EXH_FAKE_PLAIN")
       << " us=" << kFastestUs + hash / 1000 % (kSlowestUs - kFastestUs) << " " << fault << "\n";
  for (const std::string& side : sides) text << "kernel " << side << " nothing us=1\n";
  program->cubin = text.str();
  return kSuccess;
}

/// The defines of a text.
std::map<std::string, std::string> DefinesOf(const std::string& source) {
  std::map<std::string, std::string> defines;
  std::istringstream lines(source);
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string word, name, value;
    if (words >> word >> name && word == "#define" && std::getline(words >> std::ws, value)) {
      defines[name] = value;
    }
  }
  return defines;
}

constexpr std::string_view kOwn = "// fake kernel ", kOwnIf = "// fake-if ";

nvrtcResult CompileOwn(nvrtcProgram program) {
  const std::map<std::string, std::string> defines = DefinesOf(program->source);
  const bool is_plain = program->source.find("extern \"C\"") != std::string::npos;
  std::vector<std::string> kernels;
  std::string fault;
  std::istringstream lines(program->source);
  for (std::string line; std::getline(lines, line);) {
    for (const auto& [name, value] : defines) {
      const std::string place = "{" + name + "}";
      for (std::size_t at = 0; (at = line.find(place)) != line.npos;) {
        line.replace(at, place.size(), value);
      }
    }
    if (line.starts_with(kOwn)) {
      kernels.push_back("kernel " + std::string(is_plain ? "" : "_Z") + line.substr(kOwn.size()));
    } else if (line.starts_with(kOwnIf) && !kernels.empty()) {
      std::istringstream words(line.substr(kOwnIf.size()));
      std::string condition, rest;
      words >> condition;
      std::getline(words >> std::ws, rest);
      const std::size_t equals = condition.find('=');
      const auto found = defines.find(condition.substr(0, equals));
      if (found == defines.end() || found->second != condition.substr(equals + 1)) continue;
      if (rest.starts_with("nvrtc=")) {
        fault = rest;
      } else {
        kernels.back() += " " + rest;
      }
    }
  }
  if (fault == "nvrtc=crash") std::abort();
  while (fault == "nvrtc=hang") ::pause();
  if (fault == "nvrtc=error") return Refuse(program, "kernel.cu(1): error: it is a fault\n");
  const bool spills = fault == "nvrtc=spills";
  program->log += Verbose("own", 40, spills ? 40 : 0, spills ? 24 : 0);
  program->cubin = "fake cubin\n";
  for (const std::string& kernel : kernels) program->cubin += kernel + "\n";
  return kSuccess;
}

/// Every name that begins with probe_ is a kernel. Streams and the like take 100 us.
std::string Probes(const std::string& source) {
  std::set<std::string> names;
  constexpr std::string_view kPrefix = "probe_";
  for (std::size_t at = 0; (at = source.find(kPrefix, at)) != source.npos; at += kPrefix.size()) {
    const std::size_t end = source.find_first_not_of("abcdefghijklmnopqrstuvwxyz_0123456789", at);
    names.insert(source.substr(at, end - at));
  }
  std::string text = "fake cubin\n";
  for (const std::string& name : names) {
    const bool is_silent = name == "probe_link" || name == "probe_nothing" ||
                           name == "probe_read" || name == "probe_write" || name == "probe_copy" ||
                           name == "probe_add";
    // There are many of them.
    const bool is_short = name.starts_with("probe_gap") || name.starts_with("probe_sweep");
    const char* const takes = is_short    ? " nothing us=1\n"
                              : is_silent ? " nothing us=100\n"
                                          : " spans n=8192 us=20\n";
    text += "kernel " + name + takes;
  }
  return text;
}

std::string Known(const std::string& source, int count, const char* const* options) {
  const std::string wrong = Variable("EXH_FAKE_KNOWN"), remedy = Variable("EXH_FAKE_REMEDY");
  const bool is_mended =
      std::any_of(options, options + count, [&](const char* option) { return option == remedy; });
  const bool is_wrong = !wrong.empty() && source.find(wrong) != source.npos && !is_mended;
  return std::string("fake cubin\nkernel exh_expect fill n=256 us=1\nkernel exh_known ") +
         (is_wrong ? "nothing us=1\n" : "fill n=256 us=1\n");
}

}  // namespace

extern "C" {

nvrtcResult nvrtcVersion(int* major, int* minor) {
  *major = 13;
  *minor = 0;
  return kSuccess;
}

nvrtcResult nvrtcCreateProgram(nvrtcProgram* program, const char* source, const char*, int,
                               const char* const*, const char* const*) {
  *program = new exh::kernels::cuda::NvrtcProgram{source, "", ""};
  return kSuccess;
}

nvrtcResult nvrtcCompileProgram(nvrtcProgram program, int count, const char* const* options) {
  constexpr std::string_view kOption = "--gpu-architecture=";
  constexpr std::array<std::string_view, 4> kKnown = {"sm_75", "sm_80", "sm_89", "sm_90"};
  const std::string_view first = count == 0 ? "" : options[0];
  if (!first.starts_with(kOption) ||
      std::ranges::find(kKnown, first.substr(kOption.size())) == kKnown.end()) {
    program->log = "nvrtc: error: invalid value for --gpu-architecture\n";
    return kInvalidOption;
  }
  if (program->source.find("exh_check") != std::string::npos) {
    program->cubin = exh::kernels::cuda::testing::ProgramsText();
    return kSuccess;
  }
  if (program->source.find(kOwn) != std::string::npos) return CompileOwn(program);
  if (program->source.find("probe_") != std::string::npos) {
    program->cubin = Probes(program->source);
    return kSuccess;
  }
  if (program->source.find("exh_known") != std::string::npos) {
    program->cubin = Known(program->source, count, options);
    return kSuccess;
  }
  if (program->source.find("exh_kernel") != std::string::npos) return CompileCandidate(program);
  return Refuse(program, "kernel.cu(1): error: there is no kernel\n");
}

nvrtcResult nvrtcGetCUBINSize(nvrtcProgram program, std::size_t* size) {
  *size = program->cubin.size();
  return kSuccess;
}

nvrtcResult nvrtcGetCUBIN(nvrtcProgram program, char* cubin) {
  std::memcpy(cubin, program->cubin.data(), program->cubin.size());
  return kSuccess;
}

nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram program, std::size_t* size) {
  *size = program->log.size() + 1;
  return kSuccess;
}

nvrtcResult nvrtcGetProgramLog(nvrtcProgram program, char* log) {
  std::memcpy(log, program->log.c_str(), program->log.size() + 1);
  return kSuccess;
}

nvrtcResult nvrtcDestroyProgram(nvrtcProgram* program) {
  delete *program;
  *program = nullptr;
  return kSuccess;
}

}  // extern "C"
