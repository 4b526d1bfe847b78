// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/stop.h"
#include "base/system/scratch_folder.h"
#include "kernels/cpu/compile.h"
#include "kernels/cpu/problem_bench.h"
#include "kernels/cpu/run.h"
#include "kernels/fused/run/rows.h"

namespace exh::kernels::fused {

/// The compiler of programs, whose files go into the folder.
cpu::CompilerOptions CompilerIn(const std::string& folder, const StopToken* stop);

/// This machine's processor.
class CpuMachine final : public RowMachine {
 public:
  /// `command`: a program whose main calls cpu::RunnerMain. `stop` outlives it.
  /// `compiler`: what it is called with, for Conditions().
  CpuMachine(std::vector<std::string> command, int threads, std::string compiler,
             const StopToken* stop);

  Source Text(const Program& program, const std::vector<NestNode>& nests) const override;
  std::string Begin(const Graph& graph, const Program& program, std::uint64_t seed,
                    std::uint64_t most_bytes) override;
  Compiled Compile(const Source& source) override;
  Measurement Run(const Compiled& compiled, bool is_full) override;
  void Discard(const Compiled& compiled) override { compiler_.Discard(compiled); }
  /// Measured, once for each number of bytes.
  double CopyNs(std::uint64_t bytes) override;
  std::string Conditions() const override;

 private:
  cpu::RunRequest RequestOf(const Compiled& compiled) const;

  cpu::ForkServer server_;
  const int threads_;
  const std::string compiler_call_;
  const StopToken* const stop_;
  ScratchFolder scratch_;
  cpu::Compiler compiler_;
  std::optional<cpu::ProblemBench> problems_;
  std::map<std::uint64_t, double> copies_;  ///< By elements.
};

}  // namespace exh::kernels::fused
