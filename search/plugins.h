// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace exh::search {

/// Loads a plugin (kernels/plugin.h) and adds its kernels to the registry; they stay until the
/// program ends. A file that is loaded already is left alone. Throws UsageError, which names the
/// file and what would be right, when it is missing, no shared object, no plugin, made for another
/// version of Exhaust, or has a kernel whose name is taken.
void LoadPlugin(const std::string& file);

}  // namespace exh::search
