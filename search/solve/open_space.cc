// SPDX-License-Identifier: MIT
#include "search/solve/open_space.h"

#include <fmt/format.h>

#include <cstdint>
#include <cstdio>
#include <functional>
#include <map>
#include <optional>
#include <utility>

#include "base/error.h"
#include "base/numbers.h"
#include "base/system/user_file.h"
#include "dsl/dsl.h"
#include "load/load.h"
#include "search/solve/example_space.h"
#include "search/solve/functional_file.h"

namespace exh::search {
namespace {

OpenedSpace Freeze(const std::optional<load::LoadedSpace>& loaded, const dsl::DiagnosticSink& sink,
                   const runtime::FreezeOptions& options) {
  std::string messages = dsl::RenderText(sink);
  while (!messages.empty() && messages.back() == '\n') messages.pop_back();
  if (!loaded) throw UsageError(messages);
  if (!messages.empty()) fmt::print(stderr, "{}\n", messages);  // Warnings.
  return {loaded->space.name, load::Freeze(*loaded, options)};
}

OpenedSpace OpenFile(const std::string& path, const std::string& size, const std::string& data,
                     const runtime::FreezeOptions& options) {
  load::Given given;
  given.sizes = GivenSizes(size);
  if (!data.empty()) {
    given.data = ReadUserFile(data);
    given.data_name = data;
  }
  dsl::DiagnosticSink sink;
  return Freeze(load::LoadFile(path, sink, given), sink, options);
}

OpenedSpace OpenProgram(const std::string& path, const std::string& size,
                        const runtime::FreezeOptions& options) {
  dsl::DiagnosticSink sink;
  return Freeze(load::LoadText("inferred from " + path, ConstraintsOf(path, size), sink), sink,
                options);
}

/// What is refused of a space that somebody wrote, or asked for by its sizes and data, is a mistake
/// of theirs; a freeze that was ended is none.
template <typename Open>
OpenedSpace AsAsked(const Open& open) {
  try {
    return open();
  } catch (const Interrupted&) {
    throw;
  } catch (const UsageError&) {
    throw;
  } catch (const Error& error) {
    throw UsageError(error.what());
  }
}

}  // namespace

std::map<std::string, std::int64_t, std::less<>> GivenSizes(const std::string& text) {
  std::map<std::string, std::int64_t, std::less<>> sizes;
  for (const auto& [name, value] : ParseAssignments(text, "--size")) {
    const auto number = ParseInteger(value);
    if (!number) throw UsageError(fmt::format("bad size {}={}: a whole number", name, value));
    if (!sizes.try_emplace(name, *number).second) {
      throw UsageError(fmt::format("bad --size '{}': '{}' stands twice", text, name));
    }
  }
  return sizes;
}

OpenedSpace OpenSpace(const std::string& space, const std::string& size, const std::string& data,
                      const runtime::FreezeOptions& options) {
  if (space.ends_with(".exh")) {
    return AsAsked([&] { return OpenFile(space, size, data, options); });
  }
  if (space.ends_with(".fun")) {
    if (!data.empty()) throw UsageError("a functional program takes no --data");
    return AsAsked([&] { return OpenProgram(space, size, options); });
  }
  const examples::Example& example = FindExample(space);
  const examples::Parameters parameters = ParseParameters(example, size);
  return AsAsked([&]() -> OpenedSpace {
    return {std::string(example.name()), FreezeExample(example, parameters, data, options)};
  });
}

}  // namespace exh::search
