// SPDX-License-Identifier: MIT
#include "functional/lift/program_file.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "base/error.h"
#include "dsl/diagnostics/render.h"
#include "functional/code/gpu_program.h"
#include "functional/functional.h"
#include "functional/infer/maps.h"

namespace exh::lift {

namespace {

functional::Assignment KnownValues(const functional::Program& program) {
  functional::Assignment values;
  for (const functional::ProgramParameter& parameter : program.parameters) {
    if (parameter.values.size() == 1) values[parameter.name] = parameter.values[0];
  }
  return values;
}

TreeFile TreeOf(const functional::Program* program, const dsl::DiagnosticSink& sink) {
  if (program == nullptr) {
    std::string messages = dsl::RenderText(sink);
    while (!messages.empty() && messages.back() == '\n') messages.pop_back();
    throw Error("the program has mistakes\n" + messages);
  }
  return TreeOfKernels(*program);
}

}  // namespace

TreeFile TreeOfKernels(const functional::Program& program) {
  if (program.kernels.size() != 1) {
    throw Error("a mapping is of one kernel, and the program has " +
                std::to_string(program.kernels.size()) + ": '" + program.kernels[0].name + "', '" +
                program.kernels[1].name + "'" + (program.kernels.size() > 2 ? ", …" : ""));
  }
  TreeFile tree;
  Mapping manual;
  manual.name = "manual";
  const auto vectors = functional::VectorMaps(program, program.kernels[0], KnownValues(program));
  for (functional::ConcreteMap& each : functional::MapsOf(program.kernels[0])) {
    Map map;
    map.id = tree.maps.size();
    map.name_ = std::move(each.name);
    map.parent = each.parent;
    map.may_fuse = each.may_fuse;
    map.is_perfect = each.is_perfect;
    map.is_private = each.is_private;
    map.is_local = each.is_local;
    map.may_vectorise = vectors && (*vectors)[map.id];
    if (each.code >= 0) {
      manual.codes.emplace_back(map.id,
                                std::vector<std::uint32_t>{static_cast<std::uint32_t>(each.code)});
    }
    tree.maps.push_back(std::move(map));
  }
  if (tree.maps.empty()) throw Error("the program's kernel has no map that writes memory");
  if (!manual.codes.empty()) tree.mappings.push_back(std::move(manual));
  return ReadTree(TreeText(tree));  // It has the limits of a tree in a file.
}

TreeFile TreeOfProgram(const std::string& text) {
  dsl::DiagnosticSink sink;
  return TreeOf(functional::ReadText("program", text, {}, sink).get(), sink);
}

TreeFile TreeOfProgramFile(const std::string& path) {
  dsl::DiagnosticSink sink;
  return TreeOf(functional::ReadFile(path, {}, sink).get(), sink);
}

TreeFile ReadTreeOrProgram(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  // No program begins with a bracket.
  const bool is_json = first != std::string::npos && (text[first] == '{' || text[first] == '[');
  return is_json || first == std::string::npos ? ReadTree(text) : TreeOfProgram(text);
}

std::string TreeText(const TreeFile& tree) {
  nlohmann::ordered_json maps = nlohmann::ordered_json::array();
  for (const Map& map : tree.maps) {
    nlohmann::ordered_json parent = nullptr;
    if (map.parent) parent = tree.maps[*map.parent].name_;
    maps.push_back({{"name", map.name_},
                    {"parent", std::move(parent)},
                    {"may_fuse", map.may_fuse},
                    {"perfect_in_parent", map.is_perfect},
                    {"private", map.is_private},
                    {"local", map.is_local}});
    if (map.may_vectorise) maps.back()["may_vectorise"] = true;
  }
  // A line a map.
  std::string text = "{\n \"maps\": [\n";
  for (std::size_t i = 0; i < maps.size(); ++i) {
    text += "  " + maps[i].dump() + (i + 1 < maps.size() ? ",\n" : "\n");
  }
  text += " ]";
  for (const Mapping& mapping : tree.mappings) {
    if (mapping.name != "manual") continue;
    nlohmann::ordered_json codes = nlohmann::ordered_json::object();
    for (const auto& [map, may_be] : mapping.codes) codes[tree.maps[map].name_] = may_be;
    text += ",\n \"manual_mapping\": " + codes.dump();
  }
  return text + "\n}\n";
}

}  // namespace exh::lift
