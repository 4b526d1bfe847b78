// SPDX-License-Identifier: MIT
#include "tests/fuzz/entries.h"

#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "dsl/dsl.h"
#include "dsl/syntax/format.h"
#include "dsl/syntax/parse.h"
#include "dsl/syntax/print.h"
#include "functional/functional.h"
#include "generator/generator.h"
#include "kernels/ir/builder.h"
#include "kernels/ir/function.h"
#include "kernels/notation/axes/joined_axes.h"
#include "kernels/notation/lower/lower.h"
#include "kernels/notation/resolve.h"
#include "kernels/notation/syntax/format.h"
#include "kernels/notation/syntax/parse.h"
#include "tests/kernels/notation/tree_text.h"
#include "tests/maps/generator/maps.h"
#include "tests/support/tree.h"

namespace exh::fuzz {

void Promise(bool kept, const char* what, std::string_view text) {
  if (kept) return;
  std::fprintf(stderr, "broken: %s, for:\n", what);
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fprintf(stderr, "\n");
  std::abort();
}

namespace {

/// The tree of a text without mistakes.
std::optional<dsl::ast::File> ParseClean(std::string_view text) {
  dsl::DiagnosticSink sink;
  sink.sources().AddInMemory("fuzz/text.exh", std::string(text));
  std::string error;
  dsl::ast::File file = dsl::Parse(*sink.sources().Open("fuzz/text.exh", {}, &error), {}, sink);
  if (sink.has_errors()) return std::nullopt;
  return file;
}

std::string WithoutBlanks(std::string_view text) {
  std::string rest;
  for (const char c : text) {
    if (c != ' ' && c != '\t' && c != '\r' && c != '\n') rest += c;
  }
  return rest;
}

void SameTwice(const generator::Generated& once, const generator::Generated& again,
               bool has_reasons, std::string_view text) {
  Promise(once.files.empty() == has_reasons, "files or reasons, not both", text);
  Promise(once.files.size() == again.files.size(), "the same files twice", text);
  for (std::size_t i = 0; i < once.files.size(); ++i) {
    Promise(once.files[i].text == again.files[i].text, "the same bytes twice", text);
  }
}

void ShowsErrors(const dsl::DiagnosticSink& sink, std::string_view text) {
  Promise(!sink.has_errors() || !RenderText(sink).empty(), "errors are shown", text);
  Promise(nlohmann::json::accept(RenderJson(sink)), "diagnostics are JSON", text);
}

constexpr const char* kKernelPath = "fuzz/text.kernel";

/// Words and comments, a line each, without the blanks behind them.
std::string KernelWords(const std::string& text) {
  dsl::SourceSet sources;
  sources.AddInMemory(kKernelPath, text);
  std::string error, all;
  for (const auto& word :
       kernels::notation::WordsOf(*sources.Open(kKernelPath, {}, &error), sources)) {
    all += sources.Text(word.range);
    all.erase(all.find_last_not_of(" \t\r") + 1);
    all += "\n";
  }
  return all;
}

std::string KernelTree(const std::string& text) {
  dsl::DiagnosticSink sink;
  sink.sources().AddInMemory(kKernelPath, text);
  std::string error;
  const auto kernel =
      kernels::notation::ParseKernel(*sink.sources().Open(kKernelPath, {}, &error), sink);
  return sink.has_errors() ? RenderText(sink) : TreeText(kernel);
}

}  // namespace

bool Check(std::string_view text) {
  dsl::DiagnosticSink sink;
  const auto spec = dsl::CompileText("fuzz/main.exh", std::string(text), {}, sink);
  Promise(spec.has_value() == !sink.has_errors(), "an error unless there is a Spec", text);
  Promise(spec.has_value() || !RenderText(sink).empty(), "errors are shown", text);
  Promise(nlohmann::json::accept(RenderJson(sink)), "diagnostics are JSON", text);
  if (const auto file = ParseClean(text)) {
    const auto again = ParseClean(dsl::Print(*file));
    Promise(again.has_value(), "what is printed parses", text);
    Promise(*file == *again, "what is printed parses to the same", text);
  }
  return spec.has_value();
}

bool Generate(std::string_view text) {
  dsl::DiagnosticSink sink;
  const auto spec =
      dsl::CompileText(std::string(kSourceDir) + "/tests/generator/golden/include/fuzz.exh",
                       std::string(text), {}, sink);
  if (!spec) return false;
  generator::Options options;
  options.space = "fuzz";
  options.prefix = "fuzz.exh";
  const generator::Generated maps = generator::GenerateMaps(*spec, options);
  SameTwice(maps, generator::GenerateMaps(*spec, options),
            !maps.refusals.empty() || !generator::FindMapsRefusals(*spec).empty(), text);
  options.emit = {true, true, true, true};
  const generator::Generated all = generator::Generate(*spec, options);
  SameTwice(all, generator::Generate(*spec, options), !all.refusals.empty(), text);
  options.emit = {false, false, true, true};
  const generator::Generated forms = generator::Generate(*spec, options);
  Promise(forms.files.size() == 2, "the forms that are no C++ are never refused", text);
  Promise(nlohmann::json::accept(forms.files[0].text), "the checked space is JSON", text);
  return true;
}

bool Format(std::string_view text) {
  dsl::FormatError error;
  const auto once = dsl::FormatText(text, &error);
  if (!once) {
    Promise(error.line >= 1 && error.column >= 1 && !error.message.empty(), "a reason", text);
    Promise(!error.message.starts_with("formatting"), "no fault of the formatter's own", text);
    return false;
  }
  Promise(WithoutBlanks(*once) == WithoutBlanks(text), "the same words", text);
  Promise(dsl::FormatText(*once, &error) == once, "once is enough", text);
  if (const auto file = ParseClean(text)) {
    const auto formatted = ParseClean(*once);
    Promise(formatted.has_value() && *formatted == *file, "the same meaning", text);
  }
  return true;
}

bool Kernel(std::string_view text) {
  namespace notation = kernels::notation;
  const std::string before(text);
  dsl::DiagnosticSink sink;
  const auto once = notation::FormatKernel(kKernelPath, before, sink);
  Promise(once.has_value() == !sink.has_errors(), "an error unless it is formatted", text);
  ShowsErrors(sink, text);
  if (!once) return false;
  dsl::DiagnosticSink again;
  Promise(notation::FormatKernel(kKernelPath, *once, again) == once, "once is enough", text);
  Promise(KernelWords(*once) == KernelWords(before), "the same words", text);
  Promise(KernelTree(*once) == KernelTree(before), "the same meaning", text);

  const notation::Kernel kernel = notation::ParseKernel(0, sink);
  Promise(!sink.has_errors(), "what is formatted parses", text);
  auto resolution = notation::Resolve(kernel, {}, sink);
  Promise(resolution.has_value() == !sink.has_errors(), "an error unless the sizes fit", text);
  bool is_built = false;
  if (resolution) {
    kernels::ir::Function function;
    kernels::ir::Builder builder(function);
    notation::JoinAxes(kernel, *resolution);
    is_built = notation::Lower(kernel, *resolution, builder, sink);
    Promise(is_built == !sink.has_errors(), "an error unless there is a backbone", text);
  }
  ShowsErrors(sink, text);
  return is_built;
}

bool Functional(std::string_view text) {
  dsl::DiagnosticSink sink;
  const auto program = functional::ReadText("fuzz/text.fun", std::string(text), {}, sink);
  Promise((program != nullptr) == !sink.has_errors(), "an error unless there is a program", text);
  ShowsErrors(sink, text);
  if (program == nullptr) return false;
  const std::string inferred = functional::ExhText(*program, sink.sources());
  dsl::DiagnosticSink checked;
  const auto spec = dsl::CompileText("fuzz/text.exh", inferred, {}, checked);
  if (!spec) std::fprintf(stderr, "%s%s", inferred.c_str(), RenderText(checked).c_str());
  Promise(spec.has_value(), "what is inferred is a space", text);
  Promise(spec->choices.size() == program->parameters.size(), "a choice a parameter", text);
  return true;
}

}  // namespace exh::fuzz
