// SPDX-License-Identifier: MIT
//
// Signs are wished for from the results back to the inputs: an operation passes on what its
// operands must be for its output to be positive, or negative. It is a wish: where two disagree,
// the first one holds, and what comes of the rest is what the operators say (NaN of a negative
// logarithm).
#include "kernels/fused/inputs.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <random>

#include "base/error.h"
#include "base/random.h"
#include "kernels/derived/reference/special_values.h"
#include "kernels/ir/elements.h"
#include "kernels/ir/types.h"

namespace exh::kernels::fused {
namespace {

using ir::Type;

enum class Wish : std::uint8_t { kNone, kPositive, kNegative };

Wish Opposite(Wish wish) {
  return wish == Wish::kPositive   ? Wish::kNegative
         : wish == Wish::kNegative ? Wish::kPositive
                                   : wish;
}

class Wishes {
 public:
  explicit Wishes(const Graph& graph)
      : wishes_(graph.tensors.size()), depths_(graph.tensors.size()) {
    for (auto of = graph.operations.rbegin(); of != graph.operations.rend(); ++of) PassOn(*of);
  }

  Wish of(int tensor) const { return wishes_[static_cast<std::size_t>(tensor)]; }
  /// Of positions: how many there are.
  std::int64_t depth(int tensor) const { return depths_[static_cast<std::size_t>(tensor)]; }

 private:
  void Want(const Operation& of, std::size_t operand, Wish wish) {
    const int tensor = of.inputs[operand].tensor;
    if (tensor < 0 || this->of(tensor) != Wish::kNone) return;
    wishes_[static_cast<std::size_t>(tensor)] = wish;
  }

  void PassOn(const Operation& of) {
    const Wish wish = this->of(of.output);
    switch (of.kind) {
      case Kind::kLog:
      case Kind::kSqrt:
      case Kind::kRsqrt:
        return Want(of, 0, Wish::kPositive);
      case Kind::kReciprocal:
        return Want(of, 0, wish == Wish::kNone ? Wish::kPositive : wish);
      case Kind::kRealDiv:
        Want(of, 1, Wish::kPositive);
        return Want(of, 0, wish);
      case Kind::kPow:
        return Want(of, 0, Wish::kPositive);
      case Kind::kAbs:
      case Kind::kSquare:
      case Kind::kExp:
        return;
      case Kind::kNeg:
        return Want(of, 0, Opposite(wish));
      case Kind::kSub:
        Want(of, 0, wish);
        return Want(of, 1, Opposite(wish));
      case Kind::kMul:
      case Kind::kMatMul:
      case Kind::kBatchMatMul:
      case Kind::kConv2D:
        // The square of anything will do; of two operands one has the sign.
        if (of.inputs[0].tensor == of.inputs[1].tensor && !of.inputs[0].is_number()) return;
        if (of.inputs[0].is_number() && of.inputs[0].number < 0) return Want(of, 1, Opposite(wish));
        if (of.inputs[1].is_number() && of.inputs[1].number < 0) return Want(of, 0, Opposite(wish));
        if (wish == Wish::kNone) return;
        Want(of, 0, of.inputs[1].is_number() ? wish : Wish::kPositive);
        return Want(of, 1, wish);
      case Kind::kSelect:
        Want(of, 1, wish);
        return Want(of, 2, wish);
      case Kind::kOneHot:
        if (!of.inputs[0].is_number()) {
          depths_[static_cast<std::size_t>(of.inputs[0].tensor)] = of.attributes.depth;
        }
        return;
      default:
        break;
    }
    if (InfoOf(of.kind).yields_bool) return;
    for (std::size_t i = 0; i < of.inputs.size(); ++i) Want(of, i, wish);
  }

  std::vector<Wish> wishes_;
  std::vector<std::int64_t> depths_;
};

constexpr std::size_t kMostInteger = 9;

/// Positions of OneHot: one beyond each end is nowhere.
double Position(Random& random, Type type, std::int64_t depth) {
  const auto below = static_cast<std::size_t>(std::min<std::int64_t>(depth, 1 << 20) + 2);
  const double position = static_cast<double>(random.Below(below)) - 1;
  return ir::Rounded(type, position < 0 && !ir::InfoOf(type).is_signed ? 0 : position);
}

double Signed(Random& random, Type type, Wish wish, double size) {
  const bool is_negative = ir::InfoOf(type).is_signed && wish == Wish::kNone
                               ? random.Below(2) == 0
                               : wish == Wish::kNegative && ir::InfoOf(type).is_signed;
  return is_negative ? -size : size;
}

double Drawn(Random& random, Type type, Wish wish, std::int64_t depth) {
  if (type == Type::kBool) return random.Below(2) == 0 ? 0 : 1;
  if (!ir::IsFloat(type)) {
    if (depth > 0) return Position(random, type, depth);
    return Signed(random, type, wish, static_cast<double>(1 + random.Below(kMostInteger)));
  }
  constexpr double kLeast = 0.25;
  const double size = random.Real();
  const double value = wish == Wish::kNone       ? 2 * size - 1
                       : wish == Wish::kPositive ? kLeast + size
                                                 : -kLeast - size;
  return ir::Rounded(type, value);
}

/// An integer of a type with all the bits that it has: one of the extremes, beside a power of two,
/// or any.
double WideInteger(Random& random, Type type, Wish wish) {
  const ir::TypeInfo& info = ir::InfoOf(type);
  // References are in double precision: products of two still have to be exact.
  constexpr double kMostLong = (1 << 26) - 1;
  const double most = type == Type::kI64 ? kMostLong : info.largest;
  const double least = type == Type::kI64 ? -kMostLong : info.lowest;
  constexpr std::size_t kTurns = 8;
  switch (random.Below(kTurns)) {
    case 0:
      return wish == Wish::kNegative && info.is_signed ? least : most;
    case 1:
      return wish == Wish::kPositive || !info.is_signed ? most - 1 : least;
    case 2: {
      const double size =
          std::ldexp(1,
                     static_cast<int>(random.Below(static_cast<std::size_t>(std::ilogb(most))))) +
          1;
      return Signed(random, type, wish, std::min(size, most));
    }
    default:
      return Signed(random, type, wish, std::max(1.0, std::floor(random.Real() * most)));
  }
}

double DrawnWhole(Random& random, Type type, Wish wish, std::int64_t depth, int range,
                  bool is_wide) {
  if (type == Type::kBool) return random.Below(2) == 0 ? 0 : 1;
  if (ir::IsFloat(type)) {
    const double most = std::min<double>(range, std::ldexp(1, ir::InfoOf(type).bits) - 1);
    const double size = 1 + std::floor(random.Real() * most);
    return Signed(random, type, wish, std::min(size, most));
  }
  if (depth > 0) return Position(random, type, depth);
  if (is_wide) return WideInteger(random, type, wish);
  return Signed(random, type, wish, static_cast<double>(1 + random.Below(kMostInteger)));
}

/// By tensor and dimension: does a statement reduce it, or what comes of it?
std::vector<std::vector<bool>> Summed(const StatementList& list) {
  std::vector<std::vector<bool>> summed;
  for (const StatementTensor& tensor : list.tensors)
    summed.emplace_back(tensor.shape.size(), false);
  for (auto of = list.statements.rbegin(); of != list.statements.rend(); ++of) {
    const auto& written = summed[static_cast<std::size_t>(of->write.tensor)];
    std::vector<bool> iterators;
    for (std::size_t i = 0; i < of->iterators.size(); ++i) {
      bool is_summed = of->iterators[i].is_reduction;
      for (std::size_t d = 0; d < written.size(); ++d) {
        is_summed = is_summed || (written[d] && of->write.rows[d].Uses(static_cast<int>(i)));
      }
      iterators.push_back(is_summed);
    }
    for (const Access& read : of->reads) {
      auto& dims = summed[static_cast<std::size_t>(read.tensor)];
      for (std::size_t d = 0; d < dims.size(); ++d) {
        for (std::size_t i = 0; i < iterators.size(); ++i) {
          if (iterators[i] && read.rows[d].Uses(static_cast<int>(i))) dims[d] = true;
        }
      }
    }
  }
  return summed;
}

/// As many numbers as the tensor has elements. Throws Interrupted when `stop` is stopped.
template <typename Draw>
std::vector<double> Filled(const GraphTensor& tensor, const StopToken* stop, const Draw& draw) {
  constexpr std::size_t kPerLook = 1 << 16;  // Numbers between two looks at the token.
  const auto count = static_cast<std::size_t>(ElementsOf(tensor.shape));
  std::vector<double> values;
  values.reserve(count);
  while (values.size() < count) {
    if (values.size() % kPerLook == 0 && IsStopped(stop)) {
      throw Interrupted("interrupted while inputs were drawn");
    }
    values.push_back(draw());
  }
  return values;
}

/// The number of an element along all dimensions that nothing sums over.
std::uint64_t SliceOf(std::uint64_t element, const std::vector<std::int64_t>& shape,
                      const std::vector<bool>& summed) {
  std::uint64_t slice = 0, pitch = 1;
  for (std::size_t d = shape.size(); d-- > 0;) {
    const auto extent = static_cast<std::uint64_t>(shape[d]);
    if (!summed[d]) {
      slice += element % extent * pitch;
      pitch *= extent;
    }
    element /= extent;
  }
  return slice;
}

}  // namespace

std::vector<std::vector<double>> DrawWholeInputs(const Graph& graph, const StatementList& list,
                                                 std::uint64_t seed, const WholeRange& range,
                                                 const StopToken* stop) {
  const Wishes wishes(graph);
  const std::vector<std::vector<bool>> summed = Summed(list);
  Random random(seed);
  std::vector<std::vector<double>> inputs(graph.tensors.size());
  for (const int input : graph.inputs) {
    const auto at = static_cast<std::size_t>(input);
    const GraphTensor& tensor = graph.tensor(input);
    const bool is_summed = std::ranges::find(summed[at], true) != summed[at].end();
    inputs[at] = Filled(tensor, stop, [&] {
      return DrawnWhole(random, tensor.type, wishes.of(input), wishes.depth(input),
                        is_summed ? range.summed : range.element, range.wide_integers);
    });
  }
  return inputs;
}

bool MakeInputsSpecial(const Graph& graph, const StatementList& list, std::uint64_t seed,
                       SpecialKinds kinds, std::vector<std::vector<double>>& inputs) {
  const std::vector<std::vector<bool>> summed = Summed(list);
  const bool has_sums = std::ranges::any_of(
      list.statements, [](const Statement& of) { return of.reduces.has_value(); });
  // Which of two zeros is the larger one nobody says.
  const bool has_extremes = std::ranges::any_of(list.statements, [](const Statement& of) {
    const auto is_extreme = [](ir::Op op) { return op == ir::Op::kMin || op == ir::Op::kMax; };
    return (of.reduces && is_extreme(*of.reduces)) ||
           std::ranges::any_of(of.steps, [&](const Step& step) {
             return step.what == Step::What::kCompute && is_extreme(step.op);
           });
  });
  const auto put = [&](double special, double& value) {
    if (kinds != SpecialKinds::kAll && std::isfinite(special)) return;
    value = has_extremes && special == 0 ? 0 : special;
  };
  std::vector<std::size_t> floats, totals;
  for (const int input : graph.inputs) {
    if (ir::IsFloat(graph.tensor(input).type)) floats.push_back(static_cast<std::size_t>(input));
  }
  std::mt19937_64 generator(seed + 0x9e3779b97f4a7c15ULL);
  bool has_any = false;
  for (std::size_t number = 0; number < floats.size(); ++number) {
    const std::size_t at = floats[number];
    const Type type = graph.tensors[at].type;
    const std::vector<std::int64_t>& shape = list.tensors[at].shape;
    std::vector<double>& values = inputs[at];
    if (std::ranges::find(summed[at], true) == summed[at].end()) {
      const bool denormals = !has_sums && derived::HasSpecialDenormals(type);
      constexpr std::uint64_t kPattern = 32;
      for (std::uint64_t i = 0; i < values.size(); ++i) {
        const bool turn = i / kPattern % floats.size() == number;
        const double special =
            ir::Rounded(type, derived::SpecialElement(i, turn, denormals, values[i], generator));
        put(special, values[i]);
      }
      has_any = true;
    } else if (std::ranges::find(summed[at], false) != summed[at].end()) {
      std::map<std::uint64_t, std::vector<std::uint64_t>> slices;
      for (std::uint64_t i = 0; i < values.size(); ++i) {
        const std::uint64_t slice = SliceOf(i, shape, summed[at]);
        if (derived::IsSpecialSlice(slice)) slices[slice].push_back(i);
      }
      ir::Elements elements(type, values.size());
      for (std::uint64_t i = 0; i < values.size(); ++i) elements.Set(i, values[i]);
      for (const auto& [slice, members] : slices) {
        derived::MakeSliceSpecial(slice, members, generator, elements);
      }
      for (const auto& [slice, members] : slices) {
        for (const std::uint64_t i : members) {
          const double special = elements[i];
          put(special, values[i]);
        }
      }
      has_any = has_any || !slices.empty();
    } else if (!values.empty()) {
      totals.push_back(at);
    }
  }
  // Everything comes of what is summed up whole: a NaN must reach it.
  if (!has_any && !totals.empty()) {
    std::vector<double>& values = inputs[totals.front()];
    values[generator() % values.size()] = std::numeric_limits<double>::quiet_NaN();
    has_any = true;
  }
  return has_any;
}

std::vector<std::vector<double>> DrawInputs(const Graph& graph, std::uint64_t seed,
                                            const StopToken* stop) {
  const Wishes wishes(graph);
  Random random(seed);
  std::vector<std::vector<double>> inputs(graph.tensors.size());
  for (const int input : graph.inputs) {
    const GraphTensor& tensor = graph.tensor(input);
    inputs[static_cast<std::size_t>(input)] = Filled(tensor, stop, [&] {
      return Drawn(random, tensor.type, wishes.of(input), wishes.depth(input));
    });
  }
  return inputs;
}

}  // namespace exh::kernels::fused
