// SPDX-License-Identifier: MIT
#include "kernels/codegen/plan/static_counts.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "kernels/codegen/memory/bank_plan.h"
#include "kernels/codegen/plan/work.h"

namespace exh::kernels::codegen {
namespace {

constexpr std::int64_t kSectorBytes = 32, kLineBytes = 128;
constexpr double kRegisterBytes = 4;
constexpr double kMostRegisters = 255;
/// Of a thread: addresses, and what a compiler needs on the way.
constexpr double kOtherRegisters = 24;
/// Of a loop's iteration: its counter, its test and its jump.
constexpr double kIssuesOfTurn = 3;
constexpr double kShuffleClocks = 24;
/// Until all blocks see what one wrote, and have a ticket.
constexpr double kHandOverClocks = 1500;
constexpr double kLaunchClocks = 1500;

std::size_t Nth(int i) {
  return static_cast<std::size_t>(i);
}

std::int64_t Up(std::int64_t number, std::int64_t by) {
  return (number + by - 1) / by;
}

bool TakesPart(const ThreadGuard& guard, const LoopTree& tree, std::uint32_t thread) {
  if (guard.below != 0 && thread >= guard.below) return false;
  return std::ranges::all_of(guard.axes,
                             [&](int axis) { return tree.axes[Nth(axis)].IndexOf(thread) == 0; });
}

/// Clocks of a scheduler that one operation of a warp takes, about.
double ClocksOf(const ir::Instruction& inst) {
  const double width = ir::BytesOf(inst.computes) > kRegisterBytes ? 2 : 1;
  switch (inst.op) {
    case ir::Op::kDiv:
    case ir::Op::kSqrt:
    case ir::Op::kTanh:
    case ir::Op::kErf:
    case ir::Op::kPow:
      return 16 * width;
    case ir::Op::kRsqrt:
    case ir::Op::kExp:
    case ir::Op::kLog:
      return 8 * width;
    default:
      return width;
  }
}

/// … one step of a matrix unit.
double ClocksOf(ir::MatrixUnit unit) {
  switch (unit) {
    case ir::MatrixUnit::kDmma:
      return 64;
    case ir::MatrixUnit::kMmaChain:
    case ir::MatrixUnit::kImma:  // Twice as deep.
    case ir::MatrixUnit::kQmma:
      return 16;
    default:
      return 8;
  }
}

/// Numbers of an arithmetic sequence that an index moves by.
struct Stride {
  std::int64_t step = 0;
  std::int64_t count = 1;
};

/// What a warp's access to memory takes, about: its first warp stands for all.
struct WarpUse {
  double wavefronts = 0, least = 0;  ///< Shared memory.
  double lines = 0, sectors = 0, least_sectors = 0;
  double warps = 0;  ///< Of a block: those that do something.
};

class Counter {
 public:
  Counter(const LoweredCode& code, const GpuLimits& gpu)
      : code_(code), tree_(code.tree), function_(*code.function), gpu_(gpu) {}

  StaticCounts Run() {
    pending_.assign(function_.insts.size(), 0);
    FindHeld();
    const double alone = Walk(0, {.warps = WarpsOf(-1)});
    const auto blocks = static_cast<double>(tree_.num_blocks);
    const double warps = WarpsOf(-1), shared = static_cast<double>(SharedBytes());
    At(StaticCount::kBlocks) = blocks;
    At(StaticCount::kWarps) = warps;
    At(StaticCount::kShared) = shared;
    const auto least = static_cast<double>(LeastRegisters(function_, tree_, code_.values));
    At(StaticCount::kRegisters) = least;
    At(StaticCount::kHeld) = held_;
    // A compiler holds what lives through loops, and about half of the rest.
    const double wanted = std::max(least, (least + held_) / 2) + kOtherRegisters;
    const double resident = Resident(wanted);
    const double places = gpu_.units * resident;
    const double waves = std::ceil(blocks / places);
    const double of_unit = std::ceil(blocks / gpu_.units);
    At(StaticCount::kResidentWarps) = warps * std::min(resident, of_unit);
    At(StaticCount::kWaves) = waves;
    At(StaticCount::kLastWave) = 100 * blocks / (waves * places);
    At(StaticCount::kLaunches) = Launches();
    At(StaticCount::kChain) = alone;
    for (const StaticCount count : kOfUnit) At(count) *= of_unit;
    const double clocks = std::max(
        {At(StaticCount::kIssues) / gpu_.issues_per_clk, clocks_ * of_unit / gpu_.issues_per_clk,
         (At(StaticCount::kWavefronts) + At(StaticCount::kLines)) / gpu_.accesses_per_clk,
         At(StaticCount::kFromL2) * kSectorBytes / gpu_.l2_bytes_per_clk});
    const double waiting = waves * alone, launches = At(StaticCount::kLaunches) * kLaunchClocks;
    At(StaticCount::kBusy) = clocks / gpu_.clock_ghz;
    At(StaticCount::kWaiting) = waiting / gpu_.clock_ghz;
    At(StaticCount::kGuess) = (std::max(clocks, waiting) + launches) / gpu_.clock_ghz;
    return counts_;
  }

 private:
  /// Counted of a block, and said of a unit.
  static constexpr std::array kOfUnit = {
      StaticCount::kIssues, StaticCount::kArithmetic, StaticCount::kUnitSteps,
      StaticCount::kReads,  StaticCount::kWrites,     StaticCount::kSharedUses,
      StaticCount::kTurns,  StaticCount::kWavefronts, StaticCount::kConflicts,
      StaticCount::kLines,  StaticCount::kSectors,    StaticCount::kLooseSectors,
      StaticCount::kFromL2};

  /// Where a node is.
  struct Place {
    double times = 1;   ///< How often a thread comes there: loops around.
    double copies = 1;  ///< How often it is written: unrolled nodes around.
    double warps = 1;   ///< Of a block, that come there.
    double held = 0;    ///< Registers of what is declared around.
  };

  double& At(StaticCount count) { return counts_[static_cast<std::size_t>(count)]; }
  std::uint32_t SizeOf(int dim_class) const { return tree_.classes[Nth(dim_class)].size; }

  double WarpsOf(int band) const {
    const int layout = band < 0 ? -1 : tree_.node(band).layout;
    const std::uint32_t threads =
        layout < 0 ? tree_.num_threads : tree_.layouts[Nth(layout)].threads;
    return std::ceil(threads / static_cast<double>(ir::kWarpLanes));
  }

  std::uint64_t SharedBytes() const {
    std::uint64_t combined = 0;
    for (const Combine& one : code_.combines.combines) {
      combined = std::max(combined, one.shared_bytes);
    }
    return code_.memory.shared_bytes + combined + code_.splits.cluster_bytes +
           code_.rings.barrier_bytes;
  }

  double Launches() const {
    double launches = static_cast<double>(code_.splits.parts.size()) - 1;
    for (const SplitReduction& split : code_.splits.reductions) launches += split.is_atomic();
    return launches;
  }

  double Resident(double wanted) const {
    const double more = code_.rings.more_threads();
    const double threads = tree_.num_threads + more, warps = WarpsOf(-1) + more / ir::kWarpLanes;
    double most = gpu_.registers / threads;
    const double asked = code_.schedule->min_blocks.Or(1);
    if (asked > 1) most /= asked;
    constexpr double kStep = 8;  // Registers of a thread are given out in these.
    double registers = std::min({wanted, kMostRegisters, most});
    registers = std::max(kStep, std::floor(registers / kStep) * kStep);
    const double shared = static_cast<double>(SharedBytes()) + 1024;  // What the system has of it.
    const double resident = std::min({gpu_.blocks, gpu_.warps / warps, gpu_.shared_bytes / shared,
                                      gpu_.registers / (registers * warps * ir::kWarpLanes)});
    return std::max(1.0, std::floor(resident));
  }

  /// Registers by the node that they are declared in.
  void FindHeld() {
    held_of_.assign(tree_.nodes.size(), 0);
    for (const ir::Instruction& inst : function_.insts) {
      if (tree_.node_of_inst[inst.id.index()] < 0) continue;
      const ValueStorage& storage = code_.values.storage[inst.id.index()];
      if (!storage.is_read && !inst.is_reduction()) continue;
      held_of_[Nth(storage.home)] += RegistersOf(inst);
    }
  }

  double RegistersOf(const ir::Instruction& inst) const {
    const ValueStorage& storage = code_.values.storage[inst.id.index()];
    const ir::Type held = storage.is_bits ? inst.type : tree_.SumType(function_, inst);
    double points = Points(storage);
    if (storage.beside == BesideValue::kBefore) points *= 2;
    if (storage.beside == BesideValue::kCarry) points += Points(storage) / StepsOf(storage);
    return points * ir::BytesOf(held) / kRegisterBytes;
  }
  /// Registers of a scan along its axis.
  static double StepsOf(const ValueStorage& storage) {
    double steps = 1;
    for (const std::size_t place : storage.scanned) steps *= storage.key[place].size;
    return steps;
  }

  /// What comes of a maximum that runs is multiplied once; a factor takes some operations.
  double Correct(ir::InstId maximum, Place place) {
    constexpr double kOfFactor = 6;
    double operations = kOfFactor * Points(code_.values.storage[maximum.index()]);
    for (const CorrectedSum& corrected : code_.values.corrected[maximum.index()]) {
      operations += Points(code_.values.storage[corrected.sum.index()]);
    }
    return Operate(operations, place);
  }

  static double Points(const ValueStorage& storage) {
    double points = 1;
    for (const KeyDim& key : storage.key) points *= key.size;
    return points;
  }

  /// Clocks of a warp that is alone, for one execution of the node.
  double Walk(int index, Place place) {
    const LoopNode& node = tree_.node(index);
    if (IsInBulk(index)) return CopyInBulk(BulkOf(index), place);
    place.held += held_of_[Nth(index)];
    held_ = std::max(held_, place.held);
    double clocks = Meet(index, place);
    switch (node.kind) {
      case NodeKind::kExec:
        return clocks + Exec(index, place);
      case NodeKind::kCorrect:
        return clocks + Correct(node.inst, place);
      case NodeKind::kLanes:
      case NodeKind::kRound:
      case NodeKind::kSettle:
        return clocks + Operate(Points(code_.values.storage[node.inst.index()]), place);
      case NodeKind::kCombine:
        return clocks +
               CombineSlices(code_.combines.combines[Nth(code_.combines.of_node[Nth(index)])],
                             place);
      case NodeKind::kHandOver:
        return clocks + HandOver(node, place);
      case NodeKind::kLastBlock:
        return clocks + MakeOne(node, place);
      case NodeKind::kExchange:
        return clocks + Exchange(node, place);
      case NodeKind::kLoop: {
        const double size = SizeOf(node.dim_class);
        if (size < 2) break;
        place.times *= size;
        At(StaticCount::kTurns) += place.times * place.warps;
        Issue(kIssuesOfTurn, 1, place);
        double once = kIssuesOfTurn;
        if (code_.rings.of_node[Nth(index)] >= 0 && !code_.rings.has_producers) {
          At(StaticCount::kBarriers) += place.times;
          once += gpu_.barrier_latency_clk;
        }
        for (const int child : node.children) once += Walk(child, place);
        return clocks + size * once;
      }
      case NodeKind::kUnroll:
        place.copies *= SizeOf(node.dim_class);
        break;
      case NodeKind::kThreads:
        place.warps = WarpsOf(index);
        break;
      case NodeKind::kRoot:
      case NodeKind::kBlock:
      case NodeKind::kVector:
        break;
    }
    for (const int child : node.children) clocks += Walk(child, place);
    return clocks;
  }

  /// Is there nothing in the node but what bulk copies are printed for (memory/bulk_copy.h)?
  bool IsInBulk(int index) const {
    const LoopNode& node = tree_.node(index);
    if (node.kind == NodeKind::kExec) return tree_.is_in_bulk[node.inst.index()];
    return !node.children.empty() &&
           std::ranges::all_of(node.children, [&](int child) { return IsInBulk(child); });
  }
  /// What they bring, and what of it comes once for all blocks of a cluster, by the other ones.
  struct Bulk {
    double bytes = 0, shared = 0;
  };
  Bulk BulkOf(int index) const {
    const LoopNode& node = tree_.node(index);
    Bulk bulk;
    for (const int child : node.children) {
      const Bulk inside = BulkOf(child);
      bulk.bytes += inside.bytes, bulk.shared += inside.shared;
    }
    if (node.kind != NodeKind::kExec) return bulk;
    const RingBlock& block = code_.rings.BlockOf(function_.inst(node.inst));
    if (node.inst != block.store) return bulk;  // A read comes with its store.
    const double bytes = block.bulk->bytes;
    return {bytes, bytes * (1 - 1.0 / block.bulk->shared_by)};
  }

  /// One thread asks, and the hardware writes a line of shared memory in a clock.
  double CopyInBulk(const Bulk& bulk, Place place) {
    place.warps = 1;
    constexpr double kAsks = 4;
    Issue(kAsks, 1, place);
    At(StaticCount::kReads) += place.times;
    At(StaticCount::kWavefronts) += place.times * bulk.bytes / kLineBytes;
    At(StaticCount::kLines) += place.times * bulk.bytes / kLineBytes;
    At(StaticCount::kSectors) += place.times * bulk.bytes / kSectorBytes;
    At(StaticCount::kFromL2) += place.times * (bulk.bytes - bulk.shared) / kSectorBytes;
    return 0;
  }

  double Meet(int index, const Place& place) {
    if (!code_.threads.barrier_before[Nth(index)]) return 0;
    At(StaticCount::kBarriers) += place.times;
    return gpu_.barrier_latency_clk;
  }

  /// `number` instructions in each execution, of so many clocks of a scheduler each.
  void Issue(double number, double clocks, const Place& place) {
    At(StaticCount::kSteps) += place.times * number;
    At(StaticCount::kText) += number;
    At(StaticCount::kIssues) += place.times * place.warps * number;
    clocks_ += place.times * place.warps * number * clocks;
  }

  double Operate(double number, const Place& place) {
    Issue(number, 1, place);
    At(StaticCount::kArithmetic) += place.times * place.warps * number;
    return number;
  }

  double CombineSlices(const Combine& combine, const Place& place) {
    const int split = code_.splits.of_inst[combine.reduction.index()];
    const bool looks = split >= 0 && code_.function->inst(combine.reduction).is_scan();
    return JoinSlices(combine, place) + (looks ? LookBack(split, place) : 0);
  }

  /// A word said twice for each value, a look that waits for another block, and two barriers.
  double LookBack(int number, const Place& place) {
    const SplitReduction& split = code_.splits.reductions[Nth(number)];
    const double values = static_cast<double>(split.values());
    At(StaticCount::kHandedOver) += place.times * values;
    At(StaticCount::kMet) += place.times * values;
    At(StaticCount::kWrites) += 2 * place.times * values * split.status_words;
    At(StaticCount::kLines) += 2 * place.times * values * split.status_words;
    At(StaticCount::kBarriers) += 2 * place.times;
    constexpr double kIssues = 60;  // Of a warp that looks.
    Issue(kIssues, 1, place);
    return kHandOverClocks + gpu_.read_latency_clk + 2 * gpu_.barrier_latency_clk;
  }

  double JoinSlices(const Combine& combine, const Place& place) {
    double owned = Points(code_.values.storage[combine.reduction.index()]), clocks = 0;
    for (std::size_t bits = BitsIn(combine.halved).size(); bits > 0; --bits) {
      owned /= 2;
      clocks += Operate(2 * 2 * owned, place) + 2 * kShuffleClocks;  // There, and back at the end.
    }
    for (std::size_t bits = BitsIn(combine.shuffled).size(); bits > 0; --bits) {
      clocks += Operate(2 * owned, place) + kShuffleClocks;
    }
    double slices = 1;
    for (const ThreadDigit& digit : combine.shared) slices *= digit.size;
    if (slices < 2) return clocks;
    const double rounds = std::ceil(owned / combine.at_once);
    At(StaticCount::kBarriers) += 2 * rounds * place.times;
    At(StaticCount::kSharedUses) += owned * (1 + slices) * place.times * place.warps;
    At(StaticCount::kWavefronts) += owned * (1 + slices) * place.times * place.warps;
    return clocks + Operate(owned * (1 + slices), place) +
           rounds * (2 * gpu_.barrier_latency_clk + 2 * gpu_.shared_latency_clk);
  }

  double HandOver(const LoopNode& node, const Place& place) {
    const SplitReduction& split = SplitOf(node);
    const double written = split.num_registers;
    At(StaticCount::kHandedOver) += place.times * written * split.num_slots;
    At(StaticCount::kWrites) += place.times * place.warps * written;
    At(StaticCount::kLines) += place.times * place.warps * written;
    Issue(written, 1, place);
    return written + kHandOverClocks;
  }

  double MakeOne(const LoopNode& node, const Place& place) {
    const SplitReduction& split = SplitOf(node);
    double sharers = 1;
    for (const ThreadDigit& digit : split.sharers) sharers *= digit.size;
    const double read =
        split.num_registers * std::ceil(static_cast<double>(split.splits) / sharers);
    At(StaticCount::kMet) += place.times * read;
    constexpr double kAtOnce = 8;  // Reads that are under way.
    return kHandOverClocks + std::ceil(read / kAtOnce) * gpu_.read_latency_clk;
  }

  /// Two barriers of a cluster, which take some times what one of a block takes, and what each
  /// thread writes to other blocks and reads of them.
  double Exchange(const LoopNode& node, const Place& place) {
    constexpr double kBarriersOfBlock = 8;
    const SplitReduction& split = SplitOf(node);
    const double told = static_cast<double>(split.num_registers) * split.splits;
    At(StaticCount::kBarriers) += 2 * place.times;
    At(StaticCount::kSharedUses) += 2 * told * place.times * place.warps;
    At(StaticCount::kWavefronts) += 2 * told * place.times * place.warps;
    return Operate(2 * told, place) + 2 * kBarriersOfBlock * gpu_.barrier_latency_clk;
  }

  const SplitReduction& SplitOf(const LoopNode& node) const {
    return code_.splits.reductions[Nth(code_.splits.of_inst[node.inst.index()])];
  }

  double Exec(int index, const Place& place) {
    const ir::Instruction& inst = function_.inst(tree_.node(index).inst);
    double clocks = 0;
    for (const ValueRead& read : code_.values.insts[inst.id.index()].reads) {
      if (read.producer.valid()) clocks = std::max(clocks, pending_[read.producer.index()]);
    }
    // Who waits for one value has all that were asked for before.
    if (clocks > 0) std::ranges::fill(pending_, 0);
    if (inst.op == ir::Op::kWindow) return clocks + CopyWindow(inst, place);
    if (tree_.stays_in_place[inst.id.index()]) return clocks;
    if (inst.is_memory()) return clocks + Access(index, inst, place);
    if (tree_.IsUnit(inst)) return clocks + UseUnit(index, inst, place);
    const InstValues& values = code_.values.insts[inst.id.index()];
    const double number = place.copies * values.lanes, each = ClocksOf(inst);
    Issue(number, each, place);
    At(StaticCount::kArithmetic) += place.times * place.warps * number;
    double alone = number * each;
    if (inst.is_reduction()) {
      const ValueStorage& storage = code_.values.storage[inst.id.index()];
      const double chains =
          Points(storage) *
          (storage.parts.empty() ? 1 : storage.parts.lanes * storage.parts.num_copies());
      alone = std::max(alone, number / chains * gpu_.fma_latency_clk);
    }
    return clocks + alone;
  }

  double UseUnit(int index, const ir::Instruction& inst, const Place& place) {
    double steps = 1;
    for (int at = index; at >= 0; at = tree_.node(at).parent) {
      const LoopNode& around = tree_.node(at);
      if (around.kind != NodeKind::kUnroll) continue;
      const DimClass& dim_class = tree_.classes[Nth(around.dim_class)];
      if (dim_class.part == ir::FragmentPart::kNone) steps *= dim_class.size;
    }
    if (const GroupProduct* const group = code_.groups.Find(inst.id)) {
      return UseGroup(*group, steps, place);
    }
    const double each = ClocksOf(ir::UnitOf(function_, inst));
    Issue(steps, each, place);
    At(StaticCount::kUnitSteps) += place.times * place.warps * steps;
    constexpr double kLatency = 32;  // Until the sums of a step are there.
    return steps * std::max(each, kLatency / std::max(1.0, steps));
  }

  /// `steps`: tiles of a warp. A group does twice as many as warps do alone, and takes both
  /// matrices out of shared memory: 64 rows and the columns, of 32 bytes each.
  double UseGroup(const GroupProduct& group, double steps, const Place& place) {
    constexpr double kClocks = 4, kRows = 64, kBytes = 32, kBankBytes = 128;
    const double issued = steps / group.copies;
    const double wavefronts =
        (kRows + group.columns()) * kBytes / kBankBytes / ir::kGroupWarps * issued;
    Issue(issued, kClocks * group.copies, place);
    At(StaticCount::kUnitSteps) += place.times * place.warps * steps;
    At(StaticCount::kWavefronts) += place.times * place.warps * wavefronts;
    return steps * kClocks + Promote(group, steps, place);
  }

  /// Promoted sums are added to once in a batch.
  double Promote(const GroupProduct& group, double steps, const Place& place) {
    if (!group.is_promoted) return 0;
    const ir::UnitShape& shape = ir::ShapeOf(ir::MatrixUnit::kQmma);
    const double added = steps * shape.sums() * shape.depth.size() / group.depth;
    Issue(added, 1, place);
    At(StaticCount::kArithmetic) += place.times * place.warps * added;
    return added;
  }

  double CopyWindow(const ir::Instruction& inst, const Place& place) {
    const CopiedWindow& window = *code_.memory.window(inst);
    const auto copies = static_cast<double>(window.elements()) / window.width;
    const double rounds = std::ceil(copies / tree_.num_threads);
    const double bytes = static_cast<double>(function_.window(window.window).element_bytes);
    const double used = place.times * place.warps * rounds;
    const double sectors = static_cast<double>(window.elements()) * bytes / kSectorBytes;
    At(StaticCount::kReads) += used;
    At(StaticCount::kSharedUses) += used;
    At(StaticCount::kWavefronts) += used * std::max(1.0, window.width * bytes / kRegisterBytes);
    At(StaticCount::kLines) += used * std::max(1.0, window.width * bytes / kRegisterBytes);
    At(StaticCount::kSectors) += place.times * sectors;
    At(StaticCount::kFromL2) += place.times * sectors;
    Issue(4 * rounds, 1, place);
    return 4 * rounds + gpu_.read_latency_clk;
  }

  double Access(int index, const ir::Instruction& inst, const Place& place) {
    const Affine& address = code_.memory.address[inst.id.index()];
    const bool reads = inst.op == ir::Op::kLoad || inst.op == ir::Op::kTempLoad;
    const TempArray* const temp = inst.block.valid() ? &code_.memory.temp(inst.block) : nullptr;
    const bool is_shared =
        temp != nullptr ? temp->space == MemSpace::SHARED : code_.memory.window(inst) != nullptr;
    const auto bytes =
        static_cast<std::int64_t>(temp != nullptr ? function_.block(inst.block).element_bytes
                                                  : ir::BytesOf(function_.element_type(inst)));
    std::uint32_t width = WidthOf(*code_.schedule, tree_, address, inst);
    const WarpUse use = UseOf(index, inst, address, temp, is_shared, width, bytes);
    // Copies that access the same are one: compilers see that.
    double copies = 1;
    std::uint32_t wide = width;
    for (int at = index; at >= 0; at = tree_.node(at).parent) {
      const LoopNode& around = tree_.node(at);
      if (around.kind != NodeKind::kUnroll && around.kind != NodeKind::kVector) continue;
      const std::int64_t step = address.StrideOf(around.dim_class);
      if (step == 0) continue;
      std::uint32_t size = SizeOf(around.dim_class);
      if (step == 1 && wide > 1) {
        size = (size + wide - 1) / wide;
        wide = 1;
      }
      copies *= size;
    }
    Place there = place;
    there.warps = use.warps;
    const double all = place.times * use.warps * copies;
    const int ring = code_.rings.of_inst[inst.id.index()];
    const bool is_async = ring >= 0 && code_.rings.BlockOf(inst).is_async;
    const bool is_one = is_async && !reads;  // Its read stores, too.
    if (!is_one) Issue(copies, 1, there);
    At(StaticCount::kIssues) += place.times * use.warps;  // The address.
    double each = 1;
    if (is_shared) {
      At(StaticCount::kSharedUses) += all;
      At(StaticCount::kWavefronts) += all * use.wavefronts;
      At(StaticCount::kConflicts) += all * (use.wavefronts - use.least);
      each = use.wavefronts;
    } else {
      At(reads ? StaticCount::kReads : StaticCount::kWrites) += all;
      At(StaticCount::kLines) += all * use.lines;
      At(StaticCount::kSectors) += all * use.sectors;
      At(StaticCount::kLooseSectors) += all * std::max(0.0, use.sectors - use.least_sectors);
      At(StaticCount::kFromL2) +=
          reads ? FromL2(index, inst, address, width, bytes) : all * use.sectors;
      each = use.lines;
    }
    if (reads) {
      const bool is_early =
          ring >= 0 || std::ranges::any_of(code_.values.ahead, [&](const AdvancedRead& read) {
            return read.inst == inst.id;
          });
      const double latency = is_shared ? gpu_.shared_latency_clk : gpu_.read_latency_clk;
      pending_[inst.id.index()] = is_early ? 0 : latency;
    }
    return is_one ? 0 : copies * std::max(1.0, each);
  }

  /// Of the first warp that does something.
  WarpUse UseOf(int index, const ir::Instruction& inst, const Affine& address,
                const TempArray* temp, bool is_shared, std::uint32_t width,
                std::int64_t bytes) const {
    const int band = tree_.BandAround(index);
    const int layout = band < 0 ? -1 : tree_.node(band).layout;
    const ThreadGuard& of_store = code_.threads.store[inst.id.index()];
    static const ThreadGuard kAll;
    const ThreadGuard& of_band = band < 0 ? kAll : code_.threads.band[Nth(band)];
    const bool is_guarded = !of_store.empty() || !of_band.empty();
    WarpUse use;
    std::array<std::int64_t, ir::kWarpLanes> lanes;
    const std::uint32_t threads =
        layout < 0 ? tree_.num_threads
                   : std::min(tree_.num_threads, tree_.layouts[Nth(layout)].threads);
    for (std::uint32_t first = 0; first < threads; first += ir::kWarpLanes) {
      const std::uint32_t count = std::min(ir::kWarpLanes, threads - first);
      bool acts = false;
      for (std::uint32_t lane = 0; lane < count; ++lane) {
        const std::uint32_t thread =
            layout < 0 ? first + lane : tree_.layouts[Nth(layout)].PlaceOf(first + lane);
        const bool runs = !is_guarded ||
                          (TakesPart(of_store, tree_, thread) && TakesPart(of_band, tree_, thread));
        acts = acts || runs;
        if (use.warps > 0) {
          if (acts) break;
          continue;
        }
        std::int64_t element = ElementTaken(tree_, address, thread);
        if (is_shared && temp != nullptr) element = temp->layout.Place(element);
        lanes[lane] = runs ? element * bytes : kIdleLane;
      }
      if (!acts) continue;
      if (use.warps == 0) {
        const std::span<const std::int64_t> taken(lanes.data(), count);
        if (is_shared) {
          use.wavefronts = Wavefronts(taken, width * static_cast<std::uint32_t>(bytes));
          use.least = LeastWavefronts(taken, width * static_cast<std::uint32_t>(bytes));
          // A layout that was not looked for is taken to be one without conflicts.
          const bool is_mapped = temp != nullptr && code_.memory.search == BankSearch::kNone &&
                                 code_.schedule->skew(temp->block) == Skew::XOR;
          if (is_mapped) use.wavefronts = use.least;
        } else {
          CountSectors(taken, width * bytes, use);
        }
        if (!is_guarded) {
          use.warps = std::ceil(threads / static_cast<double>(ir::kWarpLanes));
          return use;
        }
      }
      use.warps += 1;
    }
    return use;
  }

  static void CountSectors(std::span<const std::int64_t> lanes, std::int64_t bytes, WarpUse& use) {
    std::array<std::int64_t, ir::kWarpLanes> sectors;
    std::size_t size = 0;
    for (const std::int64_t lane : lanes) {
      if (lane != kIdleLane) sectors[size++] = lane / kSectorBytes;
    }
    std::sort(sectors.begin(), sectors.begin() + static_cast<std::ptrdiff_t>(size));
    std::int64_t different = 0, lines = 0, values = 0;
    for (std::size_t i = 0; i < size; ++i) {
      const bool is_new = i == 0 || sectors[i] != sectors[i - 1];
      constexpr std::int64_t kOfLine = kLineBytes / kSectorBytes;
      different += is_new;
      lines += i == 0 || sectors[i] / kOfLine != sectors[i - 1] / kOfLine;
    }
    values = static_cast<std::int64_t>(size);
    use.sectors = static_cast<double>(different);
    use.least_sectors = static_cast<double>(Up(values * bytes, kSectorBytes));
    use.lines = static_cast<double>(std::max(lines, Up(values * bytes, kLineBytes)));
  }

  /// Sectors that the block reads there from the second cache. What all threads read while loops
  /// run stays in the first one as long as it fits.
  double FromL2(int index, const ir::Instruction& inst, const Affine& address, std::uint32_t width,
                std::int64_t bytes) {
    strides_.clear();
    if (width > 1) strides_.push_back({1, width});
    bool is_wide = width > 1;
    const auto add = [&](int dim_class) {
      const std::int64_t step = std::abs(address.StrideOf(dim_class));
      if (step == 0 || SizeOf(dim_class) < 2) return;
      if (step == 1 && is_wide) {
        is_wide = false;
        strides_.front().count = std::max<std::int64_t>(strides_.front().count, SizeOf(dim_class));
      } else {
        strides_.push_back({step, SizeOf(dim_class)});
      }
    };
    const Cache cache = code_.schedule->cache.Or(Cache::CACHE_DEFAULT, inst.id);
    const bool is_kept = cache == Cache::CACHE_DEFAULT || cache == Cache::CACHE_READ_ONLY;
    const double room =
        std::max(16384.0, gpu_.shared_bytes - static_cast<double>(SharedBytes())) / 2;
    double sectors = 0, times = 1;
    // First all that is unrolled, and threads; then loops, from the innermost one outwards.
    for (int at = index; at >= 0; at = tree_.node(at).parent) {
      const LoopNode& around = tree_.node(at);
      if (around.kind == NodeKind::kUnroll || around.kind == NodeKind::kVector)
        add(around.dim_class);
      for (const int dim_class : around.thread_classes) add(dim_class);
    }
    sectors = Footprint(bytes);
    bool fits = is_kept && sectors * kSectorBytes <= room;
    for (int at = index; at >= 0; at = tree_.node(at).parent) {
      const LoopNode& around = tree_.node(at);
      if (around.kind != NodeKind::kLoop || SizeOf(around.dim_class) < 2) continue;
      if (!fits) {
        times *= SizeOf(around.dim_class);
        continue;
      }
      add(around.dim_class);
      sectors = Footprint(bytes);
      fits = sectors * kSectorBytes <= room;
    }
    return sectors * times;
  }

  /// Sectors in which some element is that the strides lead to.
  double Footprint(std::int64_t bytes) {
    std::ranges::sort(strides_, {}, &Stride::step);
    std::int64_t run = 1;
    double runs = 1;
    for (const Stride& stride : strides_) {
      if (stride.step <= std::max(run, kSectorBytes / bytes)) {
        run += stride.step * (stride.count - 1);
      } else {
        runs *= static_cast<double>(stride.count);
      }
    }
    return runs * static_cast<double>(Up(run * bytes, kSectorBytes));
  }

  const LoweredCode& code_;
  const LoopTree& tree_;
  const ir::Function& function_;
  const GpuLimits& gpu_;
  StaticCounts counts_ = {};
  double held_ = 0;              ///< The most registers.
  double clocks_ = 0;            ///< Of schedulers, for arithmetic of a block.
  std::vector<double> pending_;  ///< By instruction: clocks until its value is there.
  std::vector<double> held_of_;
  std::vector<Stride> strides_;
};

constexpr std::array<std::string_view, kNumCounts> kNames = {
    "blocks of the grid",
    "warps of a block",
    "shared bytes of a block",
    "registers through loops",
    "registers declared",
    "resident warps",
    "waves of blocks",
    "percent of waves",
    "issues of a unit",
    "arithmetic of a unit",
    "matrix steps of a unit",
    "reads of a unit",
    "writes of a unit",
    "shared uses of a unit",
    "turns of a unit",
    "wavefronts of a unit",
    "conflicts of a unit",
    "lines of a unit",
    "sectors of a unit",
    "loose sectors of a unit",
    "sectors from L2 of a unit",
    "barriers of a thread",
    "steps of a thread",
    "text of a thread",
    "clocks of a warp alone",
    "handed over of a block",
    "met by a thread",
    "other launches",
    "busy ns",
    "waiting ns",
    "guessed ns",
};

}  // namespace

std::string_view NameOf(StaticCount count) {
  return kNames[static_cast<std::size_t>(count)];
}

StaticCounts CountStatically(const LoweredCode& code, const GpuLimits& gpu) {
  return Counter(code, gpu).Run();
}

}  // namespace exh::kernels::codegen
