// SPDX-License-Identifier: MIT
//
// The tensor maps of a stand-alone program: its launcher has the driver make them, for the pointers
// that it is given.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <vector>

#include "kernels/devices/cuda/standalone/standalone_parts.h"

namespace exh::kernels::standalone {
namespace {

constexpr const char* kMaps = R"(//
// What bulk copies see of arrays, as boxes, one map for each of the arrays here. The driver makes
// them. The runtime knows where it does, so nobody need link the driver.
static cudaError_t $KERNEL$_maps(std::initializer_list<const void*> arrays, exh_tensor_map* maps) {
  static const auto encode = [] {
    const char* const name = "cuTensorMapEncodeTiled";
    void* found = nullptr;
    cudaDriverEntryPointQueryResult result = cudaDriverEntryPointSymbolNotFound;
#if CUDART_VERSION >= 12050
    const cudaError_t status =
        cudaGetDriverEntryPointByVersion(name, &found, 12000, cudaEnableDefault, &result);
#else
    const cudaError_t status = cudaGetDriverEntryPoint(name, &found, cudaEnableDefault, &result);
#endif
    if (status != cudaSuccess || result != cudaDriverEntryPointSuccess) found = nullptr;
    return reinterpret_cast<decltype(&cuTensorMapEncodeTiled)>(found);
  }();
  if (encode == nullptr) return cudaErrorNotSupported;
  const struct {
    CUtensorMapDataType type;
    CUtensorMapSwizzle swizzle;
    cuuint32_t axes;
    cuuint64_t extents[5], strides[5];  // From the innermost axis on; strides in bytes.
    cuuint32_t box[5];
$SHAPES$
  const cuuint32_t steps[] = {1, 1, 1, 1, 1};
  const void* const* array = arrays.begin();
  for (const auto& shape : shapes) {
    CUtensorMap made;
    const CUresult result =
        encode(&made, shape.type, shape.axes, const_cast<void*>(*array++), shape.extents,
               shape.strides, shape.box, steps, CU_TENSOR_MAP_INTERLEAVE_NONE, shape.swizzle,
               CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    if (result != CUDA_SUCCESS) return cudaErrorInvalidValue;
    static_assert(sizeof made == sizeof *maps, "kernels take what the driver makes");
    std::memcpy(maps++, &made, sizeof made);
  }
  return cudaSuccess;
}

)";

constexpr const char* kMade = R"(  // The driver makes maps for threads that have used the device.
  status = cudaSetDevice(device);
  if (status != cudaSuccess) return status;
  exh_tensor_map maps[$COUNT$];
$CALL$
  if (status != cudaSuccess) return status;
)";

/// The values of an entry of `shapes`.
std::string ShapeText(const TensorMap& map) {
  const std::string swizzle =
      map.swizzle_bytes == 0 ? "NONE" : fmt::format("{}B", map.swizzle_bytes);
  return fmt::format(
      "{{CU_TENSOR_MAP_DATA_TYPE_UINT{}, CU_TENSOR_MAP_SWIZZLE_{}, {}, {{{}}}, {{{}}}, {{{}}}}}",
      8 * map.element_bytes, swizzle, map.extents.size(), fmt::join(map.extents, ", "),
      fmt::join(map.strides, ", "), fmt::join(map.box, ", "));
}

}  // namespace

std::string Includes(const Launch& launch) {
  const bool has_maps = !launch.maps.empty();
  std::string text = has_maps ? "#include <cuda.h>\n" : "";
  text += "#include <cuda_runtime.h>\n\n#include <cstddef>\n#include <cstdint>\n";
  if (has_maps) text += "#include <cstring>\n#include <initializer_list>\n";
  return text + "#include <utility>\n\n";
}

std::string MapsFunction(const Launch& launch, const Names& names) {
  if (launch.maps.empty()) return "";
  std::vector<std::string> shapes;
  for (const TensorMap& map : launch.maps) shapes.push_back(ShapeText(map));
  return Heading("Tensor maps") +
         Fill(kMaps,
              {{"KERNEL", names.kernel}, {"SHAPES", Listed("  } shapes[] = {", shapes, "};")}});
}

std::string MakeMaps(const Launch& launch, const Names& names) {
  if (launch.maps.empty()) return "";
  std::vector<std::string> arrays;
  for (const TensorMap& map : launch.maps) arrays.push_back(names.arrays.at(map.array));
  return Fill(kMade,
              {{"COUNT", std::to_string(arrays.size())},
               {"CALL", Listed("  status = " + names.kernel + "_maps({", arrays, "}, maps);")}});
}

}  // namespace exh::kernels::standalone
