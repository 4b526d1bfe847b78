// SPDX-License-Identifier: MIT
//
// Two steps. The first finds which axes are the same: an array that is stored at t[8 * i + j] and
// loaded at t[8 * k + l] makes i and k one axis, and j and l, as long as no statement then has one
// axis in two places, as that of t[i] * t[j] would. Such loads are *plain*.
//
// The second walks from the outputs to what they read, with an index for each axis (Places). At a
// plain load these go on as they are. At any other the digits of the element's number are the
// indices of the store's axes: of t stored at 8 * i + j and loaded at 8 * (k + 1) + l, i is k + 1.
// Index keeps sums in one form, so of tiles that are joined again no quotient is left.
//
// Invariants. The same node at the same places is one node (known_). An axis that is not in Places
// is itself. The axes of a sum that is computed at other places than its own are new ones.
#include "kernels/text/inline_arrays.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

#include "base/error.h"
#include "kernels/derived/expression_builder.h"

namespace exh::kernels::text {
namespace {

using derived::Expression;
using derived::ExpressionBuilder;
using ir::Index;
using ir::Op;
using Node = Expression::Node;
using Value = Expression::Input;

std::size_t At(int i) {
  return static_cast<std::size_t>(i);
}

// ---- Which axes are the same --------------------------------------------------------------------

class SameAxes {
 public:
  explicit SameAxes(const Expression& expression)
      : expression_(expression),
        same_(expression.axes.size()),
        is_plain_(expression.nodes.size(), false) {
    std::iota(same_.begin(), same_.end(), 0);
    for (std::size_t i = 0; i < expression.nodes.size(); ++i) {
      const Node& load = expression.nodes[i];
      if (load.op == Op::kLoad && load.store >= 0) {
        is_plain_[i] =
            load.index < 0 && load.guards.empty() && Join(load, expression.node(load.store));
      }
    }
    // Outputs of one shape have the same axes, too, as a person would write them.
    for (const int output : expression.outputs) {
      for (const int other : expression.outputs) {
        if (other != output && Join(expression.node(output), expression.node(other))) break;
      }
    }
  }

  int Of(int axis) const {
    while (same_[At(axis)] != axis) axis = same_[At(axis)];
    return axis;
  }
  bool IsPlain(int load) const { return is_plain_[At(load)]; }

 private:
  /// Whether both walk elements in the same steps, and their axes may be the same: then they are.
  bool Join(const ir::Affine<int>& place, const ir::Affine<int>& store) {
    if (place.offset != store.offset || place.strides.size() != store.strides.size()) return false;
    const std::vector<int> before = same_;
    for (const auto& [axis, stride] : place.strides) {
      const auto own =
          std::ranges::find(store.strides, stride, [](const auto& of) { return of.second; });
      if (own == store.strides.end() ||
          expression_.axis(own->first).total != expression_.axis(axis).total) {
        same_ = before;
        return false;
      }
      const int one = Of(axis), other = Of(own->first);
      same_[At(std::max(one, other))] = std::min(one, other);
    }
    const auto has_twice = [this](const Node& node) {
      std::set<int> seen;
      const auto is_new = [&](int axis) { return seen.insert(Of(axis)).second; };
      return !std::ranges::all_of(node.axes, is_new) || !std::ranges::all_of(node.reduced, is_new);
    };
    if (std::ranges::none_of(expression_.nodes, has_twice)) return true;
    same_ = before;
    return false;
  }

  const Expression& expression_;
  std::vector<int> same_;       ///< By axis.
  std::vector<bool> is_plain_;  ///< By node.
};

// ---- Values where they are used -----------------------------------------------------------------

class Inliner {
 public:
  explicit Inliner(const Expression& expression)
      : expression_(expression), same_(expression), out_(expression.arrays) {
    axes_.resize(expression.axes.size());
    for (std::size_t i = 0; i < axes_.size(); ++i) {
      const int axis = same_.Of(static_cast<int>(i));
      if (At(axis) < i) continue;
      axes_[i].index = out_.NewAxes({expression.axes[i].total}, axes_[i].numbers);
    }
  }

  Expression Take() {
    for (const int output : expression_.outputs) {
      const Node& store = expression_.node(output);
      const Value value = Of(store.inputs[0], {});
      NameAfter(store, value);
      out_.Store(store.array, value, IndexOf(store, {}), true);
    }
    return out_.Take();
  }

 private:
  /// Where an axis of the old expression is: by its representative.
  using Places = std::map<int, Index>;
  struct NewAxis {
    Index index;
    std::vector<int> numbers;  ///< One axis, or none where it has a single step.
  };

  Index PlaceOf(int axis, const Places& places) const {
    const int of = same_.Of(axis);
    const auto found = places.find(of);
    return found == places.end() ? axes_[At(of)].index : found->second;
  }
  Index IndexOf(const ir::Affine<int>& affine, const Places& places) const {
    Index index(affine.offset);
    for (const auto& [axis, stride] : affine.strides) {
      index = index + PlaceOf(axis, places) * stride;
    }
    return index;
  }
  /// What `node` asks of the places.
  Places PlacesFor(const Node& node, const Places& places) const {
    Places own;
    for (const int axis : node.axes) {
      const auto found = places.find(same_.Of(axis));
      if (found != places.end()) own.insert(*found);
    }
    return own;
  }

  Value Of(const Value& input, const Places& places) {
    return input.is_number() ? input : Of(input.node, places);
  }
  Value Of(int number, const Places& places) {
    Places own = PlacesFor(expression_.node(number), places);
    const auto found = known_.find({number, own});
    if (found != known_.end()) return found->second;
    const Value value = Find(number, own);
    known_.emplace(std::pair(number, std::move(own)), value);
    return value;
  }

  Value Find(int number, const Places& places) {
    const Node& node = expression_.node(number);
    if (node.op == Op::kLoad) return node.store < 0 ? Input(node, places) : Stored(number, places);
    if (node.op == Op::kIndex) return out_.Whole(IndexOf(node, places), node.type);
    if (node.is_reduction()) return Reduced(node, places);
    if (node.is_scan()) throw Refused(fmt::format("'{}' is a scan", node.name));
    std::vector<Value> inputs;
    for (const Value& input : node.inputs) inputs.push_back(Of(input, places));
    return out_.Computed(node.op, std::move(inputs), node.type, node.computes);
  }

  [[noreturn]] void Refuse(const Node& load, const std::string& why) const {
    throw Refused(fmt::format("'{}' is read {}", expression_.array(load.array).name, why));
  }
  /// Of multiples of axes, and of such sums that something else keeps within an array.
  static bool IsSum(const Index& index) {
    return std::ranges::all_of(index.terms(), [](const Index::Term& term) {
      const ir::IndexAtom& atom = *term.atom;
      return atom.kind == ir::IndexAtom::Kind::kVariable ||
             (atom.kind == ir::IndexAtom::Kind::kWithin && IsSum(atom.of));
    });
  }
  /// Of an element whose number is computed.
  std::string WhereItSays(const Node& load) const {
    const Node* of = &expression_.node(load.index);
    while (of->op != Op::kDiv && !of->inputs.empty() && !of->inputs[0].is_number()) {
      of = &expression_.node(of->inputs[0].node);
    }
    if (of->op != Op::kDiv || !of->inputs[1].is_number()) return "at an element that is computed";
    return fmt::format("at a quotient, of a division by {}", double{of->inputs[1].number});
  }
  Index Sum(const Node& load, const Index& index) const {
    if (!IsSum(index)) {
      Refuse(load, "at a place that is no sum of multiples of indices: " + index.Text());
    }
    return index;
  }

  Value Guarded(const Node& load, Value value, const Places& places) {
    for (const Expression::Guard& guard : load.guards) {
      value = out_.Guarded(value, Sum(load, IndexOf(guard, places)), guard.extent, load.otherwise);
    }
    return value;
  }

  Value Input(const Node& load, const Places& places) {
    if (load.index >= 0) Refuse(load, WhereItSays(load));
    Value value = out_.Loaded(load.array, -1, Sum(load, IndexOf(load, places)), true);
    // What something else keeps within an array is read there, too, and must not leave it.
    for (const auto& [_, place] : places) value = KeptWithin(load, value, place);
    return Guarded(load, value, places);
  }
  Value KeptWithin(const Node& load, Value value, const Index& place) {
    for (const Index::Term& term : place.terms()) {
      const ir::IndexAtom& atom = *term.atom;
      if (atom.kind != ir::IndexAtom::Kind::kWithin) continue;
      value = KeptWithin(load, out_.Guarded(value, Sum(load, atom.of), atom.by, 0), atom.of);
    }
    return value;
  }

  Value Stored(int number, const Places& places) {
    const Node& load = expression_.node(number);
    const Node& store = expression_.node(load.store);
    if (same_.IsPlain(number)) {
      const Value value = Converted(Of(store.inputs[0], places), store);
      NameAfter(store, value);
      return value;
    }
    if (load.index >= 0) Refuse(load, WhereItSays(load));
    Index element = IndexOf(load, places) - Index(store.offset);
    for (const Expression::Guard& guard : load.guards) {
      // Of the dimension, within it.
      const Index of = IndexOf(guard, places);
      const std::int64_t pitch = PitchOf(load, guard);
      element = element - of * pitch + of.Within(guard.extent) * pitch;
    }
    Places inside;
    for (const auto& [axis, stride] : store.strides) {
      if (element.min() < 0) Refuse(load, "outside of what was computed");
      inside[same_.Of(axis)] = element.Div(stride).Mod(expression_.axis(axis).total);
    }
    return Guarded(load, Converted(Of(store.inputs[0], inside), store), places);
  }
  /// How far a step of the guarded dimension moves the element.
  std::int64_t PitchOf(const Node& load, const Expression::Guard& guard) const {
    for (const auto& [axis, stride] : guard.strides) {
      const std::int64_t moves = load.StrideOf(axis);
      if (moves % stride == 0 && moves != 0) return moves / stride;
    }
    Refuse(load, "outside of what was computed");
  }

  Value Converted(const Value& value, const Node& store) {
    if (value.is_number()) {
      Value number = value;
      number.number = derived::Converted(store.type, value.number);
      number.type = store.type;
      return number;
    }
    if (value.type == store.type) return value;
    return out_.Computed(Op::kConst, {value}, store.type, store.type);
  }

  Value Reduced(const Node& node, const Places& places) {
    Places within = places;
    std::vector<int> reduced;
    for (const int axis : node.reduced) {
      const int of = same_.Of(axis);
      if (places.empty()) {
        reduced.insert(reduced.end(), axes_[At(of)].numbers.begin(), axes_[At(of)].numbers.end());
      } else {
        within[of] = out_.NewAxes({expression_.axis(axis).total}, reduced);
      }
    }
    std::vector<Value> inputs;
    for (const Value& input : node.inputs) inputs.push_back(Of(input, within));
    const Op op = ir::Op::kMad == node.op ? Op::kAdd : node.op;
    const Value term = node.op == Op::kMad
                           ? out_.Computed(Op::kMul, std::move(inputs), node.type, node.computes)
                           : inputs[0];
    const ir::Number* const number = expression_.InitNumber(node);
    const Value init =
        number != nullptr ? Value{-1, *number, "", node.type} : Of(node.init, places);
    if (reduced.empty()) return out_.Computed(op, {init, term}, node.type, node.type);
    return out_.Gathered(op, term, std::move(reduced), init, node.type);
  }

  void NameAfter(const Node& store, const Value& value) {
    if (!value.is_number()) out_.Name(value.node, expression_.array(store.array).name);
  }

  const Expression& expression_;
  const SameAxes same_;
  ExpressionBuilder out_;
  std::vector<NewAxis> axes_;  ///< By representative.
  std::map<std::pair<int, Places>, Value> known_;
};

}  // namespace

Expression InlineArrays(const Expression& expression) {
  return Inliner(expression).Take();
}

}  // namespace exh::kernels::text
