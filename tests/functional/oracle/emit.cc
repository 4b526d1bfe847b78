// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "base/check.h"
#include "base/error.h"
#include "tests/functional/oracle/compile.h"

namespace exh::functional::reference {

Step& Compiler::Emit(Step::Kind kind) {
  Step& step = levels_.back()->body.emplace_back();
  step.kind = kind;
  return step;
}

void Compiler::EmitCopy(const Value& to, const Value& from) {
  EXH_CHECK(to.size() == from.size());
  for (std::size_t i = 0; i < to.size(); ++i) {
    if (ShapeOf(to[i]) != ShapeOf(from[i])) Fail("what is copied has another length");
    Emit(Step::Kind::kCopy).copy = std::make_unique<Copy>(Copy{to[i], from[i]});
  }
}

int Compiler::LevelOf(const Value& value) const {
  int level = 0;
  for (const Part& part : value) {
    level = std::max(level, slot_levels_[static_cast<std::size_t>(part.slot)]);
  }
  return level;
}

void Compiler::SetLevel(const Value& value, int level) {
  for (const Part& part : value) slot_levels_[static_cast<std::size_t>(part.slot)] = level;
}

Value Compiler::FreeIn(const Node& node) const {
  Value all;
  std::unordered_set<const Node*> seen;
  std::vector<const Node*> open = {&node};
  while (!open.empty()) {
    const Node& next = *open.back();
    open.pop_back();
    if (!seen.insert(&next).second) continue;
    const auto found = bound_.find(&next);
    if (found != bound_.end()) {
      all.insert(all.end(), found->second.begin(), found->second.end());
    }
    for (const NodePtr& input : next.inputs) open.push_back(input.get());
    if (next.body != nullptr) open.push_back(next.body.get());
  }
  return all;
}

int Compiler::NewSlot() {
  slot_levels_.push_back(Level());
  return code_.slots++;
}

Value Compiler::NewMemory(const std::vector<Shape>& shapes) {
  Value value;
  for (const Shape& shape : shapes) {
    Part part;
    part.slot = NewSlot();
    part.dims = Contiguous(shape);
    levels_.back()->buffers.push_back({part.slot, CellsOf(shape)});
    value.push_back(std::move(part));
  }
  return value;
}

Value Compiler::Copied(const Value& value) {
  if (IsMoving(value)) throw NoLayout{};
  std::vector<Shape> shapes;
  for (const Part& part : value) shapes.push_back(ShapeOf(part));
  Value to;
  Outside(LevelOf(value), [&] {
    to = NewMemory(shapes);
    EmitCopy(to, value);
  });
  return to;
}

Value Compiler::ElementOf(const Value& array, Loop& loop) {
  if (IsMoving(array)) throw NoLayout{};
  Value element = array;
  for (Part& part : element) {
    const Dim dim = std::move(part.dims.front());
    part.dims.erase(part.dims.begin());
    // All elements are the same one.
    if (dim.places == nullptr && dim.stride == 0) continue;
    const int slot = NewSlot();
    loop.walks.push_back({slot, part.slot, part.offset, dim});
    part.slot = slot;
    part.offset = 0;
  }
  return element;
}

void Compiler::Fail(const std::string& message) const {
  throw Error(fmt::format("kernel '{}': {}", kernel_, message));
}

}  // namespace exh::functional::reference
