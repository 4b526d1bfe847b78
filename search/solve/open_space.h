// SPDX-License-Identifier: MIT
//
// What `search solve` is asked about: an example by its name, or a space in a file.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "runtime/instance.h"

namespace exh::search {

/// The text of --size of a space that is loaded: `n=8,m=3`. Throws UsageError.
std::map<std::string, std::int64_t, std::less<>> GivenSizes(const std::string& text);

struct OpenedSpace {
  std::string name;
  std::shared_ptr<const runtime::Instance> instance;
};

/// `space`: a name, the path of a `.exh` that needs no backbone, or of a functional program
/// (`.fun`), whose parameters and requirements are the space. `size` and `data`: texts of --size
/// and --data, the path of a file, or empty. Warnings of a file go to stderr. Throws UsageError
/// with all that is wrong.
OpenedSpace OpenSpace(const std::string& space, const std::string& size, const std::string& data,
                      const runtime::FreezeOptions& options);

}  // namespace exh::search
