// SPDX-License-Identifier: MIT
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/stop.h"
#include "kernels/cpu/known_answers.h"
#include "kernels/evaluation.h"

namespace exh::kernels::cpu {

struct CompilerOptions {
  std::string compiler = "g++";  ///< Looked up on PATH.
  /// Combining three instructions and more takes the square of the length of unrolled code. Nobody
  /// looks at errno behind a square root, which has no instruction of vectors then.
  std::vector<std::string> flags = {"-O3",
                                    "-march=native",
                                    "-fopenmp",
                                    "-ffp-contract=fast",
                                    "-fno-math-errno",
                                    "-Wno-psabi",
                                    "-shared",
                                    "-fPIC",
                                    "-pipe",
                                    "--param",
                                    "max-combine-insns=2"};
  double timeout_s = 60;            ///< Or half of what `stop` leaves, if that is less but 10 s.
  std::string directory = ".";      ///< Where <hash>.cc and <hash>.so go; made if it is missing.
  bool keep_source = true;          ///< Leave <hash>.cc beside the library.
  const StopToken* stop = nullptr;  ///< When it is stopped, so is the compiler: kStopped.
  KnownAnswers known = {};          ///< Texts are compiled with the options that these ask for.
};

/// Turns C++ text into shared objects with the system compiler, in processes with a time limit.
/// The same text is compiled once: libraries are kept by a hash of text, compiler and flags.
/// Safe to call from many threads.
class HostCompiler {
 public:
  explicit HostCompiler(CompilerOptions options);

  /// How long a text may take.
  enum class Patience {
    kUsual,    ///< Eight times the median of recent compilations, at least 2 s.
    kAllTime,  ///< CompilerOptions::timeout_s.
  };

  /// Never throws: a refused text, a crash or a hang of the compiler, a missing compiler and a full
  /// disk are verdicts.
  Compiled Compile(const std::string& source, Patience patience = Patience::kUsual);

  /// Gives a result back. The library's file goes when everyone who got it gave it back: two
  /// implementations can have one text, and with it one library.
  void Discard(const Compiled& compiled);

  const CompilerOptions& options() const { return options_; }

  /// Number of times the compiler really ran.
  std::uint64_t runs() const;

 private:
  struct Known {
    Verdict verdict = Verdict::kBroken;
    std::string why, library;
    int users = 0;
  };
  Compiled CompileFresh(const std::string& source, const std::string& stem, double timeout_s);
  /// Seconds that one may take.
  double UsualSeconds() const;

  CompilerOptions options_;
  mutable std::mutex mutex_;
  std::set<std::string> in_progress_;  ///< Hashes that some thread compiles right now.
  std::condition_variable progress_;
  std::unordered_map<std::string, Known> known_;  ///< By hash.
  std::uint64_t runs_ = 0;
  std::vector<double> seconds_;  ///< Of recent compilations that were not given up.
};

/// Is what a compiler, an assembler or a linker says about the machine (no memory, no disk, no
/// processes, killed by somebody), and not about the text?
bool IsEnvironmentTrouble(std::string_view complaint);

}  // namespace exh::kernels::cpu
