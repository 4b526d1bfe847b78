// SPDX-License-Identifier: MIT
#include "tests/cuda_shim/block_order.h"

#include <algorithm>
#include <utility>

namespace exh_shim {

void BlockOrder::BeginKernel(unsigned grid, unsigned threads) {
  events_ = 0;
  latest_.resize(threads);
  earlier_.resize(threads);
  releases_.assign(grid, {});
}

void BlockOrder::BeginBlock(unsigned block) {
  block_ = block;
  any_fence_ = false;
  std::fill(latest_.begin(), latest_.end(), LastFence{});
  std::fill(earlier_.begin(), earlier_.end(), LastFence{});
  taken_.clear();
}

Written BlockOrder::Write(unsigned thread, std::uint32_t interval) const {
  return {static_cast<std::int32_t>(block_), thread, interval, events_};
}

void BlockOrder::Fence(unsigned thread, std::uint32_t interval) {
  any_fence_ = true;
  LastFence& latest = latest_[thread];
  if (latest.interval != interval) earlier_[thread] = latest;
  latest = {++events_, interval};
}

void BlockOrder::Ticket(unsigned thread, std::uint32_t interval, std::int64_t offset) {
  taken_.push_back({offset, thread, interval});
  if (!any_fence_) return;
  Release release = {offset, 0, std::vector<std::uint32_t>(latest_.size())};
  for (std::size_t t = 0; t < latest_.size(); ++t) {
    const bool is_before = t == thread || latest_[t].interval < interval;
    const LastFence& fence = is_before ? latest_[t] : earlier_[t];
    release.fenced[t] = fence.event;
    release.before = std::max(release.before, fence.interval);
  }
  releases_[block_].push_back(std::move(release));
}

bool BlockOrder::Sees(const Written& written, unsigned thread, std::uint32_t interval) const {
  const auto& releases = releases_[static_cast<std::size_t>(written.block)];
  return std::any_of(releases.begin(), releases.end(), [&](const Release& release) {
    const bool is_out =
        written.interval < release.before || written.event < release.fenced[written.thread];
    return is_out && std::any_of(taken_.begin(), taken_.end(), [&](const Taken& taken) {
             const bool is_before = taken.thread == thread || taken.interval < interval;
             return is_before && taken.ticket == release.ticket;
           });
  });
}

}  // namespace exh_shim
