// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace exh {

/// The model of this machine's processor, as it calls itself: "AMD EPYC 7R13 Processor"; empty when
/// the system does not say it.
std::string ProcessorModel();

}  // namespace exh
