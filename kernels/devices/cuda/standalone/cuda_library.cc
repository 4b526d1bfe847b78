// SPDX-License-Identifier: MIT
#include "kernels/devices/cuda/standalone/cuda_library.h"

#include <fmt/format.h>

#include <string_view>

#include "kernels/devices/cuda/standalone/standalone_parts.h"
#include "kernels/ir/text/architecture.h"
#include "kernels/ir/text/type_text.h"

namespace exh::kernels {
namespace {

using standalone::Names;

constexpr std::string_view kMachine =
    R"(using Run = cudaError_t(void* const* arrays, const double* scalars, void* workspace,
                        std::size_t workspace_bytes, cudaStream_t stream);

struct Machine {
  int device, architecture;  // Numbers in kDevices and kArchitectures; -1: no unit is for it.
};

Machine Look(int device) {
  cudaDeviceProp found;
  if (cudaGetDeviceProperties(&found, device) != cudaSuccess) return {-1, -1};
  return {NumberOf(kDevices, found.name),
          NumberOf(kArchitectures,
                   "sm_" + std::to_string(found.major) + std::to_string(found.minor))};
}

// The current device of the thread. Each is looked at once, and the runtime is asked which it is
// only where there are several: its answer takes longer than all else here.
Machine Here() {
  constexpr int kMost = 64;
  static Machine machines[kMost];
  static std::once_flag looked[kMost];
  static const bool is_alone = [] {
    int count = 0;
    return cudaGetDeviceCount(&count) == cudaSuccess && count == 1;
  }();
  int device = 0;
  if (!is_alone && cudaGetDevice(&device) != cudaSuccess) return {-1, -1};
  if (device < 0 || device >= kMost) return {-1, -1};
  std::call_once(looked[device], [&] { machines[device] = Look(device); });
  return machines[device];
}

)";

constexpr std::string_view kStart = R"(
int StatusOf(cudaError_t error) {
  switch (error) {
    case cudaSuccess:
      return EXH_OK;
    case cudaErrorMisalignedAddress:
      return EXH_MISALIGNED;
    case cudaErrorNoKernelImageForDevice:
    case cudaErrorInvalidDeviceFunction:
      return EXH_OTHER_MACHINE;
    default:
      return EXH_DEVICE_ERROR;
  }
}

bool IsTooSmall(const Entry& entry, const void* workspace, std::size_t bytes) {
  return entry.workspace_bytes > 0 && (workspace == nullptr || bytes < entry.workspace_bytes);
}

int Start(const Entry& entry, const Call& call) {
  if (IsTooSmall(entry, call.workspace, call.workspace_bytes)) return EXH_WORKSPACE_TOO_SMALL;
  return StatusOf(entry.run(call.arrays, call.scalars, call.workspace, call.workspace_bytes,
                            static_cast<cudaStream_t>(call.stream)));
}

int Prepare(const Entry& entry, cudaStream_t stream, void* workspace, std::size_t bytes) {
  if (IsTooSmall(entry, workspace, bytes)) return EXH_WORKSPACE_TOO_SMALL;
  if (entry.zero_bytes == 0) return EXH_OK;
  return StatusOf(cudaMemsetAsync(workspace, 0, entry.zero_bytes, stream));
}
)";

/// Runs on one stream come one after the other, so one workspace is enough for each.
constexpr std::string_view kSolutionWorkspace = R"(
struct Workspace {
  void* memory = nullptr;
  std::size_t bytes = 0;
};

// Made once for each stream and sizes, and kept.
Workspace Workspace_$KERNEL$(cudaStream_t stream, int device, $SIZE_PARAMETERS$) {
  const std::size_t bytes = exh_$KERNEL$_workspace_bytes($SIZES$);
  if (bytes == 0) return {};
  using Key = std::pair<std::pair<int, cudaStream_t>, std::array<std::int64_t, $COUNT$>>;
  static std::map<Key, Workspace> known;
  static std::mutex lock;
  const std::lock_guard<std::mutex> alone(lock);
  Workspace& workspace = known[{{device, stream}, {$SIZES$}}];
  if (workspace.memory != nullptr) return workspace;
  if (cudaMalloc(&workspace.memory, bytes) != cudaSuccess) {
    TVM_FFI_THROW(RuntimeError) << "the device has no " << bytes << " bytes for a workspace";
  }
  workspace.bytes = bytes;
  const int status = exh_$KERNEL$_workspace_init(stream, $SIZES$, workspace.memory, bytes);
  if (status != EXH_OK) {
    cudaFree(workspace.memory);
    workspace = {};
    TVM_FFI_THROW(RuntimeError) << exh_status_text(status);
  }
  return workspace;
}
)";

constexpr std::string_view kEntry = R"(
// What the dispatcher calls.
extern "C" cudaError_t $SYMBOL$(void* const* arrays, const double* scalars, void* workspace,
                                std::size_t workspace_bytes, cudaStream_t stream) {
  static_cast<void>(scalars), static_cast<void>(workspace), static_cast<void>(workspace_bytes);
$CALL$
}
)";

std::string UnitText(const Task& task, const Source& source, const std::string& symbol) {
  const ir::Function& function = *task.function;
  Names names(function);
  names.kernel = symbol;
  std::vector<std::string> arguments;
  for (std::size_t i = 0; i < function.arrays.size(); ++i) {
    const ir::Array& array = function.arrays[i];
    arguments.push_back(fmt::format("static_cast<{}{}*>(arrays[{}])",
                                    standalone::IsOutput(array) ? "" : "const ",
                                    ir::ElementName(array.type), i));
  }
  for (std::size_t i = 0; i < function.scalars.size(); ++i) {
    const std::string cell = fmt::format("scalars[{}]", i);
    arguments.push_back(ir::FromCellText(cell, function.scalars[i].type));
  }
  if (source.gpu->launch.scratch_bytes() > 0) {
    arguments.insert(arguments.end(), {"workspace", "workspace_bytes"});
  }
  arguments.emplace_back("stream");
  const std::string text = standalone::Includes(source.gpu->launch) +
                           standalone::PlaceOfSource(source.gpu->launch, names);
  const std::string entry = standalone::Fill(
      std::string(kEntry),
      {{"SYMBOL", symbol},
       {"CALL", standalone::Listed("  return " + symbol + "_launch(", arguments, ");")}});
  const std::string launcher =
      standalone::Fill(standalone::Launcher(task, source, names), {{"KERNEL", symbol}});
  // The source comes last: nothing in it is ours to replace.
  return standalone::Fill(text + launcher + entry,
                          {{"SOURCE", std::string(standalone::WithoutHeader(source.text))}});
}

}  // namespace

const package::LibraryKind& CudaLibraryKind() {
  static const package::LibraryKind kind = [] {
    package::LibraryKind made;
    made.suffix = ".cu";
    made.includes = "\n#include <cuda_runtime_api.h>\n";
    made.stream = "cudaStream_t stream";
    made.has_workspace = true;
    made.machine = kMachine;
    made.start = kStart;
    made.source_includes = "#include <cuda_runtime.h>\n\n";
    made.declaration =
        "cudaError_t $SYMBOL$(void* const* arrays, const double* scalars, void* workspace,\n"
        "                     std::size_t workspace_bytes, cudaStream_t stream);\n";
    made.cmake_languages = "CXX CUDA";
    made.cmake_begin = "find_package(CUDAToolkit REQUIRED)\n";
    made.cmake_units = R"(add_library(tuned_$FLAGS$ OBJECT
$FILES$)
set_target_properties(tuned_$FLAGS$ PROPERTIES
  CUDA_ARCHITECTURES $FLAGS$ POSITION_INDEPENDENT_CODE ON)
target_sources(tuned PRIVATE $<TARGET_OBJECTS:tuned_$FLAGS$>)
list(APPEND architectures $FLAGS$)
)";
    made.cmake_end = R"(set_target_properties(tuned PROPERTIES
  CUDA_ARCHITECTURES "${architectures}" CUDA_RUNTIME_LIBRARY Shared)
target_link_libraries(tuned PUBLIC CUDA::cudart)
)";
    made.cmake_dependency = "CUDAToolkit";
    made.python_device = "cuda";
    made.solution_language = "cuda";
    made.dlpack_device = "kDLCUDA";
    made.solution_stream = "static_cast<cudaStream_t>(TVMFFIEnvGetStream(kDLCUDA, device))";
    made.solution_workspace = kSolutionWorkspace;
    return made;
  }();
  return kind;
}

package::Unit CudaUnit(const Task& task, const Source& source, const std::string& conditions,
                       const std::string& name) {
  package::Unit unit = package::UnitOf(task, name);
  const ir::Device& device = task.function->device;
  const std::size_t end = conditions.find(", driver ");
  unit.device = end == std::string::npos ? device.name : conditions.substr(0, end);
  unit.architecture = fmt::format("sm_{}", device.capability());
  unit.flags = {
      ir::ArchitectureFor(source.text, device.architecture).substr(std::string_view("sm_").size()) +
      "-real"};
  const Launch& launch = source.gpu->launch;
  unit.workspace_bytes = launch.scratch_bytes();
  unit.zero_bytes = launch.ticket_bytes;
  package::NameUnit(std::string(standalone::WithoutHeader(source.text)), unit);
  unit.text = UnitText(task, source, unit.symbol);
  return unit;
}

}  // namespace exh::kernels
