// SPDX-License-Identifier: MIT
//
// Candidates that are dropped where something is made of them: those that code generation refuses,
// and those on which a check of our own fails. Others go on; what was dropped is counted and told
// at the end of a run.
#pragma once

#include <cstddef>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/check.h"
#include "base/error.h"
#include "kernels/evaluation.h"
#include "runtime/candidate.h"
#include "search/descend/bound_function.h"
#include "search/log/log_records.h"

namespace exh::search {

/// Why a candidate is dropped.
struct Dropped {
  kernels::Verdict verdict = kernels::Verdict::kInternal;  ///< Or kRefused.
  std::string why;
};

/// Does what may fail because of one candidate, and with nothing half done that others see.
/// Nothing: it went well.
template <typename Work>
std::optional<Dropped> DroppedBy(const Work& work) {
  const CheckGuard guard;
  try {
    work();
    return std::nullopt;
  } catch (const Refused& refused) {
    return Dropped{kernels::Verdict::kRefused, refused.what()};
  } catch (const CheckFailure& failure) {
    return Dropped{kernels::Verdict::kInternal, failure.what()};
  }
}

/// The checks that failed in a run on candidates that are no evaluation: partial ones, or ones that
/// a model was asked about. Of each the first candidate is kept. Any number of threads may use one.
class FailedChecks {
 public:
  void Note(const std::string& why, const runtime::Candidate& candidate);
  /// Those that are new since the last call.
  std::vector<FailedCheckRecord> TakeNew();
  /// In the order in which they were first seen.
  std::vector<FailedCheckRecord> all() const;

 private:
  mutable std::mutex mutex_;  ///< Of what follows.
  std::vector<FailedCheckRecord> checks_;
  std::size_t taken_ = 0;
};

/// The bound, or 0 (nothing is known) where a check fails while it is worked out, which is noted in
/// `checks`; that outlives what is returned. An empty function stays empty.
BoundFunction Guarded(BoundFunction bound, FailedChecks& checks);

}  // namespace exh::search
