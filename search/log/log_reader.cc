// SPDX-License-Identifier: MIT
#include "search/log/log_reader.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <functional>
#include <iterator>
#include <set>
#include <string_view>
#include <utility>
#include <variant>

#include "base/error.h"
#include "base/parallel.h"
#include "base/system/user_file.h"
#include "search/log/log_json.h"
#include "search/log/parse/log_parser.h"

namespace exh::search {

void BringUpToDate(RunRecord& run) {
  constexpr std::string_view kRule = "rule:";
  if (!run.subject.empty() || run.text.empty()) return;
  const bool is_fused = run.kernel == kFusedSubject;
  if (!is_fused && run.kernel != kFunctionalSubject) return;
  run.subject = run.kernel;
  for (auto size = run.sizes.begin(); size != run.sizes.end();) {
    const auto& [name, value] = *size;
    const bool is_rule = name.starts_with(kRule);
    if (is_rule) run.settings[name.substr(kRule.size())] = value;
    if (is_fused && name == "leaves") run.settings[name] = value;
    size = is_rule || is_fused ? run.sizes.erase(size) : std::next(size);
  }
}

namespace {

template <typename Record>
Record Decode(const Json& json) {
  Record record;
  FromJson(json, record);
  return record;
}

// What a record is to the log.

void Add(RunRecord record, Log& log) {
  BringUpToDate(record);
  log.run = std::move(record);
}

void Add(ChoiceRecord record, Log& log) {
  // Decisions are numbered without gaps by the writer: a number far outside is damage, not data.
  constexpr int kMostDecisions = 1 << 24;
  if (record.index < 0 || record.index >= kMostDecisions) return;
  const auto index = static_cast<std::size_t>(record.index);
  if (log.choices.size() <= index) log.choices.resize(index + 1);
  log.choices[index] = std::move(record);
}

void Add(EvalRecord record, Log& log) {
  // Older programs wrote what a search compares as the time, also where nobody had measured it.
  const bool is_quotient = record.verdict == kernels::Verdict::kCorrect && !record.pairs.empty() &&
                           record.again_ns > record.best_ns;
  if (is_quotient) record.quiet_ns = std::exchange(record.best_ns, record.again_ns);
  log.evals.push_back(std::move(record));
}

void Add(BestRecord record, Log& log) {
  if (record.measured_ns > record.ns)
    record.quiet_ns = std::exchange(record.ns, record.measured_ns);
  record.measured_ns = 0;
  log.bests.push_back(std::move(record));
}

void Add(SelectRecord record, Log& log) {
  log.selects.push_back(std::move(record));
}

void Add(ResultRecord record, Log& log) {
  log.results.push_back(std::move(record));
}

void Add(ViolationRecord record, Log& log) {
  log.violations.push_back(std::move(record));
}

void Add(FailedCheckRecord record, Log& log) {
  log.checks.push_back(std::move(record));
}

void Add(DeadRecord record, Log& log) {
  log.deads.push_back(std::move(record));
}

void Add(ReferenceRecord record, Log& log) {
  log.references.push_back(std::move(record));
}

void Add(RatesRecord record, Log& log) {
  log.rates = record;
}

void Add(RepairRecord record, Log& log) {
  log.repairs.push_back(std::move(record));
}

void Add(EndRecord record, Log& log) {
  log.end = std::move(record);
}

/// What had ended goes on: its end, and what was measured there, is not the run's any more.
void Add(ResumeRecord record, Log& log) {
  log.resumes.push_back(std::move(record));
  if (log.end) log.earlier_end = std::exchange(log.end, std::nullopt);
  log.references.clear();
  log.rates.reset();
}

/// A record of a known type, or nothing; and its `dt`, or 0.
struct Decoded {
  std::variant<std::monostate, RunRecord, ChoiceRecord, EvalRecord, BestRecord, SelectRecord,
               ResultRecord, ViolationRecord, FailedCheckRecord, DeadRecord, ReferenceRecord,
               RatesRecord, ResumeRecord, RepairRecord, EndRecord>
      record;
  double dt = 0;
};

Decoded DecodeRecord(const Json& json) {
  Decoded decoded;
  const std::string type = json.value("t", std::string());
  ForEachRecord([&]<typename Record>() {
    if (type == Fields<Record>::kType) decoded.record = Decode<Record>(json);
  });
  const auto dt = json.find("dt");
  if (dt != json.end() && dt->is_number()) decoded.dt = dt->get<double>();
  return decoded;
}

void Add(std::monostate /*nothing*/, Log& /*log*/) {}

void AddRecord(Decoded decoded, Log& log) {
  std::visit([&](auto& record) { Add(std::move(record), log); }, decoded.record);
  log.last_dt = std::max(log.last_dt, decoded.dt);
}

/// Where a line stands among the others, by its number.
enum class Place { kNext, kAgain, kElsewhere };

/// "line 17 is missing", "lines 17 to 19 are missing".
void ReportMissing(const std::set<std::uint64_t>& missing, std::vector<std::string>& problems) {
  for (auto first = missing.begin(); first != missing.end();) {
    auto last = first;
    auto next = std::next(first);
    while (next != missing.end() && *next == *last + 1) last = next++;
    problems.push_back(first == last ? fmt::format("line {} is missing", *first)
                                     : fmt::format("lines {} to {} are missing", *first, *last));
    first = next;
  }
}

/// The words of a library without the name of its exception.
std::string Words(const std::exception& error) {
  const std::string_view text = error.what();
  const std::size_t end = text.starts_with("[") ? text.find("] ") : text.npos;
  return std::string(end == text.npos ? text : text.substr(end + 2));
}

/// A line by itself: what it says, before anybody asks where it stands.
struct ReadLine {
  std::string_view line;
  bool is_last = false;  ///< It has no end.
  std::optional<SealedLine> sealed;
  Decoded decoded;
  std::string trouble;  ///< Why it says nothing, although its checksum fits.
};

void Read(ReadLine& read) {
  read.sealed = Unseal(read.line);
  if (!read.sealed) return;
  try {
    read.decoded = DecodeRecord(ParseRecord(read.sealed->record));
  } catch (const std::exception& error) {
    read.trouble = Words(error);
  }
}

/// The lines of a block, read, several at once where there are many.
std::vector<ReadLine> LinesOf(std::string_view block) {
  constexpr std::size_t kAtOnce = 64;
  std::vector<ReadLine> lines;
  lines.reserve(static_cast<std::size_t>(std::ranges::count(block, '\n')) + 1);
  while (!block.empty()) {
    const std::size_t end = block.find('\n');
    ReadLine& read = lines.emplace_back();
    read.line = block.substr(0, end);
    read.is_last = end == std::string_view::npos;
    block.remove_prefix(read.is_last ? block.size() : end + 1);
  }
  const std::size_t num_blocks = (lines.size() + kAtOnce - 1) / kAtOnce;
  RunInParallel(num_blocks, num_blocks > 4 ? NumCores() : 1, [&](std::size_t part) {
    const std::size_t end = std::min(lines.size(), (part + 1) * kAtOnce);
    for (std::size_t line = part * kAtOnce; line < end; ++line) Read(lines[line]);
    return true;
  });
  return lines;
}

[[noreturn]] void RefuseLog(const std::string& path, const std::string& why) {
  throw UsageError(fmt::format("the log '{}' cannot be read: {}", path, why));
}

/// So many bytes of a log are in memory beside its records.
constexpr std::size_t kBlockBytes = 16 << 20;

/// A log that is read block by block: of a long one the text would take more memory than all of its
/// records. The blocks are whole lines; at the end of the last one the line may be cut off.
class LogFile {
 public:
  explicit LogFile(std::string path) : path_(std::move(path)), file_(OpenLog(path_)) {}

  /// Until the next call. Empty: there is no more.
  std::string_view Next() {
    buffer_.erase(0, given_);
    given_ = 0;
    std::size_t looked_at = 0;
    for (bool has_line = false; !is_at_end_ && (!has_line || buffer_.size() < kBlockBytes);) {
      Read(buffer_);
      has_line = has_line || buffer_.find('\n', looked_at) != std::string::npos;
      looked_at = buffer_.size();
    }
    given_ = is_at_end_ ? buffer_.size() : buffer_.rfind('\n') + 1;
    return std::string_view(buffer_).substr(0, given_);
  }
  /// All of it that was not given yet.
  std::string Rest() {
    std::string text;
    while (!is_at_end_) Read(text);
    return text;
  }

 private:
  /// Some more of it, at the end of the text.
  void Read(std::string& text) {
    const ssize_t count = ::read(file_.get(), piece_.data(), piece_.size());
    if (count < 0 && errno == EINTR) return;
    if (count < 0) RefuseLog(path_, std::strerror(errno));
    is_at_end_ = count == 0;
    text.append(piece_.data(), static_cast<std::size_t>(count));
  }

  std::string path_, buffer_;
  std::array<char, 1 << 16> piece_{};
  std::size_t given_ = 0;
  bool is_at_end_ = false;
  Descriptor file_;
};

/// Of a text that `next` gives block by block, as LogFile does.
Log ParseBlocks(const std::function<std::string_view()>& next) {
  LogParser parser;
  for (std::string_view block = next(); !block.empty(); block = next()) parser.Add(block);
  return parser.Take();
}

}  // namespace

/// Follows the chain of the lines.
class LogParser::State {
 public:
  /// A line that is whole; one without a number has the next one.
  Place Add(const SealedLine& sealed, LogTail& tail, std::vector<std::string>& problems) {
    const std::uint64_t number = sealed.number.value_or(tail.lines + num_damaged_ + 1);
    if (numbered_ && !sealed.number) {
      problems.push_back(fmt::format("line {}: it has no number, unlike those before", number));
    }
    numbered_ = numbered_ || sealed.number.has_value();
    if (number <= tail.lines) {
      num_damaged_ = 0;
      if (missing_.erase(number) == 0) {
        problems.push_back(
            fmt::format("line {} stands there again, behind line {}", number, tail.lines));
        return Place::kAgain;
      }
      problems.push_back(fmt::format("line {} stands behind line {}", number, tail.lines));
      return Place::kElsewhere;
    }
    const std::uint64_t due = tail.lines + num_damaged_ + 1;
    if (number == due && num_damaged_ == 0 && sealed.number && sealed.after != tail.checksum) {
      problems.push_back(fmt::format(
          "line {}: it does not belong behind the one before, which is of another log", number));
    }
    constexpr std::uint64_t kMostMissing = 1 << 20;  // More are no matter of single lines.
    for (std::uint64_t lost = due; lost < number && lost < due + kMostMissing; ++lost) {
      missing_.insert(lost);
    }
    tail.lines = number;
    tail.checksum = sealed.checksum;
    num_damaged_ = 0;
    return Place::kNext;
  }
  /// A line that is not whole. Its number, as far as one can tell.
  std::uint64_t AddDamaged(const LogTail& tail) { return tail.lines + ++num_damaged_; }

  /// Numbers of lines that never came.
  const std::set<std::uint64_t>& missing() const { return missing_; }

 private:
  std::set<std::uint64_t> missing_;
  std::uint64_t num_damaged_ = 0;  ///< Since the last line that was whole.
  bool numbered_ = false;
};

LogParser::LogParser() : state_(std::make_unique<State>()) {}
LogParser::~LogParser() = default;
LogParser::LogParser(LogParser&&) noexcept = default;
LogParser& LogParser::operator=(LogParser&&) noexcept = default;

void LogParser::Add(std::string_view block) {
  State& chain = *state_;
  log_.tail.bytes += block.size();
  for (ReadLine& read : LinesOf(block)) {
    if (!read.sealed && read.is_last && !Unseal(read.line.substr(0, read.line.size() - 1))) {
      log_.cut_off = true;
      log_.tail.bytes -= read.line.size();
      return;
    }
    log_.tail.ends_line = !read.is_last;
    if (!read.sealed) {
      log_.problems.push_back(
          fmt::format("line {}: {}", chain.AddDamaged(log_.tail),
                      read.is_last ? "its end is damaged" : "checksum does not match"));
      continue;
    }
    if (chain.Add(*read.sealed, log_.tail, log_.problems) == Place::kAgain) continue;
    if (read.trouble.empty()) {
      AddRecord(std::move(read.decoded), log_);
    } else {
      log_.problems.push_back(fmt::format("line {}: {}", log_.tail.lines, read.trouble));
    }
  }
}

std::vector<std::string> LogParser::Missing() const {
  std::vector<std::string> problems;
  ReportMissing(state_->missing(), problems);
  return problems;
}

Log LogParser::Take() {
  ReportMissing(state_->missing(), log_.problems);
  return std::move(log_);
}

const EvalRecord* Log::Find(std::uint64_t n) const {
  for (const EvalRecord& eval : evals) {
    if (eval.n == n) return &eval;
  }
  return nullptr;
}

const EvalRecord* Log::Best() const {
  return bests.empty() ? nullptr : Find(bests.back().n);
}

Log ParseLog(std::string_view text) {
  return ParseBlocks([&] {
    const std::size_t end = text.find('\n', std::min(text.size(), kBlockBytes));
    const std::string_view block = text.substr(0, end == text.npos ? end : end + 1);
    text.remove_prefix(block.size());
    return block;
  });
}

void CheckRecord(const Json& record) {
  DecodeRecord(record);
}

void AddRecord(const Json& record, Log& log) {
  AddRecord(DecodeRecord(record), log);
}

Descriptor OpenLog(const std::string& path) {
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
  if (!file.valid() && (errno == ENOENT || errno == ENOTDIR)) {
    throw UsageError(fmt::format("no log at '{}'", path));
  }
  if (!file.valid()) RefuseLog(path, std::strerror(errno));
  if (const std::string why = NoRegularFile(file.get()); !why.empty()) RefuseLog(path, why);
  return file;
}

std::string LogPath(const std::string& run) {
  std::error_code ignored;
  if (std::filesystem::is_directory(run, ignored)) return run + "/log.jsonl";
  return run;
}

std::string ReadLogText(const std::string& run) {
  return LogFile(LogPath(run)).Rest();
}

Log ReadLogAloud(const std::string& run) {
  Log log = ReadLog(run);
  constexpr std::size_t kMost = 20;
  for (std::size_t problem = 0; problem < std::min(kMost, log.problems.size()); ++problem) {
    fmt::print(stderr, "{}: {}\n", LogPath(run), log.problems[problem]);
  }
  if (log.problems.size() > kMost) {
    fmt::print(stderr, "{}: and {} more\n", LogPath(run), log.problems.size() - kMost);
  }
  if (!log.problems.empty()) {
    fmt::print(stderr, "it is damaged; search log repair {} keeps what is whole\n", run);
  }
  return log;
}

Log ReadLog(const std::string& run) {
  LogFile file(LogPath(run));
  Log log = ParseBlocks([&] { return file.Next(); });
  if (log.run) return log;
  throw UsageError(
      fmt::format("'{}' is not the log of a run: no header{}", LogPath(run),
                  log.problems.empty() ? "" : fmt::format(" ({})", log.problems.front())));
}

}  // namespace exh::search
