// SPDX-License-Identifier: MIT
#include "models/device_rates.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>
#include <vector>

#include "base/hash.h"
#include "base/system/user_file.h"
#include "base/user_json.h"

namespace exh::models {
namespace {

using nlohmann::json;

constexpr int kVersion = 1;

struct Field {
  const char* name;
  const char* unit;
  double DeviceRates::*member;
  double least;
  bool may_miss = false;  ///< What is not there bounds nothing.
};

const std::vector<Field>& Fields() {
  using R = DeviceRates;
  static const std::vector<Field> fields = {
      // What runs blocks of a processor is what the device was given.
      {"units", "1", &R::units, 1, true},
      {"clock", "GHz", &R::clock_ghz, 0.001},
      {"warp_lanes", "1", &R::warp_lanes, 1},
      {"fma", "1/clk/unit", &R::fma_per_clk, 1},
      {"half_unit", "1/clk/unit", &R::half_unit_per_clk, 0, true},
      {"double_unit", "1/clk/unit", &R::double_unit_per_clk, 0, true},
      {"adds_share_fma", "1", &R::adds_share_fma, 0},
      {"issues", "1/clk/unit", &R::issues_per_clk, 0},
      {"warp_issues", "1/clk/warp", &R::warp_issues_per_clk, 0},
      {"bytes_per_access", "B", &R::bytes_per_access, 0},
      {"fma_latency", "clk", &R::fma_latency_clk, 0},
      {"unit_bytes", "B/clk/unit", &R::unit_bytes_per_clk, 0},
      {"units_bytes", "B/clk", &R::units_bytes_per_clk, 0, true},
      {"cache_bytes", "B/clk", &R::cache_bytes_per_clk, 0},
      {"accesses", "1/clk/unit", &R::accesses_per_clk, 0},
      {"access_bytes", "B", &R::access_bytes, 4},
      {"access_line", "B", &R::access_line_bytes, 0},
      {"conversions", "1/clk/unit", &R::conversions_per_clk, 0, true},
      {"specials", "1/clk/unit", &R::specials_per_clk, 0, true},
      {"read_latency", "clk", &R::read_latency_clk, 0},
      {"shared_latency", "clk", &R::shared_latency_clk, 0},
      {"unit_warps", "1/unit", &R::unit_warps, 0},
      {"unit_blocks", "1/unit", &R::unit_blocks, 0},
      {"unit_registers", "1/unit", &R::unit_registers, 0},
      {"unit_shared", "B/unit", &R::unit_shared_bytes, 0},
      {"launch_gap", "ns", &R::launch_gap_ns, 0, true},
      {"launch_gap_read", "ns", &R::launch_gap_read_ns, 0, true},
      {"memory", "GB/s", &R::memory_gbs, 0},
      {"memory_third", "GB/s", &R::memory_third_gbs, 0, true},
      {"memory_cache", "B", &R::memory_cache_bytes, 0},
      {"memory_sector", "B", &R::memory_sector_bytes, 4},
  };
  return fields;
}

/// Empty, or what is wrong with the value.
std::string Read(const json& values, const Field& field, DeviceRates& rates) {
  const auto it = values.find(field.name);
  if (it == values.end() && field.may_miss) return "";
  if (it == values.end()) return fmt::format("'{}' is missing", field.name);
  if (!it->is_object() || !it->contains("source") || !(*it)["source"].is_string()) {
    return fmt::format("'{}' does not say its source", field.name);
  }
  const json number = it->value("value", json());
  if (!number.is_number() || number.get<double>() < field.least) {
    return fmt::format("'{}' must be a number of at least {}", field.name, field.least);
  }
  if (it->value("unit", json()) != field.unit) {
    return fmt::format("'{}' must be in '{}'", field.name, field.unit);
  }
  rates.*field.member = number.get<double>();
  return "";
}

constexpr const char* kSweeps = "sweeps";

/// Of four numbers the last is the rate of a mix; three are those of processors.
std::optional<DeviceRates::Sweep> SweepFrom(const json& one) {
  const bool is_numbers = one.is_array() && (one.size() == 3 || one.size() == 4) &&
                          std::ranges::all_of(one, [](const json& x) { return x.is_number(); });
  if (!is_numbers) return std::nullopt;
  DeviceRates::Sweep sweep{one[0].get<double>(), one[1].get<double>(), one[2].get<double>()};
  if (one.size() == 4) sweep.third_gbs = one[3].get<double>();
  const bool has_rates =
      sweep.gbs > 0 && sweep.read_gbs > 0 && (one.size() == 3 || sweep.third_gbs > 0);
  return has_rates ? std::optional(sweep) : std::nullopt;
}

/// Is more gone through, and no faster?
bool MayFollow(const DeviceRates::Sweep& next, const DeviceRates::Sweep& before) {
  return next.bytes > before.bytes && next.gbs <= before.gbs && next.read_gbs <= before.read_gbs &&
         next.third_gbs <= before.third_gbs;
}

/// Empty, or what is wrong with them.
std::string ReadSweeps(const json& values, DeviceRates& rates) {
  const json all = values.value(kSweeps, json());
  if (all.is_null()) return "";
  const std::string wrong = fmt::format(
      "'{}' must be a 'value' of bytes, GB/s, GB/s of reads and perhaps GB/s where a third is "
      "written, more bytes no faster, a 'unit' \"B, GB/s, GB/s\" and a 'source'",
      kSweeps);
  if (!all.is_object() || all.value("unit", json()) != "B, GB/s, GB/s" ||
      !all.value("source", json()).is_string() || !all.value("value", json()).is_array()) {
    return wrong;
  }
  for (const json& one : all["value"]) {
    const std::optional<DeviceRates::Sweep> sweep = SweepFrom(one);
    if (!sweep) return wrong;
    if (!rates.sweeps.empty() && !MayFollow(*sweep, rates.sweeps.back())) return wrong;
    rates.sweeps.push_back(*sweep);
  }
  return "";
}

}  // namespace

const DeviceRates::Sweep* SweepOf(const DeviceRates& rates, double bytes) {
  const DeviceRates::Sweep* largest = nullptr;
  for (const DeviceRates::Sweep& sweep : rates.sweeps) {
    if (sweep.bytes <= bytes) largest = &sweep;
  }
  return largest;
}

bool IsThirdWritten(double read, double written) {
  constexpr double kNear = 0.005;
  return read + written > 0 && std::abs(written / (read + written) - 1.0 / 3) < kNear;
}

double MemoryGbs(const DeviceRates& rates, double read, double written) {
  const bool is_known = rates.memory_third_gbs > 0 && IsThirdWritten(read, written);
  return is_known ? rates.memory_third_gbs : rates.memory_gbs;
}

RatesResult LoadRates(const std::string& file, const kernels::ir::Device& device) {
  const auto error = [&](const std::string& why) {
    return RatesResult{std::nullopt, file + ": " + why};
  };
  std::string why_not;
  const auto text = ReadFile(file, &why_not);
  if (!text) return error(why_not + ": nothing is known of the device's speed");
  const json object = TryUserJson(*text);
  if (!object.is_object()) return error("expected a JSON object");
  if (object.value("version", json()) != kVersion) {
    return error(fmt::format("'version' must be {}", kVersion));
  }
  if (object.value("name", json()) != device.name) {
    return error(fmt::format("'name' must be '{}'", device.name));
  }
  if (object.value("model", std::string()) != device.model) {
    return error(fmt::format("'model' must be '{}'", device.model));
  }
  const json values = object.value("values", json());
  if (!values.is_object()) return error("'values' must be an object");
  // Files of older programs have a "digest" in its place, of another kind: they stay valid.
  if (object.contains("xxh3") && object["xxh3"] != CacheKey(values.dump())) {
    return error("it is damaged: 'values' do not have the hash that stands beside them");
  }
  DeviceRates rates;
  rates.name = device.name;
  rates.model = device.model;
  rates.units = device.threads;
  for (const Field& field : Fields()) {
    const std::string why = Read(values, field, rates);
    if (!why.empty()) return error(why);
  }
  if (const std::string why = ReadSweeps(values, rates); !why.empty()) return error(why);
  for (const auto& [name, value] : values.items()) {
    bool known = name == kSweeps;
    for (const Field& field : Fields()) known = known || name == field.name;
    if (!known) return error(fmt::format("a device has no rate '{}'", name));
  }
  return {std::move(rates), ""};
}

}  // namespace exh::models
