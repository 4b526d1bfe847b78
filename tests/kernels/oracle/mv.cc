// SPDX-License-Identifier: MIT
// y = A * x, A row-major m x n
#include "tests/kernels/oracle/kernels.h"
#include "tests/kernels/oracle/matrix.h"

namespace exh::kernels {
namespace {

class Mv final : public Kernel {
 public:
  std::string_view name() const override { return "mv"; }
  std::string_view summary() const override { return "y = A * x"; }
  std::vector<Parameter> parameters() const override {
    return {{"m", 2048, 1, 1 << 20, "rows of A"}, {"n", 2048, 1, 1 << 20, "columns of A"}};
  }

  void Build(ir::Builder& b, const Parameters& sizes) const override {
    const auto m = static_cast<std::uint32_t>(sizes.at("m"));
    const auto n = static_cast<std::uint32_t>(sizes.at("n"));
    const ir::ArrayId a = b.InputArray("a", std::uint64_t{m} * n), x = b.InputArray("x", n);
    const ir::ArrayId y = b.OutputArray("y", m);
    const ir::AxisRef row = b.Axis("m", m, {{2, 128}, {2, 16}});
    const ir::AxisRef col = b.Axis("n", n, {{2, 128}});
    const ir::Value load_x = b.Load("load_x", x, {{col, 1}});
    const ir::Value load_a = b.Load("load_a", a, {{row, n}, {col, 1}});
    const ir::Value init = b.Compute("init", ir::Op::kConst, {row}, {ir::Literal(0)});
    const ir::Value mad = b.Reduce("mad", ir::Op::kMad, {row, col}, {col}, init,
                                   {ir::MayStage(load_a), ir::MayStage(load_x)});
    b.Store("store_y", y, {{row, 1}}, ir::InRegisters(mad));
  }

  void Reference(const Parameters& sizes, ProblemData& data) const override {
    const std::int64_t m = sizes.at("m"), n = sizes.at("n");
    const Eigen::MatrixXd a = Matrix(data.at("a"), {m, n}), x = Matrix(data.at("x"), {n, 1});
    const Eigen::MatrixXd y = a * x;
    AppendResult(data.at("y"), y, a.cwiseAbs2() * x.cwiseAbs2(), y.cwiseAbs2(),
                 static_cast<double>(n) + 1);
  }

  double Flops(const Parameters& sizes) const override {
    return 2.0 * static_cast<double>(sizes.at("m")) * static_cast<double>(sizes.at("n"));
  }

  std::string NaiveSource(const Parameters& sizes) const override {
    return Yardstick(sizes, R"(
extern "C" void exh_run(void* const* arrays, const double*, int) {
  const float* a = static_cast<const float*>(arrays[0]);
  const float* x = static_cast<const float*>(arrays[1]);
  float* y = static_cast<float*>(arrays[2]);
  for (long i = 0; i < m; ++i) {
    float sum = 0;
    for (long j = 0; j < n; ++j) sum += a[i * n + j] * x[j];
    y[i] = sum;
  }
}
)");
  }

  std::string EigenSource(const Parameters& sizes) const override {
    return "#include <Eigen/Core>\n" + Yardstick(sizes, R"(
extern "C" void exh_run(void* const* arrays, const double*, int threads) {
  Eigen::setNbThreads(threads);
  using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const auto array = [=](int i) { return static_cast<float*>(arrays[i]); };
  Eigen::Map<const Matrix> a(array(0), m, n);
  Eigen::Map<const Eigen::VectorXf> x(array(1), n);
  Eigen::Map<Eigen::VectorXf> y(array(2), m);
  y.noalias() = a * x;
}
)");
  }

  Source NaiveCuda(const Parameters& sizes) const override {
    return CudaYardstick(sizes, sizes.at("m"),
                         "const float* __restrict__ a, const float* __restrict__ x, "
                         "float* __restrict__ y",
                         "  float sum = 0;\n"
                         "  for (long j = 0; j < n; ++j) sum += a[i * n + j] * x[j];\n"
                         "  y[i] = sum;\n");
  }

  VendorCall Vendor(const Parameters& sizes) const override {
    VendorStep step;
    step.op = VendorStep::Op::kGemv;
    step.a = 0;
    step.b = 1;
    step.c = 2;
    step.m = sizes.at("m");
    step.n = sizes.at("n");
    return {{}, {step}, 0};
  }

  std::string ReferenceElement(const Parameters& sizes) const override {
    return ElementText({{"n", sizes.at("n")}}, R"(double sum = 0, squares = 0;
for (std::int64_t j = 0; j < n; ++j) {
  const double product = double(a[i * n + j]) * x[j];
  sum += product;
  squares += product * product;
}
return {sum, SumTolerance(n + 1, std::sqrt(squares + sum * sum * n / (n + 1)))};
)");
  }
};

}  // namespace

std::unique_ptr<Kernel> MakeMv() {
  return std::make_unique<Mv>();
}

}  // namespace exh::kernels
