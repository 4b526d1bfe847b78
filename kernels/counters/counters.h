// SPDX-License-Identifier: MIT
//
// What the counters of a device say of one run of a program: a GPU's as Nsight Compute reads them,
// a processor's as the kernel of the system does.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace exh::kernels {

/// One number. What models foretell has the same keys (docs/search.md).
struct Counter {
  std::string key;     ///< "dram_bytes".
  double value = 0;    ///< Of one run of the whole program, unless the unit says otherwise.
  std::string unit;    ///< "bytes".
  std::string source;  ///< As the tool calls it: "dram__bytes.sum".
};

struct CounterReading {
  std::string tool;  ///< Who counted: "Nsight Compute". Empty: nobody did.
  /// Empty: all was counted. Otherwise what forbade it, or part of it, and what would help: lines.
  std::string why;
  std::vector<Counter> counters;

  const Counter* Find(std::string_view key) const {
    for (const Counter& counter : counters) {
      if (counter.key == key) return &counter;
    }
    return nullptr;
  }
};

struct Compiled;

/// What an evaluator is besides where its device counts.
class CountsRuns {
 public:
  virtual ~CountsRuns() = default;
  /// Of a run of what was compiled. Takes its time: a GPU runs it again for each few counters.
  virtual CounterReading Counters(const Compiled& compiled) = 0;
};

}  // namespace exh::kernels
