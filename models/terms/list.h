// SPDX-License-Identifier: MIT
//
// The list of terms: the one place that names them. From it come the value of the bound, its
// explanation, and the numbers that a model learns from.
#pragma once

#include <cstddef>
#include <tuple>
#include <utility>

#include "models/terms/access.h"
#include "models/terms/arithmetic.h"
#include "models/terms/blocks.h"
#include "models/terms/cache.h"
#include "models/terms/chain.h"
#include "models/terms/conversion.h"
#include "models/terms/issue.h"
#include "models/terms/latency.h"
#include "models/terms/memory.h"
#include "models/terms/special.h"
#include "models/terms/supply.h"
#include "models/terms/thread.h"
#include "models/terms/traffic.h"

namespace exh::models::terms {

/// One of each. Of equal times the first is the one that the bound is explained with.
using List = std::tuple<Arithmetic, Issue, Thread, SumChain, Conversions, Special, Blocks, Latency,
                        Traffic, Supply, Accesses, Cache, Memory>;
inline constexpr std::size_t kCount = std::tuple_size_v<List>;

/// Calls `visit(term)` for each, in the order of the list.
template <class AList, class Visit>
void ForEach(AList&& list, const Visit& visit) {
  std::apply([&](auto&... term) { (visit(term), ...); }, list);
}

template <class... T>
constexpr bool AllAreTerms(const std::tuple<T...>*) {
  return (IsTerm<T> && ...);
}
static_assert(AllAreTerms(static_cast<const List*>(nullptr)), "term.h says what a term has");

}  // namespace exh::models::terms
