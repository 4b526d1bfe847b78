// SPDX-License-Identifier: MIT

#include "tests/support/tree.h"

namespace exh {

const char* const kSourceDir = EXH_SOURCE_DIR;
const char* const kBinaryDir = EXH_BINARY_DIR;

}  // namespace exh
