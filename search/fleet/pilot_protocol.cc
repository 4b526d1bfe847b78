// SPDX-License-Identifier: MIT
#include "search/fleet/pilot_protocol.h"

#include <array>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "search/log/log_json.h"

namespace exh::search {
namespace {

using kernels::Measurement;

constexpr std::array<std::pair<PilotMode, std::string_view>, 8> kModes = {
    {{PilotMode::kCompile, "compile"},
     {PilotMode::kQuick, "quick"},
     {PilotMode::kFinal, "final"},
     {PilotMode::kAgain, "again"},
     {PilotMode::kAudit, "audit"},
     {PilotMode::kRepeat, "repeat"},
     {PilotMode::kYardsticks, "yardsticks"},
     {PilotMode::kRates, "rates"}}};

std::string_view NameOf(PilotMode mode) {
  for (const auto& [known, name] : kModes) {
    if (known == mode) return name;
  }
  return "";
}

PilotMode ModeOf(const std::string& text) {
  for (const auto& [mode, name] : kModes) {
    if (name == text) return mode;
  }
  throw Error("there is no mode '" + text + "'");
}

/// A path as a flat list: decision, value, decision, value.
Json FlatPath(const Path& path) {
  Json flat = Json::array();
  for (const PathStep& step : path) {
    flat.push_back(step.decision);
    flat.push_back(step.value);
  }
  return flat;
}

Path PathOf(const Json& flat) {
  Path path;
  for (std::size_t i = 0; i + 1 < flat.size(); i += 2) {
    path.push_back({flat[i].get<int>(), flat[i + 1].get<int>()});
  }
  return path;
}

/// A member that is there only when it says something.
template <typename Value>
void Put(Json& object, const char* key, const Value& value) {
  if (value != Value()) object[key] = value;
}
template <typename Value>
void Get(const Json& object, const char* key, Value& value) {
  const auto found = object.find(key);
  if (found != object.end()) found->get_to(value);
}

void PutProgram(Json& object, const PilotTask& task) {
  if (!task.path.empty()) object["path"] = FlatPath(task.path);
  Put(object, "h", task.hash);
  Put(object, "code", task.code);
  Put(object, "yardstick", task.yardstick);
}
void GetProgram(const Json& object, PilotTask& task) {
  if (const auto path = object.find("path"); path != object.end()) task.path = PathOf(*path);
  Get(object, "h", task.hash);
  Get(object, "code", task.code);
  Get(object, "yardstick", task.yardstick);
}

Json ObjectOf(const Measurement& m) {
  Json object = Json::object();
  Put(object, "why", m.why);
  Put(object, "compile_ms", m.compile_ms);
  Put(object, "check_ms", m.check_ms);
  Put(object, "times", m.runtimes_ns);
  Put(object, "clock", m.clocks_mhz);
  Put(object, "blocks_per_sm", m.blocks_per_sm);
  Put(object, "best", m.best_ns);
  Put(object, "results", m.results);
  Put(object, "estimate", m.estimate_ns);
  Put(object, "estimate_blocks", m.estimate_blocks);
  Put(object, "error", m.max_error);
  Put(object, "ratio", m.max_error_ratio);
  return object;
}

void ReadMeasurement(const Json& object, Measurement& m) {
  const auto verdict = kernels::VerdictOf(object.at("verdict").get<std::string>());
  if (!verdict) throw Error("there is no such verdict");
  m.verdict = *verdict;
  Get(object, "why", m.why);
  Get(object, "compile_ms", m.compile_ms);
  Get(object, "check_ms", m.check_ms);
  Get(object, "times", m.runtimes_ns);
  Get(object, "clock", m.clocks_mhz);
  Get(object, "blocks_per_sm", m.blocks_per_sm);
  Get(object, "best", m.best_ns);
  Get(object, "results", m.results);
  Get(object, "estimate", m.estimate_ns);
  Get(object, "estimate_blocks", m.estimate_blocks);
  Get(object, "error", m.max_error);
  Get(object, "ratio", m.max_error_ratio);
}

/// In one line, whatever bytes a compiler put into its complaint.
std::string Text(const Json& json) {
  return json.dump(-1, ' ', /*ensure_ascii=*/false, Json::error_handler_t::replace);
}

Json Parsed(const std::string& message) {
  return Json::parse(message, nullptr, /*allow_exceptions=*/false);
}

PilotReady ReadyOf(const Json& object) {
  PilotReady ready;
  Get(object, "why", ready.why);
  Get(object, "host", ready.host);
  Get(object, "stamp", ready.stamp);
  Get(object, "rates", ready.rates);
  Get(object, "device", ready.device);
  Get(object, "versions", ready.versions);
  Get(object, "jobs", ready.jobs);
  Get(object, "finalists", ready.finalists);
  Get(object, "first_cap_ns", ready.first_cap_ns);
  Get(object, "yardstick_text", ready.yardstick_text);
  Get(object, "notes", ready.notes);
  return ready;
}

PilotAnswer AnswerOf(const Json& object) {
  PilotAnswer answer;
  object.at("id").get_to(answer.id);
  ReadMeasurement(object, answer.measurement);
  Get(object, "registers", answer.registers);
  if (const auto known = object.find("yardsticks"); known != object.end()) {
    for (const Json& one : *known) {
      answer.yardsticks.push_back(
          {one.at("name").get<std::string>(), one.at("workspace_bytes").get<std::uint64_t>()});
    }
  }
  if (const auto found = object.find("rates"); found != object.end()) {
    kernels::MeasuredRates& rates = answer.rates.emplace();
    found->at("driver_copy_gbs").get_to(rates.driver_copy_gbs);
    found->at("kernel_copy_gbs").get_to(rates.kernel_copy_gbs);
    found->at("fma_gflops").get_to(rates.fma_gflops);
    found->at("clock_mhz").get_to(rates.clock_mhz);
  }
  return answer;
}

}  // namespace

std::string ToMessage(const PilotHello& hello) {
  return Text({{"hello",
                {{"run", ToJson(hello.run)},
                 {"stamp", hello.stamp},
                 {"rates", hello.rates},
                 {"cold", hello.cold}}}});
}

std::string ToMessage(const PilotReady& ready) {
  Json object = Json::object();
  Put(object, "why", ready.why);
  Put(object, "host", ready.host);
  Put(object, "stamp", ready.stamp);
  Put(object, "rates", ready.rates);
  Put(object, "device", ready.device);
  Put(object, "versions", ready.versions);
  Put(object, "jobs", ready.jobs);
  Put(object, "finalists", ready.finalists);
  Put(object, "first_cap_ns", ready.first_cap_ns);
  Put(object, "yardstick_text", ready.yardstick_text);
  Put(object, "notes", ready.notes);
  return Text({{"ready", object}});
}

std::string ToMessage(const PilotTask& task) {
  Json object = {{"id", task.id}, {"mode", NameOf(task.mode)}};
  Put(object, "cap", task.cap.ns);
  Put(object, "best", task.cap.best_ns);
  Put(object, "launches", task.launches);
  PutProgram(object, task);
  return Text(object);
}

std::string ToMessage(const PilotAnswer& answer) {
  Json object = {{"id", answer.id}, {"verdict", kernels::VerdictName(answer.measurement.verdict)}};
  object.update(ObjectOf(answer.measurement));
  Put(object, "registers", answer.registers);
  for (const PilotYardstick& one : answer.yardsticks) {
    object["yardsticks"].push_back({{"name", one.name}, {"workspace_bytes", one.workspace_bytes}});
  }
  if (answer.rates) {
    object["rates"] = {{"driver_copy_gbs", answer.rates->driver_copy_gbs},
                       {"kernel_copy_gbs", answer.rates->kernel_copy_gbs},
                       {"fma_gflops", answer.rates->fma_gflops},
                       {"clock_mhz", answer.rates->clock_mhz}};
  }
  return Text(object);
}

std::string BeatMessage() {
  return R"({"beat":1})";
}

std::string StopMessage(std::uint64_t id) {
  return Text({{"stop", id}});
}

std::optional<PilotSaid> ParseSaid(const std::string& message) {
  const Json json = Parsed(message);
  if (!json.is_object()) return std::nullopt;
  PilotSaid said;
  try {
    if (json.contains("beat")) return said;
    if (json.contains("ready")) {
      said.ready = ReadyOf(json.at("ready"));
    } else {
      said.answer = AnswerOf(json);
    }
  } catch (const std::exception&) {
    return std::nullopt;  // Whatever is not as it should be, it is no message.
  }
  return said;
}

std::optional<PilotAsked> ParseAsked(const std::string& message) {
  const Json json = Parsed(message);
  if (!json.is_object()) return std::nullopt;
  PilotAsked asked;
  try {
    if (json.contains("beat")) return asked;
    if (json.contains("stop")) {
      asked.stop = json.at("stop").get<std::uint64_t>();
    } else if (json.contains("hello")) {
      const Json& object = json.at("hello");
      PilotHello& hello = asked.hello.emplace();
      FromJson(object.at("run"), hello.run);
      object.at("stamp").get_to(hello.stamp);
      object.at("rates").get_to(hello.rates);
      object.at("cold").get_to(hello.cold);
    } else {
      PilotTask& task = asked.task.emplace();
      json.at("id").get_to(task.id);
      task.mode = ModeOf(json.at("mode").get<std::string>());
      Get(json, "cap", task.cap.ns);
      Get(json, "best", task.cap.best_ns);
      Get(json, "launches", task.launches);
      GetProgram(json, task);
    }
  } catch (const std::exception&) {
    return std::nullopt;
  }
  return asked;
}

std::string ProgramText(const PilotTask& task) {
  Json object = Json::object();
  PutProgram(object, task);
  return Text(object);
}

PilotTask ProgramOf(const std::string& text) {
  PilotTask task;
  const Json json = Parsed(text);
  if (json.is_object()) GetProgram(json, task);
  return task;
}

}  // namespace exh::search
