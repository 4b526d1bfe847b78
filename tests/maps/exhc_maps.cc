// SPDX-License-Identifier: MIT
//
// exhc_maps FILE ROOT PREFIX SPACE DEPFILE: writes a space for the engine of the published kind, as
// `exhc build FILE --root ROOT --out PREFIX --space SPACE --depfile DEPFILE` does for ours. Exit
// code 1: the file has a mistake, or something that this engine cannot do.
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include "dsl/diagnostics/render.h"
#include "dsl/dsl.h"
#include "generator/output.h"
#include "tests/maps/generator/maps.h"

namespace exh::generator {
namespace {

int Main(const std::string& file, const std::string& root, const Options& options,
         const std::string& depfile) {
  dsl::CompileOptions compile;
  compile.root = root;
  dsl::DiagnosticSink sink;
  const std::optional<dsl::Spec> spec = dsl::Compile(file, compile, sink);
  Generated generated;
  if (spec) {
    generated = GenerateMaps(*spec, options);
    for (const Refusal& refusal : generated.refusals)
      sink.Report(refusal.diag, refusal.range, refusal.message);
    for (const std::string& refusal : FindMapsRefusals(*spec)) std::cerr << refusal << "\n";
  }
  std::cerr << dsl::RenderText(sink);
  if (generated.files.empty()) return 1;
  std::vector<std::string> sources;
  for (std::uint32_t i = 0; i < sink.sources().size(); ++i) {
    sources.push_back(sink.sources().file(i).path);
  }
  std::string error;
  if (WriteAll(generated.files, options.prefix, depfile, sources, &error)) return 0;
  std::cerr << "exhc_maps: " << error << "\n";
  return 1;
}

}  // namespace
}  // namespace exh::generator

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments.size() != 5) {
    std::cerr << "exhc_maps FILE ROOT PREFIX SPACE DEPFILE\n";
    return 2;
  }
  exh::generator::Options options;
  options.prefix = arguments[2];
  options.space = arguments[3];
  return exh::generator::Main(arguments[0], arguments[1], options, arguments[4]);
}
