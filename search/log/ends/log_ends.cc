// SPDX-License-Identifier: MIT
#include "search/log/ends/log_ends.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "search/log/log_json.h"
#include "search/log/log_line.h"

namespace exh::search {
namespace {

/// Reads bytes of a file that is open. Fewer where it has become shorter, or cannot be read.
std::size_t ReadAt(int file, std::size_t begin, char* bytes, std::size_t size) {
  std::size_t read = 0;
  while (read < size) {
    const ssize_t count =
        ::pread(file, bytes + read, size - read, static_cast<off_t>(begin + read));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    read += static_cast<std::size_t>(count);
  }
  return read;
}

/// The lines of a file, the last one first. It is read in pieces; a line that lies in one of them
/// is not copied.
class LinesBackwards {
 public:
  explicit LinesBackwards(int file) : file_(file) {
    struct stat status = {};
    if (::fstat(file, &status) == 0) before_ = static_cast<std::size_t>(status.st_size);
  }

  /// Without its end, until the next call; nothing: there is no more. The very first one is empty
  /// where the file ends with the end of a line.
  std::optional<std::string_view> Next() {
    if (is_over_) return std::nullopt;
    std::string tail;  // Of the line, from pieces behind this one.
    while (true) {
      const void* const found = size_ == 0 ? nullptr : ::memrchr(piece_.get(), '\n', size_);
      const auto* const end = static_cast<const char*>(found);
      const std::size_t begin =
          end == nullptr ? 0 : static_cast<std::size_t>(end - piece_.get()) + 1;
      const std::string_view line(piece_.get() + begin, size_ - begin);
      is_over_ = end == nullptr && before_ == 0;
      if (end != nullptr || is_over_) {
        size_ = is_over_ ? 0 : begin - 1;
        if (tail.empty()) return line;
        line_.assign(line).append(tail);
        return line_;
      }
      tail.insert(0, line);
      ReadPiece(tail.size());
    }
  }

 private:
  /// The piece before this one. Of a long line pieces grow with it.
  void ReadPiece(std::size_t length) {
    constexpr std::size_t kLeast = 1 << 16, kMost = 1 << 18;
    const std::size_t wanted = std::max(std::min(2 * capacity_, kMost), std::max(kLeast, length));
    if (wanted > capacity_) {
      capacity_ = wanted;
      piece_ = std::make_unique_for_overwrite<char[]>(capacity_);
    }
    const std::size_t size = std::min(before_, capacity_);
    before_ -= size;
    size_ = ReadAt(file_, before_, piece_.get(), size);
  }

  int file_;
  std::size_t before_ = 0;  ///< Bytes in front of the piece.
  std::unique_ptr<char[]> piece_;
  std::size_t capacity_ = 0;
  std::size_t size_ = 0;  ///< Bytes of the piece that were not given yet.
  std::string line_;
  bool is_over_ = false;
};

/// The first line of a file, if it has an end.
std::optional<std::string> FirstLine(int file) {
  constexpr std::size_t kPiece = 1 << 14;
  std::string text;
  while (true) {
    const std::size_t before = text.size(), wanted = std::max(kPiece, before);
    text.resize(before + wanted);
    const std::size_t read = ReadAt(file, before, text.data() + before, wanted);
    text.resize(before + read);
    if (read == 0) return std::nullopt;
    if (const std::size_t end = text.find('\n', before); end != text.npos)
      return text.substr(0, end);
  }
}

/// The record of a line that is whole.
std::optional<Json> RecordOf(std::string_view line) {
  const std::optional<SealedLine> sealed = Unseal(line);
  if (!sealed) return std::nullopt;
  try {
    Json json = ParseRecord(sealed->record);
    CheckRecord(json);
    return json;
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

/// A line as far as one sees without parsing it: every program writes the type first, and the
/// number of an evaluation or a best behind it.
struct Glance {
  std::string_view type;  ///< Empty: it begins in another way.
  std::uint64_t n = 0;    ///< 0: there is none.
};

Glance GlanceAt(std::string_view line) {
  constexpr std::string_view kType = "{\"t\":\"", kNumber = "\",\"n\":";
  if (!line.starts_with(kType)) return {};
  line.remove_prefix(kType.size());
  const std::size_t end = line.find('"');
  if (end == line.npos) return {};
  Glance glance{line.substr(0, end), 0};
  line.remove_prefix(end);
  if (!line.starts_with(kNumber)) return glance;
  line.remove_prefix(kNumber.size());
  std::from_chars(line.data(), line.data() + line.size(), glance.n);
  return glance;
}

constexpr std::array kOfTheEnd = {Fields<ReferenceRecord>::kType, Fields<RatesRecord>::kType,
                                  Fields<ResumeRecord>::kType, Fields<EndRecord>::kType};

/// Takes lines, the last one first, until it has what is wanted.
class Ends {
 public:
  void Take(std::string_view line) {
    const Glance glance = GlanceAt(line);
    const bool is_eval = glance.type == Fields<EvalRecord>::kType;
    const bool is_best = glance.type == Fields<BestRecord>::kType;
    const bool is_of_best = best_ != 0 && glance.n == best_;
    const bool is_wanted = !has_time_ || (is_eval && (!has_eval_ || is_of_best)) ||
                           (is_best && (best_ == 0 || is_of_best)) ||
                           std::ranges::find(kOfTheEnd, glance.type) != kOfTheEnd.end();
    if (!is_wanted) return;
    std::optional<Json> record = RecordOf(line);
    if (!record) return;
    has_time_ = has_time_ || record->contains("dt");
    if (is_best) best_ = glance.n;
    if (is_eval) {
      has_eval_ = true;
      has_best_eval_ = has_best_eval_ || is_of_best;
    }
    kept_.push_back(std::move(*record));
  }
  bool has_all() const { return has_time_ && has_eval_ && has_best_eval_; }

  /// What was taken, in the order of the log.
  void AddTo(Log& log) {
    for (auto record = kept_.rbegin(); record != kept_.rend(); ++record) AddRecord(*record, log);
  }

 private:
  std::vector<Json> kept_;
  bool has_time_ = false, has_eval_ = false, has_best_eval_ = false;
  std::uint64_t best_ = 0;  ///< The number of the last one.
};

}  // namespace

Log ReadLogEnds(const std::string& run) {
  const Descriptor file = OpenLog(LogPath(run));
  const std::optional<std::string> first = FirstLine(file.get());
  const std::optional<Json> head = first ? RecordOf(*first) : std::nullopt;
  if (!head || head->value("t", "") != Fields<RunRecord>::kType) return ReadLog(run);
  Log log;
  AddRecord(*head, log);
  LinesBackwards lines(file.get());
  Ends ends;
  const std::optional<std::string_view> last = lines.Next();
  if (last && !last->empty()) {
    log.cut_off = !Unseal(*last);
    ends.Take(*last);
  }
  while (!ends.has_all()) {
    const std::optional<std::string_view> line = lines.Next();
    if (!line) break;
    if (*line != *first) ends.Take(*line);
  }
  ends.AddTo(log);
  return log;
}

}  // namespace exh::search
