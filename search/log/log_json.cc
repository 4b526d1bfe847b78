// SPDX-License-Identifier: MIT
#include "search/log/log_json.h"

#include <cmath>

#include "base/error.h"

namespace exh::search {
namespace {

/// Leaves `field` as it is when the object has no such key.
template <typename T>
void Read(const Json& json, const char* key, T& field) {
  const auto found = json.find(key);
  if (found != json.end() && !found->is_null()) found->get_to(field);
}

/// Throws Error for a verdict that there is not.
void ReadVerdict(const Json& json, kernels::Verdict& verdict) {
  std::string name;
  Read(json, "verdict", name);
  if (name.empty()) return;
  const auto found = kernels::VerdictOf(name);
  if (!found) throw Error("the log has a verdict '" + name + "'");
  verdict = *found;
}

/// JSON has no infinity: what is not finite is left out, and reads as the default.
void PutFinite(Json& json, const char* key, double value) {
  if (std::isfinite(value)) json[key] = value;
}

Json DeviceJson(const RunRecord& record) {
  Json device = {{"name", record.device}};
  for (const auto& [limit, text] : record.limits) device[limit] = Json::parse(text);
  return device;
}

void ReadDevice(const Json& json, RunRecord& record) {
  for (const auto& [limit, value] : json.items()) {
    if (limit == "name") {
      value.get_to(record.device);
    } else {
      record.limits[limit] = value.dump();
    }
  }
}

Json PathJson(const Path& path) {
  Json steps = Json::array();
  for (const PathStep& step : path) steps.push_back({step.decision, step.value});
  return steps;
}

PathStep ReadStep(const Json& json) {
  return {json.at(0).get<int>(), json.at(1).get<int>()};
}

void ReadPath(const Json& json, Path& path) {
  for (const Json& step : json.value("path", Json::array())) path.push_back(ReadStep(step));
}

Json PolicyJson(const RunRecord& record) {
  Json json = {{"name", record.policy}};
  if (record.policy != "random") {
    json["topk"] = record.topk;
    json["delta"] = record.delta;
    json["epsilon"] = record.epsilon;
    json["local"] = record.local;
    json["screen"] = record.screen;
    json["bound"] = record.bound;
  }
  if (!record.check.empty()) json["check"] = record.check;
  return json;
}

}  // namespace

Json ToJson(const RunRecord& record) {
  return {{"t", "run"},
          {"v", record.version},
          {"tool", record.tool},
          {"started", record.started},
          {"space",
           {{"name", record.space},
            {"fingerprint", record.fingerprint},
            {"decisions", record.decisions}}},
          {"kernel", {{"name", record.kernel}, {"sizes", record.sizes}, {"flops", record.flops}}},
          {"device", DeviceJson(record)},
          {"conditions", record.conditions},
          {"seed", record.seed},
          {"argv", record.argv},
          {"order", record.order},
          {"policy", PolicyJson(record)}};
}

void FromJson(const Json& json, RunRecord& record) {
  Read(json, "v", record.version);
  Read(json, "tool", record.tool);
  Read(json, "started", record.started);
  const Json space = json.value("space", Json::object());
  Read(space, "name", record.space);
  Read(space, "fingerprint", record.fingerprint);
  record.decisions = space.value("decisions", "paper");  // Of logs from before there were others.
  const Json kernel = json.value("kernel", Json::object());
  Read(kernel, "name", record.kernel);
  Read(kernel, "sizes", record.sizes);
  Read(kernel, "flops", record.flops);
  ReadDevice(json.value("device", Json::object()), record);
  Read(json, "conditions", record.conditions);
  Read(json, "seed", record.seed);
  Read(json, "argv", record.argv);
  Read(json, "order", record.order);
  const Json policy = json.value("policy", Json::object());
  Read(policy, "name", record.policy);
  Read(policy, "topk", record.topk);
  Read(policy, "delta", record.delta);
  Read(policy, "epsilon", record.epsilon);
  Read(policy, "local", record.local);
  Read(policy, "screen", record.screen);
  Read(policy, "bound", record.bound);
  Read(policy, "check", record.check);
}

Json ToJson(const ChoiceRecord& record) {
  return {{"t", "choice"},
          {"i", record.index},
          {"name", record.name},
          {"args", record.args},
          {"domain", record.domain}};
}

void FromJson(const Json& json, ChoiceRecord& record) {
  Read(json, "i", record.index);
  Read(json, "name", record.name);
  Read(json, "args", record.args);
  Read(json, "domain", record.domain);
}

Json PairsJson(const std::vector<TimePair>& pairs) {
  Json list = Json::array();
  for (const TimePair& pair : pairs) list.push_back({pair.ns, pair.best_ns});
  return list;
}

void ReadPairs(const Json& json, std::vector<TimePair>& pairs) {
  std::vector<std::vector<double>> list;
  Read(json, "pairs", list);
  for (const auto& pair : list) {
    if (pair.size() == 2) pairs.push_back({pair[0], pair[1]});
  }
}

Json ToJson(const EvalRecord& record) {
  Json json = {{"t", "eval"},
               {"n", record.n},
               {"dt", record.dt},
               {"verdict", kernels::VerdictName(record.verdict)},
               {"best_ns", record.best_ns},
               {"runtimes_ns", record.runtimes_ns},
               {"compile_ms", record.compile_ms},
               {"check_ms", record.check_ms}};
  if (!record.why.empty()) json["why"] = record.why;
  if (record.again_ns > 0) json["again_ns"] = record.again_ns;
  if (record.against > 0) json["against"] = record.against;
  if (!record.pairs.empty()) json["pairs"] = PairsJson(record.pairs);
  if (record.registers > 0) json["registers"] = record.registers;
  if (record.blocks_per_sm > 0) json["blocks_per_sm"] = record.blocks_per_sm;
  if (record.clock_mhz > 0) json["clock_mhz"] = record.clock_mhz;
  if (record.sequence > 0) json["seq"] = record.sequence;
  if (record.selection > 0) json["select"] = record.selection;
  if (record.bound_ns > 0) json["bound_ns"] = record.bound_ns;
  Json error = Json::object();
  PutFinite(error, "max_abs", record.max_error);
  PutFinite(error, "ratio", record.error_ratio);
  json["err"] = error;
  json["h"] = record.hash;
  json["code"] = record.code;
  json["vector"] = record.vector;
  json["path"] = PathJson(record.path);
  return json;
}

void FromJson(const Json& json, EvalRecord& record) {
  Read(json, "n", record.n);
  Read(json, "dt", record.dt);
  ReadVerdict(json, record.verdict);
  Read(json, "why", record.why);
  Read(json, "best_ns", record.best_ns);
  Read(json, "runtimes_ns", record.runtimes_ns);
  Read(json, "again_ns", record.again_ns);
  Read(json, "against", record.against);
  ReadPairs(json, record.pairs);
  Read(json, "compile_ms", record.compile_ms);
  Read(json, "check_ms", record.check_ms);
  Read(json, "registers", record.registers);
  Read(json, "blocks_per_sm", record.blocks_per_sm);
  Read(json, "clock_mhz", record.clock_mhz);
  Read(json, "seq", record.sequence);
  Read(json, "select", record.selection);
  Read(json, "bound_ns", record.bound_ns);
  const Json error = json.value("err", Json::object());
  Read(error, "max_abs", record.max_error);
  Read(error, "ratio", record.error_ratio);
  Read(json, "h", record.hash);
  Read(json, "code", record.code);
  Read(json, "vector", record.vector);
  ReadPath(json, record.path);
}

Json ToJson(const BestRecord& record) {
  Json json = {
      {"t", "best"}, {"n", record.n}, {"dt", record.dt}, {"ns", record.ns}, {"h", record.hash}};
  if (record.sequence > 0) json["seq"] = record.sequence;
  return json;
}

void FromJson(const Json& json, BestRecord& record) {
  Read(json, "n", record.n);
  Read(json, "dt", record.dt);
  Read(json, "ns", record.ns);
  Read(json, "h", record.hash);
  Read(json, "seq", record.sequence);
}

Json ToJson(const SelectRecord& record) {
  Json json = {{"t", "select"},
               {"seq", record.sequence},
               {"policy", record.policy},
               {"path", PathJson(record.path)}};
  if (record.is_closed) json["closed"] = true;
  return json;
}

void FromJson(const Json& json, SelectRecord& record) {
  Read(json, "seq", record.sequence);
  Read(json, "policy", record.policy);
  Read(json, "closed", record.is_closed);
  ReadPath(json, record.path);
}

Json ToJson(const ResultRecord& record) {
  Json json = {{"t", "result"},
               {"seq", record.sequence},
               {"select", record.selection},
               {"what", record.what}};
  if (record.ns > 0) json["ns"] = record.ns;
  return json;
}

void FromJson(const Json& json, ResultRecord& record) {
  Read(json, "seq", record.sequence);
  Read(json, "select", record.selection);
  Read(json, "what", record.what);
  Read(json, "ns", record.ns);
}

Json ToJson(const ViolationRecord& record) {
  Json json = {{"t", "violation"},
               {"n", record.n},
               {"dt", record.dt},
               {"ns", record.ns},
               {"bound_ns", record.bound_ns}};
  if (!record.resource.empty()) json["resource"] = record.resource;
  return json;
}

void FromJson(const Json& json, ViolationRecord& record) {
  Read(json, "n", record.n);
  Read(json, "dt", record.dt);
  Read(json, "ns", record.ns);
  Read(json, "bound_ns", record.bound_ns);
  Read(json, "resource", record.resource);
}

Json ToJson(const DeadRecord& record) {
  return {{"t", "dead"},
          {"dt", record.dt},
          {"label", record.label},
          {"depth", record.depth},
          {"step", {record.step.decision, record.step.value}}};
}

void FromJson(const Json& json, DeadRecord& record) {
  Read(json, "dt", record.dt);
  Read(json, "label", record.label);
  Read(json, "depth", record.depth);
  const auto step = json.find("step");
  if (step != json.end()) record.step = ReadStep(*step);
}

Json ToJson(const ReferenceRecord& record) {
  Json json = {{"t", "reference"},
               {"name", record.name},
               {"verdict", kernels::VerdictName(record.verdict)},
               {"best_ns", record.best_ns},
               {"runtimes_ns", record.runtimes_ns}};
  if (!record.why.empty()) json["why"] = record.why;
  if (record.median_ns > 0) {
    json["lo_ns"] = record.lo_ns;
    json["median_ns"] = record.median_ns;
    json["hi_ns"] = record.hi_ns;
  }
  if (record.clock_mhz > 0) json["clock_mhz"] = record.clock_mhz;
  return json;
}

void FromJson(const Json& json, ReferenceRecord& record) {
  Read(json, "name", record.name);
  ReadVerdict(json, record.verdict);
  Read(json, "why", record.why);
  Read(json, "best_ns", record.best_ns);
  Read(json, "runtimes_ns", record.runtimes_ns);
  Read(json, "lo_ns", record.lo_ns);
  Read(json, "median_ns", record.median_ns);
  Read(json, "hi_ns", record.hi_ns);
  Read(json, "clock_mhz", record.clock_mhz);
}

Json ToJson(const RatesRecord& record) {
  return {{"t", "rates"},
          {"driver_copy_gbs", record.driver_copy_gbs},
          {"kernel_copy_gbs", record.kernel_copy_gbs},
          {"fma_gflops", record.fma_gflops},
          {"clock_mhz", record.clock_mhz}};
}

void FromJson(const Json& json, RatesRecord& record) {
  Read(json, "driver_copy_gbs", record.driver_copy_gbs);
  Read(json, "kernel_copy_gbs", record.kernel_copy_gbs);
  Read(json, "fma_gflops", record.fma_gflops);
  Read(json, "clock_mhz", record.clock_mhz);
}

Json ToJson(const ResumeRecord& record) {
  return {{"t", "resume"},
          {"dt", record.dt},
          {"started", record.started},
          {"tool", record.tool},
          {"conditions", record.conditions},
          {"argv", record.argv}};
}

void FromJson(const Json& json, ResumeRecord& record) {
  Read(json, "dt", record.dt);
  Read(json, "started", record.started);
  Read(json, "tool", record.tool);
  Read(json, "conditions", record.conditions);
  Read(json, "argv", record.argv);
}

Json ToJson(const RepairRecord& record) {
  return {{"t", "repair"},           {"started", record.started},
          {"tool", record.tool},     {"damaged", record.damaged},
          {"mended", record.mended}, {"lost", record.lost}};
}

void FromJson(const Json& json, RepairRecord& record) {
  Read(json, "started", record.started);
  Read(json, "tool", record.tool);
  Read(json, "damaged", record.damaged);
  Read(json, "mended", record.mended);
  Read(json, "lost", record.lost);
}

Json ToJson(const EndRecord& record) {
  Json json = {{"t", "end"},
               {"dt", record.dt},
               {"why", record.why},
               {"evaluations", record.evaluations},
               {"descents", record.descents},
               {"duplicates", record.duplicates},
               {"best", record.best},
               {"verdicts", record.verdicts},
               {"dead_ends", record.dead_ends}};
  if (record.tree.empty()) return json;
  json["tree"] = record.tree;
  json["bound_ns"] = record.bound_ns;
  json["pruned"] = record.pruned;
  json["violations"] = record.violations;
  return json;
}

void FromJson(const Json& json, EndRecord& record) {
  Read(json, "dt", record.dt);
  Read(json, "why", record.why);
  Read(json, "evaluations", record.evaluations);
  Read(json, "descents", record.descents);
  Read(json, "duplicates", record.duplicates);
  Read(json, "best", record.best);
  Read(json, "verdicts", record.verdicts);
  Read(json, "dead_ends", record.dead_ends);
  Read(json, "tree", record.tree);
  Read(json, "bound_ns", record.bound_ns);
  Read(json, "pruned", record.pruned);
  Read(json, "violations", record.violations);
}

}  // namespace exh::search
