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
#include "generator/generator.h"
#include "generator/maps/maps.h"

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
               std::string_view text) {
  Promise(once.files.empty() == !once.refusals.empty(), "files or reasons, not both", text);
  Promise(once.files.size() == again.files.size(), "the same files twice", text);
  for (std::size_t i = 0; i < once.files.size(); ++i) {
    Promise(once.files[i].text == again.files[i].text, "the same bytes twice", text);
  }
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
      dsl::CompileText(std::string(EXH_SOURCE_DIR) + "/tests/generator/golden/include/fuzz.exh",
                       std::string(text), {}, sink);
  if (!spec) return false;
  generator::Options options;
  options.space = "fuzz";
  options.prefix = "fuzz.exh";
  SameTwice(generator::GenerateMaps(*spec, options), generator::GenerateMaps(*spec, options), text);
  options.emit = {true, true, true, true};
  const generator::Generated all = generator::Generate(*spec, options);
  SameTwice(all, generator::Generate(*spec, options), text);
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

}  // namespace exh::fuzz
