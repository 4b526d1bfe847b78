// SPDX-License-Identifier: MIT
// C[i] = A[i] * B[i] for many small matrices that lie one behind the other, row-major or
// transposed; with reuse_b there is one B for all.
#include "tests/kernels/oracle/kernels.h"
#include "tests/kernels/oracle/matrix.h"

namespace exh::kernels {
namespace {

class BatchedMatmul final : public Kernel {
 public:
  std::string_view name() const override { return "batched_matmul"; }
  std::string_view summary() const override { return "C[i] = A[i] * B[i], many small products"; }
  std::vector<Parameter> parameters() const override {
    return {{"batch", 512, 1, 1 << 16, "number of products"},
            {"m", 32, 1, 1 << 12, "rows of each C"},
            {"n", 32, 1, 1 << 12, "columns of each C"},
            {"k", 64, 1, 1 << 12, "length of the sums"},
            {"transpose_a", 0, 0, 1, "1: each A is stored k x m"},
            {"transpose_b", 0, 0, 1, "1: each B is stored n x k"},
            {"reuse_b", 0, 0, 1, "1: one B for all products"}};
  }

  void Build(ir::Builder& b, const Parameters& sizes) const override {
    const Operands o(sizes);
    const auto array_size = [&](std::int64_t step, const Layout& layout) {
      return static_cast<std::uint64_t>(step * (o.batch - 1) + layout.elements());
    };
    const ir::ArrayId a = b.InputArray("a", array_size(o.a_step, o.a));
    const ir::ArrayId bb = b.InputArray("b", array_size(o.b_step, o.b));
    const ir::ArrayId c = b.OutputArray("c", array_size(o.c_step, o.c));
    // One tile level an axis: with two, none of 32 could be a vector of 16.
    const auto axis = [&](const char* name, std::int64_t total, std::uint32_t largest) {
      return b.Axis(name, static_cast<std::uint32_t>(total), {{2, largest}});
    };
    const ir::AxisRef batch = axis("batch", o.batch, 128), m = axis("m", o.c.rows, 64);
    const ir::AxisRef n = axis("n", o.c.columns, 64), k = axis("k", o.a.columns, 64);
    const ir::Value load_a =
        b.Load("load_a", a, {{batch, o.a_step}, {m, o.a.row}, {k, o.a.column}});
    ir::Strides strides_b = {{k, o.b.row}, {n, o.b.column}};
    if (!o.reuse_b) strides_b.insert(strides_b.begin(), {batch, o.b_step});
    const ir::Value load_b = b.Load("load_b", bb, strides_b);
    const ir::Value init = b.Compute("init", ir::Op::kConst, {batch, m, n}, {ir::Literal(0)});
    const ir::Value mad = b.Reduce("mad", ir::Op::kMad, {batch, m, n, k}, {k}, init,
                                   {ir::MayStage(load_a), ir::MayStage(load_b)});
    b.Store("store_c", c, {{batch, o.c_step}, {m, o.c.row}, {n, o.c.column}}, ir::InRegisters(mad));
  }

  void Reference(const Parameters& sizes, ProblemData& data) const override {
    const Operands o(sizes);
    for (std::int64_t product = 0; product < o.batch; ++product) {
      const Eigen::MatrixXd a = Matrix(data.at("a"), o.a, product * o.a_step);
      const Eigen::MatrixXd b = Matrix(data.at("b"), o.b, product * o.b_step);
      const Eigen::MatrixXd c = a * b;
      AppendResult(data.at("c"), c, a.cwiseAbs2() * b.cwiseAbs2(), c.cwiseAbs2(),
                   static_cast<double>(o.a.columns) + 1);
    }
  }

  double Flops(const Parameters& sizes) const override {
    const Operands o(sizes);
    return 2.0 * static_cast<double>(o.batch * o.a.columns) * static_cast<double>(o.c_step);
  }

  std::string NaiveSource(const Parameters& sizes) const override {
    return Yardstick(Constants(sizes), R"(
extern "C" void exh_run(void* const* arrays, const double*, int) {
  for (long product = 0; product < batch; ++product) {
    const float* a = static_cast<const float*>(arrays[0]) + product * a_step;
    const float* b = static_cast<const float*>(arrays[1]) + product * b_step;
    float* c = static_cast<float*>(arrays[2]) + product * m * n;
    for (long i = 0; i < m; ++i) {
      for (long j = 0; j < n; ++j) {
        float sum = 0;
        for (long p = 0; p < k; ++p) sum += a[i * a_m + p * a_k] * b[p * b_k + j * b_n];
        c[i * n + j] = sum;
      }
    }
  }
}
)");
  }

  std::string EigenSource(const Parameters& sizes) const override {
    const Operands o(sizes);
    // The products are small: each is one thread's, and they are shared out.
    const std::string c =
        "Eigen::Map<Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>> c";
    const std::string begin =
        "extern \"C\" void exh_run(void* const* arrays, const double*, int threads) {\n"
        "  const auto array = [=](int i) { return static_cast<float*>(arrays[i]); };\n"
        "  Eigen::setNbThreads(";
    std::string body;
    if (o.is_tall()) {
      const Layout tall(o.batch * o.a.rows, o.a.columns);
      body = begin + "threads);\n  " + c + "(array(2), batch * m, n);\n" +
             "  c.noalias() = " + EigenMatrix(tall, "array(0)") + " * " +
             EigenMatrix(o.b, "array(1)") + ";\n}\n";
    } else {
      body = begin + "1);\n#pragma omp parallel for num_threads(threads)\n" +
             "  for (long product = 0; product < batch; ++product) {\n    " + c +
             "(array(2) + product * m * n, m, n);\n    c.noalias() = " +
             EigenMatrix(o.a, "array(0) + product * a_step") + " *\n" +
             EigenMatrix(o.b, "array(1) + product * b_step") + ";\n  }\n}\n";
    }
    return "#include <Eigen/Core>\n" + Yardstick(Constants(sizes), body);
  }

  Source NaiveCuda(const Parameters& sizes) const override {
    const Operands o(sizes);
    return CudaYardstick(Constants(sizes), o.batch * o.c_step,
                         "const float* __restrict__ a, const float* __restrict__ b, "
                         "float* __restrict__ c",
                         "  const long product = i / (m * n), row = i / n % m, column = i % n;\n"
                         "  float sum = 0;\n"
                         "  for (long p = 0; p < k; ++p) {\n"
                         "    sum += a[product * a_step + row * a_m + p * a_k] *\n"
                         "           b[product * b_step + p * b_k + column * b_n];\n"
                         "  }\n"
                         "  c[i] = sum;\n");
  }

  VendorCall Vendor(const Parameters& sizes) const override {
    const Operands o(sizes);
    VendorStep products;
    products.a = 0;
    products.b = 1;
    products.c = 2;
    products.m = o.c.rows;
    products.n = o.c.columns;
    products.k = o.a.columns;
    products.transpose_a = o.a.transposed;
    products.transpose_b = o.b.transposed;
    if (o.is_tall()) {
      products.m *= o.batch;
    } else {
      products.batch = o.batch;
      products.step_a = o.a_step;
      products.step_b = o.b_step;
      products.step_c = o.c_step;
    }
    return {{}, {products}, 0};
  }

  std::string ReferenceElement(const Parameters& sizes) const override {
    Parameters numbers = Constants(sizes);
    for (const char* unused : {"batch", "transpose_a", "transpose_b", "reuse_b"}) {
      numbers.erase(unused);
    }
    return ElementText(numbers,
                       R"(const std::int64_t product = i / (m * n), row = i / n % m, column = i % n;
double sum = 0, squares = 0;
for (std::int64_t p = 0; p < k; ++p) {
  const double term = double(a[product * a_step + row * a_m + p * a_k]) *
                      b[product * b_step + p * b_k + column * b_n];
  sum += term;
  squares += term * term;
}
return {sum, SumTolerance(k + 1, std::sqrt(squares + sum * sum * k / (k + 1)))};
)");
  }

 private:
  struct Operands {
    explicit Operands(const Parameters& s)
        : batch(s.at("batch")),
          a(s.at("m"), s.at("k"), s.at("transpose_a") != 0),
          b(s.at("k"), s.at("n"), s.at("transpose_b") != 0),
          c(s.at("m"), s.at("n")),
          reuse_b(s.at("reuse_b") != 0),
          a_step(a.elements()),
          b_step(reuse_b ? 0 : b.elements()),
          c_step(c.elements()) {}
    /// With one B for all, and rows of one A behind those of the one before, there is a single
    /// product of a tall matrix.
    bool is_tall() const { return reuse_b && !a.transposed; }

    std::int64_t batch;
    Layout a, b, c;
    bool reuse_b;
    std::int64_t a_step, b_step, c_step;  ///< Elements from one matrix to the next.
  };

  static Parameters Constants(const Parameters& sizes) {
    const Operands o(sizes);
    Parameters constants = sizes;
    constants["a_step"] = o.a_step;
    constants["b_step"] = o.b_step;
    constants["a_m"] = o.a.row;
    constants["a_k"] = o.a.column;
    constants["b_k"] = o.b.row;
    constants["b_n"] = o.b.column;
    return constants;
  }
};

}  // namespace

std::unique_ptr<Kernel> MakeBatchedMatmul() {
  return std::make_unique<BatchedMatmul>();
}

}  // namespace exh::kernels
