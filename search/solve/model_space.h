// SPDX-License-Identifier: MIT
//
// A model (examples/model.h) from a command line: --space, --size and --data.
#pragma once

#include <memory>
#include <string>

#include "examples/model.h"
#include "runtime/instance.h"

namespace exh::search {

/// The models that --space can name: those that come with Exhaust.
const examples::Model& FindModel(const std::string& name);

/// The parameters of the model with what `text`, "n=8,k=3", says. Throws UsageError for unknown
/// names and bad values.
examples::Parameters ParseParameters(const examples::Model& model, const std::string& text);

/// The frozen space. `data`: the path of a file, or empty. Throws UsageError with what is wrong
/// with it, and where.
std::shared_ptr<const runtime::Instance> FreezeModel(const examples::Model& model,
                                                     const examples::Parameters& parameters,
                                                     const std::string& data,
                                                     const runtime::FreezeOptions& options);

}  // namespace exh::search
