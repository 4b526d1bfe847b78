// SPDX-License-Identifier: MIT
#include "functional/functional.h"

#include <optional>
#include <utility>

#include "functional/infer/limits.h"
#include "functional/infer/universes.h"
#include "functional/syntax/parse.h"

namespace exh::functional {
namespace {

std::unique_ptr<Program> Read(std::uint32_t file, const Given& given, dsl::DiagnosticSink& sink) {
  const File parsed = Parse(file, sink);
  if (sink.has_errors()) return nullptr;
  std::unique_ptr<Program> program = Elaborate(parsed, given, sink);
  if (program == nullptr) return nullptr;
  const bool is_whole =
      FindUniverses(*program, sink) && AddLimits(*program, sink) && Simplify(*program, sink);
  return is_whole ? std::move(program) : nullptr;
}

}  // namespace

std::unique_ptr<Program> ReadFile(const std::string& path, const Given& given,
                                  dsl::DiagnosticSink& sink) {
  std::string error;
  const auto file = sink.sources().Open(path, std::nullopt, &error);
  if (file) return Read(*file, given, sink);
  const std::uint32_t nowhere = sink.sources().AddUnreadable(path);
  sink.Report(dsl::Diag::kUnreadableFile, {nowhere, 0, 0}, "cannot read '" + path + "': " + error);
  return nullptr;
}

std::unique_ptr<Program> ReadText(const std::string& path, std::string text, const Given& given,
                                  dsl::DiagnosticSink& sink) {
  sink.sources().AddInMemory(path, std::move(text));
  return ReadFile(path, given, sink);
}

}  // namespace exh::functional
