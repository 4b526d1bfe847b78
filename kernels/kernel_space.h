// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "kernels/codegen/schedule.h"
#include "kernels/ir/domains.h"
#include "kernels/ir/function.h"
#include "runtime/candidate.h"
#include "runtime/host.h"
#include "runtime/space.h"

namespace exh::kernels {

/// Reads what candidates of one instance still allow, partially specified or not.
class DomainReader {
 public:
  virtual ~DomainReader() = default;
  /// The vectors of `out` are reused: from the second call on nothing is allocated. Any number of
  /// threads may read.
  virtual void Read(const runtime::Candidate& candidate, ir::Domains& out) const = 0;
};

/// A space that has kernels: what MakeTask freezes, and how code generation reads what comes out.
/// `SpaceOver` (space_over.h) makes one of any `.exh` file that includes those of linalg.exh.
class KernelSpace {
 public:
  virtual ~KernelSpace() = default;
  /// Sets, choices and requirements.
  virtual const runtime::Space& space() const = 0;
  /// Answers the engine's questions about a frozen backbone, which outlives the host.
  virtual std::shared_ptr<const runtime::Host> MakeHost(const ir::Function& function) const = 0;
  /// The decisions of an implementation. `host` is from MakeHost, for the same backbone.
  virtual codegen::Schedule Extract(const ir::Function& function, const runtime::Host& host,
                                    const runtime::Candidate& candidate) const = 0;
  /// A reader of the candidates of one instance, which `host` was made for. All three outlive it.
  virtual std::unique_ptr<const DomainReader> MakeDomainReader(
      const ir::Function& function, const runtime::Host& host,
      const runtime::Instance& instance) const = 0;
};

/// kernels/spaces/linalg.exh: the space of every kernel that does not bring its own.
const KernelSpace& LinalgSpace();

}  // namespace exh::kernels
