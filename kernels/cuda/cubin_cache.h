// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>

#include "kernels/cuda/nvrtc.h"

namespace exh::kernels::cuda {

/// What the cache knows of a text: its machine code, or what the compiler says against it.
struct CachedCubin {
  std::string path;  ///< Empty: the text does not compile.
  std::string log;   ///< Why not.
  KernelResources resources;
};

/// Machine code on disk, by text, architecture and version of the compiler. Several processes may
/// share a folder. Whatever is wrong with the disk, the cache is then only less useful.
class CubinCache {
 public:
  /// An empty folder: nothing is kept.
  explicit CubinCache(std::string folder);

  /// The folder for this user: $XDG_CACHE_HOME/exhaust/cubin or ~/.cache/exhaust/cubin; empty when
  /// neither is known.
  static std::string DefaultFolder();
  /// The key of a text: comments do not matter.
  static std::string Key(const std::string& source, const std::string& architecture,
                         const std::string& compiler);

  std::optional<CachedCubin> Find(const std::string& key) const;
  /// Keeps a cubin (the file stays where it is), or the log of a text that does not compile.
  /// Returns the entry's path, or the given one when it could not be kept.
  std::string Keep(const std::string& key, const CachedCubin& entry) const;
  /// Removes the entries that were used least recently until at most `bytes` are left.
  void Trim(std::uintmax_t bytes) const;

 private:
  std::string folder_;
};

}  // namespace exh::kernels::cuda
