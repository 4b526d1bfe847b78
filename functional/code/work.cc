// SPDX-License-Identifier: MIT
#include "functional/code/work.h"

#include <algorithm>
#include <map>
#include <set>

namespace exh::functional {
namespace {

constexpr std::int64_t kLanes = 32, kFloatsOfSector = 8, kBanks = 32;
constexpr std::size_t kThreadDimensions = 3;

std::size_t At(int i) {
  return static_cast<std::size_t>(i);
}

/// Values of variables, by number.
using Values = std::vector<std::int64_t>;

Values ZerosFor(const WorkLoops& loops) {
  std::size_t most = kThreadDimensions - 1;
  for (const WorkLoop& loop : loops) most = std::max(most, At(loop.variable));
  return Values(most + 1, 0);
}

/// What each lane's address is, in floats.
std::vector<std::int64_t> AddressesOf(const WorkLoops& loops, const Threads& threads,
                                      const Index& address) {
  std::vector<std::int64_t> all;
  const std::int64_t lanes = std::min(kLanes, threads[0] * threads[1] * threads[2]);
  Values values = ZerosFor(loops);
  for (std::int64_t lane = 0; lane < lanes; ++lane) {
    const Threads place = {lane % threads[0], lane / threads[0] % threads[1],
                           lane / threads[0] / threads[1]};
    std::ranges::copy(place, values.begin());
    for (const WorkLoop& loop : loops) {
      if (loop.dimension < 0) continue;
      values[At(loop.variable)] = std::min(place[At(loop.dimension)], loop.elements - 1);
    }
    all.push_back(address.At(values));
  }
  return all;
}

}  // namespace

double TimesOf(const WorkLoops& loops) {
  double times = 1;
  for (const WorkLoop& loop : loops) times *= loop.rounds;
  return times;
}

double CopiesOf(const WorkLoops& loops, const Index& address) {
  constexpr std::int64_t kMostLookedAt = 1024;
  std::int64_t all = 1;
  WorkLoops used;
  for (const WorkLoop& loop : loops) {
    if (!loop.is_unrolled || !address.Uses(loop.variable)) continue;
    used.push_back(loop);
    all *= loop.elements;
  }
  if (all > kMostLookedAt) return static_cast<double>(all);
  std::set<std::int64_t> addresses;
  Values values = ZerosFor(loops);
  for (std::int64_t copy = 0; copy < all; ++copy) {
    std::int64_t left = copy;
    for (const WorkLoop& loop : used) {
      values[At(loop.variable)] = left % loop.elements;
      left /= loop.elements;
    }
    addresses.insert(address.At(values));
  }
  return static_cast<double>(addresses.size());
}

double TimesOf(const WorkLoops& loops, const Index& address) {
  double times = CopiesOf(loops, address);
  bool changes_inside = false;
  for (auto loop = loops.rbegin(); loop != loops.rend(); ++loop) {
    if (loop->is_unrolled) continue;
    const bool is_used = address.Uses(loop->variable);
    if (is_used || changes_inside) times *= loop->rounds;
    changes_inside |= is_used && loop->rounds > 1;
  }
  return times;
}

double StepsOf(const Index& address) {
  constexpr double kOfQuotient = 4;
  return kOfQuotient * address.NumQuotients();
}

double SectorsOf(const WorkLoops& loops, const Threads& threads, const Index& address) {
  std::set<std::int64_t> sectors;
  for (const std::int64_t at : AddressesOf(loops, threads, address)) {
    sectors.insert(at / kFloatsOfSector);
  }
  return static_cast<double>(sectors.size());
}

double WavefrontsOf(const WorkLoops& loops, const Threads& threads, const Index& address) {
  std::map<std::int64_t, std::set<std::int64_t>> words_of;
  std::size_t most = 1;
  for (const std::int64_t at : AddressesOf(loops, threads, address)) {
    auto& words = words_of[at % kBanks];
    words.insert(at);
    most = std::max(most, words.size());
  }
  return static_cast<double>(most);
}

}  // namespace exh::functional
