// SPDX-License-Identifier: MIT
#include "kernels/devices/cuda/process/compile_protocol.h"

#include "kernels/devices/cuda/process/json_lines.h"
#include "kernels/devices/cuda/process/resources_json.h"

namespace exh::kernels::cuda {
namespace {

using nlohmann::json;

}  // namespace

std::string ToJsonLine(const CompileReady& r) {
  return JsonLine({{"compiler", r.compiler}, {"why", r.why}});
}

std::optional<CompileReady> ParseCompileReady(const std::string& line) {
  return ParseJsonLine<CompileReady>(line, [](const json& object, CompileReady& r) {
    object.at("compiler").get_to(r.compiler);
    object.at("why").get_to(r.why);
  });
}

std::string ToJsonLine(const CompileRequest& r) {
  json object;  // Not as a list of fields: that would copy the source once more.
  object["id"] = r.id;
  object["source"] = r.source;
  object["architecture"] = r.architecture;
  object["options"] = r.options;
  object["quick"] = r.optimization == Optimization::kQuick;
  object["file"] = r.file;
  return JsonLine(object);
}

std::optional<CompileRequest> ParseCompileRequest(const std::string& line) {
  return ParseJsonLine<CompileRequest>(line, [](json& object, CompileRequest& r) {
    object.at("id").get_to(r.id);
    r.source = std::move(object.at("source").get_ref<std::string&>());
    object.at("architecture").get_to(r.architecture);
    object.at("options").get_to(r.options);
    r.optimization = object.at("quick").get<bool>() ? Optimization::kQuick : Optimization::kFull;
    object.at("file").get_to(r.file);
  });
}

std::string ToJsonLine(const CompileAnswer& a) {
  return JsonLine({{"id", a.id},
                   {"ok", a.ok},
                   {"log", a.log},
                   {"why", a.why},
                   {"resources", a.resources},
                   {"compile_ms", a.compile_ms}});
}

std::optional<CompileAnswer> ParseCompileAnswer(const std::string& line) {
  return ParseJsonLine<CompileAnswer>(line, [](const json& object, CompileAnswer& a) {
    object.at("id").get_to(a.id);
    object.at("ok").get_to(a.ok);
    object.at("log").get_to(a.log);
    object.at("why").get_to(a.why);
    object.at("resources").get_to(a.resources);
    object.at("compile_ms").get_to(a.compile_ms);
  });
}

}  // namespace exh::kernels::cuda
