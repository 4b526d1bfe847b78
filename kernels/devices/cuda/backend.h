// SPDX-License-Identifier: MIT
#pragma once

#include "kernels/devices/backend.h"

namespace exh::kernels::cuda {

/// The backend of NVIDIA's GPUs.
const Backend& GetBackend();

}  // namespace exh::kernels::cuda
