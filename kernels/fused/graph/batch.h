// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "kernels/fused/graph/read.h"

namespace exh::kernels::fused {

/// What became of the operators of a batch.
struct BatchCounts {
  std::int64_t operators = 0;
  std::int64_t parsed = 0;  ///< The JSON makes sense; accepted or refused.
  std::int64_t accepted = 0;
  std::map<std::string, std::int64_t> refused;    ///< By reason, each operator once.
  std::map<std::string, std::int64_t> malformed;  ///< The same.

  void Count(const ReadResult& result);
};

/// By network; "" has those of none.
using CountsByNetwork = std::map<std::string, BatchCounts>;

/// A table: a line for each network and one for all of them, and behind it the reasons.
std::string TextOf(const CountsByNetwork& counts);

}  // namespace exh::kernels::fused
