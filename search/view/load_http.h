// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "search/view/http/http_server.h"

namespace exh::search {

/// Where a program that lies in this folder finds what speaks HTTP: among the installed files, and
/// beside itself in a build.
std::vector<std::string> HttpPaths(const std::string& program_folder);

/// A server for the handler, which outlives it. Throws UsageError when this program was built
/// without, or when what that needs is not installed.
std::unique_ptr<HttpServer> LoadHttp(HttpHandler& handler);

}  // namespace exh::search
