// SPDX-License-Identifier: MIT
#include "kernels/fused/graph/attributes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "base/spelling.h"

namespace exh::kernels::fused {
namespace {

/// What says how a program is to be made, or where the operation came from.
constexpr auto kHints = std::to_array<std::string_view>(
    {"parallel_fusion_type", "stitch", "cross_batch", "is_backed_cast", "side_effect_mem",
     "keep_value_node_input", "enable_atomic_add", "input_names", "output_names",
     "primitive_target"});

std::vector<std::string> NamesOf(Kind kind) {
  if (InfoOf(kind).form == Form::kReduction) return {"axis", "keep_dims"};
  switch (kind) {
    case Kind::kBatchMatMul:
    case Kind::kMatMul:
      return {"transpose_a", "transpose_b",  "transpose_x1", "transpose_x2",
              "left_format", "right_format", "dst_type",     "Akg"};
    case Kind::kConv2D:
      return {"stride", "dilation",    "pad",  "pad_list", "pad_mode", "groups",     "group",
              "format", "kernel_size", "mode", "dst_type", "Akg",      "out_channel"};
    case Kind::kAddN:
      return {"n", "dyn_input_sizes"};
    case Kind::kCast:
      return {"dst_type"};
    case Kind::kBroadcastTo:
    case Kind::kReshape:
      return {"shape"};
    case Kind::kExpandDims:
    case Kind::kSqueeze:
      return {"axis"};
    case Kind::kOneHot:
      return {"axis", "depth"};
    case Kind::kPadAkg:
      return {"head", "tail", "pad_val"};
    case Kind::kTile:
      return {"multiples"};
    case Kind::kTranspose:
      return {"perm"};
    case Kind::kUnPadAkg:
      return {"head", "tail"};
    case Kind::kInplaceAssign:
      return {"fake_output"};
    default:
      return {};
  }
}

}  // namespace

std::optional<NamedFields> ReadAttributes(Kind kind, const Field& list, Mistakes& mistakes) {
  const auto entries = ReadList(list, true, mistakes);
  if (!entries) return std::nullopt;
  const std::vector<std::string> names = NamesOf(kind);
  NamedFields attributes;
  for (const Field& entry : *entries) {
    const std::optional<std::string> name = ReadText(entry["name"], mistakes);
    if (!name) return std::nullopt;
    const Field value = entry["value"];
    // A hint, and yet it must be what it says: Operation keeps it.
    const bool is_hint = std::ranges::find(kHints, *name) != kHints.end();
    if (!is_hint && std::ranges::find(names, *name) == names.end()) {
      mistakes.push_back({Mistake::What::kRefused, entry.place + ".name",
                          fmt::format("{} has no attribute '{}'{}", InfoOf(kind).name, *name,
                                      DidYouMean(*name, names)),
                          fmt::format("attribute {} of {}", *name, InfoOf(kind).name)});
      return std::nullopt;
    }
    if (!attributes.emplace(*name, value).second) {
      mistakes.push_back({Mistake::What::kMalformed, entry.place + ".name",
                          fmt::format("the attribute '{}' stands here twice", *name),
                          "attribute twice"});
      return std::nullopt;
    }
  }
  return attributes;
}

Field AttributeOf(const NamedFields& attributes, std::string_view name) {
  const auto found = attributes.find(name);
  return found == attributes.end() ? Field() : found->second;
}

}  // namespace exh::kernels::fused
