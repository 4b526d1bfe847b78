// SPDX-License-Identifier: MIT
#include "kernels/codegen/interpreter.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <utility>

#include "kernels/codegen/interpreted_step.h"
#include "kernels/ir/ops.h"

namespace exh::kernels::codegen {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

std::size_t At(std::int64_t i) {
  return static_cast<std::size_t>(i);
}

class Interpreter {
 public:
  Interpreter(const LoweredCode& code, InterpreterData& data, unsigned order)
      : code_(code),
        tree_(code.tree),
        data_(data),
        order_(order),
        index_(tree_.classes.size(), 0),
        is_last_(code.splits.groups.size(), false) {
    for (const auto& array : data.arrays) result_.written.emplace_back(array.size(), 0);
    for (const TempArray& temp : code.memory.temps) temps_.emplace_back(temp.elements, kNan);
    for (const CopiedWindow& window : code.memory.windows) {
      windows_.emplace_back(window.elements(), kNan);
    }
    steps_.resize(code.function->insts.size());
    values_.resize(steps_.size());
    beside_.resize(steps_.size());
    points_.resize(steps_.size(), 1);
    for (const ir::Instruction& inst : code.function->insts) {
      if (tree_.node_of_inst[inst.id.index()] >= 0) Prepare(inst.id.index());
    }
    for (const SplitReduction& split : code.splits.reductions) {
      const std::uint64_t told = split.splits * split.num_registers * split.num_slots;
      partials_.emplace_back(split.is_of_cluster() ? told : split.elements(), kNan);
    }
    for (const SplitGroup& group : code.splits.groups) tickets_.emplace_back(group.tiles, 0);
  }

  InterpreterResult Run() {
    Fill();
    for (const Part& part : code_.splits.parts) {
      part_ = &part;
      Blocks(part.blocks);
    }
    return std::move(result_);
  }

 private:
  void Prepare(std::size_t inst) {
    steps_[inst] = PrepareStep(code_, code_.function->insts[inst], data_.scalars);
    points_[inst] = steps_[inst].points;
    values_[inst].assign(points_[inst] * tree_.num_threads, kNan);
    if (code_.values.storage[inst].beside != BesideValue::kNothing) beside_[inst] = values_[inst];
  }

  std::int64_t Evaluate(const Affine& affine) const {
    return affine.At([&](int dim_class) { return index_[At(dim_class)]; });
  }

  double& Register(ir::InstId inst, std::int64_t point) {
    return values_[inst.index()][thread_ * points_[inst.index()] + At(point)];
  }

  /// What a reduction has beside it. What a scan carries is where its first step is.
  double& BesideOf(ir::InstId inst, std::int64_t point) {
    return beside_[inst.index()][thread_ * points_[inst.index()] + At(point)];
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

  /// Does a load stay inside of its array, and is nothing beyond a covered axis?
  bool IsInside(ir::InstId inst) const {
    const auto& guards = code_.memory.guards[inst.index()];
    return std::ranges::all_of(guards, [&](const GuardIndex& guard) {
      const std::int64_t index = Evaluate(guard.index);
      return index >= 0 && index < guard.extent;
    });
  }

  double Compute(const ir::Instruction& inst, const InterpretedStep& step) {
    const auto raw = [&](std::size_t i) {
      const StepInput& in = step.inputs[i];
      if (!in.producer.valid()) return in.constant;
      const double value = Register(in.producer, Evaluate(in.slot.offset));
      return in.runs && value == in.lowest ? 0 : value;
    };
    const Affine& address = code_.memory.address[inst.id.index()];
    switch (step.op) {
      case ir::Op::kLoad:
      case ir::Op::kTempLoad: {
        if (!IsInside(inst.id)) return inst.outside;
        const CopiedWindow* const window = code_.memory.window(inst);
        auto& array = window != nullptr          ? ElementsOf(*window)
                      : step.op == ir::Op::kLoad ? data_.arrays[step.memory]
                                                 : temps_[step.memory];
        const double* element = Element(array, address, inst);
        return element == nullptr ? kNan : *element;
      }
      case ir::Op::kGather: {
        const auto& array = data_.arrays[step.memory];
        const double index = raw(0);
        if (std::isnan(index)) return kNan;  // Nobody wrote it.
        const std::int64_t element = Evaluate(address) + static_cast<std::int64_t>(index);
        const bool is_there = element >= 0 && At(element) < array.size() && IsInside(inst.id);
        return is_there ? array[At(element)] : double{inst.outside};
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
      const StepInput& input = step.inputs[i];
      in[i] = raw(i);
      is_unwritten |= !input.is_float && std::isnan(in[i]);
      if (input.converts) in[i] = RoundedUnlessWide(step.computes, in[i], input.is_float);
    }
    const bool is_float = ir::IsFloat(step.computes);
    if (step.is_reduction) {  // Its own register is its last operand.
      const double own = Accumulator(inst, step);
      is_unwritten |= !is_float && std::isnan(own);
      in[step.inputs.size()] = own;
    }
    if (is_unwritten) return kNan;
    const double value = ir::Evaluate(step.op, step.computes, in[0], in[1], in[2]);
    return RoundedUnlessWide(step.type, value, is_float);
  }

  std::vector<double>& ElementsOf(const CopiedWindow& window) {
    return windows_[static_cast<std::size_t>(&window - code_.memory.windows.data())];
  }

  /// The running thread copies its share of a window: every element whose number it has, of those
  /// of all threads.
  void CopyWindow(const ir::Instruction& copy) {
    const CopiedWindow& window = *code_.memory.window(copy);
    std::vector<double>& elements = ElementsOf(window);
    for (std::uint64_t e = thread_; e < elements.size(); e += tree_.num_threads) {
      std::uint64_t rest = e;
      std::int64_t element = window.base;
      bool is_inside = true;
      for (auto side = window.sides.rbegin(); side != window.sides.rend(); ++side) {
        const std::int64_t index =
            Evaluate(side->first) + static_cast<std::int64_t>(rest % side->length);
        rest /= side->length;
        is_inside &= index >= 0 && index < side->extent;
        element += index * side->unit;
      }
      if (!is_inside) {
        if (code_.fault != Fault::kMissingZeros) elements[e] = 0;
        continue;
      }
      const std::vector<double>& array = data_.arrays[copy.array.index()];
      if (element >= 0 && At(element) < array.size()) {
        elements[e] = array[At(element)];
      } else if (result_.error.empty()) {
        result_.error = copy.name() + " accesses element " + std::to_string(element) + " of " +
                        std::to_string(array.size());
      }
    }
  }

  /// One point of the iteration space; lanes of a vector come one after the other.
  void Execute(ir::InstId id) {
    const InterpretedStep& step = steps_[id.index()];
    const ir::Instruction& inst = code_.function->inst(id);
    if (inst.op == ir::Op::kWindow) return CopyWindow(inst);
    const int last = code_.splits.last_of[id.index()];
    const std::vector<int>& first_of = code_.splits.first_of[id.index()];
    if (last >= 0 && !is_last_[At(last)]) return;
    if (std::ranges::any_of(first_of, [&](int c) { return index_[At(c)] != 0; })) return;
    if (inst.op == ir::Op::kStore && rounds_ > 0) return;
    if (step.guard.below != 0 && thread_ >= step.guard.below) return;
    for (const int axis : step.guard.axes) {
      const ThreadAxis& a = tree_.axes[At(axis)];
      if (thread_ / a.stride % a.size != 0) return;
    }
    // A load is 0 where it is not.
    const bool is_read = step.op == ir::Op::kLoad || step.op == ir::Op::kGather;
    const bool is_inside = is_read || IsInside(id);
    if (IsSliced(tree_, inst)) Register(id, Evaluate(step.own.offset)) = StepBefore(inst);
    double value = Compute(inst, step);
    if (step.op == ir::Op::kStore || step.op == ir::Op::kTempStore) {
      if (!is_inside) return;
      auto& array = step.op == ir::Op::kStore ? data_.arrays[step.memory] : temps_[step.memory];
      double* element = Element(array, code_.memory.address[id.index()], inst);
      if (element == nullptr) return;
      if (const int atomic = code_.splits.of_store[id.index()]; atomic >= 0) {
        const ir::InstId reduction = code_.splits.reductions[At(atomic)].id;
        *element = Combined(steps_[reduction.index()], *element, value);
        return;
      }
      *element = value;
      if (step.op == ir::Op::kStore) {
        std::uint8_t& count = result_.written[step.memory][At(element - array.data())];
        if (count < 255) ++count;
      }
      return;
    }
    double& own = Register(id, Evaluate(step.own.offset));
    double& accumulator = Accumulator(inst, step);
    const double before = accumulator;
    if (is_inside) accumulator = value;  // Else the step of a reduction is not taken.
    const bool is_carried = inst.is_scan() && !IsSliced(tree_, inst);
    if (is_carried) own = inst.keeps == ir::Keeps::kBefore ? before : accumulator;
    value = own;
    for (const auto& [reduction, slot, slices, splits, first_lane_only] : step.inits) {
      if (!part_->insts[reduction.index()]) continue;  // Another kernel's.
      const std::int64_t point = Evaluate(slot.offset);
      const ir::Type type = steps_[reduction.index()].type;
      const bool is_first =
          std::ranges::all_of(slices, [&](int axis) { return SliceOf(axis) == 0; }) &&
          std::ranges::all_of(splits, [&](int c) { return index_[At(c)] == 0; });
      const double identity = ir::IdentityOf(CombinedBy(steps_[reduction.index()].op), type);
      const double first =
          is_first ? RoundedUnlessWide(type, value, ir::IsFloat(step.type)) : identity;
      const std::size_t parts = steps_[reduction.index()].parts;
      const BesideValue beside = code_.values.storage[reduction.index()].beside;
      for (const std::int64_t copy : slot.copies) {
        if (beside == BesideValue::kBefore) BesideOf(reduction, point + copy) = identity;
        if (beside == BesideValue::kCarry) BesideOf(reduction, point + copy) = first;
        double* const begun = &Register(reduction, point + copy);
        std::fill_n(begun, parts, first_lane_only ? identity : first);
        *begun = first;
      }
    }
  }

  /// Where the steps of a reduction accumulate.
  double& Accumulator(const ir::Instruction& inst, const InterpretedStep& step) {
    const bool has_carry = inst.is_scan() && !IsSliced(tree_, inst);
    return has_carry ? BesideOf(inst.id, Evaluate(step.carry.offset))
                     : Register(inst.id, Evaluate(step.own.offset));
  }

  /// Of a sliced scan: what it has of the step before, in the slice.
  double StepBefore(const ir::Instruction& scan) {
    const ValueStorage& storage = code_.values.storage[scan.id.index()];
    std::int64_t point = Evaluate(steps_[scan.id.index()].own.offset);
    for (std::size_t i = storage.scanned.size(); i-- > storage.rows;) {
      const KeyDim& key = storage.key[storage.scanned[i]];
      const std::int64_t stride = StrideOf(storage, storage.scanned[i]);
      if (index_[At(key.dim_class)] > 0) return Register(scan.id, point - stride);
      point += (key.size - 1LL) * stride;
    }
    return ir::IdentityOf(CombinedBy(scan.op), scan.type);
  }

  /// What the block before has carried goes on here. Where to leave what goes on to the next one
  /// comes back.
  double* LookBack(int number, std::size_t value, double& carried) {
    const SplitReduction& split = code_.splits.reductions[At(number)];
    const std::uint64_t block = NumberOf(split.split_classes);
    if (block > 0) carried = Partial(split, block - 1, value);
    return &Partial(split, block, value);
  }

  /// From slice to slice, in their order: what is carried to a slice comes before each step of it.
  void JoinSlicesOfScan(const ir::Instruction& scan) {
    const InterpretedStep& step = steps_[scan.id.index()];
    const ValueStorage& storage = code_.values.storage[scan.id.index()];
    const std::vector<int> slices = tree_.SliceAxes(scan);
    const std::uint64_t threads = tree_.layouts[At(tree_.axes[At(slices.front())].layout)].threads;
    using Offsets = std::vector<std::int64_t>;
    const auto spread = [](Offsets& offsets, std::int64_t count, std::int64_t stride) {
      for (const std::int64_t offset : std::exchange(offsets, {})) {
        for (std::int64_t i = 0; i < count; ++i) offsets.push_back(offset + i * stride);
      }
    };
    Offsets steps = {0}, rows = {0}, columns = {0};  // Of registers.
    for (std::size_t place = 0; place < storage.key.size(); ++place) {
      const auto scanned = std::ranges::find(storage.scanned, place);
      const bool is_row = std::cmp_less(scanned - storage.scanned.begin(), storage.rows);
      Offsets& all = scanned == storage.scanned.end() ? columns : is_row ? rows : steps;
      spread(all, storage.key[place].size, StrideOf(storage, place));
    }
    Offsets of_slice = {0};  // Of threads.
    for (const int slice : slices) {
      spread(of_slice, tree_.axes[At(slice)].size, tree_.axes[At(slice)].stride);
    }
    const int split = code_.splits.of_inst[scan.id.index()];
    for (std::uint64_t first = 0; first < threads; ++first) {
      const bool is_first = std::ranges::all_of(slices, [&](int slice) {
        return first / tree_.axes[At(slice)].stride % tree_.axes[At(slice)].size == 0;
      });
      if (!is_first) continue;
      for (std::size_t number = 0; number < columns.size(); ++number) {
        const std::int64_t column = columns[number];
        thread_ = first;
        double carried = BesideOf(scan.id, column);
        double* const left = split < 0 ? nullptr : LookBack(split, number, carried);
        for (std::size_t piece = 0; piece < rows.size() * of_slice.size(); ++piece) {
          thread_ = first + At(of_slice[piece % of_slice.size()]);
          const std::int64_t row = column + rows[piece / of_slice.size()];
          const double all = Combined(step, carried, Register(scan.id, row + steps.back()));
          for (std::size_t i = steps.size(); i-- > 0;) {
            double& own = Register(scan.id, row + steps[i]);
            const bool is_before = scan.keeps == ir::Keeps::kBefore;
            const std::size_t until = is_before ? i - 1 : i;
            own = is_before && i == 0
                      ? carried
                      : Combined(step, carried, Register(scan.id, row + steps[until]));
          }
          if (code_.fault != Fault::kLostCarry) carried = all;
        }
        if (left != nullptr) *left = carried;
        for (const std::int64_t slice : of_slice) {
          thread_ = first + At(slice);
          BesideOf(scan.id, column) = carried;
        }
      }
    }
    thread_ = 0;
    const std::size_t points = points_[scan.id.index()];
    for (auto* const registers : {&values_[scan.id.index()], &beside_[scan.id.index()]}) {
      for (std::uint64_t t = threads; t < tree_.num_threads; ++t) {
        std::copy_n(&(*registers)[t % threads * points], points, &(*registers)[t * points]);
      }
    }
  }

  /// In the running thread: what comes of a maximum that has grown.
  void Correct(int node) {
    const ir::InstId id = tree_.node(node).inst;
    ForEachSum(node, [&](double& sum, std::int64_t point) {
      const double before = BesideOf(id, point), now = Register(id, point);
      if (before != now && code_.fault != Fault::kUncorrected) sum *= std::exp(before - now);
    });
    // Only where all of them have been.
    ForEachPoint(id, tree_.ClassesAround(node), [&](const std::vector<std::int64_t>& key) {
      BesideOf(id, PointOf(id, key)) = Register(id, PointOf(id, key));
    });
  }
  /// … and of one that has not, up to its end.
  void Settle(int node) {
    const ir::InstId id = tree_.node(node).inst;
    const double lowest = ir::IdentityOf(ir::Op::kMax, code_.function->inst(id).type);
    ForEachSum(node, [&](double& sum, std::int64_t point) {
      if (Register(id, point) == lowest) sum = kNan;
    });
  }
  /// Calls `take(sum, point)` for what comes of a maximum that has the value at this point.
  template <typename Take>
  void ForEachSum(int node, const Take& take) {
    const ir::InstId maximum = tree_.node(node).inst;
    for (const CorrectedSum& corrected : code_.values.corrected[maximum.index()]) {
      const auto take_all = [&](const std::vector<std::int64_t>& key) {
        std::vector<std::int64_t> of_maximum;
        for (const std::size_t place : corrected.places) of_maximum.push_back(key[place]);
        double* const sums = &Register(corrected.sum, PointOf(corrected.sum, key));
        for (std::size_t part = 0; part < steps_[corrected.sum.index()].parts; ++part) {
          take(sums[part], PointOf(maximum, of_maximum));
        }
      };
      ForEachPoint(corrected.sum, tree_.ClassesAround(node), take_all);
    }
  }
  std::int64_t PointOf(ir::InstId inst, const std::vector<std::int64_t>& key) const {
    const ValueStorage& storage = code_.values.storage[inst.index()];
    std::int64_t point = 0;
    for (std::size_t i = 0; i < key.size(); ++i) point += key[i] * StrideOf(storage, i);
    return point;
  }
  /// The points of a value, but of unrolled copies around only the one that is running.
  template <typename Action>
  void ForEachPoint(ir::InstId inst, const std::vector<int>& around, const Action& action) {
    const std::vector<KeyDim>& dims = code_.values.storage[inst.index()].key;
    std::vector<std::vector<std::int64_t>> keys(1);
    for (const KeyDim& dim : dims) {
      const bool is_around = std::ranges::find(around, dim.dim_class) != around.end();
      const std::int64_t first = is_around ? index_[At(dim.dim_class)] : 0;
      const std::int64_t last = is_around ? first : dim.size - 1LL;
      std::vector<std::vector<std::int64_t>> longer;
      for (const auto& key : keys) {
        for (std::int64_t i = first; i <= last; ++i) {
          longer.push_back(key);
          longer.back().push_back(i);
        }
      }
      keys = std::move(longer);
    }
    for (const auto& key : keys) action(key);
  }

  /// Index of the running thread along a hardware axis.
  std::uint64_t SliceOf(int axis) const {
    const ThreadAxis& a = tree_.axes[At(axis)];
    return thread_ / a.stride % a.size;
  }

  /// In the running thread one value is made of the parts that lanes have, of each value that ends
  /// at the node: of two copies each lane takes what the other one has, then of two halves.
  void CombineLanes(int index) {
    const ir::InstId id = tree_.node(index).inst;
    const InterpretedStep& step = steps_[id.index()];
    const ValueStorage& storage = code_.values.storage[id.index()];
    const std::vector<int> around = tree_.ClassesAround(index);
    std::vector<KeySource> places;
    for (const KeyDim& key : storage.key) {
      const bool is_around = std::ranges::find(around, key.dim_class) != around.end();
      places.push_back({key.dim_class, !is_around});
    }
    const RegisterSlot slot = MakeSlot(storage, places);
    const std::size_t lanes = storage.parts.lanes;
    for (const std::int64_t copy : slot.copies) {
      double* const parts = &Register(id, Evaluate(slot.offset) + copy);
      const auto take = [&](std::size_t to, std::size_t from) {
        parts[to] = Combined(step, parts[to], parts[from]);
      };
      for (std::size_t count = step.parts / lanes; count > 1;) {
        const std::size_t half = (count + 1) / 2;
        for (std::size_t i = half * lanes; i < count * lanes; ++i) take(i - half * lanes, i);
        count = half;
      }
      for (std::size_t half = lanes / 2; half > 0; half /= 2) {
        for (std::size_t lane = 0; lane < half; ++lane) take(lane, lane + half);
      }
    }
  }

  /// Axis by axis: the threads at index 0 take what the others along it have, then all of them get
  /// what the first one has.
  void Combine(const ir::Instruction& inst) {
    if (inst.is_scan()) return JoinSlicesOfScan(inst);
    const InterpretedStep& step = steps_[inst.id.index()];
    const std::vector<int> slices = tree_.SliceAxes(inst);
    const std::uint64_t threads = tree_.layouts[At(tree_.axes[At(slices.front())].layout)].threads;
    const std::size_t points = points_[inst.id.index()];
    std::vector<double>& registers = values_[inst.id.index()];
    for (const int slice : slices) {
      const ThreadAxis& axis = tree_.axes[At(slice)];
      for (std::uint64_t t = 0; t < threads; ++t) {
        if (t / axis.stride % axis.size != 0) continue;
        for (std::uint64_t other = t + axis.stride; other < t + axis.stride * axis.size;
             other += axis.stride) {
          for (std::size_t point = 0; point < points; ++point) {
            double& own = registers[t * points + point];
            own = Combined(step, own, registers[other * points + point]);
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

  /// Outputs of atomic operations hold the identity before.
  void Fill() {
    if (code_.fault == Fault::kMissingFill) return;
    for (const SplitReduction& split : code_.splits.reductions) {
      if (!split.is_atomic()) continue;
      const ir::Instruction& inst = code_.function->inst(split.id);
      const std::size_t array = code_.function->inst(split.store).array.index();
      std::ranges::fill(data_.arrays[array], ir::IdentityOf(CombinedBy(inst.op), inst.type));
      std::ranges::fill(result_.written[array], std::uint8_t{1});
    }
  }

  /// Where the loops are, as one number.
  std::uint64_t NumberOf(const std::vector<int>& classes) const {
    std::uint64_t number = 0;
    for (const int c : classes) {
      number = number * tree_.classes[At(c)].size + static_cast<std::uint64_t>(index_[At(c)]);
    }
    return number;
  }

  /// The running thread's digits as one number, the first one fastest.
  std::uint64_t NumberOf(const std::vector<ThreadDigit>& digits) const {
    std::uint64_t number = 0, step = 1;
    for (const ThreadDigit& digit : digits) {
      number += thread_ / digit.stride % digit.size * step;
      step *= digit.size;
    }
    return number;
  }

  /// The values of the reduction that a thread has.
  std::size_t NumValues(ir::InstId id) const {
    return points_[id.index()] / steps_[id.index()].parts;
  }
  double& Value(ir::InstId id, std::size_t point) {
    return Register(id, static_cast<std::int64_t>(point * steps_[id.index()].parts));
  }

  /// What the running thread has of a value in the workspace.
  double& Partial(const SplitReduction& split, std::uint64_t block, std::size_t point) {
    const std::uint64_t part = NumberOf(split.tile_classes) * split.splits + block;
    const std::uint64_t element =
        (part * split.num_registers + point) * split.num_slots + NumberOf(split.slots);
    return partials_[At(code_.splits.of_inst[split.id.index()])][element];
  }

  /// The running thread writes what it has.
  void Leave(const SplitReduction& split) {
    const bool is_silent = NumberOf(split.silent) != 0;
    if (is_silent || (split.below != 0 && thread_ >= split.below)) return;
    const std::uint64_t block = NumberOf(split.split_classes);
    for (std::size_t point = 0; point < NumValues(split.id); ++point) {
      Partial(split, block, point) = Value(split.id, point);
    }
  }

  /// What a part of a sum is multiplied by whose block had a maximum of its own. In a cluster it
  /// has been already.
  double FactorOf(const SplitReduction& split, std::uint64_t block, std::size_t point) {
    if (split.is_of_cluster()) return 1;
    for (const SplitReduction& maximum : code_.splits.reductions) {
      for (const CorrectedSum& corrected : code_.values.corrected[maximum.id.index()]) {
        if (corrected.sum != split.id || code_.fault == Fault::kUncorrected) continue;
        std::vector<std::int64_t> key;
        const ValueStorage& storage = code_.values.storage[split.id.index()];
        for (const std::size_t place : corrected.places) {
          const std::int64_t stride = StrideOf(storage, place) / NumParts(storage);
          key.push_back(static_cast<std::int64_t>(point) / stride % storage.key[place].size);
        }
        const auto of_maximum = At(PointOf(maximum.id, key));
        const double before = Partial(maximum, block, of_maximum);
        const double now = Value(maximum.id, of_maximum);
        return before == now ? 1 : std::exp(before - now);
      }
    }
    return 1;
  }

  /// The running thread makes one value of its share of what the blocks have.
  void Take(const SplitReduction& split, const std::vector<ThreadDigit>& sharers) {
    const InterpretedStep& step = steps_[split.id.index()];
    std::uint64_t shares = 1;
    for (const ThreadDigit& digit : sharers) shares *= digit.size;
    for (std::size_t point = 0; point < NumValues(split.id); ++point) {
      double value = ir::IdentityOf(CombinedBy(step.op), step.type);
      for (std::uint64_t block = NumberOf(sharers); block < split.splits; block += shares) {
        value = Combined(step, value, Partial(split, block, point) * FactorOf(split, block, point));
      }
      Value(split.id, point) = value;
    }
  }

  template <typename Action>
  void ForEachThread(const Action& action) {
    for (thread_ = 0; thread_ < tree_.num_threads; ++thread_) action();
    thread_ = 0;
  }

  /// All threads have the value then.
  void TakeAll(const SplitReduction& split) {
    ForEachThread([&] { Take(split, split.sharers); });
    if (!split.sharers.empty()) Combine(code_.function->inst(split.id));
  }

  /// The block tells the others of its cluster what it has, and stops; when it comes here again, it
  /// makes one value of what all of them told.
  void Exchange(const LoopNode& node) {
    const SplitReduction& split =
        code_.splits.reductions[At(code_.splits.of_inst[node.inst.index()])];
    if (is_told_[node.inst.index()]) return ForEachThread([&] { Take(split, {}); });
    ForEachThread([&] { Leave(split); });
    told_last_ = node.inst;
    is_done_ = true;
  }

  void HandOver(int index) {
    const int number = code_.splits.of_inst[tree_.node(index).inst.index()];
    const SplitReduction& split = code_.splits.reductions[At(number)];
    const bool is_one_thread = tree_.InThreads(index);
    if (part_->finishes < 0) {
      if (is_one_thread) return Leave(split);
      return ForEachThread([&] { Leave(split); });
    }
    is_one_thread ? Take(split, split.sharers) : TakeAll(split);
  }

  /// Takes a ticket. The block with the last one of its tile goes on with the value.
  void LastBlock(const LoopNode& node) {
    const int reduction = code_.splits.of_inst[node.inst.index()];
    const auto number = At(code_.splits.reductions[At(reduction)].group);
    const SplitGroup& group = code_.splits.groups[number];
    std::uint64_t& taken = tickets_[number][NumberOf(group.tile_classes)];
    is_last_[number] = ++taken == group.splits;
    if (!is_last_[number]) {
      is_done_ = group.ends_the_others;
      return;
    }
    taken = 0;
    for (const std::size_t i : group.reductions) TakeAll(code_.splits.reductions[i]);
  }

  /// A grid of these BLOCK classes, one block after the other. The others have index 0.
  void Blocks(const std::vector<int>& classes) {
    std::uint64_t count = 1;
    for (const int c : classes) count *= tree_.classes[At(c)].size;
    const int cluster_class = code_.splits.cluster_class;
    const std::uint64_t together = cluster_class < 0 ? 1 : tree_.classes[At(cluster_class)].size;
    std::vector<std::uint64_t> clusters(count / together);
    std::iota(clusters.begin(), clusters.end(), 0);
    std::mt19937 random(order_);
    // Blocks that draw their numbers have those in which they begin.
    const bool draws = part_->finishes < 0 && code_.splits.draws_numbers();
    if (order_ != 0 && !draws) std::shuffle(clusters.begin(), clusters.end(), random);
    for (const int c : tree_.block_classes) index_[At(c)] = 0;
    for (const std::uint64_t cluster : clusters) Cluster(classes, cluster * together, together);
  }

  /// Blocks that are neighbours. Each runs to where they tell each other something; then all of
  /// them run again from the start, up to the next of these places, and what they store counts when
  /// there is none left.
  void Cluster(const std::vector<int>& classes, std::uint64_t first, std::uint64_t together) {
    is_told_.assign(steps_.size(), false);
    rounds_ = static_cast<std::size_t>(
        std::ranges::count(tree_.nodes, NodeKind::kExchange, &LoopNode::kind));
    for (;; --rounds_) {
      for (std::uint64_t block = first; block < first + together; ++block) {
        std::uint64_t rest = block;
        for (std::size_t i = classes.size(); i-- > 0;) {
          const std::uint32_t size = tree_.classes[At(classes[i])].size;
          index_[At(classes[i])] = static_cast<std::int64_t>(rest % size);
          rest /= size;
        }
        Poison();
        is_last_.assign(is_last_.size(), false);
        is_done_ = false;
        Node(0);
      }
      if (rounds_ == 0) return;
      is_told_[told_last_.index()] = true;
    }
  }

  void Poison() {
    for (auto& array : temps_) std::fill(array.begin(), array.end(), kNan);
    for (auto& array : windows_) std::fill(array.begin(), array.end(), kNan);
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
      if (!part_->nodes[At(child)]) continue;
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
    for (std::size_t i = 0; i < node.children.size() && !is_done_; ++i) {
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
      ForEachThread([&] {
        for (std::size_t child = i; child <= last; ++child) Threads(node.children[child]);
      });
      i = last;
    }
  }

  void Threads(int index) {
    if (!part_->nodes[At(index)]) return;
    for (const int c : tree_.node(index).thread_classes) {
      const ThreadAxis& axis = tree_.axes[At(tree_.classes[At(c)].axis)];
      index_[At(c)] = static_cast<std::int64_t>(thread_ / axis.stride % axis.size);
    }
    Body(tree_.node(index));
  }

  void Node(int index) {
    const LoopNode& node = tree_.node(index);
    if (!part_->nodes[At(index)]) return;
    switch (node.kind) {
      case NodeKind::kExec:
        return Execute(node.inst);
      case NodeKind::kLanes:
        if (tree_.InThreads(index)) return CombineLanes(index);
        return ForEachThread([&] { CombineLanes(index); });
      case NodeKind::kRound:  // Numbers are doubles.
        return;
      case NodeKind::kCombine:
        return Combine(code_.function->inst(node.inst));
      case NodeKind::kCorrect:
        return Correct(index);
      case NodeKind::kSettle:
        return Settle(index);
      case NodeKind::kHandOver:
        return HandOver(index);
      case NodeKind::kLastBlock:
        return LastBlock(node);
      case NodeKind::kExchange:
        return Exchange(node);
      case NodeKind::kVector:
        return Vector(index, tree_.classes[At(node.dim_class)].size, node.dim_class);
      case NodeKind::kLoop:
        for (std::uint32_t i = 0; i < tree_.classes[At(node.dim_class)].size; ++i) {
          index_[At(node.dim_class)] = i;
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
      case NodeKind::kBlock:
      case NodeKind::kThreads:
        return Body(node);
    }
  }

  const LoweredCode& code_;
  const LoopTree& tree_;
  InterpreterData& data_;
  unsigned order_;
  InterpreterResult result_;
  std::vector<InterpretedStep> steps_;
  std::vector<std::vector<double>> values_, temps_;  ///< Registers of all threads; arrays.
  std::vector<std::vector<double>> beside_;          ///< Registers that reductions have beside.
  std::vector<std::vector<double>> windows_;         ///< By number of MemoryPlan::windows.
  std::vector<std::size_t> points_;                  ///< Registers of one thread.
  std::vector<std::int64_t> index_;                  ///< By class: where the loop is.
  std::uint64_t thread_ = 0;
  const Part* part_ = nullptr;                       ///< What is running.
  std::vector<std::vector<double>> partials_;        ///< By divided reduction.
  std::vector<std::vector<std::uint64_t>> tickets_;  ///< By group and tile: how many are taken.
  std::vector<bool> is_last_;                        ///< By group: the block has the last ticket.
  bool is_done_ = false;                             ///< Nothing is left to do for the block.
  std::vector<bool> is_told_;  ///< By instruction: the blocks of the cluster have told it.
  ir::InstId told_last_;
  std::size_t rounds_ = 0;  ///< That the cluster runs again.
};

}  // namespace

InterpreterResult Interpret(const LoweredCode& code, InterpreterData& data, unsigned order) {
  if (code.tree.has_lanes()) {
    const LoweredCode loops =
        LowerSchedule(*code.function, *code.schedule, code.seeded, TensorForm::kLoops);
    if (loops.error.empty()) return Interpret(loops, data, order);
    InterpreterResult result;
    result.error = loops.error;
    return result;
  }
  return Interpreter(code, data, order).Run();
}

}  // namespace exh::kernels::codegen
