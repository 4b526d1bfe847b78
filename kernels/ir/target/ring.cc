// SPDX-License-Identifier: MIT
//
// What kernels/spaces/ring.exh and min_blocks (limits.exh) ask.
#include <algorithm>
#include <array>
#include <functional>

#include "kernels/ir/target.h"

namespace exh::kernels::ir {
namespace {

constexpr std::uint32_t kMostCounted = 8;
constexpr std::array kCopyBytes = {4u, 8u, 16u};

constexpr std::array<Count, kMostCounted> MakeCounts() {
  std::array<Count, kMostCounted> counts;
  for (std::uint32_t i = 0; i < kMostCounted; ++i) counts[i].value = i + 1;
  return counts;
}
constexpr std::array<Count, kMostCounted> kCounts = MakeCounts();

std::vector<std::uint32_t> UpTo(std::uint32_t most) {
  std::vector<std::uint32_t> numbers;
  for (std::uint32_t n = 1; n <= std::clamp(most, 1u, kMostCounted); ++n) numbers.push_back(n);
  return numbers;
}

}  // namespace

Refs<Count> Target::counts() const {
  const std::uint32_t most = paper ? 1 : std::max(device.max_stages, device.resident_blocks);
  Refs<Count> out;
  for (const std::uint32_t n : UpTo(most)) out.push_back(std::cref(count(n)));
  return out;
}

const Count& Target::count(std::uint32_t value) const {
  return kCounts[value - 1];
}

bool Target::may_turn(const MemBlock& b) const {
  const InstId load = comm(b.comm).producer;
  if (paper || device.max_stages < 2 || device.vector_arithmetic || !reads_input(inst(load))) {
    return false;
  }
  return 1 == std::ranges::count_if(
                  comms, [&](const Communication& c) { return c.producer == load && !c.planned; });
}

std::vector<std::uint32_t> Target::stage_universe(const MemBlock& b) const {
  return UpTo(may_turn(b) ? device.max_stages : 1);
}

bool Target::may_copy_async(const MemBlock& b) const {
  const Instruction& load = inst(comm(b.comm).producer);
  return device.async_copies && may_turn(b) && array(load.array).type == b.type;
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

std::vector<std::uint32_t> Target::min_blocks_universe() const {
  return UpTo(paper || device.block_registers == 0 ? 1 : device.resident_blocks);
}

std::uint32_t Target::sums_of_resident_warps(const Instruction& reduction,
                                             const Count& wanted) const {
  const std::uint32_t lanes = ShapeOf(UnitOf(*this, reduction)).lanes;
  return device.block_registers / (tensor_registers(reduction) * lanes * wanted.value);
}

std::uint32_t Target::threads_of_resident(const Count& wanted) const {
  constexpr std::uint32_t kFewestRegisters = 32;
  return device.block_registers / (kFewestRegisters * wanted.value);
}

std::uint32_t Target::lanes_of_resident(const Instruction& reduction, const Count& wanted) const {
  // An instruction's operands and sums; as many again are where they come from and go to.
  const MatrixUnit unit = UnitOf(*this, reduction);
  const UnitShape& shape = ShapeOf(unit);
  const Type element = *TypeOf(reduction.operands.front());
  const std::uint32_t factors = shape.first_elements() + shape.second_elements();
  const std::uint32_t bytes =
      factors * BytesOf(FactorsOf(unit, element)) + shape.sums() * BytesOf(SumsOf(unit));
  const std::uint32_t fewest = 2 * bytes / 4;
  return device.block_registers / (fewest * wanted.value);
}

}  // namespace exh::kernels::ir
