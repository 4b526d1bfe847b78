// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace exh {

/// Where temporary files go: what TMPDIR says, or /tmp. It need not exist.
std::string TemporaryParent();

/// A folder in TemporaryParent() that goes when its owner does. An owner that is killed cannot see
/// to that, so each new one removes those whose owner is dead: a lock on the folder says whether it
/// is. Throws Error when it cannot be made.
class ScratchFolder {
 public:
  ScratchFolder();
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
  int lock_ = -1;
};

}  // namespace exh
