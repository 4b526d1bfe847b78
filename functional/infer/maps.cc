// SPDX-License-Identifier: MIT
#include "functional/infer/maps.h"

#include <algorithm>
#include <set>

namespace exh::functional {
namespace {

class Finder {
 public:
  void Visit(const Node& node, std::optional<std::size_t> parent, const Node* outer) {
    if (!node.writes || !seen_.insert(&node).second) return;
    for (const NodePtr& input : node.inputs) Visit(*input, parent, outer);
    if (node.kind == Node::Kind::kMap && node.body->writes) {
      const std::size_t index = maps_.size();
      Add(node, parent, outer);
      Visit(*node.body, index, &node);
    } else if (node.body != nullptr) {
      Visit(*node.body, parent, outer);
    }
  }

  std::vector<ConcreteMap> Take() {
    NameAll();
    return std::move(maps_);
  }

 private:
  void Add(const Node& node, std::optional<std::size_t> parent, const Node* outer) {
    ConcreteMap map;
    map.name = node.name;
    map.parent = parent;
    const Node& argument = *node.inputs[0];
    map.may_fuse = outer != nullptr && outer->body.get() == &node && !argument.writes;
    map.is_perfect = map.may_fuse && &argument == outer->variables[0].get();
    map.is_private =
        node.spaces.Has(MemorySpace::kPrivate) || argument.spaces.Has(MemorySpace::kPrivate);
    map.is_local = node.spaces.Has(MemorySpace::kLocal) || argument.spaces.Has(MemorySpace::kLocal);
    map.code = node.code;
    map.node = &node;
    maps_.push_back(std::move(map));
  }

  /// A function with maps in it may be used several times: names get numbers then.
  void NameAll() {
    std::set<std::string> taken;
    for (std::size_t i = 0; i < maps_.size(); ++i) {
      std::string& name = maps_[i].name;
      if (name.empty()) name = "map" + std::to_string(i + 1);
      const std::string first = name;
      for (int count = 2; !taken.insert(name).second; ++count) {
        name = first + "_" + std::to_string(count);
      }
    }
  }

  std::set<const Node*> seen_;
  std::vector<ConcreteMap> maps_;
};

}  // namespace

std::vector<ConcreteMap> MapsOf(const ProgramKernel& kernel) {
  Finder finder;
  finder.Visit(*kernel.result, std::nullopt, nullptr);
  return finder.Take();
}

}  // namespace exh::functional
