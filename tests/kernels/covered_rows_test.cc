// SPDX-License-Identifier: MIT
//
// Rows of products on processors with few vector registers: which are covered, and by how much.
#include "kernels/ir/target/covered_rows.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "kernels/library/call_kernel.h"
#include "kernels/library/registry.h"

namespace exh::kernels {
namespace {

/// A processor whose registers have so many lanes, `sums` of which may be sums.
ir::Device Processor(std::uint32_t lanes, std::uint32_t sums) {
  ir::Device device;
  for (std::uint32_t size = 2; size <= lanes; size *= 2) device.vector_sizes.push_back(size);
  device.max_registers = device.block_registers = sums * lanes;
  return device;
}

/// Axes of the kernel's sums that run further than they are long.
std::string CoveredOf(const std::string& name, const Parameters& some, const ir::Device& device,
                      bool paper = false) {
  const Kernel& kernel = *FindKernel(name);
  Parameters sizes;
  for (const Parameter& p : kernel.parameters()) sizes[p.name] = p.default_value;
  for (const auto& [size, value] : some) sizes.at(size) = value;
  ir::Function function;
  BuildBackbone(kernel, sizes, paper, function, &device);
  std::string text;
  for (const ir::LogicalDim& axis : function.logical_dims) {
    if (axis.covers() && axis.name.starts_with("mad")) {
      text += fmt::format("{} {} ", axis.name, axis.extent);
    }
  }
  return text;
}

std::string OfRows(std::uint32_t rows, const ir::Device& device = Processor(8, 13)) {
  return CoveredOf("matmul", {{"m", rows}, {"n", 512}, {"k", 512}}, device);
}

TEST(CoveredRows, AreAMultipleOfTwelveOrSixWhereThatAddsLittle) {
  EXPECT_EQ(OfRows(512), "mad.m 516 ");
  EXPECT_EQ(OfRows(1024), "mad.m 1032 ");
  EXPECT_EQ(OfRows(256), "mad.m 264 ");
  EXPECT_EQ(OfRows(128), "mad.m 132 ");
  EXPECT_EQ(OfRows(500), "mad.m 504 ");  // Not by 512, as on other devices.
  EXPECT_EQ(OfRows(136), "mad.m 138 ");  // Twelve would add more than a thirty-second.
  EXPECT_EQ(OfRows(384), "");
  EXPECT_EQ(OfRows(768), "");
  EXPECT_EQ(OfRows(64), "mad.m 66 ");
  EXPECT_EQ(OfRows(32), "");
}

TEST(CoveredRows, AreOfFewRegistersAlone) {
  EXPECT_EQ(OfRows(512, Processor(4, 13)), "mad.m 516 ");
  EXPECT_EQ(OfRows(512, Processor(16, 28)), "");
  EXPECT_EQ(OfRows(512, Processor(8, 8)), "");
  EXPECT_EQ(OfRows(512, Processor(1, 0)), "");
  ir::Device gpu = Processor(4, 13);
  gpu.max_threads = 1024;
  EXPECT_EQ(OfRows(512, gpu), "");
  EXPECT_EQ(CoveredOf("matmul", {{"m", 512}}, Processor(8, 13), /*paper=*/true), "");
}

TEST(CoveredRows, AreOfMatrixProductsAlone) {
  const ir::Device device = Processor(8, 13);
  EXPECT_EQ(CoveredOf("batched_matmul", {{"m", 128}}, device), "mad.m 132 ");
  EXPECT_EQ(CoveredOf("mv", {{"m", 512}}, device), "");
  EXPECT_EQ(CoveredOf("conv2d", {{"h", 112}, {"w", 128}}, device), "");
}

}  // namespace
}  // namespace exh::kernels
