// SPDX-License-Identifier: MIT
//
// exhc: checks `.exh` files and turns them into C++.
// Exit codes: 0 all well, 1 the file (or its output) has a mistake, 2 the command line has.
#include <fcntl.h>
#include <unistd.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

#include "base/spelling.h"
#include "base/system/stack_limit.h"
#include "base/version/compiled_by.h"
#include "base/version/version.h"
#include "dsl/diagnostics/diagnostic_pages.h"
#include "dsl/diagnostics/render.h"
#include "dsl/dsl.h"
#include "generator/emission.h"
#include "generator/emit/emit_ir.h"
#include "generator/explain_requirement.h"
#include "generator/format_files.h"
#include "generator/generator.h"
#include "generator/output.h"
#include "generator/plan/names.h"

namespace exh::generator {
namespace {

namespace fs = std::filesystem;

struct Arguments {
  std::vector<std::string> files;
  std::string root, out, depfile, space, label;
  std::string diagnostics = "text";
  std::string emit = "cpp,filters";
  Emission emission;  ///< What `emit` says.
  std::vector<std::string> include_dirs;
  bool no_line = false;
  bool no_lints = false;
  bool check_style = false;
};

void Show(const dsl::DiagnosticSink& sink, const Arguments& arguments) {
  std::cerr << (arguments.diagnostics == "json" ? dsl::RenderJson(sink) : dsl::RenderText(sink));
}

dsl::CompileOptions CompileOptionsOf(const Arguments& arguments) {
  dsl::CompileOptions options;
  options.root = arguments.root;
  options.include_dirs = arguments.include_dirs;
  return options;
}

/// The exit code of a compilation that failed: 1 for what stands in files, 2 where the one of the
/// command line cannot be read.
int FailureOf(const dsl::DiagnosticSink& sink) {
  return sink.sources().size() > 0 && sink.sources().file(0).is_unreadable ? 2 : 1;
}

int Check(const Arguments& arguments) {
  dsl::CompileOptions options = CompileOptionsOf(arguments);
  options.lints = !arguments.no_lints;
  int code = 0;
  for (const std::string& file : arguments.files) {
    dsl::DiagnosticSink sink;
    const bool is_well = dsl::Compile(file, options, sink).has_value();
    Show(sink, arguments);
    if (!is_well) code = std::max(code, FailureOf(sink));
  }
  return code;
}

/// The path as generated text may name it: relative to the working directory if below it, otherwise
/// the name of the file alone.
std::string PortablePath(const std::string& path) {
  const fs::path relative = fs::absolute(path).lexically_normal().lexically_relative(
      fs::current_path().lexically_normal());
  const bool below = !relative.empty() && *relative.begin() != "..";
  return below ? relative.generic_string() : fs::path(path).filename().string();
}

int Build(const Arguments& arguments) {
  const std::string& file = arguments.files.at(0);
  dsl::DiagnosticSink sink;
  const std::optional<dsl::Spec> spec = dsl::Compile(file, CompileOptionsOf(arguments), sink);
  Generated generated;
  const std::string prefix =
      arguments.out.empty() ? fs::path(file).stem().string() + ".exh" : arguments.out;
  if (spec) {
    Options options;
    options.emit = arguments.emission;
    options.space = arguments.space.empty() ? SpaceNameOf(file) : arguments.space;
    options.prefix = PortablePath(prefix);
    options.line_directives = !arguments.no_line;
    generated = Generate(*spec, options);
    for (const Refusal& refusal : generated.refusals)
      sink.Report(refusal.diag, refusal.range, refusal.message);
  }
  Show(sink, arguments);
  if (generated.files.empty()) return FailureOf(sink);
  std::vector<std::string> sources;
  for (std::uint32_t i = 0; i < sink.sources().size(); ++i) {
    sources.push_back(sink.sources().file(i).path);
  }
  std::string error;
  if (WriteAll(generated.files, prefix, arguments.depfile, sources, &error)) return 0;
  std::cerr << "exhc: " << error << "\n";
  return 1;
}

/// One line for the first word that nothing on the command line knows, and the nearest legal one.
int Unknown(const std::string& word, const std::vector<std::string>& legal, const char* what) {
  std::cerr << "exhc: unknown " << what << " '" << word << "'" << DidYouMean(word, legal) << "\n";
  return 2;
}

/// `exhc --version`.
std::string VersionText() {
  return std::string("exhc ") + Version() + "\ncommit      " + Commit() + "\ncompiled by " +
         kCompiledBy + "\nformats     exhaust-ir " + std::to_string(kIrVersion);
}

/// The page of a code like E0312.
int ExplainCode(const std::string& code) {
  const auto diag = dsl::DiagOfCode(code);
  if (!diag) {
    std::vector<std::string> codes;
    for (const dsl::DiagInfo& info : dsl::AllDiags()) codes.push_back(dsl::CodeOf(info.diag));
    return Unknown(code, codes, "code");
  }
  std::cout << dsl::DiagnosticPage(*diag);
  return 0;
}

int Explain(const Arguments& arguments) {
  if (arguments.files.empty()) return ExplainCode(arguments.label);
  dsl::DiagnosticSink sink;
  const auto spec = dsl::Compile(arguments.files.at(0), CompileOptionsOf(arguments), sink);
  Show(sink, arguments);
  if (!spec) return FailureOf(sink);
  std::string error;
  std::cout << ExplainRequirement(*spec, arguments.label, &error);
  if (!error.empty()) std::cerr << "exhc: " << error << "\n";
  return error.empty() ? 0 : 1;
}

/// What talks to editors knows the front ends of kernels and of programs, too, and is a program of
/// its own beside this one (lsp/). Returns only where it cannot be started.
int StartLsp() {
  std::error_code error;
  const fs::path self = fs::read_symlink("/proc/self/exe", error);
  std::string program = (self.parent_path() / "exhc-lsp").string();
  char* const argv[] = {program.data(), nullptr};
  if (!error) ::execv(program.c_str(), argv);
  std::cerr << "exhc: cannot start '" << program << "': " << std::strerror(errno)
            << "; it is built and installed beside exhc\n";
  return 1;
}

int UsageError(const CLI::App& app, const CLI::ParseError& error,
               const std::vector<std::string>& words) {
  if (error.get_exit_code() == 0) return app.exit(error);  // --help
  const std::vector<std::string> commands = {"check", "build", "explain", "fmt", "lsp"};
  const auto command = std::find_if(words.begin(), words.end(),
                                    [](const std::string& word) { return word[0] != '-'; });
  if (command != words.end() &&
      std::find(commands.begin(), commands.end(), *command) == commands.end()) {
    return Unknown(*command, commands, "command");
  }
  std::vector<std::string> options;
  for (const CLI::App* each : app.get_subcommands()) {
    for (const CLI::Option* option : each->get_options()) {
      for (const std::string& name : option->get_lnames()) options.push_back("--" + name);
      for (const std::string& name : option->get_snames()) options.push_back("-" + name);
    }
  }
  for (const std::string& word : words) {
    const std::string name = word.substr(0, word.find('='));
    const bool known = std::any_of(options.begin(), options.end(), [&](const std::string& option) {
      return name == option || (option.size() == 2 && name.starts_with(option));
    });
    if (!options.empty() && name.starts_with("-") && !known) {
      return Unknown(name, options, "option");
    }
  }
  std::cerr << "exhc: " << error.what() << "\n";
  return 2;
}

/// The exit code: 0 if --emit is right.
int ReadEmission(Arguments& arguments) {
  std::string unknown;
  if (ParseEmission(arguments.emit, &arguments.emission, &unknown)) return 0;
  return Unknown(unknown, EmissionWords(), "output");
}

void AddCommonOptions(CLI::App& command, Arguments& arguments) {
  command.add_option("--root", arguments.root, "paths are printed relative to this folder");
  command.add_option("-I,--include", arguments.include_dirs, "where else an include is looked for");
  command.add_option("--diagnostics", arguments.diagnostics, "text or json")
      ->check(CLI::IsMember({"text", "json"}));
}

int Main(int argc, char** argv) {
  CLI::App app("exhc: compiles search spaces (.exh) to C++");
  app.set_version_flag("--version", VersionText());
  app.require_subcommand(1);
  Arguments arguments;
  CLI::App& check = *app.add_subcommand("check", "report what is wrong with spaces");
  check.add_option("file", arguments.files, "the .exh files")->required();
  check.add_flag("--no-lints", arguments.no_lints,
                 "do not warn of what is legal but hardly wanted");
  AddCommonOptions(check, arguments);
  CLI::App& build =
      *app.add_subcommand("build", "write the C++ of a space, or what it means for tools");
  build.add_option("file", arguments.files, "the .exh file")->required()->expected(1);
  AddCommonOptions(build, arguments);
  build.add_option("--out", arguments.out, "prefix of the files written (default: ./<file>)");
  build.add_option("--depfile", arguments.depfile, "a make rule with every file that was read");
  build.add_option("--space", arguments.space, "name of the space (default: that of the file)");
  build.add_option("--emit", arguments.emit,
                   "what is written, a list of cpp, filters, ir, tables (default: cpp,filters)");
  build.add_flag("--no-line", arguments.no_line, "no #line: errors point into the generated text");
  CLI::App& explain = *app.add_subcommand(
      "explain", "show a requirement and its filters, or the page of a message");
  explain
      .add_option("what", arguments.label, "a label of the file, or the code of a message: E0312")
      ->required();
  explain.add_option("file", arguments.files, "the .exh file of the label");
  AddCommonOptions(explain, arguments);
  CLI::App& fmt = *app.add_subcommand("fmt", "put spaces in the style of the tree");
  fmt.add_option("file", arguments.files, "the .exh files; - is standard input")->required();
  fmt.add_flag("--check", arguments.check_style, "change nothing, name the files that differ");
  CLI::App& lsp = *app.add_subcommand(
      "lsp", "answer an editor: the Language Server Protocol over standard input and output");
  bool over_stdio = false;  // There is no other way.
  lsp.add_flag("--stdio", over_stdio, "as it is anyway; what some editors say");
  const std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return UsageError(app, error, words);
  }
  if (arguments.space != (arguments.space.empty() ? "" : Identifier(arguments.space))) {
    std::cerr << "exhc: --space '" << arguments.space << "' is not a C++ identifier\n";
    return 2;
  }
  if (const int code = ReadEmission(arguments); code != 0) return code;
  if (lsp.parsed()) return StartLsp();
  if (explain.parsed()) return Explain(arguments);
  if (fmt.parsed()) return FormatFiles(arguments.files, arguments.check_style);
  return check.parsed() ? Check(arguments) : Build(arguments);
}

}  // namespace
}  // namespace exh::generator

int main(int argc, char** argv) {
  // No file that is opened later may get the number that output goes to.
  for (int file = 0; file < 3; ++file) {
    if (::fcntl(file, F_GETFD) >= 0) continue;
    [[maybe_unused]] const int opened = ::open("/dev/null", O_RDWR);
  }
  if (const std::string why = exh::EnsureStack(); !why.empty()) {
    std::cerr << "exhc: " << why << "\n";
    return 1;
  }
  const int code = exh::generator::Main(argc, argv);
  std::cout.flush();
  const bool is_written = std::cout.good() && std::fflush(stdout) == 0;
  if (!is_written) std::cerr << "exhc: cannot write to the standard output\n";
  return code == 0 && !is_written ? 1 : code;
}
