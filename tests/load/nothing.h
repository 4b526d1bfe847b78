// SPDX-License-Identifier: MIT
#pragma once

namespace exh::load {

struct Nothing {};

}  // namespace exh::load
