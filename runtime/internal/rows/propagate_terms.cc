// SPDX-License-Identifier: MIT
//
// Long decisions and integer terms. A long decision has a slot a word. Whichever of them changes,
// the first one is queued: what reads the decision hangs on that. How a comparison of terms narrows
// what it reads is in internal/network/term_filter.h.
#include <algorithm>
#include <array>
#include <bit>

#include "base/check.h"
#include "runtime/internal/network/term_filter.h"
#include "runtime/internal/rows/propagator.h"

namespace exh::runtime::internal {
namespace {

/// Two terms round a cycle, each larger than the other, creep by one a step. Counters over wider
/// intervals are left to what is decided.
constexpr std::uint64_t kWidestCreep = std::uint64_t{1} << 16;

}  // namespace

bool Propagator::KeepLong(Slot first, std::uint32_t words, const Bits* allowed, Origin origin) {
  bool any = false, changes = false;
  for (std::uint32_t word = 0; word < words; ++word) {
    const Bits before = domain(first + word);
    any |= (before & allowed[word]) != 0;
    changes |= (before & ~allowed[word]) != 0;
  }
  if (!changes) return true;
  if (!any) return Fail(origin);
  for (std::uint32_t word = 0; word < words; ++word) {
    state_.set_domain(layout_, first + word, domain(first + word) & allowed[word]);
  }
  work_.slots.Insert(first);
  return true;
}

Propagation Propagator::Restrict(const Action& action) {
  const Slot first = instance_.slot(action.decision);
  if (first < layout_.first_long()) return Restrict(first, action.values);
  const auto words = static_cast<std::uint32_t>(instance_.num_words(action.decision));
  EXH_CHECK(action.word < words);
  std::array<Bits, kMaxValues / 64> allowed;
  std::fill_n(allowed.begin(), words, action.keeps_other_words ? ~Bits{0} : Bits{0});
  allowed[action.word] = action.values;
  return KeepLong(first, words, allowed.data(), {}) ? Propagation::kFixpoint
                                                    : Propagation::kDeadEnd;
}

bool Propagator::KeepNumbersWithin(Slot first, const std::vector<std::uint32_t>& universe,
                                   Interval allowed, Origin origin) {
  const auto begin = std::ranges::lower_bound(universe, allowed.min) - universe.begin();
  const auto end = std::ranges::upper_bound(universe, allowed.max) - universe.begin();
  // Bits begin … end - 1, by words.
  const auto below = [](std::ptrdiff_t bit, std::ptrdiff_t word) {
    const std::ptrdiff_t here = bit - 64 * word;
    return here <= 0 ? Bits{0} : here >= 64 ? ~Bits{0} : (Bits{1} << here) - 1;
  };
  if (universe.size() <= 64) return Keep(first, below(end, 0) & ~below(begin, 0), origin);
  std::array<Bits, kMaxValues / 64> words;
  const auto num_words = static_cast<std::ptrdiff_t>((universe.size() + 63) / 64);
  for (std::ptrdiff_t word = 0; word < num_words; ++word) {
    words[static_cast<std::size_t>(word)] = below(end, word) & ~below(begin, word);
  }
  return KeepLong(first, static_cast<std::uint32_t>(num_words), words.data(), origin);
}

/// Where a filter puts what it finds.
class Propagator::TermSink {
 public:
  TermSink(Propagator& propagator, Origin origin) : p_(propagator), origin_(origin) {}

  bool Fail() { return p_.Fail(origin_); }

  bool KeepNumbers(const TermLeaf& leaf, Whole min, Whole max) {
    if (max < min || max.sign() < 0) return Fail();
    return p_.KeepNumbersWithin(leaf.slot, p_.network_.universes[leaf.universe],
                                {min.sign() < 0 ? 0 : static_cast<std::uint64_t>(min.value),
                                 static_cast<std::uint64_t>(max.value)},
                                origin_);
  }

  bool KeepValues(const TermLeaf& leaf, const Bits* words) {
    return leaf.words == 1 ? p_.Keep(leaf.slot, words[0], origin_)
                           : p_.KeepLong(leaf.slot, leaf.words, words, origin_);
  }

  bool KeepCounter(std::uint32_t counter, Whole min, Whole max, std::int64_t offset) {
    if (p_.counter(counter).max > kWidestCreep) return true;
    const Whole low = Sum(min, Whole{-offset}, true), high = Sum(max, Whole{-offset}, false);
    if (high < low || high.sign() < 0) return Fail();
    return p_.KeepCounter(counter,
                          {low.sign() < 0 ? 0 : static_cast<std::uint64_t>(low.value),
                           high.IsInfinite() ? kSaturated : static_cast<std::uint64_t>(high.value)},
                          origin_);
  }

 private:
  Propagator& p_;
  const Origin origin_;
};

bool Propagator::RunTerm(std::uint64_t term, bool negated, Origin origin) {
  TermSink sink(*this, origin);
  return FilterTerm(TermOf(network_, term), *this, negated, &sink);
}

bool Propagator::KeepTerm(std::uint32_t term, Interval allowed, Origin origin) {
  TermSink sink(*this, origin);
  return KeepTermWithin(TermOf(network_, term), *this, Whole::Bound(allowed.min, true),
                        Whole::Bound(allowed.max, false), &sink);
}

}  // namespace exh::runtime::internal
