// SPDX-License-Identifier: MIT
//
// CountedTerm: one resource of the device, and the least amount of it that any implementation below
// a candidate takes. A term is a small class; list.h names all of them. An object of it lives as
// long as the bound of one candidate is computed, and holds sums.
//
// Bounds of partially specified candidates are an idea of the paper [5.1]. What is counted it
// leaves to its reference 2, so that no term has a section of its own; why nothing can go below a
// term, its comment says.
//
// A term has
//
//   kResource, kGroup        its name for people, and its place among the numbers (Group)
//   amount()                 what it has counted, 0 or more
//   RateOf(rates)            how fast the device works that off
//   kEnds                    what passes besides, before and after it, in each launch (Ends)
//   Unit(view)               what an amount of 1 is, in words
//   Numbers()                what a model learns from it, always as many
//
// of which CountedTerm has amount(), kEnds and Numbers() for most; and those of the following that
// it needs, which are called in this order:
//
//   Begin(view)              before anything is counted
//   Of(work)                 what it counts of something (work.h): one for each type that it counts
//   Take(use, view)          all accesses of an array are counted (TermOfAccesses)
//   Count(work)              for each TemporaryWork and PartialResults, of those that it counts
//   Finish(view)             everything is counted; of kWaits: Finish(view, thread)
//   EndsNs(view)             in the place of kEnds, where that depends on what was counted
//
// All of them are resolved when the list is compiled: a search computes a bound for every node, and
// what a term does not count costs nothing.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "models/bound.h"
#include "models/terms/work.h"

namespace exh::models::terms {

/// The numbers that a model learns from come group by group, and within one as the list has them.
enum class Group : std::uint8_t {
  kInstructions,  ///< What instructions add up to.
  kBytes,         ///< What has to be moved.
  kWaits,         ///< The second tier: looked at where the others do not reach what is asked for.
};
inline constexpr std::array kGroups = {Group::kInstructions, Group::kBytes, Group::kWaits};

/// How fast a device works off an amount, at most.
struct Rate {
  enum class Unit : std::uint8_t { kPerClock, kGhz, kGbs };

  double per_ns = 0;  ///< 0: not bounded.
  double number = 0;  ///< The same as people say it, in `unit`.
  Unit unit = Unit::kPerClock;

  static Rate PerClock(double number, const DeviceRates& rates) {
    return {number * rates.clock_ghz, number, Unit::kPerClock};
  }
  /// Of an amount that is clocks.
  static Rate Clocks(const DeviceRates& rates) {
    return {rates.clock_ghz, rates.clock_ghz, Unit::kGhz};
  }
  static Rate Gbs(double number) { return {number, number, Unit::kGbs}; }

  /// Nanoseconds; 0 when the rate is not bounded.
  double TimeOf(double amount) const { return per_ns > 0 ? amount / per_ns : 0; }
};

/// What passes in each launch before the first of an amount and after the last of it. What is timed
/// are launches that follow each other: none begins before the last one has ended and what it wrote
/// has arrived. So of an amount that units work off from their first instruction on, the gap
/// between launches passes besides. And of one that needs values that were read, it is the gap to
/// the first of these.
enum class Ends : std::uint8_t {
  kNone,        ///< The amount may be worked off between launches, too.
  kGap,         ///< Instructions: the last of them is followed by a write, or is one.
  kGapAndRead,  ///< … and the first of them waits for something that is read.
};
/// Nanoseconds; 0 of a device of which nothing is known.
inline double NsOf(Ends ends, const WorkView& view) {
  const DeviceRates& rates = view.rates();
  if (ends == Ends::kNone) return 0;
  if (ends == Ends::kGap || !view.inventory().begins_with_read) return rates.launch_gap_ns;
  return std::max(rates.launch_gap_ns, rates.launch_gap_read_ns);
}

/// A sum, and for the explanation its parts.
class CountedTerm {
 public:
  static constexpr Ends kEnds = Ends::kNone;

  double amount() const { return amount_; }
  std::array<double, 1> Numbers() const { return {amount_}; }

  /// `parts` outlives the term; what is added from now on is written down.
  void KeepParts(std::vector<BoundPart>& parts) { parts_ = &parts; }
  void Add(const std::string& what, double more) {
    amount_ += more;
    if (parts_ != nullptr && more > 0) parts_->push_back({what, more});
  }

 protected:
  void SetAmount(double amount) { amount_ = amount; }

 private:
  double amount_ = 0;
  std::vector<BoundPart>* parts_ = nullptr;
};

/// A term that counts accesses. What two accesses of one array read may be the same: the array
/// takes as much as the one that takes most.
class TermOfAccesses : public CountedTerm {
 public:
  void Raise(double amount) { most_ = std::max(most_, amount); }
  /// All accesses of `use` are counted.
  void Take(const ArrayUse& use, const WorkView& view) {
    Add(view.inventory().function.array(use.id).name, TakeMost());
  }

 protected:
  /// Of the array that is being counted; the next one begins.
  double TakeMost() { return std::exchange(most_, 0); }

 private:
  double most_ = 0;
};

/// What every class of the list has.
template <class T>
concept IsTerm = std::derived_from<T, CountedTerm> &&
    requires(const T& term, const WorkView& view) {
  { T::kResource } -> std::convertible_to<std::string_view>;
  { T::kGroup } -> std::convertible_to<Group>;
  { term.amount() } -> std::same_as<double>;
  { term.RateOf(view.rates()) } -> std::same_as<Rate>;
  { T::kEnds } -> std::convertible_to<Ends>;
  { term.Unit(view) } -> std::same_as<std::string>;
  std::tuple_size<decltype(term.Numbers())>::value;
};

/// Besides the amount: what its rate does not know of. Terms may say so themselves.
template <class Term>
double EndsNsOf(const Term& term, const WorkView& view) {
  if constexpr (requires { term.EndsNs(view); }) {
    return term.EndsNs(view);
  } else {
    return NsOf(Term::kEnds, view);
  }
}
/// Nanoseconds that no implementation goes below; 0: the device has no rate, or there is nothing.
template <class Term>
double TimeOf(const Term& term, const WorkView& view) {
  const double ns = term.RateOf(view.rates()).TimeOf(term.amount());
  return ns > 0 ? ns + EndsNsOf(term, view) : 0;
}

/// Does the term count things of this kind?
template <class T, class Thing>
concept Counts = requires(const T& term, const Thing& thing) {
  { term.Of(thing) } -> std::same_as<double>;
};

}  // namespace exh::models::terms
