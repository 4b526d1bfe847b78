// SPDX-License-Identifier: MIT
//
// The folder of a fleet: many shapes that are tuned with the same options.
//
//   fleet/NAME/             the run of a shape: a folder as any search makes it
//   fleet/board/            winners, for shapes that come later (shared/winner_board.h)
//   fleet/slurm/            the script of a job array, and what its elements print
//   fleet/tune/             fleet.json has the options, shapes.jsonl the shapes, kernels/ the texts
//                           of kernels
//   fleet/tune/journal/     what happened to the shapes, a file for each process that runs some
//   fleet/tune/output/      what the searches printed; first/ what they began with
//   fleet/tune/cache/       what searches share: machine code, programs that are of no use
//   fleet/tune/priors/      what ended searches say of those that come later
//   fleet/tune/lock         held by who runs shapes
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/system/descriptor.h"
#include "search/tune/shapes/tune_shape.h"

namespace exh::search {

/// The format of what a fleet's folder holds beside runs. Others are refused by name.
inline constexpr int kFleetFormat = 1;

/// What all shapes of a fleet have in common.
struct FleetOptions {
  std::string device = "cpu";
  /// Of each shape; empty: the usual one.
  std::vector<std::string> budgets;
  /// All other options of `search` that are passed on: "--jobs=4".
  std::vector<std::string> words;
  int shapes_per_element = 0;  ///< Of a job array; 0: nobody has made one.
};

class FleetFolder {
 public:
  explicit FleetFolder(std::string path);

  const std::string& path() const { return path_; }
  std::string RunOf(const TuneShape& shape) const { return path_ + "/" + shape.name; }
  std::string LogOf(const TuneShape& shape) const { return RunOf(shape) + "/log.jsonl"; }
  std::string KernelFileOf(const TuneShape& shape) const;
  std::string OutputOf(const TuneShape& shape) const {
    return Tune("output/" + shape.name + ".txt");
  }
  std::string FirstOf(const TuneShape& shape, std::size_t number) const;
  std::string boards() const { return path_ + "/board"; }
  std::string BoardOf(const std::string& element) const;
  /// What its searches share (`search --cache`), and begin with (`--prior`).
  std::string cache() const { return Tune("cache"); }
  std::string priors() const { return Tune("priors"); }
  std::string slurm() const { return path_ + "/slurm"; }
  std::string journals() const { return Tune("journal"); }
  std::string JournalOf(const std::string& element) const;
  std::string lock() const { return Tune("lock"); }

  /// Is there one?
  bool Exists() const;
  /// Throws UsageError when there is none, or one of another format.
  void Read(FleetOptions& options, std::vector<TuneShape>& shapes) const;
  /// Makes what is missing, and writes both. Throws Error.
  void Write(const FleetOptions& options, const std::vector<TuneShape>& shapes) const;
  /// The folders alone. Throws Error, and UsageError where the folder holds something else.
  void Make() const;

 private:
  std::string Tune(const std::string& name) const { return path_ + "/tune/" + name; }

  std::string path_;
};

/// Is it the folder of a fleet?
bool IsFleet(const std::string& path);

/// The right to run shapes of a fleet, until this goes or its process does: for one process alone,
/// or for the elements of a job array.
class FleetLock {
 public:
  /// `who` is told to others: "search tune shapes.jsonl". Throws UsageError that says who has it.
  FleetLock(const FleetFolder& folder, const std::string& who, bool shared);

 private:
  Descriptor file_;
};

}  // namespace exh::search
