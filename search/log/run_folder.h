// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

namespace exh::search {

/// UTC now: "2026-01-31T12:00:00Z".
std::string TimeStamp();

/// The folder of a run. A run that cannot begin leaves nothing behind: until Keep() is called, what
/// the folder holds goes with this object, and so does the folder where it is new.
class RunFolder {
 public:
  /// Creates it: `wanted`, or `runs/<kernel>-<time>` when that is empty. Throws Error when it
  /// cannot, and UsageError when the folder already holds a run, or anything else. A log without a
  /// whole line, of a start that was killed, is no run.
  RunFolder(const std::string& wanted, const std::string& kernel);
  ~RunFolder();
  RunFolder(const RunFolder&) = delete;
  RunFolder& operator=(const RunFolder&) = delete;

  const std::string& path() const { return path_; }
  std::string log_path() const { return path_ + "/log.jsonl"; }
  /// The log has its header.
  void Keep() { is_kept_ = true; }

 private:
  std::string path_;
  bool is_new_ = false, is_kept_ = false;
};

/// Where `search why` puts what it measured of a run, beside its log. `run`: the folder, or the
/// log.
std::string WhyPath(const std::string& run);

/// Throws Error ("cannot make folder '…': Permission denied").
void MakeFolder(const std::string& path);

/// Writes a file that is there whole or not at all (base/system/whole_file.h). Throws Error.
void WriteFile(const std::string& path, std::string_view text);

}  // namespace exh::search
