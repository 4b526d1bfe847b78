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

IntDomain::IntDomain(Universe universe, std::span<const Bits> words) : IntDomain(universe) {
  EXH_CHECK(words.size() == num_words());
  first_ = words.front();
  std::copy(words.begin() + 1, words.end(), more_.begin());
}

IntDomain IntDomain::All(Universe universe) {
  IntDomain domain(universe);
  for (std::size_t value = 0; value < universe.size(); ++value) domain.Add(value);
  return domain;
}

IntDomain IntDomain::That(Universe universe, CompareOp op, std::span<const std::uint32_t> numbers) {
  IntDomain domain(universe);
  for (std::size_t value = 0; value < universe.size(); ++value) {
    if (HoldsForSome(op, universe[value], numbers)) domain.Add(value);
  }
  return domain;
}

bool IntDomain::Contains(std::uint32_t number) const {
  const auto it = std::lower_bound(universe_.begin(), universe_.end(), number);
  if (it == universe_.end() || *it != number) return false;
  const auto value = static_cast<std::size_t>(it - universe_.begin());
  return (word(value / 64) >> value % 64 & 1) != 0;
}

std::vector<std::uint32_t> IntDomain::Numbers() const {
  std::vector<std::uint32_t> numbers;
  for (std::size_t i = 0; i < num_words(); ++i) {
    for (Bits rest = word(i); rest != 0; rest &= rest - 1) {
      numbers.push_back(universe_[64 * i + static_cast<std::size_t>(std::countr_zero(rest))]);
    }
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
  return std::ranges::any_of(Numbers(),
                             [&](std::uint32_t value) { return HoldsForSome(op, value, numbers); });
}

IntDomain& IntDomain::Insert(std::uint32_t number) {
  const auto it = std::lower_bound(universe_.begin(), universe_.end(), number);
  if (it != universe_.end() && *it == number) Add(static_cast<std::size_t>(it - universe_.begin()));
  return *this;
}

IntDomain IntDomain::Complement() const {
  IntDomain domain = All(universe_);
  domain.first_ &= ~first_;
  for (std::size_t i = 0; i < more_.size(); ++i) domain.more_[i] &= ~more_[i];
  return domain;
}

}  // namespace exh::runtime
