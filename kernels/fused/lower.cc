// SPDX-License-Identifier: MIT
//
// What the kinds mean, in operators of the table (kernels/ir/ops.h): the only place that says it.
//
// Iterators are the dimensions of the output, behind them the reduced ones. A Reshape may merge
// dimensions of its operand, which over the output would take quotients and remainders. Where the
// sizes of one shape divide those of the other, its iterators are both shapes' common refinement:
// then both accesses are affine. Otherwise the operand's are quotients of the element's number.
#include "kernels/fused/lower.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/check.h"
#include "kernels/derived/expression.h"
#include "kernels/ir/ops.h"

namespace exh::kernels::fused {
namespace {

using ir::Op;
using ir::Type;

std::size_t At(std::int64_t i) {
  return static_cast<std::size_t>(i);
}

/// "i" … of up to 17 iterators.
std::string IteratorName(std::size_t index) {
  constexpr std::string_view kNames = "ijklmnpqrstuvwxyz";
  EXH_CHECK(index < kNames.size());
  return std::string(1, kNames[index]);
}

/// Writes a statement.
class Writer {
 public:
  explicit Writer(std::string name, int operation) {
    statement_.name = std::move(name);
    statement_.operations = {operation};
  }

  void Iterate(const Shape& shape, bool is_reduction = false) {
    for (const std::int64_t extent : shape) {
      statement_.iterators.push_back(
          {IteratorName(statement_.iterators.size()), extent, is_reduction});
    }
  }
  std::size_t iterators() const { return statement_.iterators.size(); }

  ir::Index Of(std::size_t iterator) const { return statement_.Iterated(iterator); }

  int Push(Step step) {
    statement_.steps.push_back(std::move(step));
    return static_cast<int>(statement_.steps.size()) - 1;
  }
  int Number(double number, Type type) {
    return Push({.what = Step::What::kNumber, .type = type, .number = number});
  }
  int Read(Access access, Type type) {
    auto found = std::ranges::find(statement_.reads, access);
    if (found == statement_.reads.end()) {
      statement_.reads.push_back(std::move(access));
      found = statement_.reads.end() - 1;
    }
    return Push({.what = Step::What::kRead,
                 .type = type,
                 .read = static_cast<int>(found - statement_.reads.begin())});
  }
  /// `computes`: type of the operands.
  int Compute(Op op, Type computes, std::vector<int> operands, Type type) {
    return Push({.what = Step::What::kCompute,
                 .type = type,
                 .op = op,
                 .computes = computes,
                 .operands = std::move(operands)});
  }

  Statement& statement() { return statement_; }

 private:
  Statement statement_;
};

/// The extents of the coarsest shape that both are made of by merging dimensions; nothing: there is
/// none.
std::optional<Shape> CommonRefinement(const Shape& a, const Shape& b) {
  std::set<std::int64_t> sizes = {1};  // Of what lies behind a boundary between dimensions.
  for (const Shape* shape : {&a, &b}) {
    std::int64_t size = 1;
    for (auto extent = shape->rbegin(); extent != shape->rend(); ++extent) {
      sizes.insert(size *= *extent);
    }
  }
  Shape refined;
  std::int64_t inner = 1;
  for (const std::int64_t size : sizes) {
    if (size % inner != 0) return std::nullopt;
    if (size != 1) refined.insert(refined.begin(), size / inner);
    inner = size;
  }
  return refined;
}

class Lowering {
 public:
  explicit Lowering(const Graph& graph) : graph_(graph) {}

  StatementList Run() {
    list_.name = graph_.name;
    for (const GraphTensor& tensor : graph_.tensors) {
      const auto role =
          tensor.producer < 0 ? StatementTensor::Role::kInput : StatementTensor::Role::kTemporary;
      list_.tensors.push_back(
          {tensor.name, tensor.type, ir::BytesOf(tensor.type), tensor.shape, role});
      stands_for_.push_back(static_cast<int>(stands_for_.size()));
    }
    for (const int output : graph_.outputs) {
      list_.tensors[At(output)].role = StatementTensor::Role::kOutput;
    }
    is_assigned_.resize(graph_.tensors.size());
    for (const Operation& of : graph_.operations) {
      if (InfoOf(of.kind).form != Form::kAssignment) continue;
      is_assigned_[At(of.inputs.front().tensor)] = true;
    }
    for (std::size_t i = 0; i < graph_.operations.size(); ++i) Lower(static_cast<int>(i));
    return std::move(list_);
  }

 private:
  const Operation& operation(int index) const { return graph_.operations[At(index)]; }
  const Shape& OutputShape(const Operation& of) const { return graph_.tensor(of.output).shape; }
  Type OutputType(const Operation& of) const { return graph_.tensor(of.output).type; }

  void Lower(int index) {
    const Operation& of = operation(index);
    Writer writer(fmt::format("{}_{}", InfoOf(of.kind).name, index), index);
    switch (InfoOf(of.kind).form) {
      case Form::kElementwise:
        writer.Iterate(OutputShape(of));
        Elementwise(of, writer);
        return Finish(writer, of.output);
      case Form::kReduction:
        return Reduction(of, writer);
      case Form::kProduct:
        return of.kind == Kind::kConv2D ? Convolution(of, writer) : MatrixProduct(of, writer);
      case Form::kMovement:
        if (of.kind == Kind::kReshape || of.kind == Kind::kSqueeze ||
            of.kind == Kind::kExpandDims) {
          return Reshape(of, writer);
        }
        writer.Iterate(OutputShape(of));
        Move(of, writer);
        return Finish(writer, of.output);
      case Form::kAssignment:
        return Assign(of, index);
    }
  }

  /// The statement writes a tensor over its first iterators, which are its dimensions.
  void Finish(Writer& writer, int tensor) {
    std::vector<ir::Index> rows;
    for (std::size_t i = 0; i < graph_.tensor(tensor).shape.size(); ++i) {
      rows.push_back(writer.Of(i));
    }
    Finish(writer, tensor, std::move(rows));
  }
  void Finish(Writer& writer, int tensor, std::vector<ir::Index> rows) {
    writer.statement().write = {.tensor = tensor, .rows = std::move(rows), .is_write = true};
    list_.statements.push_back(std::move(writer.statement()));
  }

  /// Reads an operand as it is broadcast to the iterators.
  int ReadBroadcast(const GraphOperand& operand, Writer& writer) {
    if (operand.is_number()) return writer.Number(operand.number, operand.type);
    Access access;
    access.tensor = stands_for_[At(operand.tensor)];
    const std::size_t rank = operand.shape.size();
    for (std::size_t i = 0; i < rank; ++i) {
      const bool is_one = operand.shape[i] == 1;
      access.rows.push_back(is_one ? 0 : writer.Of(writer.iterators() - rank + i));
    }
    return writer.Read(std::move(access), operand.type);
  }

  void Elementwise(const Operation& of, Writer& writer) {
    std::vector<int> in;
    for (const GraphOperand& operand : of.inputs) in.push_back(ReadBroadcast(operand, writer));
    const Type type = of.inputs.front().type, result = OutputType(of);
    const Type wide = ir::ComputeTypeOf(type);
    const auto compute = [&](Op op, std::vector<int> operands) {
      return writer.Compute(op, type, std::move(operands), result);
    };
    switch (of.kind) {
      case Kind::kAddN: {
        // What is between the sums is not a tensor, and is not rounded to a narrow type.
        int sum = in.front();
        for (std::size_t i = 1; i < in.size(); ++i) {
          sum = writer.Compute(Op::kAdd, type, {sum, in[i]}, i + 1 == in.size() ? result : wide);
        }
        if (in.size() == 1) compute(Op::kConst, {sum});
        return;
      }
      case Kind::kGreater:
        compute(Op::kLess, {in[1], in[0]});
        return;
      case Kind::kLessEqual:
      case Kind::kGreaterEqual: {
        // Not the opposite of the other one, which NaN would make true.
        const std::size_t first = of.kind == Kind::kLessEqual ? 0 : 1;
        const int less = compute(Op::kLess, {in[first], in[1 - first]});
        const int equal = compute(Op::kEqual, {in[first], in[1 - first]});
        writer.Compute(Op::kOr, Type::kBool, {less, equal}, result);
        return;
      }
      case Kind::kNotEqual:
        writer.Compute(Op::kNot, Type::kBool, {compute(Op::kEqual, in)}, result);
        return;
      case Kind::kReciprocal:
        compute(Op::kDiv, {writer.Number(1, type), in[0]});
        return;
      case Kind::kSquare:
        compute(Op::kMul, {in[0], in[0]});
        return;
      case Kind::kSelect:
        writer.Compute(Op::kSelect, of.inputs[1].type, in, result);
        return;
      default:
        compute(InfoOf(of.kind).op, in);
    }
  }

  void Reduction(const Operation& of, Writer& writer) {
    const GraphOperand& operand = of.inputs.front();
    const auto is_reduced = [&](std::size_t i) {
      return std::ranges::binary_search(of.attributes.axes, static_cast<std::int64_t>(i));
    };
    std::vector<std::size_t> iterator_of(operand.shape.size());
    for (const bool reduced : {false, true}) {
      for (std::size_t i = 0; i < operand.shape.size(); ++i) {
        if (is_reduced(i) != reduced) continue;
        iterator_of[i] = writer.iterators();
        writer.Iterate({operand.shape[i]}, reduced);
      }
    }
    if (operand.is_number()) {
      writer.Number(operand.number, operand.type);
    } else {
      Access access;
      access.tensor = stands_for_[At(operand.tensor)];
      for (const std::size_t iterator : iterator_of) access.rows.push_back(writer.Of(iterator));
      writer.Read(std::move(access), operand.type);
    }
    std::vector<ir::Index> rows;
    for (std::size_t i = 0; i < operand.shape.size(); ++i) {
      if (!is_reduced(i)) rows.push_back(writer.Of(iterator_of[i]));
      if (is_reduced(i) && of.attributes.keep_dims) rows.emplace_back();
    }
    // One element may have a dimension of its own.
    while (rows.size() < OutputShape(of).size()) rows.emplace_back();
    writer.statement().reduces = InfoOf(of.kind).op;
    Finish(writer, of.output, std::move(rows));
  }

  // ---- sums of products

  /// A factor of a product: what is read at these rows, or a number.
  int Factor(const GraphOperand& operand, std::vector<ir::Index> rows, bool is_guarded,
             Writer& writer) {
    if (operand.is_number()) return writer.Number(operand.number, operand.type);
    return writer.Read({.tensor = stands_for_[At(operand.tensor)],
                        .rows = std::move(rows),
                        .is_guarded = is_guarded},
                       operand.type);
  }
  /// Products of narrow numbers are not rounded: what is summed up is rounded once, at the end.
  void SumUp(const Operation& of, int a, int b, Writer& writer) {
    const Type type = of.inputs.front().type;
    writer.Compute(Op::kMul, type, {a, b}, ir::ComputeTypeOf(type));
    writer.statement().reduces = Op::kAdd;
    Finish(writer, of.output);
  }

  void MatrixProduct(const Operation& of, Writer& writer) {
    const Attributes& attributes = of.attributes;
    const Shape& shape = of.inputs[0].shape;
    const std::size_t rank = shape.size(), row = rank - 2, column = rank - 1;
    writer.Iterate(OutputShape(of));
    writer.Iterate({shape[attributes.transpose_a ? row : column]}, true);
    std::vector<ir::Index> a;
    for (std::size_t i = 0; i < rank; ++i) a.push_back(writer.Of(i));
    std::vector<ir::Index> b = a;
    a[column] = b[row] = writer.Of(rank);
    if (attributes.transpose_a) std::swap(a[row], a[column]);
    if (attributes.transpose_b) std::swap(b[row], b[column]);
    const int left = Factor(of.inputs[0], std::move(a), false, writer);
    const int right = Factor(of.inputs[1], std::move(b), false, writer);
    SumUp(of, left, right, writer);
  }

  void Convolution(const Operation& of, Writer& writer) {
    const Attributes& attributes = of.attributes;
    const Shape& filter = of.inputs[1].shape;
    const std::size_t channels = attributes.channels_first ? 1 : 3;
    const std::size_t first = attributes.channels_first ? 2 : 1;
    writer.Iterate(OutputShape(of));
    const std::size_t reduced = writer.iterators();  // Those of the filter's dimensions from 1 on.
    writer.Iterate({filter.begin() + 1, filter.end()}, true);
    const auto tap = [&](std::size_t dimension) { return writer.Of(reduced + dimension - 1); };
    std::vector<ir::Index> image(4), taps = {writer.Of(channels), tap(1), tap(2), tap(3)};
    image[0] = writer.Of(0);
    image[channels] = tap(channels);
    for (const std::size_t i : {0u, 1u}) {
      image[first + i] = writer.Of(first + i) * attributes.stride[i] +
                         tap(first + i) * attributes.dilation[i] - attributes.head[i];
    }
    const bool is_padded = attributes.head != Shape{0, 0} || attributes.tail != Shape{0, 0};
    const int left = Factor(of.inputs[0], std::move(image), is_padded, writer);
    const int right = Factor(of.inputs[1], std::move(taps), false, writer);
    SumUp(of, left, right, writer);
  }

  /// Rows of an access to a tensor whose dimensions are products of the writer's iterators.
  static std::vector<ir::Index> MergedRows(const Writer& writer, const Shape& refined,
                                           const Shape& shape) {
    std::vector<ir::Index> rows(shape.size());
    std::size_t next = refined.size();  // Iterators behind it are used.
    for (std::size_t i = shape.size(); i-- > 0;) {
      for (std::int64_t step = 1; step < shape[i]; step *= refined[next]) {
        EXH_CHECK(next > 0);
        rows[i] = rows[i] + writer.Of(--next) * step;
      }
    }
    return rows;
  }

  void Reshape(const Operation& of, Writer& writer) {
    const GraphOperand& operand = of.inputs.front();
    const Shape& shape = OutputShape(of);
    Access access;
    access.tensor = operand.is_number() ? -1 : stands_for_[At(operand.tensor)];
    const std::optional<Shape> refined = CommonRefinement(operand.shape, shape);
    // Where the operand's dimensions are split, they are affine over those of the output.
    Shape without_ones = shape;
    std::erase(without_ones, 1);
    if (operand.is_number()) {
      writer.Iterate(shape);
      writer.Number(operand.number, operand.type);
      return Finish(writer, of.output);
    }
    if (refined && *refined != without_ones) {
      writer.Iterate(*refined);
      access.rows = MergedRows(writer, *refined, operand.shape);
      writer.Read(std::move(access), operand.type);
      return Finish(writer, of.output, MergedRows(writer, *refined, shape));
    }
    writer.Iterate(shape);
    ir::Index element;
    for (std::size_t i = 0; i < shape.size(); ++i) {
      element = element * shape[i] + (shape[i] == 1 ? 0 : writer.Of(i));
    }
    std::int64_t inner = 1;
    access.rows.resize(operand.shape.size());
    for (std::size_t i = operand.shape.size(); i-- > 0;) {
      access.rows[i] = element.Div(inner).Mod(operand.shape[i]);
      inner *= operand.shape[i];
    }
    writer.Read(std::move(access), operand.type);
    Finish(writer, of.output);
  }

  void Move(const Operation& of, Writer& writer) {
    const GraphOperand& operand = of.inputs.front();
    if (of.kind == Kind::kOneHot) return OneHot(of, writer);
    if (of.kind == Kind::kBroadcastTo || operand.is_number()) {
      ReadBroadcastOrPad(of, writer);
      return;
    }
    Access access;
    access.tensor = stands_for_[At(operand.tensor)];
    const Shape& shape = operand.shape;
    switch (of.kind) {
      case Kind::kTranspose:
        access.rows.resize(shape.size());
        for (std::size_t i = 0; i < shape.size(); ++i) {
          access.rows[At(of.attributes.perm[i])] = writer.Of(i);
        }
        break;
      case Kind::kTile:
        for (std::size_t i = 0; i < shape.size(); ++i) {
          const std::size_t dimension = writer.iterators() - shape.size() + i;
          access.rows.push_back(writer.Of(dimension).Mod(shape[i]));
        }
        break;
      default: {
        const bool pads = of.kind == Kind::kPadAkg;
        for (std::size_t i = 0; i < shape.size(); ++i) {
          const std::int64_t head = of.attributes.head[i];
          access.rows.push_back(writer.Of(i) + ir::Index(pads ? -head : head));
        }
        access.is_guarded = pads && OutputShape(of) != shape;
        access.otherwise = pads ? of.attributes.pad_value : 0;
      }
    }
    writer.Read(std::move(access), operand.type);
  }

  /// Of a number, all that moves elements but a pad is what it broadcasts to.
  void ReadBroadcastOrPad(const Operation& of, Writer& writer) {
    const GraphOperand& operand = of.inputs.front();
    if (of.kind != Kind::kPadAkg) {
      ReadBroadcast(operand, writer);
      return;
    }
    // Where each index is inside: the number; else the pad's.
    int inside = writer.Number(1, Type::kBool);
    for (std::size_t i = 0; i < operand.shape.size(); ++i) {
      const std::int64_t head = of.attributes.head[i];
      const int index =
          writer.Push({.what = Step::What::kIndex, .type = Type::kI64, .index = writer.Of(i)});
      const int below = writer.Compute(
          Op::kLess, Type::kI64, {index, writer.Number(static_cast<double>(head), Type::kI64)},
          Type::kBool);
      const int within = writer.Compute(
          Op::kLess, Type::kI64,
          {index, writer.Number(static_cast<double>(head + operand.shape[i]), Type::kI64)},
          Type::kBool);
      const int not_below = writer.Compute(Op::kNot, Type::kBool, {below}, Type::kBool);
      const int both = writer.Compute(Op::kAnd, Type::kBool, {not_below, within}, Type::kBool);
      inside = writer.Compute(Op::kAnd, Type::kBool, {inside, both}, Type::kBool);
    }
    writer.Compute(Op::kSelect, operand.type,
                   {inside, writer.Number(operand.number, operand.type),
                    writer.Number(of.attributes.pad_value, operand.type)},
                   OutputType(of));
  }

  void OneHot(const Operation& of, Writer& writer) {
    const GraphOperand& positions = of.inputs.front();
    const std::size_t axis = At(of.attributes.axes.front());
    int position = 0;
    if (positions.is_number()) {
      position = writer.Number(positions.number, positions.type);
    } else {
      Access access;
      access.tensor = stands_for_[At(positions.tensor)];
      for (std::size_t i = 0; i < writer.iterators(); ++i) {
        if (i != axis) access.rows.push_back(writer.Of(i));
      }
      position = writer.Read(std::move(access), positions.type);
    }
    const int index =
        writer.Push({.what = Step::What::kIndex, .type = Type::kI64, .index = writer.Of(axis)});
    const int equal = writer.Compute(Op::kEqual, Type::kI64, {position, index}, Type::kBool);
    const auto value = [&](const GraphOperand& operand) {
      if (operand.is_number()) return writer.Number(operand.number, operand.type);
      Access access;
      access.tensor = stands_for_[At(operand.tensor)];
      access.rows.resize(operand.shape.size());
      return writer.Read(std::move(access), operand.type);
    };
    const int on = value(of.inputs[1]), off = value(of.inputs[2]);
    writer.Compute(Op::kSelect, OutputType(of), {equal, on, off}, OutputType(of));
  }

  void Copy(const GraphOperand& from, int to, const std::string& name, int index) {
    Writer writer(name, index);
    writer.Iterate(graph_.tensor(to).shape);
    ReadBroadcast(from, writer);
    Finish(writer, to);
  }

  void Assign(const Operation& of, int index) {
    const int target = of.inputs[0].tensor;
    const bool in_place = of.kind == Kind::kInplaceAssign;
    const std::string name = fmt::format("{}_{}", InfoOf(of.kind).name, index);
    list_.tensors[At(target)].role = StatementTensor::Role::kUpdated;
    if (in_place) {
      // Operands are what they were before the write.
      const int other = of.inputs[2].is_number() ? -1 : stands_for_[At(of.inputs[2].tensor)];
      if (of.attributes.fake_output && other >= 0 && !is_assigned_[At(other)]) {
        Alias(of.output, other);
      } else {
        Copy(of.inputs[2], of.output, name + "_output", index);
        if (of.attributes.fake_output) Alias(of.output, of.output);
      }
    }
    Copy(of.inputs[1], target, name, index);
    if (!in_place) Alias(of.output, target);
  }

  /// `tensor` is no output, and the other one is read in its place.
  void Alias(int tensor, int stands_for) {
    stands_for_[At(tensor)] = stands_for;
    list_.tensors[At(tensor)].role = StatementTensor::Role::kTemporary;
  }

  const Graph& graph_;
  StatementList list_;
  std::vector<int> stands_for_;    ///< By tensor: what is read in its place.
  std::vector<bool> is_assigned_;  ///< By tensor.
};

}  // namespace

StatementList StatementsOf(const Graph& graph) {
  return Lowering(graph).Run();
}

}  // namespace exh::kernels::fused
