// SPDX-License-Identifier: MIT
#include "kernels/devices/cuda/own/own_constants.h"

#include <fmt/format.h>

#include "kernels/devices/cuda/own/own_arrays.h"

namespace exh::kernels::cuda {

OwnConstants::OwnConstants(const Gpu& gpu, const std::vector<OwnArgument>& constants) : gpu_(gpu) {
  for (const OwnArgument& constant : constants) {
    const std::vector<std::byte> held = ContentsOf(constant);
    names_.push_back(constant.name);
    contents_.emplace_back(gpu, held.size());
    gpu.Upload(contents_.back().data(), held.data(), held.size());
  }
}

std::string OwnConstants::Find(const Module& module, bool needs_all, Places& places) const {
  places.clear();
  for (std::size_t i = 0; i < names_.size(); ++i) {
    const auto& found = places.emplace_back(module.FindVariable(names_[i].c_str()));
    if (!found && needs_all) {
      return fmt::format(
          "its machine code has no variable '{}': a __constant__ or __device__ variable of this "
          "name is wanted, outside of namespaces, which this configuration uses",
          names_[i]);
    }
    if (found && found->bytes < contents_[i].bytes()) {
      return fmt::format("the variable '{}' has {} bytes, and should hold {}", names_[i],
                         found->bytes, contents_[i].bytes());
    }
  }
  return "";
}

void OwnConstants::Fill(const Places& places) const {
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (!places[i]) continue;
    gpu_.Check(gpu_.cu().cuMemcpyDtoDAsync(places[i]->data, contents_[i].data(),
                                           contents_[i].bytes(), gpu_.stream()),
               "cuMemcpyDtoDAsync");
  }
}

}  // namespace exh::kernels::cuda
