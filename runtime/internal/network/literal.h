// SPDX-License-Identifier: MIT
//
// The literals of a network on partial domains (literal_status.h). `View` is anything with
// domain(Slot) -> Bits and counter(number) -> Interval: the root domains or a state.
#pragma once

#include <span>

#include "runtime/internal/network/network.h"
#include "runtime/internal/network/term_ranges.h"
#include "runtime/interval.h"
#include "runtime/literal_status.h"

namespace exh::runtime::internal {

/// The comparison that a kTerm literal, or a weight, is about.
inline TermView TermOf(const Network& network, std::uint64_t number) {
  return {network.terms, network.universes, network.terms.tests[number]};
}

/// What LiteralStatus() asks, of a network and of what is left.
template <typename View>
struct NetworkFacts {
  const Network& network;
  const View& view;

  Bits domain(Slot slot) const { return view.domain(slot); }
  Interval counter(std::uint32_t number) const { return view.counter(number); }
  static Bits values(const Literal& literal) { return literal.x; }
  static Interval interval(const Literal& literal) { return {literal.x, literal.y}; }
  std::span<const Bits> pairs(const Literal& literal) const {
    return network.pair_relations[literal.x].rows;
  }
  const Bits* masks(const Literal& literal) const { return network.long_masks.data() + literal.x; }
  Truth term(const Literal& literal) const {
    return TermStatus(TermOf(network, literal.x), view, literal.y != 0);
  }
};

template <typename View>
Truth LiteralStatus(const Network& network, const View& view, const Literal& literal) {
  return runtime::LiteralStatus(literal, NetworkFacts<View>{network, view});
}

}  // namespace exh::runtime::internal
