// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "kernels/ir/target.h"
#include "runtime/host.h"
#include "runtime/schedule_support.h"
#include "runtime/space.h"
#include "spaces/linalg.exh.schedule.h"

namespace exh::kernels {

/// A space that has kernels: what MakeTask freezes, and where its decisions are for those who read
/// them. They know the choices of linalg.exh, and no others.
class KernelSpace {
 public:
  virtual ~KernelSpace() = default;
  /// Sets, choices and requirements.
  virtual const runtime::Space& space() const = 0;
  /// Answers the engine's questions about a frozen backbone, which outlives the host.
  virtual std::shared_ptr<const runtime::Host> MakeHost(const ir::Target& function) const = 0;
  /// Where the decisions of an instance are. `host` is from MakeHost, and the instance was frozen
  /// over it. Throws runtime::HostError when the space lacks a choice of linalg.exh.
  virtual spaces::linalg::Decisions FindDecisions(const runtime::Host& host,
                                                  const runtime::Instance& instance) const = 0;
};

/// kernels/spaces/linalg.exh: the space of every kernel that does not bring its own.
const KernelSpace& LinalgSpace();

/// The space that exhc made of a `.exh` file which includes linalg.exh: what its generated
/// namespace has.
template <typename SpaceHost, const runtime::Space& (*GetSpace)(), auto FindDecisionsOf>
class GeneratedSpace final : public KernelSpace {
 public:
  const runtime::Space& space() const override { return GetSpace(); }
  std::shared_ptr<const runtime::Host> MakeHost(const ir::Target& function) const override {
    return std::make_shared<SpaceHost>(function);
  }
  spaces::linalg::Decisions FindDecisions(const runtime::Host& host,
                                          const runtime::Instance& instance) const override {
    return spaces::linalg::DecisionsOf(
        FindDecisionsOf(static_cast<const SpaceHost&>(host), instance));
  }
};

}  // namespace exh::kernels
