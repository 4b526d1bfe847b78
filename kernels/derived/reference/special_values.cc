// SPDX-License-Identifier: MIT
#include "kernels/derived/reference/special_values.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace exh::kernels::derived {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kDenormalStep = 0x1p-142;

enum class Special {
  kNone,
  kNoNumber,
  kAbove,
  kBelow,
  kBothInfinities,
  kDenormal,
  kZeros,
  kLargest
};

Special OfSlice(std::uint64_t slice) {
  static constexpr std::array<Special, 16> kKinds = {
      Special::kNone,     Special::kNoNumber, Special::kDenormal,       Special::kNone,
      Special::kAbove,    Special::kNone,     Special::kBelow,          Special::kLargest,
      Special::kNone,     Special::kZeros,    Special::kBothInfinities, Special::kNone,
      Special::kDenormal, Special::kNone,     Special::kNone,           Special::kNone};
  return kKinds[slice % kKinds.size()];
}

}  // namespace

bool IsSpecialSlice(std::uint64_t slice) {
  return OfSlice(slice) != Special::kNone;
}

double SpecialDenormal(std::mt19937_64& generator) {
  const std::uint64_t bits = generator();
  const double number = kDenormalStep * static_cast<double>((1 << 10) + (bits >> 1) % (7 << 10));
  return (bits & 1) != 0 ? -number : number;
}

void MakeSliceSpecial(std::uint64_t slice, const std::vector<std::uint64_t>& elements,
                      std::mt19937_64& generator, ir::Elements& values) {
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
    case Special::kLargest:
      if (!ir::IsF8(values.type())) return;  // Sums of those that are larger may not be exact.
      return put_somewhere(generator() % 2 == 0 ? ir::InfoOf(values.type()).largest
                                                : ir::InfoOf(values.type()).lowest);
    case Special::kDenormal:
    case Special::kZeros:
      for (const std::uint64_t element : elements) values.Set(element, slice % 2 == 0 ? 0.0 : -0.0);
      if (OfSlice(slice) != Special::kDenormal || !HasSpecialDenormals(values.type())) return;
      return put_somewhere(SpecialDenormal(generator));
  }
}

double SpecialElement(std::uint64_t element, bool turn, bool denormals, double plain,
                      std::mt19937_64& generator) {
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
      return denormals ? SpecialDenormal(generator) : plain;
    case 22:
      return denormals && turn ? SpecialDenormal(generator) : -0.0;
    default:
      return plain;
  }
}

bool HidesTerms(const Expression& e) {
  const auto is_nothing = [](const Expression::Input& input) {
    return input.is_number() && input.scalar.empty() && double{input.number} == -HUGE_VAL;
  };
  bool hides = false, has_terms = false;
  for (const Expression::Node& node : e.nodes) {
    has_terms |= node.op == ir::Op::kExp;
    hides |= node.op == ir::Op::kSelect && std::ranges::any_of(node.inputs, is_nothing);
  }
  return hides && has_terms;
}

}  // namespace exh::kernels::derived
