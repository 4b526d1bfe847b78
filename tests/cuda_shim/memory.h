// SPDX-License-Identifier: MIT
//
// The arrays of a program, and who reads and writes each of their grains: elements, or, where a
// memory has elements of several types, what the smallest access to it was.
//
// A race is one of these, within one interval (what the threads of a block do between two
// barriers) and about one grain:
//   * several threads write it, and not all writes have the same bits;
//   * a thread reads it that has not written it before in the interval, and another writes it,
//     before or after.
// Threads that repeat each other's work write equal values and read what they wrote: no race.
// An asynchronous copy to shared memory writes at some time between where it begins and where its
// thread has waited for it. Until then nobody may touch its grains, not even that thread, but for
// copies of the same bits. To the rules above it is a write by that thread where it begins, and one
// where it has been waited for.
// The threads run an interval one after the other, but where they wait for their warp: there others
// go on, and a thread that was the first to read a grain comes back when it is no longer alone.
//
// Within one kernel, too, and about what all of its threads may use:
//   * a thread accesses a grain that another changes by an atomic operation, before or after,
//   barrier
//     or not;
//   * blocks use a grain of the same temporary, or of the same partial result without the order
//   that
//     block_order.h speaks of;
//   * blocks of a cluster use a grain of what one of them shares, one of them writes it, and no
//     barrier of the cluster is between, before which the first of them arrived and for which the
//     other one has waited; or a block uses what another shares that may not have begun, or has
//     ended;
//   * a thread of a kernel that may have begun early uses what an earlier kernel writes, or writes
//     what one uses, and has not waited.
//
// In programs whose threads order each other by barriers in shared memory or by meetings, vector
// clocks take the place of intervals (bulk/thread_order.h). Two uses of a grain are a race there as
// above, where nothing orders them. A bulk copy writes from where it begins to the end of the phase
// that it is counted in, so for every thread that does not know of that end:
//   * it touches what a bulk copy writes;
//   * a bulk copy begins to what another one, a thread, or a group of warps uses, and the thread
//     that begins it does not know that they are done; or to what was written and not published.
// The threads of a cluster have one order there. So they may order what they do with each other's
// shared memory by any means, and copy boxes to it. A block must not end before that is done, as
// far as its own threads know.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "tests/cuda_shim/block_order.h"
#include "tests/cuda_shim/bulk/mbarriers.h"
#include "tests/cuda_shim/bulk/thread_order.h"
#include "tests/cuda_shim/launch.h"
#include "tests/cuda_shim/statuses.h"
#include "tests/cuda_shim/tracked.h"

struct exh_tensor_map;

namespace exh_shim {

struct BoxPiece;

/// What an array is to the kernel.
enum class RegionKind { kInput, kOutput, kShared, kGlobal };

/// Bits: a kernel used a grain at all, or changed it.
inline constexpr unsigned char kUsed = 1, kWritten = 2;

/// What happened to a grain in the interval of that number; of no worth in another.
struct History {
  std::uint32_t interval = 0;
  std::int32_t writer = -1;  ///< The last thread that wrote it.
  std::int32_t reader = -1;  ///< The first thread that read it without having written it.
  bool several_readers = false, several_writers = false;
  bool varied = false;  ///< It was overwritten with other bits.
};

/// Who uses a grain of an output or of `exh_global` in the kernel that runs.
struct Sharing {
  std::int64_t plain = -1;   ///< The thread of the kernel that reads or writes it; -1 none, …
  std::int64_t atomic = -1;  ///< … and the one with atomic operations; -2 several.
  std::int32_t owner = -1;   ///< Temporaries of blocks: the one block that touches it, or -1.
  std::int32_t reader = -1;  ///< Workspace: the block that reads it, -1 none, -2 several.
  Written written{};         ///< Workspace: who wrote it.
  /// What was done with it in the kernel that runs, and in those before: kUsed, kWritten.
  unsigned char now = 0, before = 0;
};

/// Who of a cluster used a grain of shared memory last, and how often the thread had arrived then.
struct Crossing {
  std::int32_t writer = -1, reader = -1;  ///< Blocks; -2: several.
  std::uint32_t written = 0, read = 0;
};

/// Asynchronous copies to a grain that their threads have not waited for.
struct Arrival {
  std::int32_t copies = 0;
  std::int32_t thread = -1;  ///< Of the first one.
  std::uint8_t bytes[16]{};  ///< What they write, all the same.
};

/// Who wrote two bytes of shared memory last, and how often that thread had made visible by then
/// what it wrote (Publish). What it has not since is not there for groups of warps.
struct Unpublished {
  std::int32_t thread = -1;  ///< Of the cluster.
  std::uint32_t publications = 0;
};

/// One array.
struct Region {
  std::string name;
  RegionKind kind;
  unsigned char* data;
  std::int64_t size;                       ///< Bytes that may be accessed …
  std::int64_t reach;                      ///< … and bytes that a pointer into it may lie within.
  int element = 0;                         ///< Bytes of one; 0: it may have those of several types.
  int grain = 4;                           ///< Bytes.
  unsigned char* written = nullptr;        ///< Outputs: writes of each element.
  std::vector<History> history{};          ///< By grain; empty for inputs.
  std::vector<GrainPast> pasts{};          ///< By grain; where threads order each other.
  std::vector<Sharing> sharing{};          ///< By grain; for outputs and kGlobal.
  std::vector<Arrival> arrivals{};         ///< By grain; for kShared.
  std::vector<Crossing> crossings{};       ///< By grain; for kShared of clusters.
  std::vector<Unpublished> unpublished{};  ///< By two bytes, of the last writer; for kShared.
  unsigned rank = 0;                       ///< kShared: of the block in its cluster.
};

/// One access.
struct Access {
  std::int64_t offset;  ///< Bytes.
  int bytes;
  int unit;  ///< Bytes of what messages count in where the array has no elements of its own.
  Via via;
};

/// An asynchronous copy that nobody has waited for.
struct Copy {
  Region* to;
  Access access;
  unsigned char bytes[16];
  bool is_late;        ///< It writes where it is waited for.
  std::int64_t group;  ///< Of its thread.
};

/// All arrays of one program.
class Memory {
 public:
  /// Registers the arrays of the program, and sets all bits of the workspace but for the tickets.
  explicit Memory(const Program& program);
  Memory(const Memory&) = delete;
  ~Memory();

  /// The memory behind `exh_global`, null where the program asks for none.
  void* global() { return global_; }
  /// The array that the address lies in, and the byte; null and 0 where it lies in none.
  Region* Find(const void* at, long long* offset);

  /// The accesses that follow are those of this kernel; all bits of the temporaries in `exh_global`
  /// are set: NaN. `is_early`: those before may not have ended.
  void BeginKernel(const Kernel& kernel, bool is_early);
  /// The blocks of this rank 0 and those behind it run next, as a cluster.
  void BeginCluster(unsigned first_block);
  /// … of this block; all bits of shared memory are set.
  void BeginBlock(unsigned block, unsigned rank);
  /// … of the block of this rank, which goes on.
  void GoOn(unsigned block, unsigned rank);
  /// The memory that the block of this rank shares; null: there is none.
  Region* SharedOf(const Region* own, int rank);
  void ClusterArrive(unsigned thread);
  /// False if the thread has not arrived once since it waited.
  bool ClusterWait(unsigned thread);
  /// False if it should not have ended yet: then error() says why.
  bool EndBlock();
  /// All threads have left the barrier of that line.
  void BeginInterval(int line);
  /// … all of the cluster have left one of the cluster.
  void BeginIntervals(int line);

  /// An access by `thread`; `region` may be null. False if it is an error: then error() says which.
  bool Read(Region* region, const Access& access, void* value, unsigned thread);
  bool Write(Region* region, const Access& access, const void* value, unsigned thread);
  /// An atomic operation: where the caller changes the bytes. Null if it is an error.
  void* Change(Region* region, const Access& access, unsigned thread);
  /// A word of 8 bytes that a block says to those behind it, and one that a block looks at.
  bool Tell(Region* region, const Access& access, std::uint64_t word, unsigned thread);
  bool Hear(Region* region, const Access& access, std::uint64_t& word, unsigned thread);
  /// Begins an asynchronous copy; `from` is null: of zeros. `is_late`: it writes where it is waited
  /// for.
  bool BeginCopy(Region* to, const Access& access, Region* from, const Access& source, bool is_late,
                 unsigned thread);
  void CommitCopies(unsigned thread) { ++copies_[OfThread(thread)].groups; }
  bool AwaitCopies(int groups_left, unsigned thread);
  /// What the thread has written to shared memory is visible to what reads it past registers.
  void Publish(unsigned thread) { ++publications_[OfThread(thread)]; }
  /// A group of warps takes an element of one or two bytes out of the shared memory of its block,
  /// for `thread`. When it began to do so, so many bulk copies of the block had begun.
  bool TakeInPlace(std::int64_t offset, int bytes, unsigned short& value, std::int32_t copies,
                   unsigned thread);
  std::int32_t num_bulk_copies() const { return mbarriers_.num_copies(); }
  /// Where the address is in the shared memory of the block that runs; -1: elsewhere.
  std::int64_t InShared(const Region* region, std::int64_t offset) const {
    return region == shared_[rank_] ? offset : -1;
  }
  /// Do threads order each other otherwise than by barriers of the block?
  bool is_ordered() const { return is_ordered_; }
  /// What is done with barriers in shared memory. False if it is an error.
  bool InitBarrier(int line, Region* region, std::int64_t offset, unsigned count, unsigned thread);
  void BarriersMade(unsigned thread);
  bool ExpectBytes(int line, const Region* region, std::int64_t offset, unsigned bytes,
                   unsigned thread);
  bool ArriveAt(int line, const Region* region, std::int64_t offset, unsigned thread);
  /// … at the barrier at the same place in the block of that rank.
  bool ArriveAtRank(int line, const Region* region, std::int64_t offset, int rank, unsigned thread);
  bool BeginWait(int line, const Region* region, std::int64_t offset, unsigned parity,
                 unsigned thread, PhaseWait& wait);
  /// Has it, for this thread that waits? Copies land that the barrier waits for: see error().
  bool HasEnded(const PhaseWait& wait, unsigned thread);
  /// It never ends: error() says why. False.
  bool FailWaiting(const PhaseWait& wait, unsigned thread);
  /// Copies a box to blocks of the cluster, with a bit for each rank; their barriers count it.
  /// `late`: to these of them it lands where the barrier is waited for.
  bool CopyBox(int line, const Region* to, std::int64_t offset, const exh_tensor_map& map,
               const Region* barrier, std::int64_t barrier_offset, const int* coordinates,
               unsigned axes, unsigned blocks, unsigned late, unsigned thread);
  /// The block that runs, as a bit.
  unsigned own_bit() const { return 1u << rank_; }
  /// The first threads of the block have met.
  void Meet(unsigned first, unsigned count);
  void Fence(unsigned thread) { order_.Fence(thread, interval_); }
  /// For the thread, the kernels before have ended now.
  void AwaitPrevious(unsigned thread) { has_waited_[thread] = true; }
  const std::string& error() const { return error_; }

  /// Says which ticket is not 0, behind the last kernel; empty: all are. What counts launches is
  /// none: 8 bytes that are changed by atomic operations, and words that blocks say.
  std::string DirtyTicket() const;
  /// Have blocks said words?
  bool has_statuses() const { return !statuses_.all().empty(); }
  /// As between two launches with other inputs: what blocks have said has other values, though not
  /// other tags, and outputs hold what nobody wants.
  void BeginLaunch();

 private:
  bool Check(Region* region, const Access& access, unsigned thread, const char* verb);
  /// The thread has written these bytes.
  void Unpublish(Region& region, const Access& access, unsigned thread);
  /// Threads of the cluster: those of the first block come first.
  unsigned OfThread(unsigned thread) const { return rank_ * threads_ + thread; }
  Actor Who(unsigned thread) const { return {OfThread(thread), interval_}; }
  /// "thread 3", or "thread 3 of block 1", where that is not the one that runs.
  std::string NameOf(unsigned of_cluster) const;
  unsigned BlockOf(unsigned rank) const { return block_ - rank_ + rank; }
  /// The thread does something with what the block of this rank shares.
  bool Reach(unsigned rank, unsigned thread, const char* verb);
  /// Who of the other blocks has done so, and the block that ends does not know that it is done;
  /// -1: nobody.
  std::int64_t Unheard() const;
  /// Rules about shared memory that blocks of a cluster use.
  bool Cross(Region& region, const Access& access, std::int64_t grain, unsigned thread,
             bool is_write);
  enum class Use { kRead, kWrite, kChange };
  /// Rules about a grain that other blocks may use, too.
  bool Share(Region& region, const Access& access, std::int64_t grain, unsigned thread, Use use);
  /// Its kernel may have begun before others ended that use the grain, too.
  bool IsTooEarly(const Sharing& sharing, unsigned thread, Use use) const;
  bool ShareWorkspace(Sharing& sharing, const Region& region, const Access& access,
                      std::int64_t offset, unsigned thread, Use use);
  /// Is a copy to the grain under way? Then it is an error to touch it.
  bool Touch(const Region& region, const Access& access, std::int64_t grain, unsigned thread,
             const char* verb);
  History& HistoryOf(Region& region, std::int64_t grain);
  /// Is there a thread that reads it in this interval, but the one that is about to write it?
  bool IsRead(Region& region, const Access& access, std::int64_t grain, unsigned thread,
              const char* verb);
  /// Do several threads write it in this interval, and not the same?
  bool IsVaried(Region& region, const Access& access, std::int64_t grain, const unsigned char* from,
                unsigned thread, const char* verb);
  void NoteWrite(Region& region, std::int64_t grain, unsigned thread);
  /// The same, where threads order each other.
  GrainPast& PastOf(Region& region, std::int64_t grain) const;
  std::string At(const Region& region, const Access& access, std::int64_t grain) const;
  bool IsTaken(const Region& region, const Access& access, std::int64_t grain,
               const GrainPast& past, unsigned thread, const char* verb);
  bool ReadInOrder(Region& region, const Access& access, std::int64_t grain, unsigned thread);
  bool IsReadApart(Region& region, const Access& access, std::int64_t grain, unsigned thread,
                   const char* verb);
  bool IsVariedApart(Region& region, const Access& access, std::int64_t grain,
                     const unsigned char* from, unsigned thread, const char* verb);
  /// Has nothing been copied to a grain but by the first copies of the block, so many?
  bool IsOlder(Region& region, const Access& access, std::int32_t copies, unsigned thread);
  void WriteInOrder(Region& region, std::int64_t grain, unsigned thread);
  BarrierSpot SpotOf(const Region* region, std::int64_t offset) const {
    return {rank_, InShared(region, offset)};
  }
  bool ReadTensor(Region& from, const BoxPiece& piece, int element, unsigned thread,
                  unsigned char* to);
  /// A bulk copy takes these bytes for its own.
  bool TakeBox(Region& to, const Access& access, unsigned thread);
  bool BeginBulkCopy(BulkCopy copy, std::int64_t barrier, int element, bool is_late,
                     unsigned thread);
  bool Land(std::int32_t number, unsigned thread);
  bool IsPublished(const Unpublished& by) const {
    return by.thread < 0 || publications_[static_cast<unsigned>(by.thread)] > by.publications;
  }

  bool Fail(unsigned thread, const std::string& what);
  /// Nothing is wrong where `why` is empty.
  bool FailAt(int line, unsigned thread, const std::string& why);
  std::string Since() const;

  std::deque<Region> regions_;             ///< Address points into it.
  std::vector<Region*> shared_;            ///< By rank in the cluster.
  std::vector<unsigned char*> allocated_;  ///< Those of them that are not the program's.
  Region* scratch_ = nullptr;              ///< `exh_global`.
  unsigned char* global_ = nullptr;
  /// By thread: what it copies, and how many groups it has made of that.
  struct Copies {
    std::vector<Copy> under_way;
    std::int64_t groups = 0;
  };
  std::vector<Copies> copies_;                   ///< By OfThread().
  std::vector<std::uint32_t> arrived_, waited_;  ///< By OfThread(): how often, for its cluster.
  std::vector<std::uint32_t> publications_;      ///< By OfThread(): how often.
  std::vector<bool> has_ended_;                  ///< By rank.
  std::int64_t workspace_bytes_, ticket_bytes_;
  BlockOrder order_;
  Statuses statuses_;
  std::set<std::int64_t> counts_;  ///< Where 8 bytes are changed by atomic operations.
  unsigned block_ = 0, threads_ = 1, cluster_ = 1, rank_ = 0;
  bool is_early_ = false;
  std::vector<bool> has_waited_;  ///< By thread of the block.
  int line_ = 0;  ///< Of the barrier at which the interval began, 0 the start of the block.
  std::uint32_t interval_ = 0, intervals_ = 0;
  const bool is_ordered_;
  std::uint32_t blocks_ = 0;  ///< That have begun.
  /// What goes on of a block of a cluster.
  struct OfRank {
    int line = 0;                ///< Of its interval, …
    std::uint32_t interval = 0;  ///< … and its number.
    std::uint32_t block = 0;     ///< Of the blocks that have begun.
    /// By thread of the cluster: when it last used what the block shares, of another block; 0:
    /// never.
    std::vector<std::uint32_t> reached = {};
  };
  std::vector<OfRank> of_rank_;
  Mbarriers mbarriers_;
  ThreadOrder::Clock cluster_news_;  ///< Of those who have arrived at the barrier of the cluster.
  std::string error_;
};

}  // namespace exh_shim
