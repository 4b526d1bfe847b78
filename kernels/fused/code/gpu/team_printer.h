// SPDX-License-Identifier: MIT
//
// TeamPrinter: the body of a kernel for a team of threads.
//
//   * A loop that is parallel, or carries nothing but what a reduction takes, is divided among the
//     threads of the team. Of a reduction each thread has its own part, from the operator's neutral
//     element on; then these meet in shared memory, and all threads have the value.
//   * What is in no divided loop all threads of the team do alike; one of them stores.
//   * Before something is read that the team stored since the last barrier, there is a barrier.
//
// Where blocks share a point, each has a part of its first reduction. It leaves that in the
// workspace and draws a ticket; the block with the last ticket takes the parts together and goes
// on, the others end.
//
// Invariant: all threads of a block come to the same barriers. Teams whose point is none (behind
// the last one) come to them as well: outside of divided loops they do what the last point's team
// does, and store nothing.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "kernels/fused/code/body_printer.h"
#include "kernels/fused/code/gpu/team.h"

namespace exh::kernels::fused {

/// What kernels with teams need beside arrays; bytes of the workspace.
struct TeamSpace {
  std::uint64_t tickets = 0;  ///< From its beginning on.
  std::uint64_t bytes = 0;    ///< In all.
  /// Reserves them; returns where they begin.
  std::uint64_t Take(std::uint64_t count) {
    constexpr std::uint64_t kAligned = 256;
    const std::uint64_t begin = bytes;
    bytes += (count + kAligned - 1) / kAligned * kAligned;
    return begin;
  }
};

class TeamPrinter : public BodyPrinter {
 public:
  using BodyPrinter::BodyPrinter;

  /// The team with which the body is printed. After SetPart().
  Team Planned(const std::vector<const NestNode*>& parallel, const NestNode& body) const;

 protected:
  /// The block's number among those of what is printed, as text.
  void set_block(std::string block) { block_ = std::move(block); }
  const std::string& block() const { return block_; }
  /// Prints which thread of the team this is and the number of its point, `exh_point`.
  void PrintPlace(const Team& team);
  /// Then the body. `tickets`: where its tickets begin in the workspace.
  void PrintTeam(const Team& team, const NestNode& body, std::uint64_t tickets, TeamSpace& space);
  /// Bytes of shared memory for a block.
  static std::uint64_t SharedBytes(const Team& team);

 private:
  void Run(const NestNode& node);
  void RunLoop(const NestNode& loop);
  void Divide(const std::vector<const NestNode*>& loops);
  /// A register with the value.
  std::string Named(const Taken& taken, const std::string& value);
  /// All that a loop accumulates is in cells that only it uses.
  bool IsReduction(const NestNode& loop) const;
  /// Is it of any use to a team, and does nobody add to a sum that others look at?
  bool CanShare(const NestNode& node) const;
  /// A reduction that blocks may share: the first loop, behind nothing but the beginnings of sums.
  const NestNode* FirstReduction(const NestNode& body) const;
  /// The thread's part becomes that of the team, in all its threads.
  void Meet(const Taken& taken, const std::string& part);
  /// The parts of all blocks become one.
  void MeetBlocks(const std::vector<Taken>& taken, const std::vector<std::string>& parts);
  void BarrierBefore(const NestNode& node);
  void NoteStores(const NestNode& node);

  std::string block_ = "blockIdx.x";
  Team team_;
  std::uint64_t tickets_ = 0;
  TeamSpace* space_ = nullptr;
  bool is_shared_ = false;  ///< Blocks share what comes now.
  std::set<int> stored_;    ///< Arrays, since the last barrier.
};

}  // namespace exh::kernels::fused
