// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

namespace exh {

/// Writes a file that is there whole or not at all: under a name of its own in the same folder, and
/// renamed when all is written. A symbolic link of that name is replaced by the file, never
/// followed; what was a file keeps its permissions. What lies in /dev or /proc, and every pipe,
/// device and socket, is written to as it is. `durable`: on the disk before it is renamed. Returns
/// 0 or an errno, and then leaves what was there.
int WriteWholeFile(const std::string& path, std::string_view text, bool durable = false);

}  // namespace exh
