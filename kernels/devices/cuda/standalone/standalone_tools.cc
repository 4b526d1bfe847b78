// SPDX-License-Identifier: MIT
#include "kernels/devices/cuda/standalone/standalone_parts.h"

namespace exh::kernels::standalone {
namespace {

constexpr const char* kText = R"(#ifndef EXHAUST_NO_MAIN
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

#define CHECK(call)                                                      \
  do {                                                                   \
    const cudaError_t result = (call);                                   \
    if (result != cudaSuccess) {                                         \
      std::fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, \
                   cudaGetErrorString(result));                          \
      std::exit(1);                                                      \
    }                                                                    \
  } while (false)

namespace {

// Floats in device memory between two guard zones. All of it is NaN at first: an element that is
// never written, or a read of what lies around an array, shows in the result.
class DeviceArray {
 public:
  explicit DeviceArray(std::size_t elements) : elements_(elements) {
    CHECK(cudaMalloc(&memory_, Bytes()));
    CHECK(cudaMemset(memory_, 0xff, Bytes()));
  }
  explicit DeviceArray(const std::vector<float>& values) : DeviceArray(values.size()) {
    CHECK(cudaMemcpy(data(), values.data(), values.size() * sizeof(float), cudaMemcpyHostToDevice));
  }

  float* data() const { return memory_ + kGuard; }

  std::vector<float> Values() const {
    std::vector<float> values(elements_);
    CHECK(cudaMemcpy(values.data(), data(), elements_ * sizeof(float), cudaMemcpyDeviceToHost));
    return values;
  }

  // Did anything write around the array?
  bool IsBroken() const {
    std::vector<unsigned> guards(2 * kGuard);
    const std::size_t bytes = kGuard * sizeof(float);
    CHECK(cudaMemcpy(guards.data(), memory_, bytes, cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(guards.data() + kGuard, data() + elements_, bytes, cudaMemcpyDeviceToHost));
    return std::any_of(guards.begin(), guards.end(), [](unsigned x) { return x != 0xffffffffu; });
  }

 private:
  static constexpr std::size_t kGuard = 1024;  // A multiple of four: arrays stay aligned.
  std::size_t Bytes() const { return (elements_ + 2 * kGuard) * sizeof(float); }
  std::size_t elements_;
  float* memory_ = nullptr;
};

// What an element is in double precision, and how far from it single precision may be.
struct Expected {
  double value, tolerance;
};

// For a sum with that many single-precision roundings in a row, of terms with random signs and with
// `norm` as the root of the sum of their squares. An error of 26 u sqrt(n) norm is as good as
// impossible for a right kernel (u = 2^-24; Higham and Mary, A New Approach to Probabilistic
// Rounding Error Analysis, SIAM J. Sci. Comput. 41, 2019), and 2 n u sqrt(n) norm is twice the worst
// case.
double SumTolerance(double operations, double norm) {
  const double u = 1.0 / (1 << 24);
  return std::min(26.0, 2 * operations) * u * std::sqrt(operations) * norm;
}
)";

}  // namespace

std::string TestTools() {
  return kText;
}

}  // namespace exh::kernels::standalone
