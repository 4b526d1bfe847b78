// SPDX-License-Identifier: MIT
//
// An example (examples/example.h) from a command line: --space, --size and --data.
#pragma once

#include <memory>
#include <string>

#include "examples/example.h"
#include "runtime/instance.h"

namespace exh::search {

/// The examples that --space can name: those that come with Exhaust.
const examples::Example& FindExample(const std::string& name);

/// The parameters of the example with what `text`, "n=8,k=3", says. Throws UsageError for unknown
/// names and bad values.
examples::Parameters ParseParameters(const examples::Example& example, const std::string& text);

/// The frozen space. `data`: the path of a file, or empty. Throws UsageError with what is wrong
/// with it, and where.
std::shared_ptr<const runtime::Instance> FreezeExample(const examples::Example& example,
                                                       const examples::Parameters& parameters,
                                                       const std::string& data,
                                                       const runtime::FreezeOptions& options);

}  // namespace exh::search
