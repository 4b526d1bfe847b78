// SPDX-License-Identifier: MIT
#pragma once

#include "kernels/devices/backend.h"

namespace exh::kernels::cpu {

/// The backend of this machine's processor.
const Backend& GetBackend();

}  // namespace exh::kernels::cpu
