// SPDX-License-Identifier: MIT
//
// What whole numbers come to in a computation is estimated from node to node: a value's
// usual size, and what it is a multiple of. Whether that holds the reference says (MakeProblem()).
// Of integers it says nothing, for they wrap around: of them the largest possible size counts.
#include "kernels/whole_numbers.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <optional>
#include <set>
#include <utility>

#include "kernels/derived/tolerance.h"
#include "kernels/ir/ops.h"

namespace exh::kernels {
namespace {

using derived::Expression;
using Node = Expression::Node;

constexpr double kMargin = 0.7;  ///< What is estimated varies.
constexpr double kTails = 8;     ///< And how far: for a range that nothing may leave.
constexpr int kWideBits = 12;
constexpr double kWideSize = 3100;  ///< Root mean square of odd numbers from 2049 to 4095.
constexpr int kMostWide = 4;
constexpr int kMostBits = 62;  ///< Of an integer that is drawn.

/// The largest power of two that `value` is a multiple of; infinity for 0, which is one of any.
double LowestBit(double value) {
  if (value == 0) return INFINITY;
  if (!std::isfinite(value)) return 0;
  constexpr int kBits = std::numeric_limits<double>::digits;
  int exponent = 0;
  const auto bits = static_cast<std::int64_t>(std::ldexp(std::frexp(value, &exponent), kBits));
  return std::ldexp(static_cast<double>(bits & -bits), exponent - kBits);
}

/// Whole numbers below it have values of their own in registers for the type.
double ExactIn(ir::Type type) {
  return std::ldexp(1, ir::InfoOf(ir::ComputeTypeOf(type)).bits);
}

/// The smallest number of ones only that is not below `size`: no bits of two such numbers make a
/// larger one, nor does their complement.
double AllOnes(double size) {
  int exponent = 0;
  std::frexp(size, &exponent);
  return std::ldexp(1, exponent);
}

std::size_t At(int i) {
  return static_cast<std::size_t>(i);
}

/// By node: the axes of its value that it, or what comes of it, is summed over.
std::vector<std::set<int>> SummedAxes(const Expression& e) {
  std::vector<std::set<int>> summed(e.nodes.size());
  for (std::size_t i = e.nodes.size(); i-- > 0;) {
    const Node& reader = e.nodes[i];
    Expression::ForEachValue(reader, [&](int read) {
      for (const int axis : e.node(read).axes) {
        const bool is_reduced =
            axis == reader.along || std::ranges::find(reader.reduced, axis) != reader.reduced.end();
        // Through memory an axis is another one: it may be any of those that are summed over.
        const bool is_passed_on =
            read == reader.store ? !summed[i].empty() : summed[i].contains(axis);
        if (is_reduced || is_passed_on) summed[At(read)].insert(axis);
      }
    });
  }
  return summed;
}

/// What the value of a node becomes.
ir::Type WrittenType(const Expression& e, const Node& node) {
  return node.op == ir::Op::kStore ? e.array(node.array).type : node.type;
}

/// The walk through a computation.
class Sizes {
 public:
  Sizes(const Expression& expression, const WholeNumbers& numbers)
      : e_(expression),
        numbers_(numbers),
        shapes_(InputShapes(expression)),
        known_(expression.nodes.size()) {
    int wide_bits = 0;
    for (const ir::Array& array : e_.arrays) {
      if (!shapes_[array.id.index()].is_summed()) continue;
      wide_bits = std::max(wide_bits, WideBits(array.type));
    }
    if (wide_bits == 0) wide_bits = kWideBits;
    wide_size_ = std::ldexp(kWideSize, wide_bits - kWideBits);
    wide_factor_ = std::ldexp(1, wide_bits) / static_cast<double>(numbers.range);
    for (const int output : e_.outputs) Of(output);
    // Integers that only say which of two values is taken may overflow, too.
    notes_sizes_ = false;
    const std::vector<bool> are_values = e_.AreValues();
    for (std::size_t i = 0; i < e_.nodes.size(); ++i) {
      if (are_values[i] && ir::InfoOf(e_.nodes[i].type).is_integer()) Of(static_cast<int>(i));
    }
  }

  /// Largest sum as a multiple of what all its terms are multiples of, as a part of what its type
  /// holds exactly.
  double largest() const { return largest_; }
  /// Do sums of products of floats of 8 bits stay exact in the terms that have few bits?
  bool holds_short_sums() const { return largest_short_ < 1; }
  double unit() const { return unit_; }
  /// Every integer stays within its type, and halves will hardly leave theirs.
  bool fits() const { return fits_; }

 private:
  struct Value {
    double size = 0;
    double unit = INFINITY;
    double most = 0;  ///< No absolute value is larger, wide numbers aside.
    int factors = 0;  ///< How many numbers are multiplied that may be wide.
  };

  static Value Number(double value) { return {std::abs(value), LowestBit(value), std::abs(value)}; }

  Value Of(const Node& reader, std::size_t operand) {
    const Expression::Input& input = reader.inputs.at(operand);
    return input.is_number() ? Number(input.number) : Of(input.node);
  }

  /// Each is looked at once, however many others read it.
  Value Of(int index) {
    std::optional<Value>& known = known_[At(index)];
    if (!known) known = Found(e_.node(index));
    return *known;
  }

  Value Found(const Node& node) {
    if (node.op == ir::Op::kLoad) return node.store >= 0 ? Of(node.store) : OfLoad(node);
    const bool is_float = ir::IsFloat(node.type);
    const bool is_literal =
        node.op == ir::Op::kConst && node.inputs[0].is_number() && node.inputs[0].scalar.empty();
    Value value = node.accumulates() ? OfReduction(node) : OfElements(node);
    // A cast cuts off what is no whole number.
    if (!is_float) value.unit = std::max(value.unit, 1.0);
    if (!is_literal) NoteRange(node, value);
    if (is_float && node.op != ir::Op::kStore) Note(value, node.type);
    return value;
  }

  Value OfLoad(const Node& node) const {
    const bool is_summed = shapes_[node.array.index()].is_summed();
    const ir::Type type = e_.array(node.array).type;
    if (numbers_.are_of_all_lengths && ir::IsFloat(type)) return {1, 0, 1};
    const auto range = static_cast<double>(
        std::min(is_summed ? numbers_.range : numbers_.element, numbers_.Largest(type)));
    return {is_summed ? Usual(range) : range, 1, range, is_summed ? 1 : 0};
  }

  static Value Product(const Value& a, const Value& b) {
    const double unit = std::isinf(a.unit) || std::isinf(b.unit) ? INFINITY : a.unit * b.unit;
    return {a.size * b.size, unit, a.most * b.most, a.factors + b.factors};
  }

  /// A scan yields what a reduction does, and all partial results, which are no larger.
  Value OfReduction(const Node& node) {
    const auto operand = [&](std::size_t index) { return Of(node, index); };
    const ir::TypeInfo& info = ir::InfoOf(node.type);
    const Value term = node.op == ir::Op::kMad ? Product(operand(0), operand(1)) : operand(0);
    Value begin = node.init >= 0 ? Of(node.init) : Value{};
    const bool picks = node.op == ir::Op::kMax || node.op == ir::Op::kMin;
    // Every term is picked before it.
    const double never = info.is_float ? INFINITY : info.largest;
    if (picks && begin.size >= never) begin = {};
    if (node.op == ir::Op::kMul) {
      if (info.is_float) return {1, 0, 1};
      // Of a scan before its first 0, too.
      const double factor = node.is_scan() ? std::max(term.most, 1.0) : term.most;
      const double most = std::max(begin.most, 1.0) * std::pow(factor, Terms(node));
      return {most, 1, most, term.factors + begin.factors};
    }
    const double n = picks ? 1 : Terms(node);
    const auto positions = static_cast<double>(numbers_.wide) * static_cast<double>(shapes_.size());
    Value value;
    value.size =
        std::sqrt(n * term.size * term.size + positions * wide_size_ * wide_size_) + begin.size;
    value.unit = std::min(term.unit, begin.unit);
    value.most = picks ? std::max(term.most, begin.most) : n * term.most + begin.most;
    value.most += positions * term.most * std::pow(wide_factor_, term.factors);
    if (info.is_float) Note({std::sqrt(n) * value.size, value.unit}, node.type);
    if (Expression::AddsShort(node)) NoteShort(std::min(n, kShortTerms) * term.most, value.unit);
    return value;
  }

  double Terms(const Node& node) const { return e_.Steps(node); }

  Value OfElements(const Node& node) {
    const auto operand = [&](std::size_t index) { return Of(node, index); };
    const ir::OpInfo& info = ir::InfoOf(node.op);
    if (node.op == ir::Op::kStore) return operand(0);
    if (node.op == ir::Op::kIndex) return OfIndex(node);
    if (info.takes == ir::Takes::kIntegers) {
      double most = 1;
      for (std::size_t i = 0; i < node.inputs.size(); ++i) {
        most = std::max(most, operand(i).most);
      }
      if (node.type != ir::Type::kBool) most = AllOnes(most);
      return {most, 1, most};
    }
    if (!ir::IsFloat(node.type) && node.op == ir::Op::kDiv) return operand(0);
    if (!info.keeps_whole) return {1, 0, 1};
    Value value = operand(node.op == ir::Op::kSelect ? 1 : 0);
    if (node.op == ir::Op::kMul || node.op == ir::Op::kMad) value = Product(value, operand(1));
    if (info.compares()) return {1, 1, 1};
    const bool picks =
        node.op == ir::Op::kMin || node.op == ir::Op::kMax || node.op == ir::Op::kSelect;
    const bool adds = node.op == ir::Op::kAdd || node.op == ir::Op::kSub || node.op == ir::Op::kMad;
    if (picks || adds) {
      const Value other = operand(node.inputs.size() - 1);
      value = {value.size + other.size, std::min(value.unit, other.unit),
               adds ? value.most + other.most : std::max(value.most, other.most),
               std::max(value.factors, other.factors)};
    }
    return value;
  }

  Value OfIndex(const Node& node) const {
    double most = std::abs(static_cast<double>(node.offset));
    for (const auto& [axis, stride] : node.strides) {
      const double last = static_cast<double>(e_.axis(axis).total) - 1;
      most += last * std::abs(static_cast<double>(stride));
    }
    return {most, 1, most};
  }

  void Note(const Value& value, ir::Type type) {
    if (!notes_sizes_ || std::isinf(value.unit)) return;  // Nothing but zeros.
    const double size = value.unit == 0 ? INFINITY : value.size / value.unit;
    largest_ = std::max(largest_, size / ExactIn(type));
    unit_ = std::min(unit_, value.unit);
  }

  void NoteShort(double most, double unit) {
    const double sum = unit == 0 ? INFINITY : most / unit;
    largest_short_ = std::max(largest_short_, std::ldexp(sum, -kShortBits));
    largest_ = std::max(largest_, largest_short_);
  }

  void NoteRange(const Node& node, const Value& value) {
    const ir::TypeInfo& info = ir::InfoOf(WrittenType(e_, node));
    if (info.is_float) {
      fits_ = fits_ && !(info.is_narrow() && kTails * value.size > info.largest);
    } else if (info.is_integer()) {
      fits_ = fits_ && value.most <= info.largest;
    }
  }

  /// Root mean square of 1 … range.
  static double Usual(double range) { return std::sqrt((range + 1) * (2 * range + 1) / 6.0); }

  const Expression& e_;
  const WholeNumbers& numbers_;
  std::vector<InputShape> shapes_;
  std::vector<std::optional<Value>> known_;  ///< By node.
  double wide_size_ = 0;                     ///< Of a wide number, usually.
  double wide_factor_ = 1;                   ///< How many times as large as another one it may be.
  double largest_ = 0, largest_short_ = 0, unit_ = 1;
  bool fits_ = true, notes_sizes_ = true;
};

/// From large to small, all that could be drawn.
std::vector<WholeNumbers> AllPlans(const Expression& e) {
  // Numbers of few bits, so that a sum does not swallow what is added to it by mistake; the wide
  // ones are for what few bits cannot show.
  std::vector<WholeNumbers> plans;
  constexpr std::int64_t kElement = (1 << kWideBits) - 1;
  for (const int wide : {kMostWide, 2, 1, 0}) {
    if (wide > 0 && SumsInARow(e) != 1) continue;
    for (const std::int64_t range : {8, 5, 3, 2, 1}) {
      if (range < 3 && wide > 0) continue;
      for (const std::int64_t element : {kElement, range}) plans.push_back({range, element, wide});
    }
  }
  return plans;
}

/// Marks the array of a load that `operand` is, cast or not.
void MarkArray(const Expression& e, const Expression::Input& operand, std::vector<bool>& marked) {
  const Expression::Input* reads = &operand;
  while (!reads->is_number()) {
    const Node& read = e.node(reads->node);
    if (read.op == ir::Op::kLoad) marked[read.array.index()] = true;
    if (read.op != ir::Op::kConst) return;
    reads = &read.inputs.at(0);
  }
}

/// Does a float become an integer in it?
bool CutsFloat(const Expression& e, const Node& node) {
  const bool casts = node.op == ir::Op::kConst || node.op == ir::Op::kStore;
  if (!casts || !ir::InfoOf(WrittenType(e, node)).is_integer()) return false;
  return ir::IsFloat(node.inputs.at(0).type);
}

/// From an index back to an element of an input: factor * it + what is from `least` to `most`.
struct Way {
  std::int64_t factor = 1, least = 0, most = 0;
  const Node* from = nullptr;  ///< Null: the index is no such sum.
};

/// One operator back. A sum of two has two ways; the other one goes to `ways`.
void GoBack(const Expression& e, Way& way, std::vector<Way>& ways) {
  const Node& node = *std::exchange(way.from, nullptr);
  const auto number = [&](std::size_t i) -> std::optional<std::int64_t> {
    const Expression::Input& input = node.inputs.at(i);
    if (!input.is_number() || !input.scalar.empty()) return std::nullopt;
    return input.number.whole();
  };
  const auto add = [&](std::int64_t least, std::int64_t most) {
    way.least += way.factor * (way.factor > 0 ? least : most);
    way.most += way.factor * (way.factor > 0 ? most : least);
  };
  if (node.accumulates()) return;
  switch (node.op) {
    case ir::Op::kMad:
      if (!number(2)) return;
      add(*number(2), *number(2));
      [[fallthrough]];
    case ir::Op::kMul: {
      const std::size_t by = number(0) ? 0 : 1;
      if (!number(by) || number(1 - by)) return;
      way.factor *= *number(by);
      way.from = &e.node(node.inputs[1 - by].node);
      return;
    }
    case ir::Op::kSub:
    case ir::Op::kAdd:
      for (const std::size_t other : {1, 0}) {
        if (node.op == ir::Op::kSub && other == 0) return;
        const Expression::Input& input = node.inputs[other];
        const bool is_index = !input.is_number() && e.node(input.node).op == ir::Op::kIndex;
        if (node.inputs[1 - other].is_number() || (!number(other) && !is_index)) continue;
        const auto [least, most] =
            is_index ? e.Range(e.node(input.node)) : std::pair(*number(other), *number(other));
        node.op == ir::Op::kSub ? add(-most, -least) : add(least, most);
        way.from = &e.node(node.inputs[1 - other].node);
        return;
      }
      if (node.op == ir::Op::kSub) return;
      if (node.inputs[0].is_number() || node.inputs[1].is_number()) return;
      ways.push_back({way.factor, 0, 0, &e.node(node.inputs[1].node)});
      way.from = &e.node(node.inputs[0].node);
      return;
    case ir::Op::kConst:
      if (!node.inputs[0].is_number()) way.from = &e.node(node.inputs[0].node);
      return;
    case ir::Op::kSelect:  // Where there is no element, its number says so.
      if (number(2) && !node.inputs[1].is_number()) way.from = &e.node(node.inputs[1].node);
      return;
    default:
      return;
  }
}

/// Calls `visit` with each node that `node` comes of, once, and with itself.
template <typename Visit>
void ForEachBelow(const Expression& e, int node, const Visit& visit) {
  std::vector<bool> is_below(e.nodes.size(), false);
  is_below[At(node)] = true;
  for (int i = node; i >= 0; --i) {
    if (!is_below[At(i)]) continue;
    visit(e.node(i));
    Expression::ForEachValue(e.node(i), [&](int read) { is_below[At(read)] = true; });
  }
}

/// From an index back to all inputs whose elements it is a sum of, by their factors; empty: it is
/// no such sum.
std::vector<Way> WaysBack(const Expression& e, const Node& index) {
  std::vector<Way> ways = {{1, 0, 0, &index}};
  for (std::size_t i = 0; i < ways.size(); ++i) {
    while (ways[i].from != nullptr && ways[i].from->op != ir::Op::kLoad) {
      Way way = ways[i];  // Where it stands moves.
      GoBack(e, way, ways);
      ways[i] = way;
    }
    const Way& way = ways[i];
    const bool is_input =
        way.from != nullptr && way.from->store < 0 && !ir::IsFloat(way.from->type);
    if (!is_input || way.factor <= 0) return {};
  }
  std::ranges::sort(ways, {}, &Way::factor);
  return ways;
}

}  // namespace

int WideBits(ir::Type type) {
  return std::min(ir::InfoOf(type).bits, kWideBits);
}

int LargestWhole(ir::Type type) {
  return (1 << WideBits(type)) - 1;
}

std::int64_t WholeNumbers::Largest(ir::Type type) const {
  if (!are_of_all_lengths || ir::IsFloat(type)) return LargestWhole(type);
  return (std::int64_t{1} << std::min(ir::InfoOf(type).bits, kMostBits)) - 1;
}

bool InputShape::is_summed() const {
  return std::ranges::any_of(axes, &Axis::is_summed);
}

bool InputShape::has_slices() const {
  return std::ranges::any_of(axes, [](const Axis& axis) { return !axis.is_summed; });
}

std::uint64_t InputShape::Positions() const {
  std::uint64_t positions = 1;
  for (const Axis& axis : axes) {
    if (axis.is_summed) positions *= static_cast<std::uint64_t>(axis.total);
  }
  return positions;
}

std::uint64_t InputShape::Number(std::uint64_t element, bool summed) const {
  std::uint64_t number = 0;
  for (const Axis& axis : axes) {
    if (axis.is_summed != summed) continue;
    const auto total = static_cast<std::uint64_t>(axis.total);
    number = number * total + element / static_cast<std::uint64_t>(axis.stride) % total;
  }
  return number;
}

std::vector<InputShape> InputShapes(const Expression& e) {
  std::vector<InputShape> shapes(e.arrays.size());
  const std::vector<std::set<int>> summed = SummedAxes(e);
  for (std::size_t i = 0; i < e.nodes.size(); ++i) {
    const Node& node = e.nodes[i];
    if (node.op != ir::Op::kLoad || node.store >= 0) continue;
    InputShape& shape = shapes[node.array.index()];
    if (!shape.axes.empty()) continue;  // Read twice: as it is read first.
    if (node.index >= 0) {
      // Nothing is known of which element is where.
      const auto elements = static_cast<std::int64_t>(e.array(node.array).elements);
      shape.axes.push_back({1, elements, !summed[i].empty()});
      continue;
    }
    for (const auto& [axis, stride] : node.strides) {
      // An array that is the same along an axis has no place on it. Scans also go from the end.
      const bool is_scanned =
          std::ranges::any_of(e.nodes, [of = axis](const Node& one) { return one.along == of; });
      if (stride == 0 || (stride < 0 && !is_scanned)) continue;
      shape.axes.push_back({std::abs(stride), e.axis(axis).total, summed[i].contains(axis)});
    }
    std::ranges::stable_sort(shape.axes, std::greater<>(), &InputShape::Axis::stride);
  }
  return shapes;
}

std::vector<bool> PositiveArrays(const Expression& e) {
  std::vector<bool> positive(e.arrays.size(), false);
  for (const Node& node : e.nodes) {
    const bool wants = node.op == ir::Op::kSqrt || node.op == ir::Op::kRsqrt ||
                       node.op == ir::Op::kLog || node.op == ir::Op::kPow;
    if (!wants || node.inputs[0].is_number()) continue;
    const Node& read = e.node(node.inputs[0].node);
    if (read.op == ir::Op::kLoad) positive[read.array.index()] = true;
  }
  return positive;
}

std::vector<bool> DivisorArrays(const Expression& e) {
  std::vector<bool> divisors(e.arrays.size(), false);
  for (const Node& node : e.nodes) {
    if (node.op != ir::Op::kDiv || ir::IsFloat(node.computes)) continue;
    MarkArray(e, node.inputs.at(1), divisors);
  }
  return divisors;
}

std::vector<std::optional<IndexRange>> IndexRanges(const Expression& e) {
  std::vector<std::optional<IndexRange>> ranges(e.arrays.size());
  for (const Node& node : e.nodes) {
    if (node.op != ir::Op::kLoad || node.index < 0) continue;
    const std::vector<Way> ways = WaysBack(e, e.node(node.index));
    const auto [least, most] = e.Range(node);
    for (std::size_t i = 0; i < ways.size(); ++i) {
      const Way& way = ways[i];
      // Several are the digits of a number: each is below the factor of the next one.
      const bool is_last = i + 1 == ways.size();
      const std::int64_t elements =
          is_last ? static_cast<std::int64_t>(e.array(node.array).elements) : ways[i + 1].factor;
      const std::int64_t below = i == 0 ? 0 : way.factor - 1;
      const auto floor = [&](std::int64_t number) {
        const std::int64_t rest = (number % way.factor + way.factor) % way.factor;
        return (number - rest) / way.factor;
      };
      IndexRange range = {-floor(way.least + (is_last ? least : 0)),
                          floor(elements - 1 - below - way.most - (is_last ? most : 0))};
      const ir::TypeInfo& info = ir::InfoOf(way.from->type);
      if (static_cast<double>(range.least) < info.lowest) range.least = 0;
      if (static_cast<double>(range.most) > info.largest) {
        range.most = static_cast<std::int64_t>(info.largest);
      }
      std::optional<IndexRange>& all = ranges[way.from->array.index()];
      if (all) range = {std::max(all->least, range.least), std::min(all->most, range.most)};
      if (range.least <= range.most) all = range;
    }
  }
  return ranges;
}

bool MayLeaveNumbers(const Expression& e) {
  constexpr double kLittle = 0x1p20;  // Less than a sum may come to.
  const auto is_infinite = [](const Expression::Input& input) {
    return input.is_number() && std::isinf(double{input.number});
  };
  // An inf of the text, but not what a minimum begins with.
  std::vector<bool> begins(e.nodes.size(), false);
  for (const Node& node : e.nodes) {
    // A scan may hand on what it begins with.
    if (node.keeps == ir::Keeps::kBefore) {
      const ir::Number* const begin = e.InitNumber(node);
      if (begin != nullptr && std::isinf(double{*begin})) return true;
    }
    if (node.init >= 0) begins[At(node.init)] = true;
  }
  for (std::size_t i = 0; i < e.nodes.size(); ++i) {
    const Node& node = e.nodes[i];
    const bool leaves = node.op == ir::Op::kLoad && std::isinf(double{node.otherwise});
    if (leaves || (!begins[i] && std::ranges::any_of(node.inputs, is_infinite))) return true;
  }
  return std::ranges::any_of(e.nodes, [&](const Node& node) {
    if (!ir::IsFloat(node.type)) return false;
    if (ir::InfoOf(node.type).largest < kLittle) return true;
    const bool multiplies = node.op == ir::Op::kMul && node.accumulates();
    const bool is_small = node.op == ir::Op::kTanh || node.op == ir::Op::kErf;
    return multiplies || (!ir::InfoOf(node.op).keeps_whole && !is_small);
  });
}

bool CutsFloats(const Expression& e) {
  return std::ranges::any_of(e.nodes, [&](const Node& node) { return CutsFloat(e, node); });
}

std::vector<bool> CutArrays(const Expression& e) {
  std::vector<bool> arrays(e.arrays.size(), false);
  for (std::size_t i = 0; i < e.nodes.size(); ++i) {
    if (!CutsFloat(e, e.nodes[i])) continue;
    ForEachBelow(e, static_cast<int>(i), [&](const Node& below) {
      if (below.op == ir::Op::kLoad) arrays[below.array.index()] = true;
    });
  }
  return arrays;
}

int SumsInARow(const Expression& e) {
  std::vector<int> in_a_row;
  int most = 0;
  for (const Node& node : e.nodes) {
    int own = 0;
    Expression::ForEachValue(node, [&](int read) { own = std::max(own, in_a_row[At(read)]); });
    in_a_row.push_back(own + (node.accumulates() ? 1 : 0));
    if (node.op == ir::Op::kStore) most = std::max(most, own);
  }
  return most;
}

double LongestSum(const Expression& e) {
  double longest = 1;
  for (const Node& node : e.nodes) {
    if (!node.accumulates()) continue;
    auto terms = static_cast<double>(e.Points(node.reduced));
    if (node.along >= 0) terms *= e.axis(node.along).total;
    longest = std::max(longest, terms);
  }
  return longest;
}

double WholeNumberUnit(const Expression& e) {
  return Sizes(e, {}).unit();
}

double ExactLimit(const Expression& e, ir::ArrayId output, const WholeNumbers* plan) {
  double limit = INFINITY;
  const bool may_be_short = plan == nullptr || !Sizes(e, *plan).holds_short_sums();
  for (const int store : e.outputs) {
    if (e.node(store).array != output) continue;
    ForEachBelow(e, store, [&](const Node& node) {
      if (node.op == ir::Op::kStore) return;
      for (const ir::Type type : {node.type, node.computes}) {
        if (ir::IsFloat(type)) limit = std::min(limit, ExactIn(type));
      }
      if (may_be_short && Expression::AddsShort(node))
        limit = std::min(limit, std::ldexp(1, kShortBits));
    });
  }
  return limit;
}

std::vector<WholeNumbers> WholeNumberPlans(const Expression& e) {
  std::vector<WholeNumbers> plans;
  for (const WholeNumbers& plan : AllPlans(e)) {
    const Sizes sizes(e, plan);
    if (sizes.largest() < kMargin && sizes.fits()) plans.push_back(plan);
  }
  plans.push_back({});
  return plans;
}

WholeNumbers LargestIntegers(const Expression& e) {
  // Of what is large, functions like exp say nothing.
  const bool are_small = std::ranges::any_of(
      e.nodes, [](const Node& node) { return ir::InfoOf(node.op).takes == ir::Takes::kFloats; });
  for (int bits = are_small ? 0 : kMostBits; bits > 3; --bits) {
    const std::int64_t range = (std::int64_t{1} << bits) - 1;
    const WholeNumbers plan = {range, range, 0, true};
    if (Sizes(e, plan).fits()) return plan;
  }
  for (const WholeNumbers& plan : AllPlans(e)) {
    if (Sizes(e, plan).fits()) return plan;
  }
  return {};
}

}  // namespace exh::kernels
