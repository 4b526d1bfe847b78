// SPDX-License-Identifier: MIT
//
// The log of a run that is still written. Each call reads the whole lines that have come; half a
// line is left for the next one. What a page has is wrong as soon as the lines that it came of are
// not there any more, so the follower notices when the log is another one:
//
//   the path leads to another file       it was replaced
//   the file is shorter than was read    it was cut
//   the end of what was read has changed  it was cut, and has grown again
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/system/descriptor.h"
#include "search/log/parse/log_parser.h"

namespace exh::search {

class LogFollower {
 public:
  enum class News : std::uint8_t {
    kNone,
    kLines,  ///< There are new records in log().
    kAnew,   ///< It is another log: nothing of it was read yet, and log() is empty.
  };

  /// `path`: of the log. `block`: bytes that one call reads, unless a line is longer.
  explicit LogFollower(std::string path, std::size_t block = std::size_t{4} << 20)
      : path_(std::move(path)), block_(block) {}

  /// Reads some of what has come. Never throws for what is wrong with the file: trouble() says it.
  News Read();

  /// Records that were read. The caller takes those out that come again and again.
  Log& log() { return parser_.log(); }
  /// Lines that are missing so far, in words.
  std::vector<std::string> Missing() const { return parser_.Missing(); }

  /// There may be more to read at once.
  bool has_more() const { return has_more_; }
  /// It ends with half a line: somebody writes to it, or was killed while he did.
  bool ends_in_half_line() const { return ends_in_half_line_; }
  /// Why nothing can be read: "the log is not there any more". Empty: all is well.
  const std::string& trouble() const { return trouble_; }

 private:
  News Anew();
  /// Opens the file at the path, unless it is open. False: there is none.
  bool Open();
  bool HasSameEnd() const;
  News ReadLines(std::size_t size);

  std::string path_;
  std::size_t block_;
  LogParser parser_;
  Descriptor file_;
  std::string end_;  ///< The last bytes of what was read.
  std::size_t read_ = 0;
  bool has_begun_ = false, has_more_ = false, ends_in_half_line_ = false;
  std::string trouble_;
};

}  // namespace exh::search
