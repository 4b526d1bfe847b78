// SPDX-License-Identifier: MIT
#include "kernels/problem.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <random>

#include "kernels/cpu/compare.h"
#include "kernels/derived/reference/product.h"
#include "kernels/derived/tolerance.h"
#include "kernels/library/call_kernel.h"
#include "kernels/whole_numbers.h"

namespace exh::kernels {
namespace {

using Generator = std::mt19937_64;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

/// Denormals, with so many zeros behind them that a multiple by small numbers is exact, and what a
/// result of them may always be off: much less than what flushing one to zero takes away.
constexpr double kDenormalStep = 0x1p-142, kDenormalTolerance = 0x1p-138;
/// Results below this come of denormals alone.
constexpr double kTiny = 0x1p-100;

/// Calls `visit(element, position, slice)` for every element of an array (InputShape).
void ForEachElement(const InputShape& shape, std::uint64_t elements,
                    const std::function<void(std::uint64_t, std::uint64_t, std::uint64_t)>& visit) {
  const bool has_rows = !shape.axes.empty() && shape.axes.back().stride == 1;
  const auto row = has_rows ? static_cast<std::uint64_t>(shape.axes.back().total) : 1;
  const bool is_summed = has_rows && shape.axes.back().is_summed;
  for (std::uint64_t first = 0; first < elements; first += row) {
    const std::uint64_t position = shape.Position(first), slice = shape.Slice(first);
    for (std::uint64_t i = 0; i < std::min(row, elements - first); ++i) {
      visit(first + i, position + (is_summed ? i : 0), slice + (is_summed ? 0 : i));
    }
  }
}

/// ±1 … ±range.
float WholeNumber(Generator& generator, int range) {
  const std::uint64_t bits = generator();
  const auto number = static_cast<float>(1 + (bits >> 1) % static_cast<std::uint64_t>(range));
  return (bits & 1) != 0 ? -number : number;
}

/// Twelve bits, the lowest of them set: nothing with eleven holds it.
float WideNumber(Generator& generator) {
  const std::uint64_t bits = generator();
  const auto number = static_cast<float>(2049 + 2 * ((bits >> 1) % 1023));
  return (bits & 1) != 0 ? -number : number;
}

/// By position along a sum: the number of the input that is wide there, or -1.
std::vector<signed char> WidePositions(std::uint64_t positions, const WholeNumbers& plan,
                                       std::size_t inputs, Generator& generator) {
  std::vector<signed char> wide(plan.wide > 0 ? positions : 0, -1);
  const std::uint64_t most = positions / (2 * std::max<std::size_t>(inputs, 1));
  const std::uint64_t count = std::min(most, static_cast<std::uint64_t>(plan.wide));
  for (std::size_t input = 0; plan.wide > 0 && input < inputs; ++input) {
    for (std::uint64_t found = 0; found < count;) {
      signed char& place = wide[generator() % positions];
      if (place >= 0) continue;
      place = static_cast<signed char>(input);
      ++found;
    }
  }
  return wide;
}

void DrawWholeNumbers(const Task& task, const WholeNumbers& plan, std::uint64_t seed,
                      ProblemData& data) {
  Generator generator(seed);
  const std::vector<InputShape> shapes = InputShapes(*task.function);
  std::uint64_t positions = 0;
  std::size_t inputs = 0;
  for (const InputShape& shape : shapes) {
    if (!shape.is_summed()) continue;
    positions = std::max(positions, shape.Positions());
    ++inputs;
  }
  const auto wide = WidePositions(positions, plan, inputs, generator);
  signed char input = 0;
  for (const ir::Array& array : task.function->arrays) {
    if (array.role != ir::ArrayRole::kInput) continue;
    std::vector<float>& values = data[array.name].values;
    values.resize(array.elements);
    const InputShape& shape = shapes[array.id.index()];
    if (!shape.is_summed()) {
      for (float& value : values) value = WholeNumber(generator, plan.element);
      continue;
    }
    ForEachElement(shape, array.elements,
                   [&](std::uint64_t element, std::uint64_t position, std::uint64_t slice) {
                     const signed char who = position < wide.size() ? wide[position] : -1;
                     // Every other slice stays small: there a sum swallows nothing.
                     const bool is_wide = who == input && (!shape.has_slices() || slice % 2 == 1);
                     values[element] = is_wide    ? WideNumber(generator)
                                       : who >= 0 ? WholeNumber(generator, 1)
                                                  : WholeNumber(generator, plan.range);
                   });
    ++input;
  }
}

void DrawUniform(const Task& task, std::uint64_t seed, ProblemData& data) {
  Generator generator(seed);
  for (const ir::Array& array : task.function->arrays) {
    if (array.role != ir::ArrayRole::kInput) continue;
    std::vector<float>& values = data[array.name].values;
    values.resize(array.elements);
    for (float& value : values) {
      // 24 random bits: every value is exact, and both signs occur, so that errors do not hide in
      // sums of one sign.
      value = static_cast<float>(static_cast<std::int64_t>(generator() >> 39) - (1 << 24)) /
              static_cast<float>(1 << 24);
    }
  }
}

/// Roots and logarithms of negative numbers would show nothing of the others.
void MakePositive(const ir::Function& function, ProblemData& data) {
  const std::vector<bool> positive = PositiveArrays(function);
  for (const ir::Array& array : function.arrays) {
    if (!positive[array.id.index()]) continue;
    for (float& value : data[array.name].values) value = std::abs(value);
  }
}

// ---- Special values -----------------------------------------------------------------------------

enum class Special { kNone, kNoNumber, kAbove, kBelow, kBothInfinities, kDenormal, kZeros };

/// What a slice of an array that is summed over holds: a row of a matrix, a column of another one.
/// Most hold nothing special, so that something is left of the others.
Special OfSlice(std::uint64_t slice) {
  static constexpr std::array<Special, 16> kKinds = {
      Special::kNone,     Special::kNoNumber, Special::kDenormal,       Special::kNone,
      Special::kAbove,    Special::kNone,     Special::kBelow,          Special::kNone,
      Special::kNone,     Special::kZeros,    Special::kBothInfinities, Special::kNone,
      Special::kDenormal, Special::kNone,     Special::kNone,           Special::kNone};
  return kKinds[slice % kKinds.size()];
}

float Denormal(Generator& generator) {
  const std::uint64_t bits = generator();
  const double number = kDenormalStep * static_cast<double>((1 << 10) + (bits >> 1) % (7 << 10));
  return static_cast<float>((bits & 1) != 0 ? -number : number);
}

/// A slice that is summed over: one of its elements is special, or two. Beside a denormal stands
/// nothing but zeros, for anything else would swallow it.
void MakeSliceSpecial(std::uint64_t slice, const std::vector<std::uint64_t>& elements,
                      Generator& generator, std::vector<float>& values) {
  const auto somewhere = [&]() -> float& {
    return values[elements[generator() % elements.size()]];
  };
  switch (OfSlice(slice)) {
    case Special::kNone:
      return;
    case Special::kNoNumber:
      somewhere() = kNan;
      return;
    case Special::kAbove:
      somewhere() = kInfinity;
      return;
    case Special::kBelow:
      somewhere() = -kInfinity;
      return;
    case Special::kBothInfinities:
      somewhere() = kInfinity;
      somewhere() = -kInfinity;
      return;
    case Special::kDenormal:
    case Special::kZeros:
      for (const std::uint64_t element : elements) values[element] = slice % 2 == 0 ? 0.0f : -0.0f;
      if (OfSlice(slice) == Special::kDenormal) somewhere() = Denormal(generator);
      return;
  }
}

/// An element that nothing sums over. `turn`: which of the inputs has what is special there.
/// `alone`: the kernel has no sums at all, so that a denormal meets nothing but others of its kind.
float SpecialElement(std::uint64_t element, bool turn, bool alone, float plain,
                     Generator& generator) {
  switch (element % 32) {
    case 1:
      return turn ? kNan : plain;
    case 4:
      return turn ? kInfinity : plain;
    case 7:
      return turn ? -kInfinity : plain;
    case 10:
      return turn ? kInfinity : -kInfinity;
    case 13:
      return -0.0f;
    case 16:
      return turn ? -0.0f : 0.0f;
    case 19:
      return alone ? Denormal(generator) : plain;
    case 22:
      return alone && turn ? Denormal(generator) : -0.0f;
    default:
      return plain;
  }
}

void MakeSpecial(const Task& task, std::uint64_t seed, ProblemData& data) {
  Generator generator(seed + 0x9e3779b97f4a7c15ULL);
  const std::vector<InputShape> shapes = InputShapes(*task.function);
  const bool has_sums = SumsInARow(*task.function) > 0;
  std::size_t inputs = 0, input = 0;
  for (const ir::Array& array : task.function->arrays) {
    inputs += array.role == ir::ArrayRole::kInput ? 1 : 0;
  }
  for (const ir::Array& array : task.function->arrays) {
    if (array.role != ir::ArrayRole::kInput) continue;
    std::vector<float>& values = data[array.name].values;
    const InputShape& shape = shapes[array.id.index()];
    if (!shape.is_summed()) {
      for (std::uint64_t element = 0; element < values.size(); ++element) {
        const bool turn = element / 32 % inputs == input;
        values[element] = SpecialElement(element, turn, !has_sums, values[element], generator);
      }
    } else if (shape.has_slices()) {
      std::map<std::uint64_t, std::vector<std::uint64_t>> slices;
      ForEachElement(shape, values.size(),
                     [&](std::uint64_t element, std::uint64_t, std::uint64_t slice) {
                       if (OfSlice(slice) != Special::kNone) slices[slice].push_back(element);
                     });
      for (const auto& [slice, elements] : slices) {
        MakeSliceSpecial(slice, elements, generator, values);
      }
    }
    ++input;
  }
}

// ---- Tolerances ---------------------------------------------------------------------------------

/// Is every step exact, in any order?
bool IsExact(const ArrayData& output, double unit) {
  double largest = output.largest_sum;
  if (largest == 0) {
    double tolerance = 0;
    for (const double one : output.tolerance) {
      if (std::isfinite(one)) tolerance = std::max(tolerance, one);
    }
    largest = tolerance / SumTolerance(1, 1);
  }
  return largest < unit * (1 << 24);
}

void TolerateNothing(const Task& task, Inputs inputs, ProblemData& data) {
  const double unit = WholeNumberUnit(*task.function);
  const bool has_sums = SumsInARow(*task.function) > 0;
  for (const ir::Array& array : task.function->arrays) {
    if (array.role != ir::ArrayRole::kOutput) continue;
    ArrayData& output = data[array.name];
    const bool is_exact = IsExact(output, unit);
    for (std::size_t i = 0; i < output.tolerance.size(); ++i) {
      double& tolerance = output.tolerance[i];
      const double reference = output.reference[i];
      const double of_roundings = std::isfinite(tolerance) ? tolerance : 0;
      if (is_exact || !std::isfinite(reference)) tolerance = 0;
      if (inputs != Inputs::kSpecial || !(std::abs(reference) < kTiny)) continue;
      // A sum begins with 0 and never comes to -0; without one, the sign of a zero is what the
      // operations say. Of two products in a row the second adds up many multiples of a denormal:
      // more than is exact.
      tolerance =
          reference == 0 && !has_sums ? cpu::kSameBits : std::max(kDenormalTolerance, of_roundings);
    }
  }
}

}  // namespace

ProblemData MakeProblem(const Task& task, std::uint64_t seed, Inputs inputs,
                        const StopToken* stop) {
  const StoppableProducts products(stop);
  const auto begin = [&] {
    ProblemData data;
    for (const ir::Array& array : task.function->arrays) data[array.name];
    return data;
  };
  const auto compute_reference = [&](ProblemData& data) {
    CallKernel(*task.kernel, "Reference", [&] { task.kernel->Reference(task.sizes, data); });
  };
  ProblemData data = begin();
  const bool is_finite = !MayLeaveNumbers(*task.function);
  if (inputs == Inputs::kUniform) {
    DrawUniform(task, seed, data);
    MakePositive(*task.function, data);
    compute_reference(data);
    if (products.has_stopped()) return {};
    CheckReference(*task.kernel, *task.function, is_finite, data);
    return data;
  }
  const double unit = WholeNumberUnit(*task.function);
  for (const WholeNumbers& plan : WholeNumberPlans(*task.function)) {
    data = begin();
    if (inputs == Inputs::kSpecial) {
      if (plan.wide > 0 || plan.element > plan.range) continue;
      DrawWholeNumbers(task, plan, seed, data);
      MakeSpecial(task, seed, data);
    } else {
      DrawWholeNumbers(task, plan, seed, data);
      MakePositive(*task.function, data);
    }
    compute_reference(data);
    if (products.has_stopped()) return {};
    CheckReference(*task.kernel, *task.function, is_finite && inputs != Inputs::kSpecial, data);
    const bool is_exact = std::ranges::all_of(task.function->arrays, [&](const ir::Array& array) {
      return array.role == ir::ArrayRole::kInput || IsExact(data[array.name], unit);
    });
    if (is_exact) break;
  }
  TolerateNothing(task, inputs, data);
  return data;
}

std::uint64_t ProblemBytes(const ir::Function& function) {
  std::uint64_t bytes = 0;
  for (const ir::Array& array : function.arrays) {
    // Inputs: single precision for each of the four problems of a check, and once more, in double
    // precision and squared while a reference is computed. Outputs: reference and tolerance of each
    // problem, once more while they are computed, beside two doubles, the result and a copy of it.
    bytes += array.elements * (array.role == ir::ArrayRole::kInput ? 36 : 104);
  }
  return bytes;
}

}  // namespace exh::kernels
