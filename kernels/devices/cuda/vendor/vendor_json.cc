// SPDX-License-Identifier: MIT
#include "kernels/devices/cuda/vendor/vendor_json.h"

#include <nlohmann/json.hpp>

namespace exh::kernels {

NLOHMANN_JSON_SERIALIZE_ENUM(VendorStep::Op, {{VendorStep::Op::kGemm, "gemm"},
                                              {VendorStep::Op::kGemv, "gemv"},
                                              {VendorStep::Op::kAxpy, "axpy"},
                                              {VendorStep::Op::kCopy, "copy"},
                                              {VendorStep::Op::kPack, "pack"}})
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(VendorStep, op, a, b, c, m, n, k, transpose_a, transpose_b,
                                   alpha, beta, batch, step_a, step_b, step_c, stride, relu)

void to_json(nlohmann::json& object, const VendorCall& call) {
  object = {{"before", call.before}, {"steps", call.steps}, {"scratch", call.scratch_floats}};
}

void from_json(const nlohmann::json& object, VendorCall& call) {
  object.at("before").get_to(call.before);
  object.at("steps").get_to(call.steps);
  object.at("scratch").get_to(call.scratch_floats);
}

}  // namespace exh::kernels
