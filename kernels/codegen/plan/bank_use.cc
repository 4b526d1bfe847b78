// SPDX-License-Identifier: MIT
#include "kernels/codegen/plan/bank_use.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "kernels/codegen/memory/bank_plan.h"

namespace exh::kernels::codegen {
namespace {

std::size_t Nth(int i) {
  return static_cast<std::size_t>(i);
}

bool TakesPart(const ThreadGuard& guard, const LoopTree& tree, std::uint32_t thread) {
  return (guard.below == 0 || thread < guard.below) &&
         std::ranges::all_of(guard.axes,
                             [&](int axis) { return tree.axes[Nth(axis)].IndexOf(thread) == 0; });
}

/// Counts the accesses of one instruction.
class UseCounter {
 public:
  UseCounter(const LoweredCode& code, const ir::Instruction& inst, const XorLayout& layout)
      : code_(code), inst_(inst), layout_(layout), address_(code.memory.address[inst.id.index()]) {
    use_.inst = inst.id;
    width_ = WidthOf(*code.schedule, code.tree, address_, inst);
    bytes_ = code.function->block(inst.block).element_bytes;
  }

  BankUse Run() {
    const LoopTree& tree = code_.tree;
    const int node = tree.node_of_inst[inst_.id.index()];
    const int band = tree.BandAround(node);
    bool is_wide = width_ > 1;
    for (int at = node; at >= 0 && at != band; at = tree.node(at).parent) {
      const LoopNode& around = tree.node(at);
      if (around.kind != NodeKind::kUnroll) continue;
      const std::int64_t step = address_.StrideOf(around.dim_class);
      std::uint32_t size = tree.classes[Nth(around.dim_class)].size, by = 1;
      if (is_wide && step == 1) {  // One access for several copies.
        by = width_;
        is_wide = false;
      }
      size = (size + by - 1) / by;
      if (step == 0) {
        repeats_ *= size;
      } else if (size > 1) {
        copies_.push_back({step * by, size});
      }
    }
    CountCopies(band, 0, 0);
    use_.accesses *= repeats_;
    use_.wavefronts *= repeats_;
    use_.least *= repeats_;
    return use_;
  }

 private:
  void CountCopies(int band, std::size_t dim, std::int64_t moved) {
    if (dim < copies_.size()) {
      for (std::uint32_t copy = 0; copy < copies_[dim].second; ++copy) {
        CountCopies(band, dim + 1, moved + copies_[dim].first * copy);
      }
      return;
    }
    const ThreadGuard& of_store = code_.threads.store[inst_.id.index()];
    for (std::uint32_t first = 0; first < code_.tree.num_threads; first += ir::kWarpLanes) {
      std::vector<std::int64_t> lanes;
      const std::uint32_t end = std::min(first + ir::kWarpLanes, code_.tree.num_threads);
      for (std::uint32_t thread = first; thread < end; ++thread) {
        const int layout = band < 0 ? -1 : code_.tree.node(band).layout;
        const std::uint32_t t =
            layout < 0 ? thread : code_.tree.layouts[Nth(layout)].PlaceOf(thread);
        const bool runs = TakesPart(of_store, code_.tree, t) &&
                          (band < 0 || TakesPart(code_.threads.band[Nth(band)], code_.tree, t));
        lanes.push_back(runs ? layout_.Place(moved + ElementTaken(code_.tree, address_, t)) * bytes_
                             : kIdleLane);
      }
      const std::uint32_t bytes = width_ * bytes_;
      const std::uint32_t groups = LeastWavefronts(lanes, bytes);
      use_.accesses += groups > 0;
      use_.least += groups;
      use_.wavefronts += Wavefronts(lanes, bytes);
    }
  }

  const LoweredCode& code_;
  const ir::Instruction& inst_;
  const XorLayout& layout_;
  const Affine& address_;
  std::uint32_t width_ = 1, bytes_ = 4;
  std::vector<std::pair<std::int64_t, std::uint32_t>> copies_;  ///< Step and number, by dim.
  std::uint64_t repeats_ = 1;                                   ///< Copies that access the same.
  BankUse use_;
};

}  // namespace

std::vector<BankUse> CountWavefronts(const LoweredCode& code) {
  std::vector<BankUse> uses;
  for (const TempArray& temp : code.memory.temps) {
    if (temp.space != MemSpace::SHARED) continue;
    const ir::MemBlock& block = code.function->block(temp.block);
    for (const ir::InstId id : {block.store, block.load}) {
      uses.push_back(UseCounter(code, code.function->inst(id), temp.layout).Run());
    }
  }
  return uses;
}

}  // namespace exh::kernels::codegen
