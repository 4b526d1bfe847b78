// SPDX-License-Identifier: MIT
#include "models/terms/blocks.h"

#include "models/terms/arithmetic.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace exh::models::terms {
namespace {

/// One of the two operands, as the candidate leaves it.
struct Side {
  double of_thread = 1, of_block = 1;  ///< Points that use an element, at most.
  double width = 1, bytes = 4;         ///< Elements of an access at most; of an element.
  bool is_widened = false;
};

/// The least of a / r1 + b / r2 where r1 * r2 <= `both`, r1 <= `most1` and r2 <= `most2`. All are 1
/// or more, but for a and b, which are more than 0.
double LeastRead(double a, double b, double both, double most1, double most2) {
  if (most1 * most2 <= both) return a / most1 + b / most2;
  // On the hyperbola the sum falls until a / r1 = b / r2, and grows from there on.
  const double r1 = std::clamp(std::sqrt(both * a / b), std::min(both / most2, most1), most1);
  return a / r1 + b * r1 / both;
}

/// A product, in clocks of the busiest unit.
class ClocksOfProduct {
 public:
  ClocksOfProduct(const WorkView& view, const Product& product)
      : view_(view),
        product_(product),
        nest_(view.inventory().computations[product.computation].nest),
        work_(view.work(nest_)),
        hidden_((NsOf(Ends::kGapAndRead, view) - NsOf(Ends::kGap, view)) * view.rates().clock_ghz) {
    const Nest& nest = view.inventory().nests[nest_];
    for (std::size_t i = 0; i < 2; ++i) {
      const OperandWork operand(view, view.inventory().operands[product.operands[i]]);
      double of_block = 1;
      for (std::size_t axis = 0; axis < nest.axes.size(); ++axis) {
        if ((product.reuse[i] >> axis & 1) != 0) of_block *= work_.block_max[axis];
      }
      sides_[i] = {operand.reuse, of_block, operand.width, operand.read.element_bytes,
                   operand.read.is_widened};
    }
  }

  /// By the pipes of products alone, where the busiest unit has this share of the blocks.
  double ByPipes(double share) const {
    return work_.points * work_.waste * share / view_.rates().fma_per_clk;
  }

  /// With so many blocks, of which the busiest unit has this share.
  double Clocks(double blocks, double share) const {
    const double points = work_.points * work_.waste * share;
    const double per_block = product_.reuse_points * product_.other_points * work_.splits / blocks;
    const double both = std::clamp(per_block, 1.0, product_.reuse_points);
    const DeviceRates& rates = view_.rates();
    double clocks = ByPipes(share);
    // No block reads an element less often than it has points for it.
    if (rates.accesses_per_clk > 0) {
      const double bytes =
          LeastRead(sides_[0].bytes, sides_[1].bytes, both, sides_[0].of_block, sides_[1].of_block);
      const double accesses = work_.points * share * bytes / rates.access_bytes;
      clocks = std::max(clocks, accesses / rates.accesses_per_clk - hidden_);
    }
    return std::max(clocks, Instructions(points, both));
  }

 private:
  /// Of the way of computing it that takes less.
  double Instructions(double points, double both) const {
    const DeviceRates& rates = view_.rates();
    const bool may_be_unit = work_.at_once > 1;
    double by_threads = HUGE_VAL, by_unit = HUGE_VAL;
    if (!work_.is_of_unit) {
      const double reads = LeastRead(1 / sides_[0].width, 1 / sides_[1].width, both,
                                     sides_[0].of_thread, sides_[1].of_thread);
      const double issued = points * (1 + reads) / rates.warp_lanes;
      by_threads = rates.issues_per_clk > 0 ? issued / rates.issues_per_clk - hidden_ : 0;
    }
    if (may_be_unit) {
      const bool are_widened = sides_[0].is_widened && sides_[1].is_widened;
      const double reads = LeastRead(1, 1, both, sides_[0].of_thread, sides_[1].of_thread);
      const bool is_known = are_widened && rates.conversions_per_clk > 0;
      by_unit = is_known ? points * reads / rates.conversions_per_clk : 0;
      // It is of doubles: others have no product here.
      by_unit = std::max(by_unit, points / rates.fma_per_clk * Arithmetic::ClocksOfDoubles(rates));
    }
    return std::min(by_threads, by_unit);
  }

  const WorkView& view_;
  const Product& product_;
  const std::size_t nest_;
  const Work& work_;
  const double hidden_;  ///< Clocks in which instructions may begin before the first read has come.
  std::array<Side, 2> sides_;
};

}  // namespace

void Blocks::Finish(const WorkView& view) {
  const Inventory& inventory = view.inventory();
  const DeviceRates& rates = view.rates();
  if (inventory.is_uneven || inventory.products.empty()) return;
  if (rates.fma_per_clk <= 0 || rates.unit_blocks == 0) return;
  const auto points = [&](const Product& product) {
    return view.work(inventory.computations[product.computation].nest).points;
  };
  const Product& largest = *std::ranges::max_element(inventory.products, {}, points);
  if (!view.IsInAllBlocks(inventory.nests[inventory.computations[largest.computation].nest])) {
    return;
  }
  const ClocksOfProduct product(view, largest);
  double least = HUGE_VAL;
  const auto look = [&](double blocks, double share) {
    // Most numbers do not even share out well enough.
    if (product.ByPipes(share) >= least) return;
    const double clocks = product.Clocks(blocks, share);
    if (clocks < least) least = clocks, best_ = blocks;
  };
  // Of more than the divisors the busiest unit has its share at least.
  const double many = kMostWaves * rates.units;
  if (view.max_blocks() > many) look(std::max(many, view.min_blocks()), 1 / rates.units);
  // The more there are, the better they share out.
  const std::vector<double>& divisors = inventory.divisors;
  for (auto n = divisors.rbegin(); n != divisors.rend() && *n >= view.min_blocks(); ++n) {
    const double each = view.blocks_divide() / *n;
    const bool is_possible = *n <= view.max_blocks() && each == std::floor(each);
    if (is_possible) look(*n, std::ceil(*n / rates.units) / *n);
  }
  if (least < HUGE_VAL) SetAmount(least);
}

std::string Blocks::Unit(const WorkView& view) const {
  const bool is_many = best_ >= kMostWaves * view.rates().units;
  return fmt::format("clocks of the busiest unit, with {:g} blocks{}", best_,
                     is_many ? " or more" : "");
}

}  // namespace exh::models::terms
