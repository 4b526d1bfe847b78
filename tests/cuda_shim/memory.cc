// SPDX-License-Identifier: MIT
#include "tests/cuda_shim/memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

namespace exh_shim {
namespace {

constexpr std::size_t kAlignment = 256;  // What cudaMalloc promises.
constexpr int kPoison = 0xff;            // Each byte: NaNs, and integers that nobody computes.
constexpr int kTicketBytes = 4, kWordBytes = 8;
constexpr int kNobody = -1, kSeveral = -2;

/// What messages count in.
int UnitOf(const Region& region, const Access& access) {
  return region.element > 0 ? region.element : access.unit;
}

std::string Place(const Region& region, const Access& access, std::int64_t offset) {
  const int unit = UnitOf(region, access);
  // Below 0, too, an element begins at or before its bytes.
  const std::int64_t rest = (offset % unit + unit) % unit;
  return fmt::format("{}[{}]", region.name, (offset - rest) / unit);
}

/// Who uses something, when `self` does, too.
template <typename T>
T Joined(T user, T self) {
  return user == kNobody || user == self ? self : T{kSeveral};
}

std::size_t Grains(std::int64_t bytes, int grain) {
  return static_cast<std::size_t>((bytes + grain - 1) / grain);
}

constexpr std::int64_t kHalfBytes = 2;

/// Each old grain becomes several, which share its past.
template <typename T>
void Split(std::vector<T>& grains, std::size_t parts, std::size_t count) {
  if (grains.empty()) return;
  std::vector<T> finer(count);
  for (std::size_t i = 0; i < count; ++i) finer[i] = grains[i / parts];
  grains = std::move(finer);
}

void MakeFiner(Region& region, int grain) {
  const auto parts = static_cast<std::size_t>(region.grain / grain);
  region.grain = grain;
  Split(region.history, parts, Grains(region.size, grain));
  Split(region.sharing, parts, Grains(region.size, grain));
  Split(region.arrivals, parts, Grains(region.size, grain));
  Split(region.crossings, parts, Grains(region.size, grain));
  Split(region.pasts, parts, Grains(region.size, grain));
  for (std::size_t i = 0; i < region.arrivals.size(); ++i) {
    std::uint8_t* const bytes = region.arrivals[i].bytes;
    std::memmove(bytes, bytes + i % parts * static_cast<std::size_t>(grain),
                 static_cast<std::size_t>(grain));
  }
}

/// Nothing happened to any grain yet, but before this kernel.
void Forget(Region& region) {
  region.history.assign(Grains(region.size, region.grain), {});
  if (region.kind == RegionKind::kShared) {
    region.arrivals.assign(Grains(region.size, region.grain), {});
    return;
  }
  region.sharing.resize(Grains(region.size, region.grain));
  for (Sharing& sharing : region.sharing) {
    const int before = sharing.before | sharing.now;
    sharing = {};
    sharing.before = static_cast<unsigned char>(before);
  }
}

}  // namespace

Memory::Memory(const Program& program)
    : workspace_bytes_(static_cast<std::int64_t>(program.workspace_bytes)),
      ticket_bytes_(static_cast<std::int64_t>(program.ticket_bytes)),
      statuses_(program.thread_order),
      is_ordered_(program.is_ordered) {
  for (unsigned i = 0; i < program.num_arrays; ++i) {
    const ArrayArgument& facts = program.facts[i];
    const auto size = static_cast<std::int64_t>(facts.elements * facts.element_bytes);
    Region& region = regions_.emplace_back();
    region = {.name = facts.name,
              .kind = facts.is_output ? RegionKind::kOutput : RegionKind::kInput,
              .data = static_cast<unsigned char*>(program.arrays[i]),
              .size = size,
              .reach = size,
              .element = static_cast<int>(facts.element_bytes),
              .grain = static_cast<int>(facts.element_bytes)};
    if (facts.is_output) region.written = program.written[i];
  }
  unsigned most = 1;
  for (unsigned i = 0; i < program.num_kernels; ++i) {
    most = std::max(most, program.kernels[i].cluster);
  }
  for (unsigned rank = 0; rank < most; ++rank) {
    auto* data = static_cast<unsigned char*>(program.shared);
    if (rank > 0) {
      data = static_cast<unsigned char*>(std::aligned_alloc(
          kAlignment,
          Grains(static_cast<std::int64_t>(program.shared_reach), kAlignment) * kAlignment));
      if (data == nullptr) throw std::bad_alloc();
      allocated_.push_back(data);
    }
    shared_.push_back(&regions_.emplace_back());
    *shared_.back() = {.name = "shared",
                       .kind = RegionKind::kShared,
                       .data = data,
                       .size = 0,
                       .reach = static_cast<std::int64_t>(program.shared_reach),
                       .rank = rank};
  }
  const std::uint64_t bytes = program.scratch_bytes;
  if (bytes == 0) return;
  const std::size_t room = (bytes + kAlignment - 1) / kAlignment * kAlignment;
  global_ = static_cast<unsigned char*>(std::aligned_alloc(kAlignment, room));
  if (global_ == nullptr) throw std::bad_alloc();
  std::memset(global_, kPoison, bytes);
  std::memset(global_, 0, program.ticket_bytes);
  scratch_ = &regions_.emplace_back();
  *scratch_ = {.name = "global",
               .kind = RegionKind::kGlobal,
               .data = global_,
               .size = static_cast<std::int64_t>(bytes),
               .reach = static_cast<std::int64_t>(bytes)};
}

Memory::~Memory() {
  std::free(global_);
  for (unsigned char* const data : allocated_) std::free(data);
}

Region* Memory::Find(const void* at, long long* offset) {
  const auto address = reinterpret_cast<std::uintptr_t>(at);
  for (Region& region : regions_) {
    const auto begin = reinterpret_cast<std::uintptr_t>(region.data);
    if (address < begin || address - begin >= static_cast<std::uint64_t>(region.reach)) continue;
    *offset = static_cast<long long>(address - begin);
    return region.kind == RegionKind::kShared ? shared_[rank_] : &region;
  }
  *offset = 0;
  return nullptr;
}

void Memory::BeginKernel(const Kernel& kernel, bool is_early) {
  threads_ = kernel.threads;
  cluster_ = kernel.cluster;
  rank_ = 0;
  copies_.assign(std::size_t{threads_} * cluster_, {});
  arrived_.assign(copies_.size(), 0);
  waited_ = publications_ = arrived_;
  of_rank_.assign(cluster_, {});
  has_ended_.assign(cluster_, false);
  is_early_ = is_early;
  order_.BeginKernel(kernel.grid, kernel.threads);
  statuses_.BeginKernel();
  for (Region* const shared : shared_) {
    shared->size = static_cast<std::int64_t>(kernel.shared_bytes);
  }
  if (scratch_ != nullptr) {
    std::memset(global_ + workspace_bytes_, kPoison,
                static_cast<std::size_t>(scratch_->size - workspace_bytes_));
  }
  for (Region& region : regions_) {
    if (region.kind == RegionKind::kInput) continue;
    Forget(region);
    if (is_ordered_) region.pasts.assign(Grains(region.size, region.grain), {});
  }
}

void Memory::BeginCluster(unsigned first_block) {
  if (!is_ordered_) return;
  mbarriers_.BeginCluster(first_block, cluster_, threads_);
  cluster_news_.clear();
}

void Memory::BeginBlock(unsigned block, unsigned rank) {
  block_ = block;
  rank_ = rank;
  has_ended_[rank] = false;
  has_waited_.assign(threads_, false);
  order_.BeginBlock(block);
  if (is_ordered_) {
    of_rank_[rank].block = ++blocks_;
    if (cluster_ > 1) of_rank_[rank].reached.assign(copies_.size(), 0);
  }
  Region& shared = *shared_[rank];
  std::memset(shared.data, kPoison, static_cast<std::size_t>(shared.size));
  std::fill(shared.arrivals.begin(), shared.arrivals.end(), Arrival{});
  shared.unpublished.assign(Grains(shared.size, kHalfBytes), Unpublished{});
  if (cluster_ > 1) shared.crossings.assign(Grains(shared.size, shared.grain), {});
  for (unsigned thread = 0; thread < threads_; ++thread) {
    copies_[OfThread(thread)] = {};
    arrived_[OfThread(thread)] = waited_[OfThread(thread)] = 0;
  }
  BeginInterval(0);
}

void Memory::GoOn(unsigned block, unsigned rank) {
  block_ = block;
  rank_ = rank;
  line_ = of_rank_[rank].line;
  interval_ = of_rank_[rank].interval;
}

bool Memory::EndBlock() {
  has_ended_[rank_] = true;
  if (const std::string left = mbarriers_.EndBlock(rank_); !left.empty()) {
    error_ = fmt::format("block {} has ended, and {}", block_, left);
    return false;
  }
  if (const std::int64_t other = Unheard(); other >= 0) {
    error_ = fmt::format(
        "block {} has ended, and does not know that {} is done with its shared memory: no barrier "
        "of the cluster is between",
        block_, NameOf(static_cast<unsigned>(other)));
    return false;
  }
  if (!is_early_ || std::ranges::find(has_waited_, true) != has_waited_.end()) return true;
  error_ = fmt::format("block {} has ended, and has not waited for the kernel before", block_);
  return false;
}

void Memory::BeginInterval(int line) {
  line_ = line;
  interval_ = ++intervals_;
  of_rank_[rank_].line = line_;
  of_rank_[rank_].interval = interval_;
  if (is_ordered_) Meet(0, threads_);
}

void Memory::BeginIntervals(int line) {
  for (OfRank& one : of_rank_) {
    one.line = line;
    one.interval = ++intervals_;
  }
  if (!is_ordered_) return;
  for (unsigned thread = 0; thread < cluster_ * threads_; ++thread) {
    mbarriers_.order().Hear(thread, cluster_news_);
  }
  cluster_news_.clear();
}

Region* Memory::SharedOf(const Region* own, int rank) {
  const bool is_own = own == shared_[rank_] && rank >= 0;
  return is_own && static_cast<unsigned>(rank) < cluster_ ? shared_[static_cast<unsigned>(rank)]
                                                          : nullptr;
}

void Memory::ClusterArrive(unsigned thread) {
  ++arrived_[OfThread(thread)];
  if (is_ordered_) mbarriers_.order().Tell(OfThread(thread), cluster_news_);
}

bool Memory::ClusterWait(unsigned thread) {
  if (++waited_[OfThread(thread)] == arrived_[OfThread(thread)]) return true;
  return Fail(thread, "waits for its cluster, and has not arrived once since it did so before");
}

/// What was used before is ordered where its thread has arrived since then, and this one has waited
/// for that.
bool Memory::Cross(Region& region, const Access& access, std::int64_t grain, unsigned thread,
                   bool is_write) {
  if (region.crossings.empty()) return true;
  const auto block = static_cast<std::int32_t>(block_);
  const std::uint32_t arrived = arrived_[OfThread(thread)], waited = waited_[OfThread(thread)];
  const auto fail = [&](const std::string& why) {
    return Fail(thread,
                fmt::format("{} {} of block {} in its cluster, {}", is_write ? "writes" : "reads",
                            Place(region, access, grain * region.grain), region.rank, why));
  };
  if (region.rank != rank_ && waited == 0) return fail("which may not have begun");
  if (region.rank != rank_ && has_ended_[region.rank]) return fail("which has ended");
  if (is_ordered_) return Reach(region.rank, thread, "uses shared memory");  // Else it has a past.
  Crossing& crossing = region.crossings[static_cast<std::size_t>(grain)];
  const auto is_apart = [&](std::int32_t other, std::uint32_t when) {
    return other != kNobody && other != block && when >= waited;
  };
  if (is_apart(crossing.writer, crossing.written)) {
    return fail(fmt::format("which block {} writes: no barrier of the cluster is between",
                            crossing.writer));
  }
  if (!is_write) {
    crossing.reader = Joined(crossing.reader, block);
    crossing.read = std::max(crossing.read, arrived);
    return true;
  }
  if (is_apart(crossing.reader, crossing.read)) {
    return fail("which another one reads: no barrier of the cluster is between");
  }
  crossing.writer = block;
  crossing.written = arrived;
  return true;
}

std::string Memory::NameOf(unsigned of_cluster) const {
  const unsigned rank = of_cluster / threads_;
  const std::string name = fmt::format("thread {}", of_cluster % threads_);
  return rank == rank_ ? name : fmt::format("{} of block {}", name, BlockOf(rank));
}

std::string Memory::Since() const {
  return line_ == 0 ? "since the start of the block"
                    : fmt::format("since the barrier of line {}", line_);
}

bool Memory::Fail(unsigned thread, const std::string& what) {
  error_ = fmt::format("block {}: thread {} {}", block_, thread, what);
  return false;
}

/// Afterwards the access has whole grains.
bool Memory::Check(Region* region, const Access& access, unsigned thread, const char* verb) {
  if (region == nullptr) return Fail(thread, fmt::format("{} outside of all arrays", verb));
  const auto address = reinterpret_cast<std::intptr_t>(region->data) + access.offset;
  if ((address & (access.bytes - 1)) != 0) {
    return Fail(thread, fmt::format("{} {} bytes at {}, which is not aligned to that", verb,
                                    access.bytes, Place(*region, access, access.offset)));
  }
  const std::int64_t end = access.offset + access.bytes;
  if (access.offset < 0 || end > region->size) {
    const std::int64_t outside = access.offset < 0 ? access.offset : end - 1;
    return Fail(thread,
                fmt::format("{} {}, which has {} elements", verb, Place(*region, access, outside),
                            region->size / UnitOf(*region, access)));
  }
  if (access.bytes < region->element) {
    return Fail(thread, fmt::format("{} {} bytes of {}, an element of {}", verb, access.bytes,
                                    Place(*region, access, access.offset), region->element));
  }
  if (access.bytes < region->grain) MakeFiner(*region, access.bytes);
  return true;
}

bool Memory::IsTooEarly(const Sharing& sharing, unsigned thread, Use use) const {
  if (!is_early_ || has_waited_[thread]) return false;
  return (sharing.before & (use == Use::kRead ? kWritten : kUsed)) != 0;
}

bool Memory::Share(Region& region, const Access& access, std::int64_t grain, unsigned thread,
                   Use use) {
  if (region.sharing.empty()) return true;
  Sharing& sharing = region.sharing[static_cast<std::size_t>(grain)];
  const std::int64_t offset = grain * region.grain;
  if (IsTooEarly(sharing, thread, use)) {
    return Fail(thread,
                fmt::format("{} {}, which a kernel before {}, and has not waited for it",
                            use == Use::kRead    ? "reads"
                            : use == Use::kWrite ? "writes"
                                                 : "changes",
                            Place(region, access, offset), use == Use::kRead ? "writes" : "uses"));
  }
  sharing.now |= use == Use::kRead ? kUsed : kUsed | kWritten;
  const std::int64_t self = std::int64_t{block_} * threads_ + thread;
  const bool is_atomic = use == Use::kChange;
  const std::int64_t other = is_atomic ? sharing.plain : sharing.atomic;
  if (other != kNobody && other != self) {
    return Fail(thread,
                fmt::format("{} {}, which another thread of the kernel {}",
                            is_atomic ? "changes" : "accesses", Place(region, access, offset),
                            is_atomic ? "accesses without an atomic operation"
                                      : "changes by an atomic operation"));
  }
  std::int64_t& own = is_atomic ? sharing.atomic : sharing.plain;
  own = Joined(own, self);
  if (region.kind != RegionKind::kGlobal) return true;
  if (offset < workspace_bytes_) {
    return ShareWorkspace(sharing, region, access, offset, thread, use);
  }
  const auto block = static_cast<std::int32_t>(block_);
  if (sharing.owner == kNobody) sharing.owner = block;
  if (sharing.owner == block) return true;
  return Fail(thread,
              fmt::format("{} {}, which block {} uses too", use == Use::kRead ? "reads" : "writes",
                          Place(region, access, offset), sharing.owner));
}

bool Memory::ShareWorkspace(Sharing& sharing, const Region& region, const Access& access,
                            std::int64_t offset, unsigned thread, Use use) {
  const auto block = static_cast<std::int32_t>(block_);
  const Written& written = sharing.written;
  const bool is_of_another = written.block != kNobody && written.block != block;
  if (use == Use::kRead) {
    sharing.reader = Joined(sharing.reader, block);
    if (!is_of_another || order_.Sees(written, thread, interval_)) return true;
    return Fail(thread, fmt::format("reads {}, which block {} wrote: read of a partial result that "
                                    "no fence orders",
                                    Place(region, access, offset), written.block));
  }
  if (use == Use::kChange) return true;
  const bool is_read = sharing.reader != kNobody && sharing.reader != block;
  if (is_of_another || is_read) {
    return Fail(thread, fmt::format("writes {}, which another block {} in the kernel",
                                    Place(region, access, offset), is_read ? "reads" : "writes"));
  }
  sharing.written = order_.Write(thread, interval_);
  return true;
}

History& Memory::HistoryOf(Region& region, std::int64_t grain) {
  History& history = region.history[static_cast<std::size_t>(grain)];
  if (history.interval != interval_) history = {.interval = interval_};
  return history;
}

bool Memory::Read(Region* region, const Access& access, void* value, unsigned thread) {
  if (!Check(region, access, thread, "reads")) return false;
  if (access.via == Via::kReadOnly && region->kind != RegionKind::kInput) {
    return Fail(thread, fmt::format("reads {} with __ldg, which may miss what the launch writes",
                                    Place(*region, access, access.offset)));
  }
  if (access.via == Via::kCached && region->kind == RegionKind::kShared) {
    return Fail(thread, fmt::format("reads {} with a cache directive",
                                    Place(*region, access, access.offset)));
  }
  std::memcpy(value, region->data + access.offset, static_cast<std::size_t>(access.bytes));
  if (region->kind == RegionKind::kInput) return true;
  const std::int64_t first = access.offset / region->grain;
  const std::int64_t end = first + access.bytes / region->grain;
  for (std::int64_t grain = first; grain < end; ++grain) {
    if (!Share(*region, access, grain, thread, Use::kRead)) return false;
    if (!Cross(*region, access, grain, thread, false)) return false;
    if (!Touch(*region, access, grain, thread, "reads")) return false;
    if (is_ordered_) [[unlikely]] {
      if (!ReadInOrder(*region, access, grain, thread)) return false;
      continue;
    }
    History& history = HistoryOf(*region, grain);
    const auto self = static_cast<std::int32_t>(thread);
    if (history.writer == self) continue;
    if (history.writer != -1) {
      return Fail(thread, fmt::format("reads {}, which thread {} wrote {}",
                                      Place(*region, access, grain * region->grain), history.writer,
                                      Since()));
    }
    if (history.reader == -1) history.reader = self;
    history.several_readers |= history.reader != self;
  }
  return true;
}

bool Memory::Touch(const Region& region, const Access& access, std::int64_t grain, unsigned thread,
                   const char* verb) {
  if (region.arrivals.empty()) return true;
  const Arrival& arrival = region.arrivals[static_cast<std::size_t>(grain)];
  if (arrival.copies == 0) return true;
  return Fail(thread, fmt::format("{} {}, which thread {} copies to and has not waited for", verb,
                                  Place(region, access, grain * region.grain), arrival.thread));
}

bool Memory::IsRead(Region& region, const Access& access, std::int64_t grain, unsigned thread,
                    const char* verb) {
  if (is_ordered_) [[unlikely]]
    return IsReadApart(region, access, grain, thread, verb);
  const History& history = HistoryOf(region, grain);
  const bool is_first = history.reader == static_cast<std::int32_t>(thread);
  if (history.reader == -1 || (is_first && !history.several_readers)) return false;
  const std::string who = is_first ? "another thread" : fmt::format("thread {}", history.reader);
  Fail(thread, fmt::format("{} {}, which {} read {}", verb,
                           Place(region, access, grain * region.grain), who, Since()));
  return true;
}

bool Memory::IsVaried(Region& region, const Access& access, std::int64_t grain,
                      const unsigned char* from, unsigned thread, const char* verb) {
  if (is_ordered_) [[unlikely]]
    return IsVariedApart(region, access, grain, from, thread, verb);
  History& history = HistoryOf(region, grain);
  if (history.writer == -1) return false;
  history.several_writers |= history.writer != static_cast<std::int32_t>(thread);
  const unsigned char* const before = region.data + grain * region.grain;
  history.varied |= std::memcmp(before, from, static_cast<std::size_t>(region.grain)) != 0;
  if (!history.several_writers || !history.varied) return false;
  Fail(thread, fmt::format("{} {}, which another thread wrote too, with another value, {}", verb,
                           Place(region, access, grain * region.grain), Since()));
  return true;
}

void Memory::NoteWrite(Region& region, std::int64_t grain, unsigned thread) {
  if (is_ordered_) [[unlikely]]
    return WriteInOrder(region, grain, thread);
  HistoryOf(region, grain).writer = static_cast<std::int32_t>(thread);
}

bool Memory::BeginCopy(Region* to, const Access& access, Region* from, const Access& source,
                       bool is_late, unsigned thread) {
  const char* const verb = "copies to";
  if (!Check(to, access, thread, verb)) return false;
  if (to->kind != RegionKind::kShared) {
    return Fail(thread, fmt::format("copies to {}, which is no shared memory",
                                    Place(*to, access, access.offset)));
  }
  Copy copy = {to, access, {}, is_late, copies_[OfThread(thread)].groups};
  if (from != nullptr && from->kind == RegionKind::kShared) {
    return Fail(thread,
                fmt::format("copies from {}, shared memory", Place(*from, source, source.offset)));
  }
  if (from != nullptr && !Read(from, source, copy.bytes, thread)) return false;
  const std::int64_t first = access.offset / to->grain, end = first + access.bytes / to->grain;
  const auto size = static_cast<std::size_t>(to->grain);
  const unsigned char* bytes = copy.bytes;
  for (std::int64_t grain = first; grain < end; ++grain, bytes += size) {
    Arrival& arrival = to->arrivals[static_cast<std::size_t>(grain)];
    if (arrival.copies == 0) {
      if (IsVaried(*to, access, grain, bytes, thread, verb)) return false;
      arrival.thread = static_cast<std::int32_t>(thread);
      std::memcpy(arrival.bytes, bytes, size);
    } else if (std::memcmp(arrival.bytes, bytes, size) != 0) {
      return Touch(*to, access, grain, thread, verb);
    }
    if (IsRead(*to, access, grain, thread, verb)) return false;
    ++arrival.copies;
    NoteWrite(*to, grain, thread);
    if (!is_late) std::memcpy(to->data + grain * to->grain, bytes, size);
  }
  copies_[OfThread(thread)].under_way.push_back(copy);
  return true;
}

bool Memory::AwaitCopies(int groups_left, unsigned thread) {
  Copies& copies = copies_[OfThread(thread)];
  const auto is_awaited = [&](const Copy& copy) {
    return copy.group < copies.groups - groups_left;
  };
  for (const Copy& copy : copies.under_way) {
    if (!is_awaited(copy)) continue;
    Region& to = *copy.to;
    const std::int64_t first = copy.access.offset / to.grain;
    const std::int64_t end = first + copy.access.bytes / to.grain;
    const unsigned char* bytes = copy.bytes;
    for (std::int64_t grain = first; grain < end; ++grain, bytes += to.grain) {
      --to.arrivals[static_cast<std::size_t>(grain)].copies;
      if (IsRead(to, copy.access, grain, thread, "copies to")) return false;
      NoteWrite(to, grain, thread);
      std::memcpy(to.data + grain * to.grain, bytes, static_cast<std::size_t>(to.grain));
    }
    Unpublish(to, copy.access, thread);
  }
  std::erase_if(copies.under_way, is_awaited);
  return true;
}

bool Memory::Write(Region* region, const Access& access, const void* value, unsigned thread) {
  if (!Check(region, access, thread, "writes")) return false;
  if (region->kind == RegionKind::kInput) {
    return Fail(thread, fmt::format("writes {}, an input", Place(*region, access, access.offset)));
  }
  if (access.via == Via::kCached && region->kind == RegionKind::kShared) {
    return Fail(thread, fmt::format("writes {} with a cache directive",
                                    Place(*region, access, access.offset)));
  }
  const std::int64_t first = access.offset / region->grain;
  const std::int64_t end = first + access.bytes / region->grain;
  const auto* from = static_cast<const unsigned char*>(value);
  for (std::int64_t grain = first; grain < end; ++grain, from += region->grain) {
    if (!Share(*region, access, grain, thread, Use::kWrite)) return false;
    if (!Cross(*region, access, grain, thread, true)) return false;
    if (!Touch(*region, access, grain, thread, "writes")) return false;
    if (IsRead(*region, access, grain, thread, "writes")) return false;
    if (IsVaried(*region, access, grain, from, thread, "writes")) return false;
    NoteWrite(*region, grain, thread);
    std::memcpy(region->data + grain * region->grain, from,
                static_cast<std::size_t>(region->grain));
    // Of an output, grains are elements.
    if (region->written != nullptr && region->written[grain] != 255) ++region->written[grain];
  }
  Unpublish(*region, access, thread);
  return true;
}

void Memory::Unpublish(Region& region, const Access& access, unsigned thread) {
  if (region.unpublished.empty()) return;
  const Unpublished by = {static_cast<std::int32_t>(OfThread(thread)),
                          publications_[OfThread(thread)]};
  for (std::int64_t byte = access.offset; byte < access.offset + access.bytes; byte += kHalfBytes) {
    region.unpublished[static_cast<std::size_t>(byte / kHalfBytes)] = by;
  }
}

bool Memory::TakeInPlace(std::int64_t offset, int bytes, unsigned short& value, std::int32_t copies,
                         unsigned thread) {
  Region& shared = *shared_[rank_];
  const Access access = {offset, bytes, bytes, Via::kPlain};
  value = 0;
  if (!Read(&shared, access, &value, thread)) return false;
  if (is_ordered_ && !IsOlder(shared, access, copies, thread)) return false;
  const Unpublished& by = shared.unpublished[static_cast<std::size_t>(offset / kHalfBytes)];
  if (IsPublished(by)) return true;
  return Fail(thread,
              fmt::format("takes {} in place, which {} wrote and has not published",
                          Place(shared, access, offset), NameOf(static_cast<unsigned>(by.thread))));
}

void* Memory::Change(Region* region, const Access& access, unsigned thread) {
  if (!Check(region, access, thread, "changes")) return nullptr;
  const auto fail = [&](std::int64_t offset, const std::string& why) {
    Fail(thread, fmt::format("changes {}: {}", Place(*region, access, offset), why));
    return nullptr;
  };
  if (region->kind == RegionKind::kInput) return fail(access.offset, "an input");
  // It could be; no printed kernel does it.
  if (region->kind == RegionKind::kShared) {
    return fail(access.offset, "an atomic operation on shared memory");
  }
  if (region->element > 0 && access.unit != region->element) {
    return fail(access.offset, fmt::format("an atomic operation on {} bytes, and an element has {}",
                                           access.unit, region->element));
  }
  const std::int64_t first = access.offset / region->grain;
  const std::int64_t end = first + access.bytes / region->grain;
  for (std::int64_t grain = first; grain < end; ++grain) {
    if (!Share(*region, access, grain, thread, Use::kChange)) return nullptr;
    if (region->written != nullptr && region->written[grain] == 0) {
      return fail(grain * region->grain, "an atomic operation on an element that nothing filled");
    }
  }
  if (region->kind == RegionKind::kGlobal) {
    order_.Ticket(thread, interval_, access.offset);
    if (access.bytes == kWordBytes) counts_.insert(access.offset);
  }
  return region->data + access.offset;
}

bool Memory::Tell(Region* region, const Access& access, std::uint64_t word, unsigned thread) {
  if (!Check(region, access, thread, "says")) return false;
  if (region->kind != RegionKind::kGlobal || access.offset >= ticket_bytes_) {
    return Fail(thread,
                fmt::format("says {}, which is no ticket", Place(*region, access, access.offset)));
  }
  std::uint64_t before = 0;
  std::memcpy(&before, region->data + access.offset, sizeof before);
  statuses_.Tell(access.offset, before, word);
  std::memcpy(region->data + access.offset, &word, sizeof word);
  return true;
}

bool Memory::Hear(Region* region, const Access& access, std::uint64_t& word, unsigned thread) {
  if (!Check(region, access, thread, "looks at")) return false;
  const std::optional<std::uint64_t> heard = statuses_.Hear(access.offset);
  if (heard) {
    word = *heard;
    return true;
  }
  return Fail(thread, fmt::format("waits for {}, which no block that has begun says",
                                  Place(*region, access, access.offset)));
}

void Memory::BeginLaunch() {
  constexpr std::uint64_t kOther = 0x5a5a5a5a;  // Of the lower half.
  for (const std::int64_t offset : statuses_.all()) {
    std::uint64_t word = 0;
    std::memcpy(&word, global_ + offset, sizeof word);
    word ^= kOther;
    std::memcpy(global_ + offset, &word, sizeof word);
  }
  for (Region& region : regions_) {
    if (region.kind != RegionKind::kOutput) continue;
    std::memset(region.data, kPoison, static_cast<std::size_t>(region.size));
    std::fill_n(region.written, Grains(region.size, region.element), static_cast<unsigned char>(0));
  }
}

std::string Memory::DirtyTicket() const {
  for (std::int64_t offset = 0; offset < ticket_bytes_; offset += kTicketBytes) {
    std::uint32_t ticket = 0;
    std::memcpy(&ticket, global_ + offset, kTicketBytes);
    const std::int64_t word = offset / kWordBytes * kWordBytes;
    if (ticket == 0 || statuses_.has_word(word) || counts_.contains(word)) continue;
    return fmt::format("a ticket was left dirty: global[{}] is {}", offset / kTicketBytes, ticket);
  }
  return "";
}

}  // namespace exh_shim
