// SPDX-License-Identifier: MIT
//
// Two walks over the loop tree. The first adds up instructions, body by body: a loop's body takes
// as long as what it has the most of, counted in clocks (arithmetic, reads, writes, all together,
// sums that wait for themselves), and inner loops take their own time beside that. So in
//
//   loop k:512
//     unroll m:6
//       vector n:16        c[m][n] += a[m] * b[n]
//
// with registers of 16 floats a body has 6 operations, 7 reads and 6 sums of one step each: 4
// clocks, those of a sum that waits for the one before.
//
// The second walk finds what caches keep. Between two uses of a line lies one iteration of a loop.
// If what this iteration touches fits into a cache, the line is still there. So an access starts
// with the lines of the innermost loop's body. Going outwards, a loop adds only lines that are new
// as long as one iteration of it fits; from the first one that does not, all is read again.
#include "kernels/codegen/plan/processor_counts.h"

#include <algorithm>
#include <cmath>

#include "kernels/ir/target/lanes.h"

namespace exh::kernels::codegen {
namespace {

constexpr std::int64_t kLineBytes = 64;
constexpr double kFloatBytes = 4;
/// A line that is written is read before, and written back.
constexpr double kWeightOfWrite = 2;
/// … and so much more where no other line beside it is touched: nothing fetches it ahead.
constexpr double kWeightOfLoose = 3;
/// Compilers write loops out that have so few iterations, and instructions in all of them.
constexpr double kMostPeeled = 16, kMostPeeledText = 200;
/// What does not overlap of the time that is not the longest.
constexpr double kBeside = 0.3;

std::size_t Nth(int i) {
  return static_cast<std::size_t>(i);
}

/// Operations of a register that one of `op` takes, about.
double OperationsOf(ir::Op op) {
  switch (op) {
    case ir::Op::kDiv:
    case ir::Op::kSqrt:
    case ir::Op::kRsqrt:
      return 10;
    case ir::Op::kTanh:
    case ir::Op::kErf:
    case ir::Op::kPow:
      return 40;
    case ir::Op::kExp:
    case ir::Op::kLog:
      return 20;
    default:
      return 1;
  }
}

/// Numbers of an arithmetic sequence that an index moves by.
struct Stride {
  std::int64_t step = 0;
  std::int64_t count = 1;
};

/// What one execution of a loop's body has of each, inner loops apart.
struct Body {
  double arithmetic = 0, reads = 0, writes = 0, chain = 0;
  double steps = 0;  ///< Of a sum.

  void Add(const Body& other, double times) {
    arithmetic += times * other.arithmetic;
    reads += times * other.reads;
    writes += times * other.writes;
    chain = std::max(chain, times * other.chain);
    steps = std::max(steps, times * other.steps);
  }
};

/// An access to memory, as the caches see it.
struct Use {
  int node = 0;
  const Affine* address = nullptr;
  std::int64_t bytes = 4;  ///< Of an element.
  bool writes = false;
};

class Counter {
 public:
  Counter(const LoweredCode& code, const ProcessorLimits& processor)
      : code_(code), tree_(code.tree), function_(*code.function), processor_(processor) {}

  ProcessorCounts Run() {
    FindHeld();
    Body body;
    const double below = Walk(0, {}, body);
    const auto blocks = static_cast<double>(tree_.num_blocks);
    const double rounds = std::ceil(blocks / processor_.threads);
    for (const ProcessorCount count : kOfBlock) At(count) *= rounds;
    At(ProcessorCount::kBlocks) = blocks;
    At(ProcessorCount::kRounds) = rounds;
    const auto launches = static_cast<double>(code_.splits.parts.size());
    const double busy = rounds * (below + ClocksOf(body)) / processor_.clock_ghz;
    At(ProcessorCount::kBusy) = busy;
    const double moving = Move();
    At(ProcessorCount::kMoving) = moving;
    At(ProcessorCount::kGuess) = std::max(busy, moving) + kBeside * std::min(busy, moving) +
                                 std::max(1.0, launches) * processor_.launch_ns;
    return counts_;
  }

 private:
  /// Counted of a block, and said of a thread.
  static constexpr std::array kOfBlock = {
      ProcessorCount::kArithmetic, ProcessorCount::kReads,   ProcessorCount::kWrites,
      ProcessorCount::kLoose,      ProcessorCount::kTurns,   ProcessorCount::kExits,
      ProcessorCount::kSpilled,    ProcessorCount::kChained,
  };

  /// Where a node is.
  struct Place {
    double times = 1;   ///< How often a block comes there: loops around.
    double copies = 1;  ///< How often it is written: unrolled nodes around.
  };

  double& At(ProcessorCount count) { return counts_[static_cast<std::size_t>(count)]; }
  std::uint32_t SizeOf(int dim_class) const { return tree_.classes[Nth(dim_class)].size; }
  bool IsLoop(const LoopNode& node) const {
    return (node.kind == NodeKind::kLoop || node.kind == NodeKind::kBlock) &&
           SizeOf(node.dim_class) > 1;
  }
  double RegistersOf(double lanes, double bytes) const {
    return std::ceil(lanes * bytes / processor_.vector_bytes);
  }

  double ClocksOf(const Body& body) const {
    return std::max({body.arithmetic / processor_.arithmetic_per_clk,
                     body.reads / processor_.reads_per_clk, body.writes / processor_.writes_per_clk,
                     (body.arithmetic + body.reads + body.writes) / processor_.issues_per_clk,
                     body.chain});
  }

  /// Clocks of the loops in a node, for one execution of it; what is in no loop goes to `body`.
  double Walk(int index, Place place, Body& body) {
    const LoopNode& node = tree_.node(index);
    double clocks = 0;
    switch (node.kind) {
      case NodeKind::kExec:
        Exec(index, place, body);
        return 0;
      case NodeKind::kLoop: {
        const double size = SizeOf(node.dim_class);
        if (size < 2) break;
        At(ProcessorCount::kTurns) += place.times * size;
        At(ProcessorCount::kExits) += place.times;
        place.times *= size;
        Body own;
        const double text = At(ProcessorCount::kText);
        for (const int child : node.children) clocks += Walk(child, place, own);
        Spill(index, place, own);
        const double lanes = IsMadeVectors(index) ? processor_.vector_bytes / kFloatBytes : 1;
        const double turns = std::ceil(size / lanes);
        if (size <= kMostPeeled && size * (At(ProcessorCount::kText) - text) <= kMostPeeledText) {
          body.Add(own, turns);
          return turns * clocks;
        }
        At(ProcessorCount::kChained) += place.times * own.chain;
        // Its counter, its test and its jump go beside all else.
        const double once = std::max(1.0, ClocksOf(own));
        return turns * (clocks + once) + processor_.loop_exit_clk;
      }
      case NodeKind::kUnroll:
        place.copies *= SizeOf(node.dim_class);
        break;
      default:
        break;
    }
    for (const int child : node.children) clocks += Walk(child, place, body);
    return clocks;
  }

  /// Compilers make vectors of an innermost loop of scalars without sums, whose accesses are next
  /// to each other.
  bool IsMadeVectors(int loop) const {
    const int along = tree_.node(loop).dim_class;
    const auto is_fine = [&](const auto& self, int index) -> bool {
      const LoopNode& node = tree_.node(index);
      if (node.kind == NodeKind::kExec) {
        const ir::Instruction& inst = function_.inst(node.inst);
        if (inst.is_reduction()) return false;
        if (!inst.is_memory()) return true;
        const std::int64_t step = code_.memory.address[inst.id.index()].StrideOf(along);
        const bool reads = inst.op == ir::Op::kLoad || inst.op == ir::Op::kTempLoad;
        return step == 1 || (step == 0 && reads);
      }
      if (node.kind == NodeKind::kVector && SizeOf(node.dim_class) > 1) return false;
      if (IsLoop(node) && index != loop) return false;
      return std::ranges::all_of(node.children, [&](int child) { return self(self, child); });
    };
    return is_fine(is_fine, loop);
  }

  void Exec(int index, const Place& place, Body& body) {
    const ir::Instruction& inst = function_.inst(tree_.node(index).inst);
    if (inst.is_memory()) return Access(index, inst, place, body);
    const InstValues& values = code_.values.insts[inst.id.index()];
    const double number = place.copies * RegistersOf(values.lanes, ir::BytesOf(inst.computes)) *
                          OperationsOf(inst.op);
    body.arithmetic += number;
    At(ProcessorCount::kArithmetic) += place.times * number;
    At(ProcessorCount::kText) += number;
    if (!inst.is_reduction()) return;
    const ValueStorage& storage = code_.values.storage[inst.id.index()];
    const double chains = RegistersOfValue(inst, storage);
    body.steps = std::max(body.steps, number / chains);
    body.chain = std::max(body.chain, number / chains * processor_.fma_latency_clk);
  }

  void Access(int index, const ir::Instruction& inst, const Place& place, Body& body) {
    const Affine& address = code_.memory.address[inst.id.index()];
    const bool reads = inst.op == ir::Op::kLoad || inst.op == ir::Op::kTempLoad;
    const auto bytes =
        static_cast<std::int64_t>(inst.block.valid() ? function_.block(inst.block).element_bytes
                                                     : ir::BytesOf(function_.element_type(inst)));
    // Copies that access the same are one: compilers see that, and make vectors of neighbours.
    double number = 1, loose = 0;
    for (int at = index; at >= 0; at = tree_.node(at).parent) {
      const LoopNode& around = tree_.node(at);
      if (around.kind != NodeKind::kUnroll && around.kind != NodeKind::kVector) continue;
      const std::int64_t step = std::abs(address.StrideOf(around.dim_class));
      const double size = SizeOf(around.dim_class);
      if (step == 0) continue;
      if (step == 1) {
        number *= RegistersOf(size, static_cast<double>(bytes));
        continue;
      }
      number *= size;
      if (around.kind == NodeKind::kVector) loose = size;
    }
    (reads ? body.reads : body.writes) += number;
    At(reads ? ProcessorCount::kReads : ProcessorCount::kWrites) += place.times * number;
    At(ProcessorCount::kText) += number;
    if (loose > 0) {
      body.arithmetic += number;
      At(ProcessorCount::kLoose) += place.times * number;
    }
    uses_.push_back({index, &address, bytes, !reads});
  }

  /// Of its sum, where it is one: the registers that steps go to in turn.
  double RegistersOfValue(const ir::Instruction& inst, const ValueStorage& storage) const {
    const ir::Type held = storage.is_bits ? inst.type : tree_.SumType(function_, inst);
    double registers = RegistersOf(storage.lanes, ir::BytesOf(held));
    for (const KeyDim& key : storage.key) {
      if (!key.is_vector) registers *= key.size;
    }
    if (storage.parts.empty()) return registers;
    return registers * RegistersOf(storage.parts.lanes, ir::BytesOf(held)) *
           storage.parts.num_copies();
  }

  struct Value {
    int home = 0;
    double registers = 0;
    bool is_sum = false;
    std::vector<int> users;  ///< Nodes.
  };

  void FindHeld() {
    std::vector<int> of_inst(function_.insts.size(), -1);
    const auto note = [&](ir::InstId id, int node) {
      if (of_inst[id.index()] >= 0) values_[Nth(of_inst[id.index()])].users.push_back(node);
    };
    for (const ir::Instruction& inst : function_.insts) {
      const int node = tree_.node_of_inst[inst.id.index()];
      const ValueStorage& storage = code_.values.storage[inst.id.index()];
      if (node < 0 || (!storage.is_read && !inst.is_reduction())) continue;
      of_inst[inst.id.index()] = static_cast<int>(values_.size());
      values_.push_back(
          {storage.home, RegistersOfValue(inst, storage), inst.is_reduction(), {node}});
    }
    for (const ir::Instruction& inst : function_.insts) {
      const int node = tree_.node_of_inst[inst.id.index()];
      if (node < 0) continue;
      for (const ValueRead& read : code_.values.insts[inst.id.index()].reads) {
        if (read.producer.valid()) note(read.producer, node);
      }
    }
  }

  bool IsInside(int node, int around) const {
    while (node >= 0 && node != around) node = tree_.node(node).parent;
    return node == around;
  }

  /// What lives through the loop and finds no register is read, and sums are written, in each step.
  void Spill(int loop, const Place& place, Body& body) {
    double held = 0, sums = 0;
    for (const Value& value : values_) {
      if (IsInside(value.home, loop)) continue;
      if (std::ranges::none_of(value.users, [&](int user) { return IsInside(user, loop); })) {
        continue;
      }
      held += value.registers;
      if (value.is_sum) sums += value.registers;
    }
    At(ProcessorCount::kHeld) = std::max(At(ProcessorCount::kHeld), held);
    const double spilled = std::max(0.0, held - processor_.registers);
    const double steps = std::max(1.0, body.steps), written = std::min(spilled, sums);
    body.reads += steps * spilled;
    body.writes += steps * written;
    At(ProcessorCount::kSpilled) += place.times * steps * (spilled + written);
  }

  /// Nanoseconds that the bytes take, and how many they are.
  double Move() {
    double footprint = 0;
    for (const Use& use : uses_) footprint += Touched(use, -1).bytes;
    At(ProcessorCount::kFootprint) = footprint;
    const double second = FromBeyond(processor_.first_bytes, true);
    double beyond = FromBeyond(processor_.second_bytes, false);
    if (footprint <= processor_.second_bytes) beyond = 0;  // The next run finds it there.
    const double threads = std::min(processor_.threads, static_cast<double>(tree_.num_blocks));
    At(ProcessorCount::kFromSecond) = second / threads;
    At(ProcessorCount::kFromBeyond) = beyond;
    double gbs = processor_.beyond.front().gbs;
    for (const ProcessorLimits::Beyond& one : processor_.beyond) {
      if (one.bytes <= footprint) gbs = one.gbs;
    }
    gbs *= threads / processor_.threads;
    return second / threads / (processor_.second_bytes_per_clk * processor_.clock_ghz) +
           beyond / gbs;
  }

  struct Touch {
    double bytes = 0;  ///< Of lines.
    double ways = 0;   ///< That they take of sets of the first cache.
    bool is_loose = false;
  };

  /// What one iteration of the loop `around` touches (-1: all that runs).
  Touch Touched(const Use& use, int around) {
    inside_.clear();
    for (int at = use.node; at >= 0 && at != around; at = tree_.node(at).parent) {
      const LoopNode& node = tree_.node(at);
      if (node.dim_class >= 0) Add(use, node.dim_class, inside_);
    }
    return Lines(use.bytes, inside_);
  }

  void Add(const Use& use, int dim_class, std::vector<Stride>& strides) const {
    const std::int64_t step = std::abs(use.address->StrideOf(dim_class));
    if (step != 0 && SizeOf(dim_class) > 1) strides.push_back({step, SizeOf(dim_class)});
  }

  /// Lines in which some element is that the strides lead to.
  Touch Lines(std::int64_t bytes, std::vector<Stride>& strides) const {
    std::ranges::sort(strides, {}, &Stride::step);
    std::int64_t run = 1;
    double runs = 1, sets = 1;
    const double all_sets = processor_.first_bytes / processor_.first_ways / kLineBytes;
    for (const Stride& stride : strides) {
      if (stride.step <= std::max(run, kLineBytes / bytes)) {
        run += stride.step * (stride.count - 1);
        continue;
      }
      runs *= static_cast<double>(stride.count);
      // Lines that are a multiple of a power of two apart come back to the same sets.
      const std::int64_t step = stride.step * bytes / kLineBytes;
      const double apart = static_cast<double>(step & -step);
      sets *= std::min(static_cast<double>(stride.count), std::max(1.0, all_sets / apart));
    }
    const double lines = std::ceil(static_cast<double>(run * bytes) / kLineBytes);
    sets = std::min({all_sets, sets * lines, runs * lines});
    return {runs * lines * kLineBytes, std::ceil(runs * lines / sets), runs > 1 && lines < 2};
  }

  /// Bytes that all blocks together get from behind caches of `bytes`; `has_sets`: those are so few
  /// that lines are in each other's way.
  double FromBeyond(double bytes, bool has_sets) {
    std::vector<double> of_iteration(tree_.nodes.size(), -1);
    const auto fits = [&](int loop) {
      double& touched = of_iteration[Nth(loop)];
      if (touched < 0) {
        touched = 0;
        for (const Use& use : uses_) {
          if (!IsInside(use.node, loop)) continue;
          const Touch touch = Touched(use, loop);
          touched += touch.bytes;
          if (has_sets && touch.ways > processor_.first_ways) touched += bytes;
        }
      }
      return touched <= bytes;
    };
    double all = 0;
    for (const Use& use : uses_) {
      strides_.clear();
      double times = 1;
      bool is_kept = true;
      for (int at = use.node; at >= 0; at = tree_.node(at).parent) {
        const LoopNode& node = tree_.node(at);
        if (node.dim_class < 0) continue;
        if (IsLoop(node)) is_kept = is_kept && fits(at);
        if (is_kept) {
          Add(use, node.dim_class, strides_);
        } else {
          times *= SizeOf(node.dim_class);
        }
      }
      const Touch touch = Lines(use.bytes, strides_);
      all += touch.bytes * times * (use.writes ? kWeightOfWrite : 1) *
             (touch.is_loose ? kWeightOfLoose : 1);
    }
    return all;
  }

  const LoweredCode& code_;
  const LoopTree& tree_;
  const ir::Function& function_;
  const ProcessorLimits& processor_;
  ProcessorCounts counts_ = {};
  std::vector<Value> values_;
  std::vector<Use> uses_;
  std::vector<Stride> strides_, inside_;
};

constexpr std::array<std::string_view, kNumProcessorCounts> kNames = {
    "blocks",
    "blocks of a thread",
    "arithmetic of a thread",
    "reads of a thread",
    "writes of a thread",
    "loose elements of a thread",
    "turns of a thread",
    "ends of loops of a thread",
    "text of a thread",
    "registers through a loop",
    "spills of a thread",
    "clocks in chains",
    "bytes from the second cache",
    "bytes from beyond the second cache",
    "bytes touched",
    "busy ns",
    "moving ns",
    "guessed ns",
};

}  // namespace

ProcessorLimits LimitsOf(const ir::Device& device) {
  ProcessorLimits processor;
  processor.threads = std::max(1u, device.threads);
  const double floats = ir::WidestVector(device);
  processor.vector_bytes = floats * kFloatBytes;
  if (device.max_registers > 0) processor.registers = device.max_registers / floats;
  // What a block's arrays may take is half of that cache.
  processor.second_bytes = std::max(processor.first_bytes, 2.0 * device.shared_bytes);
  return processor;
}

std::string_view NameOf(ProcessorCount count) {
  return kNames[static_cast<std::size_t>(count)];
}

ProcessorCounts CountOnProcessor(const LoweredCode& code, const ProcessorLimits& processor) {
  return Counter(code, processor).Run();
}

}  // namespace exh::kernels::codegen
