// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "functional/code/lowerer.h"

namespace exh::functional {
namespace {

ReadablePtr ReadableOf(const Node& node, const BindingPtr& variables) {
  auto value = std::make_shared<Readable>();
  value->node = &node;
  value->variables = variables;
  return value;
}

ReadablePtr Element(ReadablePtr array, Index index) {
  auto value = std::make_shared<Readable>();
  value->array = std::move(array);
  value->index = std::move(index);
  return value;
}

ReadablePtr Written(Target target, bool is_accumulator) {
  auto value = std::make_shared<Readable>();
  value->target = std::move(target);
  value->is_accumulator = is_accumulator;
  return value;
}

BindingPtr Bind(const Node& variable, ReadablePtr value, const BindingPtr& outer) {
  return std::make_shared<Binding>(Binding{&variable, std::move(value), outer});
}

/// Where elements of the variable go by where those of `body` go, which is a view of it. Null: it
/// is none that can be written through.
Target Inverse(const Node& body, const Node* variable, Target target, const Numbers& numbers) {
  if (&body == variable) return target;
  if (body.kind == Node::Kind::kView && body.inputs.size() == 1) {
    Target inner = InverseOf(body, 0, std::move(target), numbers);
    return inner == nullptr ? nullptr
                            : Inverse(*body.inputs[0], variable, std::move(inner), numbers);
  }
  if (body.kind != Node::Kind::kMap || body.writes) return nullptr;
  const Node* const inner = body.variables[0].get();
  if (Inverse(*body.body, inner, target, numbers) == nullptr) return nullptr;
  Target of_array = [&body, inner, target, numbers](const Path& path) {
    Path rest = path;
    Index index = std::move(rest.back().index);
    rest.pop_back();
    return Inverse(*body.body, inner, ElementOf(target, std::move(index)), numbers)(rest);
  };
  return Inverse(*body.inputs[0], variable, std::move(of_array), numbers);
}

/// A path to some scalar of the type.
Path AnyPath(const DataType& type) {
  Path path;
  for (const DataType* at = &type; at->kind != DataType::Kind::kScalar;) {
    path.insert(path.begin(), {{}, at->kind == DataType::Kind::kTuple ? 0 : -1});
    if (at->kind == DataType::Kind::kVector) break;
    at = at->items[0].get();
  }
  return path;
}

}  // namespace

void Lowerer::Prepare(const Node& node, const BindingPtr& variables) {
  if (!node.writes || state_.made.contains(&node)) return;
  switch (node.kind) {
    case Node::Kind::kMap:
      if (!node.body->writes) return Prepare(*node.inputs[0], variables);
      return Materialise(node, variables);
    case Node::Kind::kReduce:
    case Node::Kind::kUser:
      return Materialise(node, variables);
    case Node::Kind::kLet:
      Prepare(*node.inputs[0], variables);
      state_.made[node.variables[0].get()] = ReadableOf(*node.inputs[0], variables);
      return Prepare(*node.body, variables);
    default:
      for (const NodePtr& input : node.inputs) Prepare(*input, variables);
  }
}

void Lowerer::Materialise(const Node& node, const BindingPtr& variables) {
  const StoragePtr storage = Allocate(node);
  bool is_shared = false, is_global = false;
  for (const Leaf& leaf : storage->leaves) {
    is_shared |= leaf.space != MemorySpace::kPrivate && IsShared();
    is_global |= leaf.space == MemorySpace::kGlobal;
  }
  const bool by_groups = is_global && IsDividedAmongGroups(node);
  if (by_groups && !loops_.empty()) {
    Refuse(node, "what groups write to global memory is read within one kernel");
  }
  // Others may still read what the iteration before wrote.
  if (is_shared && !loops_.empty()) Wait();
  Write(node, variables, TargetOf(storage));
  if (by_groups) {
    EndText();
    BeginText();
  } else if (is_shared) {
    Wait();
  }
  state_.made[&node] = Written(TargetOf(storage), false);
}

void Lowerer::Write(const Node& node, const BindingPtr& variables, const Target& target) {
  if (!node.writes) return Copy(ReadableOf(node, variables), *node.type, target);
  switch (node.kind) {
    case Node::Kind::kMap:
      return node.body->writes ? WriteMap(node, variables, target)
                               : WriteThroughMap(node, variables, target);
    case Node::Kind::kReduce:
      return WriteReduction(node, variables, target);
    case Node::Kind::kUser:
      return WriteUser(node, variables, target);
    case Node::Kind::kLet:
      return WriteLet(node, variables, target);
    case Node::Kind::kTuple:
      for (std::size_t i = 0; i < node.inputs.size(); ++i) {
        Write(*node.inputs[i], variables, ItemOf(target, static_cast<int>(i)));
      }
      return;
    case Node::Kind::kView:
      return WriteThroughView(node, variables, target);
    default:
      Refuse(node, "a component of what is written is a result: copy it, with 'id'");
  }
}

void Lowerer::WriteLet(const Node& let, const BindingPtr& variables, const Target& target) {
  const Node* const variable = let.variables[0].get();
  if (!let.body->writes) {
    // What it stands for may be written where the view of it goes, at once.
    const Target inner = Inverse(*let.body, variable, target, numbers());
    if (inner != nullptr) return Write(*let.inputs[0], variables, inner);
  }
  Prepare(*let.inputs[0], variables);
  state_.made[variable] = ReadableOf(*let.inputs[0], variables);
  Write(*let.body, variables, target);
}

void Lowerer::WriteThroughView(const Node& view, const BindingPtr& variables,
                               const Target& target) {
  for (std::size_t i = 0; i < view.inputs.size(); ++i) {
    Target inner = InverseOf(view, i, target, numbers());
    if (inner == nullptr) {
      Refuse(view, fmt::format("a result is '{}' of what is written: copy it, with map(id, …)",
                               view.name));
    }
    Write(*view.inputs[i], variables, inner);
  }
}

void Lowerer::WriteThroughMap(const Node& map, const BindingPtr& variables, const Target& target) {
  const Node* const variable = map.variables[0].get();
  if (Inverse(*map.body, variable, target, numbers()) == nullptr) {
    Refuse(map, "a result is a view of what is written: copy it, with map(id, …)");
  }
  const Target inner = [this, &map, variable, target](const Path& path) {
    Path rest = path;
    Index index = std::move(rest.back().index);
    rest.pop_back();
    return Inverse(*map.body, variable, ElementOf(target, std::move(index)), numbers())(rest);
  };
  Write(*map.inputs[0], variables, inner);
}

void Lowerer::WriteMap(const Node& map, const BindingPtr& variables, Target target) {
  std::vector<const Node*> run = {&map};
  std::int64_t total = Number(map.inputs[0]->type->length);
  while (run.back()->body->kind == Node::Kind::kMap && CodeOf(*run.back()->body) == 1) {
    run.push_back(run.back()->body.get());
    total *= Number(run.back()->inputs[0]->type->length);
  }
  Prepare(*map.inputs[0], variables);
  if (CodeOf(map) == 2) return WriteVectors(map, variables, target);
  InLoop(CodeOf(map), total, [&](const Index& iteration) {
    BindingPtr inner = variables;
    Target element = target;
    std::int64_t within = total;
    for (const Node* each : run) {
      const std::int64_t length = Number(each->inputs[0]->type->length);
      within /= length;
      const Index index = iteration.Div(within).Mod(length);
      inner = Bind(*each->variables[0], Element(ReadableOf(*each->inputs[0], inner), index), inner);
      element = ElementOf(element, index);
    }
    Write(*run.back()->body, inner, element);
  });
}

void Lowerer::WriteVectors(const Node& map, const BindingPtr& variables, const Target& target) {
  const Node& body = *map.body;
  const std::int64_t total = Number(map.inputs[0]->type->length);
  if (body.kind != Node::Kind::kUser || body.type->kind != DataType::Kind::kScalar) {
    Refuse(map, "it cannot be vectorised: its function is more than a calculation");
  }
  if (total % Vectors::kLanes != 0) {
    Refuse(map, fmt::format("it cannot be vectorised: {} elements are not a multiple of {}", total,
                            Vectors::kLanes));
  }
  InSequence(total / Vectors::kLanes, [&](const Index& vector) {
    Vectors vectors(NewName("v"));
    vectors_ = &vectors;
    const std::size_t lines = state_.lines.size();
    const auto write_all = [&] {
      for (std::int64_t lane = 0; lane < Vectors::kLanes; ++lane) {
        const Index index = vector * Vectors::kLanes + Index(lane);
        const ReadablePtr element = Element(ReadableOf(*map.inputs[0], variables), index);
        vectors.BeginLane(lane);
        WriteUser(body, Bind(*map.variables[0], element, variables), ElementOf(target, index));
      }
    };
    write_all();
    if (state_.lines.size() != lines) {
      Refuse(map, "it cannot be vectorised: its function writes memory of its own");
    }
    const std::string why_not = vectors.Plan();
    if (!why_not.empty()) Refuse(map, "it cannot be vectorised: " + why_not);
    write_all();
    vectors_ = nullptr;
    std::vector<std::string> owners;
    AddOwners(owners);
    for (const std::string& line : vectors.Text(guards_, owners)) Line(line);
  });
}

void Lowerer::WriteReduction(const Node& reduce, const BindingPtr& variables,
                             const Target& target) {
  Prepare(*reduce.inputs[1], variables);
  Write(*reduce.inputs[0], variables, target);
  const bool is_private = target(AnyPath(*reduce.type)).leaf->space == MemorySpace::kPrivate;
  if (!is_private) Wait();
  const Node& so_far = *reduce.variables[0];
  const auto sum_up = [&](const std::function<void(const BindingPtr&)>& step) {
    InLoop(0, Number(reduce.inputs[1]->type->length), [&](const Index& index) {
      const ReadablePtr element = Element(ReadableOf(*reduce.inputs[1], variables), index);
      step(Bind(*reduce.variables[1], element, variables));
    });
  };
  accumulators_.push_back({&so_far, false});
  state_.made[&so_far] = Written(target, true);
  const State before = state_;
  sum_up([&](const BindingPtr& inner) { Write(*reduce.body, inner, target); });
  if (accumulators_.back().is_read_elsewhere) {
    // Its elements are still needed when they are replaced.
    if (!is_private) Refuse(reduce, "a reduction replaces in shared memory what it still reads");
    state_ = before;
    sum_up([&](const BindingPtr& inner) {
      const StoragePtr next = Allocate(reduce);
      Write(*reduce.body, inner, TargetOf(next));
      Copy(Written(TargetOf(next), false), *reduce.type, target);
    });
  }
  accumulators_.pop_back();
}

void Lowerer::PrepareOperands(const Node& user, const BindingPtr& variables) {
  for (const NodePtr& input : user.inputs) {
    input->kind == Node::Kind::kUser ? PrepareOperands(*input, variables)
                                     : Prepare(*input, variables);
  }
}

void Lowerer::WriteUser(const Node& user, const BindingPtr& variables, const Target& target) {
  PrepareOperands(user, variables);
  const bool is_vector = user.type->kind == DataType::Kind::kVector;
  const std::int64_t lanes = is_vector ? Number(user.type->length) : 1;
  for (std::int64_t lane = 0; lane < lanes; ++lane) {
    const Path path = is_vector ? Path{{Index(lane), -1}} : Path{};
    const Place place = target(path);
    stored_ = place;
    Store(place, Calculated(user, variables, path));
    stored_.reset();
  }
}

void Lowerer::Copy(const ReadablePtr& value, const DataType& type, const Target& target,
                   Path path) {
  switch (type.kind) {
    case DataType::Kind::kScalar: {
      Path steps(path.rbegin(), path.rend());
      const Place place = target(steps);
      Store(place, Read(value, steps));
      return;
    }
    case DataType::Kind::kTuple:
      for (std::size_t i = 0; i < type.items.size(); ++i) {
        path.push_back({{}, static_cast<int>(i)});
        Copy(value, *type.items[i], target, path);
        path.pop_back();
      }
      return;
    case DataType::Kind::kVector:
    case DataType::Kind::kArray:
      InLoop(0, Number(type.length), [&](const Index& index) {
        DataType scalar;
        scalar.scalar = type.scalar;
        Path inner = path;
        inner.push_back({index, -1});
        Copy(value, type.kind == DataType::Kind::kArray ? *type.items[0] : scalar, target, inner);
      });
  }
}

void Lowerer::Store(const Place& place, const std::string& value) {
  const std::vector<Place> read = std::exchange(read_, {});
  std::vector<std::string> guards;
  if (place.leaf->space == MemorySpace::kPrivate) NotePrivate(place);
  CountAccess(place, true);
  if (vectors_ != nullptr) return vectors_->Write(place, value);
  if (place.leaf->space != MemorySpace::kPrivate) {
    guards = guards_;
    // What is replaced by what it was, only one of the threads that share it may replace.
    if (std::ranges::find(read, place) != read.end()) AddOwners(guards);
  }
  const std::string store = fmt::format("{} = {};", place.Text(), value);
  Line(guards.empty() ? store : fmt::format("if ({}) {}", fmt::join(guards, " && "), store));
}

}  // namespace exh::functional
