// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "functional/code/lowerer.h"

namespace exh::functional {
namespace {

constexpr std::int64_t kFloatBytes = 4, kAlignment = 16;

std::int64_t Aligned(std::int64_t bytes) {
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

MemorySpace SpaceOf(const Spaces& spaces, const std::vector<int>& items) {
  const Spaces* at = &spaces;
  for (const int item : items) {
    if (at->items.empty()) break;
    at = &at->items[static_cast<std::size_t>(item)];
  }
  return at->space;
}

}  // namespace

StoragePtr Lowerer::Allocate(const Node& node) {
  auto storage = std::make_shared<Storage>();
  for (const ScalarShape& shape : ScalarsOf(*node.type, numbers())) {
    storage->leaves.push_back(Allocated(SpaceOf(node.spaces, shape.items), shape, node));
    if (storage->leaves.back().space != MemorySpace::kGlobal) storage->kernel = kernel_;
  }
  return storage;
}

Leaf Lowerer::Allocated(MemorySpace space, const ScalarShape& shape, const Node& node) {
  if (shape.scalar != "float") {
    Refuse(node, fmt::format("values of type '{}' are not run yet, only 'float'", shape.scalar));
  }
  Leaf leaf = LeafOf(shape, NewName("t"), space);
  if (space == MemorySpace::kPrivate) {
    if (leaf.elements > limits_.private_floats) {
      Refuse(node, fmt::format("an array of {} numbers of one thread; {} are possible",
                               leaf.elements, limits_.private_floats));
    }
    Line(fmt::format("float {}[{}];", leaf.name, leaf.elements));
    state_.work.private_floats += static_cast<double>(leaf.elements);
    return leaf;
  }
  // Once for each thread that would use it beside others. Of local memory each group has its own.
  std::int64_t copies = 1;
  for (const Loop& loop : loops_) {
    if (loop.code < 10 || (space == MemorySpace::kLocal && loop.code / 10 == 2)) continue;
    const std::int64_t extent =
        space == MemorySpace::kLocal ? threads_[loop.code % 10] : loop.total;
    if (extent == 1) continue;
    leaf.first =
        leaf.first + (space == MemorySpace::kLocal ? loop.thread : IndexOf(loop.variable)) *
                         (leaf.elements * copies);
    copies *= extent;
    if (copies > (std::int64_t{1} << 40)) break;
  }
  const std::int64_t bytes = Aligned(leaf.elements * copies * kFloatBytes);
  std::int64_t& used = space == MemorySpace::kLocal ? state_.local_bytes : state_.global_bytes;
  const std::int64_t most =
      space == MemorySpace::kLocal ? limits_.local_bytes : limits_.global_bytes;
  if (leaf.elements * copies > (std::int64_t{1} << 31) || used + bytes > most) {
    Refuse(node, fmt::format("{} bytes of {} memory; {} are possible", used + bytes, WordOf(space),
                             most));
  }
  const std::string pointer =
      fmt::format("float* const {} = reinterpret_cast<float*>({}) + {};", leaf.name,
                  space == MemorySpace::kLocal ? "exh_shared" : "exh_global", used / kFloatBytes);
  // A later kernel of the text may read global memory.
  space == MemorySpace::kLocal ? Line(pointer)
                               : static_cast<void>(globals_.emplace_back(leaf.name, pointer));
  used += bytes;
  return leaf;
}

Leaf Lowerer::LeafOf(const ScalarShape& shape, std::string name, MemorySpace space) {
  Leaf leaf;
  leaf.items = shape.items;
  leaf.name = std::move(name);
  leaf.space = space;
  leaf.strides.resize(shape.extents.size());
  for (std::size_t i = shape.extents.size(); i-- > 0;) {
    leaf.strides[i] = leaf.elements;
    leaf.elements *= shape.extents[i];
  }
  return leaf;
}

bool Lowerer::IsShared() const {
  for (int dimension = 0; dimension < 3; ++dimension) {
    if (threads_[dimension] > 1 && !IsDivided(dimension, {1, 3})) return true;
  }
  return false;
}

bool Lowerer::IsDivided(int dimension, std::initializer_list<int> levels) const {
  return std::ranges::any_of(loops_, [&](const Loop& loop) {
    return loop.code >= 10 && loop.code % 10 == dimension &&
           std::ranges::find(levels, loop.code / 10) != levels.end();
  });
}

void Lowerer::AddOwners(std::vector<std::string>& guards) const {
  for (int dimension = 0; dimension < 3; ++dimension) {
    if (threads_[dimension] > 1 && !IsDivided(dimension, {1, 3})) {
      guards.push_back(ThreadName(dimension) + " == 0");
    }
    if (groups_[dimension] > 1 && !IsDivided(dimension, {2, 3})) {
      guards.push_back(GroupName(dimension) + " == 0");
    }
  }
}

void Lowerer::NotePrivate(const Place& place) {
  for (const Loop& loop : loops_) {
    if (place.address.Uses(loop.variable.number)) {
      state_.indexes_private.insert(loop.variable.number);
    }
  }
}

void Lowerer::Wait() {
  if (threads_[0] * threads_[1] * threads_[2] == 1) return;
  has_waited_ = true;
  const std::string wait = "__syncthreads();";
  if (!state_.lines.empty() && state_.lines.back().ends_with(wait)) return;
  Line(wait);
  state_.work.barriers += TimesOf(LoopsAround());
}

bool Lowerer::IsDividedAmongGroups(const Node& node) const {
  if (node.kind == Node::Kind::kMap && node.body->writes) {
    const int code = CodeOf(node);
    if (code >= 20 && groups_[code % 10] > 1) return true;
  }
  const auto is_divided = [&](const NodePtr& each) {
    return each != nullptr && each->writes && IsDividedAmongGroups(*each);
  };
  return std::ranges::any_of(node.inputs, is_divided) || is_divided(node.body);
}

}  // namespace exh::functional
