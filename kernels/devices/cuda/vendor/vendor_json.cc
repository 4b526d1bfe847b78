// SPDX-License-Identifier: MIT
#include "kernels/devices/cuda/vendor/vendor_json.h"

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace exh::kernels {

NLOHMANN_JSON_SERIALIZE_ENUM(VendorStep::Op, {{VendorStep::Op::kGemm, "gemm"},
                                              {VendorStep::Op::kGemv, "gemv"},
                                              {VendorStep::Op::kAxpy, "axpy"},
                                              {VendorStep::Op::kCopy, "copy"},
                                              {VendorStep::Op::kPack, "pack"}})

namespace {

using nlohmann::json;

/// Calls `visit(name, field)` for all that a step has.
template <typename Step, typename Visit>
void ForEachField(Step& step, const Visit& visit) {
  visit("op", step.op);
  visit("type", step.type);
  visit("type_c", step.type_c);
  visit("a", step.a);
  visit("b", step.b);
  visit("c", step.c);
  visit("m", step.m);
  visit("n", step.n);
  visit("k", step.k);
  visit("transpose_a", step.transpose_a);
  visit("transpose_b", step.transpose_b);
  visit("alpha", step.alpha);
  visit("beta", step.beta);
  visit("batch", step.batch);
  visit("step_a", step.step_a);
  visit("step_b", step.step_b);
  visit("step_c", step.step_c);
  visit("stride", step.stride);
  visit("relu", step.relu);
}

// Types are words.
template <typename T>
void Write(json& place, const T& value) {
  place = value;
}
void Write(json& place, ir::Type type) {
  place = std::string(ir::WordOf(type));
}
template <typename T>
void Read(const json& place, T& value) {
  place.get_to(value);
}
void Read(const json& place, ir::Type& type) {
  const std::optional<ir::Type> found = ir::TypeOfWord(place.get<std::string>());
  if (!found) throw json::other_error::create(501, "there is no such type", &place);
  type = *found;
}

}  // namespace

void to_json(json& object, const VendorStep& step) {
  ForEachField(step, [&](const char* name, const auto& field) { Write(object[name], field); });
}

void from_json(const json& object, VendorStep& step) {
  ForEachField(step, [&](const char* name, auto& field) { Read(object.at(name), field); });
}

void to_json(json& object, const VendorCall& call) {
  object = {{"before", call.before}, {"steps", call.steps}, {"scratch", call.scratch_bytes}};
}

void from_json(const json& object, VendorCall& call) {
  object.at("before").get_to(call.before);
  object.at("steps").get_to(call.steps);
  object.at("scratch").get_to(call.scratch_bytes);
}

}  // namespace exh::kernels
