// SPDX-License-Identifier: MIT
#include "kernels/derived/sources/naive_source.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <utility>
#include <vector>

#include "base/text_writer.h"
#include "kernels/derived/expression.h"
#include "kernels/derived/sources/loop_nest.h"
#include "kernels/derived/sources/op_text.h"
#include "kernels/derived/sources/source_names.h"
#include "kernels/ir/text/helper_functions.h"
#include "kernels/loops/loop_text.h"

namespace exh::kernels::derived {
namespace {

using Item = LoopNest::Item;
using Place = LoopNest::Place;

/// Arrays above so many elements are taken from the heap.
constexpr std::uint64_t kMostStatic = 1 << 24;

/// The statements of both languages.
class Printer : public TextWriter {
 public:
  Printer(const ir::Function& function, Dialect dialect, const std::vector<std::string>& reserved)
      : helpers_(dialect),
        e_(ExpressionOf(function)),
        nest_(LoopNestOf(e_, true)),
        names_(function, e_, reserved),
        sums_(e_.nodes.size()) {
    for (std::size_t i = 0; i < sums_.size(); ++i) {
      const int node = static_cast<int>(i);
      const bool is_kept = nest_.place(node).kind == Place::Kind::kArray;
      sums_[i] = is_kept ? names_.Unique(names_.node(node) + "_sum") : names_.node(node);
    }
  }

  const Expression& expression() const { return e_; }
  const LoopNest& nest() const { return nest_; }
  SourceNames& names() { return names_; }
  /// What the statements printed so far call.
  ir::HelperFunctions& helpers() { return helpers_; }

  bool ReadsScalar(const std::string& name) const {
    return std::ranges::any_of(e_.nodes, [&](const Expression::Node& node) {
      return std::ranges::any_of(
          node.inputs, [&](const Expression::Input& input) { return input.scalar == name; });
    });
  }

  /// `has_loops`: those over the axes of outputs are printed; otherwise their indices are there,
  /// but of those that scans run in.
  void Block(int index, bool has_loops) {
    for (const Item& item : nest_.block(index).items) Print(item, index, has_loops);
  }

  /// What the statements need in front of all loops.
  void Arrays() {
    for (std::size_t i = 0; i < e_.nodes.size(); ++i) {
      const int node = static_cast<int>(i);
      if (nest_.place(node).kind != Place::Kind::kArray) continue;
      const std::uint64_t elements = e_.Points(nest_.place(node).axes);
      const std::string type(RegisterName(e_.nodes[i].type));
      const std::string count = "[" + std::to_string(elements) + "];";
      Line(elements <= kMostStatic
               ? "static " + type + " " + names_.node(node) + count
               : "static " + type + "* const " + names_.node(node) + " = new " + type + count);
    }
  }

 private:
  void Print(const Item& item, int block, bool has_loops) {
    switch (item.kind) {
      case Item::Kind::kLoop: {
        const LoopNest::Block& inner = nest_.block(item.what);
        const bool is_thread = inner.is_of_output && !inner.has_scans && !has_loops;
        if (is_thread) return Block(item.what, has_loops);
        Open(loops::ForText("long", names_.axis(inner.axis), 0, e_.axis(inner.axis).total));
        Block(item.what, has_loops);
        return Close();
      }
      case Item::Kind::kBegin:
        return Line(std::string(RegisterName(e_.node(item.what).computes)) + " " + Sum(item.what) +
                    " = " + InitOf(e_.node(item.what), block).text + ";");
      case Item::Kind::kAccumulate: {
        const Expression::Node& node = e_.node(item.what);
        return Line(AccumulateText(node.op, Sum(item.what), Operands(node, block), helpers_,
                                   node.computes));
      }
      case Item::Kind::kName:
        return Line("const " + std::string(RegisterName(e_.node(item.what).type)) + " " +
                    names_.node(item.what) + " = " + Computed(item.what, block).text + ";");
      case Item::Kind::kKeep:
        return Line(
            Kept(item.what) + " = " +
            (e_.node(item.what).accumulates() ? Sum(item.what) : Computed(item.what, block).text) +
            ";");
      case Item::Kind::kStore: {
        const Expression::Node& store = e_.node(item.what);
        const Piece value = Operands(store, block)[0];
        return Line(AccessText(e_, names_, store) + " = " +
                    StoreText(value, store.inputs[0].type, store.type, helpers_) + ";");
      }
    }
  }

  const std::string& Sum(int node) const { return sums_[static_cast<std::size_t>(node)]; }

  /// The element of a node's array.
  std::string Kept(int node) const {
    return names_.node(node) + "[" + PointText(e_, names_, nest_.place(node).axes) + "]";
  }

  Piece Value(int node, int block) {
    switch (nest_.place(node).kind) {
      case Place::Kind::kSum:
        return {Sum(node)};
      case Place::Kind::kArray:
        return {Kept(node)};
      case Place::Kind::kInline:
        return nest_.IsNamed(node, block) ? Piece{names_.node(node)} : Computed(node, block);
    }
    return {};
  }

  Piece Computed(int index, int block) {
    const Expression::Node& node = e_.node(index);
    if (node.op == ir::Op::kLoad) return Loaded(node, block);
    if (node.op == ir::Op::kIndex) {
      const std::string text = AffineText(e_, names_, node);
      return {"static_cast<" + std::string(RegisterName(node.type)) + ">(" + text + ")"};
    }
    const std::vector<Piece> operands = Operands(node, block);
    if (node.op == ir::Op::kConst)
      return RoundText(operands[0], node.inputs[0].type, node.type, helpers_);
    return OpText(node.op, operands, helpers_, node.computes);
  }

  Piece Loaded(const Expression::Node& load, int block) {
    std::string access = AccessText(e_, names_, load), guard = GuardText(e_, names_, load);
    if (load.index >= 0) {
      const Expression::Input index = {load.index, 0, "", e_.node(load.index).type};
      const std::string number = ElementText(
          e_, names_, load, "static_cast<int>(" + Operand(index, ir::Type::kI32, block).text + ")");
      access = names_.array(load.array) + "[" + number + "]";
      guard += (guard.empty() ? "" : " && ") + number + " < " +
               std::to_string(e_.array(load.array).elements) + "u";
    }
    const std::string element = LoadText(access, load.type, helpers_);
    if (guard.empty()) return {element};
    return {"(" + guard + " ? " + element + " : " +
            NumberText(load.otherwise, helpers_.dialect(), load.type) + ")"};
  }

  /// Each as what the node computes in.
  std::vector<Piece> Operands(const Expression::Node& node, int block) {
    std::vector<Piece> operands;
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      operands.push_back(Operand(node.inputs[i], Expression::OperandType(node, i), block));
    }
    return operands;
  }
  Piece InitOf(const Expression::Node& reduction, int block) {
    return Operand(e_.InitOf(reduction), reduction.computes, block);
  }

  Piece Operand(const Expression::Input& input, ir::Type as, int block) {
    if (!input.is_number()) return CastText(Value(input.node, block), input.type, as);
    if (!input.scalar.empty()) return CastText({names_.scalar(input.scalar)}, input.type, as);
    return {NumberText(input.number, helpers_.dialect(), as)};
  }

  ir::HelperFunctions helpers_;
  const Expression e_;
  const LoopNest nest_;
  SourceNames names_;
  std::vector<std::string> sums_;  ///< By node: the variable of a reduction.
};

std::string Number(std::uint64_t value) {
  return std::to_string(value);
}

/// "const float*" of an input.
std::string Pointer(const ir::Array& array) {
  const std::string element(ElementName(array.type));
  return (array.role == ir::ArrayRole::kInput ? "const " : "") + element + "*";
}

/// All that is printed, and what it calls in front of it.
std::string WithFunctions(Printer& out) {
  const std::string functions = out.helpers().Text(), text = out.Take();
  return functions.empty() ? text : functions + "\n" + text;
}

constexpr std::uint64_t Blocks(std::uint64_t points, std::uint64_t size) {
  return (points + size - 1) / size;
}

/// Axes of the store from the one that steps farthest: neighbouring threads write neighbours. Those
/// that scans run along are loops.
std::vector<int> ByStride(const Expression::Node& store, const LoopNest& nest) {
  std::vector<int> axes = store.axes;
  for (const LoopNest::Block& block : nest.blocks) {
    if (block.has_scans) std::erase(axes, block.axis);
  }
  std::ranges::stable_sort(axes, std::ranges::greater{},
                           [&](int axis) { return std::abs(store.StrideOf(axis)); });
  return axes;
}

/// Blocks of 16 x 16 over the last two axes, and of 1 over the others.
Launch PrintSquares(const std::vector<int>& axes, Printer& out) {
  constexpr std::uint64_t kTile = 16;
  std::uint64_t before = 1;  // Blocks of the axes that were printed.
  std::vector<std::string> lines, bounds;
  for (auto axis = axes.rbegin(); axis != axes.rend(); ++axis) {
    const std::size_t position = static_cast<std::size_t>(axis - axes.rbegin());
    const bool is_tiled = position < 2, is_first = position + 1 == axes.size();
    const std::uint64_t total = out.expression().axis(*axis).total;
    const std::uint64_t blocks = is_tiled ? Blocks(total, kTile) : total;
    const std::string& name = out.names().axis(*axis);
    const std::string block = loops::DigitText("blockIdx.x", static_cast<std::int64_t>(before),
                                               static_cast<std::int64_t>(blocks), is_first);
    const std::string thread = position == 0 ? "threadIdx.x % 16" : "threadIdx.x / 16";
    std::string index = blocks == 1 ? thread : block + " * 16 + " + thread;
    if (!is_tiled) index = blocks == 1 ? "0" : block;
    lines.push_back("const long " + name + " = " + index + ";");
    if (is_tiled) bounds.push_back(name + " >= " + Number(total));
    before *= blocks;
  }
  for (auto line = lines.rbegin(); line != lines.rend(); ++line) out.Line(*line);
  out.Line("if (" + bounds[1] + " || " + bounds[0] + ") return;");
  return {.grid = before, .threads = kTile * kTile};
}

/// Blocks of 256 points of the axes, the last one innermost.
Launch PrintLinear(const std::vector<int>& axes, Printer& out) {
  constexpr std::uint64_t kThreads = 256;
  const std::uint64_t points = out.expression().Points(axes);
  const std::string i = axes.size() == 1 ? out.names().axis(axes.front()) : out.names().Unique("i");
  out.Line("const long " + i + " = blockIdx.x * 256l + threadIdx.x;");
  out.Line("if (" + i + " >= " + Number(points) + ") return;");
  auto stride = static_cast<std::int64_t>(points);
  for (std::size_t position = 0; axes.size() > 1 && position < axes.size(); ++position) {
    const int axis = axes[position];
    const std::int64_t total = out.expression().axis(axis).total;
    stride /= total;
    out.Line("const long " + out.names().axis(axis) + " = " +
             loops::DigitText(i, stride, total, position == 0) + ";");
  }
  return {.grid = Blocks(points, kThreads), .threads = kThreads};
}

}  // namespace

std::string NaiveSource(const ir::Function& function) {
  Printer out(function, Dialect::kCpp, {"arrays", "scalars", "exh_run"});
  std::vector<std::string> scalars;
  for (std::size_t i = 0; i < function.scalars.size(); ++i) {
    const ir::Scalar& scalar = function.scalars[i];
    if (!out.ReadsScalar(scalar.name)) continue;
    const Piece given = {"scalars[" + Number(i) + "]"};
    scalars.push_back("const " + std::string(RegisterName(scalar.type)) + " " +
                      out.names().scalar(i) + " = " +
                      (scalar.type == ir::Type::kI64
                           ? ir::FromCellText(given.text, scalar.type)
                           : RoundText(given, ir::Type::kF64, scalar.type, out.helpers()).text) +
                      ";");
  }
  out.Open(std::string("extern \"C\" void exh_run(void* const* arrays, const double*") +
           (scalars.empty() ? "" : " scalars") + ", int)");
  for (const ir::Array& array : function.arrays) {
    const std::string type = Pointer(array);
    out.Line(type + " " + out.names().array(array.id) + " = static_cast<" + type + ">(arrays[" +
             Number(array.id.index()) + "]);");
  }
  for (const std::string& scalar : scalars) out.Line(scalar);
  out.Arrays();
  out.Block(0, true);
  out.Close();
  return WithFunctions(out);
}

Source NaiveCuda(const ir::Function& function) {
  Printer out(function, Dialect::kCuda, {"blockIdx", "threadIdx", "exh_kernel"});
  const Expression& e = out.expression();
  if (e.outputs.size() != 1 || out.nest().HasArrays()) return {};
  // A thread that takes more steps one after the other is none that a person would wait for.
  constexpr double kMostSteps = 1 << 16;
  const auto is_long = [&](const auto& node) {
    return node.is_scan() && e.Steps(node) > kMostSteps;
  };
  if (std::ranges::any_of(e.nodes, is_long)) return {};
  std::string parameters;
  for (const ir::Array& array : function.arrays) {
    parameters += (parameters.empty() ? "" : ", ") + Pointer(array) + " __restrict__ " +
                  out.names().array(array.id);
  }
  for (std::size_t i = 0; i < function.scalars.size(); ++i) {
    parameters +=
        ", " + std::string(RegisterName(function.scalars[i].type)) + " " + out.names().scalar(i);
  }
  const Expression::Node& store = e.node(e.outputs.front());
  const std::vector<int> axes = ByStride(store, out.nest());
  const bool has_sum = std::ranges::any_of(e.nodes, &Expression::Node::is_reduction);
  out.Open("extern \"C\" __global__ void exh_kernel(" + parameters + ")");
  const Launch launch =
      axes.size() >= 2 && has_sum ? PrintSquares(axes, out) : PrintLinear(axes, out);
  out.Block(0, false);
  out.Close();
  return {WithFunctions(out), launch};
}

}  // namespace exh::kernels::derived
