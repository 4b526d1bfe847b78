// SPDX-License-Identifier: MIT
#include "search/log/log_repair.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/system/whole_file.h"
#include "search/log/event_log.h"
#include "search/log/log_line.h"
#include "search/log/log_reader.h"
#include "search/log/run_folder.h"

namespace exh::search {
namespace {

/// One line of the file, and what it was.
struct Piece {
  std::string_view text;  ///< As it stands there.
  std::string mended;     ///< Instead of it; empty: it is whole, or cannot be mended.
  bool is_whole = false;  ///< As it stands, or mended.
  std::string_view line() const { return mended.empty() ? text : std::string_view(mended); }
};

bool IsRecord(std::string_view line) {
  const auto sealed = Unseal(line);
  if (!sealed) return false;
  try {
    CheckRecord(ParseRecord(sealed->record));
    return true;
  } catch (const std::exception&) {
    return false;
  }
}

Piece Whole(std::string_view text, std::string mended = {}) {
  return {text, std::move(mended), true};
}

constexpr int kBits = 8;

char Changed(char c, int bit) {
  return static_cast<char>(c ^ (1 << bit));
}

/// Two lines that became one when the end between them changed.
std::optional<std::pair<std::string_view, std::string_view>> Divide(std::string_view line) {
  for (std::size_t at = 1; at + 1 < line.size(); ++at) {
    if (line[at - 1] != '}' || line[at + 1] != '{') continue;
    for (int bit = 0; bit < kBits; ++bit) {
      if (line[at] != Changed('\n', bit)) continue;
      const auto first = line.substr(0, at), second = line.substr(at + 1);
      if (IsRecord(first) && IsRecord(second)) return std::pair(first, second);
    }
  }
  return std::nullopt;
}

/// One line that became two when a byte of it changed into the end of a line.
std::optional<std::string> Join(std::string_view first, std::string_view second) {
  for (int bit = 0; bit < kBits; ++bit) {
    std::string line = std::string(first) + Changed('\n', bit) + std::string(second);
    if (IsRecord(line)) return line;
  }
  return std::nullopt;
}

/// The file line by line, with everything mended in which one bit changed. A last line that is cut
/// off is no line.
std::vector<Piece> Pieces(std::string_view text) {
  std::vector<Piece> pieces;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    const bool has_end = end != text.npos;
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(has_end ? end + 1 : text.size());
    if (IsRecord(line)) {
      pieces.push_back(Whole(line));
      continue;
    }
    const auto shorter = line.substr(0, line.empty() ? 0 : line.size() - 1);
    if (!has_end && IsRecord(shorter)) {  // The end of the very last line changed.
      pieces.push_back(Whole(line, std::string(shorter)));
      continue;
    }
    if (auto mended = MendBit(line); mended && IsRecord(*mended)) {
      pieces.push_back(Whole(line, std::move(*mended)));
      continue;
    }
    if (const auto two = Divide(line)) {
      pieces.push_back(Whole(two->first, std::string(two->first)));
      pieces.push_back(Whole(two->second));
      continue;
    }
    if (!pieces.empty() && !pieces.back().is_whole) {
      if (auto joined = Join(pieces.back().text, line)) {
        pieces.back() = Whole(line, std::move(*joined));
        continue;
      }
    }
    if (has_end) pieces.push_back({line, {}, false});
  }
  return pieces;
}

/// A line that is whole, by its number.
struct Kept {
  std::string line;
  Json record;
  bool is_mended = false;
};

/// The type of a record, for people.
std::string Name(const std::string& type) {
  static const std::map<std::string, std::string> kNames = {
      {"run", "the header"},           {"choice", "a decision's name"},
      {"eval", "an evaluation"},       {"best", "a new best"},
      {"select", "a selection"},       {"result", "a result"},
      {"dead", "a dead end"},          {"reference", "a yardstick"},
      {"rates", "the device's rates"}, {"violation", "a violation"},
      {"check", "a failed check"},     {"resume", "a resumption"},
      {"repair", "a repair"},          {"end", "the end"}};
  const auto found = kNames.find(type);
  return found == kNames.end() ? "a record" : found->second;
}

/// What a damaged line was, as far as its beginning says so.
std::string NameOfDamaged(std::string_view text) {
  constexpr std::string_view kType = "{\"t\":\"";
  if (!text.starts_with(kType)) return "unreadable";
  text.remove_prefix(kType.size());
  return Name(std::string(text.substr(0, text.find('"'))));
}

/// All that is whole, in order, and what is not.
class Collected {
 public:
  explicit Collected(std::string_view damaged) {
    std::uint64_t last = 0;
    std::vector<std::string> unread;  // Since the last line that is whole.
    for (const Piece& piece : Pieces(damaged)) {
      if (!piece.is_whole) {
        unread.push_back(NameOfDamaged(piece.text));
        continue;
      }
      const SealedLine sealed = *Unseal(piece.line());
      const std::uint64_t number = sealed.number.value_or(last + unread.size() + 1);
      NoteLost(last, number, unread);
      last = std::max(last, number);
      const bool is_new =
          kept_
              .try_emplace(number, Kept{std::string(piece.line()), ParseRecord(sealed.record),
                                        !piece.mended.empty()})
              .second;
      if (is_new) lost_.erase(number);
    }
    NoteLost(last, last + unread.size() + 1, unread);
  }

  std::map<std::uint64_t, Kept>& kept() { return kept_; }
  std::map<std::uint64_t, std::string>& lost() { return lost_; }

 private:
  /// Between two lines that are whole.
  void NoteLost(std::uint64_t last, std::uint64_t next, std::vector<std::string>& unread) {
    constexpr std::uint64_t kMost = 1 << 20;
    for (std::uint64_t number = last + 1; number < next && number - last <= kMost; ++number) {
      const std::size_t which = number - last - 1;
      const bool is_known = unread.size() == next - last - 1;
      lost_[number] = is_known ? unread[which] : std::string("missing");
    }
    unread.clear();
  }

  std::map<std::uint64_t, Kept> kept_;
  std::map<std::uint64_t, std::string> lost_;  ///< What they were.
};

std::uint64_t Number(const Json& record, const char* field) {
  const auto found = record.find(field);
  return found != record.end() && found->is_number_unsigned() ? found->get<std::uint64_t>() : 0;
}

std::string Type(const Json& record) {
  const auto found = record.find("t");
  return found != record.end() && found->is_string() ? found->get<std::string>() : "";
}

double Time(const Json& record, const char* field) {
  const auto found = record.find(field);
  return found != record.end() && found->is_number() ? found->get<double>() : 0;
}

/// The line that says of an evaluation that it is a new best is lost, and the evaluation says that
/// it was one: it was measured twice, and both times faster than the best before. Adds that line.
void WriteBestsAgain(std::map<std::uint64_t, Kept>& kept,
                     std::map<std::uint64_t, std::string>& lost) {
  double best = std::numeric_limits<double>::infinity();
  std::map<std::uint64_t, Kept> found;
  for (auto line = kept.begin(); line != kept.end(); ++line) {
    const Json& record = line->second.record;
    const double quiet = Time(record, "quiet_ns");
    if (Type(record) == "best") best = quiet > 0 ? quiet : Time(record, "ns");
    if (Type(record) != "eval" || record.value("verdict", "") != "correct") continue;
    const double ns = std::max(Time(record, "best_ns"), Time(record, "again_ns"));
    const double compared = quiet > 0 ? quiet : ns;
    if (Time(record, "again_ns") <= 0 || compared >= best) continue;
    auto next = std::next(line);
    bool is_there = false;
    for (; next != kept.end() && Type(next->second.record) != "eval"; ++next) {
      is_there |= Type(next->second.record) == "best";
    }
    const auto gap = lost.upper_bound(line->first);
    if (is_there || gap == lost.end() || (next != kept.end() && gap->first > next->first)) continue;
    Json again = {{"t", "best"}, {"n", record["n"]}, {"dt", record["dt"]}, {"ns", ns}};
    if (quiet > 0) again["quiet_ns"] = quiet;
    again["h"] = record.value("h", "");
    // Numbered anew like all others: no other event of the tree has this number.
    if (Number(record, "seq") > 0) again["seq"] = UINT64_MAX - gap->first;
    found[gap->first] = {{}, std::move(again), true};
    lost.erase(gap);
    best = compared;
  }
  kept.merge(found);
}

/// Are there events of the tree that are missing?
bool HasGaps(const std::map<std::uint64_t, Kept>& kept) {
  std::set<std::uint64_t> events;
  for (const auto& [number, line] : kept) events.insert(Number(line.record, "seq"));
  events.erase(0);
  return !events.empty() && *events.rbegin() != events.size();
}

/// Leaves out what makes no sense without what is lost, and numbers the events of the tree anew.
/// What is left out is added to `lost`.
void CloseGaps(std::map<std::uint64_t, Kept>& kept, std::vector<std::string>& lost) {
  std::set<std::uint64_t> evaluations, selections;
  for (const auto& [number, line] : kept) {
    if (Type(line.record) == "eval") evaluations.insert(Number(line.record, "n"));
    if (Type(line.record) == "select") selections.insert(Number(line.record, "seq"));
  }
  std::map<std::uint64_t, std::uint64_t> events;  // By the number that they had.
  const auto renumber = [&](Json& record, const char* field) {
    const std::uint64_t old = Number(record, field);
    if (old == 0) return;
    record[field] = events.try_emplace(old, events.size() + 1).first->second;
  };
  for (auto line = kept.begin(); line != kept.end();) {
    Json& record = line->second.record;
    const std::string type = Type(record);
    const std::uint64_t selection = Number(record, "select");
    const bool is_orphan = selection > 0 && selections.count(selection) == 0;
    const bool needs_evaluation = type == "best" || type == "violation";
    const bool is_of_lost = needs_evaluation && evaluations.count(Number(record, "n")) == 0;
    if ((type == "result" && is_orphan) || is_of_lost) {
      lost.push_back(fmt::format("line {} ({} of what is lost)", line->first, Name(type)));
      line = kept.erase(line);
      continue;
    }
    if (type == "eval" && is_orphan) {  // Known, but no event of the tree.
      record.erase("seq");
      record.erase("select");
    } else {
      renumber(record, "seq");
      renumber(record, "select");
    }
    ++line;
  }
}

}  // namespace

LogRepair RepairLog(std::string_view damaged, RepairRecord record) {
  LogRepair repair;
  if (ParseLog(damaged).problems.empty()) return repair;
  Collected collected(damaged);
  std::map<std::uint64_t, Kept>& kept = collected.kept();
  const auto is_header = [](const auto& line) { return Type(line.second.record) == "run"; };
  if (std::none_of(kept.begin(), kept.end(), is_header)) {
    throw UsageError(
        "the header of the log is lost, and nothing else says what the run is of: it cannot be "
        "repaired");
  }
  const bool is_lossy = !collected.lost().empty();
  if (is_lossy) WriteBestsAgain(kept, collected.lost());
  for (const auto& [number, what] : collected.lost()) {
    record.lost.push_back(fmt::format("line {} ({})", number, what));
  }
  const bool has_gaps = is_lossy || HasGaps(kept);
  if (has_gaps) CloseGaps(kept, record.lost);
  repair.needed = true;
  LogTail tail;
  for (const auto& [number, line] : kept) {
    record.mended += line.is_mended ? 1 : 0;
    const auto sealed = Unseal(line.line);
    const bool follows =
        sealed &&
        (!sealed->number || (*sealed->number == tail.lines + 1 && sealed->after == tail.checksum));
    if (!has_gaps && follows) {
      repair.text += line.line + "\n";
      ++tail.lines;
      tail.checksum = sealed->checksum;
    } else {
      repair.text += SealLine(RecordText(line.record), tail);
    }
  }
  repair.text += SealLine(RecordText(ToJson(record)), tail);
  repair.record = std::move(record);
  return repair;
}

LogRepair RepairRun(const std::string& run, const std::string& tool) {
  namespace fs = std::filesystem;
  const std::string path = LogPath(run);
  const std::string text = ReadLogText(run);
  const EventLog nobody_writes = EventLog::Reopen(path);
  RepairRecord record;
  record.tool = tool;
  record.started = TimeStamp();
  std::string aside;
  const auto name = [&](int number) {
    return number == 1 ? path + ".damaged" : fmt::format("{}.damaged-{}", path, number);
  };
  int number = 1;
  while (fs::symlink_status(name(number)).type() != fs::file_type::not_found) ++number;
  record.damaged = fs::path(name(number)).filename().string();
  LogRepair repair = RepairLog(text, std::move(record));
  if (!repair.needed) return repair;
  // At every moment there is a log, and both from here on.
  if (::link(path.c_str(), name(number).c_str()) != 0) {
    if (const int error = WriteWholeFile(name(number), text, true)) {
      throw Error(fmt::format("cannot write '{}': {}", name(number), std::strerror(error)));
    }
  }
  if (const int error = WriteWholeFile(path, repair.text, true)) {
    throw Error(fmt::format("cannot write '{}': {}", path, std::strerror(error)));
  }
  return repair;
}

}  // namespace exh::search
