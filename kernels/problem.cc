// SPDX-License-Identifier: MIT
#include "kernels/problem.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <random>
#include <type_traits>

#include "kernels/cpu/compare.h"
#include "kernels/derived/reference/product.h"
#include "kernels/derived/tolerance.h"
#include "kernels/library/call_kernel.h"
#include "kernels/whole_numbers.h"

namespace exh::kernels {
namespace {

using Generator = std::mt19937_64;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Denormals of f32, with so many zeros behind them that a multiple by small numbers is exact, and
/// what a result of them may always be off: much less than what flushing one to zero takes away.
constexpr double kDenormalStep = 0x1p-142, kDenormalTolerance = 0x1p-138;
/// Results below this come of denormals alone.
constexpr double kTiny = 0x1p-100;

/// Elements between two looks at whether anybody waits: some milliseconds.
constexpr std::uint64_t kPerLook = 1 << 16;

/// Calls `visit(element, position, slice)` for every element of an array (InputShape), until nobody
/// waits any more.
void ForEachElement(const InputShape& shape, std::uint64_t elements,
                    const std::function<void(std::uint64_t, std::uint64_t, std::uint64_t)>& visit) {
  const bool has_rows = !shape.axes.empty() && shape.axes.back().stride == 1;
  const auto row = has_rows ? static_cast<std::uint64_t>(shape.axes.back().total) : 1;
  const bool is_summed = has_rows && shape.axes.back().is_summed;
  std::uint64_t since_look = kPerLook;
  for (std::uint64_t first = 0; first < elements; first += row) {
    since_look += row;
    if (since_look >= kPerLook) {
      since_look = 0;
      if (IsOver()) return;
    }
    const std::uint64_t position = shape.Position(first), slice = shape.Slice(first);
    for (std::uint64_t i = 0; i < std::min(row, elements - first); ++i) {
      visit(first + i, position + (is_summed ? i : 0), slice + (is_summed ? 0 : i));
    }
  }
}

/// Sets all elements in a row to what `draw` returns, until nobody waits any more.
template <typename Draw>
void Fill(Elements& values, const Draw& draw) {
  ir::WithType(values.type(), [&]<typename T>(T) {
    if constexpr (std::is_floating_point_v<T>) {
      for (std::uint64_t i = 0; T & value : values.As<T>()) {
        if (i++ % kPerLook == 0 && IsOver()) return;
        value = static_cast<T>(draw());
      }
    } else {
      for (std::uint64_t i = 0; i < values.size(); ++i) {
        if (i % kPerLook == 0 && IsOver()) return;
        values.Set(i, draw());
      }
    }
  });
}

/// Draws whole numbers for an array.
class WholeNumberSource {
 public:
  /// `never_zero`: not even bools are.
  WholeNumberSource(ir::Type type, bool never_zero, Generator& generator)
      : type_(type), never_zero_(never_zero), generator_(generator) {}

  /// ±1 … ±range, as far as the type has them; of bools either.
  double Small(int range) {
    const std::uint64_t bits = generator_();
    if (type_ == ir::Type::kBool) return never_zero_ || (bits & 1) != 0 ? 1 : 0;
    const int most = std::min(range, LargestWhole(type_));
    return Signed(static_cast<double>(1 + (bits >> 1) % static_cast<std::uint64_t>(most)), bits);
  }

  /// All bits that a wide number has, the lowest of them set: nothing with fewer holds it.
  double Wide() {
    if (type_ == ir::Type::kBool) return Small(1);
    const std::uint64_t bits = generator_();
    const std::uint64_t top = std::uint64_t{1} << (WideBits(type_) - 1);
    return Signed(static_cast<double>(top + 1 + 2 * ((bits >> 1) % (top / 2 - 1))), bits);
  }

 private:
  double Signed(double number, std::uint64_t bits) const {
    return (bits & 1) != 0 && ir::InfoOf(type_).is_signed ? -number : number;
  }

  const ir::Type type_;
  const bool never_zero_;
  Generator& generator_;
};

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

/// Which of the inputs are drawn.
enum class Arrays { kAll, kNoFloats };

void DrawWholeNumbers(const Task& task, const WholeNumbers& plan, std::uint64_t seed, Arrays which,
                      ProblemData& data) {
  Generator generator(seed);
  const std::vector<InputShape> shapes = InputShapes(*task.function);
  const std::vector<bool> divisors = DivisorArrays(*task.function);
  const auto is_drawn = [which](const ir::Array& array) {
    return array.role == ir::ArrayRole::kInput &&
           (which == Arrays::kAll || !ir::IsFloat(array.type));
  };
  std::uint64_t positions = 0;
  std::size_t inputs = 0;
  for (const ir::Array& array : task.function->arrays) {
    const InputShape& shape = shapes[array.id.index()];
    if (!is_drawn(array) || !shape.is_summed()) continue;
    positions = std::max(positions, shape.Positions());
    ++inputs;
  }
  const auto wide = WidePositions(positions, plan, inputs, generator);
  signed char input = 0;
  for (const ir::Array& array : task.function->arrays) {
    if (!is_drawn(array)) continue;
    Elements& values = data[array.name].values = Elements(array.type, array.elements);
    const InputShape& shape = shapes[array.id.index()];
    WholeNumberSource source(array.type, divisors[array.id.index()], generator);
    if (!shape.is_summed()) {
      Fill(values, [&] { return source.Small(plan.element); });
      continue;
    }
    ForEachElement(shape, array.elements,
                   [&](std::uint64_t element, std::uint64_t position, std::uint64_t slice) {
                     const signed char who = position < wide.size() ? wide[position] : -1;
                     // Every other slice stays small: there a sum swallows nothing.
                     const bool is_wide = who == input && (!shape.has_slices() || slice % 2 == 1);
                     values.Set(element, is_wide    ? source.Wide()
                                         : who >= 0 ? source.Small(1)
                                                    : source.Small(plan.range));
                   });
    ++input;
  }
}

/// Floats in [-1, 1]; of other types whole numbers.
void DrawUniform(const Task& task, std::uint64_t seed, ProblemData& data) {
  Generator generator(seed);
  bool are_all_floats = true;
  for (const ir::Array& array : task.function->arrays) {
    if (array.role != ir::ArrayRole::kInput) continue;
    if (!ir::IsFloat(array.type)) {
      are_all_floats = false;
      continue;
    }
    Elements& values = data[array.name].values = Elements(array.type, array.elements);
    // 24 random bits, or as many as the type has: every value is exact where it has that many. Both
    // signs occur, so that errors do not hide in sums of one sign.
    const int bits = std::max(ir::InfoOf(array.type).bits, std::numeric_limits<float>::digits);
    const std::int64_t one = std::int64_t{1} << bits;
    Fill(values, [&] {
      const auto number = static_cast<std::int64_t>(generator() >> (63 - bits)) - one;
      return static_cast<double>(number) / static_cast<double>(one);
    });
  }
  if (are_all_floats) return;
  DrawWholeNumbers(task, LargestIntegers(*task.function), seed, Arrays::kNoFloats, data);
}

/// Roots and logarithms of negative numbers would show nothing of the others.
void MakePositive(const ir::Function& function, ProblemData& data) {
  const std::vector<bool> positive = PositiveArrays(function);
  for (const ir::Array& array : function.arrays) {
    if (!positive[array.id.index()]) continue;
    Elements& values = data[array.name].values;
    for (std::uint64_t i = 0; i < values.size(); ++i) values.Set(i, std::abs(values[i]));
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

double Denormal(Generator& generator) {
  const std::uint64_t bits = generator();
  const double number = kDenormalStep * static_cast<double>((1 << 10) + (bits >> 1) % (7 << 10));
  return (bits & 1) != 0 ? -number : number;
}
bool HasDenormals(ir::Type type) {
  return type == ir::Type::kF32;
}

/// A slice that is summed over: one of its elements is special, or two. Beside a denormal stands
/// nothing but zeros, for anything else would swallow it.
void MakeSliceSpecial(std::uint64_t slice, const std::vector<std::uint64_t>& elements,
                      Generator& generator, Elements& values) {
  const auto put_somewhere = [&](double number) {
    values.Set(elements[generator() % elements.size()], number);
  };
  switch (OfSlice(slice)) {
    case Special::kNone:
      return;
    case Special::kNoNumber:
      return put_somewhere(kNan);
    case Special::kAbove:
      return put_somewhere(kInfinity);
    case Special::kBelow:
      return put_somewhere(-kInfinity);
    case Special::kBothInfinities:
      put_somewhere(kInfinity);
      return put_somewhere(-kInfinity);
    case Special::kDenormal:
    case Special::kZeros:
      for (const std::uint64_t element : elements) values.Set(element, slice % 2 == 0 ? 0.0 : -0.0);
      if (OfSlice(slice) != Special::kDenormal || !HasDenormals(values.type())) return;
      return put_somewhere(Denormal(generator));
  }
}

/// An element that nothing sums over. `turn`: which of the inputs has what is special there.
/// `denormals`: the kernel has no sums at all, so that a denormal meets nothing but others of its
/// kind.
double SpecialElement(std::uint64_t element, bool turn, bool denormals, double plain,
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
      return -0.0;
    case 16:
      return turn ? -0.0 : 0.0;
    case 19:
      return denormals ? Denormal(generator) : plain;
    case 22:
      return denormals && turn ? Denormal(generator) : -0.0;
    default:
      return plain;
  }
}

/// In arrays of floats.
void MakeSpecial(const Task& task, std::uint64_t seed, ProblemData& data) {
  if (CutsFloats(*task.function)) return;
  Generator generator(seed + 0x9e3779b97f4a7c15ULL);
  const std::vector<InputShape> shapes = InputShapes(*task.function);
  const bool has_sums = SumsInARow(*task.function) > 0;
  const auto may_be_special = [](const ir::Array& array) {
    return array.role == ir::ArrayRole::kInput && ir::IsFloat(array.type);
  };
  const auto inputs =
      static_cast<std::size_t>(std::ranges::count_if(task.function->arrays, may_be_special));
  std::size_t input = 0;
  for (const ir::Array& array : task.function->arrays) {
    if (!may_be_special(array)) continue;
    Elements& values = data[array.name].values;
    const InputShape& shape = shapes[array.id.index()];
    if (!shape.is_summed()) {
      const bool denormals = !has_sums && HasDenormals(array.type);
      for (std::uint64_t element = 0; element < values.size(); ++element) {
        if (element % kPerLook == 0 && IsOver()) return;
        const bool turn = element / 32 % inputs == input;
        values.Set(element, SpecialElement(element, turn, denormals, values[element], generator));
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

/// Is every step exact, in any order? `limit`: ExactLimit().
bool IsExact(const ArrayData& output, double unit, double limit) {
  if (std::isinf(limit)) return true;
  double largest = output.largest_sum;
  if (largest == 0) {
    double tolerance = 0;
    for (const double one : output.tolerance) {
      if (std::isfinite(one)) tolerance = std::max(tolerance, one);
    }
    // Of what is computed in f32; in f64 roundings are as much smaller as the limit is larger.
    constexpr double kF32Limit = 1 << 24;
    largest = tolerance / (SumTolerance(1, 1) * (kF32Limit / limit));
  }
  return largest < unit * limit;
}

/// Integers are exact whatever the inputs are, floats where they are whole numbers.
void TolerateNothing(const Task& task, Inputs inputs, ProblemData& data) {
  const double unit = WholeNumberUnit(*task.function);
  const bool has_sums = SumsInARow(*task.function) > 0;
  for (const ir::Array& array : task.function->arrays) {
    if (array.role != ir::ArrayRole::kOutput) continue;
    const double limit = ExactLimit(*task.function, array.id);
    if (inputs == Inputs::kUniform && std::isfinite(limit)) continue;
    ArrayData& output = data[array.name];
    const bool is_exact = IsExact(output, unit, limit);
    for (std::size_t i = 0; i < output.tolerance.size(); ++i) {
      double& tolerance = output.tolerance[i];
      const double reference = output.reference[i];
      const double of_roundings = std::isfinite(tolerance) ? tolerance : 0;
      if (is_exact || !std::isfinite(reference)) tolerance = 0;
      if (inputs != Inputs::kSpecial || !ir::IsFloat(array.type)) continue;
      if (!(std::abs(reference) < kTiny)) continue;
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
    if (IsOver()) return {};
    MakePositive(*task.function, data);
    compute_reference(data);
    if (IsOver() || products.has_stopped()) return {};
    CheckReference(*task.kernel, *task.function, is_finite, data);
    TolerateNothing(task, inputs, data);
    return data;
  }
  const double unit = WholeNumberUnit(*task.function);
  for (const WholeNumbers& plan : WholeNumberPlans(*task.function)) {
    data = begin();
    if (inputs == Inputs::kSpecial) {
      if (plan.wide > 0 || plan.element > plan.range) continue;
      DrawWholeNumbers(task, plan, seed, Arrays::kAll, data);
      MakeSpecial(task, seed, data);
    } else {
      DrawWholeNumbers(task, plan, seed, Arrays::kAll, data);
      MakePositive(*task.function, data);
    }
    if (IsOver()) return {};
    compute_reference(data);
    if (IsOver() || products.has_stopped()) return {};
    CheckReference(*task.kernel, *task.function, is_finite && inputs != Inputs::kSpecial, data);
    const bool is_exact = std::ranges::all_of(task.function->arrays, [&](const ir::Array& array) {
      return array.role == ir::ArrayRole::kInput ||
             IsExact(data[array.name], unit, ExactLimit(*task.function, array.id));
    });
    if (is_exact) break;
  }
  TolerateNothing(task, inputs, data);
  return data;
}

std::uint64_t ProblemBytes(const ir::Function& function) {
  std::uint64_t bytes = 0;
  for (const ir::Array& array : function.arrays) {
    // Inputs: for each of the four problems of a check, and once more; in double precision and
    // squared while a reference is computed. Outputs: reference and tolerance of each problem, once
    // more while they are computed, beside two doubles; the result and a copy of it.
    const bool is_input = array.role == ir::ArrayRole::kInput;
    constexpr std::uint64_t kInputDoubles = 2, kOutputDoubles = 12;
    bytes += array.elements * sizeof(double) * (is_input ? kInputDoubles : kOutputDoubles) +
             array.bytes() * (is_input ? 5 : 2);
  }
  return bytes;
}

}  // namespace exh::kernels
