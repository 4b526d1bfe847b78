// SPDX-License-Identifier: MIT
#include "search/tune/lanes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <mutex>
#include <set>
#include <string_view>
#include <thread>

#include "base/error.h"
#include "base/numbers.h"
#include "base/trace/trace.h"
#include "search/log/run_folder.h"
#include "search/tune/line_file.h"
#include "search/tune/shape_state.h"
#include "search/tune/shared/fleet_priors.h"
#include "search/tune/shared/winner_board.h"

namespace exh::search {
namespace {

/// So many winners of other sizes a search begins with.
constexpr std::size_t kMostWinners = 3;

std::string_view EndName(ShapeEnd::Kind kind) {
  switch (kind) {
    case ShapeEnd::Kind::kDone:
      return "done";
    case ShapeEnd::Kind::kFailed:
      return "failed";
    case ShapeEnd::Kind::kKilled:
      return "killed";
    case ShapeEnd::Kind::kStopped:
      break;
  }
  return "stopped";
}

class Lanes {
 public:
  explicit Lanes(const LaneWork& work)
      : work_(work),
        folder_(work.runner.folder),
        priors_(folder_, work.runner.program, work.runner.stop),
        journal_(folder_.JournalOf(work.element)) {
    Note("", "starts", "");
    try {
      board_.emplace(folder_.BoardOf(work.element));
    } catch (const Error& error) {
      SayOnce(fmt::format("{}: what wins here is handed to no other shape", error.what()));
    }
  }

  LaneTotals Run() {
    std::vector<std::thread> threads;
    running_ = work_.lanes.size();
    for (const std::optional<int>& gpu : work_.lanes) {
      threads.emplace_back([this, gpu] { RunLane(gpu); });
    }
    for (std::thread& thread : threads) thread.join();
    totals_.waiting = work_.shapes.size() - totals_.done - totals_.failures.size();
    return totals_;
  }

 private:
  /// A GPU that is lost fails shape after shape, faster than others search one. It stops as long as
  /// there is another lane: what it would have failed is done there.
  void RunLane(std::optional<int> gpu) {
    TraceThread(gpu ? fmt::format("gpu {}", *gpu) : "lane");
    constexpr int kMostFailures = 3;
    int failures = 0;
    while (const TuneShape* const shape = Next()) {
      failures = RunOne(*shape, gpu) ? 0 : failures + 1;
      const std::lock_guard lock(mutex_);
      if (failures < kMostFailures || running_ == 1) continue;
      fmt::print("GPU {} takes no more shapes: {} in a row failed there\n", gpu.value_or(0),
                 failures);
      --running_;
      return;
    }
    const std::lock_guard lock(mutex_);
    --running_;
  }

  /// The next shape that is not done; null: there is none, or nobody waits any more.
  const TuneShape* Next() {
    const std::lock_guard lock(mutex_);
    while (next_ < work_.shapes.size() && !IsStopped(work_.runner.stop)) {
      const TuneShape& shape = work_.shapes[next_++];
      if (!WasDone(shape)) return &shape;
      ++totals_.done;
      ++totals_.before;
    }
    return nullptr;
  }

  bool WasDone(const TuneShape& shape) const {
    try {
      const std::optional<Log> log = LogIfBegun(folder_, shape);
      return log && IsDone(*log);
    } catch (const Error&) {
      return false;  // Its search says what is wrong.
    }
  }

  /// False: it failed.
  bool RunOne(const TuneShape& shape, std::optional<int> gpu) {
    Note(shape.name, "begins", "");
    const TraceTime begin = TraceNow();
    ShapeEnd end;
    try {
      end = RunToItsEnd(JobOf(shape, gpu));
    } catch (const std::exception& error) {
      end = {ShapeEnd::Kind::kFailed, error.what()};
    }
    TraceSpan(shape.name, begin, {{"end", EndName(end.kind)}, {"why", std::string_view(end.why)}});
    if (end.kind == ShapeEnd::Kind::kDone) Done(shape);
    if (end.kind == ShapeEnd::Kind::kFailed) Failed(shape, end.why);
    if (end.kind == ShapeEnd::Kind::kStopped) Note(shape.name, "stops", "");
    return end.kind != ShapeEnd::Kind::kFailed;
  }

  /// What somebody kills goes on, unless that is so again and again before it has found out
  /// anything.
  ShapeEnd RunToItsEnd(const ShapeJob& job) {
    constexpr int kMostInVain = 3;
    int in_vain = 0;
    while (true) {
      ShapeEnd end = work_.runner.Run(job);
      if (end.kind != ShapeEnd::Kind::kKilled) return end;
      in_vain = end.has_news ? 0 : in_vain + 1;
      if (in_vain == kMostInVain) {
        end.kind = ShapeEnd::Kind::kFailed;
        end.why += fmt::format(", {} times in a row with nothing new in between", in_vain);
        return end;
      }
      const std::lock_guard lock(mutex_);
      Say(fmt::format("{}: {}; it goes on", job.shape.name, end.why));
    }
  }

  /// What the search of a shape begins with.
  ShapeJob JobOf(const TuneShape& shape, std::optional<int> gpu) {
    ShapeJob job{shape, gpu, {}};
    if (!work_.hands_winners && !work_.hands_priors) return job;
    std::vector<std::string> refused;
    const std::vector<BoardWinner> all = ReadBoards(folder_, refused);
    for (const std::string& why : refused) SayOnce(why + "; its winners are left out");
    if (work_.hands_winners) job.first = Winners(shape, all);
    if (!work_.hands_priors) return job;
    std::string problem;
    job.prior = priors_.For(shape, work_.device, all, problem);
    if (!problem.empty()) SayOnce(problem);
    return job;
  }

  /// Files with decisions of winners of other sizes. What cannot be written is not begun with.
  std::vector<std::string> Winners(const TuneShape& shape, const std::vector<BoardWinner>& all) {
    std::vector<std::string> files;
    for (const BoardWinner& winner : Nearest(all, shape, work_.device, kMostWinners)) {
      const std::string file = folder_.FirstOf(shape, files.size() + 1);
      try {
        WriteFile(file, FirstText(winner));
        files.push_back(file);
      } catch (const Error& error) {
        SayOnce(error.what());
      }
    }
    return files;
  }

  void Done(const TuneShape& shape) {
    Note(shape.name, "ends", "");
    const std::lock_guard lock(mutex_);
    ++totals_.done;
    std::string line = fmt::format("{}: ", shape.name);
    try {
      const Log log = ReadLog(folder_.RunOf(shape));
      const BoardWinner winner = WinnerOf(shape, log);
      line += FormatTime(winner.ns);
      if (log.run->flops > 0) line += ", " + FormatRate(log.run->flops, winner.ns);
      const double bound_ns = log.end ? log.end->bound_ns : 0;
      if (bound_ns > 0) line += fmt::format(", gap {:.0f}%", 100 * (1 - bound_ns / winner.ns));
      if (board_) board_->Add(winner);
    } catch (const Error& error) {
      line += error.what();
    }
    Say(line);
  }

  void Failed(const TuneShape& shape, const std::string& why) {
    Note(shape.name, "fails", why);
    const std::lock_guard lock(mutex_);
    totals_.failures.push_back(fmt::format("{}: {}", shape.name, why));
    Say(fmt::format("{}: failed: {}", shape.name, why));
  }

  /// With the lock held.
  void Say(const std::string& line) const {
    fmt::print("[{}/{}] {}\n", totals_.done + totals_.failures.size(), work_.shapes.size(), line);
    std::fflush(stdout);
  }

  /// A line of the journal. Without it shapes are tuned as well, and less can be said of them.
  void Note(const std::string& shape, const std::string& what, const std::string& why) {
    std::string problem;
    {
      const std::lock_guard lock(mutex_);
      try {
        journal_.Append(JournalLine(shape, what, why));
      } catch (const Error& error) {
        problem = error.what();
      }
    }
    if (!problem.empty()) SayOnce(problem);
  }

  void SayOnce(const std::string& text) {
    const std::lock_guard lock(said_mutex_);
    if (said_.insert(text).second) fmt::print(stderr, "search: {}\n", text);
  }

  const LaneWork& work_;
  const FleetFolder& folder_;
  FleetPriors priors_;
  std::mutex mutex_;  ///< Of all that follows.
  LineFile journal_;
  std::optional<WinnerBoard> board_;
  std::size_t next_ = 0;
  std::size_t running_ = 0;  ///< Lanes that take shapes.
  LaneTotals totals_;
  std::mutex said_mutex_;
  std::set<std::string> said_;
};

}  // namespace

LaneTotals RunLanes(const LaneWork& work) {
  return Lanes(work).Run();
}

}  // namespace exh::search
