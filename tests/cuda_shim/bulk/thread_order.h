// SPDX-License-Identifier: MIT
//
// Which threads of a block know what others did. Between two barriers of the block they do not,
// unless one has told another: by arriving at a barrier in shared memory whose phase the other one
// has waited for, or by a meeting. The blocks of a cluster tell each other so, too, and by barriers
// of the cluster: all of their threads are one order, those of the first block first. Vector
// clocks: every thread counts how often it has told others something, and knows of each other
// thread up to which count it has heard of it; so does everything that carries the news.
//
//   thread 0   writes x (0 at 1)   arrives: carries {0: 1}, and counts 2   writes y (0 at 2)
//   thread 1                       waits: knows {0: 1}                      x is before it, y is
//   not
//
// It also knows of each barrier how many phases have ended, for bulk copies are done when a phase
// has ended, and no thread does them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace exh_shim {

/// When a thread did something: how often it had told others something, beginning with 1.
struct Moment {
  std::uint32_t thread, time;
};

/// What the threads of a block know, or those of a cluster.
class ThreadOrder {
 public:
  /// By thread, then by barrier. What it lacks at the end is 0.
  using Clock = std::vector<std::uint32_t>;

  void Begin(unsigned threads);

  Moment Now(unsigned thread) const { return {thread, clocks_[thread][thread]}; }
  /// Is what happened then before what the thread does now? What it did itself is.
  bool IsBefore(const Moment& moment, unsigned thread) const {
    return clocks_[thread][moment.thread] >= moment.time;
  }
  /// Those who hear of `news` know what the thread did until now.
  void Tell(unsigned thread, Clock& news);
  void Hear(unsigned thread, const Clock& news);
  /// So many threads, from the first one on, know afterwards what all of them did before.
  void Meet(unsigned first, unsigned count);

  /// How many phases of the barrier have ended, as far as the thread knows.
  std::uint32_t Phases(unsigned thread, std::size_t barrier) const;
  void HearPhases(unsigned thread, std::size_t barrier, std::uint32_t phases);

 private:
  std::vector<Clock> clocks_;  ///< By thread.
};

/// A thread that wrote a grain of memory, and when last.
struct GrainWriter {
  Moment last;
  std::uint32_t differed = 0;  ///< Its last time when it wrote other bits than there are; 0: never.
};

/// Who used a grain of memory last, where threads order each other.
struct GrainPast {
  std::uint32_t block = 0;  ///< Whose memory it is; of no worth for another (Memory counts them).
  std::int32_t copy = -1;   ///< The bulk copy that wrote it last, if nothing did afterwards.
  bool is_barrier = false;
  std::vector<GrainWriter> writers = {};  ///< Those that nothing orders, or the last one.
  std::vector<Moment> readers = {};       ///< Since then.

  /// A reader other than the thread, or a writer, that nothing orders before what it does now;
  /// null: there is none. Who wrote it, too, is not apart from others that did.
  const Moment* ReaderApart(const ThreadOrder& order, unsigned thread) const;
  const Moment* WriterApart(const ThreadOrder& order, unsigned thread) const;
  bool IsWriter(unsigned thread) const;

  /// A writer that wrote other bits than the thread is about to, and nothing orders the two; null:
  /// there is none. `differs`: the bits are not those that are there.
  const Moment* Contradicts(const ThreadOrder& order, unsigned thread, bool differs);

  void Read(const Moment& now);
  void Write(const ThreadOrder& order, unsigned thread);
  /// A bulk copy does, behind all others.
  void CopyTo(std::int32_t number);
};

}  // namespace exh_shim
