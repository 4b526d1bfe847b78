// SPDX-License-Identifier: MIT
#include "search/commands/space/cut_options.h"

#include <fmt/format.h>

#include <cmath>
#include <optional>

#include "base/error.h"
#include "base/numbers.h"

namespace exh::search {

void AddCutOptions(CLI::App& app, CutOptions& options) {
  app.add_option("--cut", options.time,
                 "without what the lower bound says is slower than this: 4.81ms, 160us");
  app.add_option("--cut-depth", options.depth, "last level that loses nodes (default 10)");
}

Cut MakeCut(const CutOptions& options, const Subject& subject) {
  if (options.time.empty()) return {};
  if (options.depth < 0) throw UsageError("--cut-depth must be 0 or more");
  const std::optional<double> ns = ParseTime(options.time);
  if (!ns) throw UsageError(fmt::format("bad --cut '{}'; legal: 4.81ms, 160us", options.time));
  Cut cut;
  cut.cut_ns = *ns;
  cut.max_cut_depth = options.depth;
  cut.bound = subject.BoundUpTo(std::nextafter(*ns, HUGE_VAL));
  if (!cut.bound) {
    throw UsageError(fmt::format("--cut: of '{}' no lower bound is known", subject.name()));
  }
  return cut;
}

}  // namespace exh::search
