// SPDX-License-Identifier: MIT
#include "tests/bench/parts/engine_kernels.h"

#include <utility>

namespace exh::tests {
namespace {

using namespace kernels;  // NOLINT: a kernel of the library reads the same.

/// A product of `length + 1` matrices from the left, the partial products in registers or staged;
/// with a batch axis around everything or without.
class Chain final : public Kernel {
 public:
  Chain(int length, bool batched) : length_(length), batched_(batched) {}
  std::string_view name() const override { return "chain"; }
  std::string_view summary() const override { return "A * B * C …"; }
  std::vector<Parameter> parameters() const override { return {}; }
  void Reference(const Parameters&, ProblemData&) const override {}
  double Flops(const Parameters&) const override { return 1; }
  std::string NaiveSource(const Parameters&) const override { return {}; }
  std::string EigenSource(const Parameters&) const override { return {}; }

  void Build(ir::Builder& b, const Parameters&) const override {
    constexpr std::uint32_t kSize = 256;
    constexpr std::uint64_t kElements = std::uint64_t{kSize} * kSize;
    const ir::Tiling tiled = {{2, 32}, {2, 4}};
    std::vector<ir::AxisRef> around;
    if (batched_) around.push_back(b.Axis("batch", 16, {{2, 8}}));
    const auto with = [&](std::vector<ir::AxisRef> axes) {
      axes.insert(axes.begin(), around.begin(), around.end());
      return axes;
    };
    const auto strides = [&](ir::AxisRef row, ir::AxisRef column) {
      ir::Strides all = {{row, kSize}, {column, 1}};
      for (const ir::AxisRef axis : around) {
        all.insert(all.begin(), {axis, static_cast<std::int64_t>(kElements)});
      }
      return all;
    };
    const std::uint64_t elements = batched_ ? 16 * kElements : kElements;
    const ir::AxisRef m = b.Axis("m", kSize, tiled);
    ir::AxisRef k = b.Axis("k0", kSize, {{2, 32}});
    ir::Value left = b.Load("load_a", b.InputArray("a", elements), strides(m, k));
    for (int i = 0; i < length_; ++i) {
      const std::string number = std::to_string(i);
      const ir::AxisRef n = b.Axis("n" + number, kSize, tiled);
      const ir::Value right =
          b.Load("load_b" + number, b.InputArray("b" + number, elements), strides(k, n));
      const ir::Value init =
          b.Compute("init" + number, ir::Op::kConst, with({m, n}), {ir::Literal(0)});
      left = b.Reduce("mad" + number, ir::Op::kMad, with({m, n, k}), {k}, init,
                      {ir::MayStage(left), ir::MayStage(right)});
      k = n;
    }
    b.Store("store_c", b.OutputArray("c", elements), strides(m, k), ir::InRegisters(left));
  }

 private:
  int length_;
  bool batched_;
};

}  // namespace

std::vector<GrowthKernel> GrowthKernels() {
  std::vector<GrowthKernel> kernels;
  const auto add = [&](std::string name, int length, bool batched) {
    kernels.push_back({std::move(name), std::make_unique<Chain>(length, batched), {}});
  };
  add("matmul", 1, false);
  add("batched matmul", 1, true);
  add("two fused matmuls", 2, false);
  add("four fused matmuls", 4, false);
  return kernels;
}

}  // namespace exh::tests
