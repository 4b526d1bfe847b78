// SPDX-License-Identifier: MIT
//
// The loop nest is the naive one (loop_nest.h) without its loops over the output: the element says
// where these are. What stands between two of them is computed again only when the element is at
// another index of those around it. A scan never runs in these loops, but has an array. Beside each
// value the squares of its errors are added up (error_squares.h): a sum has a variable for the
// squares of its terms, and one for their own errors if that is not a multiple of it. The square of
// its value joins them when it is read.
#include "kernels/derived/sources/element_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <set>
#include <utility>
#include <vector>

#include "kernels/derived/sources/element_values.h"
#include "kernels/derived/tolerance.h"
#include "kernels/loops/loop_text.h"

namespace exh::kernels::derived {
namespace {

using Item = LoopNest::Item;
using Place = LoopNest::Place;

/// Arrays above so many elements are taken from the heap.
constexpr std::uint64_t kMostStatic = 1 << 24;

class Printer : private ElementValues {
 public:
  using ElementValues::ElementValues;

  std::string Body() {
    Block(0);
    const std::string body = Take();
    TextWriter head;
    for (const std::string& line : Indices()) head.Line(line);
    for (const std::string& line : statics_) head.Line(line);
    return head.Take() + body;
  }

 private:
  const Expression::Node& Node(int node) const { return expression().node(node); }
  std::uint32_t Total(int axis) const { return expression().axis(axis).total; }

  /// The axes of the output from the number of the element: those that the text has.
  std::vector<std::string> Indices() {
    auto strides = Node(expression().outputs.front()).strides;
    std::erase_if(strides, [&](const auto& s) { return Total(s.first) == 1; });
    std::ranges::stable_sort(strides, std::ranges::greater{},
                             [](const auto& s) { return std::abs(s.second); });
    std::vector<std::string> lines;
    for (const auto& [axis, stride] : strides) {
      if (!names().HasAxis(axis)) continue;
      const std::string& name = names().axis(axis);
      std::string index =
          loops::DigitText("i", std::abs(stride), Total(axis), axis == strides.front().first);
      if (stride < 0) index = fmt::format("{} - {}", Total(axis) - 1, index);
      // A loop may have an index of that name, which then is the one that is read.
      const bool is_hidden = looped_.contains(axis);
      lines.push_back(fmt::format("{}const std::int64_t {} = {};",
                                  is_hidden ? "[[maybe_unused]] " : "", name, index));
    }
    return lines;
  }

  // ---- what is computed where ----

  void Block(int index) {
    const std::vector<Item>& items = nest().block(index).items;
    const auto inner = std::ranges::find_if(items, [&](const Item& item) {
      return item.kind == Item::Kind::kLoop && nest().block(item.what).is_of_output;
    });
    if (inner == items.end()) {
      for (const Item& item : items) Print(item, index);
      return;
    }
    if (inner != items.begin()) Keep(index, {items.begin(), inner});
    Block(inner->what);
  }

  /// The items in a block that is passed over if the element is where the one before was.
  void Keep(int block, const std::vector<Item>& items) {
    std::vector<int> axes;
    for (int outer = block; outer > 0; outer = nest().block(outer).parent) {
      if (Total(nest().block(outer).axis) > 1) axes.insert(axes.begin(), nest().block(outer).axis);
    }
    const std::string at = axes.empty() ? "true" : PointText(expression(), names(), axes);
    const std::string kept = names().Unique("kept");
    Line("// Kept: elements that need it mostly come one after the other.");
    Line(axes.empty() ? "static bool " + kept + " = false;"
                      : "static std::int64_t " + kept + " = -1;");
    OpenScope(axes.empty() ? "if (!" + kept + ")" : "if (" + kept + " != " + at + ")");
    sums_are_kept_ = true;
    for (const Item& item : items) Print(item, block);
    sums_are_kept_ = false;
    Line(kept + " = " + at + ";");
    CloseScope();
  }

  void Print(const Item& item, int block) {
    switch (item.kind) {
      case Item::Kind::kLoop:
        return Loop(item.what);
      case Item::Kind::kBegin:
        return Begin(item.what, block);
      case Item::Kind::kAccumulate:
        return Accumulate(item.what, block);
      case Item::Kind::kName:
        ValueOf(item.what, block);
        return;
      case Item::Kind::kKeep:
        return KeepElement(item.what, block);
      case Item::Kind::kStore:
        return Return(Node(item.what), block);
    }
  }

  void Loop(int block) {
    const int axis = nest().block(block).axis;
    const bool were_kept = std::exchange(sums_are_kept_, false);
    looped_.insert(axis);
    OpenScope(loops::ForText("std::int64_t", names().axis(axis), 0, Total(axis)));
    Block(block);
    CloseScope();
    sums_are_kept_ = were_kept;
  }

  // ---- sums ----

  void Begin(int index, int block) {
    const Expression::Node& node = Node(index);
    const Variables& own = variables(index);
    const bool is_zero = BeginsWithZero(node), has_errors = HasErrors(index);
    ElementValue init = ValueOf(node.init, block);
    std::vector<std::pair<std::string, std::string>> begins;
    if (Chooses(node)) {
      begins.emplace_back(own.value, init.piece.text);
      if (has_errors) begins.emplace_back(own.errors, init.errors.Text());
    } else {
      const bool has_squares = SquaresOf(node) > 0;
      if (!is_zero && has_squares) Name(init, node.name + "_begin");
      const std::string square = is_zero ? "0.0" : Squared(init.piece.text);
      begins.emplace_back(own.value, init.piece.text);
      if (has_squares) begins.emplace_back(own.squares, square);
      // `squares` has more of this one than its errors are.
      if (!is_zero) init.errors.Add(-TermOf(node).own, square);
      if (has_errors) begins.emplace_back(own.errors, init.errors.Text());
    }
    std::string list;
    for (const auto& [name, value] : begins) {
      if (sums_are_kept_) {
        statics_.push_back("static double " + name + ";");
        Line(name + " = " + value + ";");
      } else {
        list += (list.empty() ? "double " : ", ") + name + " = " + value;
      }
    }
    if (!sums_are_kept_) Line(list + ";");
  }

  void Accumulate(int index, int block) {
    const Expression::Node& node = Node(index);
    const Variables& own = variables(index);
    ElementValue term = ValueOf(node.inputs[0], block);
    if (node.op == ir::Op::kMad) {
      ElementValue b = ValueOf(node.inputs[1], block);
      ErrorSquares errors = ProductErrors(term, b);
      term = {
          DoubleText(ir::Op::kMul, {term.piece, b.piece}, node.computes), std::move(errors), {}};
    }
    const bool has_errors = HasErrors(index) && !term.errors.is_zero();
    if (Chooses(node)) {
      if (has_errors) Name(term, own.value + "_term");
      Line(AccumulateDouble(node.op, own.value, {term.piece}, node.computes));
      if (!has_errors) return;
      const std::string errors = names().Unique(own.value + "_term_errors");
      Line("const double " + errors + " = " + term.errors.Text() + ";");
      return Line(AccumulateDouble(ir::Op::kMax, own.errors, {{errors}}));
    }
    if (SquaresOf(node) == 0) return Line(own.value + " += " + term.piece.text + ";");
    Name(term, own.value + "_term");
    const std::string square = Squared(term.piece.text);
    Line(own.value + " += " + term.piece.text + ";");
    Line(own.squares + " += " + square + ";");
    if (!has_errors) return;
    // Those of its own rounding are with `squares`; a sum's value, squared, is more than that.
    std::erase_if(term.errors.products,
                  [&](const auto& p) { return p.first == TermOf(node).own && p.second == square; });
    Line(own.errors + " += " + term.errors.Text() + ";");
  }

  // ---- results ----

  void KeepElement(int index, int block) {
    const std::vector<int>& axes = nest().place(index).axes;
    const std::uint64_t elements = expression().Points(axes);
    const std::string point = "[" + PointText(expression(), names(), axes) + "]";
    const auto keep = [&](const std::string& name, const std::string& value) {
      statics_.push_back(
          elements <= kMostStatic
              ? fmt::format("static double {}[{}];", name, elements)
              : fmt::format("static double* const {} = new double[{}];", name, elements));
      Line(name + point + " = " + value + ";");
    };
    const ElementValue value = Node(index).accumulates() ? SumOf(index) : Computed(index, block);
    keep(names().node(index), value.piece.text);
    if (!value.errors.is_zero()) keep(variables(index).kept_errors, value.errors.Text());
  }

  void Return(const Expression::Node& store, int block) {
    const Expression::Input& result = store.inputs[0];
    ElementValue value = ValueOf(result, block);
    std::string tolerance = Tolerance(result, value.errors);
    if (!expression().IsCopy(store)) {
      if (ir::IsFloat(store.type)) {
        Name(value, "result");
        const LastPlace last = LastPlaceOf(store.type);
        tolerance += fmt::format(" + {} * std::abs({}) + {}", last.relative, value.piece.text,
                                 last.absolute);
      } else {
        value.piece = WholeText(value.piece, store.type);
      }
    }
    Line("return {" + value.piece.text + ", " + tolerance + "};");
  }

  std::string Tolerance(const Expression::Input& result, const ErrorSquares& errors) const {
    if (errors.is_zero()) return "0";
    const double count = result.is_number() ? 0 : roundings(result.node).count;
    const std::string mean = errors.HasFactor(count)
                                 ? errors.Text(count)
                                 : fmt::format("({}) / {}", errors.Text(), count);
    return fmt::format("SumTolerance({}, std::sqrt({}))", count, mean);
  }

  std::vector<std::string> statics_;  ///< Declarations.
  std::set<int> looped_;              ///< Axes that a loop goes over.
  bool sums_are_kept_ = false;        ///< Those that begin here, from one element to the next.
};

}  // namespace

std::string ReferenceElement(const ir::Function& function) {
  const Expression expression = ExpressionOf(function);
  if (expression.outputs.size() != 1 || !HasRules(expression)) return "";
  return Printer(function).Body();
}

}  // namespace exh::kernels::derived
