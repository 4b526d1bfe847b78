// SPDX-License-Identifier: MIT
//
// Schedule: the decisions of one implementation, as plain data. It is the only thing that code
// generation reads beside the backbone. exhc writes it, with its values and their names, of the
// choices of kernels/spaces/linalg.exh: a fully constrained candidate fills it (`Extract`), and
// tests fill it by hand.
#pragma once

#include "spaces/linalg.exh.schedule.h"

namespace exh::kernels::codegen {

// Code generation speaks the words of the space: DimKind::LOOP, Order::MERGED, Schedule.
using namespace spaces::linalg;  // NOLINT: they are one vocabulary

}  // namespace exh::kernels::codegen
