// SPDX-License-Identifier: MIT
#pragma once

namespace exh {

/// The compiler of whoever includes this: "g++ 12.2.0".
#if defined(__clang__)
inline constexpr const char* kCompiledBy = "clang++ " __clang_version__;
#else
inline constexpr const char* kCompiledBy = "g++ " __VERSION__;
#endif

}  // namespace exh
