// SPDX-License-Identifier: MIT
#include "base/trace/trace.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <condition_variable>
#include <cstring>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "base/system/descriptor.h"
#include "base/trace/event_ring.h"

namespace exh {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kEvery = std::chrono::milliseconds(50);
constexpr std::size_t kMostRows = 1024;                   // Of threads, each of which has a ring.
constexpr std::size_t kMostBytes = std::size_t{1} << 30;  // Of the file.

/// A text as JSON has it, in ASCII. What is no UTF-8 is replaced.
std::string Quoted(std::string_view text) {
  constexpr int kNoIndent = -1;
  return nlohmann::json(std::string(text))
      .dump(kNoIndent, ' ', /*ensure_ascii=*/true, nlohmann::json::error_handler_t::replace);
}

std::string ValueText(const TraceArg& arg) {
  if (const auto* const real = std::get_if<double>(&arg.value)) {
    return std::isfinite(*real) ? fmt::format("{}", *real) : "null";
  }
  if (const auto* const whole = std::get_if<std::uint64_t>(&arg.value)) {
    return fmt::format("{}", *whole);
  }
  return Quoted(std::get<std::string_view>(arg.value));
}

std::string ArgsText(const TraceArg* args, std::size_t count) {
  std::string text = "{";
  for (std::size_t i = 0; i < count; ++i) {
    text += fmt::format("{}{}:{}", i == 0 ? "" : ",", Quoted(args[i].name), ValueText(args[i]));
  }
  return text + "}";
}

/// Microseconds, as traces have times.
std::string Micros(Clock::duration duration) {
  constexpr std::int64_t kNs = 1000;
  const std::int64_t ns = std::max<std::int64_t>(
      0, std::chrono::duration_cast<std::chrono::nanoseconds>(duration).count());
  return fmt::format("{}.{:03}", ns / kNs, ns % kNs);
}

/// Of a thread, or of several of one kind one after the other.
struct Row {
  std::string kind;
  std::size_t number = 0;  ///< The `tid` of its events.
  bool is_taken = false;
  std::unique_ptr<EventRing> ring;
};

/// What a thread knows of itself.
struct Mine {
  ~Mine();

  Row* row = nullptr;
  std::uint64_t trace = 0;  ///< Number of the trace that the row is of.
};
thread_local Mine t_mine;

/// The trace. It lives as long as the process: threads may end later than the file.
class Tracer {
 public:
  static Tracer& Get() {
    static Tracer* const tracer = new Tracer;
    return *tracer;
  }

  /// False: there is one, or the file cannot be made, and `say` was told.
  bool Open(const std::string& path, TraceFile::Say say) {
    const std::lock_guard lock(mutex_);
    if (writer_.joinable()) {
      say("there is a trace already: this one is left out");
      return false;
    }
    // A pipe that nobody reads is no reason to wait.
    constexpr int kMode = 0644;
    file_ = Descriptor(
        ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NONBLOCK, kMode));
    const int error = errno;
    path_ = path;
    say_ = std::move(say);
    bytes_ = 0;
    if (!file_.valid()) {
      Complain(error);
      return false;
    }
    // Threads of an earlier trace may still know their rows.
    std::ranges::move(rows_, std::back_inserter(old_rows_));
    rows_.clear();
    named_.clear();
    last_row_ = 0;
    left_out_ = 0;
    ++trace_;
    origin_ = Clock::now();
    pid_ = ::getpid();
    pending_ = "[\n";
    is_over_ = false;
    trace_internal::is_on = true;
    writer_ = std::thread([this] { Write(); });
    return true;
  }

  void Close() {
    trace_internal::is_on = false;
    {
      const std::lock_guard lock(mutex_);
      is_over_ = true;
    }
    changed_.notify_all();
    writer_.join();
    writer_ = {};
    file_ = Descriptor();
  }

  /// Gives this thread a row, unless it has one.
  void Name(std::string_view kind, bool is_numbered) {
    if (HasRow()) return;
    const std::lock_guard lock(mutex_);
    Row* row = nullptr;
    std::size_t of_kind = 0;
    for (const auto& one : rows_) {
      if (one->kind != kind) continue;
      ++of_kind;
      if (row == nullptr && !one->is_taken) row = one.get();
    }
    if (row == nullptr) {
      if (rows_.size() >= kMostRows) return;
      rows_.push_back(std::make_unique<Row>());
      row = rows_.back().get();
      row->kind = kind;
      row->number = is_numbered ? NewRow(fmt::format("{} {}", kind, of_kind + 1)) : Named(kind);
      row->ring.reset(new EventRing);  // Not made zero.
    }
    row->is_taken = true;
    t_mine.row = row;
    t_mine.trace = trace_;
  }

  void Release(Row* row, std::uint64_t trace) {
    const std::lock_guard lock(mutex_);
    if (trace == trace_) row->is_taken = false;
  }

  /// The number of the row with this name.
  std::size_t NumberOf(std::string_view name) {
    const std::lock_guard lock(mutex_);
    return Named(name);
  }

  void Span(std::optional<std::string_view> row, std::string_view name, TraceTime begin,
            TraceTime end, const TraceArg* args, std::size_t count) {
    if (begin < origin_) return;
    if (!HasRow()) Name("thread", true);
    if (!HasRow()) return LeaveOut();
    const std::size_t number = row ? NumberOf(*row) : t_mine.row->number;
    Push(fmt::format(R"({{"ph":"X","name":{},"pid":{},"tid":{},"ts":{},"dur":{},"args":{}}},)"
                     "\n",
                     Quoted(name), pid_, number, Micros(begin - origin_), Micros(end - begin),
                     ArgsText(args, count)));
  }

  void Counter(std::string_view name, double value) {
    if (!HasRow()) Name("thread", true);
    if (!HasRow()) return LeaveOut();
    const TraceArg arg{"value", value};
    Push(fmt::format(R"({{"ph":"C","name":{},"pid":{},"tid":{},"ts":{},"args":{}}},)"
                     "\n",
                     Quoted(name), pid_, t_mine.row->number, Micros(Clock::now() - origin_),
                     ArgsText(&arg, 1)));
  }

  void Process(std::string_view name) {
    const std::lock_guard lock(mutex_);
    AddName("process_name", 0, name);
  }

 private:
  bool HasRow() const { return t_mine.row != nullptr && t_mine.trace == trace_; }

  void LeaveOut() { left_out_.fetch_add(1, std::memory_order_relaxed); }

  void Push(std::string_view event) {
    if (!t_mine.row->ring->Push(event)) LeaveOut();
  }

  /// With the lock held.
  void AddName(std::string_view what, std::size_t row, std::string_view name) {
    pending_ += fmt::format(R"({{"ph":"M","name":"{}","pid":{},"tid":{},"args":{{"name":{}}}}},)"
                            "\n",
                            what, pid_, row, Quoted(name));
  }

  /// With the lock held.
  std::size_t Named(std::string_view name) {
    const auto known = named_.find(name);
    if (known != named_.end()) return known->second;
    return named_.emplace(std::string(name), NewRow(std::string(name))).first->second;
  }

  /// With the lock held: its number.
  std::size_t NewRow(const std::string& name) {
    const std::size_t number = ++last_row_;
    AddName("thread_name", number, name);
    pending_ += fmt::format(
        R"({{"ph":"M","name":"thread_sort_index","pid":{},"tid":{},"args":{{"sort_index":{}}}}},)"
        "\n",
        pid_, number, number);
    return number;
  }

  /// The thread that writes.
  void Write() {
    bool is_over = false;
    std::string text;
    std::vector<EventRing*> rings;
    while (!is_over) {
      {
        std::unique_lock lock(mutex_);
        changed_.wait_for(lock, kEvery, [this] { return is_over_; });
        is_over = is_over_;
        text = std::exchange(pending_, {});
        rings.clear();
        for (const auto& row : rows_) {
          if (row->ring) rings.push_back(row->ring.get());
        }
      }
      for (EventRing* const ring : rings) ring->Take(text);
      if (is_over) text += End();
      if (!file_.valid() || WriteAll(text)) continue;
      trace_internal::is_on = false;
      file_ = Descriptor();
    }
  }

  std::string End() {
    return fmt::format(
        R"({{"ph":"i","name":"end of the trace","s":"p","pid":{},"tid":0,"ts":{},"args":{{"left out":{}}}}})"
        "\n]\n",
        pid_, Micros(Clock::now() - origin_), left_out_.load());
  }

  bool WriteAll(std::string_view text) {
    bytes_ += text.size();
    if (bytes_ > kMostBytes) {
      say_(fmt::format("the trace '{}' has {} MiB: what follows is not traced", path_,
                       kMostBytes >> 20));
      return false;
    }
    while (!text.empty()) {
      const ssize_t count = ::write(file_.get(), text.data(), text.size());
      if (count >= 0) {
        text.remove_prefix(static_cast<std::size_t>(count));
      } else if (errno != EINTR) {
        Complain(errno);
        return false;
      }
    }
    return true;
  }

  void Complain(int error) const {
    say_(fmt::format("the trace '{}' cannot be written: {}; it goes on without", path_,
                     std::strerror(error)));
  }

  std::mutex mutex_;  ///< Of what is not the writing thread's or atomic.
  std::condition_variable changed_;
  std::vector<std::unique_ptr<Row>> rows_, old_rows_;
  std::map<std::string, std::size_t, std::less<>> named_;
  std::size_t last_row_ = 0;  ///< The number of the newest.
  std::string pending_;       ///< What is to be written beside what is in rings.
  bool is_over_ = false;
  std::atomic<std::uint64_t> trace_ = 0, left_out_ = 0;
  TraceTime origin_;
  int pid_ = 0;
  std::thread writer_;
  Descriptor file_;
  std::string path_;
  TraceFile::Say say_;
  std::size_t bytes_ = 0;
};

Mine::~Mine() {
  if (row != nullptr) Tracer::Get().Release(row, trace);
}

}  // namespace

void TraceSpan(std::string_view name, TraceTime begin, TraceArgs args) {
  if (!IsTraced() || begin == TraceTime()) return;
  TraceSpanOf(name, begin, Clock::now(), args.begin(), args.size());
}

void TraceSpanIn(std::string_view row, std::string_view name, TraceTime begin, TraceArgs args) {
  if (!IsTraced() || begin == TraceTime()) return;
  Tracer::Get().Span(row, name, begin, Clock::now(), args.begin(), args.size());
}

void TraceSpanOf(std::string_view name, TraceTime begin, TraceTime end, const TraceArg* args,
                 std::size_t count) {
  if (!IsTraced()) return;
  Tracer::Get().Span(std::nullopt, name, begin, end, args, count);
}

void TraceCounter(std::string_view name, double value) {
  if (IsTraced()) Tracer::Get().Counter(name, value);
}

void TraceProcess(std::string_view name) {
  if (IsTraced()) Tracer::Get().Process(name);
}

void TraceThread(std::string_view name) {
  if (IsTraced()) Tracer::Get().Name(name, /*is_numbered=*/false);
}

void TraceThreadKind(std::string_view kind) {
  if (IsTraced()) Tracer::Get().Name(kind, /*is_numbered=*/true);
}

TraceFile::TraceFile(const std::string& path, std::string_view thread, Say say) {
  if (path.empty()) return;
  is_open_ = Tracer::Get().Open(path, std::move(say));
  TraceThread(thread);
}

TraceFile::~TraceFile() {
  if (is_open_) Tracer::Get().Close();
}

}  // namespace exh
