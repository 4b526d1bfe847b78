// SPDX-License-Identifier: MIT
#pragma once

namespace exh::kernels {

/// "0.1.0 1f0c…": the version, and a digest of every file that decides the layout or the meaning of
/// what a plugin and the program that loads it hand to each other. Equal texts mean that two copies
/// of this library were built from the same sources.
const char* BuildStamp();

}  // namespace exh::kernels
