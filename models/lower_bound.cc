// SPDX-License-Identifier: MIT
#include "models/lower_bound.h"

#include <algorithm>

#include "models/inventory/work_view.h"
#include "models/tally.h"

namespace exh::models {

double LowerBound::Ns(const Domains& domains, double enough) const {
  const WorkView view(inventory_, domains);
  Tally tally(view);
  const double throughput = tally.CountThroughput();
  if (throughput >= enough) return throughput;
  return std::max(throughput, tally.CountWaits());
}

}  // namespace exh::models
