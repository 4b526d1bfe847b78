// SPDX-License-Identifier: MIT
// E = alpha * A * B * C + beta * D, row-major: two matrix products in a row. The first one's result
// reaches the second in registers or through a temporary of the block, a tile at a time or whole.
#include <algorithm>
#include <cmath>

#include "kernels/derived/reference/product.h"
#include "tests/kernels/oracle/kernels.h"
#include "tests/kernels/oracle/matrix.h"

namespace exh::kernels {
namespace {

constexpr float kAlpha = 1.5f, kBeta = -0.75f;

class Matmul2 final : public Kernel {
 public:
  std::string_view name() const override { return "matmul2"; }
  std::string_view summary() const override { return "E = alpha * A * B * C + beta * D"; }
  std::vector<Parameter> parameters() const override {
    return {{"m", 256, 1, 1 << 14, "rows of A and E"},
            {"n", 256, 1, 1 << 14, "columns of B, rows of C"},
            {"k", 256, 1, 1 << 14, "columns of A, rows of B"},
            {"p", 256, 1, 1 << 14, "columns of C and E"},
            InnerTile()};
  }

  void Build(ir::Builder& b, const Parameters& sizes) const override {
    const std::int64_t rows = sizes.at("m"), middle = sizes.at("n"), inner = sizes.at("k");
    const std::int64_t columns = sizes.at("p");
    const auto size = [](std::int64_t r, std::int64_t c) {
      return static_cast<std::uint64_t>(r * c);
    };
    const ir::ArrayId a = b.InputArray("a", size(rows, inner));
    const ir::ArrayId bb = b.InputArray("b", size(inner, middle));
    const ir::ArrayId c = b.InputArray("c", size(middle, columns));
    const ir::ArrayId d = b.InputArray("d", size(rows, columns));
    const ir::ArrayId e = b.OutputArray("e", size(rows, columns));
    b.Scalar("alpha", kAlpha);
    b.Scalar("beta", kBeta);
    // One loop over the columns of A B would have to be inside of one over the columns of the
    // result, and the first product would run again for each of them.
    b.KnowSizes();
    const ir::Tiling tiles = {{2, 32}, {2, LargestInnerTile(sizes)}};
    const ir::AxisRef m = b.Axis("m", static_cast<std::uint32_t>(rows), tiles);
    const ir::AxisRef n = b.Axis("n", static_cast<std::uint32_t>(middle), tiles);
    const ir::AxisRef k = b.Axis("k", static_cast<std::uint32_t>(inner), {{2, 32}});
    const ir::AxisRef p = b.Axis("p", static_cast<std::uint32_t>(columns), tiles);

    const ir::Value load_a = b.Load("load_a", a, {{m, inner}, {k, 1}});
    const ir::Value load_b = b.Load("load_b", bb, {{k, middle}, {n, 1}});
    const ir::Value init_ab = b.Compute("init_ab", ir::Op::kConst, {m, n}, {ir::Literal(0)});
    const ir::Value ab = b.Reduce("mad_ab", ir::Op::kMad, {m, n, k}, {k}, init_ab,
                                  {ir::MayStage(load_a), ir::MayStage(load_b)});
    const ir::Value scaled =
        b.Compute("scale", ir::Op::kMul, {m, n}, {ir::ScalarArg("alpha"), ir::InRegisters(ab)});
    // The second sum begins with beta * D: one nest less than adding it behind.
    const ir::Value load_c = b.Load("load_c", c, {{n, columns}, {p, 1}});
    const ir::Value load_d = b.Load("load_d", d, {{m, columns}, {p, 1}});
    const ir::Value init =
        b.Compute("init_e", ir::Op::kMul, {m, p}, {ir::ScalarArg("beta"), ir::MayStage(load_d)});
    const ir::Value mad = b.Reduce("mad_e", ir::Op::kMad, {m, p, n}, {n}, init,
                                   {ir::MayStage(scaled), ir::MayStage(load_c)});
    b.Store("store_e", e, {{m, columns}, {p, 1}}, ir::InRegisters(mad));
  }

  void Reference(const Parameters& sizes, ProblemData& data) const override {
    const std::int64_t m = sizes.at("m"), n = sizes.at("n"), k = sizes.at("k"), p = sizes.at("p");
    const Eigen::MatrixXd a = Matrix(data.at("a"), {m, k}), b = Matrix(data.at("b"), {k, n});
    const Eigen::MatrixXd c = Matrix(data.at("c"), {n, p}), d = Matrix(data.at("d"), {m, p});
    const Eigen::MatrixXd b2 = b.cwiseAbs2(), c2 = c.cwiseAbs2();
    // Both sums err. The second is of terms alpha (A B) C and beta D. The errors of the first,
    // which are independent of each other and of C, are added up in it like terms: what each may
    // be, times the element of C that it meets, squared. Their squares together, and as many
    // roundings in a row as both sums have: k + 1 in the first, 1 at alpha or beta, n + 2 in the
    // second.
    const double operations = static_cast<double>(k + n) + 4;
    constexpr std::int64_t kRows = 64;  // At a time, for A * B may be larger than all arrays.
    ArrayData& e = data.at("e");
    for (std::int64_t row = 0; row < m; row += kRows) {
      const std::int64_t count = std::min(kRows, m - row);
      const Eigen::MatrixXd strip = kAlpha * a.middleRows(row, count);
      const Eigen::MatrixXd start = kBeta * d.middleRows(row, count);
      const Eigen::MatrixXd ab = Product(strip, b);
      const Eigen::MatrixXd ab_squares = Product(strip.cwiseAbs2(), b2);
      NoteSums(e, ab_squares, static_cast<double>(k) + 1);
      const Eigen::MatrixXd sums = Product(ab, c) + start;
      AppendResult(e, sums, Product(ab.cwiseAbs2() + ab_squares, c2) + start.cwiseAbs2(),
                   sums.cwiseAbs2(), operations);
    }
  }

  double Flops(const Parameters& sizes) const override {
    const auto size = [&](const char* name) { return static_cast<double>(sizes.at(name)); };
    const double m = size("m"), n = size("n"), p = size("p");
    return 2 * m * n * size("k") + m * n + 2 * m * n * p + m * p;
  }

  std::string NaiveSource(const Parameters& sizes) const override {
    return Yardstick(sizes, R"(
extern "C" void exh_run(void* const* arrays, const double* scalars, int) {
  const float* a = static_cast<const float*>(arrays[0]);
  const float* b = static_cast<const float*>(arrays[1]);
  const float* c = static_cast<const float*>(arrays[2]);
  const float* d = static_cast<const float*>(arrays[3]);
  float* e = static_cast<float*>(arrays[4]);
  const float alpha = static_cast<float>(scalars[0]), beta = static_cast<float>(scalars[1]);
  static float ab[n];  // A row of alpha * A * B.
  for (long i = 0; i < m; ++i) {
    for (long j = 0; j < n; ++j) {
      float sum = 0;
      for (long l = 0; l < k; ++l) sum += a[i * k + l] * b[l * n + j];
      ab[j] = alpha * sum;
    }
    for (long j = 0; j < p; ++j) {
      float sum = beta * d[i * p + j];
      for (long l = 0; l < n; ++l) sum += ab[l] * c[l * p + j];
      e[i * p + j] = sum;
    }
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
  Eigen::Map<const Matrix> a(array(0), m, k), b(array(1), k, n), c(array(2), n, p), d(array(3), m, p);
  Eigen::Map<Matrix> e(array(4), m, p);
  static Matrix ab(m, n);  // Kept: the memory is not taken anew for each run.
  ab.noalias() = a * b;
  e = beta * d;
  e.noalias() += alpha * ab * c;
}
)");
  }

  // No naive kernel for a GPU: a thread for each element of E would compute a row of A * B each.

  VendorCall Vendor(const Parameters& sizes) const override {
    VendorStep copy, ab, e;
    ab.a = 0;
    ab.b = 1;
    ab.c = e.a = kScratch;
    ab.m = e.m = sizes.at("m");
    ab.n = e.k = sizes.at("n");
    ab.k = sizes.at("k");
    e.b = 2;
    e.c = 4;
    e.n = sizes.at("p");
    e.alpha = kAlpha;
    e.beta = kBeta;
    // The library adds in place: E begins as D, and it is the products that are timed.
    copy.op = VendorStep::Op::kCopy;
    copy.a = 3;
    copy.c = 4;
    copy.m = e.m * e.n;
    return {{copy}, {ab, e}, sizeof(float) * static_cast<std::uint64_t>(ab.m * ab.n)};
  }

  std::string ReferenceElement(const Parameters& sizes) const override {
    Parameters numbers = sizes;
    numbers.erase("m");
    numbers.erase("inner_tile");
    return ElementText(numbers, R"(const std::int64_t row = i / p, column = i % p;
// A row of A * B is kept: the elements that need it mostly come one after the other.
static double ab[n], squares_ab[n];
static std::int64_t kept = -1;
for (std::int64_t j = 0; row != kept && j < n; ++j) {
  ab[j] = squares_ab[j] = 0;
  for (std::int64_t l = 0; l < k; ++l) {
    const double product = double(alpha) * a[row * k + l] * b[l * n + j];
    ab[j] += product;
    squares_ab[j] += product * product;
  }
}
kept = row;
const double start = double(beta) * d[i];
double sum = start, squares = start * start;
for (std::int64_t j = 0; j < n; ++j) {
  const double factor = c[j * p + column];
  sum += ab[j] * factor;
  squares += (ab[j] * ab[j] + squares_ab[j]) * factor * factor;
}
return {sum, SumTolerance(k + n + 4, std::sqrt(squares + sum * sum))};
)");
  }
};

}  // namespace

std::unique_ptr<Kernel> MakeMatmul2() {
  return std::make_unique<Matmul2>();
}

}  // namespace exh::kernels
