// SPDX-License-Identifier: MIT
#include "kernels/devices/cpu/standalone_cpu.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "kernels/cpu/compile.h"
#include "kernels/devices/standalone/header.h"
#include "kernels/devices/standalone/interface.h"
#include "kernels/devices/standalone/names.h"
#include "kernels/devices/standalone/text.h"
#include "kernels/ir/text/type_text.h"

namespace exh::kernels {
namespace {

using standalone::Names;

/// What <kernel>_run() returns.
constexpr const char* kStatuses = R"(enum {
  $UPPER$_OK = 0,
  $UPPER$_NULL_POINTER = 1,  // A pointer is null.
  $UPPER$_MISALIGNED = 2,    // A pointer is not aligned as said below.
  $UPPER$_BAD_THREADS = 3,   // Fewer than 1 thread.
  $UPPER$_OVERLAP = 4        // What is written overlaps another array.
};
)";

/// Do two arrays, of so many bytes each, overlap?
constexpr const char* kOverlap =
    R"(static bool $KERNEL$_overlap(const void* a, std::uint64_t a_bytes, const void* b,
                             std::uint64_t b_bytes) {
  const auto x = reinterpret_cast<std::uintptr_t>(a), y = reinterpret_cast<std::uintptr_t>(b);
  return x < y + b_bytes && y < x + a_bytes;
}

)";

std::string Contract(const Task& task, const Source& source, const Names& names) {
  std::string text =
      R"(// $KERNEL$_run() computes, and returns when all is written. It was searched for with $THREADS$.
)";
  // A divided reduction leaves its parts in an array that all runs share.
  text += source.across.empty() ? "// Several runs may go on at once.\n"
                                : "// One run at a time: its blocks share a workspace.\n";
  text += "// What is written overlaps nothing else:\n";
  for (const std::string& line : standalone::ArrayLines(task, names)) text += "//   " + line + "\n";
  return text;
}

std::string Signature(const Task& task, const Names& names, const std::string& after) {
  std::vector<std::string> parameters = standalone::ArrayParameters(*task.function, names);
  for (std::string& scalar : standalone::ScalarParameters(*task.function, names)) {
    parameters.push_back(std::move(scalar));
  }
  parameters.emplace_back("int threads");
  return standalone::Listed("int " + names.kernel + "_run(", parameters, ")" + after);
}

/// The values of all placeholders but those of sources.
std::map<std::string, std::string> Values(const Task& task, const Names& names) {
  const std::uint32_t threads = task.function->device.threads;
  return {{"KERNEL", names.kernel},
          {"UPPER", standalone::UpperCase(names.kernel)},
          {"THREADS", fmt::format("{} thread{}", threads, threads == 1 ? "" : "s")},
          {"FLAGS", fmt::format("{}", fmt::join(CpuKernelFlags(), " "))}};
}

/// Conditions that an array that is written overlaps another one.
std::vector<std::string> Overlaps(const ir::Function& function, const Names& names) {
  std::vector<std::string> conditions;
  const auto span = [&](const ir::Array& array) {
    return fmt::format("{}, {}", names.arrays[array.id.index()],
                       array.elements * ir::BytesOf(array.type));
  };
  for (const ir::Array& array : function.arrays) {
    for (const ir::Array& other : function.arrays) {
      // Of two outputs once.
      const bool is_seen = standalone::IsOutput(other) && other.id.index() <= array.id.index();
      if (!standalone::IsOutput(array) || is_seen) continue;
      conditions.push_back("$KERNEL$_overlap(" + span(array) + ", " + span(other) + ")");
    }
  }
  return conditions;
}

std::string Body(const Task& task, const Names& names) {
  const ir::Function& function = *task.function;
  std::vector<std::string> arrays, scalars;
  std::string text;
  for (std::size_t i = 0; i < function.arrays.size(); ++i) {
    const std::string& name = names.arrays[i];
    text += fmt::format("  if ({} == nullptr) return $UPPER$_NULL_POINTER;\n", name);
    if (function.arrays[i].alignment > 1) {
      text += fmt::format(
          "  if (reinterpret_cast<std::uintptr_t>({}) % {} != 0) return $UPPER$_MISALIGNED;\n",
          name, function.arrays[i].alignment);
    }
    arrays.push_back(
        standalone::IsOutput(function.arrays[i])
            ? name
            : fmt::format("const_cast<{}*>({})", ir::ElementName(function.arrays[i].type), name));
  }
  for (std::size_t i = 0; i < names.scalars.size(); ++i) {
    scalars.push_back(ir::ToCellText(names.scalars[i], function.scalars[i].type));
  }
  if (scalars.empty()) scalars.emplace_back("0");  // There is no array of nothing.
  for (const std::string& condition : Overlaps(function, names)) {
    text += "  if (" + condition + ") return $UPPER$_OVERLAP;\n";
  }
  return text + "  if (threads < 1) return $UPPER$_BAD_THREADS;\n" +
         standalone::Listed("  void* const arrays[] = {", arrays, "};") + "\n" +
         standalone::Listed("  const double scalars[] = {", scalars, "};") +
         "\n  $KERNEL$_kernel(arrays, scalars, threads);\n  return $UPPER$_OK;\n}\n";
}

}  // namespace

std::vector<std::string> CpuKernelFlags() {
  std::vector<std::string> flags = cpu::CompilerOptions().flags;
  std::erase_if(flags,
                [](const std::string& flag) { return flag == "-shared" || flag == "-fPIC"; });
  return flags;
}

std::string StandaloneCpu(const Task& task, const Source& source, const std::string& about) {
  const Names names(*task.function);
  const std::map<std::string, std::string> values = Values(task, names);
  const std::string usage = R"(
  g++ $FLAGS$ -c $KERNEL$.cc
      $KERNEL$_run(), for a program that is linked with -fopenmp
  g++ $FLAGS$ -shared -fPIC -o lib$KERNEL$.so $KERNEL$.cc
      the same as a shared object

-march=native makes code for the processor that compiles it.
)";
  const std::string begin = "\n#include <cstdint>\n\n" + standalone::Heading("The kernel") + R"(//
// As it was printed and measured. Printed kernels all have the same names; with a name of its own
// it can stand beside others in one program.
#define exh_run $KERNEL$_kernel

)";
  const std::string end = "\n#undef exh_run\n\n" + standalone::Heading("What a program calls") +
                          "\n" + kStatuses + "\n" + kOverlap + Contract(task, source, names) +
                          "extern \"C\" " + Signature(task, names, " {") + "\n" + Body(task, names);
  return standalone::Comment(about + standalone::Fill(usage, values)) +
         standalone::Fill(begin, values) + std::string(standalone::WithoutHeader(source.text)) +
         standalone::Fill(end, values);
}

std::string StandaloneCpuHeader(const Task& task, const Source& source, const std::string& about) {
  const Names names(*task.function);
  return standalone::Header(
      task, names, about, {},
      standalone::Fill(std::string(kStatuses) + "\n" + Contract(task, source, names) +
                           Signature(task, names, ";") + "\n",
                       Values(task, names)));
}

}  // namespace exh::kernels
