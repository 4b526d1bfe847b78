// SPDX-License-Identifier: MIT
//
// Problem: a kernel at given sizes on a device, put together from a command line, the header of a
// log, or a list of decisions.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/stop.h"
#include "kernels/task.h"
#include "search/log/log_records.h"
#include "search/subject/allowance.h"

namespace exh::search {

/// The option of kernels whose types are open: what --type says of them.
inline constexpr const char* kTypeOption = "type";

/// As written on a command line.
struct ProblemOptions {
  std::string kernel;   ///< A name, or a file: one that ends in .kernel, or a path with a '/'.
  std::string compute;  ///< Statements in its place: "c[i, j] = sum(k) a[i, k] * b[k, j]".
  /// Of the arrays of `compute` (empty: f32), or the value of the kernel's option `type`.
  std::string type;
  std::string text;  ///< The kernel as text, of a log or a list of decisions; else empty.
  std::string size;  ///< "m=512,op=max"; sizes that are left out keep their defaults.
  std::string device = "cpu";
  std::optional<std::uint32_t> threads, max_threads;
  bool deterministic = false;       ///< Otherwise as the device's file says.
  std::vector<std::string> limits;  ///< "max_unroll=64".
  std::string space;                ///< "default" (or empty): every decision; "paper": no others.
  std::optional<int> gpu;           ///< Which GPU; nothing: the first.
  std::string memory;               ///< "4GiB": at most so much to build the space; "": half of it.
  bool runs = false;  ///< Its programs are to run here: there must be room for arrays.
  /// Ends the building of the space, which then throws exh::Interrupted; may be null.
  const StopToken* stop = nullptr;
};

/// What --memory says, half of the machine's where it says nothing. Throws UsageError.
std::uint64_t MemoryFor(const std::string& text);

struct Problem {
  const kernels::Kernel* kernel = nullptr;
  kernels::Parameters sizes;
  kernels::ir::Device device;
  bool paper = false;  ///< The space has no decisions beyond those of the paper.
  kernels::Task task;
  double space_s = 0;  ///< Seconds that building its space took.

  /// The option that makes it so again: "default" or "paper".
  std::string space() const { return paper ? "paper" : "default"; }

  /// The order of choices that a command line asks for (ChoiceOrder::Parse): in the paper's space
  /// the paper's when it says nothing.
  std::string order(const std::string& text) const {
    return text.empty() && paper ? "paper" : text;
  }

  /// The root candidate. Throws Error when the space has no implementation at all.
  runtime::Candidate root() const;
};

/// Names of all kernels.
std::vector<std::string> KernelNames();

/// Is what --space says the file of a space of a user, and no space of kernels?
inline bool IsSpaceOfUser(const std::string& space) {
  return space.ends_with(".exh") || space.ends_with(".own");
}

/// The kernel that is meant, which lives as long as the program. Throws UsageError for a name that
/// is unknown, with the nearest one, and for a text with mistakes.
const kernels::Kernel& FindKernel(const ProblemOptions& options);

/// The kernel's sizes with what `text` says. Throws UsageError for unknown names and bad values.
kernels::Parameters ParseSizes(const kernels::Kernel& kernel, const std::string& text);
/// The same with `--type`, where that is an option of the kernel.
kernels::Parameters ParseSizes(const kernels::Kernel& kernel, const ProblemOptions& options);

/// "a=1,op=max": all sizes of a kernel, as ParseSizes() takes them.
std::string SizesText(const kernels::Kernel& kernel, const kernels::Parameters& sizes);

/// The device with the limits that the options change. Throws UsageError.
kernels::ir::Device FindDevice(const ProblemOptions& options);

/// All limits as JSON text.
std::map<std::string, std::string, std::less<>> DeviceLimits(const kernels::ir::Device& device);

/// Throws UsageError for bad input, Error when the sizes cannot be built.
Problem MakeProblem(const ProblemOptions& options);

/// The problem of a logged run: its sizes and the limits that its device had. Without a limit of
/// memory it has that of MemoryFor("").
Problem MakeProblem(const RunRecord& run, const Allowance& allowance = {});

}  // namespace exh::search
