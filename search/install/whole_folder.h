// SPDX-License-Identifier: MIT
//
// A folder that others write to as well: several processes at once, and its user. Each process has
// it to itself from reading to writing. New files are written to a folder within it first; renaming
// that one says that they are whole, and only then they take their places, one by one. What is not
// ours is never touched. Who was killed before the renaming has changed nothing; what one left
// behind it the next one finishes.
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace exh::search {

class WholeFolder {
 public:
  /// Waits until nobody else has the folder, makes it where it is not there, and finishes what a
  /// process left that was killed. A link stays one: the folder that it leads to is written. Throws
  /// Error when that cannot be; nothing has changed then.
  explicit WholeFolder(const std::string& folder);
  /// Others may have it. A folder that was made and got no files is gone again.
  ~WholeFolder();
  WholeFolder(const WholeFolder&) = delete;
  WholeFolder& operator=(const WholeFolder&) = delete;

  /// Makes the files, by path within the folder, what it holds of ours; `before` are the paths of
  /// those that it held, which go unless they are among the files. Everything else stays, such as a
  /// build. Throws Error when something cannot be written, and leaves what was there.
  void Write(const std::map<std::string, std::string>& files, const std::set<std::string>& before);

  /// Is nothing in it, but what locks it?
  bool is_empty() const;

  /// The folder within it that is there while files take their places.
  static constexpr const char* kUnfinished = ".exh-unfinished";

 private:
  void Make();
  void Lock();
  void Unlock();
  void CheckPlaces(const std::map<std::string, std::string>& files) const;
  void Finish();
  [[noreturn]] void Fail(const std::string& why) const;

  const std::string name_;  ///< As it was called.
  std::filesystem::path path_;
  std::vector<std::filesystem::path> made_;  ///< Folders that were not there, the outermost first.
  int lock_ = -1;
  bool is_written_ = false;
};

}  // namespace exh::search
