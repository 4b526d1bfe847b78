// SPDX-License-Identifier: MIT
#include "kernels/kernel_space.h"
#include "spaces/linalg.exh.h"

namespace exh::kernels {

const KernelSpace& LinalgSpace() {
  namespace linalg = spaces::linalg;
  static const GeneratedSpace<linalg::SpaceHost, linalg::GetSpace, linalg::FindDecisions> space;
  return space;
}

}  // namespace exh::kernels
