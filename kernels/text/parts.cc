// SPDX-License-Identifier: MIT
#include "kernels/text/parts.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <numeric>

namespace exh::kernels::text {
namespace {

using derived::Expression;

class Parts {
 public:
  explicit Parts(const Expression& expression) : e_(expression), same_(expression.outputs.size()) {
    std::iota(same_.begin(), same_.end(), std::size_t{0});
    std::map<std::vector<std::uint32_t>, std::size_t> by_extents;
    for (std::size_t i = 0; i < same_.size(); ++i) {
      const Expression::Node& store = e_.node(e_.outputs[i]);
      auto strides = store.strides;
      std::ranges::sort(strides, {}, [](const auto& of) { return of.second; });
      std::vector<std::uint32_t> extents;
      for (const auto& [axis, _] : strides) extents.push_back(e_.axis(axis).total);
      Join(i, by_extents.try_emplace(extents, i).first->second);
      Visit(store, i);
    }
  }

  std::vector<std::vector<int>> Take() {
    std::map<std::size_t, std::vector<int>> parts;
    for (std::size_t i = 0; i < same_.size(); ++i) parts[Of(i)].push_back(e_.outputs[i]);
    std::vector<std::vector<int>> all;
    for (auto& [_, outputs] : parts) all.push_back(std::move(outputs));
    return all;
  }

 private:
  std::size_t Of(std::size_t output) const {
    while (same_[output] != output) output = same_[output];
    return output;
  }
  void Join(std::size_t a, std::size_t b) {
    const std::size_t first = std::min(Of(a), Of(b)), second = std::max(Of(a), Of(b));
    same_[second] = first;
  }
  void Visit(const Expression::Node& node, std::size_t output) {
    Expression::ForEachValue(node, [&](int read) {
      const Expression::Node& value = e_.node(read);
      const bool is_computed = !value.inputs.empty() && !value.inputs[0].is_number();
      if (!is_computed) return;
      const auto [found, is_new] = reader_.try_emplace(read, output);
      Join(found->second, output);
      if (is_new) Visit(value, output);
    });
  }

  const Expression& e_;
  std::vector<std::size_t> same_;      ///< By output.
  std::map<int, std::size_t> reader_;  ///< By node: an output that comes of it.
};

}  // namespace

std::vector<std::vector<int>> PartsOf(const Expression& expression) {
  return Parts(expression).Take();
}

}  // namespace exh::kernels::text
