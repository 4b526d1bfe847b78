// SPDX-License-Identifier: MIT
//
// Where a value that is written lies: an array for each scalar of its type.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "functional/meaning/program.h"
#include "kernels/ir/index/condition.h"
#include "kernels/ir/index/index.h"

namespace exh::functional {

using kernels::ir::Condition;
using kernels::ir::Index;
using kernels::ir::IndexVariable;

/// A step into a value: an element of an array, a lane of a vector, or a component of a tuple.
struct ValueStep {
  Index index;
  int item = -1;  ///< A component; otherwise an element or a lane.
  friend auto operator<=>(const ValueStep&, const ValueStep&) = default;
};
/// Steps from the outside to the inside; the last one in the vector is the first to be taken.
using Path = std::vector<ValueStep>;

/// Elements of scalars in memory: `name[first + sum of stride * index]`.
struct Leaf {
  std::vector<int> items;  ///< Which components lead to it.
  std::string name;
  MemorySpace space = MemorySpace::kGlobal;
  Index first;
  std::vector<std::int64_t> strides;  ///< Of the steps that are no components, outermost first.
  std::int64_t elements = 1;
};

struct Storage {
  std::vector<Leaf> leaves;
  int kernel = -1;  ///< Of private and local memory: the kernel of the text that has it.
};
using StoragePtr = std::shared_ptr<const Storage>;

/// A scalar in memory.
struct Place {
  const Leaf* leaf = nullptr;
  Index address;
  StoragePtr storage;  ///< Keeps the leaf.
  std::string Text() const { return leaf->name + "[" + address.Text() + "]"; }
  bool operator==(const Place& other) const {
    return leaf->name == other.leaf->name && address == other.address;
  }
};

/// From a path into a value to where it is written.
using Target = std::function<Place(const Path&)>;

Target TargetOf(const StoragePtr& storage);

/// Target of an element of what `target` is for, and of a component.
Target ElementOf(Target target, Index index);
Target ItemOf(Target target, int item);

/// Lengths and other terms as numbers.
using Numbers = std::function<std::int64_t(const Term&)>;

/// The scalars of a type: which components lead to each, and the extents of the arrays around it.
struct ScalarShape {
  std::vector<int> items;
  std::vector<std::int64_t> extents;
  std::string scalar;
};
std::vector<ScalarShape> ScalarsOf(const DataType& type, const Numbers& numbers);

/// For what writes into a view: where an element of the view's input number `input` goes, by where
/// those of the view go. Null: the view shows elements several times, or not all of them.
Target InverseOf(const Node& view, std::size_t input, Target target, const Numbers& numbers);

/// The path into the input of a view, for a path into the view. Not for zip and pad.
Path PathIntoInput(const Node& view, Path path, const Numbers& numbers);

}  // namespace exh::functional
