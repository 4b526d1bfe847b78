// SPDX-License-Identifier: MIT
#include "kernels/devices/cpu/cpu_library.h"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/devices/cpu/standalone_cpu.h"
#include "kernels/devices/standalone/text.h"
#include "kernels/ir/target/lanes.h"

namespace exh::kernels {
namespace {

/// What -march=native may use that another processor lacks. The file of a unit says which of them
/// it was compiled for, and the dispatcher, which is compiled for all, what is there.
constexpr const char* kFeatures[][2] = {
    {"__SSE4_2__", "sse4.2"},     {"__AVX__", "avx"},           {"__AVX2__", "avx2"},
    {"__FMA__", "fma"},           {"__FMA4__", "fma4"},         {"__XOP__", "xop"},
    {"__BMI2__", "bmi2"},         {"__AVX512F__", "avx512f"},   {"__AVX512BW__", "avx512bw"},
    {"__AVX512CD__", "avx512cd"}, {"__AVX512DQ__", "avx512dq"}, {"__AVX512VL__", "avx512vl"},
};

std::string NeedsText(const std::string& symbol) {
  std::string text =
      "// What the processor must have that runs this, as the dispatcher numbers it.\n"
      "extern \"C\" unsigned " +
      symbol + "_needs() {\n  unsigned needs = 0;\n";
  for (std::size_t i = 0; i < std::size(kFeatures); ++i) {
    text += fmt::format("#ifdef {}\n  needs |= 1u << {};\n#endif\n", kFeatures[i][0], i);
  }
  return text + "  return needs;\n}\n";
}

std::string MachineText() {
  std::string has;
  for (std::size_t i = 0; i < std::size(kFeatures); ++i) {
    has +=
        fmt::format("  if (__builtin_cpu_supports(\"{}\")) has |= 1u << {};\n", kFeatures[i][1], i);
  }
  return R"(using Run = void(void* const* arrays, const double* scalars, int threads);

struct Machine {
  int device, architecture;  // Numbers in kDevices and kArchitectures; -1: no unit is for it.
  unsigned has;              // What units may need.
  int threads;               // Cores that this process may use.
};

Machine Look() {
  int floats = 4;
  unsigned has = 0;
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx")) floats = 8;
  if (__builtin_cpu_supports("avx512f")) floats = 16;
)" + has +
         R"(#endif
  cpu_set_t set;
  CPU_ZERO(&set);
  const int threads = sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
  const std::string vectors = "vectors of " + std::to_string(floats) + " floats";
  return {NumberOf(kDevices, vectors + ", " + std::to_string(threads) +
                                 (threads == 1 ? " thread" : " threads")),
          NumberOf(kArchitectures, vectors), has, threads};
}

Machine Here() {
  static const Machine here = Look();
  return here;
}
)";
}

constexpr const char* kStart = R"(
int Start(const Entry& entry, const Call& call) {
  const Machine here = Here();
  if ((entry.needs() & ~here.has) != 0) return EXH_OTHER_MACHINE;
  // Any number of threads is right; more than there are cores would wait for each other.
  const int threads = std::min(entry.threads, here.threads);
  if (entry.lock == nullptr) {
    entry.run(call.arrays, call.scalars, threads);
  } else {
    const std::lock_guard<std::mutex> lock(*entry.lock);
    entry.run(call.arrays, call.scalars, threads);
  }
  return EXH_OK;
}
)";

}  // namespace

const package::LibraryKind& CpuLibraryKind() {
  static const std::string machine = MachineText();
  static const package::LibraryKind kind = [] {
    package::LibraryKind made;
    made.suffix = ".cc";
    made.has_needs = true;
    made.machine = machine;
    made.start = kStart;
    made.source_includes = "#include <sched.h>\n\n";
    made.declaration =
        "void $SYMBOL$(void* const* arrays, const double* scalars, int threads);\n"
        "unsigned $SYMBOL$_needs();\n";
    made.cmake_languages = "CXX";
    made.cmake_begin = R"(if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  message(FATAL_ERROR "the kernels were measured as g++ compiles them, and this is "
                      "${CMAKE_CXX_COMPILER_ID}: cmake -DCMAKE_CXX_COMPILER=g++ …")
endif()
)";
    made.cmake_units = R"(target_sources(tuned PRIVATE
$FILES$)
set_source_files_properties(
$FILES$
  PROPERTIES COMPILE_OPTIONS "$FLAGS$")
)";
    made.cmake_end = "target_link_options(tuned PRIVATE -fopenmp)\n";
    made.python_device = "cpu";
    made.solution_language = "cpp";
    made.dlpack_device = "kDLCPU";
    return made;
  }();
  return kind;
}

package::Unit CpuUnit(const Task& task, const Source& source, const std::string& name) {
  package::Unit unit = package::UnitOf(task, name);
  const ir::Device& device = task.function->device;
  unit.architecture = fmt::format("vectors of {} floats", ir::WidestVector(device));
  unit.device = fmt::format("{}, {} thread{}", unit.architecture, device.threads,
                            device.threads == 1 ? "" : "s");
  unit.threads = device.threads;
  // A divided reduction leaves its parts in an array that all runs share.
  unit.one_at_a_time = !source.across.empty();
  unit.flags = CpuKernelFlags();
  const std::string text(standalone::WithoutHeader(source.text));
  package::NameUnit(text, unit);
  unit.text = "#define exh_run " + unit.symbol + "\n\n" + text + "\n#undef exh_run\n\n" +
              NeedsText(unit.symbol);
  return unit;
}

}  // namespace exh::kernels
