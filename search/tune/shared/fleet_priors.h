// SPDX-License-Identifier: MIT
//
// Priors of a fleet: what the shapes of a kernel that have ended say of those that come later
// (search/learn/prior.h). A prior is learned by `search learn`, in a process of its own, when 4
// shapes of the kernel have ended on the device, then 8, 16 and so on, of at most 32 of them: all
// together take a small part of the time of the searches. It is written aside and renamed into
// place, under the name of kernel and device and the number of shapes that had ended. So each stays
// what a run began with, and any process on any machine sees what there is to do. One that cannot
// be learned is said, and searches begin with what there is.
#pragma once

#include <cstddef>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "base/stop.h"
#include "search/tune/fleet_folder.h"
#include "search/tune/shared/winner_board.h"

namespace exh::search {

class FleetPriors {
 public:
  /// With fewer there is none.
  static constexpr std::size_t kLeast = 4;
  /// Runs that one is learned of.
  static constexpr std::size_t kMostRuns = 32;

  /// `program`: what `learn` is called with. References outlive it.
  FleetPriors(const FleetFolder& folder, const std::vector<std::string>& program,
              const StopToken* stop)
      : folder_(folder), program_(program), stop_(stop) {}

  /// The file that a search of the shape begins with; empty: there is none. Learns it when enough
  /// of `all` have ended since the last one, unless another thread or process does that now.
  /// `problem`: why it could not be learned. From any thread.
  std::string For(const TuneShape& shape, const std::string& device,
                  const std::vector<BoardWinner>& all, std::string& problem);

 private:
  /// Throws Error that says why there is none.
  void Learn(const std::vector<std::string>& runs, const std::string& file) const;

  const FleetFolder& folder_;
  const std::vector<std::string>& program_;
  const StopToken* stop_;
  std::mutex learning_;
  std::set<std::string> failed_;  ///< What could not be learned is not tried again.
};

/// The prior of a fleet that a run calls so (RunRecord::prior); empty: none of them.
std::string PriorCalled(const FleetFolder& folder, const std::string& name);

}  // namespace exh::search
