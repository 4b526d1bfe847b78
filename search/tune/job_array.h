// SPDX-License-Identifier: MIT
//
// A fleet as a job array of Slurm: an element is some consecutive shapes, worth ten minutes or
// more, for a job that takes a minute costs a cluster more than it brings. Which shapes an element
// has never changes while shapes are added behind, so that an element that is queued again goes on.
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "search/tune/fleet_folder.h"

namespace exh::search {

/// So many shapes are worth ten minutes with these budgets.
int ShapesPerElement(const std::vector<std::string>& budgets);

/// The shapes of an element. Throws UsageError when there is no such element.
std::vector<TuneShape> ShapesOf(const FleetOptions& options, const std::vector<TuneShape>& shapes,
                                int element);

/// "0-3,7": elements in the form of Slurm, ascending.
std::string ArrayText(const std::vector<int>& elements);

/// What a script of an array is made of.
struct ArrayScript {
  const FleetFolder& folder;
  const FleetOptions& options;
  std::vector<int> elements;         ///< Those with shapes that are not done.
  std::vector<std::string> program;  ///< What runs an element, before "tune".
  bool needs_gpu = false;
};

/// A shell script for sbatch.
std::string ScriptText(const ArrayScript& script);

/// Hands the script to sbatch with these words in between, and returns what that says. Throws
/// UsageError without a Slurm, Error with what sbatch says when it refuses.
std::string Submit(const std::string& script, const std::vector<std::string>& words);

/// Throws UsageError when there is no sbatch.
void RequireSlurm();

/// The number of the job in what sbatch says: "Submitted batch job 17", "17;cluster". Empty: it
/// says none.
std::string JobIn(std::string_view said);

/// Keeps the number of a job of this fleet. Throws Error.
void AddJob(const FleetFolder& folder, const std::string& job);

/// Elements of the fleet's jobs that wait or run, as far as squeue says.
std::set<int> QueuedElements(const FleetFolder& folder);

}  // namespace exh::search
