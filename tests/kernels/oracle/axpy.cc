// SPDX-License-Identifier: MIT
// z = alpha * x + y
#include <Eigen/Core>
#include <span>

#include "tests/kernels/oracle/kernels.h"
#include "tests/kernels/oracle/matrix.h"

namespace exh::kernels {
namespace {

constexpr float kAlpha = 1.5f;

class Axpy final : public Kernel {
 public:
  std::string_view name() const override { return "axpy"; }
  std::string_view summary() const override { return "z = alpha * x + y"; }
  std::vector<Parameter> parameters() const override {
    return {{"n", 1 << 22, 1, 1 << 28, "length of the vectors"}, InnerTile()};
  }

  void Build(ir::Builder& b, const Parameters& sizes) const override {
    const auto n = static_cast<std::uint32_t>(sizes.at("n"));
    const ir::ArrayId x = b.InputArray("x", n), y = b.InputArray("y", n);
    const ir::ArrayId z = b.OutputArray("z", n);
    b.Scalar("alpha", kAlpha);
    const ir::AxisRef axis = b.Axis("n", n, {{2, 1024}, {2, LargestInnerTile(sizes)}});
    const ir::Value load_x = b.Load("load_x", x, {{axis, 1}});
    const ir::Value load_y = b.Load("load_y", y, {{axis, 1}});
    const ir::Value mad =
        b.Compute("mad", ir::Op::kMad, {axis},
                  {ir::ScalarArg("alpha"), ir::MayStage(load_x), ir::MayStage(load_y)});
    b.Store("store_z", z, {{axis, 1}}, ir::InRegisters(mad));
  }

  void Reference(const Parameters&, ProblemData& data) const override {
    const auto vec = [&](const char* name) {
      const std::span<const float> v = data.at(name).values.As<float>();
      return Eigen::Map<const Eigen::ArrayXf>(v.data(), static_cast<Eigen::Index>(v.size()))
          .cast<double>();
    };
    const Eigen::ArrayXd z = kAlpha * vec("x") + vec("y");
    const Eigen::ArrayXd squares = (kAlpha * vec("x")).square() + vec("y").square();
    AppendResult(data.at("z"), z.matrix(), squares.matrix(), Eigen::MatrixXd::Zero(z.size(), 1), 2);
  }

  double Flops(const Parameters& sizes) const override {
    return 2.0 * static_cast<double>(sizes.at("n"));
  }

  std::string NaiveSource(const Parameters& sizes) const override {
    return Yardstick(sizes, R"(
extern "C" void exh_run(void* const* arrays, const double* scalars, int) {
  const float* x = static_cast<const float*>(arrays[0]);
  const float* y = static_cast<const float*>(arrays[1]);
  float* z = static_cast<float*>(arrays[2]);
  const float alpha = static_cast<float>(scalars[0]);
  for (long i = 0; i < n; ++i) z[i] = alpha * x[i] + y[i];
}
)");
  }

  std::string EigenSource(const Parameters& sizes) const override {
    return "#include <Eigen/Core>\n" + Yardstick(sizes, R"(
extern "C" void exh_run(void* const* arrays, const double* scalars, int threads) {
  Eigen::setNbThreads(threads);
  const auto array = [=](int i) { return static_cast<float*>(arrays[i]); };
  const float alpha = static_cast<float>(scalars[0]);
  Eigen::Map<const Eigen::VectorXf> x(array(0), n), y(array(1), n);
  Eigen::Map<Eigen::VectorXf> z(array(2), n);
  z.noalias() = alpha * x + y;
}
)");
  }

  Source NaiveCuda(const Parameters& sizes) const override {
    return CudaYardstick(sizes, sizes.at("n"),
                         "const float* __restrict__ x, const float* __restrict__ y, "
                         "float* __restrict__ z, float alpha",
                         "  z[i] = alpha * x[i] + y[i];\n");
  }

  VendorCall Vendor(const Parameters& sizes) const override {
    // The library adds in place: z begins as y, and it is the addition that is timed.
    VendorStep copy, axpy;
    copy.op = VendorStep::Op::kCopy;
    copy.a = 1;
    axpy.op = VendorStep::Op::kAxpy;
    axpy.alpha = kAlpha;
    copy.c = axpy.c = 2;
    copy.m = axpy.m = sizes.at("n");
    return {{copy}, {axpy}, 0};
  }

  std::string ReferenceElement(const Parameters&) const override {
    return ElementText({}, R"(const double product = double(alpha) * x[i];
return {product + y[i], SumTolerance(2, std::hypot(product, double(y[i])))};
)");
  }
};

}  // namespace

std::unique_ptr<Kernel> MakeAxpy() {
  return std::make_unique<Axpy>();
}

}  // namespace exh::kernels
