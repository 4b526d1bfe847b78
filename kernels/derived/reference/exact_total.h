// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "kernels/derived/reference/op_rules.h"
#include "kernels/derived/reference/product.h"

namespace exh::kernels::derived {

/// Is a sum or a product exact in whatever order its terms are taken? It is where no term errs, all
/// are multiples of one number, and so few of it that its type holds every partial sum. 1.5 + 0.25
/// is seven quarters, and all of 7 quarters or less are exact.
class ExactTotal {
 public:
  /// Of no terms. `may_be`: false says that there is nothing to look for.
  ExactTotal(const Reduction& reduction, bool may_be)
      : multiplies_(reduction.gathering == Gathering::kProduct),
        may_be_(may_be && !reduction.is_whole && (multiplies_ || reduction.adds())),
        limit_(std::ldexp(1, reduction.bits())),
        total_(multiplies_ ? 1 : 0) {}

  void Take(double value, double error) {
    if (!may_be_) return;
    if (error != 0 || !std::isfinite(value)) {
      may_be_ = false;
    } else if (multiplies_) {
      total_ *= std::max(1.0, std::abs(value));
      may_be_ = value == std::trunc(value) && total_ < limit_;
    } else if (value != 0) {
      unit_ = std::min(unit_, LowestBit(value));
      total_ += std::abs(value);
      may_be_ = total_ <= limit_ * unit_;
    }
  }
  /// A row of terms.
  void Take(const RowSlot& terms, std::int64_t points) {
    for (std::int64_t i = 0; i < points && may_be_; ++i) Take(terms.value[i], terms.error[i]);
  }
  void Take(const ExactTotal& more) {
    unit_ = std::min(unit_, more.unit_);
    total_ = multiplies_ ? total_ * more.total_ : total_ + more.total_;
    may_be_ = may_be_ && more.may_be_ &&
              (multiplies_ ? total_ < limit_ : total_ == 0 || total_ <= limit_ * unit_);
  }
  bool is_exact() const { return may_be_; }

 private:
  /// The largest power of two that a number, which is not 0, is a multiple of.
  static double LowestBit(double value) {
    constexpr int kBits = std::numeric_limits<double>::digits;
    int exponent = 0;
    const auto bits = static_cast<std::int64_t>(std::ldexp(std::frexp(value, &exponent), kBits));
    const int zeros = std::countr_zero(static_cast<std::uint64_t>(bits));
    return std::ldexp(1, exponent - kBits + zeros);
  }

  bool multiplies_, may_be_;
  double limit_;  ///< Whole numbers up to it are held.
  double unit_ = std::numeric_limits<double>::infinity();
  double total_;
};

/// What some terms of a reduction or a scan come to, and whether that is exact.
template <typename Real>
struct GatheredTerms {
  GatheredTerms(const Reduction& reduction, bool may_be_exact)
      : total(Total<Real>::Nothing(reduction.gathering)), exact(reduction, may_be_exact) {}

  Total<Real> total;
  ExactTotal exact;

  /// With a first value, as slots hold it.
  void Begin(const Reduction& reduction, double slot, double error) {
    exact.Take(slot, error);
    total = Total<Real>::OfSlot(reduction, slot, error);
  }
  /// One term, as slots hold it.
  void Take(const Reduction& reduction, double slot, double error) {
    exact.Take(slot, error);
    total.Take(reduction, Total<Real>::OfSlot(reduction, slot, error));
  }
  /// A row of terms.
  void Take(const Reduction& reduction, const RowSlot& terms, std::int64_t points) {
    if (reduction.adds() && reduction.type == ir::Type::kF32) {
      using Row = Eigen::Map<const Eigen::ArrayXd>;
      exact.Take(terms, points);
      const Row values(terms.value, points), errors(terms.error, points);
      const double squares = values.square().sum();
      total.Take(reduction, {values.sum(), squares, errors.sum(), 0, std::isfinite(squares)});
      return;
    }
    for (std::int64_t i = 0; i < points; ++i) Take(reduction, terms.value[i], terms.error[i]);
  }
};

}  // namespace exh::kernels::derived
