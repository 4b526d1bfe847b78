// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>

#include "search/measure/evaluator.h"
#include "search/simulate/whole/oracle.h"

namespace exh::search {

/// Prints the source of an implementation; see Subject::Emit(). From any thread.
using EmitFunction = std::function<kernels::Source(const runtime::Candidate&)>;

/// Evaluates implementations by asking an oracle. Sources are those of the real space, so that
/// programs that coincide, texts that are too long and what code generation refuses are as in a
/// real search. One simulation has one, in one thread.
class OracleEvaluator final : public Evaluator {
 public:
  /// References outlive it. `most_text_bytes`: as Evaluator::most_text_bytes() of the device.
  OracleEvaluator(const Oracle& oracle, EmitFunction emit, std::uint64_t most_text_bytes)
      : oracle_(oracle), emit_(std::move(emit)), most_text_bytes_(most_text_bytes) {}

  kernels::Source Emit(const runtime::Candidate& implementation) override {
    return emit_(implementation);
  }
  std::uint64_t most_text_bytes() const override { return most_text_bytes_; }

  kernels::Compiled CompileOf(const kernels::Source& source,
                              const runtime::Candidate& implementation) override;
  /// Of a source that CompileOf() knows; others are `broken`.
  kernels::Compiled Compile(const kernels::Source& source) override;
  kernels::Measurement Measure(const kernels::Compiled& compiled, const Cap& cap,
                               Effort effort) override;
  void Discard(const kernels::Compiled& /*compiled*/) override {}  // There are no files.

 private:
  const Oracle& oracle_;
  EmitFunction emit_;
  std::uint64_t most_text_bytes_;
  std::unordered_map<std::string, OracleAnswer> answers_;  ///< By code.
};

}  // namespace exh::search
