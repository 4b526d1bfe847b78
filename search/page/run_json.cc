// SPDX-License-Identifier: MIT
#include "search/page/run_json.h"

#include <algorithm>
#include <future>
#include <string>
#include <utility>
#include <vector>

#include "kernels/evaluation.h"
#include "search/log/log_text.h"
#include "search/log/times/best_time.h"
#include "search/page/again/requirements.h"
#include "search/page/again/roofline.h"
#include "search/page/again/tree.h"
#include "search/page/again/winner.h"
#include "search/page/decisions/decision_columns.h"
#include "search/page/prefix_tree.h"
#include "search/page/worths.h"

namespace exh::search {
namespace {

constexpr std::size_t kMostProblems = 50;
/// What is looked at again: each takes some tenths of a millisecond up to some milliseconds.
constexpr std::size_t kMostTreeNodes = 2000;
/// Of a run that has more evaluations, so many stand for all.
constexpr std::size_t kWholeRoofline = 3000, kSomeOfRoofline = 600;

void WriteBests(const Log& log, ScriptJson& json) {
  json.Key("bests").Open('[');
  for (const BestRecord& best : log.bests) {
    json.Open('[');
    json.Integer(static_cast<std::int64_t>(best.n));
    json.Number(best.dt);
    json.Number(best.ns);
    json.Close();
  }
  json.Close();
}

void WriteReferences(const Log& log, ScriptJson& json) {
  json.Key("references").Open('[');
  for (const ReferenceRecord& reference : log.references) {
    json.Open('{');
    json.Key("name").Text(reference.name);
    json.Key("verdict").Text(kernels::VerdictName(reference.verdict));
    json.Key("why").Text(reference.why);
    const TimeInterval time = IntervalOf(reference);
    json.Key("ns").Number(time.ns);
    json.Key("lo").Number(time.lo_ns);
    json.Key("hi").Number(time.hi_ns);
    json.Key("workspace").Integer(static_cast<std::int64_t>(reference.workspace_bytes));
    json.Close();
  }
  json.Close();
  json.Key("rates");
  if (log.rates) {
    json.Open('{');
    json.Key("copy").Number(std::max(log.rates->driver_copy_gbs, log.rates->kernel_copy_gbs));
    json.Key("fma").Number(log.rates->fma_gflops);
    json.Key("clock").Number(log.rates->clock_mhz);
    json.Close();
  } else {
    json.Null();
  }
}

void WriteViolations(const Log& log, ScriptJson& json) {
  json.Key("violations").Open('[');
  for (const ViolationRecord& violation : log.violations) {
    json.Open('{');
    json.Key("n").Integer(static_cast<std::int64_t>(violation.n));
    json.Key("ns").Number(violation.ns);
    json.Key("bound").Number(violation.bound_ns);
    json.Key("resource").Text(violation.resource);
    json.Close();
  }
  json.Close();
}

void WriteEnd(const Log& log, ScriptJson& json) {
  json.Key("seconds").Number(log.last_dt);
  json.Key("end");
  if (!log.end) {
    json.Null();
    return;
  }
  const EndRecord& end = *log.end;
  json.Open('{');
  json.Key("why").Text(end.why);
  json.Key("dt").Number(end.dt);
  json.Key("evaluations").Integer(static_cast<std::int64_t>(end.evaluations));
  json.Key("descents").Integer(static_cast<std::int64_t>(end.descents));
  json.Key("duplicates").Integer(static_cast<std::int64_t>(end.duplicates));
  json.Key("deadEnds").Pairs(end.dead_ends);
  json.Key("activities").Pairs(end.seconds);
  json.Key("tree").Text(end.tree);
  json.Key("bound").Number(end.bound_ns);
  json.Key("pruned").Integer(static_cast<std::int64_t>(end.pruned));
  json.Key("violations").Integer(static_cast<std::int64_t>(end.violations));
  json.Close();
}

}  // namespace

void WriteHeader(const RunRecord& run, ScriptJson& json) {
  json.Key("run").Open('{');
  json.Key("tool").Text(run.tool);
  json.Key("started").Text(run.started);
  json.Key("space").Text(run.space);
  json.Key("fingerprint").Text(run.fingerprint);
  json.Key("spaceDecisions").Text(run.decisions);
  if (run.space_s > 0) json.Key("spaceSeconds").Number(run.space_s);
  json.Key("kernel").Text(run.kernel);
  json.Key("subject").Text(run.subject);
  json.Key("text").Text(run.text);
  json.Key("sizes").Text(SizesText(run));
  json.Key("flops").Number(run.flops);
  if (!run.checked.empty()) json.Key("checked").Text(run.checked);
  json.Key("device").Text(run.device);
  json.Key("limits").Pairs(run.limits);
  json.Key("conditions").Text(run.conditions);
  json.Key("machine").Pairs(run.machine);
  json.Key("seed").Text(std::to_string(run.seed));  // 64 bits, which a number of a page has not.
  json.Key("argv").Texts(run.argv);
  json.Key("order").Texts(run.order);
  json.Key("objective").Text(run.objective);
  json.Key("policy").Text(run.policy);
  json.Key("bound").Text(run.bound.empty() ? run.check : run.bound);
  json.Close();
}

void WriteDamage(const Log& log, ScriptJson& json) {
  std::vector<std::string> problems = log.problems;
  json.Key("numProblems").Integer(static_cast<std::int64_t>(problems.size()));
  if (problems.size() > kMostProblems) problems.resize(kMostProblems);
  json.Key("problems").Texts(problems);
  json.Key("cutOff").Bool(log.cut_off);
  json.Key("resumes").Open('[');
  for (const ResumeRecord& resume : log.resumes) {
    json.Open('{');
    json.Key("dt").Number(resume.dt);
    json.Key("started").Text(resume.started);
    json.Key("tool").Text(resume.tool);
    json.Key("conditions").Text(resume.conditions);
    json.Key("argv").Texts(resume.argv);
    json.Close();
  }
  json.Close();
  json.Key("repairs").Open('[');
  for (const RepairRecord& repair : log.repairs) json.Text(RepairText(repair));
  json.Close();
}

void WriteEvents(const Log& log, const DeadEndsByLabel& dead_ends, ScriptJson& json) {
  WriteBests(log, json);
  dead_ends.Write(log, json);
  WriteReferences(log, json);
  WriteViolations(log, json);
  WriteEnd(log, json);
}

std::string AgainMembers(const Log& log, const std::set<std::string>& dead_ends,
                         const Rebuilt& rebuilt, std::size_t most_in_roofline) {
  ScriptJson members;
  members.Open('{');
  WriteWinner(log, rebuilt, members);
  WriteRequirements(dead_ends, log, rebuilt, members);
  WriteRoofline(log, rebuilt, most_in_roofline, members);
  members.Close();
  return members.Take();
}

void WriteRun(const std::string& name, const Log& log, const ColumnLimits& limits,
              ScriptJson& json) {
  json.Open('{');
  json.Key("name").Text(name);
  const DeadEndsByLabel dead_ends(log);
  // What is made again, and the tree, beside what the log says.
  std::future<std::pair<std::string, std::string>> again = std::async(std::launch::async, [&] {
    const Rebuilt rebuilt(log, name);
    std::string members =
        AgainMembers(log, dead_ends.labels(), rebuilt,
                     log.evals.size() <= kWholeRoofline ? kWholeRoofline : kSomeOfRoofline);
    ScriptJson tree;
    tree.Open('{');
    PrefixTree prefixes(log);
    WriteTreeAgain(log, rebuilt, kMostTreeNodes, prefixes, tree);
    WritePrefixTree(log, prefixes, limits.tree_nodes, tree);
    tree.Close();
    return std::pair(std::move(members), tree.Take());
  });
  WriteHeader(*log.run, json);
  WriteDamage(log, json);
  const std::size_t begin = json.size();
  EvalColumns(log, limits).Write(json);
  const std::size_t used = json.size() - begin;
  WriteDecisions(log, limits.all > used ? limits.all - used : 0, json);
  WriteEvents(log, dead_ends, json);
  WriteWorths(name, log, json);
  const auto [members, tree] = again.get();
  json.Members(members);
  json.Members(tree);
  json.Close();
}

}  // namespace exh::search
