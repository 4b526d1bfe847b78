// SPDX-License-Identifier: MIT
#include "models/terms/memory.h"

#include <algorithm>

namespace exh::models::terms {

void Memory::Count(const TemporaryWork& temporary) {
  const WorkView& view = temporary.view;
  written_ += temporary.read.element_bytes * view.min_blocks() *
              StoredElements(view.inventory().function, view.domains(), temporary.read.block);
}

void Memory::Finish(const WorkView& view) {
  const Inventory& inventory = view.inventory();
  const DeviceRates& rates = inventory.rates;
  // What a cache kept from the run before, or keeps for the next, does not move; it holds each byte
  // once, read or written.
  const double kept = rates.memory_cache_bytes;
  const auto moved = [&](double out) {
    return inventory.caches == CacheState::kWarm ? std::max(0.0, inventory.bytes_read + out - kept)
                                                 : inventory.bytes_read + std::max(0.0, out - kept);
  };
  SetAmount(moved(inventory.bytes_written));
  gbs_ = MemoryGbs(rates, inventory.bytes_read, inventory.bytes_written);
  // More traffic never takes less time, though it may change the mix to a faster one.
  const double all = moved(written_);
  if (all * gbs_ > amount() * rates.memory_gbs) {
    SetAmount(all);
    gbs_ = rates.memory_gbs;
  }
  // Caches on the way take their time, too, and keep nothing that is not counted: what was measured
  // went through the same bytes again and again.
  const double read = inventory.bytes_read, touched = read + inventory.bytes_written;
  const DeviceRates::Sweep* const sweep = SweepOf(rates, touched);
  if (sweep == nullptr) return;
  const auto take_slower = [&](double bytes, double gbs, Counts which) {
    if (gbs_ > 0 && bytes * gbs_ <= amount() * gbs) return;
    SetAmount(bytes);
    gbs_ = gbs;
    counts_ = which;
  };
  const bool is_third = sweep->third_gbs > 0 && IsThirdWritten(read, inventory.bytes_written);
  take_slower(touched, is_third ? sweep->third_gbs : sweep->gbs, Counts::kTouched);
  take_slower(read, sweep->read_gbs, Counts::kRead);
}

}  // namespace exh::models::terms
