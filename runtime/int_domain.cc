// SPDX-License-Identifier: MIT
#include "runtime/int_domain.h"

#include <algorithm>
#include <numeric>

#include "runtime/interval.h"

namespace exh::runtime {

bool HoldsForSome(CompareOp op, std::uint32_t value, std::span<const std::uint32_t> numbers) {
  if (numbers.empty()) return false;
  switch (op) {
    case CompareOp::kLt:
    case CompareOp::kLe:
      return Compare(op, value, numbers.back());
    case CompareOp::kGt:
    case CompareOp::kGe:
      return Compare(op, value, numbers.front());
    case CompareOp::kEq:
      return std::binary_search(numbers.begin(), numbers.end(), value);
    case CompareOp::kNe:
      return numbers.size() > 1 || value != numbers.front();
  }
  return false;
}

Bits ValuesThat(Universe universe, CompareOp op, std::span<const std::uint32_t> numbers) {
  EXH_CHECK(universe.size() <= 64);
  Bits values = 0;
  for (std::size_t i = 0; i < universe.size(); ++i) {
    if (HoldsForSome(op, universe[i], numbers)) values |= Bits{1} << i;
  }
  return values;
}

std::uint64_t IntDomain::gcd() const {
  std::uint64_t result = 0;
  for (const std::uint32_t number : Numbers()) result = std::gcd(result, std::uint64_t{number});
  return result;
}

std::uint64_t IntDomain::lcm() const {
  std::uint64_t result = 1;
  for (const std::uint32_t number : Numbers()) {
    if (number == 0) return 0;
    result = result == kSaturated
                 ? result
                 : SaturatingMul(result / std::gcd(result, std::uint64_t{number}), number);
  }
  return result;
}

bool IntDomain::Contains(std::uint32_t number) const {
  const auto it = std::lower_bound(universe_.begin(), universe_.end(), number);
  return it != universe_.end() && *it == number && (bits_ >> (it - universe_.begin()) & 1) != 0;
}

std::vector<std::uint32_t> IntDomain::Numbers() const {
  std::vector<std::uint32_t> numbers;
  for (Bits rest = bits_; rest != 0; rest &= rest - 1) {
    numbers.push_back(universe_[std::countr_zero(rest)]);
  }
  return numbers;
}

bool IntDomain::Must(CompareOp op, std::span<const std::uint32_t> numbers) const {
  for (const std::uint32_t value : Numbers()) {
    for (const std::uint32_t number : numbers) {
      if (!Compare(op, value, number)) return false;
    }
  }
  return true;
}

bool IntDomain::May(CompareOp op, std::span<const std::uint32_t> numbers) const {
  return (bits_ & ValuesThat(universe_, op, numbers)) != 0;
}

IntDomain& IntDomain::Insert(std::uint32_t number) {
  bits_ |= ValuesThat(universe_, CompareOp::kEq, std::span(&number, 1));
  return *this;
}

}  // namespace exh::runtime
