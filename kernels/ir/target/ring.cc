// SPDX-License-Identifier: MIT
//
// What kernels/spaces/ring.exh asks: which temporaries may have several slots, and how they are
// filled.
#include <algorithm>
#include <array>

#include "kernels/ir/target.h"

namespace exh::kernels::ir {
namespace {

constexpr std::array kCopyBytes = {4u, 8u, 16u};

}  // namespace

bool Target::may_turn(const MemBlock& b) const {
  const InstId load = comm(b.comm).producer;
  if (paper || device.max_stages < 2 || device.vector_arithmetic || !reads_input(inst(load))) {
    return false;
  }
  return 1 == std::ranges::count_if(
                  comms, [&](const Communication& c) { return c.producer == load && !c.planned; });
}

std::vector<std::uint32_t> Target::stage_universe(const MemBlock& b) const {
  return up_to(may_turn(b) ? device.max_stages : 1);
}

bool Target::may_copy_async(const MemBlock& b) const {
  const Instruction& load = inst(comm(b.comm).producer);
  // What is outside such a copy fills with zeros.
  const bool fills = load.guards.empty() || double{load.outside} == 0;
  return device.async_copies && may_turn(b) && array(load.array).type == b.type && fills;
}

bool Target::may_copy_bulk(const MemBlock& b) const {
  if (!device.bulk_copies || !may_copy_async(b)) return false;
  const Communication& served = comm(b.comm);
  const Instruction& load = inst(served.producer);
  if (!load.guards.empty() || load.offset != 0 || load.access.size() > kTensorAxes) return false;
  std::uint32_t neighbours = 0;
  for (const AccessAxis& axis : load.access) {
    if (axis.stride == 1) {
      ++neighbours;
    } else if (axis.stride <= 0 || axis.stride * b.element_bytes % kTensorBytes != 0) {
      return false;
    }
  }
  const bool is_taken = std::ranges::any_of(insts, [&](const Instruction& product) {
    return product.is_reduction() && may_use_groups(product) && is_operand(product, served);
  });
  return neighbours == 1 && is_taken;
}

std::vector<std::uint32_t> Target::async_lanes(const MemBlock& b) const {
  std::vector<std::uint32_t> lanes;
  for (const std::uint32_t bytes : kCopyBytes) {
    if (bytes >= b.element_bytes) lanes.push_back(bytes / b.element_bytes);
  }
  return lanes;
}

std::uint32_t Target::widest_copy(const MemBlock& b) const {
  return kCopyBytes.back() / b.element_bytes;
}

bool Target::is_copied_along(const Axis& axis) const {
  const MemBlock& b = block(axis.block);
  const Refs<Dimension> along = contiguous_dim(inst(comm(b.comm).producer));
  const auto& planned = comm(b.comm).lowered;
  if (along.empty() || !planned) return false;
  return std::ranges::any_of(comm(planned->store_comm).pairs, [&](PairId id) {
    return pair(id).src == along.front().get().id && pair(id).dst == axis.store_dim;
  });
}

}  // namespace exh::kernels::ir
