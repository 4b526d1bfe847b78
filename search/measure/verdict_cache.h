// SPDX-License-Identifier: MIT
//
// VerdictCache: what searches found out of programs that no search has to find out again: that a
// result is wrong, or that a text does not compile. Searches that share a folder (`--cache`) share
// it: another seed, a run that is begun again, an element of a job array.
//
// A verdict holds for the same text, problem, device, processor, compiler and libraries, and for
// the same program file alone: one that prints or checks differently begins anew. It says nothing
// of times. Each stands in a file of its own, which is there whole or not at all; what is not as it
// was written is no verdict, and when something is wrong with the disk nothing else fails.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/evaluation.h"
#include "search/log/log_records.h"

namespace exh::search {

/// What is known of a program.
struct KnownVerdict {
  kernels::Verdict verdict = kernels::Verdict::kWrong;
  std::string why;
};

class VerdictCache {
 public:
  /// In `folder`, which is made, for what VerdictContext() says.
  VerdictCache(std::string folder, std::string context);

  /// Of a program by its text without comments. From any thread.
  std::optional<KnownVerdict> Find(std::string_view text) const;
  /// Only kWrong and kCompileError are of use to others.
  void Keep(std::string_view text, const KnownVerdict& known) const;

 private:
  std::string PathOf(std::string_view text) const;

  std::string folder_, context_;
};

/// All that a verdict depends on besides the text: what the header of a run says of the problem,
/// the device and the machine, and the program with its plugins.
std::string VerdictContext(const RunRecord& run, const std::string& program);

/// This program by its content, and that of its plugins; empty: they cannot be read.
std::string ProgramDigest(const std::vector<std::string>& plugins);

}  // namespace exh::search
