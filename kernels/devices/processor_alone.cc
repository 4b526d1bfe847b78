// SPDX-License-Identifier: MIT
#include "kernels/devices/cpu/backend.h"

extern "C" void exh_list_of_backends(std::vector<const exh::kernels::Backend*>& backends) {
  backends = {&exh::kernels::cpu::GetBackend()};
}
