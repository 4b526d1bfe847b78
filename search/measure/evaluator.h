// SPDX-License-Identifier: MIT
//
// Evaluators are a device's (kernels/devices/evaluator.h). A search calls them by these names.
#pragma once

#include "kernels/devices/evaluator.h"

namespace exh::search {

using kernels::Cap;
using kernels::Contender;
using kernels::Effort;
using kernels::Evaluator;
using kernels::EvaluatorOptions;
using kernels::kAuditSeconds;

}  // namespace exh::search
