// SPDX-License-Identifier: MIT
#include "search/log_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>

#include "search/crc32c.h"
#include "search/error.h"
#include "search/log_json.h"
#include "search/numbers.h"

namespace exh::search {
namespace {

constexpr std::string_view kSeal = ",\"crc\":\"";
constexpr std::size_t kSealLength = kSeal.size() + 8 + 2;  // eight digits, then "}

/// The bytes before the checksum, when the line ends with one that fits them.
std::optional<std::string_view> Sealed(std::string_view line) {
  if (line.size() < kSealLength) return std::nullopt;
  const std::string_view body = line.substr(0, line.size() - kSealLength);
  const std::string seal = fmt::format("{}{:08x}\"}}", kSeal, Crc32c(body));
  if (line.substr(body.size()) != seal) return std::nullopt;
  return body;
}

template <typename Record>
Record Decode(const Json& json) {
  Record record;
  FromJson(json, record);
  return record;
}

void AddChoice(const Json& json, Log& log) {
  auto record = Decode<ChoiceRecord>(json);
  // Decisions are numbered without gaps by the writer: a number far outside is damage, not data.
  constexpr int kMostDecisions = 1 << 24;
  if (record.index < 0 || record.index >= kMostDecisions) return;
  const auto index = static_cast<std::size_t>(record.index);
  if (log.choices.size() <= index) log.choices.resize(index + 1);
  log.choices[index] = std::move(record);
}

/// What had ended goes on: its end, and what was measured there, is not the run's any more.
void AddResume(ResumeRecord record, Log& log) {
  log.resumes.push_back(std::move(record));
  if (log.end) log.earlier_end = std::exchange(log.end, std::nullopt);
  log.references.clear();
  log.rates.reset();
}

void AddRecord(const Json& json, Log& log) {
  const std::string type = json.value("t", std::string());
  if (type == "run") log.run = Decode<RunRecord>(json);
  if (type == "choice") AddChoice(json, log);
  if (type == "eval") log.evals.push_back(Decode<EvalRecord>(json));
  if (type == "best") log.bests.push_back(Decode<BestRecord>(json));
  if (type == "dead") log.deads.push_back(Decode<DeadRecord>(json));
  if (type == "select") log.selects.push_back(Decode<SelectRecord>(json));
  if (type == "result") log.results.push_back(Decode<ResultRecord>(json));
  if (type == "violation") log.violations.push_back(Decode<ViolationRecord>(json));
  if (type == "reference") log.references.push_back(Decode<ReferenceRecord>(json));
  if (type == "rates") log.rates = Decode<RatesRecord>(json);
  if (type == "end") log.end = Decode<EndRecord>(json);
  if (type == "resume") AddResume(Decode<ResumeRecord>(json), log);
  const auto dt = json.find("dt");
  if (dt != json.end() && dt->is_number()) log.last_dt = std::max(log.last_dt, dt->get<double>());
}

}  // namespace

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
  Log log;
  log.whole_bytes = text.size();
  for (int number = 1; !text.empty(); ++number) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    const bool last = end == std::string_view::npos;
    text.remove_prefix(last ? text.size() : end + 1);
    const auto body = Sealed(line);
    if (!body && last) {
      log.cut_off = true;
      log.whole_bytes -= line.size();
      break;
    }
    log.ends_line = !last;
    if (!body) {
      log.problems.push_back(fmt::format("line {}: checksum does not match", number));
      continue;
    }
    try {
      AddRecord(Json::parse(std::string(*body) + "}"), log);
    } catch (const Json::exception& error) {
      log.problems.push_back(fmt::format("line {}: {}", number, error.what()));
    }
  }
  return log;
}

std::string LogPath(const std::string& run) {
  std::error_code ignored;
  if (std::filesystem::is_directory(run, ignored)) return run + "/log.jsonl";
  return run;
}

Log ReadLog(const std::string& run) {
  const std::string path = LogPath(run);
  std::ifstream file(path, std::ios::binary);
  if (!file) throw UsageError(fmt::format("no log at '{}'", path));
  std::ostringstream text;
  text << file.rdbuf();
  Log log = ParseLog(text.view());
  if (!log.run) throw UsageError(fmt::format("'{}' is not the log of a run: no header", path));
  return log;
}

}  // namespace exh::search
