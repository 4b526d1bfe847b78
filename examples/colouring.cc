// SPDX-License-Identifier: MIT
#include "examples/colouring.h"

#include <algorithm>

#include "base/data_file.h"
#include "base/error.h"
#include "base/spelling.h"
#include "examples/all.h"
#include "spaces/colouring.exh.h"

namespace exh::examples {
namespace {

/// The map that textbooks colour.
constexpr const char* kAustralia = R"({
  "vertices": ["WA", "NT", "SA", "Q", "NSW", "V", "T"],
  "edges": [["WA", "NT"], ["WA", "SA"], ["NT", "SA"], ["NT", "Q"], ["SA", "Q"], ["SA", "NSW"],
            ["SA", "V"], ["Q", "NSW"], ["NSW", "V"]]
})";

Graph ReadGraph(const std::string& text) {
  const nlohmann::json json = ParseData(text);
  const DataValue file{json, ""};
  CheckKeys(file, {"vertices", "edges"});
  Graph graph;
  std::vector<std::string> names;
  for (const DataValue& value : ListOf(At(file, "vertices"), 1, 1000)) {
    std::string name = NameOf(value);
    if (std::ranges::find(names, name) != names.end()) {
      throw Error("'" + value.place + "': there are two vertices '" + name + "'");
    }
    names.push_back(name);
    graph.vertices.push_back({graph.vertices.size(), std::move(name), {}});
  }
  for (const DataValue& value : ListOf(At(file, "edges"), 0, 1'000'000)) {
    std::vector<std::size_t> ends;
    for (const DataValue& end : ListOf(value, 2, 2)) {
      const std::string name = NameOf(end);
      const auto found = std::ranges::find(names, name);
      if (found == names.end()) {
        throw Error("'" + end.place + "': " + UnknownName("vertex", name, names));
      }
      ends.push_back(static_cast<std::size_t>(found - names.begin()));
    }
    if (ends[0] == ends[1]) {
      throw Error("'" + value.place + "': an edge joins two vertices, not one with itself");
    }
    graph.vertices[ends[0]].neighbours.insert(ends[1]);
    graph.vertices[ends[1]].neighbours.insert(ends[0]);
  }
  return graph;
}

class Colouring final : public Example {
 public:
  std::string_view name() const override { return "colouring"; }
  std::string_view summary() const override {
    return "colours for the vertices of a graph, different ones for neighbours";
  }
  std::vector<Parameter> parameters() const override {
    return {{"colours", 3, 1, 64, "how many there are"}};
  }
  std::string_view data() const override {
    return R"(a graph, {"vertices": ["a", "b"], "edges": [["a", "b"]]}; without it Australia)";
  }
  const runtime::Space& space() const override { return spaces::colouring::GetSpace(); }
  std::shared_ptr<const runtime::Host> MakeHost(const Parameters& parameters,
                                                const std::string* data) const override {
    Graph graph = ReadGraph(data == nullptr ? kAustralia : *data);
    graph.num_colours = parameters.at("colours");
    return HostOf<spaces::colouring::SpaceHost>(std::move(graph));
  }
};

}  // namespace

const Example& ColouringExample() {
  static const Colouring example;
  return example;
}

}  // namespace exh::examples
