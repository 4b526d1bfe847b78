// SPDX-License-Identifier: MIT
//
// The launcher of a stand-alone program: plain numbers where the search decided something.
#include <algorithm>
#include <string_view>

#include "kernels/codegen/print/op_text.h"
#include "kernels/devices/cuda/standalone/standalone_parts.h"

namespace exh::kernels::standalone {
namespace {

/// What a block may have without asking for it.
constexpr std::uint64_t kSharedAtHand = 48 << 10;
/// Blocks of a cluster that a kernel may have without asking for it.
constexpr std::uint32_t kPortableCluster = 8;

std::string Number(std::uint64_t value) {
  return std::to_string(value);
}

/// Shared memory of a block of the kernel that has most.
std::uint64_t SharedBytes(const Launch& launch) {
  std::uint64_t most = 0;
  for (const SideLaunch& one : InOrder(launch)) most = std::max(most, one.shared_bytes);
  return most;
}

/// Puts a number of the device into a variable, unless a call before it failed.
std::string Ask(const std::string& variable, const std::string& attribute) {
  return "  if (status == cudaSuccess) {\n    status = cudaDeviceGetAttribute(&" + variable +
         ", cudaDevAttr" + attribute + ", device);\n  }\n";
}

/// Declares `status`, which is cudaSuccess behind it, where it checks something or there are
/// several kernels.
std::string DeviceChecks(const Task& task, const Launch& launch, const Names& names) {
  const int capability = task.function->device.capability();
  const std::uint64_t shared = SharedBytes(launch);
  if (capability == 0 && shared == 0 && launch.cluster <= kPortableCluster && launch.maps.empty()) {
    return launch.sides.empty() ? "" : "  cudaError_t status = cudaSuccess;\n";
  }
  std::string text = "  int device = 0;\n  cudaError_t status = cudaGetDevice(&device);\n", checks;
  if (capability > 0) {
    text += "  int major = 0, minor = 0;\n" + Ask("major", "ComputeCapabilityMajor") +
            Ask("minor", "ComputeCapabilityMinor");
    checks += "  if (10 * major + minor < " + std::to_string(capability) +
              ") return cudaErrorNoKernelImageForDevice;\n";
  }
  if (shared > 0) {
    text += "  int shared_bytes = 0;\n" + Ask("shared_bytes", "MaxSharedMemoryPerBlockOptin");
    checks += "  if (shared_bytes < $SHARED$) return cudaErrorLaunchOutOfResources;\n";
  }
  text += "  if (status != cudaSuccess) return status;\n" + checks;
  if (shared > kSharedAtHand) {
    text += "  // A block has more than 48 KiB only where that is asked for.\n";
  }
  for (const SideLaunch& one : InOrder(launch)) {
    if (one.shared_bytes <= kSharedAtHand) continue;
    text += "  status = cudaFuncSetAttribute(" + KernelName(names, one) +
            ", cudaFuncAttributeMaxDynamicSharedMemorySize,\n" + std::string(32, ' ') +
            Number(one.shared_bytes) + ");\n  if (status != cudaSuccess) return status;\n";
  }
  if (launch.cluster > kPortableCluster) {
    text += "  // Not every device has clusters of more than 8 blocks.\n";
    text += "  status = cudaFuncSetAttribute(" + KernelName(names, InOrder(launch).front()) +
            ",\n" + std::string(32, ' ') + "cudaFuncAttributeNonPortableClusterSizeAllowed, 1);\n" +
            "  if (status != cudaSuccess) return status;\n";
  }
  return text;
}

/// Declares `next`: how the kernels behind the first are launched where launches overlap.
constexpr const char* kEarly =
    R"(  // Those behind the first are launched before the one before them has ended, and wait for it.
  cudaLaunchAttribute early = {};
  early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  early.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t next = {};
  next.stream = stream;
  next.attrs = &early;
  next.numAttrs = 1;
)";

/// Declares `next`: how a kernel is launched whose blocks are clusters.
constexpr const char* kClusters = R"(  cudaLaunchAttribute cluster = {};
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim.x = $BLOCKS$;
  cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;
  cudaLaunchConfig_t next = {};
  next.stream = stream;
  next.attrs = &cluster;
  next.numAttrs = 1;
)";

/// Enqueues all kernels, one after the other, and returns. `values`: their arguments.
std::string Launches(const Launch& launch, const Names& names,
                     const std::vector<std::string>& values) {
  const bool has_clusters = launch.cluster > 1;  // It is one kernel then.
  std::string text = launch.overlaps ? kEarly : "";
  if (has_clusters) text = Fill(kClusters, {{"BLOCKS", Number(launch.cluster)}});
  const std::vector<SideLaunch> all = InOrder(launch);
  for (const SideLaunch& one : all) {
    const bool is_last = &one == &all.back();
    const std::string begin = is_last ? "  return " : "  status = ";
    const std::string grid = "dim3(" + Number(one.grid) + ")";
    const std::string block = "dim3(" + Number(one.threads) + ")";
    if (has_clusters || (launch.overlaps && &one != &all.front())) {
      text += "  next.gridDim = " + grid + ";\n  next.blockDim = " + block +
              ";\n  next.dynamicSmemBytes = " + Number(one.shared_bytes) + ";\n";
      std::vector<std::string> arguments = {"&next", KernelName(names, one)};
      arguments.insert(arguments.end(), values.begin(), values.end());
      text += Listed(begin + "cudaLaunchKernelEx(", arguments, ");");
    } else {
      text += Listed(
          begin + "cudaLaunchKernel(",
          {KernelName(names, one), grid, block, "arguments", Number(one.shared_bytes), "stream"},
          ");");
    }
    if (!is_last) text += "\n  if (status != cudaSuccess) return status;\n";
  }
  return text;
}

}  // namespace

std::string Contract(const Task& task, const Launch& launch, const Names& names) {
  const std::uint64_t shared = SharedBytes(launch);
  const bool has_workspace = launch.scratch_bytes() > 0;
  std::string text = R"(//
// $KERNEL$_launch() enqueues one run of the kernel on the current device and returns at once:
//   cudaSuccess
//   cudaErrorInvalidValue            a pointer is null, what is written overlaps something)";
  if (has_workspace) text += ", or the workspace is too small";
  text += R"(
//   cudaErrorMisalignedAddress       a pointer is not aligned as said below
)";
  if (task.function->device.capability() > 0) {
    text += "//   cudaErrorNoKernelImageForDevice  the device is older than " +
            task.function->device.architecture + "\n";
  }
  if (!launch.maps.empty()) {
    text += "//   cudaErrorNotSupported            its driver has no tensor maps\n";
  }
  if (shared > 0) {
    text += "//   cudaErrorLaunchOutOfResources    it has less than " + Number(shared) +
            " bytes of shared memory for a block\n";
  }
  text += R"(//   anything else                    as the runtime says
// Everything lies in the device's memory, and what is written overlaps nothing else:
)";
  for (const std::string& line : ArrayLines(task, names)) text += "//   " + line + "\n";
  if (has_workspace) {
    text += "//   workspace: $KERNEL$_workspace_bytes(), which are " +
            Number(launch.scratch_bytes()) + ", aligned to 16 bytes, for one run at a time;\n" +
            "//     of any contents";
    if (launch.ticket_bytes > 0) {
      text += ", but the first " + Number(launch.ticket_bytes) +
              " bytes are 0 before the first run, and every run that ends\n//     leaves them as "
              "the next one needs them";
    }
    text += "\n";
  }
  return Fill(text, {{"KERNEL", names.kernel}});
}

std::vector<std::string> LauncherParameters(const Task& task, const Launch& launch,
                                            const Names& names) {
  std::vector<std::string> parameters = ArrayParameters(*task.function, names);
  for (std::string& scalar : ScalarParameters(*task.function, names)) {
    parameters.push_back(std::move(scalar));
  }
  if (launch.scratch_bytes() > 0) {
    parameters.emplace_back("void* workspace");
    parameters.emplace_back("std::size_t workspace_bytes");
  }
  parameters.emplace_back("cudaStream_t stream");
  return parameters;
}

std::string Launcher(const Task& task, const Source& source, const Names& names) {
  const Launch& launch = source.gpu->launch;
  const bool has_workspace = launch.scratch_bytes() > 0;
  std::vector<std::string> pointers, arguments, values;
  for (const ir::Array& array : task.function->arrays) {
    pointers.push_back("{" + names.arrays[array.id.index()] + ", " + Number(array.alignment) +
                       ", " + Number(array.elements * ir::BytesOf(array.type)) + ", " +
                       (IsOutput(array) ? "true}" : "false}"));
  }
  if (has_workspace) {
    pointers.push_back("{workspace, " + Number(ir::kDefaultAlignment) + ", " +
                       Number(launch.scratch_bytes()) + ", true}");
  }
  for (const auto* list : {&names.arrays, &names.scalars}) {
    for (const std::string& name : *list) {
      arguments.push_back("&" + name);
      values.push_back(name);
    }
  }
  if (has_workspace) {
    arguments.emplace_back("&workspace");
    values.emplace_back("static_cast<unsigned char*>(workspace)");
  }
  for (std::size_t i = 0; i < launch.maps.size(); ++i) {
    values.push_back("maps[" + Number(i) + "]");
    arguments.push_back("&" + values.back());
  }

  std::string text =
      MapsFunction(launch, names) + Heading("The launcher") + Contract(task, launch, names) + "\n";
  text +=
      R"(/// Bytes of device memory that a run keeps temporaries in, and what blocks leave for each other.
extern "C" std::size_t $KERNEL$_workspace_bytes() {
  return $WORKSPACE$;
}

$SIGNATURE$
  const struct {
    const void* pointer;
    std::size_t alignment, bytes;
    bool is_written;
    std::uintptr_t begin() const { return reinterpret_cast<std::uintptr_t>(pointer); }
    std::uintptr_t end() const { return begin() + bytes; }
$POINTERS$
  for (const auto& one : pointers) {
    if (one.pointer == nullptr) return cudaErrorInvalidValue;
    if (one.begin() % one.alignment != 0) return cudaErrorMisalignedAddress;
  }
  for (const auto& one : pointers) {
    for (const auto& other : pointers) {
      const bool overlap = one.begin() < other.end() && other.begin() < one.end();
      if (one.is_written && &one != &other && overlap) return cudaErrorInvalidValue;
    }
  }
)";
  if (has_workspace) text += "  if (workspace_bytes < $WORKSPACE$) return cudaErrorInvalidValue;\n";
  text += DeviceChecks(task, launch, names) + MakeMaps(launch, names);
  // Clusters are launched in another way.
  if (launch.cluster == 1) text += "$ARGUMENTS$\n";
  text += R"($LAUNCH$
}

)";
  return Fill(text, {{"WORKSPACE", Number(launch.scratch_bytes())},
                     {"SIGNATURE", Listed("extern \"C\" cudaError_t " + names.kernel + "_launch(",
                                          LauncherParameters(task, launch, names), ") {")},
                     {"POINTERS", Listed("  } pointers[] = {", pointers, "};")},
                     {"ARGUMENTS", Listed("  void* arguments[] = {", arguments, "};")},
                     {"LAUNCH", Launches(launch, names, values)},
                     {"SHARED", Number(SharedBytes(launch))}});
}

}  // namespace exh::kernels::standalone
