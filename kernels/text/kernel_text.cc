// SPDX-License-Identifier: MIT
//
// From nodes to statements. A node that several others read, and each sum, is a value with a name;
// all else stands where it is read. Loads always do: the notation reads an array as often as that
// is said, and says itself where one read serves several.
//
// The notation infers types from operands (kernels/notation/typed.h); nodes have them. Where both
// differ a cast is written, so that the text computes what the nodes do.
#include "kernels/text/kernel_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/error.h"
#include "kernels/ir/ops.h"
#include "kernels/notation/syntax/parse.h"
#include "kernels/notation/typed.h"
#include "kernels/notation/words.h"
#include "kernels/text/inline_arrays.h"
#include "kernels/text/join_axes.h"
#include "kernels/text/parts.h"
#include "kernels/text/split_axes.h"
#include "kernels/text/subscripts.h"

namespace exh::kernels::text {
namespace {

using derived::Expression;
using ir::Op;
using ir::Type;
using notation::Typed;
using Node = Expression::Node;
using Place = ir::Affine<int>;

std::size_t At(int i) {
  return static_cast<std::size_t>(i);
}

/// How tightly the outermost operator of a text binds: Kernel.g4.
enum class Level : std::uint8_t { kAny, kOr, kAnd, kNot, kCompare, kSum, kProduct, kFactor, kAtom };

struct Piece {
  std::string text;
  Level level = Level::kAtom;
  Typed typed;
  int depth = 0;  ///< Of operators in one another.
  std::string At(Level least) const { return level < least ? "(" + text + ")" : text; }
};

struct Infix {
  Op op;
  const char* sign;
  Level level, left, right;
};
constexpr Infix kInfix[] = {
    {Op::kAdd, "+", Level::kSum, Level::kSum, Level::kProduct},
    {Op::kSub, "-", Level::kSum, Level::kSum, Level::kProduct},
    {Op::kMul, "*", Level::kProduct, Level::kProduct, Level::kFactor},
    {Op::kDiv, "/", Level::kProduct, Level::kProduct, Level::kFactor},
    {Op::kLess, "<", Level::kCompare, Level::kSum, Level::kSum},
    {Op::kEqual, "==", Level::kCompare, Level::kSum, Level::kSum},
    {Op::kAnd, "and", Level::kAnd, Level::kAnd, Level::kNot},
    {Op::kOr, "or", Level::kOr, Level::kOr, Level::kAnd},
    {Op::kXor, "xor", Level::kOr, Level::kOr, Level::kAnd},
};

/// What has more operators in one another is a value with a name, so that lines can be read.
constexpr int kDeep = 5;

class TextWriter {
 public:
  TextWriter(const Expression& expression, const Shapes& shapes)
      : e_(expression), shapes_(shapes), pieces_(e_.nodes.size()), is_named_(e_.nodes.size()) {}

  std::string Write(const std::string& name, const std::string& doc) {
    for (const std::string& word : notation::CallWords()) names_.insert(word);
    const std::string own = NewName(name, "kernel");
    NameArrays();
    NameAxes();
    ShapeInputs();
    Statements();
    return fmt::format("{}kernel {}\n{}{}{}{}end\n", doc.empty() ? "" : "/// " + doc + "\n", own,
                       SizeLines(), ScalarLines(), fmt::join(arrays_, ""),
                       fmt::join(statements_, ""));
  }

 private:
  // ---- names

  /// A name of the notation that nothing has yet, as near to `wish` as may be.
  std::string NewName(const std::string& wish, const std::string& otherwise) {
    std::string name;
    for (const char c : wish) {
      name += std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' ? c : '_';
    }
    if (name.empty() || std::isdigit(static_cast<unsigned char>(name[0])) != 0) {
      name = otherwise + name;
    }
    if (!notation::IsName(name)) name += "_";
    std::string unique = name;
    for (int i = 2; names_.count(unique) != 0; ++i) unique = fmt::format("{}_{}", name, i);
    names_.insert(unique);
    return unique;
  }

  void NameArrays() {
    std::set<int> used;
    for (const Node& node : e_.nodes) {
      if (node.op == Op::kLoad) used.insert(static_cast<int>(node.array.index()));
    }
    for (const int output : e_.outputs) {
      if (!used.insert(static_cast<int>(e_.node(output).array.index())).second) {
        throw Refused(
            fmt::format("'{}' is an input and an output", e_.array(e_.node(output).array).name));
      }
    }
    for (const int array : used) {
      array_names_[array] = NewName(e_.arrays[At(array)].name, "a");
    }
  }
  const std::string& NameOf(const Node& access) const {
    return array_names_.at(static_cast<int>(access.array.index()));
  }

  /// In the order of the outputs' dimensions, then as they come.
  void NameAxes() {
    axis_names_.resize(e_.axes.size());
    std::vector<bool> is_used(e_.axes.size(), false);
    for (const int output : e_.outputs) {
      for (const int axis : DimensionsOf(e_.node(output))) order_.push_back(axis);
    }
    for (const Node& node : e_.nodes) {
      order_.insert(order_.end(), node.axes.begin(), node.axes.end());
      order_.insert(order_.end(), node.reduced.begin(), node.reduced.end());
    }
    std::vector<int> first;
    for (const int axis : order_) {
      if (is_used[At(axis)]) continue;
      is_used[At(axis)] = true;
      first.push_back(axis);
    }
    order_ = std::move(first);
    constexpr std::string_view kLetters = "ijklmnpqrstuvw";
    for (std::size_t i = 0; i < order_.size(); ++i) {
      const std::string letter(1, kLetters[i % kLetters.size()]);
      axis_names_[At(order_[i])] = NewName(letter, letter);
    }
  }
  const std::string& Index(int axis) const { return axis_names_[At(axis)]; }
  std::vector<int> InOrder(const std::vector<int>& axes) const {
    std::vector<int> sorted;
    for (const int axis : order_) {
      if (std::ranges::find(axes, axis) != axes.end()) sorted.push_back(axis);
    }
    return sorted;
  }
  std::string Indices(const std::vector<int>& axes) const {
    std::vector<std::string> names;
    for (const int axis : axes) names.push_back(Index(axis));
    return fmt::format("{}", fmt::join(names, ", "));
  }
  std::string InBrackets(const std::vector<int>& axes) const {
    return axes.empty() ? "" : "[" + Indices(axes) + "]";
  }

  // ---- arrays

  /// The axes of a store, the outermost first. Throws Refused where it writes a part of its array.
  std::vector<int> DimensionsOf(const Node& store) const {
    auto strides = store.strides;
    std::ranges::sort(strides, {}, [](const auto& of) { return of.second; });
    std::vector<int> axes;
    std::int64_t pitch = 1;
    for (const auto& [axis, stride] : strides) {
      if (stride != pitch) break;
      pitch *= e_.axis(axis).total;
      axes.insert(axes.begin(), axis);
    }
    const ir::Array& array = e_.array(store.array);
    if (axes.size() != strides.size() || store.offset != 0 ||
        static_cast<std::uint64_t>(pitch) != array.elements) {
      throw Refused(fmt::format("'{}' is written in parts", array.name));
    }
    return axes;
  }

  struct Input {
    std::vector<std::int64_t> extents;
    /// What all reads that leave it are outside; nothing: none leaves it.
    std::optional<ir::Number> outside;
    std::vector<std::pair<const Node*, std::vector<Place>>> reads;
  };

  static std::string OutsideText(const Input& input) {
    if (!input.outside) return "";
    return " outside " + (double{*input.outside} == 0 ? "zero" : Number(*input.outside).text);
  }

  void ShapeInputs() {
    for (const auto& [number, name] : array_names_) {
      const ir::Array& array = e_.arrays[At(number)];
      std::vector<const Node*> loads;
      for (const Node& node : e_.nodes) {
        if (node.op == Op::kLoad && At(number) == node.array.index()) loads.push_back(&node);
      }
      if (!loads.empty()) {
        const auto shape = shapes_.find(array.name);
        const std::vector<std::int64_t> flat = {static_cast<std::int64_t>(array.elements)};
        const bool fits = (shape != shapes_.end() && Shape(number, loads, shape->second)) ||
                          Shape(number, loads, flat);
        if (!fits) throw Refused(fmt::format("'{}' is read across its rows", array.name));
        const Input& input = inputs_.at(number);
        arrays_.push_back(fmt::format("  input {}: {}[{}]{}\n", name, ir::WordOf(array.type),
                                      fmt::join(input.extents, ", "), OutsideText(input)));
      }
    }
    for (const int output : e_.outputs) {
      const Node& store = e_.node(output);
      std::vector<std::string> extents;
      for (const int axis : DimensionsOf(store)) {
        extents.push_back(std::to_string(e_.axis(axis).total));
      }
      arrays_.push_back(
          fmt::format("  output {}: {}{}\n", NameOf(store), ir::WordOf(e_.array(store.array).type),
                      extents.empty() ? "" : fmt::format("[{}]", fmt::join(extents, ", "))));
    }
  }

  /// Whether all loads of the input are places in it, if it has this shape.
  bool Shape(int number, const std::vector<const Node*>& loads,
             const std::vector<std::int64_t>& shape) {
    Input input;
    for (const Node* const load : loads) {
      auto places = SubscriptsOf(e_, *load, shape);
      if (!places) return false;
      if (!load->guards.empty()) {
        const bool agrees = !input.outside || ir::AreEqual(*input.outside, load->otherwise);
        input.outside = agrees ? load->otherwise : ir::Number(0);
      }
      input.reads.emplace_back(load, *std::move(places));
    }
    std::vector<std::size_t> kept;  // Dimensions of one element say nothing, unless one is left.
    for (std::size_t i = 0; i < shape.size(); ++i) {
      const bool is_left = std::ranges::any_of(input.reads, [&](const auto& read) {
        return e_.Range(read.second[i]) != std::pair<std::int64_t, std::int64_t>(0, 0);
      });
      if (shape[i] == 1 && !is_left && (!kept.empty() || i + 1 < shape.size())) continue;
      kept.push_back(i);
      input.extents.push_back(shape[i]);
    }
    for (const auto& [load, places] : input.reads) {
      std::vector<Place>& own = subscripts_[load];
      own.clear();
      for (const std::size_t dimension : kept) own.push_back(places[dimension]);
    }
    inputs_[number] = std::move(input);
    return true;
  }

  /// How far an index runs that stands alone in no subscript of a statement.
  std::string SizeLines() const {
    std::string lines;
    for (const int axis : order_) {
      if (is_sized_.count(axis) == 0) continue;
      lines += fmt::format("  size {0} = {1} in {1}..{1}\n", Index(axis), e_.axis(axis).total);
    }
    return lines;
  }

  // ---- statements

  void Statements() {
    std::vector<int> uses(e_.nodes.size(), 0);
    for (const Node& node : e_.nodes) {
      for (const Expression::Input& input : node.inputs) {
        if (!input.is_number()) ++uses[At(input.node)];
      }
      if (node.init >= 0) ++uses[At(node.init)];
    }
    for (std::size_t i = 0; i < e_.nodes.size(); ++i) {
      const Node& node = e_.nodes[i];
      if (node.op == Op::kStore) {
        const std::vector<int> axes = DimensionsOf(node);
        NoteSizes(static_cast<int>(i), {axes.begin(), axes.end()});
        statements_.push_back(fmt::format("  {}{} = {}\n", NameOf(node), InBrackets(axes),
                                          Converting(Of(node.inputs[0]), node.type).text));
        continue;
      }
      Piece piece = TextOf(node);
      const bool is_plain = node.op == Op::kLoad || node.op == Op::kIndex ||
                            (node.op == Op::kConst && node.inputs[0].is_number());
      const bool may_stand = !node.is_reduction() || IsAddedTo(static_cast<int>(i));
      const bool has_one = uses[i] == 1 && may_stand && piece.depth < kDeep;
      const bool is_stored = uses[i] == 1 && IsOnlyStored(static_cast<int>(i));
      if (!is_plain && !has_one && !is_stored && uses[i] > 0) {
        const std::vector<int> axes = InOrder(node.axes);
        NoteSizes(static_cast<int>(i), {});
        is_named_[i] = true;
        const std::string name = NewName(node.name, "t");
        statements_.push_back(fmt::format("  {}{} = {}\n", name, InBrackets(axes), piece.text));
        piece.text = name + InBrackets(axes);
        piece.level = Level::kAtom;
        piece.depth = 0;
      }
      pieces_[i] = std::move(piece);
    }
  }
  /// Of a statement: which of its axes nothing but a size says the extent of. `alone`: those that
  /// something says.
  void NoteSizes(int statement, std::set<int> alone) {
    std::set<int> used;
    std::vector<int> open = {statement};
    std::vector<const Node*> loads;
    while (!open.empty()) {
      const int number = open.back();
      const Node& node = e_.node(number);
      open.pop_back();
      used.insert(node.axes.begin(), node.axes.end());
      used.insert(node.reduced.begin(), node.reduced.end());
      if (node.op == Op::kLoad) loads.push_back(&node);
      if (number != statement && is_named_[At(number)]) {
        alone.insert(node.axes.begin(), node.axes.end());
        continue;
      }
      Expression::ForEachValue(node, [&](int read) { open.push_back(read); });
    }
    // Beside x[i + 1] the notation takes x[i] for no word on how far i runs.
    std::set<std::tuple<std::size_t, std::size_t, int>> moved;
    const auto each = [&](const auto& visit) {
      for (const Node* const load : loads) {
        const std::vector<Place>& places = subscripts_.at(load);
        for (std::size_t i = 0; i < places.size(); ++i) visit(*load, i, places[i]);
      }
    };
    each([&](const Node& load, std::size_t i, const Place& place) {
      if (RunsOver(load, i)) return;
      for (const auto& [axis, _] : place.strides) moved.insert({load.array.index(), i, axis});
    });
    each([&](const Node& load, std::size_t i, const Place& place) {
      if (!RunsOver(load, i)) return;
      const int axis = place.strides[0].first;
      if (moved.count({load.array.index(), i, axis}) == 0) alone.insert(axis);
    });
    for (const int axis : used) {
      if (alone.count(axis) == 0) is_sized_.insert(axis);
    }
  }
  static bool IsAlone(const Place& place) {
    return place.offset == 0 && place.strides.size() == 1 && place.strides[0].second == 1;
  }
  /// Is the subscript an index alone, which runs over all of the dimension?
  bool RunsOver(const Node& load, std::size_t dimension) const {
    const Place& place = subscripts_.at(&load)[dimension];
    if (!IsAlone(place)) return false;
    const Input& input = inputs_.at(static_cast<int>(load.array.index()));
    return e_.axis(place.strides[0].first).total == input.extents[dimension];
  }

  /// A sum that something is added to begins with it.
  bool IsAddedTo(int number) const {
    const Node& sum = e_.node(number);
    const ir::Number* const begin = e_.InitNumber(sum);
    if (ir::CombinedBy(sum.op) != Op::kAdd || begin == nullptr || *begin != 0.0) return false;
    const auto adds = [&](const Node& node) {
      return node.op == Op::kAdd && !node.is_reduction() && node.type == sum.type &&
             std::ranges::count(node.inputs, number, &Expression::Input::node) == 1;
    };
    return std::ranges::any_of(e_.nodes, adds);
  }
  bool IsOnlyStored(int number) const {
    return std::ranges::any_of(
        e_.outputs, [&](int output) { return e_.node(output).inputs[0].node == number; });
  }

  // ---- expressions

  static Piece Number(const ir::Number& number) {
    Piece piece;
    piece.typed.number = number;
    const double value = number;
    if (std::isnan(value)) throw Refused("there is no word for a number that is none (NaN)");
    if (std::isinf(value)) {
      piece.text = value > 0 ? "inf" : "-inf";
    } else if (number.is_whole()) {
      piece.text = std::to_string(number.whole());
    } else if (std::abs(value) < 1e15 && value == std::trunc(value) && !std::signbit(value)) {
      piece.text = fmt::format("{:.0f}", value);
    } else {
      piece.text = fmt::format("{}", value);
    }
    if (piece.text.front() == '-') piece.level = Level::kFactor;
    return piece;
  }

  Piece Of(const Expression::Input& input) {
    if (!input.is_number()) return pieces_[At(input.node)];
    if (input.scalar.empty()) return Number(input.number);
    const auto [found, is_new] = scalar_names_.try_emplace(input.scalar);
    if (is_new) {
      found->second = NewName(input.scalar, "s");
      scalars_.push_back(input);
    }
    return {found->second, Level::kAtom, {input.type, 0, false}};
  }
  std::string ScalarLines() const {
    std::string lines;
    for (const Expression::Input& scalar : scalars_) {
      lines += fmt::format("  scalar {}: {} = {}\n", scalar_names_.at(scalar.scalar),
                           ir::WordOf(scalar.type), Number(scalar.number).text);
    }
    return lines;
  }

  static Piece Cast(const Piece& piece, Type type) {
    if (piece.typed.type == type) return piece;
    return {fmt::format("cast({}, {})", ir::WordOf(type), piece.text),
            Level::kAtom,
            {type, 0, false},
            piece.depth};
  }
  /// What becomes the type without a cast needs none.
  static Piece Converting(const Piece& piece, Type type) {
    return notation::Converts(piece.typed, type) ? piece : Cast(piece, type);
  }

  /// offset + sum of factor * index.
  Piece Sum(const Place& place) const {
    std::string text;
    const auto add = [&](std::int64_t factor, const std::string& index) {
      const std::int64_t size = std::abs(factor);
      if (!text.empty()) {
        text += factor < 0 ? " - " : " + ";
      } else if (factor < 0) {
        text += "-";
      }
      if (index.empty()) {
        text += std::to_string(size);
      } else {
        text += size == 1 ? index : fmt::format("{} * {}", size, index);
      }
    };
    std::size_t terms = place.offset == 0 ? 0 : 1;
    for (const auto& [axis, stride] : place.strides) {
      if (stride == 0) continue;
      add(stride, Index(axis));
      ++terms;
    }
    if (place.offset != 0 || text.empty()) add(place.offset, "");
    const bool is_atom = terms <= 1 && text.find_first_of("-* ") == std::string::npos;
    return {text, is_atom ? Level::kAtom : Level::kSum, {Type::kI32, 0, false}};
  }

  Piece Load(const Node& load) const {
    const std::vector<Place>& places = subscripts_.at(&load);
    std::vector<std::string> texts;
    for (std::size_t i = 0; i < places.size(); ++i) {
      texts.push_back(Sum(places[i]).text);
      // Or else it would run as far as the dimension.
      if (IsAlone(places[i]) && !RunsOver(load, i)) texts.back() += " + 0";
    }
    Piece read{fmt::format("{}[{}]", NameOf(load), fmt::join(texts, ", ")),
               Level::kAtom,
               {e_.array(load.array).type, 0, false}};
    const auto& outside = inputs_.at(static_cast<int>(load.array.index())).outside;
    if (load.guards.empty() || ir::AreEqual(load.otherwise, *outside)) return read;
    // Another read of the array is another number outside.
    std::vector<std::string> inside;
    for (const Expression::Guard& guard : load.guards) {
      const auto [least, most] = e_.Range(guard);
      const std::string index = Sum(guard).At(Level::kSum);
      if (least < 0) inside.push_back(fmt::format("(-1 < {})", index));
      if (most >= guard.extent) inside.push_back(fmt::format("({} < {})", index, guard.extent));
    }
    Piece other = Number(load.otherwise);
    read.text =
        fmt::format("select({}, {}, {})", fmt::join(inside, " and "), read.text, other.text);
    return read;
  }

  Piece TextOf(const Node& node) {
    if (node.op == Op::kLoad) return Load(node);
    if (node.op == Op::kIndex) return Cast(Sum(node), node.type);
    if (node.is_reduction()) return Reduction(node);
    if (node.is_scan()) throw Refused(fmt::format("'{}' is a scan", node.name));
    if (node.op == Op::kConst) return Cast(Of(node.inputs[0]), node.type);
    std::vector<Piece> operands;
    for (const Expression::Input& input : node.inputs) operands.push_back(Of(input));
    return Cast(Computed(node, operands), node.type);
  }

  /// With operands in what the node computes in.
  Piece Computed(const Node& node, std::vector<Piece>& operands) {
    const std::size_t first = node.op == Op::kSelect ? 1 : 0;
    const auto types = [&] {
      std::vector<Typed> typed;
      for (std::size_t i = first; i < operands.size(); ++i) typed.push_back(operands[i].typed);
      return typed;
    };
    const Type computes = ir::ComputeTypeOf(node.computes);
    auto common = notation::CommonOf(types());
    const bool has_type =
        std::ranges::any_of(types(), [](const Typed& typed) { return typed.type.has_value(); });
    const bool is_bool = node.computes == Type::kBool;
    const auto agrees = [&] {
      return common && (is_bool ? *common == Type::kBool
                                : *common != Type::kBool && ir::ComputeTypeOf(*common) == computes);
    };
    if (!agrees() || !has_type) {
      for (std::size_t i = first; i < operands.size(); ++i) {
        const bool is_literal = !operands[i].typed.type.has_value();
        if (!is_literal || !has_type) operands[i] = Cast(operands[i], node.computes);
      }
      common = notation::CommonOf(types());
    }
    EXH_CHECK(common.has_value());
    Piece piece = Applied(node.op, operands);
    for (const Piece& operand : operands) piece.depth = std::max(piece.depth, operand.depth + 1);
    piece.typed = notation::ResultOf(node.op, *common, types());
    return piece;
  }

  static Piece Applied(Op op, const std::vector<Piece>& operands) {
    if (op == Op::kNeg) return {"-" + operands[0].At(Level::kFactor), Level::kFactor, {}};
    if (op == Op::kNot) return {"not " + operands[0].At(Level::kNot), Level::kNot, {}};
    if (op == Op::kMad) {
      return {fmt::format("{} * {} + {}", operands[0].At(Level::kProduct),
                          operands[1].At(Level::kFactor), operands[2].At(Level::kProduct)),
              Level::kSum,
              {}};
    }
    for (const Infix& infix : kInfix) {
      if (infix.op != op) continue;
      return {fmt::format("{} {} {}", operands[0].At(infix.left), infix.sign,
                          operands[1].At(infix.right)),
              infix.level,
              {}};
    }
    std::vector<std::string> texts;
    for (const Piece& operand : operands) texts.push_back(operand.text);
    return {fmt::format("{}({})", ir::InfoOf(op).word, fmt::join(texts, ", ")), Level::kAtom, {}};
  }

  Piece Reduction(const Node& node) {
    std::vector<Piece> inputs;
    for (const Expression::Input& input : node.inputs) {
      inputs.push_back(Of(input));
      // A literal alone has no type.
      if (input.is_number()) inputs.back() = Cast(inputs.back(), node.type);
    }
    const bool is_bool = node.type == Type::kBool;
    const Op op = ir::CombinedBy(node.op);
    const char* const word = op == Op::kAdd   ? "sum"
                             : op == Op::kMul ? "prod"
                             : op == Op::kMax ? (is_bool ? "any" : "max")
                                              : (is_bool ? "all" : "min");
    std::vector<Typed> types;
    for (const Piece& input : inputs) types.push_back(input.typed);
    Type natural = node.type;
    if (const auto common = notation::CommonOf(types)) {
      const Type term = inputs.size() > 1 ? ir::ResultType(Op::kMul, *common) : *common;
      natural = ir::ResultType(op, term);
    }
    std::string body;
    if (inputs.size() > 1) {
      body = inputs[0].At(Level::kAtom) + " * " + inputs[1].At(Level::kFactor);
    } else {
      body = inputs[0].At(Level::kAtom);
    }
    const bool says_type = natural != node.type && !is_bool;
    std::string text =
        fmt::format("{}({}{}) {}", word, Indices(InOrder(node.reduced)),
                    says_type ? fmt::format(": {}", ir::WordOf(node.type)) : "", body);
    const Typed typed{node.type, 0, false};
    const ir::Number* const begin = e_.InitNumber(node);
    if (begin != nullptr && double{*begin} == ir::IdentityOf(op, node.type)) {
      return {text, Level::kProduct, typed};
    }
    Piece init = begin != nullptr ? Number(*begin) : pieces_[At(node.init)];
    if (op == Op::kAdd) {
      return {init.At(Level::kSum) + " + " + text, Level::kSum, typed};
    }
    return Applied(op, {init, {"(" + text + ")", Level::kAtom, typed}});
  }

  const Expression& e_;
  const Shapes& shapes_;
  std::vector<Piece> pieces_;  ///< By node that was written: how it is read.
  std::set<std::string> names_;
  std::map<int, std::string> array_names_;
  std::map<int, Input> inputs_;  ///< By array.
  std::map<const Node*, std::vector<Place>> subscripts_;
  std::vector<int> order_;  ///< Of axes.
  std::vector<std::string> axis_names_;
  std::set<int> is_sized_;      ///< Axes whose extent a size says.
  std::vector<bool> is_named_;  ///< By node: it has a statement.
  std::map<std::string, std::string> scalar_names_;
  std::vector<Expression::Input> scalars_;
  std::vector<std::string> arrays_, statements_;
};

}  // namespace

std::string KernelText(Expression expression, const Shapes& shapes, Title title) {
  SplitAxes(expression);
  Expression inlined = InlineArrays(expression);
  const auto parts = PartsOf(inlined);
  const auto count = static_cast<int>(parts.size());
  if (title.part > count) {
    throw Refused(
        fmt::format("it has {} part{}, and no #{}", count, count == 1 ? "" : "s", title.part));
  }
  if (title.part > 0) {
    const std::vector<int>& outputs = parts[At(title.part - 1)];
    std::erase_if(expression.outputs, [&](int output) {
      return std::ranges::none_of(outputs, [&](int own) {
        return inlined.node(own).array == expression.node(output).array;
      });
    });
    inlined = InlineArrays(expression);
    title.name += fmt::format("_{}", title.part);
  } else if (count > 1) {
    title.doc += fmt::format(
        "{}{} independent parts of different shapes, which no grid of blocks fits alike; as #1 to "
        "#{} they are kernels of their own",
        title.doc.empty() ? "" : "; ", count, count);
  }
  JoinAxes(inlined, shapes);
  return TextWriter(inlined, shapes).Write(title.name, title.doc);
}

}  // namespace exh::kernels::text
