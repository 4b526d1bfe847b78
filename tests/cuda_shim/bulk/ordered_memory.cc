// SPDX-License-Identifier: MIT
//
// What Memory knows of programs whose threads order each other by barriers in shared memory and by
// meetings: who may use a grain is no matter of intervals there.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "tests/cuda_shim/bulk/boxes.h"
#include "tests/cuda_shim/memory.h"

namespace exh_shim {
namespace {

constexpr int kBarrierBytes = 8;
constexpr std::int64_t kHalfBytes = 2, kCopyAlignment = 128;

}  // namespace

GrainPast& Memory::PastOf(Region& region, std::int64_t grain) const {
  // Of what all blocks use it knows those of one, the last that did.
  const bool is_shared = region.kind == RegionKind::kShared;
  const std::uint32_t block = of_rank_[is_shared ? region.rank : rank_].block;
  GrainPast& past = region.pasts[static_cast<std::size_t>(grain)];
  if (past.block != block) past = {.block = block};
  return past;
}

std::string Memory::At(const Region& region, const Access& access, std::int64_t grain) const {
  const int unit = region.element > 0 ? region.element : access.unit;
  const std::string at = fmt::format("{}[{}]", region.name, grain * region.grain / unit);
  const bool is_own = region.kind != RegionKind::kShared || region.rank == rank_;
  return is_own ? at : fmt::format("{} of block {}", at, BlockOf(region.rank));
}

bool Memory::Reach(unsigned rank, unsigned thread, const char* verb) {
  if (rank == rank_) return true;
  if (has_ended_[rank]) {
    return Fail(thread, fmt::format("{} of block {}, which has ended", verb, BlockOf(rank)));
  }
  const unsigned self = OfThread(thread);
  of_rank_[rank].reached[self] = mbarriers_.order().Now(self).time;
  return true;
}

std::int64_t Memory::Unheard() const {
  const std::vector<std::uint32_t>& reached = of_rank_[rank_].reached;
  for (unsigned other = 0; other < reached.size(); ++other) {
    if (reached[other] == 0) continue;
    bool is_heard = false;
    for (unsigned t = 0; t < threads_ && !is_heard; ++t) {
      is_heard = mbarriers_.order().IsBefore({other, reached[other]}, OfThread(t));
    }
    if (!is_heard) return other;
  }
  return -1;
}

bool Memory::IsTaken(const Region& region, const Access& access, std::int64_t grain,
                     const GrainPast& past, unsigned thread, const char* verb) {
  if (past.is_barrier) {
    Fail(thread, fmt::format("{} {}, of a barrier", verb, At(region, access, grain)));
    return true;
  }
  if (past.copy < 0 || mbarriers_.Knows(OfThread(thread), past.copy)) return false;
  Fail(thread, fmt::format("{} {}, where the bulk copy of line {} goes, and has not waited for it",
                           verb, At(region, access, grain), mbarriers_.copy(past.copy).line));
  return true;
}

bool Memory::ReadInOrder(Region& region, const Access& access, std::int64_t grain,
                         unsigned thread) {
  GrainPast& past = PastOf(region, grain);
  if (IsTaken(region, access, grain, past, thread, "reads")) return false;
  const unsigned self = OfThread(thread);
  if (past.IsWriter(self)) return true;
  const ThreadOrder& order = mbarriers_.order();
  if (const Moment* const writer = past.WriterApart(order, self)) {
    return Fail(thread, fmt::format("reads {}, which {} wrote: nothing orders the two",
                                    At(region, access, grain), NameOf(writer->thread)));
  }
  past.Read(order.Now(self));
  return true;
}

bool Memory::IsReadApart(Region& region, const Access& access, std::int64_t grain, unsigned thread,
                         const char* verb) {
  const GrainPast& past = PastOf(region, grain);
  if (IsTaken(region, access, grain, past, thread, verb)) return true;
  const Moment* const reader = past.ReaderApart(mbarriers_.order(), OfThread(thread));
  if (reader == nullptr) return false;
  Fail(thread, fmt::format("{} {}, which {} read: nothing orders the two", verb,
                           At(region, access, grain), NameOf(reader->thread)));
  return true;
}

bool Memory::IsVariedApart(Region& region, const Access& access, std::int64_t grain,
                           const unsigned char* from, unsigned thread, const char* verb) {
  const unsigned char* const before = region.data + grain * region.grain;
  const bool differs = std::memcmp(before, from, static_cast<std::size_t>(region.grain)) != 0;
  const Moment* const writer =
      PastOf(region, grain).Contradicts(mbarriers_.order(), OfThread(thread), differs);
  if (writer == nullptr) return false;
  Fail(thread, fmt::format("{} {}, which {} wrote too, with another value: nothing orders the two",
                           verb, At(region, access, grain), NameOf(writer->thread)));
  return true;
}

bool Memory::IsOlder(Region& region, const Access& access, std::int32_t copies, unsigned thread) {
  const std::int64_t grain = access.offset / region.grain;
  const std::int32_t copy = PastOf(region, grain).copy;
  if (copy < copies) return true;
  return Fail(thread,
              fmt::format("has not waited for a step that takes {} in place, where the bulk "
                          "copy of line {} goes",
                          At(region, access, grain), mbarriers_.copy(copy).line));
}

void Memory::WriteInOrder(Region& region, std::int64_t grain, unsigned thread) {
  PastOf(region, grain).Write(mbarriers_.order(), OfThread(thread));
}

bool Memory::FailAt(int line, unsigned thread, const std::string& why) {
  return why.empty() || Fail(thread, fmt::format("in line {} {}", line, why));
}

bool Memory::InitBarrier(int line, Region* region, std::int64_t offset, unsigned count,
                         unsigned thread) {
  const Access access = {offset, kBarrierBytes, kBarrierBytes, Via::kPlain};
  const char* const verb = "initialises";
  if (!Check(region, access, thread, verb)) return false;
  if (region != shared_[rank_]) {
    return FailAt(line, thread, "initialises a barrier that is not in the block's shared memory");
  }
  if (!FailAt(line, thread, mbarriers_.Init({rank_, offset}, count, OfThread(thread)))) {
    return false;
  }
  const std::int64_t first = offset / region->grain, end = first + kBarrierBytes / region->grain;
  for (std::int64_t grain = first; grain < end; ++grain) {
    if (IsReadApart(*region, access, grain, thread, verb)) return false;
    GrainPast& past = PastOf(*region, grain);
    if (past.WriterApart(mbarriers_.order(), OfThread(thread)) != nullptr) {
      return FailAt(line, thread, "initialises a barrier where another thread writes");
    }
    past.is_barrier = true;
  }
  return true;
}

void Memory::BarriersMade(unsigned thread) {
  mbarriers_.MakeKnown(Who(thread));
  Publish(thread);
}

bool Memory::ExpectBytes(int line, const Region* region, std::int64_t offset, unsigned bytes,
                         unsigned thread) {
  return FailAt(line, thread, mbarriers_.Expect(SpotOf(region, offset), bytes, Who(thread)));
}

bool Memory::ArriveAt(int line, const Region* region, std::int64_t offset, unsigned thread) {
  return FailAt(line, thread, mbarriers_.Arrive(SpotOf(region, offset), Who(thread)));
}

bool Memory::ArriveAtRank(int line, const Region* region, std::int64_t offset, int rank,
                          unsigned thread) {
  if (rank < 0 || static_cast<unsigned>(rank) >= cluster_) {
    return FailAt(line, thread,
                  fmt::format("arrives at a barrier of block {} of its cluster, which has {}", rank,
                              cluster_));
  }
  BarrierSpot spot = SpotOf(region, offset);
  spot.rank = static_cast<unsigned>(rank);
  return Reach(spot.rank, thread, "arrives at a barrier") &&
         FailAt(line, thread, mbarriers_.Arrive(spot, Who(thread)));
}

bool Memory::BeginWait(int line, const Region* region, std::int64_t offset, unsigned parity,
                       unsigned thread, PhaseWait& wait) {
  wait.line = line;
  return FailAt(line, thread,
                mbarriers_.BeginWait(SpotOf(region, offset), parity, Who(thread), wait));
}

bool Memory::HasEnded(const PhaseWait& wait, unsigned thread) {
  if (mbarriers_.HasEnded(wait, OfThread(thread))) return true;
  for (const std::int32_t number : mbarriers_.UnderWay(wait.barrier)) {
    if (!Land(number, thread)) return false;
  }
  return mbarriers_.HasEnded(wait, OfThread(thread));
}

bool Memory::FailWaiting(const PhaseWait& wait, unsigned thread) {
  return FailAt(wait.line, thread, mbarriers_.Missing(wait));
}

void Memory::Meet(unsigned first, unsigned count) {
  mbarriers_.order().Meet(OfThread(first), count);
}

bool Memory::Land(std::int32_t number, unsigned thread) {
  const BulkCopy& copy = mbarriers_.copy(number);
  for (const BulkCopy::Piece& piece : copy.pieces) {
    std::memcpy(shared_[copy.rank]->data + piece.to, piece.bytes.data(), piece.bytes.size());
  }
  return FailAt(copy.line, thread, mbarriers_.Land(number));
}

bool Memory::ReadTensor(Region& from, const BoxPiece& piece, int element, unsigned thread,
                        unsigned char* to) {
  const Access access = {piece.from, element, element, Via::kPlain};
  std::memcpy(to, from.data + piece.from + piece.begin,
              static_cast<std::size_t>(piece.end - piece.begin));
  if (from.kind == RegionKind::kInput) return true;
  const std::int64_t begin = piece.from + piece.begin, end = piece.from + piece.end;
  for (std::int64_t grain = begin / from.grain; grain * from.grain < end; ++grain) {
    if (!Share(from, access, grain, thread, Use::kRead)) return false;
    if ((from.sharing[static_cast<std::size_t>(grain)].now & kWritten) == 0) continue;
    return Fail(thread, fmt::format("copies a box with {}, which the kernel writes",
                                    At(from, access, grain)));
  }
  return true;
}

bool Memory::TakeBox(Region& to, const Access& access, unsigned thread) {
  const char* const verb = "copies a box to";
  if (access.offset < 0 || access.offset + access.bytes > to.size) {
    return Fail(thread, fmt::format("{} shared memory behind its {} bytes", verb, to.size));
  }
  for (std::int64_t at = access.offset; at < access.offset + access.bytes; at += to.grain) {
    const std::int64_t grain = at / to.grain;
    if (!Touch(to, access, grain, thread, verb)) return false;
    if (IsReadApart(to, access, grain, thread, verb)) return false;
    GrainPast& past = PastOf(to, grain);
    if (const Moment* const writer = past.WriterApart(mbarriers_.order(), OfThread(thread))) {
      return Fail(thread, fmt::format("{} {}, which {} wrote: nothing orders the two", verb,
                                      At(to, access, grain), NameOf(writer->thread)));
    }
    past.CopyTo(mbarriers_.num_copies());
  }
  for (std::int64_t at = access.offset; at < access.offset + access.bytes; at += kHalfBytes) {
    Unpublished& by = to.unpublished[static_cast<std::size_t>(at / kHalfBytes)];
    if (!IsPublished(by)) {
      return Fail(thread, fmt::format("{} {}, which {} wrote and has not published", verb,
                                      At(to, access, at / to.grain),
                                      NameOf(static_cast<unsigned>(by.thread))));
    }
    by = {};
  }
  return true;
}

/// To one block. Its pieces say where, and what.
bool Memory::BeginBulkCopy(BulkCopy copy, std::int64_t barrier, int element, bool is_late,
                           unsigned thread) {
  if (has_ended_[copy.rank]) {
    return FailAt(copy.line, thread,
                  fmt::format("copies a box to block {}, which has ended", BlockOf(copy.rank)));
  }
  for (const BulkCopy::Piece& piece : copy.pieces) {
    const auto size = static_cast<int>(piece.bytes.size());
    if (!TakeBox(*shared_[copy.rank], {piece.to, size, element, Via::kPlain}, thread)) return false;
    copy.bytes += size;
  }
  const std::int32_t number = mbarriers_.num_copies();
  const int line = copy.line;
  return FailAt(line, thread, mbarriers_.Begin(barrier, std::move(copy), Who(thread))) &&
         (is_late || Land(number, thread));
}

bool Memory::CopyBox(int line, const Region* to, std::int64_t offset, const exh_tensor_map& map,
                     const Region* barrier, std::int64_t barrier_offset, const int* coordinates,
                     unsigned axes, unsigned blocks, unsigned late, unsigned thread) {
  long long first = 0;
  Region* const from = Find(map.array, &first);
  if (from == nullptr || first != 0) {
    return FailAt(line, thread, "copies a box of no array");
  }
  if (const std::string why = WrongMap(map, axes, from->size); !why.empty()) {
    return FailAt(line, thread, "copies " + why);
  }
  if (to == nullptr || to != shared_[rank_]) {
    return FailAt(line, thread, "copies a box to no shared memory of the block");
  }
  if (offset % kCopyAlignment != 0) {
    return FailAt(
        line, thread,
        fmt::format("copies a box to byte {} of shared memory, which is not aligned to {}", offset,
                    kCopyAlignment));
  }
  if (blocks == 0 || std::uint64_t{blocks} >> cluster_ != 0) {
    return FailAt(
        line, thread,
        fmt::format("copies a box to blocks {:#x} of its cluster, which has {}", blocks, cluster_));
  }
  BulkCopy copy = {.line = line};
  const auto element = static_cast<int>(map.element_bytes);
  for (const BoxPiece& piece : PiecesOf(map, coordinates, offset)) {
    BulkCopy::Piece& bytes = copy.pieces.emplace_back();
    bytes.to = piece.to;
    if (piece.begin < piece.end &&
        !ReadTensor(*from, piece, element, thread, bytes.bytes.data() + piece.begin)) {
      return false;
    }
  }
  const std::int64_t counter = InShared(barrier, barrier_offset);
  for (; blocks != 0; blocks &= blocks - 1) {
    copy.rank = static_cast<unsigned>(std::countr_zero(blocks));
    const bool is_late = (late >> copy.rank & 1) != 0;
    if (!BeginBulkCopy(copy, counter, element, is_late, thread)) return false;
  }
  return true;
}

}  // namespace exh_shim
