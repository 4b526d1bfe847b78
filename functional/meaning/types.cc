// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>

#include "base/check.h"
#include "functional/meaning/program.h"

namespace exh::functional {

std::string TextOf(const DataType& type, const Terms& terms) {
  const auto length = [&] {
    const std::string text = terms.Text(type.length);
    return text.find(' ') == std::string::npos ? text : "(" + text + ")";
  };
  switch (type.kind) {
    case DataType::Kind::kScalar:
      return type.scalar;
    case DataType::Kind::kVector:
      return fmt::format("vector({}, {})", type.scalar, terms.Text(type.length));
    case DataType::Kind::kArray:
      return fmt::format("[{}]{}", TextOf(*type.items[0], terms), length());
    case DataType::Kind::kTuple:
      break;
  }
  std::string text;
  for (const TypePtr& item : type.items) text += (text.empty() ? "" : ", ") + TextOf(*item, terms);
  return "(" + text + ")";
}

Term BytesOf(const DataType& type, Terms& terms) {
  constexpr int kBytes = 4;
  switch (type.kind) {
    case DataType::Kind::kScalar:
      return Terms::Number(kBytes);
    case DataType::Kind::kVector:
      return terms.Multiply(Terms::Number(kBytes), type.length);
    case DataType::Kind::kArray:
      return terms.Multiply(BytesOf(*type.items[0], terms), type.length);
    case DataType::Kind::kTuple:
      break;
  }
  Term sum = Terms::Number(0);
  for (const TypePtr& item : type.items) sum = terms.Add(sum, BytesOf(*item, terms));
  return sum;
}

const char* WordOf(MemorySpace space) {
  switch (space) {
    case MemorySpace::kGlobal:
      return "global";
    case MemorySpace::kLocal:
      return "local";
    case MemorySpace::kPrivate:
      return "private";
  }
  EXH_UNREACHABLE();
}

bool Spaces::Has(MemorySpace which) const {
  if (items.empty()) return space == which;
  return std::ranges::any_of(items, [&](const Spaces& item) { return item.Has(which); });
}

std::optional<MemorySpace> Spaces::Only() const {
  if (items.empty()) return space;
  const auto first = items.front().Only();
  for (const Spaces& item : items) {
    if (item.Only() != first) return std::nullopt;
  }
  return first;
}

std::map<std::string, const Node*> InputsOf(const Program& program) {
  std::map<std::string, const Node*> inputs;
  std::set<const Node*> seen;
  const auto add = [&](const auto& self, const Node& node) -> void {
    if (!seen.insert(&node).second) return;
    if (node.kind == Node::Kind::kInput) inputs.emplace(node.name, &node);
    for (const NodePtr& input : node.inputs) self(self, *input);
    if (node.body != nullptr) self(self, *node.body);
  };
  for (const ProgramKernel& kernel : program.kernels) add(add, *kernel.result);
  for (const ProgramKernel& kernel : program.kernels) inputs.erase(kernel.name);
  return inputs;
}

}  // namespace exh::functional
