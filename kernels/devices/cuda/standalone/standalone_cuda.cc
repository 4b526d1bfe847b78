// SPDX-License-Identifier: MIT
#include "kernels/devices/cuda/standalone/standalone_cuda.h"

#include <algorithm>
#include <string_view>

#include "kernels/devices/cuda/standalone/standalone_parts.h"
#include "kernels/devices/standalone/header.h"
#include "kernels/ir/text/architecture.h"
#include "kernels/library/call_kernel.h"

namespace exh::kernels {
namespace standalone {

std::string KernelName(const Names& names, const SideLaunch& launch) {
  return names.kernel + launch.kernel.substr(std::string_view("exh").size());
}

std::string PlaceOfSource(const Launch& launch, const Names& names) {
  std::string defined, undefined;
  for (const SideLaunch& side : InOrder(launch)) {
    defined += "#define " + side.kernel + " " + KernelName(names, side) + "\n";
    undefined += "#undef " + side.kernel + "\n";
  }
  return defined + R"(#ifdef __NVCC__
#pragma nv_diag_suppress 177  // It may declare an index that it does not need.
#endif

$SOURCE$
#ifdef __NVCC__
#pragma nv_diag_default 177
#endif
)" + undefined +
         "\n";
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
  std::string text = "\n" + standalone::Includes(source.gpu->launch);
  text += standalone::Heading("The kernel") + R"(//
// As it was printed and measured. Printed kernels all have the same names; with names of its own it
// can stand beside others in one program.
)";
  text += standalone::PlaceOfSource(source.gpu->launch, names);
  text += standalone::Launcher(task, source, names);
  if (why_not.empty()) text += standalone::SelfTest(task, source, names);
  const std::string& of_device = task.function->device.architecture;
  const std::string architecture = ir::ArchitectureFor(source.text, of_device);
  // The short form would be compiled for what every later GPU has, too.
  const std::string number = architecture.substr(std::min<std::size_t>(3, architecture.size()));
  const std::string option = architecture == of_device
                                 ? "-arch=" + architecture
                                 : "-gencode=arch=compute_" + number + ",code=" + architecture;
  const std::map<std::string, std::string> values = {
      {"KERNEL", names.kernel}, {"ARCH", architecture.empty() ? "" : option + " "}};
  // The source comes last: nothing in it is ours to replace.
  return standalone::Comment(about + standalone::Fill(usage, values)) +
         standalone::Fill(standalone::Fill(text, values),
                          {{"SOURCE", std::string(standalone::WithoutHeader(source.text))}});
}

std::string StandaloneCudaHeader(const Task& task, const Source& source, const std::string& about) {
  const standalone::Names names(*task.function);
  const Launch& launch = source.gpu->launch;
  std::vector<std::string> parameters = standalone::LauncherParameters(task, launch, names);
  for (std::string& parameter : parameters) {
    if (parameter.starts_with("std::")) parameter.erase(0, std::string_view("std::").size());
  }
  return standalone::Header(
      task, names, about, {"cuda_runtime_api.h", "stddef.h"},
      standalone::Contract(task, launch, names).substr(std::string_view("//\n").size()) +
          standalone::Listed("cudaError_t " + names.kernel + "_launch(", parameters, ");") +
          "\n\n// Bytes of device memory that a run needs for itself.\nsize_t " + names.kernel +
          "_workspace_bytes(void);\n");
}

}  // namespace exh::kernels
