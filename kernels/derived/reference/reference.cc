// SPDX-License-Identifier: MIT
//
// The reference of a backbone, and the bound of its errors, from the backbone itself.
//
// Each value has beside it E, the sum of the squares of the roundings that it comes of, in units of
// u = 2^-24, each as large as it is in the value: the error of a walk of such steps is about
// u sqrt(E) (tolerance.h). Rounding v adds v^2, or as much of it as is due in another type than
// f32 (RoundingSquares(): of integers nothing), a product a b takes over a^2 E(b) + b^2 E(a). Of
// the partial sums of a reduction nothing is computed: those of `count` terms t go from i, which
// they begin with, to the value v, and walk beside that line (tolerance.h). Their squares come to
// at most about count (i^2 + v^2 + sum of t^2). How many roundings there are, which ErrorFactor()
// asks for, is the same for all elements of a node.
//
// Operands become what a node computes in, and casts and stores make narrower values: a Conversion,
// where something may be lost. What an output loses is not a rounding among many: it is added to
// the tolerance.
//
// A node has its values in a tensor if it is a reduction or a scan, or if another node reads it at
// more points than it has. Tensors are computed one after the other. All other nodes are computed
// where they are read, a row of points at a time, an operation at a time: RowProgram says how, Rows
// does it. Reductions over products of two nodes are products of matrices wherever both have axes
// of their own (Contraction); others go through their terms row by row.
//
// Nothing is rounded where an operation on exact numbers yields one that its type holds, and where
// a sum is exact in any order (exact_total.h). So much of what is computed of whole numbers and of
// halves has no errors.
//
// Invariants. E is never NaN: what is not finite has no errors, as it is the same in single
// precision, and whatever it meets stays free of them or is not finite either. But where roundings
// decide whether it is finite, its errors are infinite: then nothing is known of it. Sums begin
// with -0, to which nothing is added by adding it, so that parts of them can be computed apart;
// maxima with -infinity, which no maximum yields to.
//
// Values are doubles, which hold all integers but those of an i64: their slots and tensors have the
// bits of the integer. Errors of an f64 are there as the root of E, whose square a double need not
// have a place for: a product of a thousand numbers may be 1e-250, and is as exact as any other.
// Integers are exact, and wrap around. Products of matrices of them are made where no sum can be
// more than a double has, and otherwise gone through term by term.
//
// What a node stores, later ones may load again, at other points: it is kept as a tensor of the
// array's elements, with their errors, until the last of them has. A store that is no output is
// kept for them alone. A load with an index is computed where its index is: in a step of a row.
//
// Where tensors would be larger than all arrays together they are computed in strips along one
// axis of all outputs, which nothing accumulates along: `window_` is the part of it at hand. Where
// it would take too long, some values of such an axis are computed and no others
// (programs/sample.h).
#include "kernels/derived/reference/reference.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "base/check.h"
#include "kernels/derived/expression.h"
#include "kernels/derived/reference/contraction.h"
#include "kernels/derived/reference/exact_total.h"
#include "kernels/derived/reference/op_rules.h"
#include "kernels/derived/reference/product.h"
#include "kernels/derived/reference/programs/programs.h"
#include "kernels/derived/reference/rows.h"
#include "kernels/derived/reference/scans/scan.h"
#include "kernels/derived/reference/sharing.h"
#include "kernels/derived/reference/special_values.h"
#include "kernels/derived/tolerance.h"
#include "kernels/ir/ops.h"

namespace exh::kernels::derived {
namespace {

using ir::Op;

constexpr double kUnit = 0x1p-24;

double Square(double x) {
  return x * x;
}

class Analysis : private Programs {
 public:
  Analysis(Expression expression, ProblemData& data)
      : Programs(std::move(expression), data), largest_(expression_.nodes.size(), 0) {}

  void Run() {
    for (const int output : expression_.outputs) {
      ArrayData& array = Output(output);
      const std::uint64_t elements = expression_.array(Node(output).array).elements;
      array.reference.assign(elements, 0);
      array.tolerance.assign(elements, plan_.sample.is_there() ? kNotSampled : 0);
      array.whole.resize(Node(output).type == ir::Type::kI64 ? elements : 0);
      array.is_known = true;
    }
    const std::int64_t total = StripTotal();
    for (std::int64_t first = 0; first < total; first += plan_.strip) {
      BeginStrip(first);
      for (int node = 0; node < static_cast<int>(expression_.nodes.size()); ++node) {
        if (!ComputeNode(node)) return;
        Free(node, first_ + window_ >= total);
      }
    }
    for (const int output : expression_.outputs) Finish(output);
  }

 private:
  // ---- What is asked of a plan ----

  ArrayData& Output(int store) { return data_.at(expression_.array(Node(store).array).name); }

  double Roundings(const Expression::Input& input) const {
    return input.is_number() ? 0 : plan_.roundings[At(input.node)];
  }
  static Reduction ReductionOf(const Expression::Node& node) {
    return {node.op, node.computes, Expression::AddsShort(node)};
  }

  void Note(const RowProgram& program, const Rows& rows) {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (std::size_t i = 0; i < program.steps.size(); ++i) {
      double& largest = largest_[At(program.steps[i].node)];
      largest = std::max(largest, rows.largest()[i]);
    }
  }
  void Note(int node, double sum) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (std::isfinite(sum)) largest_[At(node)] = std::max(largest_[At(node)], sum);
  }

  /// About the time of one row, in points of one step.
  static double RowTime(const RowProgram& program) {
    return static_cast<double>(std::min(kRow, program.row()) *
                               static_cast<std::int64_t>(1 + program.steps.size()));
  }

  /// Calls `take(rows, index, slot)` for `count` rows from `first` on, on all cores.
  template <typename Take>
  bool ForRows(const RowProgram& program, std::int64_t first, std::int64_t count,
               const Take& take) {
    return InTasks(count, RowTime(program), [&](std::int64_t begin, std::int64_t end) {
      Rows rows(program);
      for (std::int64_t row = first + begin; row < first + end; ++row) {
        take(rows, row, rows.Compute(row));
      }
      Note(program, rows);
    });
  }

  // ---- Nodes ----

  /// False: it ended early.
  bool ComputeNode(int index) {
    const Expression::Node& node = Node(index);
    if (node.op == Op::kStore) return Store(index);
    if (!plan_.has_tensor[At(index)] || tensors_[At(index)].is_there()) return true;
    if (node.is_scan()) return Scan(index);
    if (!node.is_reduction()) return Materialize(index);
    const std::optional<Contraction> plan = ContractionOf(expression_, node);
    return plan ? Contract(index, *plan) : Accumulate(index);
  }

  /// Tensors that nobody reads any more.
  void Free(int reader, bool is_last_strip) {
    const bool is_new = std::ranges::find(there_, reader) == there_.end();
    if (is_new && tensors_[At(reader)].is_there()) there_.push_back(reader);
    std::erase_if(there_, [&](int node) {
      const bool has_strips = Contains(Node(node).axes, plan_.strip_axis);
      if (plan_.last_reader[At(node)] != reader || (!is_last_strip && !has_strips)) return false;
      tensors_[At(node)] = {};
      return true;
    });
    for (const int store : plan_.stores) {
      if (plan_.last_reader[At(store)] == reader) written_[Node(store).array.index()] = {};
    }
  }

  NodeTensor NewTensor(int index, const RowProgram& program) const {
    NodeTensor tensor;
    const std::int64_t points = Size(program.axes);
    tensor.values = Uninitialized(points);
    if (plan_.roundings[At(index)] > 0) tensor.errors = Uninitialized(points);
    tensor.strides = program.Dense();
    return tensor;
  }

  bool Materialize(int index) {
    RowProgram program;
    program.root = AddStep(index, Node(index).op, program);
    SetAxes(WithRowsLast(program, Node(index).axes), program);
    tensors_[At(index)] = NewTensor(index, program);
    return Fill(std::move(program), tensors_[At(index)]);
  }
  /// With what the program computes, one point after the other.
  bool Fill(RowProgram program, NodeTensor& tensor) {
    program.Fuse(0);
    return ForRows(program, 0, program.RowsFrom(0),
                   [&](Rows&, std::int64_t row, const RowSlot& slot) {
                     const std::int64_t points = program.Length(row), place = program.Place(row);
                     std::copy_n(slot.value, points, &tensor.values[At(place)]);
                     if (tensor.errors) std::copy_n(slot.error, points, &tensor.errors[At(place)]);
                   });
  }

  bool Store(int index) {
    const Expression::Node& node = Node(index);
    const Expression::Input& input = node.inputs.at(0);
    const bool is_wide = IsWide(node.type);
    // An i64 comes and goes by a conversion of the program.
    const ir::Type as = is_wide || IsWide(input.type) ? node.type : input.type;
    RowProgram program = ProgramOf(input, as);
    Axes axes = node.axes;
    std::ranges::stable_sort(axes, std::greater<>(), [&](int axis) { return node.StrideOf(axis); });
    SetAxes(WithRowsLast(program, axes, node.strides), program);
    std::vector<std::int64_t> steps = Steps(node.strides, program);
    program.Fuse(0, &steps);
    const std::int64_t base = Base(node.offset, node.strides), step = steps.back();
    ArrayData* const array = Contains(expression_.outputs, index) ? &Output(index) : nullptr;
    NodeTensor* const kept =
        plan_.last_reader[At(index)] < 0 ? nullptr : &written_[node.array.index()];
    if (kept != nullptr) {
      const auto elements = static_cast<std::int64_t>(expression_.array(node.array).elements);
      *kept = {Uninitialized(elements), Uninitialized(elements), {}};
    }
    const double factor = kUnit * ErrorFactor(Roundings(input));
    const bool is_copy = as != input.type || expression_.IsCopy(node);
    const Conversion conversion(input.type, node.type);
    std::atomic<bool> is_known = true;
    const bool is_done = ForRows(
        program, 0, program.RowsFrom(0),
        [&](const Rows& rows, std::int64_t row, const RowSlot& slot) {
          const std::int64_t first = base + rows.Offset(steps);
          for (std::int64_t i = 0; i < program.Length(row); ++i) {
            const std::size_t at = At(first + i * step);
            double value = slot.value[i];
            double squares = HasRoots(as) ? Square(slot.error[i]) : slot.error[i];
            double error = factor * (HasRoots(as) ? slot.error[i] : std::sqrt(slot.error[i]));
            if (!is_copy) {
              const double before = value;
              const Conversion::Result becomes = conversion.Of(value, squares);
              value = becomes.value;
              error = (conversion.keeps_errors() ? error : 0) + becomes.slack;
              if (kept != nullptr || !std::isfinite(value)) {
                squares = conversion.ErrorOf(before, squares, becomes);
              }
            }
            if (kept != nullptr) {
              kept->values[at] = value;
              kept->errors[at] = is_copy && HasRoots(as) ? slot.error[i]
                                 : HasRoots(node.type)   ? std::sqrt(squares)
                                                         : squares;
            }
            if (array == nullptr) continue;
            if (is_wide) {
              array->whole[at] = WholeOfSlot(node.type, value);
              value = static_cast<double>(array->whole[at]);
            } else if (!std::isfinite(value)) {
              if (squares > 0) is_known = false;
              error = std::isinf(squares) && HidesTerms(expression_) ? squares : 0;
            }
            array->reference[at] = value;
            array->tolerance[at] = std::isnan(error) ? INFINITY : error;
          }
        });
    if (array != nullptr) array->is_known = array->is_known && is_known;
    return is_done;
  }

  // ---- Reductions and scans ----

  bool Scan(int index) {
    const Expression::Node& node = Node(index);
    ScanPath path{ReductionOf(node), node.keeps};
    RowProgram program = ProgramOf(node.inputs.at(0), Expression::OperandType(node, 0));
    Axes axes = WithRowsLast(program, node.axes);
    SetAxes(axes, program);
    const auto along = std::ranges::find(axes, node.along);
    path.outer = Size(Axes(axes.begin(), along));
    path.steps = Size(node.along);
    path.inner = Size(Axes(along + 1, axes.end()));
    path.are_alike = expression_.AccumulatesRunning(node);
    NodeTensor tensor = NewTensor(index, program);
    axes.erase(along);
    RowProgram first = ProgramOf(expression_.InitOf(node), path.reduction.type);
    SetAxes(axes, first);
    NodeTensor begins = NewTensor(index, first);
    double largest = 0;
    const bool is_done = Fill(std::move(program), tensor) && Fill(std::move(first), begins) &&
                         derived::Accumulate(path, begins, tensor, largest);
    if (path.reduction.adds()) Note(index, largest);
    tensors_[At(index)] = std::move(tensor);
    return is_done;
  }

  double Terms(const Expression::Node& node) const { return expression_.Steps(node); }

  /// `tensor` holds the terms without the first value: for sums, errors without the parts in them
  /// of where their partial sums begin and end.
  /// `terms`: no sum of absolute values of terms is larger; below 0: the errors tell, which are
  /// those of all roundings of exact terms.
  bool Begin(int index, NodeTensor& tensor, const Axes& axes, double terms) {
    return HasRoots(ReductionOf(Node(index)).type)
               ? BeginIn<Total<long double>>(index, tensor, axes, terms)
               : BeginIn<Total<double>>(index, tensor, axes, terms);
  }
  template <typename Wide>
  bool BeginIn(int index, NodeTensor& tensor, const Axes& axes, double terms) {
    const Expression::Node& node = Node(index);
    const Reduction reduction = ReductionOf(node);
    const double count = Terms(node);
    if (!reduction.adds() && BeginsWithIdentity(node)) {
      tensors_[At(index)] = std::move(tensor);
      return true;
    }
    const bool may_be_exact = BeginsWithIdentity(node);
    RowProgram program = ProgramOf(expression_.InitOf(node), reduction.type);
    SetAxes(axes, program);
    program.Fuse(0);
    double largest_error = 0, largest_init = 0;
    std::mutex mutex;
    const bool is_done = ForRows(
        program, 0, program.RowsFrom(0), [&](const Rows&, std::int64_t row, const RowSlot& init) {
          const std::int64_t points = program.Length(row), place = program.Place(row);
          double* const values = &tensor.values[At(place)];
          double* const errors = tensor.errors ? &tensor.errors[At(place)] : nullptr;
          if (!reduction.adds()) {
            for (std::int64_t i = 0; i < points; ++i) {
              Wide total = Wide::OfSlot(reduction, init.value[i], init.error[i]);
              total.Take(reduction,
                         Wide::OfSlot(reduction, values[i], errors == nullptr ? 0 : errors[i]));
              values[i] = total.Slot(reduction);
              if (errors != nullptr) errors[i] = total.SlotError(reduction);
            }
            return;
          }
          double error = 0, first = 0;
          for (std::int64_t i = 0; i < points; ++i) {
            const Wide begin = Wide::OfSlot(reduction, init.value[i], init.error[i]);
            Wide total = Wide::OfSlot(reduction, values[i], errors == nullptr ? 0 : errors[i]);
            if (std::isfinite(total.value)) {
              error = std::max(error, static_cast<double>(total.error));
            }
            total.Take(reduction, begin);
            values[i] = total.Slot(reduction);
            const bool is_finite = reduction.is_whole || std::isfinite(values[i]);
            if (is_finite) first = std::max(first, std::abs(begin.value));
            if (errors == nullptr) continue;
            // Exact sums have no errors that this would go with.
            if (total.are_finite && (!may_be_exact || total.error > 0)) {
              total.error += reduction.Additions(count) * (begin.squares + Square(total.value));
            }
            errors[i] = total.SlotError(reduction);
          }
          const std::lock_guard<std::mutex> lock(mutex);
          largest_error = std::max(largest_error, error);
          largest_init = std::max(largest_init, first);
        });
    if (reduction.adds()) {
      if (terms < 0) terms = LargestSum(count, std::sqrt(largest_error / (count + 1)));
      Note(index, terms + largest_init);
    }
    tensors_[At(index)] = std::move(tensor);
    return is_done;
  }

  /// Term by term.
  bool Accumulate(int index) {
    return HasRoots(ReductionOf(Node(index)).type) ? AccumulateIn<long double>(index)
                                                   : AccumulateIn<double>(index);
  }
  template <typename Real>
  bool AccumulateIn(int index) {
    using Part = GatheredTerms<Real>;
    const Expression::Node& node = Node(index);
    const Reduction reduction = ReductionOf(node);
    const Part nothing(reduction, BeginsWithIdentity(node));
    RowProgram program;
    program.root = reduction.of_products
                       ? AddStep(index, Op::kMul, program)
                       : SlotOf(node.inputs.at(0), Expression::OperandType(node, 0), program);
    Axes axes = node.axes;
    axes.insert(axes.end(), node.reduced.begin(), node.reduced.end());
    axes = WithRowsLast(program, axes);
    const bool is_across = Contains(node.reduced, axes.back());  // Rows are of terms of one point.
    // What is kept, what is reduced, and the axis of the rows.
    std::stable_partition(axes.begin(), axes.end() - 1,
                          [&](int axis) { return Contains(node.axes, axis); });
    const auto kept = node.axes.size() - (is_across ? 0 : 1);
    SetAxes(axes, program);
    if (is_across) program.Fuse(kept);
    axes.erase(axes.begin() + static_cast<std::ptrdiff_t>(kept), axes.end() - (is_across ? 0 : 1));
    RowProgram points;  // Of the result.
    SetAxes(axes, points);
    NodeTensor tensor = NewTensor(index, points);

    const std::int64_t rows = is_across ? Size(axes) : points.RowsFrom(0);
    const std::int64_t across = is_across ? 1 : program.RowsAcross();
    const std::int64_t terms = program.RowsFrom(kept) / across;  // Rows of them for each row.
    // Few sums of many terms are computed in parts.
    constexpr std::int64_t kFewRows = 64, kTerms = 64;
    const std::int64_t parts =
        rows >= kFewRows ? 1 : std::clamp<std::int64_t>(terms / kTerms, 1, kFewRows);
    const std::int64_t size = Size(axes);
    std::vector<Part> totals(parts == 1 ? 0 : At(parts * size), nothing);
    double largest = 0;
    std::mutex mutex;
    const double count = Terms(node);
    const bool are_alike = !reduction.picks() && expression_.AccumulatesRunning(node);
    const auto finish = [&](std::int64_t place, const Part& part, double& most) {
      Total<Real> total = part.total;
      tensor.values[At(place)] = total.Slot(reduction);
      const auto squares_of_terms = static_cast<double>(total.squares);
      if (std::isfinite(squares_of_terms)) most = std::max(most, squares_of_terms);
      if (!tensor.errors) return;
      if (are_alike) total.error *= static_cast<Real>(count);  // As in scans/scan.cc.
      const bool rounds = reduction.adds() && total.are_finite;
      if (rounds) total.error += reduction.Additions(count) * total.squares;
      if (part.exact.is_exact()) total.error = 0;
      tensor.errors[At(place)] = total.SlotError(reduction);
    };
    const auto note = [&](double squares) {
      const std::lock_guard<std::mutex> lock(mutex);
      largest = std::max(largest, squares);
    };
    const double time = RowTime(program) * static_cast<double>((terms + parts - 1) / parts);
    const bool is_done = InTasks(rows * parts, time, [&](std::int64_t begin, std::int64_t end) {
      Rows computed(program);
      std::vector<Part> row(At(is_across ? 1 : kRow), nothing);
      double most = 0;
      for (std::int64_t piece = begin; piece < end; ++piece) {
        const std::int64_t which = piece / parts, part = piece % parts;
        std::ranges::fill(row, nothing);
        for (std::int64_t term = terms * part / parts; term < terms * (part + 1) / parts; ++term) {
          const std::int64_t number = (which / across * terms + term) * across + which % across;
          const RowSlot slot = computed.Compute(number);
          const std::int64_t taken = program.Length(number);
          if (is_across) {
            row[0].Take(reduction, slot, taken);
            continue;
          }
          for (std::int64_t i = 0; i < taken; ++i) {
            row[At(i)].Take(reduction, slot.value[i], slot.error[i]);
          }
        }
        const std::int64_t place = is_across ? which : points.Place(which);
        const std::int64_t length = is_across ? 1 : points.Length(which);
        for (std::int64_t i = 0; i < length; ++i) {
          if (parts == 1) {
            finish(place + i, row[At(i)], most);
          } else {
            totals[At(part * size + place + i)] = row[At(i)];
          }
        }
      }
      Note(program, computed);
      note(most);
    });
    if (!is_done) return false;
    for (std::int64_t place = 0; parts > 1 && place < size; ++place) {
      Part all = totals[At(place)];
      for (std::int64_t part = 1; part < parts; ++part) {
        const Part& more = totals[At(part * size + place)];
        all.total.Take(reduction, more.total);
        all.exact.Take(more.exact);
      }
      finish(place, all, largest);
    }
    return Begin(index, tensor, axes, LargestSum(count, std::sqrt(largest)));
  }

  // ---- Products of matrices ----

  Packing PackingOf(const Expression::Node& node, std::size_t operand, const Contraction& plan,
                    const Axes& side) const {
    Packing packing;
    ir::Type as = Expression::OperandType(node, operand);
    if (IsWide(as)) as = ir::Type::kF64;  // Exact, or the sum is too large (Contract()).
    packing.program = ProgramOf(node.inputs[operand], as);
    packing.has_roots = HasRoots(as);
    packing.batch_axes = plan.batch.size();
    packing.side = Size(side);
    packing.depth = Size(plan.depth);
    const double roundings = Roundings(node.inputs[operand]);
    packing.has_errors = RoundingsAs(expression_, node.inputs[operand], roundings, as) > 0;
    packing.depth_is_last =
        Cost(packing.program, plan.depth.back()) < Cost(packing.program, side.back());
    SetAxes(packing.depth_is_last ? Joined(plan.batch, side, plan.depth)
                                  : Joined(plan.batch, plan.depth, side),
            packing.program);
    packing.program.Fuse(packing.batch_axes);
    return packing;
  }

  static Axes Joined(Axes axes, const Axes& more, const Axes& yet_more) {
    axes.insert(axes.end(), more.begin(), more.end());
    axes.insert(axes.end(), yet_more.begin(), yet_more.end());
    return axes;
  }

  bool Contract(int index, const Contraction& plan) {
    const Expression::Node& node = Node(index);
    const Packing left = PackingOf(node, plan.left, plan, plan.rows);
    const Packing right = PackingOf(node, plan.right, plan, plan.columns);
    const Axes axes = Joined(plan.batch, plan.rows, plan.columns);
    RowProgram points;
    SetAxes(axes, points);
    NodeTensor tensor = NewTensor(index, points);
    const std::int64_t batches = Size(plan.batch), elements = left.side * right.side;
    const auto products = [&](std::int64_t batch, Products::Product product) {
      Products result;
      result.depth = left.depth;
      result.terms = Terms(node);
      const Reduction reduction = ReductionOf(node);
      result.squares = reduction.own + reduction.Additions(result.terms);
      const ir::Number* const init = expression_.InitNumber(node);
      result.keeps_negative_zeros = init == nullptr || std::signbit(double{*init});
      result.product = std::move(product);
      result.values = &tensor.values[At(batch * elements)];
      if (tensor.errors) result.errors = &tensor.errors[At(batch * elements)];
      return result;
    };
    const double work = static_cast<double>(elements) * static_cast<double>(left.depth);
    constexpr double kLongWork = 1 << 27;
    double largest = -1;
    bool is_done = true;
    if (batches > 1 && work < kLongWork) {
      std::mutex mutex;
      is_done = InTasks(batches, work, [&](std::int64_t begin, std::int64_t end) {
        Rows of_left(left.program), of_right(right.program);
        Factor a = left.New(), b = right.New();
        const auto fill = [](const Packing& from, std::int64_t batch, Rows& rows, Factor& factor) {
          for (std::int64_t row = batch * from.rows(); row < (batch + 1) * from.rows(); ++row) {
            from.Fill(batch, row, rows.Compute(row), factor);
          }
        };
        for (std::int64_t batch = begin; batch < end; ++batch) {
          fill(left, batch, of_left, a);
          fill(right, batch, of_right, b);
          Products result = products(batch, [](const auto& x, const auto& y, double* out) {
            SmallProduct(x, y, out);
            return true;
          });
          result.Compute(a, b);
          const std::lock_guard<std::mutex> lock(mutex);
          largest = std::max(largest, result.largest);
        }
        Note(left.program, of_left);
        Note(right.program, of_right);
      });
    } else {
      Factor a = left.New(), b = right.New();
      const auto fill = [&](const Packing& from, std::int64_t batch, Factor& factor) {
        return ForRows(from.program, batch * from.rows(), from.rows(),
                       [&](const Rows&, std::int64_t row, const RowSlot& slot) {
                         from.Fill(batch, row, slot, factor);
                       });
      };
      for (std::int64_t batch = 0; batch < batches && is_done; ++batch) {
        Products result = products(
            batch, [](const auto& x, const auto& y, double* out) { return Product(x, y, out); });
        is_done = fill(left, batch, a) && fill(right, batch, b) && result.Compute(a, b);
        largest = std::max(largest, result.largest);
      }
    }
    if (!is_done) return false;
    if (!ToSlots(ReductionOf(node), largest, Size(axes), tensor)) return Accumulate(index);
    return Begin(index, tensor, axes, largest);
  }

  /// Does a reduction begin with what changes nothing?
  bool BeginsWithIdentity(const Expression::Node& node) const {
    const ir::Number* const init = expression_.InitNumber(node);
    const Op op = node.op == Op::kMad ? Op::kAdd : node.op;
    return init != nullptr && double{*init} == ir::IdentityOf(op, ir::ComputeTypeOf(node.computes));
  }

  // ---- Outputs ----

  void Finish(int store) {
    ArrayData& array = Output(store);
    array.rms_limit = MeanLimit(expression_, plan_.roundings, store, array.tolerance);
    std::vector<bool> seen(expression_.nodes.size(), false);
    array.largest_sum = 0;
    FindLargest(store, seen, array.largest_sum);
  }

  void FindLargest(int index, std::vector<bool>& seen, double& largest) const {
    if (seen[At(index)]) return;
    seen[At(index)] = true;
    largest = std::max(largest, largest_[At(index)]);
    Expression::ForEachValue(Node(index), [&](int read) { FindLargest(read, seen, largest); });
  }

  // By node:
  std::vector<double> largest_;  ///< The largest sum of absolute values.
  std::vector<int> there_;       ///< Whose tensors are.
  std::mutex mutex_;             ///< Of sums that are noted.
};

}  // namespace

void ComputeReference(Expression expression, ProblemData& data) {
  Analysis(std::move(expression), data).Run();
}

void ComputeReference(const ir::Function& function, ProblemData& data) {
  if (data.scalars.empty()) return ComputeReference(ExpressionOf(function), data);
  ir::Function other = function;
  EXH_CHECK(other.scalars.size() == data.scalars.size());
  for (std::size_t i = 0; i < data.scalars.size(); ++i) {
    other.scalars[i].value = data.scalars[i];
  }
  data.has_scalars = true;
  ComputeReference(ExpressionOf(other), data);
}

}  // namespace exh::kernels::derived
