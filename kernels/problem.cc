// SPDX-License-Identifier: MIT
#include "kernels/problem.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <random>
#include <type_traits>

#include "kernels/cpu/compare.h"
#include "kernels/derived/reference/programs/sample.h"
#include "kernels/derived/reference/reference.h"
#include "kernels/derived/reference/special_values.h"
#include "kernels/derived/reference/stoppable.h"
#include "kernels/derived/tolerance.h"
#include "kernels/library/call_kernel.h"
#include "kernels/whole_numbers.h"

namespace exh::kernels {
namespace {

using derived::Expression;
using derived::HasSpecialDenormals, derived::IsSpecialSlice;
using derived::MakeSliceSpecial, derived::SpecialElement;
using Generator = std::mt19937_64;

/// What a result of denormals may always be off: much less than what flushing one to zero takes
/// away.
constexpr double kDenormalTolerance = 0x1p-138;
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
        values.Set(i, ir::Number(draw()));
      }
    }
  });
}

/// Draws whole numbers for an array.
class WholeNumberSource {
 public:
  /// `never_zero`: not even bools are.
  WholeNumberSource(ir::Type type, const WholeNumbers& plan, bool never_zero, Generator& generator)
      : type_(type), plan_(plan), never_zero_(never_zero), generator_(generator) {}

  /// ±1 … ±range, as far as the type has them; of bools either.
  std::int64_t Small(std::int64_t range) {
    const std::uint64_t bits = generator_();
    if (type_ == ir::Type::kBool) return never_zero_ || (bits & 1) != 0 ? 1 : 0;
    const auto most = static_cast<std::uint64_t>(std::min(range, plan_.Largest(type_)));
    if (plan_.are_of_all_lengths) return OfAnyLength(most, bits);
    return Signed(static_cast<std::int64_t>(1 + (bits >> 1) % most), bits);
  }

  /// All bits that a wide number has, the lowest of them set: nothing with fewer holds it.
  std::int64_t Wide() {
    if (type_ == ir::Type::kBool) return Small(1);
    const std::uint64_t bits = generator_();
    const std::uint64_t top = std::uint64_t{1} << (WideBits(type_) - 1);
    return Signed(static_cast<std::int64_t>(top + 1 + 2 * ((bits >> 1) % (top / 2 - 1))), bits);
  }

 private:
  std::int64_t Signed(std::int64_t number, std::uint64_t bits) const {
    return (bits & 1) != 0 && ir::InfoOf(type_).is_signed ? -number : number;
  }

  /// Up to `most`, which is all ones: each length as often as any other, and now and then the end
  /// of the range.
  std::int64_t OfAnyLength(std::uint64_t most, std::uint64_t bits) {
    constexpr std::uint64_t kEnds = 16;
    const auto longest = static_cast<std::uint64_t>(std::bit_width(most));
    if ((bits >> 1) % kEnds == 0) return Signed(static_cast<std::int64_t>(most), bits);
    const std::uint64_t length = (bits >> 8) % longest;
    const std::uint64_t top = std::uint64_t{1} << length;
    return Signed(static_cast<std::int64_t>(top + generator_() % top), bits);
  }

  const ir::Type type_;
  const WholeNumbers& plan_;
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

void DrawWholeNumbers(const Expression& e, const WholeNumbers& plan, std::uint64_t seed,
                      Arrays which, ProblemData& data) {
  Generator generator(seed);
  const std::vector<InputShape> shapes = InputShapes(e);
  const std::vector<bool> divisors = DivisorArrays(e);
  const auto is_drawn = [which](const ir::Array& array) {
    return array.role == ir::ArrayRole::kInput &&
           (which == Arrays::kAll || !ir::IsFloat(array.type));
  };
  std::uint64_t positions = 0;
  std::size_t inputs = 0;
  for (const ir::Array& array : e.arrays) {
    const InputShape& shape = shapes[array.id.index()];
    if (!is_drawn(array) || !shape.is_summed()) continue;
    positions = std::max(positions, shape.Positions());
    ++inputs;
  }
  const auto wide = WidePositions(positions, plan, inputs, generator);
  signed char input = 0;
  for (const ir::Array& array : e.arrays) {
    if (!is_drawn(array)) continue;
    Elements& values = data[array.name].values = Elements(array.type, array.elements);
    const InputShape& shape = shapes[array.id.index()];
    WholeNumberSource source(array.type, plan, divisors[array.id.index()], generator);
    if (!shape.is_summed()) {
      Fill(values, [&] { return source.Small(plan.element); });
      continue;
    }
    ForEachElement(shape, array.elements,
                   [&](std::uint64_t element, std::uint64_t position, std::uint64_t slice) {
                     const signed char who = position < wide.size() ? wide[position] : -1;
                     // Every other slice stays small: there a sum swallows nothing.
                     const bool is_wide = who == input && (!shape.has_slices() || slice % 2 == 1);
                     const ir::Number number = is_wide    ? source.Wide()
                                               : who >= 0 ? source.Small(1)
                                                          : source.Small(plan.range);
                     values.Set(element, number);
                   });
    ++input;
  }
}

/// Elements that say which others are read name some that are there. `beyond`: now and then one
/// that is not, of which the program has to take care.
void DrawIndices(const Expression& e, std::uint64_t seed, bool beyond, ProblemData& data) {
  constexpr std::int64_t kFar = 2;
  constexpr std::uint64_t kSeldom = 16;
  const std::vector<std::optional<IndexRange>> ranges = IndexRanges(e);
  Generator generator(seed ^ 0xD1B54A32D192ED03ULL);
  for (const ir::Array& array : e.arrays) {
    const auto& range = ranges[array.id.index()];
    if (!range) continue;
    const ir::TypeInfo& type = ir::InfoOf(array.type);
    const auto number = [&](std::int64_t far) {
      const auto count = static_cast<std::uint64_t>(range->most - range->least + 2 * far) + 1;
      return range->least - far + static_cast<std::int64_t>(generator() % count);
    };
    Fill(data[array.name].values, [&] {
      const bool is_beyond = beyond && generator() % kSeldom == 0;
      const std::int64_t drawn = number(is_beyond ? kFar : 0);
      const auto as_double = static_cast<double>(drawn);
      return ir::Number(as_double < type.lowest || as_double > type.largest ? range->least : drawn);
    });
  }
}

/// Of floats of 8 bits every fourth is much smaller, so that denormals are among them, down to the
/// smallest ones: f8e4m3 has these from 2^-9, f8e5m2 from 2^-16.
double OfAllSizes(const ir::TypeInfo& type, double drawn, Generator& generator) {
  constexpr std::uint64_t kSeldom = 4;
  const std::uint64_t bits = generator();
  if (bits % kSeldom != 0) return drawn;
  const int least = type.min_exponent - type.bits + 1;
  const auto down = static_cast<int>(bits / kSeldom % static_cast<std::uint64_t>(1 - least));
  return std::copysign(std::max(std::ldexp(std::abs(drawn), -down), std::ldexp(1, least)), drawn);
}

/// Floats in [-1, 1]; of other types whole numbers.
void DrawUniform(const Expression& e, std::uint64_t seed, ProblemData& data) {
  Generator generator(seed);
  bool are_all_floats = true;
  for (const ir::Array& array : e.arrays) {
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
    const bool is_f8 = ir::IsF8(array.type);
    Fill(values, [&] {
      const auto number = static_cast<std::int64_t>(generator() >> (63 - bits)) - one;
      const double drawn = static_cast<double>(number) / static_cast<double>(one);
      return is_f8 ? OfAllSizes(ir::InfoOf(array.type), drawn, generator) : drawn;
    });
  }
  if (are_all_floats) return;
  DrawWholeNumbers(e, LargestIntegers(e), seed, Arrays::kNoFloats, data);
}

/// Roots and logarithms of negative numbers would show nothing of the others.
void MakePositive(const Expression& e, ProblemData& data) {
  const std::vector<bool> positive = PositiveArrays(e);
  for (const ir::Array& array : e.arrays) {
    if (!positive[array.id.index()]) continue;
    Elements& values = data[array.name].values;
    for (std::uint64_t i = 0; i < values.size(); ++i) values.Set(i, std::abs(values[i]));
  }
}

// ---- Casts to integers
// ---------------------------------------------------------------------------

/// What is made of floats that reach a cast to an integer, so that it has a place for them.
struct CastInputs {
  enum class Sign : std::uint8_t { kAsDrawn, kPositive, kNegative };
  Sign sign = Sign::kAsDrawn;
  int shift = 0;  ///< They are 2^shift times as small.
};

/// From what is usual to what is small.
std::vector<CastInputs> WaysToCast(const Expression& e, Inputs inputs) {
  std::vector<CastInputs> ways = {{}};
  if (!CutsFloats(e)) return ways;
  for (const int shift : {0, 4, 12, 28, 60}) {
    if (shift > 0 && inputs != Inputs::kUniform) break;  // Whole numbers stay whole.
    for (const CastInputs::Sign sign :
         {CastInputs::Sign::kAsDrawn, CastInputs::Sign::kPositive, CastInputs::Sign::kNegative}) {
      if (shift > 0 || sign != CastInputs::Sign::kAsDrawn) ways.push_back({sign, shift});
    }
  }
  return ways;
}

void Apply(const CastInputs& way, const Expression& e, ProblemData& data) {
  if (way.sign == CastInputs::Sign::kAsDrawn && way.shift == 0) return;
  const std::vector<bool> cut = CutArrays(e), positive = PositiveArrays(e);
  for (const ir::Array& array : e.arrays) {
    if (!cut[array.id.index()] || !ir::IsFloat(array.type)) continue;
    Elements& values = data[array.name].values;
    for (std::uint64_t i = 0; i < values.size(); ++i) {
      const double size = std::ldexp(std::abs(values[i]), -way.shift);
      const bool is_negative = way.sign == CastInputs::Sign::kNegative ||
                               (way.sign == CastInputs::Sign::kAsDrawn && values[i] < 0);
      values.Set(i, is_negative && !positive[array.id.index()] ? -size : size);
    }
  }
}

/// Results of which nothing is known but that they are numbers.
std::uint64_t Unknown(const ProblemData& data) {
  std::uint64_t unknown = 0;
  for (const auto& [name, array] : data) {
    unknown += static_cast<std::uint64_t>(
        std::ranges::count_if(array.tolerance, [](double each) { return std::isinf(each); }));
  }
  return unknown;
}

/// `make` draws and computes a problem with one of the ways: the first whose casts all have a place
/// for what they are given, or else the one where most have. Nothing: it was stopped.
template <typename Make>
std::optional<ProblemData> WithMeaning(const Expression& e, Inputs inputs, const Make& make) {
  std::optional<ProblemData> best;
  std::uint64_t least = 0;
  for (const CastInputs& way : WaysToCast(e, inputs)) {
    std::optional<ProblemData> data = make(way);
    if (!data) return std::nullopt;
    const std::uint64_t unknown = CutsFloats(e) ? Unknown(*data) : 0;
    if (best && unknown >= least) continue;
    best = std::move(data);
    least = unknown;
    if (least == 0) break;
  }
  return best;
}

// ---- Special values -----------------------------------------------------------------------------

/// Which of two zeros is the larger one nobody says: where that may matter there are none below 0.
bool ComparesZeros(const Expression& e) {
  return std::ranges::any_of(e.nodes, [](const Expression::Node& node) {
    return ir::IsFloat(node.computes) && (node.op == ir::Op::kMin || node.op == ir::Op::kMax);
  });
}

/// Is it open which results an element reaches: has a load of the array an index of its own, or is
/// anything that was stored loaded again?
bool GoesAnywhere(const Expression& e, ir::ArrayId array) {
  return std::ranges::any_of(e.nodes, [array](const Expression::Node& node) {
    return node.store >= 0 || (node.index >= 0 && node.array == array);
  });
}

/// In arrays of floats.
void MakeSpecial(const Expression& e, std::uint64_t seed, ProblemData& data) {
  if (CutsFloats(e)) return;
  Generator generator(seed + 0x9e3779b97f4a7c15ULL);
  const std::vector<InputShape> shapes = InputShapes(e);
  const bool has_sums = SumsInARow(e) > 0;
  const bool compares_zeros = ComparesZeros(e);
  const auto may_be_special = [](const ir::Array& array) {
    return array.role == ir::ArrayRole::kInput && ir::IsFloat(array.type);
  };
  const auto inputs = static_cast<std::size_t>(std::ranges::count_if(e.arrays, may_be_special));
  std::size_t input = 0;
  for (const ir::Array& array : e.arrays) {
    if (!may_be_special(array)) continue;
    Elements& values = data[array.name].values;
    const InputShape& shape = shapes[array.id.index()];
    if (!shape.is_summed()) {
      const bool denormals = !has_sums && HasSpecialDenormals(array.type);
      for (std::uint64_t element = 0; element < values.size(); ++element) {
        if (element % kPerLook == 0 && IsOver()) return;
        const bool turn = element / 32 % inputs == input;
        values.Set(element, SpecialElement(element, turn, denormals, values[element], generator));
      }
    } else if (shape.has_slices()) {
      std::map<std::uint64_t, std::vector<std::uint64_t>> slices;
      ForEachElement(shape, values.size(),
                     [&](std::uint64_t element, std::uint64_t, std::uint64_t slice) {
                       if (IsSpecialSlice(slice)) slices[slice].push_back(element);
                     });
      for (const auto& [slice, elements] : slices) {
        MakeSliceSpecial(slice, elements, generator, values);
      }
    } else if (GoesAnywhere(e, array.id) && values.size() > 0) {
      // One alone, so that something is left of the results.
      values.Set(generator() % values.size(), std::numeric_limits<double>::quiet_NaN());
    }
    for (std::uint64_t i = 0; compares_zeros && i < values.size(); ++i) {
      if (values[i] == 0) values.Set(i, 0);
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

/// Integers are exact whatever the inputs are, floats where they are whole numbers. `plan`: that
/// these were drawn by, and nothing else.
void TolerateNothing(const Expression& e, Inputs inputs, const WholeNumbers* plan,
                     ProblemData& data) {
  const double unit = WholeNumberUnit(e);
  const bool may_be_open = CutsFloats(e) || HidesTerms(e);
  const bool any_zero = SumsInARow(e) > 0 || ComparesZeros(e);
  for (const ir::Array& array : e.arrays) {
    if (array.role != ir::ArrayRole::kOutput) continue;
    const double limit = ExactLimit(e, array.id, plan);
    if (inputs == Inputs::kUniform && std::isfinite(limit)) continue;
    ArrayData& output = data[array.name];
    const bool is_exact = IsExact(output, unit, limit);
    for (std::size_t i = 0; i < output.tolerance.size(); ++i) {
      double& tolerance = output.tolerance[i];
      const double reference = output.reference[i];
      if (tolerance == cpu::kAnything) continue;   // No part of the sample.
      if (may_be_open && std::isinf(tolerance)) {  // Nobody says what it is.
        if (!std::isfinite(reference)) tolerance = cpu::kAnything;
        continue;
      }
      const double of_roundings = std::isfinite(tolerance) ? tolerance : 0;
      if (is_exact || !std::isfinite(reference)) tolerance = 0;
      if (inputs != Inputs::kSpecial || !ir::IsFloat(array.type)) continue;
      if (!(std::abs(reference) < kTiny)) continue;
      // A sum begins with 0 and never comes to -0, and of an extreme it is either; without these,
      // the sign of a zero is what the operations say. Of two products in a row the second adds up
      // many multiples of a denormal: more than is exact.
      // Nor is it known where something vanished on the way.
      const bool is_known = !any_zero && (is_exact || of_roundings == 0);
      tolerance =
          reference == 0 && is_known ? cpu::kSameBits : std::max(kDenormalTolerance, of_roundings);
    }
  }
}

/// What is not in a sample is a number, at least, where all results are: so it has been written.
void WantNumbers(const Expression& e, bool are_finite, ProblemData& data) {
  static_assert(derived::kNotSampled == cpu::kAnything);
  if (!are_finite || CutsFloats(e)) return;
  for (const ir::Array& array : e.arrays) {
    for (double& tolerance : data[array.name].tolerance) {
      if (tolerance == cpu::kAnything) tolerance = std::numeric_limits<double>::infinity();
    }
  }
}

/// Fills the references of a problem; `finite`: they must be.
using Compute = std::function<void(ProblemData& data, bool finite)>;

ProblemData Made(const Expression& e, const std::vector<ir::Number>& scalars, std::uint64_t seed,
                 Inputs inputs, const StoppableProducts& products, const Compute& compute) {
  const bool is_special = inputs == Inputs::kSpecial;
  const bool is_finite = !MayLeaveNumbers(e) && !is_special;
  // Draws inputs, and computes what comes of them.
  const auto made = [&](const auto& draw) {
    return WithMeaning(e, inputs, [&](const CastInputs& way) -> std::optional<ProblemData> {
      ProblemData data;
      data.scalars = scalars;
      for (const ir::Array& array : e.arrays) data[array.name];
      draw(data);
      if (IsOver()) return std::nullopt;
      Apply(way, e, data);
      compute(data, is_finite);
      if (IsOver() || products.has_stopped()) return std::nullopt;
      if (!data.has_scalars) data.scalars.clear();
      return data;
    });
  };
  std::optional<ProblemData> data;
  if (inputs == Inputs::kUniform) {
    data = made([&](ProblemData& drawn) {
      DrawUniform(e, seed, drawn);
      MakePositive(e, drawn);
      DrawIndices(e, seed, false, drawn);
    });
    if (!data) return {};
    TolerateNothing(e, inputs, nullptr, *data);
    WantNumbers(e, is_finite, *data);
    return std::move(*data);
  }
  const double unit = WholeNumberUnit(e);
  bool is_exact = false;
  const WholeNumbers* drawn_by = nullptr;  // Special values are beside what a plan says.
  const std::vector<WholeNumbers> plans = WholeNumberPlans(e);
  for (const WholeNumbers& plan : plans) {
    if (is_special && (plan.wide > 0 || plan.element > plan.range)) continue;
    if (!is_special) drawn_by = &plan;
    data = made([&](ProblemData& drawn) {
      DrawWholeNumbers(e, plan, seed, Arrays::kAll, drawn);
      is_special ? MakeSpecial(e, seed, drawn) : MakePositive(e, drawn);
      DrawIndices(e, seed, true, drawn);
    });
    if (!data) return {};
    is_exact = std::ranges::all_of(e.arrays, [&](const ir::Array& array) {
      return array.role == ir::ArrayRole::kInput ||
             IsExact((*data)[array.name], unit, ExactLimit(e, array.id, drawn_by));
    });
    if (is_exact) break;
  }
  // Sums of whole numbers are rounded in one direction for long: limits of the mean are of
  // roundings at random.
  for (const ir::Array& array : e.arrays) (*data)[array.name].rms_limit = 1;
  // So are sums of what is made of them, of which few terms differ: 65536 squares about a mean of
  // 2^-10 are all rounded up. Then n terms may be off by n u / 2 times the sum.
  const double worst = std::sqrt(LongestSum(e)) / (2 * kErrorFactor);
  if (!is_exact && worst > 1) {
    for (const ir::Array& array : e.arrays) {
      for (double& tolerance : (*data)[array.name].tolerance) {
        if (tolerance > 0) tolerance *= worst;
      }
    }
  }
  TolerateNothing(e, inputs, drawn_by, *data);
  WantNumbers(e, is_finite, *data);
  return std::move(*data);
}

/// Another value that means the same: near, of the same sign, and no 0.
ir::Number OtherScalar(const ir::Scalar& scalar) {
  constexpr double kInsteadOfZero = 0.125;
  if (ir::IsFloat(scalar.type)) {
    const double value = scalar.value;
    if (value == 0) return kInsteadOfZero;
    // Of few bits the first of these may be the same number, as it is of the largest one.
    for (const double factor : {1.125, 1.5, 1 / 1.125}) {
      const double other = ir::Rounded(scalar.type, value * factor);
      if (std::isfinite(other) && other != value) return other;
    }
    return value / 2;
  }
  if (scalar.type == ir::Type::kBool) return scalar.value != 0 ? 0 : 1;
  const std::int64_t whole = scalar.value.whole();
  if (whole == -1) return -2;
  const ir::Number more = whole + 1;
  return ir::AreEqual(ir::Rounded(scalar.type, more), more) ? more : ir::Number(whole - 1);
}

std::vector<ir::Number> OtherScalars(const ir::Function& function) {
  std::vector<ir::Number> scalars;
  for (const ir::Scalar& scalar : function.scalars) scalars.push_back(OtherScalar(scalar));
  return scalars;
}

/// A kernel in C++ may have a reference of its own, which is whole.
bool MaySample(const Kernel& kernel) {
  return !kernel.text().empty();
}

/// Refuses what would pass whatever it computes.
void CheckThatSomethingIsKnown(const Task& task, const Expression& e, const ProblemData& data) {
  if (!CutsFloats(e)) return;
  for (const auto& [name, array] : data) {
    const bool is_anything =
        !array.tolerance.empty() &&
        std::ranges::all_of(array.tolerance, [](double each) { return std::isinf(each); });
    if (!is_anything) continue;
    throw KernelError(
        *task.kernel,
        fmt::format("nothing of '{}' could be checked: in each element a float becomes an integer "
                    "that has no place for it, whatever inputs were tried; such a cast means "
                    "nothing (docs/kernels.md, types)",
                    name));
  }
}

}  // namespace

std::string SampleText(const Task& task) {
  if (!MaySample(*task.kernel)) return "";
  return derived::SampleText(derived::ExpressionOf(*task.function));
}

ProblemData MakeProblem(const Task& task, std::uint64_t seed, Inputs inputs,
                        const StopToken* stop) {
  const StoppableProducts products(stop);
  ir::Function function = *task.function;
  std::vector<ir::Number> scalars;
  if (inputs == Inputs::kUniform && seed != kTimedSeed) {
    scalars = OtherScalars(function);
    for (std::size_t i = 0; i < scalars.size(); ++i) function.scalars[i].value = scalars[i];
  }
  const Expression e = derived::ExpressionOf(function);
  // Other problems have other samples.
  std::optional<derived::SampledReferences> sampled;
  if (MaySample(*task.kernel)) sampled.emplace(seed + 16 * static_cast<std::uint64_t>(inputs));
  ProblemData data =
      Made(e, scalars, seed, inputs, products, [&](ProblemData& drawn, bool is_finite) {
        CallKernel(*task.kernel, "Reference", [&] { task.kernel->Reference(task.sizes, drawn); });
        if (IsOver() || products.has_stopped()) return;
        CheckReference(*task.kernel, function, is_finite, CutsFloats(e), drawn);
      });
  if (inputs == Inputs::kUniform) CheckThatSomethingIsKnown(task, e, data);
  return data;
}

ProblemData MakeProblem(const Expression& expression, std::uint64_t seed, Inputs inputs,
                        const StopToken* stop) {
  const StoppableProducts products(stop);
  return Made(expression, {}, seed, inputs, products, [&](ProblemData& drawn, bool /*finite*/) {
    derived::ComputeReference(expression, drawn);
  });
}

std::uint64_t ProblemBytes(const std::vector<ir::Array>& arrays) {
  std::uint64_t bytes = 0;
  for (const ir::Array& array : arrays) {
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

cpu::Problem ViewOf(const std::vector<ir::Array>& arrays, const ProblemData& data) {
  cpu::Problem problem;
  for (const ir::Array& array : arrays) {
    const ArrayData& content = data.find(array.name)->second;
    problem.arrays.push_back({array.name, array.role == ir::ArrayRole::kOutput, array.type,
                              content.values.bytes(), content.reference, content.tolerance,
                              content.rms_limit, content.whole});
  }
  return problem;
}

}  // namespace exh::kernels
