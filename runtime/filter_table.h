// SPDX-License-Identifier: MIT
//
// The specification filters of a generated space as data: which clause each belongs to, and a way
// to call it without knowing its type. `filters::All()` of generated code lists them, so that a
// proof can go through all filters of any space.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "runtime/enum_domain.h"
#include "runtime/int_domain.h"
#include "runtime/interval.h"
#include "runtime/space.h"

namespace exh::runtime {

/// What a filter is given, whatever its type; each parameter reads the members that it needs.
struct FilterArgument {
  Bits bits = 0;       ///< Values of an enum, numbers of an integer as bits over `numbers`.
  Interval interval;   ///< Of a counter.
  bool holds = false;  ///< Of a predicate.
  std::span<const std::uint32_t> numbers;  ///< The universe of an integer; what a snippet yields.
};

/// What a filter leaves of its target: bits of an enum or integer, or the interval of a counter.
struct FilterResult {
  Bits bits = 0;
  Interval interval;
};

/// One filter. Its arguments are, in this order: the universe of the target if that is an integer,
/// the domains of the inputs, what the snippets of the clause yield in the order of its conditions.
struct SpecFilter {
  std::string_view name;  ///< "halo_needs_threads::FilterHalo".
  int clause = -1;        ///< Index in Space::clauses.
  ChoiceUse target;       ///< In the orientation in which the filter reads a pair.
  std::vector<ChoiceUse> inputs;
  FilterResult (*call)(std::span<const FilterArgument> arguments) = nullptr;
};

/// The parameter of type T that an argument stands for.
template <typename T>
T ReadArgument(const FilterArgument& argument) {
  if constexpr (std::is_same_v<T, bool>) {
    return argument.holds;
  } else if constexpr (std::is_same_v<T, Interval>) {
    return argument.interval;
  } else if constexpr (std::is_same_v<T, IntDomain>) {
    return IntDomain(argument.numbers, argument.bits);
  } else if constexpr (std::is_same_v<T, std::span<const std::uint32_t>>) {
    return argument.numbers;
  } else {
    return T::FromBits(argument.bits);
  }
}

namespace internal {

template <auto kFilter, typename Result, typename... Parameters, std::size_t... kIndex>
FilterResult CallTyped(Result (*)(Parameters...), std::span<const FilterArgument> arguments,
                       std::index_sequence<kIndex...>) {
  EXH_CHECK(arguments.size() == sizeof...(Parameters));
  const Result result =
      kFilter(ReadArgument<std::remove_cvref_t<Parameters>>(arguments[kIndex])...);
  if constexpr (std::is_same_v<Result, Interval>) {
    return {.interval = result};
  } else {
    return {.bits = result.bits()};
  }
}

template <typename Result, typename... Parameters>
constexpr std::size_t CountParameters(Result (*)(Parameters...)) {
  return sizeof...(Parameters);
}

}  // namespace internal

/// Calls `kFilter` with arguments read by the types of its parameters.
template <auto kFilter>
FilterResult CallFilter(std::span<const FilterArgument> arguments) {
  return internal::CallTyped<kFilter>(
      kFilter, arguments, std::make_index_sequence<internal::CountParameters(kFilter)>());
}

}  // namespace exh::runtime
