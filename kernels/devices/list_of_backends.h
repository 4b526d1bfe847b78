// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

namespace exh::kernels {
class Backend;
}

/// Adds the backends of this program. all_backends.cc has all of them, processor_alone.cc the one
/// that searches a processor's kernels: a program links one of both. Its name is plain, so that a
/// linker can be told to look for it.
extern "C" void exh_list_of_backends(std::vector<const exh::kernels::Backend*>& backends);
