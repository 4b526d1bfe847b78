// SPDX-License-Identifier: MIT
//
// CUB's scans of rows behind a function of C, for row_peers.py: DeviceScan for one row, and by key,
// which is the number of the row, for several.
#include <cub/device/device_scan.cuh>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

namespace {

struct RowOf {
  int columns;
  __host__ __device__ int operator()(int i) const { return i / columns; }
};

}  // namespace

/// Running sums of rows that follow one another. Without `temporary` it says how many bytes of it
/// are needed. 0, or an error of the CUDA runtime.
extern "C" int exh_scan(void* temporary, size_t* bytes, const void* in, void* out, long long rows,
                        long long columns, void* on) {
  if (rows * columns >= (1LL << 31)) return cudaErrorNotSupported;
  const int items = static_cast<int>(rows * columns);
  const auto* const from = static_cast<const float*>(in);
  auto* const to = static_cast<float*>(out);
  const auto stream = static_cast<cudaStream_t>(on);
  if (rows == 1) return cub::DeviceScan::InclusiveSum(temporary, *bytes, from, to, items, stream);
  const auto keys = thrust::make_transform_iterator(thrust::counting_iterator<int>(0),
                                                    RowOf{static_cast<int>(columns)});
  return cub::DeviceScan::InclusiveSumByKey(temporary, *bytes, keys, from, to, items,
                                            cuda::std::equal_to<>{}, stream);
}

extern "C" int exh_cccl_version() { return CCCL_VERSION; }
