// SPDX-License-Identifier: MIT
//
// The one runtime header that generated code includes.
#pragma once

#include "base/check.h"
#include "base/error.h"
#include "runtime/action.h"
#include "runtime/candidate.h"
#include "runtime/enum_domain.h"
#include "runtime/host.h"
#include "runtime/instance.h"
#include "runtime/int_domain.h"
#include "runtime/interval.h"
#include "runtime/propagation.h"
#include "runtime/space.h"
#include "runtime/state.h"
