// SPDX-License-Identifier: MIT
// y = (alpha * A + beta * B) * x, A and B row-major m x n: two matrix-vector products that may
// share the loops that read x.
#include <cmath>

#include "tests/kernels/oracle/kernels.h"
#include "tests/kernels/oracle/matrix.h"

namespace exh::kernels {
namespace {

constexpr float kAlpha = 1.5f, kBeta = -0.75f;

class Gesummv final : public Kernel {
 public:
  std::string_view name() const override { return "gesummv"; }
  std::string_view summary() const override { return "y = (alpha * A + beta * B) * x"; }
  std::vector<Parameter> parameters() const override {
    return {{"m", 2048, 1, 1 << 20, "rows of A and B"},
            {"n", 2048, 1, 1 << 20, "columns of A and B"}};
  }

  void Build(ir::Builder& b, const Parameters& sizes) const override {
    const auto m = static_cast<std::uint32_t>(sizes.at("m"));
    const auto n = static_cast<std::uint32_t>(sizes.at("n"));
    const std::uint64_t elements = std::uint64_t{m} * n;
    const ir::ArrayId a = b.InputArray("a", elements), bb = b.InputArray("b", elements);
    const ir::ArrayId x = b.InputArray("x", n), y = b.OutputArray("y", m);
    b.Scalar("alpha", kAlpha);
    b.Scalar("beta", kBeta);
    const ir::AxisRef row = b.Axis("m", m, {{2, 128}, {2, 16}});
    const ir::AxisRef col = b.Axis("n", n, {{2, 128}});
    const ir::Value load_x = b.Load("load_x", x, {{col, 1}});
    const auto product = [&](const std::string& name, ir::ArrayId matrix) {
      const ir::Value load = b.Load("load_" + name, matrix, {{row, n}, {col, 1}});
      const ir::Value init = b.Compute("init_" + name, ir::Op::kConst, {row}, {ir::Literal(0)});
      return b.Reduce("mad_" + name, ir::Op::kMad, {row, col}, {col}, init,
                      {ir::MayStage(load), ir::MayStage(load_x)});
    };
    const ir::Value ax = product("a", a), bx = product("b", bb);
    const ir::Value scaled =
        b.Compute("scale", ir::Op::kMul, {row}, {ir::ScalarArg("alpha"), ir::InRegisters(ax)});
    const ir::Value sum =
        b.Compute("add", ir::Op::kMad, {row},
                  {ir::ScalarArg("beta"), ir::InRegisters(bx), ir::InRegisters(scaled)});
    b.Store("store_y", y, {{row, 1}}, ir::InRegisters(sum));
  }

  void Reference(const Parameters& sizes, ProblemData& data) const override {
    const std::int64_t m = sizes.at("m"), n = sizes.at("n");
    const Eigen::MatrixXd a = kAlpha * Matrix(data.at("a"), {m, n});
    const Eigen::MatrixXd b = kBeta * Matrix(data.at("b"), {m, n});
    const Eigen::MatrixXd x = Matrix(data.at("x"), {n, 1});
    // A product, n additions to a sum that begins with 0, a scaling, an addition; the terms of both
    // sums are those of the result.
    const Eigen::MatrixXd ax = a * x, bx = b * x;
    AppendResult(data.at("y"), ax + bx, (a.cwiseAbs2() + b.cwiseAbs2()) * x.cwiseAbs2(),
                 ax.cwiseAbs2() + bx.cwiseAbs2(), static_cast<double>(n) + 3);
  }

  double Flops(const Parameters& sizes) const override {
    const double m = static_cast<double>(sizes.at("m")), n = static_cast<double>(sizes.at("n"));
    return 4 * m * n + 3 * m;
  }

  std::string NaiveSource(const Parameters& sizes) const override {
    return Yardstick(sizes, R"(
extern "C" void exh_run(void* const* arrays, const double* scalars, int) {
  const float* a = static_cast<const float*>(arrays[0]);
  const float* b = static_cast<const float*>(arrays[1]);
  const float* x = static_cast<const float*>(arrays[2]);
  float* y = static_cast<float*>(arrays[3]);
  const float alpha = static_cast<float>(scalars[0]), beta = static_cast<float>(scalars[1]);
  for (long i = 0; i < m; ++i) {
    float ax = 0, bx = 0;
    for (long j = 0; j < n; ++j) {
      ax += a[i * n + j] * x[j];
      bx += b[i * n + j] * x[j];
    }
    y[i] = alpha * ax + beta * bx;
  }
}
)");
  }

  std::string EigenSource(const Parameters& sizes) const override {
    return "#include <Eigen/Core>\n" + Yardstick(sizes, R"(
extern "C" void exh_run(void* const* arrays, const double* scalars, int threads) {
  Eigen::setNbThreads(threads);
  using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const auto array = [=](int i) { return static_cast<float*>(arrays[i]); };
  const float alpha = static_cast<float>(scalars[0]), beta = static_cast<float>(scalars[1]);
  Eigen::Map<const Matrix> a(array(0), m, n), b(array(1), m, n);
  Eigen::Map<const Eigen::VectorXf> x(array(2), n);
  Eigen::Map<Eigen::VectorXf> y(array(3), m);
  y.noalias() = alpha * a * x;
  y.noalias() += beta * b * x;
}
)");
  }

  Source NaiveCuda(const Parameters& sizes) const override {
    return CudaYardstick(sizes, sizes.at("m"),
                         "const float* __restrict__ a, const float* __restrict__ b, "
                         "const float* __restrict__ x, float* __restrict__ y, float alpha, "
                         "float beta",
                         "  float ax = 0, bx = 0;\n"
                         "  for (long j = 0; j < n; ++j) {\n"
                         "    ax += a[i * n + j] * x[j];\n"
                         "    bx += b[i * n + j] * x[j];\n"
                         "  }\n"
                         "  y[i] = alpha * ax + beta * bx;\n");
  }

  VendorCall Vendor(const Parameters& sizes) const override {
    VendorStep ax, bx;
    ax.op = bx.op = VendorStep::Op::kGemv;
    ax.a = 0;
    bx.a = 1;
    ax.b = bx.b = 2;
    ax.c = bx.c = 3;
    ax.m = bx.m = sizes.at("m");
    ax.n = bx.n = sizes.at("n");
    ax.alpha = kAlpha;
    bx.alpha = kBeta;
    bx.beta = 1;  // Added to what the first one wrote.
    return {{}, {ax, bx}, 0};
  }

  std::string ReferenceElement(const Parameters& sizes) const override {
    return ElementText({{"n", sizes.at("n")}}, R"(double sum_a = 0, sum_b = 0, squares = 0;
for (std::int64_t j = 0; j < n; ++j) {
  const double ax = double(alpha) * a[i * n + j] * x[j], bx = double(beta) * b[i * n + j] * x[j];
  sum_a += ax;
  sum_b += bx;
  squares += ax * ax + bx * bx;
}
return {sum_a + sum_b, SumTolerance(n + 3, std::sqrt(squares + sum_a * sum_a + sum_b * sum_b))};
)");
  }
};

}  // namespace

std::unique_ptr<Kernel> MakeGesummv() {
  return std::make_unique<Gesummv>();
}

}  // namespace exh::kernels
