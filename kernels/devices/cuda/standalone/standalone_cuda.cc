// SPDX-License-Identifier: MIT
#include "kernels/devices/cuda/standalone/standalone_cuda.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <string_view>

#include "kernels/devices/cuda/standalone/standalone_parts.h"
#include "kernels/library/call_kernel.h"

namespace exh::kernels {
namespace standalone {
namespace {

constexpr std::size_t kColumns = 100;

std::string Identifier(const std::string& name, std::set<std::string>& taken) {
  std::string text;
  for (const char c : name) text += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  if (text.empty() || std::isdigit(static_cast<unsigned char>(text[0])) != 0) text = "_" + text;
  while (!taken.insert(text).second) text += "_";
  return text;
}

std::string Replaced(std::string text, const std::string& what, const std::string& by) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size()) {
    text.replace(at, what.size(), by);
  }
  return text;
}

/// Every line as a comment. A backslash at the end would make the next line part of it.
std::string Comment(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    out += line.empty() ? "//" : "// ";
    out += line;
    out += line.ends_with('\\') ? " .\n" : "\n";
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

/// The kernel alone. Above it, `source` lists every decision, which is some thousands of lines; the
/// program says by itself which decisions were taken.
std::string_view WithoutHeader(std::string_view source) {
  while (source.starts_with("//") || source.starts_with("\n")) {
    source.remove_prefix(std::min(source.find('\n'), source.size() - 1) + 1);
  }
  return source;
}

}  // namespace

Names::Names(const ir::Function& function) {
  std::set<std::string> none;
  kernel = Identifier(function.name, none);
  // Those of the launcher, and of the function that knows the result.
  std::set<std::string> taken = {
      "stream", "workspace",    "workspace_bytes", "pointers",  "pointer", "device", "major",
      "minor",  "shared_bytes", "status",          "arguments", "i",       "early",  "next"};
  for (const ir::Array& array : function.arrays) arrays.push_back(Identifier(array.name, taken));
  for (const ir::Scalar& scalar : function.scalars) {
    scalars.push_back(Identifier(scalar.name, taken));
  }
}

std::string Fill(std::string text, const std::map<std::string, std::string>& values) {
  for (const auto& [name, value] : values)
    text = Replaced(std::move(text), "$" + name + "$", value);
  return text;
}

std::string Listed(const std::string& before, const std::vector<std::string>& items,
                   const std::string& after) {
  const std::string indent(before.find_first_not_of(' ') + 4, ' ');
  std::string text, line = before;
  for (std::size_t i = 0; i < items.size(); ++i) {
    const bool is_last = i + 1 == items.size();
    const std::string item = items[i] + (is_last ? after : ",");
    const bool fits = line.size() + item.size() + (i > 0 ? 1 : 0) <= kColumns;
    if (!fits) text += line + "\n";
    line = (!fits ? indent : i > 0 ? line + " " : line) + item;
  }
  return text + line;
}

std::string KernelName(const Names& names, const SideLaunch& launch) {
  return names.kernel + launch.kernel.substr(std::string_view("exh").size());
}

std::string Heading(const std::string& title) {
  std::string line = "// ---- " + title + " ";
  line.append(kColumns - std::min(kColumns, line.size()), '-');
  return line + "\n";
}

}  // namespace standalone

std::string NoSelfTest(const Task& task) {
  const auto& arrays = task.function->arrays;
  if (std::count_if(arrays.begin(), arrays.end(), standalone::IsOutput) != 1)
    return "the kernel has not just one output";
  if (CallKernel(*task.kernel, "ReferenceElement", &Kernel::ReferenceElement, task.sizes).empty()) {
    return "the kernel has no text of its reference (Kernel::ReferenceElement)";
  }
  return "";
}

std::string StandaloneCuda(const Task& task, const Source& source, const std::string& about) {
  const standalone::Names names(*task.function);
  const std::string why_not = NoSelfTest(task);
  std::string usage;
  if (why_not.empty()) {
    usage = R"(
  nvcc -O3 $ARCH$$KERNEL$.cu -o $KERNEL$ && ./$KERNEL$
      checks the kernel and times it
  nvcc -O3 $ARCH$-DEXHAUST_NO_MAIN -c $KERNEL$.cu
      $KERNEL$_launch() alone, for another program
)";
  } else {
    usage = R"(
  nvcc -O3 $ARCH$-c $KERNEL$.cu
      $KERNEL$_launch(), for a program

It does not check itself: )" +
            why_not + ".\n";
  }
  std::string text = R"(
#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <utility>

)";
  text += standalone::Heading("The kernel") + R"(//
// As it was printed and measured. Printed kernels all have the same names; with names of its own it
// can stand beside others in one program.
$DEFINED$#ifdef __NVCC__
#pragma nv_diag_suppress 177  // It may declare an index that it does not need.
#endif

$SOURCE$
#ifdef __NVCC__
#pragma nv_diag_default 177
#endif
$UNDEFINED$
)";
  text += standalone::Launcher(task, source, names);
  if (why_not.empty()) text += standalone::SelfTest(task, source, names);
  std::string defined, undefined;
  for (const SideLaunch& launch : InOrder(source.gpu->launch)) {
    defined += "#define " + launch.kernel + " " + standalone::KernelName(names, launch) + "\n";
    undefined += "#undef " + launch.kernel + "\n";
  }
  const std::string& architecture = task.function->device.architecture;
  const std::map<std::string, std::string> values = {
      {"KERNEL", names.kernel},
      {"DEFINED", defined},
      {"UNDEFINED", undefined},
      {"ARCH", architecture.empty() ? "" : "-arch=" + architecture + " "}};
  // The source comes last: nothing in it is ours to replace.
  return standalone::Comment(about + standalone::Fill(usage, values)) +
         standalone::Fill(standalone::Fill(text, values),
                          {{"SOURCE", std::string(standalone::WithoutHeader(source.text))}});
}

}  // namespace exh::kernels
