// SPDX-License-Identifier: MIT
#include "models/terms/term.h"

#include <fmt/format.h>

namespace exh::models::terms {

std::string RateText(const Rate& rate, const DeviceRates& rates) {
  switch (rate.unit) {
    case Rate::Unit::kPerClock:
      return fmt::format("{:g} a clock at {:g} GHz", rate.number, rates.clock_ghz);
    case Rate::Unit::kGhz:
      return fmt::format("{:g} GHz", rate.number);
    case Rate::Unit::kGbs:
      return fmt::format("{:g} GB/s", rate.number);
  }
  return "";
}

}  // namespace exh::models::terms
