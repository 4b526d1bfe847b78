// SPDX-License-Identifier: MIT
#include "models/inventory/domains.h"

#include <bit>
#include <numeric>

namespace exh::models {
namespace ir = kernels::ir;
namespace {

Presence PresenceOf(runtime::Membership membership) {
  switch (membership) {
    case runtime::Membership::kCertain:
      return Presence::kCertain;
    case runtime::Membership::kExcluded:
      return Presence::kAbsent;
    default:
      return Presence::kPossible;
  }
}

/// In 32 bits, and done as soon as it is 1: this is asked for every dimension of every candidate.
std::uint32_t CommonDivisor(const runtime::IntDomain& numbers) {
  std::uint32_t divisor = 0;
  for (std::size_t word = 0; word < numbers.num_words(); ++word) {
    for (runtime::Bits rest = numbers.word(word); rest != 0 && divisor != 1; rest &= rest - 1) {
      const auto bit = static_cast<std::size_t>(std::countr_zero(rest));
      divisor = std::gcd(divisor, numbers.universe()[64 * word + bit]);
    }
  }
  return divisor;
}

}  // namespace

void ReadDomains(const ir::Function& function, const spaces::linalg::Decisions& decisions,
                 const runtime::Candidate& candidate, Domains& domains) {
  const spaces::linalg::DomainReader reader(decisions, candidate);
  domains.blocks.resize(function.blocks.size());
  for (const ir::MemBlock& block : function.blocks) {
    const runtime::IntDomain stages = reader.stages(block.id);
    domains.blocks[block.id.index()] = {
        reader.mem_space(block.id),
        PresenceOf(reader.InBlocks(block.id)),
        stages.min(),
        stages.max(),
        reader.transfer(block.id).MayBe(Transfer::ASYNC | Transfer::TMA),
        reader.transfer(block.id).MayBe(Transfer::TMA)};
  }
  domains.axes.resize(function.axes.size());
  for (const ir::Axis& axis : function.axes) {
    const runtime::IntDomain ranks = reader.rank(axis.block, axis.id);
    domains.axes[axis.id.index()].stored = ranks.min() > 0    ? Presence::kCertain
                                           : ranks.max() == 0 ? Presence::kAbsent
                                                              : Presence::kPossible;
  }
  domains.insts.resize(function.insts.size());
  for (const ir::Instruction& inst : function.insts) {
    // What is planned for a temporary array takes part when the array does.
    Presence presence = Presence::kCertain;
    if (inst.block.valid()) presence = domains.blocks[inst.block.index()].presence;
    if (inst.op == ir::Op::kWindow) presence = PresenceOf(reader.InStatements(inst.id));
    const std::uint32_t width = inst.is_memory() ? reader.vec(inst.id).max() : 1;
    const AcrossBlocksDomain across =
        inst.is_reduction() ? reader.across_blocks(inst.id) : AcrossBlocks::NOT_ACROSS;
    const bool may_have_window = inst.op == ir::Op::kLoad && inst.window.valid() &&
                                 reader.window(inst.window).MayBe(spaces::linalg::Window::WINDOW);
    const bool may_be_of_group =
        inst.is_reduction() && reader.unit(inst.id).MayBe(spaces::linalg::Unit::WGMMA);
    domains.insts[inst.id.index()] = {width, presence, across, may_have_window, may_be_of_group};
  }
  domains.dims.resize(function.dims.size());
  for (const ir::Dimension& dim : function.dims) {
    const runtime::IntDomain sizes = reader.size(dim.id);
    const std::uint32_t min = sizes.min(), max = sizes.max();
    domains.dims[dim.id.index()] = {min, max, min == max ? min : CommonDivisor(sizes),
                                    reader.dim_kind(dim.id),
                                    domains.insts[dim.inst.index()].presence};
  }
}

}  // namespace exh::models
