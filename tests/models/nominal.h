// SPDX-License-Identifier: MIT
//
// A device of round numbers.
#pragma once

#include "tests/models/bounded.h"

namespace exh::models {

/// An H200 with round numbers: 132 multiprocessors of 128 lanes at 1.98 GHz, 4.8 TB/s. Nothing
/// passes between its launches, and only what tests set bounds conversions, special functions and
/// what all multiprocessors read at once.
inline DeviceRates Nominal(const search::Problem& problem) {
  DeviceRates rates = RatesOf(problem);
  rates.clock_ghz = 1.98;
  rates.fma_per_clk = 128;
  rates.issues_per_clk = 4;
  rates.accesses_per_clk = 1;
  rates.unit_bytes_per_clk = 64;
  rates.double_unit_per_clk = 0;
  rates.units_bytes_per_clk = 0;
  rates.conversions_per_clk = 0;
  rates.specials_per_clk = 0;
  rates.read_latency_clk = 30;
  rates.shared_latency_clk = 20;
  rates.launch_gap_ns = 0;
  rates.launch_gap_read_ns = 0;
  rates.memory_gbs = 4800;
  rates.memory_third_gbs = 0;
  rates.sweeps.clear();
  return rates;
}

/// What the term counts; 0 when there is none of that resource.
inline double TermAmount(const Bound& bound, std::string_view resource) {
  for (const BoundTerm& term : bound.terms) {
    if (term.resource == resource) return term.amount;
  }
  return 0;
}

}  // namespace exh::models
