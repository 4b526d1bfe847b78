// SPDX-License-Identifier: MIT
#include "search/view/log_follower.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <exception>
#include <utility>

#include "search/log/log_reader.h"

namespace exh::search {
namespace {

/// Enough for the checksums of a line and of the one before it.
constexpr std::size_t kEndBytes = 64;
/// No record of ours is as long.
constexpr std::size_t kLongestLine = std::size_t{64} << 20;

/// Up to so many bytes of a file, from a place on; fewer where it ends. Nothing: it cannot be read.
bool ReadAt(int file, std::size_t from, std::size_t count, std::string& text) {
  text.resize(count);
  std::size_t got = 0;
  while (got < count) {
    const ssize_t some =
        ::pread(file, text.data() + got, count - got, static_cast<off_t>(from + got));
    if (some < 0 && errno == EINTR) continue;
    if (some < 0) return false;
    if (some == 0) break;
    got += static_cast<std::size_t>(some);
  }
  text.resize(got);
  return true;
}

}  // namespace

LogFollower::News LogFollower::Anew() {
  parser_ = LogParser();
  end_.clear();
  read_ = 0;
  ends_in_half_line_ = false;
  has_more_ = true;
  return News::kAnew;
}

bool LogFollower::Open() {
  struct stat at_path {
  }, open{};
  if (::stat(path_.c_str(), &at_path) != 0) {
    trouble_ = errno == ENOENT || errno == ENOTDIR
                   ? (has_begun_ ? "the log is not there any more" : "there is no log yet")
                   : std::strerror(errno);
    return false;
  }
  const bool is_open = file_.valid() && ::fstat(file_.get(), &open) == 0 &&
                       open.st_ino == at_path.st_ino && open.st_dev == at_path.st_dev;
  if (is_open) return true;
  file_ = OpenLog(path_);
  return true;
}

bool LogFollower::HasSameEnd() const {
  std::string end;
  return ReadAt(file_.get(), read_ - end_.size(), end_.size(), end) && end == end_;
}

LogFollower::News LogFollower::Read() {
  trouble_.clear();
  has_more_ = false;
  try {
    const int before = file_.get();
    const bool was_open = file_.valid();
    if (!Open()) return News::kNone;
    struct stat status {};
    if (::fstat(file_.get(), &status) != 0) {
      trouble_ = std::strerror(errno);
      return News::kNone;
    }
    const auto size = static_cast<std::size_t>(status.st_size);
    const bool is_another = was_open && file_.get() != before;
    if (has_begun_ && (is_another || size < read_ || !HasSameEnd())) {
      has_begun_ = false;
      return Anew();
    }
    return ReadLines(size);
  } catch (const std::exception& error) {
    trouble_ = error.what();
    return News::kNone;
  }
}

LogFollower::News LogFollower::ReadLines(std::size_t size) {
  ends_in_half_line_ = size > read_;
  std::string text;
  for (std::size_t count = block_; size > read_; count *= 2) {
    if (!ReadAt(file_.get(), read_, std::min(count, size - read_), text)) {
      trouble_ = std::strerror(errno);
      return News::kNone;
    }
    const std::size_t end = text.rfind('\n');
    if (end != text.npos) {
      text.resize(end + 1);
      break;
    }
    if (count >= kLongestLine) {
      trouble_ = fmt::format("behind its first {} bytes no line ends: it is no log", read_);
      return News::kNone;
    }
    if (count >= size - read_) return News::kNone;  // Half a line.
  }
  if (text.empty()) return News::kNone;
  has_begun_ = true;
  parser_.Add(text);
  read_ += text.size();
  end_ = text.substr(text.size() - std::min(text.size(), kEndBytes));
  has_more_ = size > read_ && size - read_ >= block_;
  ends_in_half_line_ = size > read_ && !has_more_;
  return News::kLines;
}

}  // namespace exh::search
