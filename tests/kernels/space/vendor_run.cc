// SPDX-License-Identifier: MIT
#include "tests/kernels/space/vendor_run.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <span>

namespace exh::kernels::testing {
namespace {

using Memory = std::span<float>;

float& At(Memory memory, std::int64_t element) {
  static float nowhere;
  if (element >= 0 && static_cast<std::size_t>(element) < memory.size()) {
    return memory[static_cast<std::size_t>(element)];
  }
  ADD_FAILURE() << "element " << element << " of " << memory.size();
  return nowhere;
}

/// c = alpha * sum + beta * c; c is not read where beta is 0.
void Put(const VendorStep& s, double sum, float& c) {
  const double old = s.beta == 0 ? 0 : s.beta * double{c};
  const auto value = static_cast<float>(s.alpha * sum + old);
  c = s.relu && value < 0 ? 0 : value;
}

void Gemm(const VendorStep& s, Memory a, Memory b, Memory c) {
  for (std::int64_t product = 0; product < s.batch; ++product) {
    for (std::int64_t i = 0; i < s.m; ++i) {
      for (std::int64_t j = 0; j < s.n; ++j) {
        double sum = 0;
        for (std::int64_t p = 0; p < s.k; ++p) {
          const std::int64_t in_a = s.transpose_a ? p * s.m + i : i * s.k + p;
          const std::int64_t in_b = s.transpose_b ? j * s.k + p : p * s.n + j;
          sum += double{At(a, product * s.step_a + in_a)} * At(b, product * s.step_b + in_b);
        }
        Put(s, sum, At(c, product * s.step_c + i * s.n + j));
      }
    }
  }
}

void Step(const VendorStep& s, Memory a, Memory b, Memory c) {
  switch (s.op) {
    case VendorStep::Op::kGemm:
      return Gemm(s, a, b, c);
    case VendorStep::Op::kGemv: {
      VendorStep product = s;  // Of a matrix and one column.
      product.k = s.n;
      product.n = 1;
      return Gemm(product, a, b, c);
    }
    case VendorStep::Op::kAxpy:
      for (std::int64_t i = 0; i < s.m; ++i) At(c, i) += s.alpha * At(a, i);
      return;
    case VendorStep::Op::kCopy:
      for (std::int64_t i = 0; i < s.m; ++i) At(c, i) = At(a, i);
      return;
    case VendorStep::Op::kPack:
      for (std::int64_t i = 0; i < s.m; ++i) At(c, i) = At(a, i * s.stride);
      return;
  }
}

}  // namespace

void RunVendorCall(const VendorCall& call, float* const* arrays,
                   const std::vector<std::size_t>& sizes) {
  std::vector<float> scratch(call.scratch_bytes / sizeof(float));
  const auto memory = [&](int array) {
    if (array == kScratch) return Memory(scratch);
    const auto number = static_cast<std::size_t>(array);
    return Memory(arrays[number], sizes.at(number));
  };
  for (const std::vector<VendorStep>& steps : {call.before, call.steps}) {
    for (const VendorStep& s : steps) Step(s, memory(s.a), memory(s.b), memory(s.c));
  }
}

}  // namespace exh::kernels::testing
