// SPDX-License-Identifier: MIT
#include "kernels/cuda/compile_protocol.h"

#include <nlohmann/json.hpp>

#include "kernels/cuda/resources_json.h"

namespace exh::kernels::cuda {
namespace {

using nlohmann::json;

std::string Line(const json& object) {
  return object.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
}

/// Nothing when the text is no JSON or lacks a field.
template <typename T, typename Read>
std::optional<T> Parse(const std::string& line, Read read) {
  try {
    T value;
    json object = json::parse(line);
    read(object, value);
    return value;
  } catch (const json::exception&) {
    return std::nullopt;
  }
}

}  // namespace

std::string ToJsonLine(const CompileReady& r) {
  return Line({{"compiler", r.compiler}, {"why", r.why}});
}

std::optional<CompileReady> ParseCompileReady(const std::string& line) {
  return Parse<CompileReady>(line, [](const json& object, CompileReady& r) {
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
  object["file"] = r.file;
  return Line(object);
}

std::optional<CompileRequest> ParseCompileRequest(const std::string& line) {
  return Parse<CompileRequest>(line, [](json& object, CompileRequest& r) {
    object.at("id").get_to(r.id);
    r.source = std::move(object.at("source").get_ref<std::string&>());
    object.at("architecture").get_to(r.architecture);
    object.at("options").get_to(r.options);
    object.at("file").get_to(r.file);
  });
}

std::string ToJsonLine(const CompileAnswer& a) {
  return Line({{"id", a.id},
               {"ok", a.ok},
               {"log", a.log},
               {"why", a.why},
               {"resources", a.resources},
               {"compile_ms", a.compile_ms}});
}

std::optional<CompileAnswer> ParseCompileAnswer(const std::string& line) {
  return Parse<CompileAnswer>(line, [](const json& object, CompileAnswer& a) {
    object.at("id").get_to(a.id);
    object.at("ok").get_to(a.ok);
    object.at("log").get_to(a.log);
    object.at("why").get_to(a.why);
    object.at("resources").get_to(a.resources);
    object.at("compile_ms").get_to(a.compile_ms);
  });
}

}  // namespace exh::kernels::cuda
