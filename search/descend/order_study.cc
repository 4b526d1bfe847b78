// SPDX-License-Identifier: MIT
#include "search/descend/order_study.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace exh::search {
namespace {

MeasuredOrder MeasureOrder(const runtime::Candidate& root, std::vector<std::string> names,
                           const OrderStudyOptions& options) {
  const ChoiceOrder order =
      ChoiceOrder::Parse(fmt::format("{}", fmt::join(names, ",")), root.instance());
  const DeadEndStudy study(order);
  Random random(options.seed);
  MeasuredOrder measured{std::move(names), {}};
  while (measured.share.descents < options.descents && !options.stopped()) {
    ++measured.share.descents;
    if (study.Run(root, random)) ++measured.share.dead;
  }
  return measured;
}

/// Whether the intervals of both shares are apart.
bool IsBelow(const DeadEndShare& a, const DeadEndShare& b) {
  return a.Interval().second < b.Interval().first;
}

}  // namespace

MeasuredOrder StudyOrders(const runtime::Candidate& root, const std::vector<std::string>& first,
                          const OrderStudyOptions& options) {
  MeasuredOrder best = MeasureOrder(root, first, options);
  options.kept(best);
  const auto places = std::min(static_cast<std::size_t>(options.places), first.size());
  for (std::size_t place = 0; place < places; ++place) {
    std::optional<MeasuredOrder> better;
    for (std::size_t from = place + 1; from < best.names.size(); ++from) {
      if (best.share.share() <= options.enough || options.stopped()) return best;
      std::vector<std::string> names = best.names;
      const auto begin = names.begin();
      std::rotate(begin + static_cast<std::ptrdiff_t>(place),
                  begin + static_cast<std::ptrdiff_t>(from),
                  begin + static_cast<std::ptrdiff_t>(from) + 1);
      MeasuredOrder measured = MeasureOrder(root, std::move(names), options);
      if (options.stopped()) return best;  // It was not measured to the end.
      const DeadEndShare& known = better ? better->share : best.share;
      const bool is_better =
          better ? measured.share.share() < known.share() : IsBelow(measured.share, known);
      if (is_better) better = std::move(measured);
    }
    if (!better) continue;
    best = *std::move(better);
    options.kept(best);
  }
  return best;
}

}  // namespace exh::search
