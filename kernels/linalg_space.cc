// SPDX-License-Identifier: MIT
#include "kernels/kernel_space.h"
#include "kernels/space_over.h"
#include "spaces/linalg.exh.h"

namespace exh::kernels {

const KernelSpace& LinalgSpace() {
  namespace linalg = spaces::linalg;
  static const SpaceOver<linalg::SpaceHost, linalg::View, linalg::GetSpace> space;
  return space;
}

}  // namespace exh::kernels
