// SPDX-License-Identifier: MIT
#include "search/own/own_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/user_json.h"

namespace exh::search {
namespace {

using Json = nlohmann::ordered_json;

struct TextField {
  const char* name;
  std::string OwnProgram::*value;
};
constexpr TextField kTexts[] = {{"run", &OwnProgram::run},
                                {"serve", &OwnProgram::serve},
                                {"build", &OwnProgram::build},
                                {"filter", &OwnProgram::filter}};

struct KernelField {
  const char* name;
  std::string OwnKernelText::*value;
};
constexpr KernelField kKernelTexts[] = {{"path", &OwnKernelText::path},
                                        {"text", &OwnKernelText::text},
                                        {"entry", &OwnKernelText::entry},
                                        {"launch", &OwnKernelText::launch},
                                        {"launch_path", &OwnKernelText::launch_path},
                                        {"type", &OwnKernelText::type}};

}  // namespace

std::string WriteOwnText(const OwnText& own) {
  Json files = Json::array();
  for (const OwnFile& file : own.files) files.push_back({{"path", file.path}, {"text", file.text}});
  Json program = Json::object();
  for (const TextField& field : kTexts) {
    if (!(own.program.*field.value).empty()) program[field.name] = own.program.*field.value;
  }
  program["timeout_s"] = own.program.timeout_s;
  if (own.program.trust_times) program["trust_times"] = true;
  if (own.program.at_once > 1) program["at_once"] = own.program.at_once;
  Json text = {
      {"files", files}, {"data", own.data.empty() ? Json() : Json(own.data)}, {"program", program}};
  if (own.kernel.is_there()) {
    for (const KernelField& field : kKernelTexts) {
      text["kernel"][field.name] = own.kernel.*field.value;
    }
  }
  return text.dump(-1, ' ', /*ensure_ascii=*/false, Json::error_handler_t::replace);
}

OwnText ParseOwnText(const std::string& text) {
  OwnText own;
  try {
    const Json json = ParseUserJson<Json>(text);
    for (const Json& file : json.at("files")) {
      own.files.push_back({file.at("path").get<std::string>(), file.at("text").get<std::string>()});
    }
    if (own.files.empty()) throw UsageError("the text of the run has no space");
    const Json& data = json.at("data");
    if (!data.is_null()) own.data = data.get<std::string>();
    const Json& program = json.at("program");
    for (const TextField& field : kTexts) own.program.*field.value = program.value(field.name, "");
    own.program.timeout_s = program.value("timeout_s", own.program.timeout_s);
    own.program.trust_times = program.value("trust_times", false);
    own.program.at_once = std::max(1, program.value("at_once", 1));
    if (const auto kernel = json.find("kernel"); kernel != json.end()) {
      for (const KernelField& field : kKernelTexts) {
        own.kernel.*field.value = kernel->at(field.name).get<std::string>();
      }
    }
  } catch (const UsageError&) {
    throw;
  } catch (const std::exception& error) {
    throw UsageError(
        fmt::format("the text of the run is none of a program of its own: {}", error.what()));
  }
  return own;
}

}  // namespace exh::search
