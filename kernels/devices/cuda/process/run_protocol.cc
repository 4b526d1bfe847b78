// SPDX-License-Identifier: MIT
#include "kernels/devices/cuda/process/run_protocol.h"

#include "kernels/cpu/protocol.h"
#include "kernels/devices/cuda/process/json_lines.h"
#include "kernels/devices/cuda/vendor/vendor_json.h"

namespace exh::kernels::cuda {
namespace {

using nlohmann::json;

json SidesJson(const std::vector<SideLaunch>& sides) {
  json list = json::array();
  for (const SideLaunch& side : sides) {
    list.push_back({{"kernel", side.kernel},
                    {"is_before", side.is_before},
                    {"grid", side.grid},
                    {"threads", side.threads},
                    {"shared_bytes", side.shared_bytes}});
  }
  return list;
}

std::vector<SideLaunch> SidesOf(const json& list) {
  std::vector<SideLaunch> sides;
  for (const json& object : list) {
    SideLaunch& side = sides.emplace_back();
    object.at("kernel").get_to(side.kernel);
    object.at("is_before").get_to(side.is_before);
    object.at("grid").get_to(side.grid);
    object.at("threads").get_to(side.threads);
    object.at("shared_bytes").get_to(side.shared_bytes);
  }
  return sides;
}

json MapsJson(const std::vector<TensorMap>& maps) {
  json list = json::array();
  for (const TensorMap& map : maps) {
    list.push_back({{"array", map.array},
                    {"element_bytes", map.element_bytes},
                    {"extents", map.extents},
                    {"strides", map.strides},
                    {"box", map.box},
                    {"swizzle_bytes", map.swizzle_bytes}});
  }
  return list;
}

std::vector<TensorMap> MapsOf(const json& list) {
  std::vector<TensorMap> maps;
  for (const json& object : list) {
    TensorMap& map = maps.emplace_back();
    object.at("array").get_to(map.array);
    object.at("element_bytes").get_to(map.element_bytes);
    object.at("extents").get_to(map.extents);
    object.at("strides").get_to(map.strides);
    object.at("box").get_to(map.box);
    object.at("swizzle_bytes").get_to(map.swizzle_bytes);
  }
  return maps;
}

}  // namespace

std::string ToJsonLine(const RunSetup& s) {
  return JsonLine({{"drivers", s.drivers},
                   {"problems", s.problems},
                   {"programs", s.programs},
                   {"ordinal", s.ordinal},
                   {"cold", s.cold}});
}

std::optional<RunSetup> ParseRunSetup(const std::string& line) {
  return ParseJsonLine<RunSetup>(line, [](const json& object, RunSetup& s) {
    object.at("drivers").get_to(s.drivers);
    object.at("problems").get_to(s.problems);
    object.at("programs").get_to(s.programs);
    object.at("ordinal").get_to(s.ordinal);
    object.at("cold").get_to(s.cold);
  });
}

std::string ToJsonLine(const RunReady& r) {
  return JsonLine({{"why", r.why}, {"gpu", r.gpu}, {"driver", r.driver}});
}

std::optional<RunReady> ParseRunReady(const std::string& line) {
  return ParseJsonLine<RunReady>(line, [](const json& object, RunReady& r) {
    object.at("why").get_to(r.why);
    object.at("gpu").get_to(r.gpu);
    object.at("driver").get_to(r.driver);
  });
}

std::string ToJsonLine(const RunRequest& r) {
  return JsonLine({{"cubin", r.cubin},
                   {"grid", r.launch.grid},
                   {"threads", r.launch.threads},
                   {"shared_bytes", r.launch.shared_bytes},
                   {"global_bytes", r.launch.global_bytes},
                   {"workspace_bytes", r.launch.workspace_bytes},
                   {"ticket_bytes", r.launch.ticket_bytes},
                   {"sides", SidesJson(r.launch.sides)},
                   {"overlaps", r.launch.overlaps},
                   {"in_any_order", r.launch.in_any_order},
                   {"cluster", r.launch.cluster},
                   {"maps", MapsJson(r.launch.maps)},
                   {"cap_ns", r.cap_ns},
                   {"patience_ns", r.patience_ns},
                   {"stop_ns", r.stop_ns},
                   {"worth_ns", r.worth_ns},
                   {"batch_ns", r.batch_ns},
                   {"batches", r.batches},
                   {"launches", r.launches},
                   {"full", r.full},
                   {"audit_ns", r.audit_ns},
                   {"vendor", r.vendor ? json(*r.vendor) : json()},
                   {"vendor_lt", r.vendor_lt},
                   {"give_up_ns", r.give_up_ns},
                   {"rates", r.rates},
                   {"problems", r.problems}});
}

std::optional<RunRequest> ParseRunRequest(const std::string& line) {
  return ParseJsonLine<RunRequest>(line, [](const json& object, RunRequest& r) {
    object.at("cubin").get_to(r.cubin);
    object.at("grid").get_to(r.launch.grid);
    object.at("threads").get_to(r.launch.threads);
    object.at("shared_bytes").get_to(r.launch.shared_bytes);
    object.at("global_bytes").get_to(r.launch.global_bytes);
    // Without these it is a program of one kernel.
    r.launch.workspace_bytes = object.value("workspace_bytes", r.launch.workspace_bytes);
    r.launch.ticket_bytes = object.value("ticket_bytes", r.launch.ticket_bytes);
    if (object.contains("sides")) r.launch.sides = SidesOf(object.at("sides"));
    r.launch.overlaps = object.value("overlaps", r.launch.overlaps);
    r.launch.in_any_order = object.value("in_any_order", r.launch.in_any_order);
    r.launch.cluster = object.value("cluster", r.launch.cluster);
    if (object.contains("maps")) r.launch.maps = MapsOf(object.at("maps"));
    object.at("cap_ns").get_to(r.cap_ns);
    object.at("patience_ns").get_to(r.patience_ns);
    object.at("stop_ns").get_to(r.stop_ns);
    object.at("worth_ns").get_to(r.worth_ns);
    object.at("batch_ns").get_to(r.batch_ns);
    object.at("batches").get_to(r.batches);
    r.launches = object.value("launches", r.launches);
    object.at("full").get_to(r.full);
    object.at("audit_ns").get_to(r.audit_ns);
    if (const json& vendor = object.at("vendor"); !vendor.is_null()) {
      r.vendor = vendor.get<VendorCall>();
    }
    object.at("vendor_lt").get_to(r.vendor_lt);
    object.at("give_up_ns").get_to(r.give_up_ns);
    object.at("rates").get_to(r.rates);
    r.problems = object.value("problems", r.problems);
  });
}

std::string ToJsonLine(const RunAnswer& a) {
  std::string line = cpu::ToJsonLine(a.measurement);
  json object = json::parse(line);
  object["ends"] = a.ends;
  object["driver_copy_gbs"] = a.rates.driver_copy_gbs;
  object["kernel_copy_gbs"] = a.rates.kernel_copy_gbs;
  object["fma_gflops"] = a.rates.fma_gflops;
  object["clock_mhz"] = a.rates.clock_mhz;
  return JsonLine(object);
}

std::optional<RunAnswer> ParseRunAnswer(const std::string& line) {
  const auto measurement = cpu::ParseMeasurement(line);
  if (!measurement) return std::nullopt;
  return ParseJsonLine<RunAnswer>(line, [&](const json& object, RunAnswer& a) {
    a.measurement = *measurement;
    object.at("ends").get_to(a.ends);
    object.at("driver_copy_gbs").get_to(a.rates.driver_copy_gbs);
    object.at("kernel_copy_gbs").get_to(a.rates.kernel_copy_gbs);
    object.at("fma_gflops").get_to(a.rates.fma_gflops);
    object.at("clock_mhz").get_to(a.rates.clock_mhz);
  });
}

}  // namespace exh::kernels::cuda
