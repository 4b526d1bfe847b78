// SPDX-License-Identifier: MIT
//
// Where rings turn (memory/ring_plan.h): what fills them before their loop and in it, and what is
// waited for. Rings of bulk copies have barriers of their own (bulk.h).
#include <algorithm>

#include "kernels/codegen/print/gpu/copies/bulk.h"
#include "kernels/codegen/print/gpu/kernel_printer.h"

namespace exh::kernels::codegen {
namespace {

std::string Number(std::uint64_t value) {
  return std::to_string(value);
}

}  // namespace

bool KernelPrinter::IsSharedOtherwise() const {
  const bool has_others = std::ranges::any_of(code_.memory.temps, [&](const TempArray& temp) {
    return temp.space == MemSpace::SHARED && code_.rings.of_block[temp.block.index()] < 0;
  });
  return has_others || !code_.memory.windows.empty() || !code_.combines.combines.empty();
}

void KernelPrinter::MakeBarriers(std::uint64_t offset) {
  if (code_.rings.barrier_bytes == 0) return;
  const bool has_producers = code_.rings.has_producers;
  std::vector<std::pair<std::string, std::string>> barriers;  // Places, and who arrives there.
  const auto declare = [&](const std::string& name, std::uint32_t count, std::uint32_t arrivals) {
    out_.Line("unsigned long long* const " + name +
              " = reinterpret_cast<unsigned long long*>(exh_shared) + " +
              Number(offset / kMbarrierBytes) + ";");
    offset += kMbarrierBytes * count;
    for (std::uint32_t i = 0; i < count; ++i) {
      barriers.emplace_back(name + " + " + Number(i), Number(arrivals));
    }
  };
  for (const Ring& ring : code_.rings.rings) {
    if (!ring.is_bulk()) continue;
    const std::string name = statements_.RingName(ring);
    declare("full" + name, ring.lengths.front(), 1);
    if (has_producers) {
      const std::uint32_t blocks =
          code_.fault == Fault::kOwnRelease ? 1 : code_.rings.cluster.blocks;
      declare("empty" + name, ring.lengths.front(), blocks * tree_.num_threads / ir::kWarpLanes);
    }
  }
  out_.Open("if (t == 0)");
  for (const auto& [place, arrivals] : barriers) {
    out_.Line("exh_barrier_init(" + place + ", " + arrivals + ");");
  }
  out_.Line("exh_barriers_made();");
  out_.Close();
  const bool is_cluster = code_.rings.cluster.blocks > 1;
  if (is_cluster && code_.fault != Fault::kEarlyBarriers) {
    MeetCluster();
  } else {
    out_.Line(words_.barrier);
  }
  if (is_cluster) {
    out_.Line("const int exh_rank = " + words_.block + " % " + Number(code_.rings.cluster.blocks) +
              ";");
  }
  if (has_producers) return;
  for (const Ring& ring : code_.rings.rings) {
    if (ring.is_bulk()) DeclareTurn(ring);
  }
}

void KernelPrinter::DeclareTurn(const Ring& ring) {
  out_.Line("int " + SlotOf(ring) + " = 0;");
  out_.Line("unsigned " + PhaseOf(ring) + " = 0;");
}

void KernelPrinter::NextSlot(const Ring& ring) {
  const std::string slot = SlotOf(ring);
  out_.Line("if (++" + slot + " == " + Number(ring.lengths.front()) + ") " + slot + " = 0, " +
            PhaseOf(ring) + " ^= 1;");
}

void KernelPrinter::Produce() {
  const Ring& ring = code_.rings.ring_of_producers();
  const std::string threads = Number(tree_.num_threads), name = statements_.RingName(ring);
  const RoleRegisters registers =
      RegistersOfRoles(tree_.num_threads / (ir::kGroupWarps * ir::kWarpLanes));
  out_.Open("if (t >= " + threads + ")", "producers");
  if (registers.producer > 0) {
    out_.Line("exh_fewer_registers<" + Number(registers.producer) + ">();");
  }
  out_.Line("if (t != " + threads + ") return;");
  DeclareTurn(ring);
  EachTile([&] {
    Blocks();
    const std::string& i = names_.index(tree_.node(ring.loop).dim_class);
    out_.Line("#pragma unroll 1");
    out_.Open(loops::ForText("int", i, "0",
                             i + " < " + Number(Class(tree_.node(ring.loop).dim_class).size)));
    if (code_.fault != Fault::kEarlyRefill) {
      out_.Line(
          statements_.AwaitText("empty" + name + " + " + SlotOf(ring), PhaseOf(ring) + " ^ 1"));
    }
    statements_.FillInBulk(ring, SlotOf(ring), i);
    NextSlot(ring);
    out_.Close();
  });
  out_.Line("return;");
  out_.Close();
  if (registers.other > 0) out_.Line("exh_more_registers<" + Number(registers.other) + ">();");
  DeclareTurn(ring);
}

void KernelPrinter::TurnInBulk(const Ring& ring) {
  const bool has_producers = code_.rings.has_producers;
  const std::string& i = names_.index(tree_.node(ring.loop).dim_class);
  const std::uint32_t size = Class(tree_.node(ring.loop).dim_class).size;
  const std::uint32_t stages = ring.lengths.front(), ahead = stages - 1 - ring.lag;
  const std::string slot = SlotOf(ring), name = statements_.RingName(ring);
  const auto moved = [&](std::uint32_t by) {
    return by == 0 ? slot : "((" + slot + " + " + Number(by) + ") % " + Number(stages) + ")";
  };
  if (!has_producers) {
    out_.Open("if (t == 0)", "the first iterations of " + NameOf(tree_.node(ring.loop).dim_class));
    for (std::uint32_t step = 0; step < std::min(ahead, size); ++step) {
      statements_.FillInBulk(ring, moved(step), Number(step));
    }
    out_.Close();
  }
  LoopOf(ring.loop, [&] {
    const bool is_wrong = code_.fault == Fault::kWrongParity;
    if (code_.fault != Fault::kMissingCopyWait) {
      out_.Line(statements_.AwaitText("full" + name + " + " + slot,
                                      PhaseOf(ring) + (is_wrong ? " ^ 1" : "")));
    }
    if (!has_producers) {
      if (code_.fault != Fault::kMissingBarrier) Barrier();
      const std::string later = i + " + " + Number(ahead);
      out_.Open("if (t == 0 && " + later + " < " + Number(size) + ")");
      statements_.FillInBulk(ring, moved(ahead), "(" + later + ")");
      out_.Close();
    }
    statements_.DeclareReadSlots(ring, [&](std::uint32_t) { return slot; });
    const bool is_early = code_.fault == Fault::kEarlyRelease;
    if (has_producers && is_early) Release(ring, slot);
    Body(ring.loop);
    if (has_producers && !is_early) {
      if (ring.lag == 0) Release(ring, slot);
      if (ring.lag > 0) Release(ring, moved(stages - ring.lag), i + " >= " + Number(ring.lag));
    }
    NextSlot(ring);
  });
  if (ring.lag == 0) return;
  statements_.AwaitBatches(0);
  if (!has_producers || code_.fault == Fault::kEarlyRelease) return;
  for (std::uint32_t late = ring.lag; late > 0; --late) Release(ring, moved(stages - late));
}

void KernelPrinter::MeetCluster() {
  out_.Line("exh_cluster_arrive();");
  out_.Line("exh_cluster_wait();");
}

void KernelPrinter::Release(const Ring& ring, const std::string& slot, const std::string& when) {
  out_.Line("__syncwarp();");
  const std::uint32_t blocks = code_.fault == Fault::kOwnRelease ? 1 : code_.rings.cluster.blocks;
  if (blocks > 1) {
    const std::string lane = "t % " + Number(ir::kWarpLanes);
    out_.Line("if (" + lane + " < " + Number(blocks) + (when.empty() ? "" : " && " + when) +
              ") exh_arrive_at(empty" + statements_.RingName(ring) + " + " + slot + ", " + lane +
              ");");
    return;
  }
  out_.Line("if (t % " + Number(ir::kWarpLanes) + " == 0" + (when.empty() ? "" : " && " + when) +
            ") exh_arrive(empty" + statements_.RingName(ring) + " + " + slot + ");");
}

bool KernelPrinter::IsPublished() const {
  return std::ranges::any_of(code_.groups.products, [&](const GroupProduct& product) {
    return std::ranges::any_of(product.operands, [&](const GroupOperand& operand) {
      const int ring = code_.rings.of_block[operand.block.index()];
      return ring < 0 || !code_.rings.rings[static_cast<std::size_t>(ring)].is_bulk();
    });
  });
}

void KernelPrinter::Barrier() {
  if (IsPublished() && code_.fault != Fault::kMissingPublication) out_.Line("exh_publish();");
  out_.Line(statements_.Meet());
}

void KernelPrinter::MarkNodes(Part& part) const {
  for (std::size_t inst = 0; inst < part.insts.size(); ++inst) {
    if (!part.insts[inst]) continue;
    for (int node = tree_.node_of_inst[inst]; node >= 0; node = tree_.node(node).parent) {
      part.nodes[static_cast<std::size_t>(node)] = true;
    }
  }
}

Part KernelPrinter::WithoutFills(const Part& part) const {
  Part rest = part;
  for (std::size_t inst = 0; inst < part.insts.size(); ++inst) {
    if (code_.rings.of_inst[inst] >= 0) rest.insts[inst] = rest.values[inst] = false;
  }
  if (code_.rings.rings.empty()) return rest;
  // What is no instruction is where it was.
  rest.nodes.assign(part.nodes.size(), false);
  MarkNodes(rest);
  for (std::size_t node = 0; node < part.nodes.size(); ++node) {
    const NodeKind kind = tree_.nodes[node].kind;
    const bool is_other = kind == NodeKind::kRound || kind == NodeKind::kCombine ||
                          kind == NodeKind::kCorrect || kind == NodeKind::kSettle ||
                          kind == NodeKind::kHandOver || kind == NodeKind::kLastBlock ||
                          kind == NodeKind::kExchange;
    if (!is_other || !part.nodes[node]) continue;
    for (int around = static_cast<int>(node); around >= 0; around = tree_.node(around).parent) {
      rest.nodes[static_cast<std::size_t>(around)] = true;
    }
  }
  return rest;
}

const Ring* KernelPrinter::RingOf(int loop) const {
  const int number = code_.rings.of_node[static_cast<std::size_t>(loop)];
  if (number < 0) return nullptr;
  const Ring& ring = code_.rings.rings[static_cast<std::size_t>(number)];
  return ring.IsFilled(kernel_.insts) ? &ring : nullptr;
}

Part KernelPrinter::PartOf(const Ring& ring, std::uint32_t stages, Fill fill) const {
  Part part = rest_;
  part.insts.assign(part.insts.size(), false);
  part.values.assign(part.values.size(), false);
  part.nodes.assign(part.nodes.size(), false);
  for (const RingBlock& block : ring.blocks) {
    if (block.stages != stages || !kernel_.insts[block.store.index()]) continue;
    const bool is_begin = fill != Fill::kEnd, is_end = fill != Fill::kBegin;
    part.insts[block.read.index()] = is_begin && !block.is_async;
    part.insts[block.store.index()] = block.is_async ? is_begin : is_end;
    part.values[block.read.index()] = !block.is_async && fill == Fill::kAll;
  }
  MarkNodes(part);
  // What is copied is read where it is stored.
  for (const RingBlock& block : ring.blocks) {
    if (block.is_async && part.insts[block.store.index()]) part.insts[block.read.index()] = true;
  }
  return part;
}

void KernelPrinter::PrintFill(const Ring& ring, std::uint32_t stages, const Part& part,
                              const std::string& index, const std::string& slot) {
  Select(part);
  statements_.DeclareFilledSlots(ring, stages, slot);
  statements_.MoveLoop(tree_.node(ring.loop).dim_class, index);
  Body(ring.loop);
  statements_.MoveLoop(-1, "");
  Select(rest_);
}

void KernelPrinter::Turn(const Ring& ring) {
  const int loop = tree_.node(ring.loop).dim_class;
  const std::string& i = names_.index(loop);
  const bool is_short = code_.fault == Fault::kShortRing;
  const auto slots = [&](std::uint32_t stages) { return is_short ? stages - 1 : stages; };
  const auto slot = [&](std::uint32_t stages) { return "slot" + Number(stages) + i.substr(1); };
  const std::uint32_t most = ring.lengths.front();
  for (std::uint32_t step = 0; step + 1 + ring.lag < most; ++step) {
    for (const std::uint32_t stages : ring.lengths) {
      if (step + stages < most) continue;
      const std::uint32_t iteration = step + stages - most;
      out_.Open("", "iteration " + Number(iteration) + " of " + NameOf(loop));
      PrintFill(ring, stages, PartOf(ring, stages, Fill::kAll), Number(iteration),
                Number(iteration % slots(stages)));
      out_.Close();
    }
    if (ring.under_way >= 0) out_.Line("exh_commit();");
  }
  for (const std::uint32_t stages : ring.lengths) out_.Line("int " + slot(stages) + " = 0;");
  LoopOf(ring.loop, [&] {
    if (code_.fault == Fault::kEarlyRefill) Refill(ring, slot, slots);
    if (ring.under_way >= 0 && code_.fault != Fault::kMissingCopyWait) {
      out_.Line("exh_wait<" + std::to_string(ring.under_way) + ">();");
    }
    if (code_.fault != Fault::kMissingBarrier) Barrier();
    if (code_.fault != Fault::kEarlyRefill) Refill(ring, slot, slots);
    statements_.DeclareReadSlots(ring, slot);
    Body(ring.loop);
    if (code_.fault != Fault::kEarlyRefill) Refilled(ring, slot, slots);
    for (const std::uint32_t stages : ring.lengths) {
      const std::string& s = slot(stages);
      out_.Line(s + " = " + s + " == " + Number(slots(stages) - 1) + " ? 0 : " + s + " + 1;");
    }
  });
  if (ring.lag > 0) statements_.AwaitBatches(0);
  // Where it ended early, copies are under way that nobody wants; it may begin again.
  if (ring.under_way >= 0 && SkippedBy(ring.loop) != nullptr) out_.Line("exh_wait<0>();");
}

void KernelPrinter::Ahead(const Ring& ring, std::uint32_t stages, Fill fill,
                          const std::string& slot, std::uint32_t slots) {
  const Part part = PartOf(ring, stages, fill);
  if (std::ranges::find(part.insts, true) == part.insts.end()) return;
  const int loop = tree_.node(ring.loop).dim_class;
  const std::string later = names_.index(loop) + " + " + Number(stages - 1 - ring.lag);
  out_.Open("if (" + later + " < " + Number(Class(loop).size) + ")",
            "iteration " + later + " of " + NameOf(loop));
  // Of the slot before, which is the one that comes last, or of the one before that.
  const std::uint32_t back = 1 + ring.lag;
  const std::string free = "(" + slot + (back == 1 ? " == 0 ? " : " < 2 ? ") +
                           (back == 1 ? "" : slot + " + ") + Number(slots - back) + " : " + slot +
                           " - " + Number(back) + ")";
  PrintFill(ring, stages, part, "(" + later + ")", slots == stages ? free : slot);
  out_.Close();
}

}  // namespace exh::kernels::codegen
