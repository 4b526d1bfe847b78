// SPDX-License-Identifier: MIT
//
// A driver that shows two GPUs, of which the second does not answer, and that runs kernels on the
// first: its machine code is text (fake_kernels.h). EXH_FAKE_CUDA in the environment changes that:
//
//   no-device   it does not start
//   dumb        it does not start and cannot say why
//   no-gpu      it starts and shows no GPU
//   old         it is for CUDA 12.4
//   second      the second GPU answers, and not the first
//
// EXH_FAKE_GPUS=4: it shows so many, and all of them answer.
// EXH_FAKE_GPU names the GPU that it shows: one of kGpus. By default that is the first.
// With EXH_WITHOUT_TENSOR_MAPS it is compiled into a driver that lacks what a driver may lack.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/devices/cuda/driver/driver.h"
#include "tests/kernels/cuda/fake_gpu.h"
#include "tests/kernels/cuda/fake_kernels.h"
#include "tests/support/fake_cuda/tensor_map.h"

namespace {

using namespace exh::kernels::cuda;        // NOLINT: this file is the driver
using namespace exh::kernels::cuda::fake;  // NOLINT

constexpr CUdevice kFirstDevice = 10;
/// What a GPU says of itself, as the CUDA programming guide's table of architectures has it.
struct FakeGpu {
  const char *wanted, *name;
  int major, minor, multiprocessors;
  int shared_per_block, shared_per_unit;  ///< Bytes; of a block with opt-in.
  int threads_per_unit, blocks_per_unit, l2_bytes;
};
constexpr FakeGpu kGpus[] = {
    {"", "Fake GPU", 9, 0, 4, 227 << 10, 228 << 10, 2048, 32, 1 << 20},
    {"sm_75", "Fake T4", 7, 5, 40, 64 << 10, 64 << 10, 1024, 16, 4 << 20},
    {"sm_80", "Fake A100", 8, 0, 108, 163 << 10, 164 << 10, 2048, 32, 40 << 20},
    {"sm_89", "Fake L4", 8, 9, 58, 99 << 10, 100 << 10, 1536, 24, 48 << 20},
    {"sm_30", "Fake K4000", 3, 0, 4, 48 << 10, 48 << 10, 2048, 16, 384 << 10},
};
constexpr int kRegisters = 65536;   ///< Of a block, and of a multiprocessor.
constexpr int kMostThreads = 1024;  ///< Of a block.

const FakeGpu& Facts() {
  const char* const wanted = std::getenv("EXH_FAKE_GPU");
  for (const FakeGpu& gpu : kGpus) {
    if (wanted != nullptr && std::string_view(wanted) == gpu.wanted) return gpu;
  }
  return kGpus[0];
}

bool Wants(std::string_view fault) {
  const char* const wanted = std::getenv("EXH_FAKE_CUDA");
  return wanted != nullptr && wanted == fault;
}

/// As EXH_FAKE_GPUS has it; 0: it says nothing.
int NumGpus() {
  const char* const wanted = std::getenv("EXH_FAKE_GPUS");
  return wanted != nullptr ? std::atoi(wanted) : 0;
}

/// Is this a GPU that answers?
bool Answers(CUdevice device) {
  if (NumGpus() > 0) return device >= kFirstDevice && device < kFirstDevice + NumGpus();
  return device == (Wants("second") ? kFirstDevice + 1 : kFirstDevice);
}

bool has_context = false;
int captures = 0;  ///< Streams whose launches are recorded.

/// A new stream or event: ours as long as the process lives, as they are never given back.
template <typename T>
T* MakeForEver() {
  static auto* const all = new std::vector<std::unique_ptr<T>>;
  return all->emplace_back(std::make_unique<T>()).get();
}

/// What a call that needs a context that works answers, unless it is kSuccess.
CUresult State() {
  return has_context ? Memory::Get().error() : kInvalidContext;
}

/// The same for a call that may not stand between launches that are recorded.
CUresult State(const CudaStream* stream) {
  if (const CUresult state = State(); state != kSuccess) return state;
  return stream->capture ? kCaptureUnsupported : kSuccess;
}

int BlocksOf(const CudaFunction& function, int threads, std::size_t shared) {
  const auto registers = static_cast<int>(function.registers) * threads;
  int blocks = std::min({Facts().blocks_per_unit, Facts().threads_per_unit / threads,
                         kRegisters / std::max(registers, 1)});
  if (shared > 0) blocks = std::min(blocks, Facts().shared_per_block / static_cast<int>(shared));
  return threads > kMostThreads || shared > function.shared_bytes ? 0 : blocks;
}

}  // namespace

extern "C" {

// ---- What it is ---------------------------------------------------------------------------------

CUresult cuInit(unsigned int) {
  return Wants("no-device") || Wants("dumb") ? kNoDevice : kSuccess;
}

CUresult cuDriverGetVersion(int* version) {
  *version = Wants("old") ? 12040 : 13000;
  return kSuccess;
}

CUresult cuGetErrorName(CUresult error, const char** name) {
  if (Wants("dumb")) return kInvalidValue;
  *name = error == kNoDevice         ? "CUDA_ERROR_NO_DEVICE"
          : error == kOutOfMemory    ? "CUDA_ERROR_OUT_OF_MEMORY"
          : error == kInvalidImage   ? "CUDA_ERROR_INVALID_IMAGE"
          : error == kNotFound       ? "CUDA_ERROR_NOT_FOUND"
          : error == kIllegalAddress ? "CUDA_ERROR_ILLEGAL_ADDRESS"
          : error == kOutOfResources ? "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES"
          : error == kNotSupported   ? "CUDA_ERROR_NOT_SUPPORTED"
          : error == kUnknown        ? "CUDA_ERROR_UNKNOWN"
                                     : "CUDA_ERROR_INVALID_VALUE";
  return kSuccess;
}

CUresult cuGetErrorString(CUresult error, const char** text) {
  *text = error == kNoDevice         ? "no CUDA-capable device is detected"
          : error == kIllegalAddress ? "an illegal memory access was encountered"
                                     : "the fake driver does not explain itself";
  return kSuccess;
}

CUresult cuDeviceGetCount(int* count) {
  *count = Wants("no-gpu") ? 0 : std::max(2, NumGpus());
  return kSuccess;
}

CUresult cuDeviceGet(CUdevice* device, int ordinal) {
  *device = kFirstDevice + ordinal;
  return kSuccess;
}

CUresult cuDeviceGetName(char* name, int length, CUdevice device) {
  if (!Answers(device)) return kInvalidValue;
  std::strncpy(name, Facts().name, static_cast<std::size_t>(length));
  return kSuccess;
}

CUresult cuDeviceTotalMem_v2(std::size_t* bytes, CUdevice) {
  *bytes = std::size_t{3} << 30;
  return kSuccess;
}

CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice) {
  const FakeGpu& gpu = Facts();
  const std::map<CUdevice_attribute, int> values = {
      {kMultiprocessors, gpu.multiprocessors},
      {kCapabilityMajor, gpu.major},
      {kCapabilityMinor, gpu.minor},
      {kSharedBytesPerBlock, gpu.shared_per_block},
      {kL2Bytes, gpu.l2_bytes},
      {kThreadsPerBlock, kMostThreads},
      {kRegistersPerBlock, kRegisters},
      {kThreadsPerMultiprocessor, gpu.threads_per_unit},
      {kBlocksPerMultiprocessor, gpu.blocks_per_unit},
      {kRegistersPerMultiprocessor, kRegisters},
      {kSharedBytesPerMultiprocessor, gpu.shared_per_unit},
      {kWarpSize, 32},
      {kPeakClockKhz, 1980000},
  };
  const auto found = values.find(attribute);
  if (found == values.end()) return kInvalidValue;
  *value = found->second;
  return kSuccess;
}

// ---- Contexts and modules -----------------------------------------------------------------------

CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice device) {
  if (!Answers(device)) return kInvalidValue;
  *context = nullptr;  // There is one at most: nobody looks into it.
  return kSuccess;
}

CUresult cuCtxSetCurrent(CUcontext) {
  has_context = true;
  return Memory::Get().error();
}

CUresult cuModuleLoadData(CUmodule* module, const void* image) {
  if (const CUresult state = State(); state != kSuccess) return state;
  std::optional<CudaModule> parsed = ParseModule(static_cast<const char*>(image));
  if (!parsed) return kInvalidImage;
  *module = new CudaModule(*std::move(parsed));
  return kSuccess;
}

CUresult cuModuleUnload(CUmodule module) {
  if (const CUresult state = State(); state != kSuccess) return state;
  delete module;
  return kSuccess;
}

CUresult cuModuleGetFunction(CUfunction* function, CUmodule module, const char* name) {
  if (const CUresult state = State(); state != kSuccess) return state;
  const auto found = module->functions.find(std::string_view(name));
  if (found == module->functions.end()) return kNotFound;
  *function = &found->second;
  return kSuccess;
}

CUresult cuModuleGetGlobal_v2(CUdeviceptr* address, std::size_t* bytes, CUmodule module,
                              const char* name) {
  if (const CUresult state = State(); state != kSuccess) return state;
  for (auto& [unused, function] : module->functions) {
    if (function.variable.empty() || function.variable != name) continue;
    // It lives as long as the process: modules are few.
    if (function.variable_data == 0) {
      function.variable_data = Memory::Get().Allocate(function.variable_bytes);
    }
    *address = function.variable_data;
    *bytes = function.variable_bytes;
    return kSuccess;
  }
  return kNotFound;
}

CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute, int value) {
  if (const CUresult state = State(); state != kSuccess) return state;
  if (attribute == kLargeClusters) {
    function->has_large_clusters = value != 0;
    return kSuccess;
  }
  if (attribute != kMaxDynamicSharedBytes || value > Facts().shared_per_block) return kInvalidValue;
  function->shared_bytes = static_cast<std::uint64_t>(value);
  return kSuccess;
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, CUfunction function, int threads,
                                                     std::size_t shared) {
  if (const CUresult state = State(); state != kSuccess) return state;
  *blocks = BlocksOf(*function, threads, shared);
  return kSuccess;
}

// ---- Memory -------------------------------------------------------------------------------------

CUresult cuMemAlloc_v2(CUdeviceptr* address, std::size_t bytes) {
  if (const CUresult state = State(); state != kSuccess) return state;
  *address = Memory::Get().Allocate(bytes);
  return *address == 0 ? kOutOfMemory : kSuccess;
}

CUresult cuMemFree_v2(CUdeviceptr address) {
  if (const CUresult state = State(); state != kSuccess) return state;
  return Memory::Get().Free(address) ? kSuccess : kInvalidValue;
}

CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void* from, std::size_t bytes,
                              CUstream stream) {
  if (const CUresult state = State(stream); state != kSuccess) return state;
  stream->Enqueue({[] { return 0; },
                   [=] {
                     auto* const target = Memory::Get().At<unsigned char>(to, bytes);
                     if (target != nullptr) std::memcpy(target, from, bytes);
                   }});
  return kSuccess;
}

CUresult cuMemcpyDtoH_v2(void* to, CUdeviceptr from, std::size_t bytes) {
  if (const CUresult state = State(); state != kSuccess) return state;
  const auto* const found = Memory::Get().At<unsigned char>(from, bytes);
  if (found != nullptr) std::memcpy(to, found, bytes);
  return Memory::Get().error();
}

CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, std::size_t bytes,
                              CUstream stream) {
  if (const CUresult state = State(stream); state != kSuccess) return state;
  stream->Enqueue({[] { return 0; },
                   [=] {
                     Memory& memory = Memory::Get();
                     auto* const target = memory.At<unsigned char>(to, bytes);
                     const auto* const source = memory.At<unsigned char>(from, bytes);
                     if (memory.error() == kSuccess) std::memmove(target, source, bytes);
                   }});
  return kSuccess;
}

CUresult cuMemsetD32Async(CUdeviceptr to, unsigned int word, std::size_t words, CUstream stream) {
  if (const CUresult state = State(stream); state != kSuccess) return state;
  stream->Enqueue({[] { return 0; },
                   [=] {
                     auto* const target = Memory::Get().At<unsigned int>(to, words);
                     if (target != nullptr) std::fill_n(target, words, word);
                   }});
  return kSuccess;
}

CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char byte, std::size_t bytes, CUstream stream) {
  if (const CUresult state = State(stream); state != kSuccess) return state;
  stream->Enqueue({[] { return 0; },
                   [=] {
                     auto* const target = Memory::Get().At<unsigned char>(to, bytes);
                     if (target != nullptr) std::fill_n(target, bytes, byte);
                   }});
  return kSuccess;
}

// ---- Launches, and the time that they take ------------------------------------------------------

CUresult cuStreamCreate(CUstream* stream, unsigned int) {
  if (const CUresult state = State(); state != kSuccess) return state;
  *stream = MakeForEver<CudaStream>();
  return kSuccess;
}

CUresult cuStreamSynchronize(CUstream stream) {
  if (const CUresult state = State(stream); state != kSuccess) return state;
  stream->Synchronize();
  return Memory::Get().error();
}

CUresult cuLaunchKernelEx(const CUlaunchConfig* config, CUfunction function, void** arguments,
                          void**) {
  if (const CUresult state = State(); state != kSuccess) return state;
  const CUlaunchConfig& c = *config;
  const std::uint64_t blocks = std::uint64_t{c.grid_x} * c.grid_y * c.grid_z;
  const std::uint64_t threads = std::uint64_t{c.block_x} * c.block_y * c.block_z;
  if (blocks == 0 || threads == 0 || threads > kMostThreads) return kInvalidValue;
  constexpr unsigned int kMostZ = 64, kMostOthers = 65535;
  if (c.block_z > kMostZ || c.grid_y > kMostOthers || c.grid_z > kMostOthers) return kInvalidValue;
  if (BlocksOf(*function, static_cast<int>(threads), c.shared_bytes) == 0) return kOutOfResources;
  bool is_early = false;
  std::array<unsigned int, 3> cluster = {1, 1, 1};
  for (unsigned int i = 0; i < c.num_attributes; ++i) {
    if (c.attributes[i].id == kClusterLaunch) {
      const CUlaunchAttribute& attribute = c.attributes[i];
      cluster[0] = static_cast<unsigned int>(attribute.value);
      std::memcpy(&cluster[1], attribute.rest, 2 * sizeof cluster[1]);
      continue;
    }
    if (c.attributes[i].id != kEarlyLaunch) return kInvalidValue;
    is_early |= c.attributes[i].value != 0;
  }
  const unsigned int most_of_cluster = function->has_large_clusters ? 16 : kPortableCluster;
  const unsigned int of_cluster = cluster[0] * cluster[1] * cluster[2];
  if (of_cluster == 0 || of_cluster > most_of_cluster || c.grid_x % cluster[0] != 0 ||
      c.grid_y % cluster[1] != 0 || c.grid_z % cluster[2] != 0 ||
      (of_cluster > 1 && 10 * Facts().major + Facts().minor < kClustersFrom)) {
    return kInvalidValue;
  }
  std::string dims;
  for (const unsigned int number : {c.grid_x, c.grid_y, c.grid_z, c.block_x, c.block_y, c.block_z,
                                    c.shared_bytes, cluster[0], cluster[1], cluster[2]}) {
    dims += (dims.empty() ? "" : ",") + std::to_string(number);
  }
  if (!function->dims.empty() && function->dims != dims) return kInvalidValue;
  if (is_early && 10 * Facts().major + Facts().minor < kLaunchesOverlapFrom) return kNotSupported;
  const Work work = Launch(*function, blocks, arguments, is_early);
  if (c.stream->capture) {
    c.stream->capture->nodes.push_back(work);
  } else {
    c.stream->Enqueue(work);
  }
  return kSuccess;
}

#ifndef EXH_WITHOUT_TENSOR_MAPS
CUresult cuTensorMapEncodeTiled(CUtensorMap* map, CUtensorMapDataType type, std::uint32_t axes,
                                void* array, const std::uint64_t* extents,
                                const std::uint64_t* strides, const std::uint32_t* box,
                                const std::uint32_t* steps, CUtensorMapInterleave interleave,
                                CUtensorMapSwizzle swizzle, CUtensorMapL2promotion promotion,
                                CUtensorMapFloatOOBfill fill) {
  if (const CUresult state = State(); state != kSuccess) return state;
  if (10 * Facts().major + Facts().minor < kTensorMapsFrom) return kNotSupported;
  // It would do, but that is time that others have between launches.
  if (captures > 0) return kCaptureUnsupported;
  const bool is_made = MakeFakeMap(
      map, {type, axes, array, extents, strides, box, steps, interleave, swizzle, promotion, fill});
  return is_made ? kSuccess : kInvalidValue;
}
#endif

CUresult cuEventCreate(CUevent* event, unsigned int) {
  if (const CUresult state = State(); state != kSuccess) return state;
  *event = MakeForEver<CudaEvent>();
  return kSuccess;
}

CUresult cuEventRecord(CUevent event, CUstream stream) {
  if (const CUresult state = State(stream); state != kSuccess) return state;
  event->done = false;
  event->stream = stream;
  const std::uint64_t record = ++event->records;
  stream->Enqueue({[] { return 0; },
                   [=] {
                     event->done = event->records == record;
                     event->ns = stream->ns;
                   }});
  return kSuccess;
}

CUresult cuEventQuery(CUevent event) {
  if (const CUresult state = State(); state != kSuccess) return state;
  if (event->stream != nullptr) event->stream->Advance();
  if (const CUresult state = State(); state != kSuccess) return state;
  return event->done ? kSuccess : kNotReady;
}

CUresult cuEventElapsedTime_v2(float* ms, CUevent begin, CUevent end) {
  if (const CUresult state = State(); state != kSuccess) return state;
  if (!begin->done || !end->done) return kNotReady;
  *ms = static_cast<float>(1e-6 * static_cast<double>(end->ns - begin->ns));
  return kSuccess;
}

CUresult cuStreamBeginCapture_v2(CUstream stream, CUstreamCaptureMode) {
  if (const CUresult state = State(stream); state != kSuccess) return state;
  stream->capture = std::make_unique<CudaGraph>();
  ++captures;
  return kSuccess;
}

CUresult cuStreamEndCapture(CUstream stream, CUgraph* graph) {
  if (const CUresult state = State(); state != kSuccess) return state;
  if (!stream->capture) return kInvalidValue;
  *graph = stream->capture.release();
  --captures;
  return kSuccess;
}

CUresult cuGraphInstantiateWithFlags(CUgraphExec* executable, CUgraph graph, unsigned long long) {
  if (const CUresult state = State(); state != kSuccess) return state;
  *executable = new CudaGraphExec{graph->nodes};
  return kSuccess;
}

CUresult cuGraphLaunch(CUgraphExec executable, CUstream stream) {
  if (const CUresult state = State(stream); state != kSuccess) return state;
  for (const Work& node : executable->nodes) stream->Enqueue(node);
  return kSuccess;
}

CUresult cuGraphExecDestroy(CUgraphExec executable) {
  delete executable;
  return kSuccess;
}

CUresult cuGraphDestroy(CUgraph graph) {
  delete graph;
  return kSuccess;
}

}  // extern "C"
