// SPDX-License-Identifier: MIT
//
// What crosses between a search and its pilots: JSON, cut into lines (message_lines.h).
//
//   search  ── hello ──►  pilot      once: what is searched
//           ◄── ready ──             once: what it measures on, or why it cannot
//           ── task  ──►             many, several under way at once
//           ◄── answer ──            one for each, by its `id`
//           ── stop ──►              nobody waits for a task any more
//           ◄── beat ──              every few seconds: it is alive
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kernels/evaluation.h"
#include "search/log/log_records.h"
#include "search/measure/evaluator.h"

namespace exh::search {

/// What both must agree on to be compared, and what is searched.
struct PilotHello {
  RunRecord run;      ///< As the header of a log, as far as it decides what is searched.
  std::string stamp;  ///< kernels::BuildStamp().
  std::string rates;  ///< RatesHash().
  bool cold = false;
};

struct PilotReady {
  std::string why;  ///< Not empty: it cannot, for this reason, and ends.
  std::string host;
  std::string stamp, rates;
  std::string device;  ///< Evaluator::Conditions().
  Machine versions;    ///< Evaluator::Versions().
  int jobs = 1;        ///< Compilers at once.
  int finalists = 1;
  double first_cap_ns = 0;
  std::string yardstick_text;
  std::vector<std::string> notes;
};

/// What is to be done. A program is named by the decisions that lead to it, or as a yardstick.
enum class PilotMode { kCompile, kQuick, kFinal, kAgain, kAudit, kRepeat, kYardsticks, kRates };

struct PilotTask {
  std::uint64_t id = 0;
  PilotMode mode = PilotMode::kQuick;
  Path path;
  std::string hash, code;  ///< EvalRecord::hash and code, which must come out.
  std::string yardstick;   ///< Instead of decisions.
  Cap cap;
  int launches = 0;  ///< Of kRepeat.
};

struct PilotYardstick {
  std::string name;
  std::uint64_t workspace_bytes = 0;
};

struct PilotAnswer {
  std::uint64_t id = 0;
  kernels::Measurement measurement;
  int registers = 0;
  std::vector<PilotYardstick> yardsticks;
  std::optional<kernels::MeasuredRates> rates;
  /// Does not travel: the pilot died, and of all that it had it had this the longest.
  bool has_died = false;
  /// Nor does this: the pilot ended while it had this, too, and something else is to blame.
  bool was_beside = false;
};

/// One line of a pilot, which is one of these.
struct PilotSaid {
  std::optional<PilotReady> ready;
  std::optional<PilotAnswer> answer;  ///< Neither: a beat.
};
/// The same of a search.
struct PilotAsked {
  std::optional<PilotHello> hello;
  std::optional<PilotTask> task;
  std::optional<std::uint64_t> stop;  ///< None of them: a beat.
};

std::string ToMessage(const PilotHello& hello);
std::string ToMessage(const PilotReady& ready);
std::string ToMessage(const PilotTask& task);
std::string ToMessage(const PilotAnswer& answer);
std::string BeatMessage();
std::string StopMessage(std::uint64_t id);
/// Nothing: that is no message.
std::optional<PilotSaid> ParseSaid(const std::string& message);
std::optional<PilotAsked> ParseAsked(const std::string& message);

/// What a task says of its program, for Compiled::library of a program that lies at no place here.
std::string ProgramText(const PilotTask& task);
/// The task of such a text, with nothing else in it.
PilotTask ProgramOf(const std::string& text);

}  // namespace exh::search
