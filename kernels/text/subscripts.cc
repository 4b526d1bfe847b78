// SPDX-License-Identifier: MIT
//
// From the number of an element to the indices of its dimensions. Each guard is one dimension, as
// long as it says; which one is tried out where several are. What they leave of the number is
// divided among the other dimensions, the outermost first, like the digits of a number.
//
// With 3 rows of 8, the element 8 * i + j + 9 is [i + 1, j + 1]; where j has 8 steps it is not,
// for that row ends at 7.
#include "kernels/text/subscripts.h"

#include <cstdlib>
#include <utility>

namespace exh::kernels::text {
namespace {

using derived::Expression;
using Place = ir::Affine<int>;

class Finder {
 public:
  Finder(const Expression& expression, const Expression::Node& load,
         const std::vector<std::int64_t>& extents)
      : expression_(expression), load_(load), extents_(extents), guard_of_(extents.size(), -1) {
    pitches_.resize(extents.size());
    std::int64_t pitch = 1;
    for (std::size_t i = extents.size(); i-- > 0; pitch *= extents[i]) pitches_[i] = pitch;
  }

  std::optional<std::vector<Place>> Find(std::size_t guard = 0) {
    if (guard == load_.guards.size()) return Divide();
    if (IsOfAll(load_.guards[guard])) return Find(guard + 1);
    for (std::size_t i = 0; i < extents_.size(); ++i) {
      if (guard_of_[i] >= 0 || extents_[i] != load_.guards[guard].extent) continue;
      guard_of_[i] = static_cast<int>(guard);
      if (auto found = Find(guard + 1)) return found;
      guard_of_[i] = -1;
    }
    return std::nullopt;
  }

 private:
  /// Of the element's number: it holds where those of all dimensions do.
  bool IsOfAll(const Expression::Guard& guard) const {
    Place rest = load_;
    for (const auto& [axis, stride] : guard.strides) rest.Add(axis, -stride);
    const std::int64_t elements = pitches_.empty() ? 1 : pitches_[0] * extents_[0];
    return extents_.size() > 1 && rest.strides.empty() && guard.offset == load_.offset &&
           guard.extent == elements;
  }

  std::optional<std::vector<Place>> Divide() const {
    Place rest = load_;
    std::vector<Place> places(extents_.size());
    for (std::size_t i = 0; i < extents_.size(); ++i) {
      if (guard_of_[i] < 0) continue;
      places[i] = load_.guards[static_cast<std::size_t>(guard_of_[i])];
      rest.offset -= places[i].offset * pitches_[i];
      for (const auto& [axis, stride] : places[i].strides) rest.Add(axis, -stride * pitches_[i]);
    }
    for (std::size_t i = 0; i < extents_.size(); ++i) {
      if (guard_of_[i] >= 0 || extents_[i] == 1) continue;
      places[i].offset = Taken(rest.offset, pitches_[i]);
      for (auto& [axis, stride] : rest.strides) places[i].Add(axis, Taken(stride, pitches_[i]));
    }
    if (rest.offset != 0) return std::nullopt;
    for (const auto& [_, stride] : rest.strides) {
      if (stride != 0) return std::nullopt;
    }
    for (std::size_t i = 0; i < extents_.size(); ++i) {
      const auto [least, most] = expression_.Range(places[i]);
      if (guard_of_[i] < 0 && (least < 0 || most >= extents_[i])) return std::nullopt;
    }
    return places;
  }
  /// How many whole pitches there are in `of`, which keeps the rest.
  static std::int64_t Taken(std::int64_t& of, std::int64_t pitch) {
    return std::exchange(of, of % pitch) / pitch;
  }

  const Expression& expression_;
  const Expression::Node& load_;
  const std::vector<std::int64_t>& extents_;
  std::vector<std::int64_t> pitches_;
  std::vector<int> guard_of_;  ///< By dimension; -1: none.
};

}  // namespace

std::optional<std::vector<Place>> SubscriptsOf(const Expression& expression,
                                               const Expression::Node& load,
                                               const std::vector<std::int64_t>& extents) {
  return Finder(expression, load, extents).Find();
}

}  // namespace exh::kernels::text
