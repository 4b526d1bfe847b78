// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <string>

#include "runtime/candidate.h"

namespace exh::search {

/// No implementation below the candidate runs in less than so many nanoseconds. Called from many
/// threads at once. An empty function stands for 0: nothing is known.
using BoundFunction = std::function<double(const runtime::Candidate&)>;

/// What a bound rests on, in words, for the reader of a bound that turned out wrong.
using ResourceFunction = std::function<std::string(const runtime::Candidate&)>;

}  // namespace exh::search
