// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "runtime/error.h"

namespace exh::search {

/// The command line (or a file that a person wrote) asks for something that does not exist or makes
/// no sense: one line, exit code 2. Any other Error is the environment's: exit code 1.
class UsageError : public Error {
 public:
  using Error::Error;
};

}  // namespace exh::search
