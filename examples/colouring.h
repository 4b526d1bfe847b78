// SPDX-License-Identifier: MIT
//
// The backbone of colouring.exh: a graph, and how many colours there are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <set>
#include <string>
#include <vector>

namespace exh::examples {

struct Vertex {
  std::size_t id = 0;
  std::string name_;
  std::set<std::size_t> neighbours;
  const std::string& name() const { return name_; }
};

struct Graph {
  std::vector<Vertex> vertices;
  std::int64_t num_colours = 3;

  /// From 1 on.
  std::vector<std::uint32_t> colours() const {
    std::vector<std::uint32_t> all(static_cast<std::size_t>(num_colours));
    std::iota(all.begin(), all.end(), 1);
    return all;
  }
  std::vector<Vertex> neighbours(const Vertex& vertex) const {
    std::vector<Vertex> all;
    for (const std::size_t id : vertex.neighbours) all.push_back(vertices[id]);
    return all;
  }
  /// Null when there is no edge.
  const Vertex* neighbour(const Vertex& vertex, const Vertex& other) const {
    return vertex.neighbours.contains(other.id) ? &vertices[other.id] : nullptr;
  }
};

}  // namespace exh::examples
