// SPDX-License-Identifier: MIT
// C = A * B, row-major; A and B may be transposed, the elements of A may lie a_stride apart (the
// paper's "strided matmul"), and with relu the negative elements of C become 0.
#include "kernels/derived/reference/product.h"
#include "tests/kernels/oracle/kernels.h"
#include "tests/kernels/oracle/matrix.h"

namespace exh::kernels {
namespace {

class Matmul final : public Kernel {
 public:
  std::string_view name() const override { return "matmul"; }
  std::string_view summary() const override { return "C = A * B"; }
  std::vector<Parameter> parameters() const override {
    return {{"m", 512, 1, 1 << 16, "rows of C"},
            {"n", 512, 1, 1 << 16, "columns of C"},
            {"k", 512, 1, 1 << 20, "length of the sums"},
            {"transpose_a", 0, 0, 1, "1: A is stored k x m"},
            {"transpose_b", 0, 0, 1, "1: B is stored n x k"},
            {"a_stride", 1, 1, 1 << 10, "distance of neighbouring elements of A"},
            {"relu", 0, 0, 1, "1: C = max(A * B, 0)"},
            InnerTile(),
            {"k_tile", 32, 1, 1024, "largest tile of k; 1: k is not tiled (--space paper)"},
            // Of f32 alone it is the oracle.
            {"type", 0, 0, 6,
             "of A, B and C; sums of narrow floats are f32; of floats of 8 bits C is bf16; sums of "
             "i8 are i32, and so is C then"}};
  }

  void Build(ir::Builder& b, const Parameters& sizes) const override {
    const Operands o(sizes);
    const ir::ArrayId a = b.InputArray("a", static_cast<std::uint64_t>(o.a.elements()));
    const ir::ArrayId bb = b.InputArray("b", static_cast<std::uint64_t>(o.b.elements()));
    const ir::ArrayId c = b.OutputArray("c", static_cast<std::uint64_t>(o.c.elements()));
    const std::uint32_t inner = LargestInnerTile(sizes);
    const ir::AxisRef m = b.Axis("m", static_cast<std::uint32_t>(o.c.rows), {{2, 32}, {2, inner}});
    const ir::AxisRef n =
        b.Axis("n", static_cast<std::uint32_t>(o.c.columns), {{2, 32}, {2, inner}});
    const auto k_tile = static_cast<std::uint32_t>(sizes.at("k_tile"));
    const ir::AxisRef k = b.Axis("k", static_cast<std::uint32_t>(o.a.columns),
                                 k_tile > 1 ? ir::Tiling{{2, k_tile}} : ir::Tiling{});
    const ir::Value load_a = b.Load("load_a", a, {{m, o.a.row}, {k, o.a.column}});
    const ir::Value load_b = b.Load("load_b", bb, {{k, o.b.row}, {n, o.b.column}});
    const ir::Value init = b.Compute("init", ir::Op::kConst, {m, n}, {ir::Literal(0)});
    const ir::Value mad = b.Reduce("mad", ir::Op::kMad, {m, n, k}, {k}, init,
                                   {ir::MayStage(load_a), ir::MayStage(load_b)});
    ir::Value result = mad;
    if (o.relu) {
      // max yields its second operand unless the first is larger: a NaN stays one.
      result = b.Compute("relu", ir::Op::kMax, {m, n}, {ir::Literal(0), ir::InRegisters(mad)});
    }
    b.Store("store_c", c, {{m, o.c.row}, {n, o.c.column}}, ir::InRegisters(result));
  }

  void Reference(const Parameters& sizes, ProblemData& data) const override {
    const Operands o(sizes);
    const Eigen::MatrixXd a = Matrix(data.at("a"), o.a), b = Matrix(data.at("b"), o.b);
    Eigen::MatrixXd c = Product(a, b);
    const Eigen::MatrixXd sums = c.cwiseAbs2();
    // It rounds nothing and moves no two values apart: the product's tolerance stays. As in
    // Build(), and unlike Eigen's maximum, a NaN stays one.
    if (o.relu) c = c.unaryExpr([](double x) { return 0 > x ? 0 : x; });
    AppendResult(data.at("c"), c, Product(a.cwiseAbs2(), b.cwiseAbs2()), sums,
                 static_cast<double>(o.a.columns) + 1);
  }

  double Flops(const Parameters& sizes) const override {
    return 2.0 * static_cast<double>(sizes.at("m")) * static_cast<double>(sizes.at("n")) *
           static_cast<double>(sizes.at("k"));
  }

  std::string NaiveSource(const Parameters& sizes) const override {
    return Yardstick(Constants(sizes), R"(
extern "C" void exh_run(void* const* arrays, const double*, int) {
  const float* a = static_cast<const float*>(arrays[0]);
  const float* b = static_cast<const float*>(arrays[1]);
  float* c = static_cast<float*>(arrays[2]);
  for (long i = 0; i < m; ++i) {
    for (long j = 0; j < n; ++j) {
      float sum = 0;
      for (long p = 0; p < k; ++p) sum += a[i * a_m + p * a_k] * b[p * b_k + j * b_n];
      c[i * n + j] = relu && sum < 0 ? 0 : sum;
    }
  }
}
)");
  }

  std::string EigenSource(const Parameters& sizes) const override {
    const Operands o(sizes);
    return "#include <Eigen/Core>\n" + Yardstick(sizes, R"(
extern "C" void exh_run(void* const* arrays, const double*, int threads) {
  Eigen::setNbThreads(threads);
  const auto array = [=](int i) { return static_cast<float*>(arrays[i]); };
  Eigen::Map<Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>> c(array(2), m, n);
  const auto a = )" + EigenMatrix(o.a, "array(0)") + R"(;
  const auto b = )" + EigenMatrix(o.b, "array(1)") + R"(;
  c.noalias() = a * b;
  if (relu) c = (c.array() < 0.0f).select(0.0f, c);
}
)");
  }

  Source NaiveCuda(const Parameters& sizes) const override {
    // As in docs/results/naive.cu: blocks of 16 x 16, neighbouring threads along n.
    constexpr std::int64_t kTile = 16;
    const std::int64_t rows = (sizes.at("m") + kTile - 1) / kTile;
    const std::int64_t columns = (sizes.at("n") + kTile - 1) / kTile;
    Launch launch;
    launch.threads = kTile * kTile;
    launch.grid = static_cast<std::uint64_t>(rows * columns);
    return {Yardstick(Constants(sizes), "constexpr long columns = " + std::to_string(columns) + R"(;
extern "C" __global__ void exh_kernel(const float* __restrict__ a, const float* __restrict__ b,
                                      float* __restrict__ c) {
  const long i = blockIdx.x / columns * 16 + threadIdx.x / 16;
  const long j = blockIdx.x % columns * 16 + threadIdx.x % 16;
  if (i >= m || j >= n) return;
  float sum = 0;
  for (long p = 0; p < k; ++p) sum += a[i * a_m + p * a_k] * b[p * b_k + j * b_n];
  c[i * n + j] = relu && sum < 0 ? 0 : sum;
}
)"),
            launch};
  }

  VendorCall Vendor(const Parameters& sizes) const override {
    const Operands o(sizes);
    VendorStep product;
    product.a = 0;
    product.b = 1;
    product.c = 2;
    product.m = o.c.rows;
    product.n = o.c.columns;
    product.k = o.a.columns;
    product.transpose_a = o.a.transposed;
    product.transpose_b = o.b.transposed;
    product.relu = o.relu;
    if (o.a.stride == 1) return {{}, {product}, 0};
    VendorStep pack;  // The library wants one of the two strides to be 1.
    pack.op = VendorStep::Op::kPack;
    pack.a = 0;
    pack.c = product.a = kScratch;
    pack.m = o.a.rows * o.a.columns;
    pack.stride = o.a.stride;
    return {{}, {pack, product}, sizeof(float) * static_cast<std::uint64_t>(pack.m)};
  }

  std::string ReferenceElement(const Parameters& sizes) const override {
    const Operands o(sizes);
    Parameters numbers = {{"n", o.c.columns},  {"k", o.a.columns}, {"a_m", o.a.row},
                          {"a_k", o.a.column}, {"b_k", o.b.row},   {"b_n", o.b.column}};
    return ElementText(numbers,
                       R"(const std::int64_t row = i / n, column = i % n;
double sum = 0, squares = 0;
for (std::int64_t p = 0; p < k; ++p) {
  const double product = double(a[row * a_m + p * a_k]) * b[p * b_k + column * b_n];
  sum += product;
  squares += product * product;
}
return {)" + std::string(o.relu ? "0 > sum ? 0 : sum" : "sum") +
                           R"(, SumTolerance(k + 1, std::sqrt(squares + sum * sum * k / (k + 1)))};
)");
  }

 private:
  struct Operands {
    explicit Operands(const Parameters& s)
        : a(s.at("m"), s.at("k"), s.at("transpose_a") != 0, s.at("a_stride")),
          b(s.at("k"), s.at("n"), s.at("transpose_b") != 0),
          c(s.at("m"), s.at("n")),
          relu(s.at("relu") != 0) {}
    Layout a, b, c;
    bool relu;
  };

  static Parameters Constants(const Parameters& sizes) {
    const Operands o(sizes);
    Parameters constants = sizes;
    constants["a_m"] = o.a.row;
    constants["a_k"] = o.a.column;
    constants["b_k"] = o.b.row;
    constants["b_n"] = o.b.column;
    return constants;
  }
};

}  // namespace

std::unique_ptr<Kernel> MakeMatmul() {
  return std::make_unique<Matmul>();
}

}  // namespace exh::kernels
