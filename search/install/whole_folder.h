// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <string>

namespace exh::search {

/// Makes the files (by path within the folder) what a folder holds. They are written to a folder
/// beside it, which then takes its place: at any time the folder is as it was, or as it shall be.
/// Whatever else lies in it, such as a build, stays. Of sub-folders that `files` mention, all is
/// replaced. Throws Error when something cannot be written, and leaves what was there.
void WriteWholeFolder(const std::string& folder, const std::map<std::string, std::string>& files);

}  // namespace exh::search
