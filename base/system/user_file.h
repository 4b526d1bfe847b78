// SPDX-License-Identifier: MIT
//
// The door for files that a person names: every reader goes through it. A file has an end and a
// size that fits into memory; what is no regular file (a folder, /dev/zero, a pipe that nobody
// writes to) is refused before anything is read.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace exh {

/// Bytes of a file that a person names, unless a reader bounds them further.
inline constexpr std::size_t kLargestUserFile = std::size_t{256} << 20;

/// The whole file. Nothing when it cannot be had: then `error` says why, in a few words.
std::optional<std::string> ReadFile(const std::string& path, std::string* error,
                                    std::size_t most = kLargestUserFile);

/// The same. Throws UsageError, "cannot read 'x.json': No such file or directory".
std::string ReadUserFile(const std::string& path, std::size_t most = kLargestUserFile);

/// Why what an open file descriptor reads from is refused; empty: it is a regular file.
std::string NoRegularFile(int file);

}  // namespace exh
