// SPDX-License-Identifier: MIT
// C = A * B, row-major; A and B may be transposed, and the elements of A may lie a_stride apart
// (the paper's "strided matmul").
#include <Eigen/Core>

#include "kernels/library/kernels.h"
#include "kernels/library/tolerance.h"

namespace exh::kernels {
namespace {

using RowMajor = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using AnyStride = Eigen::Stride<Eigen::Dynamic, Eigen::Dynamic>;

class Matmul final : public Kernel {
 public:
  std::string_view name() const override { return "matmul"; }
  std::string_view summary() const override { return "C = A * B"; }
  std::vector<Parameter> parameters() const override {
    return {{"m", 512, 1, 1 << 16, "rows of C"},
            {"n", 512, 1, 1 << 16, "columns of C"},
            {"k", 512, 1, 1 << 16, "length of the sums"},
            {"transpose_a", 0, 0, 1, "1: A is stored k x m"},
            {"transpose_b", 0, 0, 1, "1: B is stored n x k"},
            {"a_stride", 1, 1, 1 << 10, "distance of neighbouring elements of A"},
            InnerTile()};
  }

  void Build(ir::Builder& b, const Parameters& sizes) const override {
    const Layout l(sizes);
    const ir::ArrayId a = b.InputArray("a", static_cast<std::uint64_t>(l.m * l.k * l.a_stride));
    const ir::ArrayId bb = b.InputArray("b", static_cast<std::uint64_t>(l.k * l.n));
    const ir::ArrayId c = b.OutputArray("c", static_cast<std::uint64_t>(l.m * l.n));
    const std::uint32_t inner = LargestInnerTile(sizes);
    const ir::AxisRef m = b.Axis("m", static_cast<std::uint32_t>(l.m), {{2, 32}, {2, inner}});
    const ir::AxisRef n = b.Axis("n", static_cast<std::uint32_t>(l.n), {{2, 32}, {2, inner}});
    const ir::AxisRef k = b.Axis("k", static_cast<std::uint32_t>(l.k), {{2, 32}});
    const ir::Value load_a = b.Load("load_a", a, {{m, l.a_m}, {k, l.a_k}});
    const ir::Value load_b = b.Load("load_b", bb, {{k, l.b_k}, {n, l.b_n}});
    const ir::Value init = b.Compute("init", ir::Op::kConst, {m, n}, {ir::Literal(0)});
    const ir::Value mad = b.Reduce("mad", ir::Op::kMad, {m, n, k}, {k}, init,
                                   {ir::MayStage(load_a), ir::MayStage(load_b)});
    b.Store("store_c", c, {{m, l.n}, {n, 1}}, ir::InRegisters(mad));
  }

  void Reference(const Parameters& sizes, ProblemData& data) const override {
    const Layout l(sizes);
    const Eigen::MatrixXd a = Eigen::Map<const RowMajor, 0, AnyStride>(
                                  data.at("a").values.data(), l.m, l.k, AnyStride(l.a_m, l.a_k))
                                  .cast<double>();
    const Eigen::MatrixXd b = Eigen::Map<const RowMajor, 0, AnyStride>(
                                  data.at("b").values.data(), l.k, l.n, AnyStride(l.b_k, l.b_n))
                                  .cast<double>();
    const Eigen::MatrixXd c = a * b, magnitude = a.cwiseAbs() * b.cwiseAbs();
    ArrayData& out = data.at("c");
    out.reference.resize(static_cast<std::size_t>(l.m * l.n));
    out.tolerance.resize(out.reference.size());
    for (Eigen::Index i = 0; i < l.m; ++i) {
      for (Eigen::Index j = 0; j < l.n; ++j) {
        const auto element = static_cast<std::size_t>(i * l.n + j);
        out.reference[element] = c(i, j);
        out.tolerance[element] = SumTolerance(static_cast<double>(l.k) + 1, magnitude(i, j));
      }
    }
  }

  double Flops(const Parameters& sizes) const override {
    const Layout l(sizes);
    return 2.0 * static_cast<double>(l.m) * static_cast<double>(l.n) * static_cast<double>(l.k);
  }

  std::string NaiveSource(const Parameters& sizes) const override {
    return Yardstick(Strides(sizes), R"(
extern "C" void exh_run(float* const* arrays, const float*, int) {
  const float* a = arrays[0];
  const float* b = arrays[1];
  float* c = arrays[2];
  for (long i = 0; i < m; ++i) {
    for (long j = 0; j < n; ++j) {
      float sum = 0;
      for (long p = 0; p < k; ++p) sum += a[i * a_m + p * a_k] * b[p * b_k + j * b_n];
      c[i * n + j] = sum;
    }
  }
}
)");
  }

  std::string EigenSource(const Parameters& sizes) const override {
    // Transposition and unit stride are types, so that Eigen takes its fast path.
    const Layout l(sizes);
    const auto matrix = [](bool transposed, const std::string& pointer, const std::string& rows,
                           const std::string& cols, long stride) {
      const std::string order = transposed ? "Eigen::ColMajor" : "Eigen::RowMajor";
      const std::string type =
          "Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, " + order + ">";
      if (stride == 1) {
        return "Eigen::Map<const " + type + ">(" + pointer + ", " + rows + ", " + cols + ")";
      }
      const std::string s = "Eigen::Stride<Eigen::Dynamic, Eigen::Dynamic>";
      const std::string outer = (transposed ? rows : cols) + " * a_stride";
      return "Eigen::Map<const " + type + ", 0, " + s + ">(" + pointer + ", " + rows + ", " + cols +
             ", " + s + "(" + outer + ", a_stride))";
    };
    const std::string a =
        matrix(l.transpose_a, "arrays[0]", "m", "k", static_cast<long>(l.a_stride));
    const std::string b = matrix(l.transpose_b, "arrays[1]", "k", "n", 1);
    return "#include <Eigen/Core>\n" + Yardstick(sizes, R"(
extern "C" void exh_run(float* const* arrays, const float*, int threads) {
  Eigen::setNbThreads(threads);
  Eigen::Map<Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>> c(arrays[2], m, n);
  const auto a = )" + a + R"(;
  const auto b = )" + b + R"(;
  c.noalias() = a * b;
}
)");
  }

  Source NaiveCuda(const Parameters& sizes) const override {
    // As in docs/results/naive.cu: blocks of 16 x 16, neighbouring threads along n.
    constexpr std::int64_t kTile = 16;
    const std::int64_t rows = (sizes.at("m") + kTile - 1) / kTile;
    const std::int64_t columns = (sizes.at("n") + kTile - 1) / kTile;
    codegen::Launch launch;
    launch.threads = kTile * kTile;
    launch.grid = static_cast<std::uint64_t>(rows * columns);
    return {Yardstick(Strides(sizes), "constexpr long columns = " + std::to_string(columns) + R"(;
extern "C" __global__ void exh_kernel(const float* __restrict__ a, const float* __restrict__ b,
                                      float* __restrict__ c) {
  const long i = blockIdx.x / columns * 16 + threadIdx.x / 16;
  const long j = blockIdx.x % columns * 16 + threadIdx.x % 16;
  if (i >= m || j >= n) return;
  float sum = 0;
  for (long p = 0; p < k; ++p) sum += a[i * a_m + p * a_k] * b[p * b_k + j * b_n];
  c[i * n + j] = sum;
}
)"),
            launch};
  }

  VendorCall Vendor(const Parameters& sizes) const override {
    const Layout l(sizes);
    VendorStep product;
    product.a = 0;
    product.b = 1;
    product.c = 2;
    product.m = l.m;
    product.n = l.n;
    product.k = l.k;
    product.transpose_a = l.transpose_a;
    product.transpose_b = l.transpose_b;
    if (l.a_stride == 1) return {{}, {product}, 0};
    VendorStep pack;  // The library wants one of the two strides to be 1.
    pack.op = VendorStep::Op::kPack;
    pack.a = 0;
    pack.c = product.a = kScratch;
    pack.m = l.m * l.k;
    pack.stride = l.a_stride;
    return {{}, {pack, product}, static_cast<std::uint64_t>(l.m * l.k)};
  }

  std::string ReferenceElement(const Parameters& sizes) const override {
    const Layout l(sizes);
    return ElementText(
        {{"n", l.n}, {"k", l.k}, {"a_m", l.a_m}, {"a_k", l.a_k}, {"b_k", l.b_k}, {"b_n", l.b_n}},
        R"(const std::int64_t row = i / n, column = i % n;
double sum = 0, magnitude = 0;
for (std::int64_t p = 0; p < k; ++p) {
  const double product = double(a[row * a_m + p * a_k]) * b[p * b_k + column * b_n];
  sum += product;
  magnitude += std::fabs(product);
}
return {sum, SumTolerance(k + 1, magnitude)};
)");
  }

 private:
  /// Sizes and the distance of neighbouring rows and columns of each operand, in elements.
  struct Layout {
    explicit Layout(const Parameters& s)
        : m(s.at("m")),
          n(s.at("n")),
          k(s.at("k")),
          a_stride(s.at("a_stride")),
          transpose_a(s.at("transpose_a") != 0),
          transpose_b(s.at("transpose_b") != 0),
          a_m((transpose_a ? 1 : k) * a_stride),
          a_k((transpose_a ? m : 1) * a_stride),
          b_k(transpose_b ? 1 : n),
          b_n(transpose_b ? k : 1) {}
    std::int64_t m, n, k, a_stride;
    bool transpose_a, transpose_b;
    std::int64_t a_m, a_k, b_k, b_n;
  };

  static Parameters Strides(const Parameters& sizes) {
    const Layout l(sizes);
    Parameters out = sizes;
    out["a_m"] = l.a_m;
    out["a_k"] = l.a_k;
    out["b_k"] = l.b_k;
    out["b_n"] = l.b_n;
    return out;
  }
};

}  // namespace

std::unique_ptr<Kernel> MakeMatmul() {
  return std::make_unique<Matmul>();
}

}  // namespace exh::kernels
