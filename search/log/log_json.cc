// SPDX-License-Identifier: MIT
#include "search/log/log_json.h"

#include <cmath>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "base/error.h"

namespace exh::search {
namespace {

// ---- Values that JSON has no type for ---------------------------------------------------------

template <typename Value>
Json JsonOf(const Value& value) {
  return value;
}

Json JsonOf(const kernels::Verdict& verdict) {
  return kernels::VerdictName(verdict);
}

Json JsonOf(const PathStep& step) {
  return {step.decision, step.value};
}

Json JsonOf(const TimePair& pair) {
  return {pair.ns, pair.best_ns};
}

Json JsonOf(const LoggedRange& range) {
  return {range.first, range.last};
}

template <typename Value>
Json ListOf(const std::vector<Value>& values) {
  Json list = Json::array();
  for (const Value& value : values) list.push_back(JsonOf(value));
  return list;
}

Json JsonOf(const Path& path) {
  return ListOf(path);
}

Json JsonOf(const std::vector<TimePair>& pairs) {
  return ListOf(pairs);
}

Json JsonOf(const std::vector<LoggedRange>& ranges) {
  return ListOf(ranges);
}

template <typename Value>
void ReadValue(const Json& json, Value& value) {
  json.get_to(value);
}

void ReadValue(const Json& json, kernels::Verdict& verdict) {
  const auto name = json.get<std::string>();
  if (name.empty()) return;
  const auto found = kernels::VerdictOf(name);
  if (!found) throw Error("the log has a verdict '" + name + "'");
  verdict = *found;
}

void ReadValue(const Json& json, PathStep& step) {
  step = {json.at(0).get<int>(), json.at(1).get<int>()};
}

void ReadValue(const Json& json, Path& path) {
  for (const Json& step : json) ReadValue(step, path.emplace_back());
}

void ReadValue(const Json& json, std::vector<TimePair>& pairs) {
  for (const auto& pair : json.get<std::vector<std::vector<double>>>()) {
    if (pair.size() == 2) pairs.push_back({pair[0], pair[1]});
  }
}

void ReadValue(const Json& json, std::vector<LoggedRange>& ranges) {
  for (const Json& range : json) {
    ranges.push_back({range.at(0).get<std::uint32_t>(), range.at(1).get<std::uint32_t>()});
  }
}

// ---- Visitors ---------------------------------------------------------------------------------

template <typename Value>
bool IsSet(const Value& value) {
  if constexpr (std::is_arithmetic_v<Value>) {
    return value > Value{};
  } else {
    return !value.empty();
  }
}

/// Fills an object with the fields that it is shown.
class Writer {
 public:
  explicit Writer(Json& json) : json_(json) {}

  void Field(const char* key, const auto& value) { json_[key] = JsonOf(value); }
  void Optional(const char* key, const auto& value) { When(IsSet(value), key, value); }
  void When(bool condition, const char* key, const auto& value) {
    if (condition) Field(key, value);
  }
  void Finite(const char* key, double value) { When(std::isfinite(value), key, value); }
  void Object(const char* key, const auto& fields) {
    Json object = Json::object();
    Writer writer(object);
    fields(writer);
    json_[key] = std::move(object);
  }
  void Rest(const auto& members) {
    for (const auto& [name, text] : members) json_[name] = Json::parse(text);
  }

 private:
  Json& json_;
};

/// Takes the fields that it is shown out of an object. What the object lacks, or has as null, stays
/// as it is.
class Reader {
 public:
  explicit Reader(const Json& json) : json_(json) {}

  void Field(const char* key, auto& value) {
    seen_.insert(key);
    const auto found = json_.find(key);
    if (found != json_.end() && !found->is_null()) ReadValue(*found, value);
  }
  void Optional(const char* key, auto& value) { Field(key, value); }
  void When(bool /*condition*/, const char* key, auto& value) { Field(key, value); }
  void Finite(const char* key, double& value) { Field(key, value); }
  void Object(const char* key, const auto& fields) {
    const Json object = json_.value(key, Json::object());
    Reader reader(object);
    fields(reader);
  }
  void Rest(auto& members) {
    for (const auto& [name, value] : json_.items()) {
      if (seen_.count(name) == 0) members[name] = value.dump();
    }
  }

 private:
  const Json& json_;
  std::set<std::string_view> seen_;  ///< Keys that it was shown.
};

/// What lines of older programs mean where they say nothing.
template <typename Record>
void AssumeOlder(Record& /*record*/) {}

template <>
void AssumeOlder(RunRecord& record) {
  record.decisions = "paper";  // There were no others.
}

}  // namespace

template <typename Record>
Json ToJson(const Record& record) {
  Json json = {{"t", Fields<Record>::kType}};
  Writer writer(json);
  Fields<Record>::Visit(writer, record);
  return json;
}

template <typename Record>
void FromJson(const Json& json, Record& record) {
  AssumeOlder(record);
  Reader reader(json);
  Fields<Record>::Visit(reader, record);
}

#define EXH_RECORD(Record)             \
  template Json ToJson(const Record&); \
  template void FromJson(const Json&, Record&);
EXH_RECORD(RunRecord)
EXH_RECORD(ChoiceRecord)
EXH_RECORD(EvalRecord)
EXH_RECORD(BestRecord)
EXH_RECORD(SelectRecord)
EXH_RECORD(ResultRecord)
EXH_RECORD(ViolationRecord)
EXH_RECORD(FailedCheckRecord)
EXH_RECORD(DeadRecord)
EXH_RECORD(ReferenceRecord)
EXH_RECORD(RatesRecord)
EXH_RECORD(ResumeRecord)
EXH_RECORD(RepairRecord)
EXH_RECORD(EndRecord)
#undef EXH_RECORD

}  // namespace exh::search
