// SPDX-License-Identifier: MIT
//
// Records <-> JSON objects. Each record has one list of fields, Fields<Record>::Visit(), which
// shows a visitor every field in the order of the line: the writer, the reader, and the test that
// docs/log.md knows every field are visitors. A field is shown in one of these ways:
//
//   Field(key, member)            it always stands in a line
//   Optional(key, member)         it is left out while it is zero, empty or false
//   When(condition, key, member)  it is left out unless the condition holds
//   Finite(key, member)           it is left out when it is no finite number, which JSON has not
//   Object(key, fields)           an object; `fields` shows what is in it, to a visitor of its own
//   Rest(members)                 all other members of this object: name -> JSON text
//
// A reader asks for no condition. It takes what it knows and ignores the rest, so that older
// programs read newer logs; what a line lacks keeps the value that the struct gives it.
#pragma once

#include <nlohmann/json.hpp>

#include "search/log/log_records.h"

namespace exh::search {

using Json = nlohmann::ordered_json;

/// The object of a record; defined for every struct of log_records.h that is one.
template <typename Record>
Json ToJson(const Record& record);

/// Reads an object into a record that has its defaults. Throws nlohmann::json::exception for a
/// field of the wrong type, Error for a verdict that there is not.
template <typename Record>
void FromJson(const Json& json, Record& record);

/// `kType` is the value of `t`. `Visit(visitor, record)` shows every other field; the record is
/// const or not, as the visitor needs it.
template <typename Record>
struct Fields;

template <>
struct Fields<RunRecord> {
  static constexpr const char* kType = "run";
  static void Visit(auto& v, auto& r) {
    v.Field("v", r.version);
    v.Field("tool", r.tool);
    v.Field("started", r.started);
    v.Object("space", [&](auto& space) {
      space.Field("name", r.space);
      space.Field("fingerprint", r.fingerprint);
      space.Field("decisions", r.decisions);
      space.Optional("seconds", r.space_s);
    });
    v.Object("kernel", [&](auto& kernel) {
      kernel.Optional("subject", r.subject);
      kernel.Field("name", r.kernel);
      kernel.Field("sizes", r.sizes);
      kernel.Optional("words", r.words);
      kernel.Optional("settings", r.settings);
      kernel.Field("flops", r.flops);
      kernel.Optional("checked", r.checked);
      kernel.Optional("text", r.text);
    });
    v.Object("device", [&](auto& device) {
      device.Field("name", r.device);
      device.Rest(r.limits);
    });
    v.Field("conditions", r.conditions);
    v.Optional("machine", r.machine);
    v.Field("seed", r.seed);
    v.Field("argv", r.argv);
    v.Field("order", r.order);
    v.When(r.objective != "time", "objective", r.objective);
    v.Object("policy", [&](auto& policy) {
      const bool has_tree = r.policy != "random";
      policy.Field("name", r.policy);
      policy.When(has_tree, "topk", r.topk);
      policy.When(has_tree, "delta", r.delta);
      policy.When(has_tree, "epsilon", r.epsilon);
      policy.When(has_tree, "local", r.local);
      policy.When(has_tree, "screen", r.screen);
      policy.Optional("prior", r.prior);
      policy.Optional("winners", r.winners);
      policy.When(has_tree, "bound", r.bound);
      policy.Optional("check", r.check);
    });
  }
};

template <>
struct Fields<ChoiceRecord> {
  static constexpr const char* kType = "choice";
  static void Visit(auto& v, auto& r) {
    v.Field("i", r.index);
    v.Field("name", r.name);
    v.Field("args", r.args);
    v.Field("domain", r.domain);
    v.Optional("ranges", r.ranges);
  }
};

template <>
struct Fields<EvalRecord> {
  static constexpr const char* kType = "eval";
  static void Visit(auto& v, auto& r) {
    v.Field("n", r.n);
    v.Field("dt", r.dt);
    v.Field("verdict", r.verdict);
    v.Field("best_ns", r.best_ns);
    v.Field("runtimes_ns", r.runtimes_ns);
    v.Field("compile_ms", r.compile_ms);
    v.Field("check_ms", r.check_ms);
    v.Optional("why", r.why);
    v.Optional("known", r.known);
    v.Optional("quiet_ns", r.quiet_ns);
    v.Optional("again_ns", r.again_ns);
    v.Optional("against", r.against);
    v.Optional("pairs", r.pairs);
    v.Optional("across", r.across);
    v.Optional("bits_vary", r.bits_vary);
    v.Optional("memory_bytes", r.memory_bytes);
    v.Optional("workspace_bytes", r.workspace_bytes);
    v.Optional("registers", r.registers);
    v.Optional("blocks_per_sm", r.blocks_per_sm);
    v.Optional("clock_mhz", r.clock_mhz);
    v.Optional("estimate_ns", r.estimate_ns);
    v.Optional("estimate_blocks", r.estimate_blocks);
    v.Optional("lane", r.lane);
    v.Optional("seq", r.sequence);
    v.Optional("select", r.selection);
    v.Optional("bound_ns", r.bound_ns);
    v.Object("err", [&](auto& error) {
      error.Finite("max_abs", r.max_error);
      error.Finite("ratio", r.error_ratio);
    });
    v.Field("h", r.hash);
    v.Field("code", r.code);
    v.Field("vector", r.vector);
    v.Field("path", r.path);
  }
};

template <>
struct Fields<BestRecord> {
  static constexpr const char* kType = "best";
  static void Visit(auto& v, auto& r) {
    v.Field("n", r.n);
    v.Field("dt", r.dt);
    v.Field("ns", r.ns);
    v.Optional("quiet_ns", r.quiet_ns);
    v.Optional("measured_ns", r.measured_ns);
    v.Field("h", r.hash);
    v.Optional("seq", r.sequence);
    v.Optional("no_cut", r.no_cut);
  }
};

template <>
struct Fields<SelectRecord> {
  static constexpr const char* kType = "select";
  static void Visit(auto& v, auto& r) {
    v.Field("seq", r.sequence);
    v.Field("policy", r.policy);
    v.Field("path", r.path);
    v.Optional("closed", r.is_closed);
  }
};

template <>
struct Fields<ResultRecord> {
  static constexpr const char* kType = "result";
  static void Visit(auto& v, auto& r) {
    v.Field("seq", r.sequence);
    v.Field("select", r.selection);
    v.Field("what", r.what);
    v.Optional("ns", r.ns);
  }
};

template <>
struct Fields<ViolationRecord> {
  static constexpr const char* kType = "violation";
  static void Visit(auto& v, auto& r) {
    v.Field("n", r.n);
    v.Field("dt", r.dt);
    v.Field("ns", r.ns);
    v.Field("bound_ns", r.bound_ns);
    v.Optional("resource", r.resource);
  }
};

template <>
struct Fields<FailedCheckRecord> {
  static constexpr const char* kType = "check";
  static void Visit(auto& v, auto& r) {
    v.Field("dt", r.dt);
    v.Field("why", r.why);
    v.Field("vector", r.vector);
  }
};

template <>
struct Fields<DeadRecord> {
  static constexpr const char* kType = "dead";
  static void Visit(auto& v, auto& r) {
    v.Field("dt", r.dt);
    v.Field("label", r.label);
    v.Field("depth", r.depth);
    v.Field("step", r.step);
  }
};

template <>
struct Fields<ReferenceRecord> {
  static constexpr const char* kType = "reference";
  static void Visit(auto& v, auto& r) {
    const bool has_interval = r.median_ns > 0;
    v.Field("name", r.name);
    v.Field("verdict", r.verdict);
    v.Field("best_ns", r.best_ns);
    v.Field("runtimes_ns", r.runtimes_ns);
    v.Optional("results", r.results);
    v.Optional("why", r.why);
    v.When(has_interval, "lo_ns", r.lo_ns);
    v.When(has_interval, "median_ns", r.median_ns);
    v.When(has_interval, "hi_ns", r.hi_ns);
    v.Optional("clock_mhz", r.clock_mhz);
    v.Optional("workspace_bytes", r.workspace_bytes);
    v.Optional("lane", r.lane);
  }
};

template <>
struct Fields<RatesRecord> {
  static constexpr const char* kType = "rates";
  static void Visit(auto& v, auto& r) {
    v.Field("driver_copy_gbs", r.driver_copy_gbs);
    v.Field("kernel_copy_gbs", r.kernel_copy_gbs);
    v.Field("fma_gflops", r.fma_gflops);
    v.Field("clock_mhz", r.clock_mhz);
  }
};

template <>
struct Fields<ResumeRecord> {
  static constexpr const char* kType = "resume";
  static void Visit(auto& v, auto& r) {
    v.Field("dt", r.dt);
    v.Field("started", r.started);
    v.Field("tool", r.tool);
    v.Field("conditions", r.conditions);
    v.Optional("machine", r.machine);
    v.Field("argv", r.argv);
  }
};

template <>
struct Fields<RepairRecord> {
  static constexpr const char* kType = "repair";
  static void Visit(auto& v, auto& r) {
    v.Field("started", r.started);
    v.Field("tool", r.tool);
    v.Field("damaged", r.damaged);
    v.Field("mended", r.mended);
    v.Field("lost", r.lost);
  }
};

template <>
struct Fields<EndRecord> {
  static constexpr const char* kType = "end";
  static void Visit(auto& v, auto& r) {
    const bool has_tree = !r.tree.empty();
    v.Field("dt", r.dt);
    v.Field("why", r.why);
    v.Field("evaluations", r.evaluations);
    v.Field("descents", r.descents);
    v.Field("duplicates", r.duplicates);
    v.Field("best", r.best);
    v.Field("verdicts", r.verdicts);
    v.Field("dead_ends", r.dead_ends);
    v.When(!r.seconds.empty(), "seconds", r.seconds);
    v.When(has_tree, "tree", r.tree);
    v.When(has_tree, "bound_ns", r.bound_ns);
    v.When(has_tree, "pruned", r.pruned);
    v.When(has_tree, "violations", r.violations);
  }
};

/// Calls `use.template operator()<Record>()` for every record of the log.
void ForEachRecord(auto&& use) {
  const auto all = [&]<typename... Records>() { (use.template operator()<Records>(), ...); };
  all.template operator()<RunRecord, ChoiceRecord, EvalRecord, BestRecord, SelectRecord,
                          ResultRecord, ViolationRecord, FailedCheckRecord, DeadRecord,
                          ReferenceRecord, RatesRecord, ResumeRecord, RepairRecord, EndRecord>();
}

}  // namespace exh::search
