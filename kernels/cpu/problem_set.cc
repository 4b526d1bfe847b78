// SPDX-License-Identifier: MIT
#include "kernels/cpu/problem_set.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

namespace exh::kernels::cpu {
namespace {

std::vector<ArrayShape> ShapesOf(const Problem& problem) {
  std::vector<ArrayShape> shapes;
  for (const ProblemArray& array : problem.arrays) {
    shapes.push_back({array.elements(), array.is_output});
  }
  return shapes;
}

/// Copies `from` to `place`, which moves on.
std::span<const double> Copy(std::span<const double> from, double*& place) {
  std::copy(from.begin(), from.end(), place);
  const std::span<const double> copy(place, from.size());
  place += from.size();
  return copy;
}

}  // namespace

ProblemSet::ProblemSet(const Problem& like, std::size_t capacity)
    : shapes_(ShapesOf(like)), capacity_(capacity), arrays_(shapes_, capacity) {
  error_ = arrays_.error();
  if (error_.empty() && !kept_.Allocate(arrays_.layout().output_bytes())) {
    error_ = "no memory for a copy of the outputs";
  }
}

std::string ProblemSet::Add(const Problem& problem, std::string what) {
  if (!error_.empty()) return error_;
  const std::size_t index = known_.size();
  if (index == capacity_) return "more problems than there is room for";
  Known known;
  known.problem = problem;
  known.what = std::move(what);
  std::uint64_t bytes = 0;
  for (const ProblemArray& array : problem.arrays) {
    bytes += array.reference.size_bytes() + array.tolerance.size_bytes();
  }
  if (!known.memory.Allocate(bytes)) return "no memory for the reference";
  auto* place = reinterpret_cast<double*>(known.memory.data());
  for (std::size_t i = 0; i < problem.arrays.size(); ++i) {
    ProblemArray& array = known.problem.arrays[i];
    if (array.is_output) {
      array.reference = Copy(array.reference, place);
      array.tolerance = Copy(array.tolerance, place);
    } else {
      const std::span<float> input = arrays_.input(index, i);
      std::copy(array.values.begin(), array.values.end(), input.begin());
      array.values = input;
    }
    known.has_nan.push_back(
        std::ranges::any_of(array.reference, [](double value) { return std::isnan(value); }));
  }
  if (index == 0) arrays_.UseLargePages(0);  // The others are not timed.
  known_.push_back(std::move(known));
  return "";
}

void ProblemSet::Spoil(std::size_t problem, std::size_t array, std::size_t begin,
                       std::size_t count) {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  const std::span<float> values = arrays_.output(array).subspan(begin, count);
  if (!known_[problem].has_nan[array]) {
    std::fill(values.begin(), values.end(), kNan);
    return;
  }
  constexpr float kNumber = 1.2345e30F;
  const std::span<const double> reference = known_[problem].problem.arrays[array].reference;
  for (std::size_t i = 0; i < count; ++i) {
    values[i] = std::isnan(reference[begin + i]) ? kNumber : kNan;
  }
}

void ProblemSet::Keep() {
  for (std::size_t array = 0; array < shapes_.size(); ++array) {
    if (!shapes_[array].is_output) continue;
    const std::span<const float> output = arrays_.output(array);
    std::memcpy(kept_.data() + arrays_.layout().places()[array].data, output.data(),
                output.size_bytes());
  }
}

bool ProblemSet::IsAsKept(std::size_t array, std::size_t begin, std::size_t count) {
  const char* const kept =
      kept_.data() + arrays_.layout().places()[array].data + begin * sizeof(float);
  return std::memcmp(kept, arrays_.output(array).data() + begin, count * sizeof(float)) == 0;
}

float ProblemSet::kept(std::size_t array, std::size_t index) const {
  const char* const file = kept_.data() + arrays_.layout().places()[array].data;
  return reinterpret_cast<const float*>(file)[index];
}

std::string ProblemSet::Renew() {
  SharedArrays fresh(shapes_, capacity_);
  if (!fresh.error().empty()) return fresh.error();
  for (std::size_t index = 0; index < known_.size(); ++index) {
    for (std::size_t array = 0; array < shapes_.size(); ++array) {
      if (shapes_[array].is_output) continue;
      std::span<const float>& values = known_[index].problem.arrays[array].values;
      const std::span<float> copy = fresh.input(index, array);
      std::copy(values.begin(), values.end(), copy.begin());
      values = copy;
    }
  }
  arrays_ = std::move(fresh);
  if (!known_.empty()) arrays_.UseLargePages(0);
  return "";
}

}  // namespace exh::kernels::cpu
