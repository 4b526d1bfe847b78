// SPDX-License-Identifier: MIT
//
// What solutions of FlashInfer Trace use of TVM-FFI and DLPack, for machines that have neither: a
// test compiles the binding of a solution with these headers and calls it.
#pragma once

#include <cstdint>

enum DLDeviceType { kDLCPU = 1, kDLCUDA = 2 };
enum DLDataTypeCode {
  kDLInt = 0,
  kDLUInt = 1,
  kDLFloat = 2,
  kDLBfloat = 4,
  kDLBool = 6,
  kDLFloat8_e4m3fn = 10,
  kDLFloat8_e5m2 = 12
};

struct DLDevice {
  DLDeviceType device_type;
  std::int32_t device_id;
};

struct DLDataType {
  std::uint8_t code, bits;
  std::uint16_t lanes;
};

/// An argument as the test makes it: a tensor, or a number where it has no memory.
struct StandInArgument {
  void* data;
  std::int64_t shape[8];
  std::int32_t dims, device, code, bits, has_gaps;
  double number;
};

namespace tvm::ffi {

class TensorView {
 public:
  explicit TensorView(const StandInArgument& argument) : argument_(argument) {}

  void* data_ptr() const { return argument_.data; }
  std::int32_t ndim() const { return argument_.dims; }
  std::int64_t size(int dim) const { return argument_.shape[dim]; }
  bool IsContiguous() const { return argument_.has_gaps == 0; }
  DLDevice device() const { return {static_cast<DLDeviceType>(argument_.device), 0}; }
  DLDataType dtype() const {
    return {static_cast<std::uint8_t>(argument_.code), static_cast<std::uint8_t>(argument_.bits),
            1};
  }

 private:
  const StandInArgument& argument_;
};

}  // namespace tvm::ffi
