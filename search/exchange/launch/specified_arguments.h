// SPDX-License-Identifier: MIT
//
// The arguments of the kernel of a tuning problem, as launch files have them (docs/own.md).
#pragma once

#include <string>
#include <vector>

#include "load/json_data.h"
#include "search/exchange/launch/specified_terms.h"

namespace exh::search {

struct SpecifiedArguments {
  Json arguments = Json::array();
  Json constants = Json::array();  ///< Variables of the file.
  std::vector<std::string> notes;  ///< What is not taken, with its place.
};

/// `list` is what stands at `path`. Files that arguments name lie in `folder`. Throws UsageError
/// with the place of what cannot be taken.
SpecifiedArguments ArgumentsOf(const load::JsonData& data, const Json& list,
                               const std::string& path, const SpecifiedTerms& terms,
                               const std::string& folder);

/// What `make` returns; its mistakes are those of the place.
template <typename Make>
auto AtPlace(const load::JsonData& data, const std::string& path, const Make& make) {
  try {
    return make();
  } catch (const UsageError& error) {
    data.Fail(path, error.what());
  }
}

}  // namespace exh::search
