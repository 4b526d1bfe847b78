// SPDX-License-Identifier: MIT
//
// Signs are wished for from the results back to the inputs: an operation passes on what its
// operands must be for its output to be positive, or negative. It is a wish: where two disagree,
// the first one holds, and what comes of the rest is what the operators say (NaN of a negative
// logarithm).
#include "kernels/fused/inputs.h"

#include <algorithm>

#include "base/error.h"
#include "base/random.h"
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

double Drawn(Random& random, Type type, Wish wish, std::int64_t depth) {
  if (type == Type::kBool) return random.Below(2) == 0 ? 0 : 1;
  if (!ir::IsFloat(type)) {
    if (depth > 0) {
      // One beyond each end is nowhere.
      const auto below = static_cast<std::size_t>(std::min<std::int64_t>(depth, 1 << 20) + 2);
      const double position = static_cast<double>(random.Below(below)) - 1;
      return ir::Rounded(type, position < 0 && !ir::InfoOf(type).is_signed ? 0 : position);
    }
    constexpr std::size_t kMost = 9;
    const auto size = static_cast<double>(1 + random.Below(kMost));
    const bool is_negative = ir::InfoOf(type).is_signed && wish == Wish::kNone
                                 ? random.Below(2) == 0
                                 : wish == Wish::kNegative && ir::InfoOf(type).is_signed;
    return is_negative ? -size : size;
  }
  constexpr double kLeast = 0.25;
  const double size = random.Real();
  const double value = wish == Wish::kNone       ? 2 * size - 1
                       : wish == Wish::kPositive ? kLeast + size
                                                 : -kLeast - size;
  return ir::Rounded(type, value);
}

}  // namespace

std::vector<std::vector<double>> DrawInputs(const Graph& graph, std::uint64_t seed,
                                            const StopToken* stop) {
  constexpr std::size_t kPerLook = 1 << 16;  // Numbers between two looks at the token.
  const Wishes wishes(graph);
  Random random(seed);
  std::vector<std::vector<double>> inputs(graph.tensors.size());
  for (const int input : graph.inputs) {
    const Tensor& tensor = graph.tensor(input);
    std::vector<double>& values = inputs[static_cast<std::size_t>(input)];
    const auto count = static_cast<std::size_t>(ElementsOf(tensor.shape));
    values.reserve(count);
    while (values.size() < count) {
      if (values.size() % kPerLook == 0 && IsStopped(stop)) {
        throw Interrupted("interrupted while inputs were drawn");
      }
      values.push_back(Drawn(random, tensor.type, wishes.of(input), wishes.depth(input)));
    }
  }
  return inputs;
}

}  // namespace exh::kernels::fused
