// SPDX-License-Identifier: MIT
//
// y = 2 x, searched in a space of its own.
#include <cmath>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kernels/library/tolerance.h"
#include "kernels/library/yardstick.h"
#include "kernels/plugin.h"
#include "runtime/error.h"
#include "spaces/small_code.exh.h"

namespace {

using namespace exh::kernels;

class ScaledCopy final : public Kernel {
 public:
  std::string_view name() const override { return "scaled_copy"; }
  std::string_view summary() const override { return "y = 2 x"; }
  std::vector<Parameter> parameters() const override {
    return {{"n", 1 << 16, 1, 1 << 28, "length of the vectors"}};
  }

  void Build(ir::Builder& b, const Parameters& sizes) const override {
    const auto n = static_cast<std::uint32_t>(sizes.at("n"));
    if (n % 2 != 0) throw exh::Error("scaled_copy: n must be even, got " + std::to_string(n));
    const ir::ArrayId x = b.InputArray("x", n), y = b.OutputArray("y", n);
    b.Scalar("factor", 2);
    const ir::AxisRef axis = b.Axis("n", n, {{2, 1024}, {2, 16}});
    const ir::Value load = b.Load("load_x", x, {{axis, 1}});
    const ir::Value scaled =
        b.Compute("scale", ir::Op::kMul, {axis}, {ir::ScalarArg("factor"), ir::MayStage(load)});
    b.Store("store_y", y, {{axis, 1}}, ir::InRegisters(scaled));
  }

  void Reference(const Parameters&, ProblemData& data) const override {
    const std::vector<float>& x = data.at("x").values;
    ArrayData& y = data.at("y");
    for (const float value : x) {
      y.reference.push_back(2.0 * value);
      y.tolerance.push_back(SumTolerance(1, 2 * std::abs(value)));
    }
  }

  double Flops(const Parameters& sizes) const override {
    return static_cast<double>(sizes.at("n"));
  }

  std::string NaiveSource(const Parameters& sizes) const override {
    return Yardstick(sizes, R"(
extern "C" void exh_run(float* const* arrays, const float* scalars, int) {
  for (long i = 0; i < n; ++i) arrays[1][i] = scalars[0] * arrays[0][i];
}
)");
  }

  std::string EigenSource(const Parameters& sizes) const override {
    return "#include <Eigen/Core>\n" + Yardstick(sizes, R"(
extern "C" void exh_run(float* const* arrays, const float* scalars, int) {
  Eigen::Map<Eigen::VectorXf>(arrays[1], n) = scalars[0] * Eigen::Map<Eigen::VectorXf>(arrays[0], n);
}
)");
  }
};

std::unique_ptr<Kernel> MakeScaledCopy() {
  return std::make_unique<ScaledCopy>();
}

}  // namespace

EXH_PLUGIN(exh::spaces::small_code, MakeScaledCopy)
