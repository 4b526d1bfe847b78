// SPDX-License-Identifier: MIT
#include "kernels/codegen/interpreter.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernels/ir/ops.h"

namespace exh::kernels::codegen {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// Numbers here are doubles: f32 and f64 stay as exact as those. A NaN that is no float was never
/// written, and stays one, so that it shows.
double RoundedUnlessWide(ir::Type type, double value, bool from_float) {
  if (type == ir::Type::kF64 || type == ir::Type::kF32) return value;
  return std::isnan(value) && !from_float ? value : ir::Rounded(type, value);
}

std::size_t At(std::int64_t i) {
  return static_cast<std::size_t>(i);
}

/// Position in a value's storage: mixed radix over its key, first key dim outermost.
struct Slot {
  Affine offset;
  /// Inits only: the offsets of the key dims of which every index is written.
  std::vector<std::int64_t> copies = {0};
};

struct Input {
  ir::InstId producer;  ///< Not valid: `constant`.
  double constant = 0;
  bool is_float = true;   ///< What it reads.
  bool converts = false;  ///< It becomes what the operator is evaluated in.
  Slot slot;
};

/// An instruction with every name resolved.
struct Step {
  ir::Op op = ir::Op::kConst;
  ir::Type computes = ir::Type::kF32;  ///< EvaluatedIn().
  ir::Type type = ir::Type::kF32;      ///< Of its value, or of what a store writes to.
  bool is_reduction = false;
  std::vector<Input> inputs;
  Slot own;
  struct Init {
    ir::InstId reduction;
    Slot slot;
    std::vector<int> slices;
  };
  std::vector<Init> inits;
  std::size_t memory = 0;  ///< Array number, or temporary number.
  ThreadGuard guard;
};

class Interpreter {
 public:
  Interpreter(const LoweredCode& code, InterpreterData& data)
      : code_(code), tree_(code.tree), data_(data), index_(tree_.classes.size(), 0) {
    for (const auto& array : data.arrays) result_.written.emplace_back(array.size(), 0);
    for (const TempArray& temp : code.memory.temps) temps_.emplace_back(temp.elements, kNan);
    steps_.resize(code.function->insts.size());
    values_.resize(steps_.size());
    points_.resize(steps_.size(), 1);
    for (const ir::Instruction& inst : code.function->insts) {
      if (tree_.node_of_inst[inst.id.index()] >= 0) Prepare(inst);
    }
  }

  InterpreterResult Run() {
    Node(0);
    return std::move(result_);
  }

 private:
  Slot MakeSlot(const ValueStorage& storage, const std::vector<KeySource>& index) const {
    Slot slot;
    std::int64_t stride = 1;
    for (std::size_t i = storage.key.size(); i-- > 0;) {
      if (index[i].every) {
        std::vector<std::int64_t> copies;
        for (const std::int64_t copy : slot.copies) {
          for (std::uint32_t k = 0; k < storage.key[i].size; ++k) {
            copies.push_back(copy + k * stride);
          }
        }
        slot.copies = std::move(copies);
      } else {
        slot.offset.Add(index[i].dim_class, stride);
      }
      stride *= storage.key[i].size;
    }
    return slot;
  }

  void Prepare(const ir::Instruction& inst) {
    const ir::Function& function = *code_.function;
    const InstValues& plan = code_.values.insts[inst.id.index()];
    Step& step = steps_[inst.id.index()];
    step.op = inst.op;
    step.computes = EvaluatedIn(inst);
    step.type = inst.op == ir::Op::kStore       ? function.array(inst.array).type
                : inst.op == ir::Op::kTempStore ? function.block(inst.block).type
                                                : inst.type;
    step.is_reduction = inst.is_reduction();
    step.guard = plan.guard;
    for (std::size_t i = 0; i < inst.operands.size(); ++i) {
      const ir::Operand& operand = inst.operands[i];
      Input input;
      const std::optional<ir::Type> from = function.TypeOf(operand);
      input.is_float = !from || ir::IsFloat(*from);
      // The condition of a kSelect is compared in the type it has; what only copies rounds once.
      const bool is_condition = inst.op == ir::Op::kSelect && i == 0;
      const bool is_copy =
          inst.op == ir::Op::kConst || inst.has_side_effect() || inst.block.valid();
      input.converts = !is_condition && !is_copy && from != step.computes;
      if (operand.kind == ir::Operand::Kind::kLiteral) input.constant = operand.literal;
      if (operand.kind == ir::Operand::Kind::kScalar) {
        for (std::size_t s = 0; s < function.scalars.size(); ++s) {
          if (function.scalars[s].name != operand.scalar) continue;
          input.constant = RoundedUnlessWide(function.scalars[s].type, data_.scalars[s], true);
        }
      }
      if (operand.kind == ir::Operand::Kind::kComm) {
        input.producer = plan.reads[i].producer;
        input.slot = MakeSlot(code_.values.storage[input.producer.index()], plan.reads[i].index);
      }
      step.inputs.push_back(std::move(input));
    }
    const ValueStorage& storage = code_.values.storage[inst.id.index()];
    std::vector<KeySource> own;
    std::size_t points = 1;
    for (const KeyDim& key : storage.key) {
      own.push_back({key.dim_class, false});
      points *= key.size;
    }
    step.own = MakeSlot(storage, own);
    points_[inst.id.index()] = points;
    values_[inst.id.index()].assign(points * tree_.num_threads, kNan);
    for (const InitWrite& init : plan.inits) {
      step.inits.push_back({init.reduction,
                            MakeSlot(code_.values.storage[init.reduction.index()], init.index),
                            init.slices});
    }
    if (inst.op == ir::Op::kLoad || inst.op == ir::Op::kStore) step.memory = inst.array.index();
    for (std::size_t temp = 0; temp < temps_.size(); ++temp) {
      if (inst.block.valid() && code_.memory.temps[temp].block == inst.block) step.memory = temp;
    }
  }

  std::int64_t Evaluate(const Affine& affine) const {
    std::int64_t value = affine.constant;
    for (const Affine::Term& term : affine.terms) {
      value += term.coefficient * index_[At(term.dim_class)];
    }
    return value;
  }

  double& Register(ir::InstId inst, std::int64_t point) {
    return values_[inst.index()][thread_ * points_[inst.index()] + At(point)];
  }

  double* Element(std::vector<double>& array, const Affine& address, const ir::Instruction& inst) {
    const std::int64_t element = Evaluate(address);
    if (element >= 0 && At(element) < array.size()) return &array[At(element)];
    if (result_.error.empty()) {
      result_.error = inst.name() + " accesses element " + std::to_string(element) + " of " +
                      std::to_string(array.size());
    }
    return nullptr;
  }

  /// Does a load stay inside of its array?
  bool IsInside(ir::InstId inst) const {
    const auto& guards = code_.memory.guards[inst.index()];
    return std::ranges::all_of(guards, [&](const GuardIndex& guard) {
      const std::int64_t index = Evaluate(guard.index);
      return index >= 0 && index < guard.extent;
    });
  }

  double Compute(const ir::Instruction& inst, const Step& step) {
    const auto raw = [&](std::size_t i) {
      const Input& in = step.inputs[i];
      return in.producer.valid() ? Register(in.producer, Evaluate(in.slot.offset)) : in.constant;
    };
    const Affine& address = code_.memory.address[inst.id.index()];
    switch (step.op) {
      case ir::Op::kLoad:
      case ir::Op::kTempLoad: {
        if (!IsInside(inst.id)) return 0;
        auto& array = step.op == ir::Op::kLoad ? data_.arrays[step.memory] : temps_[step.memory];
        const double* element = Element(array, address, inst);
        return element == nullptr ? kNan : *element;
      }
      case ir::Op::kIndex:
        return ir::Rounded(step.type, static_cast<double>(Evaluate(address)));
      case ir::Op::kStore:
      case ir::Op::kTempStore:
      case ir::Op::kConst:
        return RoundedUnlessWide(step.type, raw(0), step.inputs[0].is_float);
      default:
        break;
    }
    double in[3] = {};
    bool is_unwritten = false;  // An integer that nobody wrote.
    for (std::size_t i = 0; i < step.inputs.size(); ++i) {
      const Input& input = step.inputs[i];
      in[i] = raw(i);
      is_unwritten |= !input.is_float && std::isnan(in[i]);
      if (input.converts) in[i] = RoundedUnlessWide(step.computes, in[i], input.is_float);
    }
    const bool is_float = ir::IsFloat(step.computes);
    if (step.is_reduction) {  // Its own register is its last operand.
      const double own = Register(inst.id, Evaluate(step.own.offset));
      is_unwritten |= !is_float && std::isnan(own);
      in[step.inputs.size()] = own;
    }
    if (is_unwritten) return kNan;
    const double value = ir::Evaluate(step.op, step.computes, in[0], in[1], in[2]);
    return RoundedUnlessWide(step.type, value, is_float);
  }

  /// One point of the iteration space; lanes of a vector come one after the other.
  void Execute(ir::InstId id) {
    const Step& step = steps_[id.index()];
    const ir::Instruction& inst = code_.function->inst(id);
    if (step.guard.below != 0 && thread_ >= step.guard.below) return;
    for (const int axis : step.guard.axes) {
      const ThreadAxis& a = tree_.axes[At(axis)];
      if (thread_ / a.stride % a.size != 0) return;
    }
    const double value = Compute(inst, step);
    if (step.op == ir::Op::kStore || step.op == ir::Op::kTempStore) {
      auto& array = step.op == ir::Op::kStore ? data_.arrays[step.memory] : temps_[step.memory];
      double* element = Element(array, code_.memory.address[id.index()], inst);
      if (element == nullptr) return;
      *element = value;
      if (step.op == ir::Op::kStore) {
        std::uint8_t& count = result_.written[step.memory][At(element - array.data())];
        if (count < 255) ++count;
      }
      return;
    }
    Register(id, Evaluate(step.own.offset)) = value;
    for (const auto& [reduction, slot, slices] : step.inits) {
      const std::int64_t point = Evaluate(slot.offset);
      const ir::Type type = steps_[reduction.index()].type;
      const bool is_first =
          std::ranges::all_of(slices, [&](int axis) { return SliceOf(axis) == 0; });
      const ir::Op op = CombinedBy(steps_[reduction.index()].op);
      const double first = is_first ? RoundedUnlessWide(type, value, ir::IsFloat(step.type))
                                    : ir::IdentityOf(op, type);
      for (const std::int64_t copy : slot.copies) Register(reduction, point + copy) = first;
    }
  }

  /// Index of the running thread along a hardware axis.
  std::uint64_t SliceOf(int axis) const {
    const ThreadAxis& a = tree_.axes[At(axis)];
    return thread_ / a.stride % a.size;
  }

  /// Axis by axis: the threads at index 0 take what the others along it have, then all of them get
  /// what the first one has.
  void Combine(const ir::Instruction& inst) {
    const Step& step = steps_[inst.id.index()];
    const std::vector<int> slices = tree_.SliceAxes(inst);
    const std::uint64_t threads = tree_.layouts[At(tree_.axes[At(slices.front())].layout)].threads;
    const std::size_t points = points_[inst.id.index()];
    std::vector<double>& registers = values_[inst.id.index()];
    const bool is_float = ir::IsFloat(step.computes);
    for (const int slice : slices) {
      const ThreadAxis& axis = tree_.axes[At(slice)];
      for (std::uint64_t t = 0; t < threads; ++t) {
        if (t / axis.stride % axis.size != 0) continue;
        for (std::uint64_t other = t + axis.stride; other < t + axis.stride * axis.size;
             other += axis.stride) {
          for (std::size_t point = 0; point < points; ++point) {
            double& own = registers[t * points + point];
            const double more = registers[other * points + point];
            const bool is_unwritten = !is_float && (std::isnan(own) || std::isnan(more));
            const double sum = ir::Evaluate(CombinedBy(step.op), step.computes, own, more, 0);
            own = is_unwritten ? kNan : RoundedUnlessWide(step.type, sum, is_float);
          }
        }
      }
    }
    for (std::uint64_t t = 0; t < tree_.num_threads; ++t) {
      std::uint64_t first = t % threads;
      for (const int slice : slices) {
        const ThreadAxis& axis = tree_.axes[At(slice)];
        first -= t % threads / axis.stride % axis.size * axis.stride;
      }
      std::copy_n(&registers[first * points], points, &registers[t * points]);
    }
  }

  void Poison() {
    for (auto& array : temps_) std::fill(array.begin(), array.end(), kNan);
    for (auto& registers : values_) std::fill(registers.begin(), registers.end(), kNan);
  }

  /// A scalar instruction in another's VECTOR loop runs once, at lane 0.
  bool RunsAtLane(ir::InstId inst, int vector_class) const {
    return index_[At(vector_class)] == 0 ||
           code_.values.insts[inst.index()].vector_class == vector_class;
  }

  void Vector(int index, std::uint32_t lanes, int vector_class) {
    // Instruction by instruction, each over all its lanes: that is what a vector operation is.
    for (const int child : tree_.node(index).children) {
      const LoopNode& node = tree_.node(child);
      for (std::uint32_t lane = 0; lane < lanes; ++lane) {
        index_[At(vector_class)] = lane;
        if (node.kind != NodeKind::kExec) {
          Node(child);
        } else if (RunsAtLane(node.inst, vector_class)) {
          Execute(node.inst);
        }
      }
    }
  }

  void Body(const LoopNode& node) {
    for (std::size_t i = 0; i < node.children.size(); ++i) {
      if (tree_.node(node.children[i]).kind != NodeKind::kThreads) {
        Node(node.children[i]);
        continue;
      }
      std::size_t last = i;
      while (last + 1 < node.children.size() &&
             tree_.node(node.children[last + 1]).kind == NodeKind::kThreads &&
             !tree_.node(node.children[last + 1]).barrier_before) {
        ++last;
      }
      for (thread_ = 0; thread_ < tree_.num_threads; ++thread_) {
        for (std::size_t child = i; child <= last; ++child) Threads(node.children[child]);
      }
      thread_ = 0;
      i = last;
    }
  }

  void Threads(int index) {
    for (const int c : tree_.node(index).thread_classes) {
      const ThreadAxis& axis = tree_.axes[At(tree_.classes[At(c)].axis)];
      index_[At(c)] = static_cast<std::int64_t>(thread_ / axis.stride % axis.size);
    }
    Body(tree_.node(index));
  }

  void Node(int index) {
    const LoopNode& node = tree_.node(index);
    switch (node.kind) {
      case NodeKind::kExec:
        return Execute(node.inst);
      case NodeKind::kCombine:
        return Combine(code_.function->inst(node.inst));
      case NodeKind::kVector:
        return Vector(index, tree_.classes[At(node.dim_class)].size, node.dim_class);
      case NodeKind::kBlock:
      case NodeKind::kLoop:
        for (std::uint32_t i = 0; i < tree_.classes[At(node.dim_class)].size; ++i) {
          index_[At(node.dim_class)] = i;
          if (node.kind == NodeKind::kBlock) Poison();
          Body(node);
        }
        return;
      case NodeKind::kUnroll:
        return ForEachCopy(
            tree_, node, [&](int c) { return index_[At(c)]; },
            [&](std::uint32_t copy) {
              index_[At(node.dim_class)] = copy;
              Body(node);
            });
      case NodeKind::kRoot:
      case NodeKind::kThreads:
        return Body(node);
    }
  }

  const LoweredCode& code_;
  const LoopTree& tree_;
  InterpreterData& data_;
  InterpreterResult result_;
  std::vector<Step> steps_;
  std::vector<std::vector<double>> values_, temps_;  ///< Registers of all threads; arrays.
  std::vector<std::size_t> points_;                  ///< Registers of one thread.
  std::vector<std::int64_t> index_;                  ///< By class: where the loop is.
  std::uint64_t thread_ = 0;
};

}  // namespace

InterpreterResult Interpret(const LoweredCode& code, InterpreterData& data) {
  return Interpreter(code, data).Run();
}

}  // namespace exh::kernels::codegen
