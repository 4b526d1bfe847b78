// SPDX-License-Identifier: MIT
#include "search/subject/subject.h"

#include <fmt/format.h>

#include <utility>

#include "base/error.h"
#include "kernels/devices/backend.h"

namespace exh::search {

namespace {

/// What the backend of a device says; of no device, `usual`.
template <typename Value, typename Ask>
Value OfBackend(const Subject& subject, Value usual, const Ask& ask) {
  return subject.device() == nullptr ? usual : Value(ask(kernels::BackendOf(*subject.device())));
}

}  // namespace

double Subject::slow_factor() const {
  return OfBackend(*this, 4.0, [](const auto& backend) { return backend.slow_factor(); });
}

double Subject::most_reserve_s() const {
  return OfBackend(*this, 8.0, [](const auto& backend) { return backend.finals_seconds(); });
}

std::string Subject::device_class() const {
  return OfBackend(*this, std::string("no device"),
                   [this](const auto& backend) { return backend.ClassOf(*device()); });
}

std::string Subject::source_suffix() const {
  return OfBackend(*this, std::string(".cc"), [](const auto& backend) { return backend.suffix(); });
}

models::Bound Subject::Explain(const runtime::Candidate& /*candidate*/, bool /*is_cold*/) const {
  throw UsageError(fmt::format("of '{}' no lower bound is known", name()));
}

SearchBound CommonBound(const models::Bound& bound, std::string name, AmountsFunction amounts) {
  return {[ns = bound.ns](const runtime::Candidate&) { return ns; },
          [on = std::string(bound.bottleneck)](const runtime::Candidate&) { return on; },
          std::move(amounts), std::move(name)};
}

SearchBound BoundOf(const Subject& subject, const RunRecord& run) {
  if (run.bound.empty()) return {};
  // The machine may have been busy when the run began, or have been measured since.
  SearchBound bound = subject.Bound(run.is_cold(), WhichRates::kOfThisMachine);
  if (bound.name == run.bound) return bound;
  SearchBound recorded = subject.Bound(run.is_cold(), WhichRates::kRecorded);
  if (recorded.name == run.bound) return recorded;
  throw UsageError(fmt::format("the run was cut by the bound '{}', the rates of {} now make '{}'",
                               run.bound, run.device, bound.name));
}

}  // namespace exh::search
