// SPDX-License-Identifier: MIT
#include "kernels/devices/cpu/backend.h"
#include "kernels/devices/cuda/backend.h"
#include "kernels/devices/gpu_text/backend.h"

extern "C" void exh_list_of_backends(std::vector<const exh::kernels::Backend*>& backends) {
  using namespace exh::kernels;
  backends = {&cpu::GetBackend(), &cuda::GetBackend(), &gpu_text::HipBackend(),
              &gpu_text::OpenClBackend()};
}
