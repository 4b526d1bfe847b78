// SPDX-License-Identifier: MIT
#include "kernels/notation/axes/shared_axes.h"

#include <algorithm>
#include <map>
#include <string>

namespace exh::kernels::notation {

int SharedAxes::New() {
  parent_.push_back(static_cast<int>(parent_.size()));
  return parent_.back();
}

int SharedAxes::Root(int axis) const {
  while (parent_[static_cast<std::size_t>(axis)] != axis) {
    axis = parent_[static_cast<std::size_t>(axis)];
  }
  return axis;
}

void SharedAxes::Unite(const Index& a, const Index& b) {
  const int first = Root(a.axis), second = Root(b.axis);
  parent_[static_cast<std::size_t>(std::max(first, second))] = std::min(first, second);
}

std::optional<std::pair<const Index*, const Index*>> SharedAxes::Clash() const {
  for (std::size_t at = places_.size(); at-- > 0;) {  // The last one is the reader.
    const std::vector<Index*>& place = places_[at];
    for (std::size_t i = 0; i < place.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        if (Root(place[i]->axis) == Root(place[j]->axis)) return std::pair(place[j], place[i]);
      }
    }
  }
  return std::nullopt;
}

int SharedAxes::Number(std::deque<Index>& indices) {
  std::map<std::pair<std::string, std::int64_t>, const Index*> known;
  for (const Index& index : indices) {
    const auto [place, is_new] = known.try_emplace({index.name, *index.extent}, &index);
    if (is_new) continue;
    const std::vector<int> before = parent_;
    Unite(index, *place->second);
    if (Clash()) parent_ = before;
  }
  std::map<int, int> number;
  for (Index& index : indices) {
    index.axis =
        number.try_emplace(Root(index.axis), static_cast<int>(number.size())).first->second;
  }
  return static_cast<int>(number.size());
}

}  // namespace exh::kernels::notation
