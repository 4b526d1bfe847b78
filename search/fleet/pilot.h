// SPDX-License-Identifier: MIT
//
// Pilot: a process on any machine that measures for a search, as one of its lanes. It lives as long
// as the search. One that dies is started again, a few times; one that cannot be compared with the
// others, talks nonsense or falls silent is not. Answers that nobody waits for any more are
// dropped, by their number.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_set>

#include "base/stop.h"
#include "search/fleet/pilot_link.h"
#include "search/fleet/pilot_protocol.h"
#include "search/measure/evaluator.h"

namespace exh::search {

struct PilotOptions {
  std::string command;  ///< The shell's.
  PilotHello hello;
  double silence_s = 30;  ///< Then it is given up.
  int most_deaths = 5;    ///< Then, too.
  const StopToken* stop = nullptr;
};

class Pilot final : public kernels::Lane {
 public:
  /// Does it fit the others? Empty, or what is another one there. From any thread.
  using Check = std::function<std::string(const PilotReady& ready)>;

  /// Starts it, and does not wait.
  Pilot(std::string name, PilotOptions options, Check check);
  ~Pilot() override;

  std::string name() const override { return name_; }
  kernels::Measurement Try(const kernels::Compiled& trial, const Cap& cap) override {
    return Measure(trial, cap, Effort::kQuick);
  }
  kernels::Measurement Measure(const kernels::Compiled& compiled, const Cap& cap,
                               Effort effort) override;
  bool is_ready() const override;
  int deaths() const override;
  std::string lost() const override;
  bool has(const kernels::Compiled& compiled) const override;

  /// Waits for the answer. Nobody is to be blamed where it is kBroken.
  PilotAnswer Ask(const PilotTask& task);
  /// Compiles, and remembers that it did. `library`: of the program that comes of it.
  PilotAnswer Compile(PilotTask task, const std::string& library);
  /// Tasks under way.
  std::size_t load() const;
  /// What it said of itself; nothing: it is not there yet.
  std::optional<PilotReady> ready() const;
  /// The last line of its standard error, such as that of a batch system that lets it wait.
  std::string LastComplaint() const;
  /// Called whenever it gets ready or is lost, by a thread of its own.
  void OnChange(std::function<void()> changed);

 private:
  void Launch();
  bool Hear(const std::string& message);
  PilotAnswer AskOnce(PilotTask task);
  void End(const std::string& why, bool has_died);
  /// Under the lock: starts it again after it died.
  void Revive();

  const std::string name_;
  const PilotOptions options_;
  const Check check_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::function<void()> on_change_;
  std::unique_ptr<PilotLink> link_;
  std::optional<PilotReady> ready_;
  std::string lost_, obituary_;
  bool is_dead_ = false;  ///< And not started again yet.
  int deaths_ = 0;        ///< Over what Measure() asked.
  int ends_ = 0;          ///< Any.
  std::uint64_t next_ = 1;
  /// Tasks under way: nothing, until the answer is there.
  std::map<std::uint64_t, std::optional<PilotAnswer>> tasks_;
  std::unordered_set<std::uint64_t> compiled_;  ///< Hashes of Compiled::library.
};

}  // namespace exh::search
