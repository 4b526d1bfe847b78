// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "kernels/devices/cuda/driver/nvrtc.h"

namespace exh::kernels::cuda {

/// What the cache knows of a text: its machine code, or what the compiler says against it.
struct CachedCubin {
  std::string path;  ///< Empty: the text does not compile.
  std::string log;   ///< Why not.
  KernelResources resources;
};

/// Machine code on disk, by text, architecture, options and version of the compiler: `<key>.cubin`,
/// and beside it what is known of it, `<key>.json`. Many threads and processes may share a folder.
/// When something is wrong with the disk or the files, entries are missing; nothing else fails.
class CubinCache {
 public:
  /// An empty folder: nothing is kept.
  explicit CubinCache(std::string folder);

  /// The folder for this user: $XDG_CACHE_HOME/exhaust/cubin or ~/.cache/exhaust/cubin; empty when
  /// neither is known.
  static std::string DefaultFolder();
  /// The key of a text: comments do not matter, nor the space around lines.
  static std::string Key(const std::string& source, const std::string& architecture,
                         std::span<const std::string> options, const std::string& compiler);

  /// Nothing when there is no entry, or one that is not as it was written.
  std::optional<CachedCubin> Find(const std::string& key) const;
  /// Keeps a cubin (the file stays where it is), or the log of a text that does not compile.
  /// Returns the entry's path, or the given one when it could not be kept.
  std::string Keep(const std::string& key, const CachedCubin& entry) const;
  /// Removes the entries that were used least recently until at most `bytes` are left, and what
  /// processes that died have left half done.
  void Trim(std::uintmax_t bytes) const;
  /// The same, unless anybody has done it in the last ten minutes: to look at all entries of a
  /// folder that lies on another machine takes long, and many searches begin there.
  void TrimIfDue(std::uintmax_t bytes) const;

 private:
  std::string folder_;
};

}  // namespace exh::kernels::cuda
