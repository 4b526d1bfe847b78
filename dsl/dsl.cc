// SPDX-License-Identifier: MIT
#include "dsl/dsl.h"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <variant>

#include "dsl/meaning/resolve.h"
#include "dsl/reading.h"
#include "dsl/syntax/parse.h"

namespace exh::dsl {

namespace {

void TakeFiles(const CompileOptions& options, SourceSet& sources) {
  if (options.files == nullptr) return;
  sources.set_memory_only();
  for (const auto& [path, text] : *options.files) sources.AddInMemory(path, text);
}

/// The terms that stand beside the space, each as the one statement of a file of its own.
std::vector<ast::ObjectiveDecl> ParseTerms(const std::vector<TermText>& terms,
                                           DiagnosticSink& sink) {
  SourceSet& sources = sink.sources();
  std::vector<ast::ObjectiveDecl> parsed;
  for (const TermText& term : terms) {
    sources.AddInMemory(term.name, "minimize " + term.text);
    std::string error;
    const auto file = sources.Open(term.name, std::nullopt, &error);
    if (!file) {
      sink.Report(Diag::kUnreadableFile, {sources.AddUnreadable(term.name), 0, 0}, error);
      continue;
    }
    ast::File tree = Parse(*file, {}, sink);
    const bool is_one = tree.statements.size() == 1;
    auto* const decl = is_one ? std::get_if<ast::ObjectiveDecl>(&tree.statements.front()) : nullptr;
    if (decl != nullptr) {
      parsed.push_back(std::move(*decl));
    } else if (!sink.has_errors()) {
      const auto end = static_cast<std::uint32_t>(sources.file(*file).text.size());
      sink.Report(Diag::kUnexpectedToken, {*file, 0, end},
                  "one term of the space is right here, such as 'n div block_x()'");
    }
  }
  return parsed;
}

}  // namespace

SpaceReading ReadSpace(const std::string& path, const CompileOptions& options,
                       DiagnosticSink& sink) {
  SpaceReading reading;
  SourceSet& sources = sink.sources();
  sources.set_root(options.root);
  TakeFiles(options, sources);
  sink.set_lints(options.lints);
  std::string error;
  const auto file = sources.Open(path, std::nullopt, &error);
  if (!file) {
    sink.Report(Diag::kUnreadableFile, {sources.AddUnreadable(path), 0, 0},
                fmt::format("cannot read '{}': {}", path, error));
    return reading;
  }
  reading.tree = Parse(*file, options.include_dirs, sink);
  const std::vector<ast::ObjectiveDecl> terms = ParseTerms(options.terms, sink);
  reading.spec = Resolve(reading.tree, terms, sink, &reading.names);
  if (!reading.spec) return reading;
  for (std::uint32_t i = 0; i < sources.size(); ++i) {
    reading.spec->files.push_back({sources.file(i).display, sources.file(i).text});
  }
  return reading;
}

std::optional<Spec> Compile(const std::string& path, const CompileOptions& options,
                            DiagnosticSink& sink) {
  return ReadSpace(path, options, sink).spec;
}

std::optional<Spec> CompileText(const std::string& path, std::string text,
                                const CompileOptions& options, DiagnosticSink& sink) {
  TakeFiles(options, sink.sources());
  sink.sources().AddInMemory(path, std::move(text));
  CompileOptions rest = options;
  rest.files = nullptr;  // They are there, and `text` is not to be replaced by one of them.
  return Compile(path, rest, sink);
}

bool CheckSyntax(const std::string& path, const std::string& text, DiagnosticSink& sink) {
  DiagnosticSink all;
  std::string error;
  for (DiagnosticSink* each : {&all, &sink}) {
    each->sources().AddInMemory(path, text);
    each->sources().Open(path, std::nullopt, &error);
  }
  Parse(0, {}, all);
  for (const Diagnostic& d : all.Sorted(std::numeric_limits<std::size_t>::max())) {
    const bool include = d.diag == Diag::kUnreadableFile || d.diag == Diag::kIncludeCycle ||
                         d.diag == Diag::kTooManyIncludes;
    if (include || d.range.file != 0) continue;
    Diagnostic& own = sink.Report(d.diag, d.range, d.message);
    for (const Note& note : d.notes) {
      if (note.range.file == 0) own.WithNote(note.range, note.message);
    }
  }
  return !sink.has_errors();
}

}  // namespace exh::dsl
