// SPDX-License-Identifier: MIT
#include "base/version/version.h"

namespace exh {

const char* Version() {
  return EXH_VERSION;
}

}  // namespace exh
