// SPDX-License-Identifier: MIT
#include "kernels/codegen/plan/value_plan.h"

#include <algorithm>

#include "kernels/codegen/plan/combine_plan.h"
#include "kernels/ir/ops.h"

namespace exh::kernels::codegen {
namespace {

bool Contains(const std::vector<ir::DimId>& dims, ir::DimId dim) {
  return std::find(dims.begin(), dims.end(), dim) != dims.end();
}

bool IsExpanded(DimKind kind) {
  return kind == DimKind::UNROLL || kind == DimKind::VECTOR;
}

class ValuePlanner {
 public:
  ValuePlanner(const ir::Function& function, const Schedule& schedule, const LoopTree& tree)
      : function_(function), schedule_(schedule), tree_(tree) {}

  ValuePlan Run() {
    plan_.storage.resize(function_.insts.size());
    plan_.insts.resize(function_.insts.size());
    readers_.resize(function_.insts.size());
    ForEachActive([&](const ir::Instruction& inst) { AddStorage(inst); });
    ForEachActive([&](const ir::Instruction& inst) { AddReads(inst); });
    std::vector<std::vector<int>> keys(function_.insts.size());
    ForEachActive([&](const ir::Instruction& inst) {
      for (const KeyDim& key : plan_.storage[inst.id.index()].key) {
        keys[inst.id.index()].push_back(key.dim_class);
      }
    });
    plan_.ahead = PlanAdvance(function_, schedule_, tree_, readers_, keys);
    ForEachActive([&](const ir::Instruction& inst) { AddHome(inst); });
    ForEachActive([&](const ir::Instruction& inst) {
      plan_.storage[inst.id.index()].is_bits = IsBits(inst);
    });
    AddCorrections();
    ForEachActive([&](const ir::Instruction& inst) {
      if (!inst.has_side_effect()) return;
      plan_.insts[inst.id.index()].guard = OnceGuard(tree_, tree_.node_of_inst[inst.id.index()]);
    });
    return std::move(plan_);
  }

 private:
  template <typename Action>
  void ForEachActive(Action action) {
    for (const ir::Instruction& inst : function_.insts) {
      if (schedule_.InStatements(inst.id)) action(inst);
    }
  }
  void Fail(const std::string& why) {
    if (plan_.error.empty()) plan_.error = why;
  }
  int ClassOf(ir::DimId dim) const { return tree_.class_of_dim[dim.index()]; }

  void AddStorage(const ir::Instruction& inst) {
    ValueStorage& storage = plan_.storage[inst.id.index()];
    InstValues& values = plan_.insts[inst.id.index()];
    for (const ir::DimId dim : inst.dims) {
      const DimClass& dim_class = tree_.class_of(dim);
      const bool is_vector = dim_class.kind == DimKind::VECTOR;
      if (is_vector) {
        values.vector_class = ClassOf(dim);
        values.lanes = dim_class.size;
      }
      const bool is_reduced = Contains(inst.reduce_dims, dim);
      if (!IsExpanded(dim_class.kind) || (is_reduced && !inst.is_scan())) continue;
      if (is_reduced) {
        storage.scanned.push_back(storage.key.size());
        if (IsAroundSlices(inst, dim)) ++storage.rows;
      }
      if (is_vector) storage.lanes = dim_class.size;
      storage.key.push_back({dim, ClassOf(dim), dim_class.size, is_vector});
    }
    if (inst.is_scan()) storage.beside = BesideValue::kCarry;
    if (tree_.Runs(inst.id)) storage.beside = BesideValue::kBefore;
    if (tree_.LaneClass(inst) >= 0) AddParts(inst, storage.parts);
  }

  bool IsAroundSlices(const ir::Instruction& scan, ir::DimId dim) const {
    return std::ranges::any_of(scan.reduce_dims, [&](ir::DimId other) {
      return tree_.class_of(other).kind == DimKind::THREAD &&
             function_.dim(other).level > function_.dim(dim).level;
    });
  }

  void AddParts(const ir::Instruction& reduction, LaneParts& parts) const {
    parts.vector_class = tree_.LaneClass(reduction);
    parts.lanes = tree_.classes[static_cast<std::size_t>(parts.vector_class)].size;
    for (const ir::DimId dim : reduction.reduce_dims) {
      const DimClass& dim_class = tree_.class_of(dim);
      if (dim_class.kind != DimKind::UNROLL || dim_class.size == 1) continue;
      parts.copies.push_back({dim, ClassOf(dim), dim_class.size, false});
    }
  }

  void AddReads(const ir::Instruction& inst) {
    InstValues& values = plan_.insts[inst.id.index()];
    for (const ir::Operand& operand : inst.operands) {
      ValueRead read;
      if (operand.kind == ir::Operand::Kind::kComm) {
        const ir::Communication& comm = Effective(function_, schedule_, operand.comm);
        read.producer = comm.producer;
        CheckOrder(comm);
        for (const ir::DimId dim : function_.inst(comm.producer).dims) CheckDim(comm, dim);
        for (const KeyDim& key : plan_.storage[comm.producer.index()].key) {
          read.index.push_back({ClassOf(PairedDim(comm, key.dim)), false});
        }
        // What stays in memory has no register.
        if (!tree_.stays_in_place[comm.producer.index()]) {
          plan_.storage[comm.producer.index()].is_read = true;
        }
        readers_[comm.producer.index()].push_back(inst.id);
      }
      values.reads.push_back(std::move(read));
    }
    if (inst.is_reduction()) AddInit(inst);
  }

  /// The init writes the reduction's storage: it takes the reverse way through the pairs.
  void AddInit(const ir::Instruction& reduction) {
    const ir::Communication& comm = Effective(function_, schedule_, reduction.init);
    CheckOrder(comm);
    const ir::Instruction& init = function_.inst(comm.producer);
    // What it writes is there before its own parts are one value.
    if (tree_.LaneClass(init) >= 0 || !tree_.SliceAxes(init).empty()) {
      Fail(reduction.name() + " begins with the value of " + init.name() + ", which has parts");
    }
    InitWrite write{reduction.id, {}, {}, {}};
    // The slices of a scan begin with what is carried to them.
    if (!reduction.is_scan() && !AllPartsMayBegin(reduction, init)) {
      write.slices = tree_.SliceAxes(reduction);
      write.splits = tree_.SplitClasses(reduction);
      write.first_lane_only = tree_.LaneClass(reduction) >= 0;
    }
    const std::vector<int> around = tree_.ClassesAround(tree_.node_of_inst[comm.producer.index()]);
    for (const KeyDim& key : plan_.storage[reduction.id.index()].key) {
      KeySource source;
      if (Contains(reduction.reduce_dims, key.dim)) {
        write.index.push_back(source);
        continue;
      }
      for (const ir::PairId pair : comm.pairs) {
        if (function_.pair(pair).dst == key.dim)
          source.dim_class = ClassOf(function_.pair(pair).src);
      }
      // A dim that the init lacks: inside that dim it serves one iteration, outside it all of them.
      const bool inside = std::find(around.begin(), around.end(), key.dim_class) != around.end();
      if (source.dim_class < 0 && inside) source.dim_class = key.dim_class;
      source.every = source.dim_class < 0;
      write.index.push_back(source);
    }
    for (const ir::DimId dim : function_.inst(comm.producer).dims) CheckDim(comm, dim);
    plan_.insts[comm.producer.index()].inits.push_back(std::move(write));
    readers_[reduction.id.index()].push_back(comm.producer);
  }

  /// May what each lane, thread or block has of it begin with the first value? It is the identity,
  /// or it makes no difference how often a value is taken.
  static bool AllPartsMayBegin(const ir::Instruction& reduction, const ir::Instruction& init) {
    const ir::Op op = ir::CombinedBy(reduction.op);
    if (op == ir::Op::kMin || op == ir::Op::kMax) return true;
    const ir::Operand& first = init.operands.front();
    return init.op == ir::Op::kConst && first.kind == ir::Operand::Kind::kLiteral &&
           ir::Rounded(init.type, first.literal) == ir::IdentityOf(op, reduction.type);
  }

  void CheckOrder(const ir::Communication& comm) {
    if (schedule_.order(comm.producer, comm.consumer) != Order::BEFORE) {
      Fail(function_.inst(comm.producer).name() + " does not run before " +
           function_.inst(comm.consumer).name());
    }
  }

  /// Dim of the consumer whose index is the producer's index of `dim`; `dim` itself when both
  /// instructions lie in its loop.
  ir::DimId PairedDim(const ir::Communication& comm, ir::DimId dim) const {
    for (const ir::PairId pair : comm.pairs) {
      if (function_.pair(pair).src == dim) return function_.pair(pair).dst;
    }
    return dim;
  }

  /// Registers carry a value only between dims that are merged, expanded or on one thread axis.
  void CheckDim(const ir::Communication& comm, ir::DimId dim) {
    const ir::Instruction& producer = function_.inst(comm.producer);
    if (Contains(producer.reduce_dims, dim) && !producer.is_scan()) return;
    const ir::DimId paired = PairedDim(comm, dim);
    const DimClass& src = tree_.class_of(dim);
    const DimClass& dst = tree_.class_of(paired);
    // Lanes have the same part of both fragments, or a matrix unit takes it as what it is.
    const bool is_unit = tree_.IsUnit(function_.inst(comm.consumer)) && !comm.is_init;
    const bool is_operand = is_unit && src.part == ir::FragmentPart::kOperandColumn &&
                            dst.part == ir::FragmentPart::kColumn;
    const bool shares_lanes =
        src.HasLanesOf(dst) || (src.lanes.empty() && dst.lanes.empty()) || is_operand;
    const auto around = tree_.ClassesAround(tree_.node_of_inst[comm.consumer.index()]);
    const bool reaches = std::find(around.begin(), around.end(), ClassOf(paired)) != around.end();
    const bool carried =
        ClassOf(dim) == ClassOf(paired) || (IsExpanded(src.kind) && IsExpanded(dst.kind)) ||
        (src.kind == DimKind::THREAD && dst.kind == DimKind::THREAD && src.axis == dst.axis);
    const bool has_same_size = schedule_.size(dim) == schedule_.size(paired);
    if (!reaches || !carried || !has_same_size || !shares_lanes) {
      Fail("the value of " + producer.name() + " cannot reach " +
           function_.inst(comm.consumer).name() + " from " + function_.dim(dim).name() + " to " +
           function_.dim(paired).name() + " in registers");
    }
  }

  /// Of maxima that run. What corrects a sum is in registers of the thread that has it.
  void AddCorrections() {
    plan_.corrected.resize(function_.insts.size());
    for (const ir::Communication& comm : function_.comms) {
      if (schedule_.pace.Or(Pace::AFTER, comm.id) != Pace::RUNNING) continue;
      std::vector<CorrectedSum>& sums = plan_.corrected[comm.producer.index()];
      for (const ir::InstId id : comm.running->corrected) {
        if (std::ranges::find(sums, id, &CorrectedSum::sum) != sums.end()) continue;
        CorrectedSum sum = {id, {}};
        for (const KeyDim& key : plan_.storage[comm.producer.index()].key) {
          sum.places.push_back(PlaceOf(LinkedDim(comm, key.dim, id), id));
        }
        sums.push_back(std::move(sum));
      }
      for (const ir::LinkId link : comm.running->links) CheckLink(function_.link(link));
    }
  }
  ir::DimId LinkedDim(const ir::Communication& comm, ir::DimId dim, ir::InstId sum) const {
    for (const ir::LinkId id : comm.running->links) {
      const ir::Link& link = function_.link(id);
      if (link.src == dim && function_.dim(link.dst).inst == sum) return link.dst;
    }
    return dim;
  }
  std::size_t PlaceOf(ir::DimId dim, ir::InstId inst) {
    const std::vector<KeyDim>& key = plan_.storage[inst.index()].key;
    const auto found = std::ranges::find(key, dim, &KeyDim::dim);
    if (found == key.end()) {
      Fail(function_.inst(inst).name() + " has no register for each of " +
           function_.dim(dim).name());
    }
    return static_cast<std::size_t>(found - key.begin());
  }
  void CheckLink(const ir::Link& link) {
    const DimClass &src = tree_.class_of(link.src), &dst = tree_.class_of(link.dst);
    const bool is_carried =
        ClassOf(link.src) == ClassOf(link.dst) ||
        (IsExpanded(src.kind) && src.kind == dst.kind && src.lanes == dst.lanes) ||
        (src.kind == DimKind::THREAD && dst.kind == DimKind::THREAD && src.axis == dst.axis);
    if (!is_carried || src.size != dst.size) {
      Fail("what corrects " + function_.dim(link.dst).name() + " cannot reach it from " +
           function_.dim(link.src).name() + " in registers");
    }
  }

  /// Was a half or a byte read, or a narrow float made, that nothing but matrix units, and stores
  /// of its type, take?
  bool IsBits(const ir::Instruction& inst) const {
    const bool is_read = inst.op == ir::Op::kLoad || inst.op == ir::Op::kTempLoad;
    const bool is_made = inst.op == ir::Op::kConst && ir::IsFloatBits(inst.type);
    const std::vector<ir::InstId>& readers = readers_[inst.id.index()];
    const bool is_narrow = ir::IsFloatBits(inst.type) || inst.type == ir::Type::kI8;
    if (!tree_.has_lanes() || readers.empty() || !is_narrow) return false;
    if (!(is_read ? function_.element_type(inst) == inst.type : is_made)) return false;
    if (!plan_.insts[inst.id.index()].inits.empty()) return false;
    return std::ranges::all_of(readers, [&](ir::InstId id) {
      const ir::Instruction& reader = function_.inst(id);
      if (reader.is_reduction()) return tree_.IsUnit(reader);
      const bool stores = reader.op == ir::Op::kStore || reader.op == ir::Op::kTempStore;
      return stores && function_.element_type(reader) == inst.type;
    });
  }

  /// The innermost scope around the producer and all readers. Unrolled and vector loops are no
  /// scopes of their own.
  void AddHome(const ir::Instruction& inst) {
    ValueStorage& storage = plan_.storage[inst.id.index()];
    int home = tree_.node_of_inst[inst.id.index()];
    for (const ir::InstId reader : readers_[inst.id.index()]) {
      home = tree_.CommonAncestor(home, tree_.node_of_inst[reader.index()]);
    }
    // What is read ahead of a loop is there before it.
    for (const AdvancedRead& read : plan_.ahead) {
      if (read.inst == inst.id) home = tree_.CommonAncestor(home, tree_.node(read.loop).parent);
    }
    const auto no_scope = [&](NodeKind kind) {
      return kind == NodeKind::kExec || kind == NodeKind::kUnroll || kind == NodeKind::kVector;
    };
    while (no_scope(tree_.node(home).kind)) home = tree_.node(home).parent;
    storage.home = home;
    storage.per_thread = tree_.has_threads() && !tree_.InThreads(home);
  }

  const ir::Function& function_;
  const Schedule& schedule_;
  const LoopTree& tree_;
  ValuePlan plan_;
  /// By instruction: who reads its storage, and the init that writes it.
  std::vector<std::vector<ir::InstId>> readers_;
};

}  // namespace

std::uint32_t LaneParts::num_copies() const {
  std::uint32_t count = 1;
  for (const KeyDim& copy : copies) count *= copy.size;
  return count;
}

bool Runs(const Schedule& schedule, const ir::Operand& operand) {
  return operand.kind == ir::Operand::Kind::kComm &&
         schedule.pace.Or(Pace::AFTER, operand.comm) == Pace::RUNNING;
}

bool IsSliced(const LoopTree& tree, const ir::Instruction& scan) {
  return scan.is_scan() && !tree.SliceAxes(scan).empty();
}

ThreadGuard OnceGuard(const LoopTree& tree, int node) {
  ThreadGuard guard;
  if (tree.num_threads == 1) return guard;
  int layout = -1;
  std::vector<bool> used(tree.axes.size(), false);
  const ir::InstId inst = tree.node(node).inst;
  for (const int c : tree.ClassesAround(node)) {
    const DimClass& dim_class = tree.classes[static_cast<std::size_t>(c)];
    const int axis = dim_class.axis;
    if (axis < 0) continue;
    // What lanes share is not all that there is in their band, and not all of that is different in
    // each of them.
    const bool are_lanes = dim_class.dims.empty();
    used[static_cast<std::size_t>(axis)] =
        !are_lanes || !inst.valid() ||
        std::ranges::find(tree.own_lanes[inst.index()], c) != tree.own_lanes[inst.index()].end();
    layout = tree.axes[static_cast<std::size_t>(axis)].layout;
  }
  if (layout < 0) {  // All threads repeat it.
    guard.below = 1;
    return guard;
  }
  for (std::size_t axis = 0; axis < used.size(); ++axis) {
    if (!used[axis] && tree.axes[axis].layout == layout)
      guard.axes.push_back(static_cast<int>(axis));
  }
  const std::uint32_t threads = tree.layouts[static_cast<std::size_t>(layout)].threads;
  if (threads < tree.num_threads) guard.below = threads;
  return guard;
}

ValuePlan PlanValues(const ir::Function& function, const Schedule& schedule, const LoopTree& tree) {
  return ValuePlanner(function, schedule, tree).Run();
}

const ir::Communication& Effective(const ir::Function& function, const Schedule& schedule,
                                   ir::CommId comm) {
  const ir::Communication& direct = function.comm(comm);
  const bool is_lowered = direct.lowered && schedule.InBlocks(direct.lowered->block);
  return is_lowered ? function.comm(direct.lowered->load_comm) : direct;
}

}  // namespace exh::kernels::codegen
