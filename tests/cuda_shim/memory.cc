// SPDX-License-Identifier: MIT
#include "tests/cuda_shim/memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <limits>
#include <new>

namespace exh_shim {
namespace {

constexpr std::size_t kAlignment = 256;  // What cudaMalloc promises.
constexpr float kPoison = std::numeric_limits<float>::quiet_NaN();

bool SameBits(float a, float b) {
  return std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b);
}

std::string Place(const Region& region, std::int64_t index) {
  return fmt::format("{}[{}]", region.name, index);
}

}  // namespace

Memory::Memory(const Launch& launch) {
  for (unsigned i = 0; i < launch.num_arrays; ++i) {
    const ArrayArgument& facts = launch.facts[i];
    const auto size = static_cast<std::int64_t>(facts.elements);
    Region& region = regions_.emplace_back();
    region = {.name = facts.name,
              .kind = facts.is_output ? RegionKind::kOutput : RegionKind::kInput,
              .data = launch.arrays[i],
              .size = size,
              .reach = size};
    if (!facts.is_output) continue;
    region.written = launch.written[i];
    region.history.resize(facts.elements);
  }
  shared_ = &regions_.emplace_back();
  *shared_ = {.name = "shared",
              .kind = RegionKind::kShared,
              .data = static_cast<float*>(launch.shared),
              .size = static_cast<std::int64_t>(launch.shared_bytes / sizeof(float)),
              .reach = static_cast<std::int64_t>(launch.shared_reach / sizeof(float))};
  shared_->history.resize(static_cast<std::size_t>(shared_->size));
  const std::uint64_t floats = launch.global_floats * launch.grid;
  if (floats == 0) return;
  const std::size_t bytes = (floats * sizeof(float) + kAlignment - 1) / kAlignment * kAlignment;
  global_ = static_cast<float*>(std::aligned_alloc(kAlignment, bytes));
  if (global_ == nullptr) throw std::bad_alloc();
  std::fill_n(global_, floats, kPoison);
  Region& region = regions_.emplace_back();
  region = {.name = "global",
            .kind = RegionKind::kGlobal,
            .data = global_,
            .size = static_cast<std::int64_t>(floats),
            .reach = static_cast<std::int64_t>(floats)};
  region.history.resize(floats);
  region.owner.resize(floats, -1);
}

Memory::~Memory() {
  std::free(global_);
}

Region* Memory::Find(const void* at, long long* index) {
  const auto address = reinterpret_cast<std::uintptr_t>(at);
  for (Region& region : regions_) {
    const auto begin = reinterpret_cast<std::uintptr_t>(region.data);
    const auto bytes = static_cast<std::uint64_t>(region.reach) * sizeof(float);
    if (address < begin || address - begin >= bytes) continue;
    *index = static_cast<long long>((address - begin) / sizeof(float));
    return &region;
  }
  *index = 0;
  return nullptr;
}

void Memory::BeginBlock(unsigned block) {
  block_ = block;
  std::fill_n(shared_->data, shared_->size, kPoison);
  BeginInterval(0);
}

void Memory::BeginInterval(int line) {
  line_ = line;
  ++interval_;
}

std::string Memory::Since() const {
  return line_ == 0 ? "since the start of the block"
                    : fmt::format("since the barrier of line {}", line_);
}

bool Memory::Fail(unsigned thread, const std::string& what) {
  error_ = fmt::format("block {}: thread {} {}", block_, thread, what);
  return false;
}

bool Memory::Check(const Region* region, long long index, int lanes, unsigned thread,
                   const char* verb) {
  if (region == nullptr) return Fail(thread, fmt::format("{} outside of all arrays", verb));
  const auto address =
      reinterpret_cast<std::intptr_t>(region->data) + index * std::intptr_t{sizeof(float)};
  const std::intptr_t bytes = lanes * std::intptr_t{sizeof(float)};
  if ((address & (bytes - 1)) != 0) {
    return Fail(thread, fmt::format("{} {} floats at {}, which is not aligned to {} bytes", verb,
                                    lanes, Place(*region, index), bytes));
  }
  if (index < 0 || index + lanes > region->size) {
    return Fail(thread,
                fmt::format("{} {}, which has {} elements", verb,
                            Place(*region, index < 0 ? index : index + lanes - 1), region->size));
  }
  return true;
}

bool Memory::CheckOwner(Region& region, std::int64_t index, unsigned thread, const char* verb) {
  if (region.kind != RegionKind::kGlobal) return true;
  std::int32_t& owner = region.owner[static_cast<std::size_t>(index)];
  if (owner == -1) owner = static_cast<std::int32_t>(block_);
  if (owner == static_cast<std::int32_t>(block_)) return true;
  return Fail(thread,
              fmt::format("{} {}, which block {} uses too", verb, Place(region, index), owner));
}

ElementHistory& Memory::History(Region& region, std::int64_t index) {
  ElementHistory& history = region.history[static_cast<std::size_t>(index)];
  if (history.interval != interval_) history = {.interval = interval_};
  return history;
}

bool Memory::Read(Region* region, long long index, float* values, int lanes, Via via,
                  unsigned thread) {
  if (!Check(region, index, lanes, thread, "reads")) return false;
  if (via == Via::kReadOnly && region->kind != RegionKind::kInput) {
    return Fail(thread, fmt::format("reads {} with __ldg, which may miss what the launch writes",
                                    Place(*region, index)));
  }
  if (via == Via::kCached && region->kind == RegionKind::kShared) {
    return Fail(thread, fmt::format("reads {} with a cache directive", Place(*region, index)));
  }
  for (int lane = 0; lane < lanes; ++lane, ++index) {
    values[lane] = region->data[index];
    if (region->kind == RegionKind::kInput) continue;
    if (!CheckOwner(*region, index, thread, "reads")) return false;
    ElementHistory& history = History(*region, index);
    const auto self = static_cast<std::int32_t>(thread);
    if (history.writer == self) continue;
    if (history.writer != -1) {
      return Fail(thread, fmt::format("reads {}, which thread {} wrote {}", Place(*region, index),
                                      history.writer, Since()));
    }
    if (history.reader == -1) history.reader = self;
  }
  return true;
}

bool Memory::Write(Region* region, long long index, const float* values, int lanes, Via via,
                   unsigned thread) {
  if (!Check(region, index, lanes, thread, "writes")) return false;
  if (region->kind == RegionKind::kInput) {
    return Fail(thread, fmt::format("writes {}, an input", Place(*region, index)));
  }
  if (via == Via::kCached && region->kind == RegionKind::kShared) {
    return Fail(thread, fmt::format("writes {} with a cache directive", Place(*region, index)));
  }
  for (int lane = 0; lane < lanes; ++lane, ++index) {
    if (!CheckOwner(*region, index, thread, "writes")) return false;
    ElementHistory& history = History(*region, index);
    const auto self = static_cast<std::int32_t>(thread);
    if (history.reader != -1 && history.reader != self) {
      return Fail(thread, fmt::format("writes {}, which thread {} read {}", Place(*region, index),
                                      history.reader, Since()));
    }
    float& value = region->data[index];
    if (history.writer != -1) {
      history.several_writers |= history.writer != self;
      history.varied |= !SameBits(value, values[lane]);
      if (history.several_writers && history.varied) {
        return Fail(thread, fmt::format("writes {} to {}, which another thread wrote too, with "
                                        "another value, {}",
                                        values[lane], Place(*region, index), Since()));
      }
    }
    history.writer = self;
    value = values[lane];
    if (region->written != nullptr && region->written[index] != 255) ++region->written[index];
  }
  return true;
}

}  // namespace exh_shim
