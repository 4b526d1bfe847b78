// SPDX-License-Identifier: MIT
//
// The vendor's calls. A sum of products adds up in the output: the first product overwrites it, or
// adds to an array of the sum that was copied there before, and the others add to that. Copies
// come before everything and are not timed. The scratch memory holds one matrix at a time: a packed
// factor, or a product that is a factor of another.
#include "kernels/derived/calls/library_calls.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "kernels/derived/calls/linear_form.h"
#include "kernels/derived/calls/matrix_product.h"

namespace exh::kernels::derived {
namespace {

using Op = VendorStep::Op;

class Caller {
 public:
  Caller(const ir::Function& function, const Expression& expression)
      : function_(function), e_(expression) {}

  std::optional<VendorCall> Call() {
    for (const int store : e_.outputs) {
      const std::optional<LinearForm> form = LinearFormOf(e_, store);
      if (!form || !AddOutput(*form)) return std::nullopt;
    }
    return std::move(call_);
  }

 private:
  bool AddOutput(const LinearForm& form) {
    std::vector<LinearTerm> loads, products;
    for (const LinearTerm& term : form.terms) {
      (term.factor.product ? products : loads).push_back(term);
    }
    const Expression::Node& store = e_.node(form.store);
    for (const LinearTerm& term : loads) {
      if (!LiesAs(e_, e_.node(term.factor.load), store)) return false;
    }
    // Each call but a copy rounds the output to its type. Of halves that is more than a rounding of
    // what is computed: it happens once.
    const std::size_t roundings = form.terms.size() - (loads.empty() ? 0 : 1);
    if (ir::InfoOf(form.type).is_narrow() && roundings > 1) return false;
    const StridedAccess c = AccessOf(store);
    double beta = 0;
    std::vector<int> beta_scalars;
    if (products.empty()) {
      if (form.has_relu) return false;
      if (!BeginWithLoad(loads, c, Elements(store))) return false;
    } else if (!loads.empty()) {
      if (form.has_relu && loads.size() > 1) return false;
      call_.before.push_back(Elementwise(Op::kCopy, loads.front(), c, Elements(store)));
      beta = loads.front().coefficient.value();
      beta_scalars = ScalarsOf(loads.front().coefficient);
      loads.erase(loads.begin());
    }
    for (const LinearTerm& term : products) {
      const bool is_last = &term == &products.back();
      if (!AddProduct(*term.factor.product, form.type, term.coefficient, c, beta,
                      form.has_relu && is_last, true)) {
        return false;
      }
      call_.steps.back().beta_scalars = std::exchange(beta_scalars, {});
      beta = 1;
    }
    for (const LinearTerm& term : loads) {
      call_.steps.push_back(Elementwise(Op::kAxpy, term, c, Elements(store)));
    }
    return true;
  }

  std::int64_t Elements(const Expression::Node& store) const {
    return static_cast<std::int64_t>(e_.Points(store.axes));
  }

  VendorStep Elementwise(Op op, const LinearTerm& term, const StridedAccess& c,
                         std::int64_t m) const {
    VendorStep step;
    step.op = op;
    step.type = step.type_c = e_.node(term.factor.load).type;
    step.a = AccessOf(e_.node(term.factor.load)).array;
    step.c = c.array;
    step.m = m;
    if (op == Op::kAxpy) {
      step.alpha = Alpha(term.coefficient, step.type);
      step.alpha_scalars = ScalarsOf(term.coefficient);
    }
    return step;
  }

  /// The output begins as an array that is not multiplied: the last of them, for the others it is
  /// that are then added. It is taken out of `loads`.
  bool BeginWithLoad(std::vector<LinearTerm>& loads, const StridedAccess& c,
                     std::int64_t elements) {
    const auto found = std::find_if(loads.rbegin(), loads.rend(), [](const LinearTerm& term) {
      return term.coefficient.value() == 1;
    });
    if (found == loads.rend()) return false;
    const VendorStep copy = Elementwise(Op::kCopy, *found, c, elements);
    (loads.size() == 1 ? call_.steps : call_.before).push_back(copy);
    loads.erase(std::next(found).base());
    return true;
  }

  /// Its scalars, by number.
  std::vector<int> ScalarsOf(const Coefficient& coefficient) const {
    std::vector<int> numbers;
    for (const Expression::Input& number : coefficient.numbers) {
      for (std::size_t i = 0; i < function_.scalars.size(); ++i) {
        if (function_.scalars[i].name == number.scalar) numbers.push_back(static_cast<int>(i));
      }
    }
    return numbers;
  }

  /// As the library takes it.
  static double Alpha(const Coefficient& coefficient, ir::Type type) {
    return ir::Rounded(ir::ComputeTypeOf(type), coefficient.value());
  }

  /// c = coefficient * product + beta * c; c has elements of type `type_c`.
  bool AddProduct(const LinearProduct& product, ir::Type type_c, const Coefficient& coefficient,
                  const StridedAccess& c, double beta, bool relu, bool has_scratch) {
    StridedAccess a, b;
    for (const auto& [factor, access] : {std::pair(&product.a, &a), std::pair(&product.b, &b)}) {
      if (factor->product == nullptr) {
        *access = AccessOf(e_.node(factor->load));
        continue;
      }
      const LinearProduct& inner = *factor->product;
      *access = RowMajor(e_, inner.axes, kScratch);
      if (!std::exchange(has_scratch, false)) return false;
      const ir::Type inner_type = TypeOf(e_, *factor);
      TakeScratch(static_cast<std::int64_t>(e_.Points(inner.axes)), inner_type);
      if (!AddProduct(inner, inner_type, inner.coefficient, *access, 0, inner.has_relu, false)) {
        return false;
      }
    }
    const auto shape = MatrixProductOf(e_, product.axes, product.reduced, a, b, c);
    if (!shape) return false;
    MatrixProduct p = *shape;
    auto in_a = DenseMatrixOf(p.a, p.m, p.k), in_b = DenseMatrixOf(p.b, p.k, p.n);
    const auto in_c = DenseMatrixOf(p.c, p.m, p.n);
    if (!in_a || !in_b || !in_c || in_c->is_transposed || in_c->stride != 1) return false;
    VendorStep step;
    step.type = TypeOf(e_, product.a);
    step.type_c = type_c;
    if (!Pack(p.a, *in_a, step.type, p.m * p.k, p.batch, has_scratch)) return false;
    if (!Pack(p.b, *in_b, step.type, p.k * p.n, p.batch, has_scratch)) return false;
    step.a = p.a.array;
    step.b = p.b.array;
    step.c = p.c.array;
    step.m = p.m;
    step.alpha = Alpha(coefficient, step.type);
    step.alpha_scalars = ScalarsOf(coefficient);
    step.beta = ir::Rounded(ir::ComputeTypeOf(step.type), beta);
    step.relu = relu;
    if (p.is_vector && p.batch == 1 && !in_a->is_transposed && !relu) {
      step.op = Op::kGemv;
      step.n = p.k;
    } else {
      step.n = p.n;
      step.k = p.k;
      step.transpose_a = in_a->is_transposed;
      step.transpose_b = in_b->is_transposed;
      step.batch = p.batch;
      step.step_a = p.a.step;
      step.step_b = p.b.step;
      step.step_c = p.c.step;
    }
    call_.steps.push_back(step);
    return true;
  }

  /// The library wants one of the two strides to be 1.
  bool Pack(MatrixPlace& place, const DenseMatrix& matrix, ir::Type type, std::int64_t elements,
            std::int64_t batch, bool& has_scratch) {
    if (matrix.stride == 1) return true;
    VendorStep pack;
    pack.op = Op::kPack;
    pack.type = pack.type_c = type;
    pack.a = std::exchange(place.array, kScratch);
    pack.c = kScratch;
    pack.m = elements;
    pack.stride = matrix.stride;
    if (place.step != 0) {
      if (std::exchange(place.step, elements) != elements * matrix.stride) return false;
      pack.m *= batch;
    }
    TakeScratch(pack.m, type);
    call_.steps.push_back(pack);
    return std::exchange(has_scratch, false);
  }

  void TakeScratch(std::int64_t elements, ir::Type type) {
    const std::uint64_t bytes = static_cast<std::uint64_t>(elements) * ir::BytesOf(type);
    call_.scratch_bytes = std::max(call_.scratch_bytes, bytes);
  }

  const ir::Function& function_;
  const Expression& e_;
  VendorCall call_;
};

}  // namespace

VendorCall Vendor(const ir::Function& function) {
  const Expression expression = ExpressionOf(function);
  return Caller(function, expression).Call().value_or(VendorCall{});
}

}  // namespace exh::kernels::derived
