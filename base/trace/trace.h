// SPDX-License-Identifier: MIT
//
// A picture of what this process does over time, as a Chrome trace: chrome://tracing and Perfetto
// open it. This is the one door through which spans go.
//
//   const TraceFile file("trace.json", "search", say);   from here on there is a trace
//   …
//   const TraceTime begin = TraceNow();
//   …
//   TraceSpan("compile", begin, {{"bytes", 812.0}});     of the row of this thread
//
// While there is none, each of these calls is a load and a test. Most spans come by themselves:
// each scope of activity.h is one.
//
// Who traces waits for nobody. A thread formats its events and puts them into a ring of its own
// (event_ring.h), without a lock; one thread writes all rings to the file, every 50 ms. What does
// not fit into a ring is left out and counted. So memory is bounded: a ring for each thread that
// lives, and no more.
//
// The file is a list of objects, one a line. Each line is handed to the system whole, so what is
// there of a process that was killed is a list that only lacks its end: take away what follows the
// last comma, and add a bracket. Perfetto opens it as it is.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <string>
#include <string_view>
#include <variant>

namespace exh {

using TraceTime = std::chrono::steady_clock::time_point;

/// A value beside an event. Names and texts may have any bytes.
struct TraceArg {
  std::string_view name;
  std::variant<double, std::uint64_t, std::string_view> value;
};
using TraceArgs = std::initializer_list<TraceArg>;

namespace trace_internal {
inline std::atomic<bool> is_on{false};
}

/// Is there a trace now?
inline bool IsTraced() {
  return trace_internal::is_on.load(std::memory_order_acquire);
}

/// The time, when there is a trace; otherwise no time at all.
inline TraceTime TraceNow() {
  return IsTraced() ? std::chrono::steady_clock::now() : TraceTime();
}

/// From `begin` until now. Nothing when there was no trace at `begin`. Spans of a row nest.
void TraceSpan(std::string_view name, TraceTime begin, TraceArgs args = {});
/// The same in the row of this name: of what is no thread of ours, such as a process.
void TraceSpanIn(std::string_view row, std::string_view name, TraceTime begin, TraceArgs args = {});
/// From `begin` to `end`, with so many arguments.
void TraceSpanOf(std::string_view name, TraceTime begin, TraceTime end, const TraceArg* args,
                 std::size_t count);
/// What `name` counts is `value` from now on.
void TraceCounter(std::string_view name, double value);
/// How this process is called from now on.
void TraceProcess(std::string_view name);
/// How the row of this thread is called. `kind`: it is one of several, and gets a number behind its
/// name; a thread that comes when one of its kind has ended goes on in that one's row.
void TraceThread(std::string_view name);
void TraceThreadKind(std::string_view kind);

/// The file of a trace, as long as it lives. There is one at a time.
class TraceFile {
 public:
  using Say = std::function<void(const std::string&)>;

  /// An empty path: no trace. The row of this thread is called `thread`. `say` is told, from any
  /// thread, why there is none, or why it ends early; nothing else fails then. A file that is there
  /// is written anew.
  TraceFile(const std::string& path, std::string_view thread, Say say);
  /// The rest of the trace, and its end.
  ~TraceFile();
  TraceFile(const TraceFile&) = delete;
  TraceFile& operator=(const TraceFile&) = delete;

 private:
  bool is_open_ = false;
};

}  // namespace exh
