// SPDX-License-Identifier: MIT
#include "search/install/wisdom.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>
#include <string_view>

#include "base/error.h"
#include "base/numbers.h"
#include "base/user_json.h"
#include "kernels/devices/backend.h"
#include "search/log/log_text.h"
#include "search/measure/finals.h"

namespace exh::search {
namespace {

using kernels::package::Unit;
using kernels::package::UnitArray;
using kernels::package::UnitScalar;
using kernels::package::UnitSize;
using Json = nlohmann::ordered_json;

Json ToJson(const Wisdom& wisdom) {
  const Unit& unit = wisdom.unit;
  Json sizes = Json::array(), arrays = Json::array(), scalars = Json::array();
  for (const UnitSize& size : unit.sizes) {
    sizes.push_back({{"name", size.name},
                     {"value", size.value},
                     {"default", size.default_value},
                     {"option", size.is_option}});
    if (!size.words.empty()) sizes.back()["words"] = size.words;
  }
  for (const UnitArray& array : unit.arrays) {
    Json one = {{"name", array.name},
                {"type", array.type},
                {"output", array.is_output},
                {"elements", array.elements},
                {"alignment", array.alignment}};
    if (array.has_shape) {
      one["extents"] = array.extents;
      one["strides"] = array.strides;
    }
    arrays.push_back(std::move(one));
  }
  for (const UnitScalar& scalar : unit.scalars) {
    scalars.push_back({{"name", scalar.name},
                       {"type", scalar.type},
                       {"value", scalar.value.is_whole() ? Json(scalar.value.whole())
                                                         : Json(double{scalar.value})}});
  }
  Json compared = Json::object();
  Json tied = Json::array();
  for (const Rival& rival : wisdom.compared) {
    compared[rival.name] = rival.ns;
    if (rival.is_tied) tied.push_back(rival.name);
  }
  return {{"v", kWisdomVersion},
          {"kernel", unit.kernel},
          {"summary", unit.summary},
          {"meaning", unit.meaning},
          {"sizes", sizes},
          {"language", unit.language},
          {"device", unit.device},
          {"architecture", unit.architecture},
          {"ns", wisdom.ns},
          {"compared", compared},
          {"tied", tied},
          {"run",
           {{"tool", wisdom.tool},
            {"started", wisdom.started},
            {"conditions", wisdom.conditions},
            {"machine", wisdom.machine},
            {"seed", wisdom.seed},
            {"record", wisdom.record}}},
          {"arrays", arrays},
          {"scalars", scalars},
          {"workspace_bytes", unit.workspace_bytes},
          {"zero_bytes", unit.zero_bytes},
          {"one_at_a_time", unit.one_at_a_time},
          {"threads", unit.threads},
          {"flags", unit.flags},
          {"symbol", unit.symbol},
          {"decisions", wisdom.decisions},
          {"text", unit.text}};
}

/// A name that functions and files are called after. Throws Error.
std::string IdentifierIn(const Json& json, const char* key) {
  const std::string name = json.at(key).get<std::string>();
  const auto is_part = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
  if (name.empty() || std::isdigit(static_cast<unsigned char>(name.front())) != 0 ||
      !std::ranges::all_of(name, is_part)) {
    throw Error(fmt::format("its {} is '{}', which is no identifier", key, name));
  }
  return name;
}

Wisdom FromJson(const Json& json) {
  Wisdom wisdom;
  Unit& unit = wisdom.unit;
  unit.kernel = IdentifierIn(json, "kernel");
  json.at("summary").get_to(unit.summary);
  json.at("meaning").get_to(unit.meaning);
  for (const Json& one : json.at("sizes")) {
    unit.sizes.push_back({one.at("name"), one.at("value"), one.at("default"), one.at("option"),
                          one.value("words", std::vector<std::string>())});
  }
  json.at("language").get_to(unit.language);
  json.at("device").get_to(unit.device);
  json.at("architecture").get_to(unit.architecture);
  json.at("ns").get_to(wisdom.ns);
  for (const auto& [name, ns] : json.at("compared").items()) {
    wisdom.compared.push_back({name, ns.get<double>()});
  }
  // Libraries of earlier versions say nothing of ties.
  for (const std::string& name : json.value("tied", std::vector<std::string>())) {
    for (Rival& rival : wisdom.compared) rival.is_tied |= rival.name == name;
  }
  const Json& run = json.at("run");
  run.at("tool").get_to(wisdom.tool);
  run.at("started").get_to(wisdom.started);
  run.at("conditions").get_to(wisdom.conditions);
  if (run.contains("machine")) {
    for (const auto& [what, version] : run.at("machine").items()) {
      wisdom.machine[what] = version.get<std::string>();
    }
  }
  run.at("seed").get_to(wisdom.seed);
  run.at("record").get_to(wisdom.record);
  for (const Json& one : json.at("arrays")) {
    UnitArray array;
    one.at("name").get_to(array.name);
    one.at("type").get_to(array.type);
    one.at("output").get_to(array.is_output);
    one.at("elements").get_to(array.elements);
    one.at("alignment").get_to(array.alignment);
    array.has_shape = one.contains("extents");
    if (array.has_shape) {
      one.at("extents").get_to(array.extents);
      one.at("strides").get_to(array.strides);
    }
    if (!kernels::ir::TypeOfWord(array.type)) throw Error("there is no type '" + array.type + "'");
    unit.arrays.push_back(std::move(array));
  }
  for (const Json& one : json.at("scalars")) {
    const Json& value = one.at("value");
    unit.scalars.push_back({one.at("name"), one.at("type"),
                            value.is_number_integer()
                                ? kernels::ir::Number(value.get<std::int64_t>())
                                : kernels::ir::Number(value.get<double>())});
    if (!kernels::ir::TypeOfWord(unit.scalars.back().type)) {
      throw Error("there is no type '" + unit.scalars.back().type + "'");
    }
  }
  json.at("workspace_bytes").get_to(unit.workspace_bytes);
  json.at("zero_bytes").get_to(unit.zero_bytes);
  json.at("one_at_a_time").get_to(unit.one_at_a_time);
  json.at("threads").get_to(unit.threads);
  json.at("flags").get_to(unit.flags);
  unit.symbol = IdentifierIn(json, "symbol");
  json.at("decisions").get_to(wisdom.decisions);
  json.at("text").get_to(unit.text);
  return wisdom;
}

/// Times of other machines say little of each other: in what they differ, as far as both say it.
std::string OtherMachine(const Wisdom& known, const Wisdom& found) {
  if (known.machine.empty() || found.machine.empty()) return "";
  const std::string differences = MachineDifferences(known.machine, found.machine);
  return differences.empty()
             ? ""
             : "; measured on another machine:\n" + differences.substr(0, differences.size() - 1);
}

std::vector<std::string> NamesOf(const Unit& unit) {
  std::vector<std::string> names;
  for (const UnitSize& size : unit.sizes) names.push_back("size " + size.name);
  for (const UnitArray& array : unit.arrays) {
    names.push_back((array.is_output ? "output " : "input ") + array.name);
  }
  for (const UnitScalar& scalar : unit.scalars) names.push_back("scalar " + scalar.name);
  return names;
}

/// Unit::meaning of libraries of older programs goes on behind the hash that it is now.
std::string_view MeaningOf(const Unit& unit) {
  constexpr std::size_t kDigits = 16;
  return std::string_view(unit.meaning).substr(0, kDigits);
}

/// Throws UsageError when both cannot stand in one library.
void CheckTogether(const Unit& found, const Unit& other) {
  if (kernels::FindBackend(found.language) != kernels::FindBackend(other.language)) {
    throw UsageError(fmt::format(
        "{} is for another kind of device than {}: a library is for processors or for GPUs; give "
        "another --out",
        PlaceText(found), PlaceText(other)));
  }
  if (found.kernel != other.kernel) return;
  if (MeaningOf(found) != MeaningOf(other) || NamesOf(found) != NamesOf(other)) {
    throw UsageError(
        fmt::format("two kernels are called '{}', and they are not the same: give this one another "
                    "name, for example --name {}2, or another --out",
                    found.kernel, found.kernel));
  }
}

}  // namespace

std::string PlaceText(const Unit& unit) {
  std::string sizes;
  for (const UnitSize& size : unit.sizes) {
    if (size.is_option && size.value == size.default_value) continue;
    const auto word = static_cast<std::size_t>(size.value);
    sizes += fmt::format("{}{}={}", sizes.empty() ? " " : ",", size.name,
                         word < size.words.size() ? size.words[word] : fmt::to_string(size.value));
  }
  const bool says_both = unit.device.find(unit.architecture) == std::string::npos;
  return fmt::format("{}{} on {}{}", unit.kernel, sizes, unit.device,
                     says_both ? " (" + unit.architecture + ")" : "");
}

const Rival* FastestOf(const std::vector<Rival>& rivals) {
  const auto fastest = std::ranges::min_element(rivals, {}, &Rival::ns);
  return fastest == rivals.end() ? nullptr : &*fastest;
}

Wisdom WisdomOf(const LoggedProgram& program, const std::string& name) {
  const RunRecord& run = *program.log.run;
  const kernels::Backend& backend = kernels::BackendOf(program.problem.device);
  if (backend.library_kind() == nullptr) {
    throw UsageError(fmt::format("'{}' is a run on {}, for which there are no libraries",
                                 program.run, run.device));
  }
  Wisdom wisdom;
  wisdom.unit = backend.Package(program.problem.task, program.source, run.conditions, name);
  wisdom.ns = program.time_ns();
  const auto& finals = program.finals;
  for (const ReferenceRecord& record : finals.records) {
    const bool is_ours = record.name == "winner" || record.name.starts_with("record ");
    const double ns = record.median_ns > 0 ? record.median_ns : record.best_ns;
    if (is_ours || ns <= 0) continue;
    const ReferenceRecord& ours = finals.records[static_cast<std::size_t>(finals.winner)];
    const bool has_intervals = record.median_ns > 0 && ours.median_ns > 0;
    wisdom.compared.push_back({record.name, ns, has_intervals && Tied(ours, record)});
  }
  wisdom.tool = run.tool;
  wisdom.started = run.started;
  wisdom.conditions = run.conditions;
  wisdom.machine = run.machine;
  wisdom.seed = run.seed;
  wisdom.record = program.eval.n;
  wisdom.decisions = program.decisions;
  return wisdom;
}

std::string WriteWisdom(const std::vector<Wisdom>& all) {
  std::string text;
  for (const Wisdom& wisdom : all) text += ToJson(wisdom).dump() + "\n";
  return text;
}

std::vector<Wisdom> ReadWisdom(std::string_view text, const std::string& path) {
  std::vector<Wisdom> all;
  for (int line = 1; !text.empty(); ++line) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view one = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    try {
      const Json json = ParseUserJson<Json>(one);
      const int version = json.at("v").get<int>();
      if (version != kWisdomVersion) {
        throw Error(fmt::format("it is of version {}, and this program reads version {}", version,
                                kWisdomVersion));
      }
      const Wisdom wisdom = FromJson(json);
      // Those of one kernel all agree with the first one.
      const auto first = std::ranges::find_if(
          all, [&](const Wisdom& other) { return other.unit.kernel == wisdom.unit.kernel; });
      if (!all.empty()) CheckTogether(wisdom.unit, all.front().unit);
      if (first != all.end()) CheckTogether(wisdom.unit, first->unit);
      for (const Wisdom& other : all) {
        if (other.unit.symbol == wisdom.unit.symbol || IsSamePlace(other, wisdom)) {
          throw Error("it is there twice: " + PlaceText(wisdom.unit));
        }
      }
      all.push_back(wisdom);
    } catch (const std::exception& error) {
      throw UsageError(
          fmt::format("{}:{}: {}; nothing was changed: take that line out, or give another --out",
                      path, line, error.what()));
    }
  }
  return all;
}

bool IsSamePlace(const Wisdom& a, const Wisdom& b) {
  const auto is_same_size = [](const UnitSize& x, const UnitSize& y) {
    return x.name == y.name && x.value == y.value;
  };
  return a.unit.kernel == b.unit.kernel && a.unit.device == b.unit.device &&
         a.unit.architecture == b.unit.architecture &&
         std::ranges::equal(a.unit.sizes, b.unit.sizes, is_same_size);
}

std::string Merge(const Wisdom& found, std::vector<Wisdom>& all) {
  for (const Wisdom& other : all) CheckTogether(found.unit, other.unit);
  const std::string place = PlaceText(found.unit);
  const auto known =
      std::ranges::find_if(all, [&](const Wisdom& other) { return IsSamePlace(found, other); });
  if (known == all.end()) {
    all.push_back(found);
    return fmt::format("{}: {}", place, FormatTime(found.ns));
  }
  if (known->ns <= found.ns) {
    return fmt::format("{}: {} stays, which is not slower than {}{}", place, FormatTime(known->ns),
                       FormatTime(found.ns), OtherMachine(*known, found));
  }
  const std::string text = fmt::format("{}: {} instead of {}{}", place, FormatTime(found.ns),
                                       FormatTime(known->ns), OtherMachine(*known, found));
  *known = found;
  return text;
}

}  // namespace exh::search
