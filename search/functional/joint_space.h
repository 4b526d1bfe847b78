// SPDX-License-Identifier: MIT
//
// Parameters of a program and mappings of its maps as one space without a backbone: what is
// inferred of the program (functional/infer/exh_text.h), and the rules of lift.exh spelled out for
// its tree. So both are decided together, and no C++ compiler is needed.
#pragma once

#include <memory>
#include <string>

#include "functional/lift/program.h"
#include "runtime/instance.h"

namespace exh::search {

/// The rules for a tree as `.exh`. Map number i runs as `code_<i>()` says.
std::string MappingText(const lift::Program& program);

/// `constraints`: the parameters and what is required of them, as `.exh`. Throws UsageError when
/// nothing fulfils all of it, and what a freeze with these options throws.
std::shared_ptr<const runtime::Instance> FreezeJoint(const std::string& constraints,
                                                     const lift::Program& program,
                                                     const runtime::FreezeOptions& freeze = {});

}  // namespace exh::search
