// SPDX-License-Identifier: MIT
#include "kernels/cpu/problem_set.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>
#include <limits>
#include <utility>

namespace exh::kernels::cpu {
namespace {

std::vector<SharedShape> ShapesOf(const Problem& problem) {
  std::vector<SharedShape> shapes;
  for (const ProblemArray& array : problem.arrays) {
    shapes.push_back({array.elements(), array.is_output, array.type});
  }
  return shapes;
}

/// Copies `from` to `place`, which moves on.
template <typename T>
std::span<const T> Copy(std::span<const T> from, double*& place) {
  static_assert(sizeof(T) == sizeof *place);
  if (!from.empty()) std::memcpy(place, from.data(), from.size_bytes());
  const std::span<const T> copy(reinterpret_cast<const T*>(place), from.size());
  place += from.size();
  return copy;
}

/// What elements of a type are spoilt with.
struct Spoilt {
  std::byte usual[sizeof(std::uint64_t)];    ///< NaN; of integers and bools, any bits.
  std::byte instead[sizeof(std::uint64_t)];  ///< Where `usual` is right.
  double value = 0;                          ///< Of `usual`.

  explicit Spoilt(ir::Type type) {
    constexpr double kNumber = 1.2345e30;
    std::fill(std::begin(usual), std::end(usual), std::byte{0xA5});
    std::fill(std::begin(instead), std::end(instead), std::byte{0x5A});
    if (ir::IsFloat(type)) {
      ir::WriteElement(type, usual, std::numeric_limits<double>::quiet_NaN());
      ir::WriteElement(type, instead, std::min(kNumber, ir::InfoOf(type).largest));
    }
    value = ir::ReadElement(type, usual);
  }
  bool IsRight(double reference, double tolerance) const {
    if (std::isnan(value)) return std::isnan(reference);
    return std::abs(value - reference) <= std::max(tolerance, 0.0);
  }
};

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
    bytes += array.reference.size_bytes() + array.tolerance.size_bytes() + array.whole.size_bytes();
  }
  if (!known.memory.Allocate(bytes)) return "no memory for the reference";
  auto* place = reinterpret_cast<double*>(known.memory.data());
  for (std::size_t i = 0; i < problem.arrays.size(); ++i) {
    ProblemArray& array = known.problem.arrays[i];
    if (array.is_output) {
      array.reference = Copy(array.reference, place);
      array.tolerance = Copy(array.tolerance, place);
      array.whole = Copy(array.whole, place);
    } else {
      const std::span<std::byte> input = arrays_.input(index, i);
      std::copy(array.values.begin(), array.values.end(), input.begin());
      array.values = input;
    }
    const Spoilt spoilt(array.type);
    bool needs_care = false;
    for (std::size_t at = 0; !needs_care && at < array.reference.size(); ++at) {
      needs_care = spoilt.IsRight(array.reference[at], array.tolerance[at]);
    }
    known.needs_care.push_back(needs_care);
  }
  if (index == 0) arrays_.UseLargePages(0);  // The others are not timed.
  known_.push_back(std::move(known));
  return "";
}

void ProblemSet::Spoil(std::size_t problem, std::size_t array, std::size_t begin,
                       std::size_t count) {
  const Known& known = known_[problem];
  const ProblemArray& wanted = known.problem.arrays[array];
  const Spoilt spoilt(wanted.type);
  ir::WithType(wanted.type, [&]<typename T>(T) {
    T usual, instead;
    std::memcpy(&usual, spoilt.usual, sizeof usual);
    std::memcpy(&instead, spoilt.instead, sizeof instead);
    T* const elements = reinterpret_cast<T*>(arrays_.output(array).data()) + begin;
    std::fill_n(elements, count, usual);
    if (!known.needs_care[array]) return;
    for (std::size_t i = 0; i < count; ++i) {
      const double tolerance = wanted.tolerance[begin + i];
      if (spoilt.IsRight(wanted.reference[begin + i], tolerance)) elements[i] = instead;
    }
  });
}

void ProblemSet::Keep() {
  for (std::size_t array = 0; array < shapes_.size(); ++array) {
    if (!shapes_[array].is_output) continue;
    const std::span<const std::byte> output = arrays_.output(array);
    std::memcpy(kept_.data() + arrays_.layout().places()[array].data, output.data(), output.size());
  }
}

std::span<const std::byte> ProblemSet::kept(std::size_t array) const {
  const char* const elements = kept_.data() + arrays_.layout().places()[array].data;
  return {reinterpret_cast<const std::byte*>(elements), shapes_[array].bytes()};
}

bool ProblemSet::IsAsKept(std::size_t array, std::size_t begin, std::size_t count) {
  const std::size_t bytes = ir::BytesOf(shapes_[array].type);
  return std::memcmp(kept(array).data() + begin * bytes,
                     arrays_.output(array).data() + begin * bytes, count * bytes) == 0;
}

std::string ProblemSet::Renew() {
  SharedArrays fresh(shapes_, capacity_);
  if (!fresh.error().empty()) return fresh.error();
  for (std::size_t index = 0; index < known_.size(); ++index) {
    for (std::size_t array = 0; array < shapes_.size(); ++array) {
      if (shapes_[array].is_output) continue;
      std::span<const std::byte>& values = known_[index].problem.arrays[array].values;
      const std::span<std::byte> copy = fresh.input(index, array);
      std::copy(values.begin(), values.end(), copy.begin());
      values = copy;
    }
  }
  arrays_ = std::move(fresh);
  if (!known_.empty()) arrays_.UseLargePages(0);
  return "";
}

}  // namespace exh::kernels::cpu
