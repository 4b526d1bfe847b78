// SPDX-License-Identifier: MIT
//
// What Memory knows of programs whose threads order each other by barriers in shared memory and by
// meetings: who may use a grain is no matter of intervals there.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "tests/cuda_shim/bulk/boxes.h"
#include "tests/cuda_shim/memory.h"

namespace exh_shim {
namespace {

constexpr int kBarrierBytes = 8;
constexpr std::int64_t kHalfBytes = 2, kCopyAlignment = 128;

}  // namespace

/// Null: of another block, whose threads have the same numbers.
GrainPast* Memory::PastOf(Region& region, std::int64_t grain) {
  if (region.kind == RegionKind::kShared && region.rank != rank_) return nullptr;
  GrainPast& past = region.pasts[static_cast<std::size_t>(grain)];
  if (past.block != of_rank_[rank_].block) past = {.block = of_rank_[rank_].block};
  return &past;
}

std::string Memory::At(const Region& region, const Access& access, std::int64_t grain) {
  const int unit = region.element > 0 ? region.element : access.unit;
  return fmt::format("{}[{}]", region.name, grain * region.grain / unit);
}

bool Memory::IsTaken(const Region& region, const Access& access, std::int64_t grain,
                     const GrainPast& past, unsigned thread, const char* verb) {
  if (past.is_barrier) {
    Fail(thread, fmt::format("{} {}, of a barrier", verb, At(region, access, grain)));
    return true;
  }
  if (past.copy < 0 || mbarriers().Knows(thread, past.copy)) return false;
  Fail(thread, fmt::format("{} {}, where the bulk copy of line {} goes, and has not waited for it",
                           verb, At(region, access, grain), mbarriers().copy(past.copy).line));
  return true;
}

bool Memory::ReadInOrder(Region& region, const Access& access, std::int64_t grain,
                         unsigned thread) {
  GrainPast* const past = PastOf(region, grain);
  if (past == nullptr) return true;
  if (IsTaken(region, access, grain, *past, thread, "reads")) return false;
  if (past->IsWriter(thread)) return true;
  const ThreadOrder& order = mbarriers().order();
  if (const Moment* const writer = past->WriterApart(order, thread)) {
    return Fail(thread, fmt::format("reads {}, which thread {} wrote: nothing orders the two",
                                    At(region, access, grain), writer->thread));
  }
  past->Read(order.Now(thread));
  return true;
}

bool Memory::IsReadApart(Region& region, const Access& access, std::int64_t grain, unsigned thread,
                         const char* verb) {
  GrainPast* const past = PastOf(region, grain);
  if (past == nullptr) return false;
  if (IsTaken(region, access, grain, *past, thread, verb)) return true;
  const Moment* const reader = past->ReaderApart(mbarriers().order(), thread);
  if (reader == nullptr) return false;
  Fail(thread, fmt::format("{} {}, which thread {} read: nothing orders the two", verb,
                           At(region, access, grain), reader->thread));
  return true;
}

bool Memory::IsVariedApart(Region& region, const Access& access, std::int64_t grain,
                           const unsigned char* from, unsigned thread, const char* verb) {
  GrainPast* const past = PastOf(region, grain);
  if (past == nullptr) return false;
  const unsigned char* const before = region.data + grain * region.grain;
  const bool differs = std::memcmp(before, from, static_cast<std::size_t>(region.grain)) != 0;
  const Moment* const writer = past->Contradicts(mbarriers().order(), thread, differs);
  if (writer == nullptr) return false;
  Fail(thread, fmt::format("{} {}, which thread {} wrote too, with another value: nothing orders "
                           "the two",
                           verb, At(region, access, grain), writer->thread));
  return true;
}

bool Memory::IsOlder(Region& region, const Access& access, std::int32_t copies, unsigned thread) {
  const std::int64_t grain = access.offset / region.grain;
  const std::int32_t copy = PastOf(region, grain)->copy;
  if (copy < copies) return true;
  return Fail(thread,
              fmt::format("has not waited for a step that takes {} in place, where the bulk "
                          "copy of line {} goes",
                          At(region, access, grain), mbarriers().copy(copy).line));
}

void Memory::WriteInOrder(Region& region, std::int64_t grain, unsigned thread) {
  if (GrainPast* const past = PastOf(region, grain)) past->Write(mbarriers().order(), thread);
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
  if (!FailAt(line, thread, mbarriers().Init(offset, count, thread))) return false;
  const std::int64_t first = offset / region->grain, end = first + kBarrierBytes / region->grain;
  for (std::int64_t grain = first; grain < end; ++grain) {
    if (IsReadApart(*region, access, grain, thread, verb)) return false;
    GrainPast& past = *PastOf(*region, grain);
    if (past.WriterApart(mbarriers().order(), thread) != nullptr) {
      return FailAt(line, thread, "initialises a barrier where another thread writes");
    }
    past.is_barrier = true;
  }
  return true;
}

void Memory::BarriersMade(unsigned thread) {
  mbarriers().MakeKnown(thread, interval_);
  Publish(thread);
}

bool Memory::ExpectBytes(int line, const Region* region, std::int64_t offset, unsigned bytes,
                         unsigned thread) {
  return FailAt(line, thread,
                mbarriers().Expect(InShared(region, offset), bytes, thread, interval_));
}

bool Memory::ArriveAt(int line, const Region* region, std::int64_t offset, unsigned thread) {
  return FailAt(line, thread, mbarriers().Arrive(InShared(region, offset), thread, interval_));
}

bool Memory::BeginWait(int line, const Region* region, std::int64_t offset, unsigned parity,
                       unsigned thread, PhaseWait& wait) {
  wait.line = line;
  return FailAt(line, thread,
                mbarriers().BeginWait(InShared(region, offset), parity, thread, interval_, wait));
}

bool Memory::HasEnded(const PhaseWait& wait, unsigned thread) {
  if (mbarriers().HasEnded(wait, thread)) return true;
  for (const std::int32_t number : mbarriers().UnderWay(wait.barrier)) {
    if (!Land(number, thread)) return false;
  }
  return mbarriers().HasEnded(wait, thread);
}

bool Memory::FailWaiting(const PhaseWait& wait, unsigned thread) {
  return FailAt(wait.line, thread, mbarriers().Missing(wait));
}

void Memory::Meet(unsigned first, unsigned count) {
  mbarriers().order().Meet(first, count);
}

bool Memory::Land(std::int32_t number, unsigned thread) {
  const BulkCopy& copy = mbarriers().copy(number);
  for (const BulkCopy::Piece& piece : copy.pieces) {
    std::memcpy(shared_[rank_]->data + piece.to, piece.bytes.data(), piece.bytes.size());
  }
  return FailAt(copy.line, thread, mbarriers().Land(number));
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
    GrainPast& past = *PastOf(to, grain);
    if (const Moment* const writer = past.WriterApart(mbarriers().order(), thread)) {
      return Fail(thread, fmt::format("{} {}, which thread {} wrote: nothing orders the two", verb,
                                      At(to, access, grain), writer->thread));
    }
    past.CopyTo(mbarriers().num_copies());
  }
  for (std::int64_t at = access.offset; at < access.offset + access.bytes; at += kHalfBytes) {
    Unpublished& by = to.unpublished[static_cast<std::size_t>(at / kHalfBytes)];
    if (!IsPublished(by)) {
      return Fail(thread, fmt::format("{} {}, which thread {} wrote and has not published", verb,
                                      At(to, access, at / to.grain), by.thread));
    }
    by = {};
  }
  return true;
}

bool Memory::CopyBox(int line, Region* to, std::int64_t offset, const exh_tensor_map& map,
                     const Region* barrier, std::int64_t barrier_offset, const int* coordinates,
                     unsigned axes, bool is_late, unsigned thread) {
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
  BulkCopy copy = {.line = line};
  const auto element = static_cast<int>(map.element_bytes);
  for (const BoxPiece& piece : PiecesOf(map, coordinates, offset)) {
    BulkCopy::Piece& bytes = copy.pieces.emplace_back();
    bytes.to = piece.to;
    const auto size = static_cast<int>(bytes.bytes.size());
    if (piece.begin < piece.end &&
        !ReadTensor(*from, piece, element, thread, bytes.bytes.data() + piece.begin)) {
      return false;
    }
    if (!TakeBox(*to, {piece.to, size, element, Via::kPlain}, thread)) return false;
    copy.bytes += size;
  }
  const std::int32_t number = mbarriers().num_copies();
  if (!FailAt(line, thread,
              mbarriers().Begin(InShared(barrier, barrier_offset), std::move(copy), interval_))) {
    return false;
  }
  return is_late || Land(number, thread);
}

}  // namespace exh_shim
