// SPDX-License-Identifier: MIT
//
// The command line of the program `search`, and of the part of it that is built first.

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <exception>
#include <filesystem>
#include <string>
#include <vector>

#include "base/check.h"
#include "base/error.h"
#include "base/spelling.h"
#include "search/commands/command.h"
#include "search/commands/parts/needs.h"
#include "search/commands/parts/parts.h"
#include "search/commands/parts/version_text.h"
#include "search/subject/plugins.h"

namespace exh::search {
namespace {

/// Bytes that a line of a message has; what somebody wrote may be as long as it likes.
constexpr std::size_t kLongestLine = 1500;

/// Every spelling of the options of a (sub-)command.
std::vector<std::string> OptionNames(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    for (const std::string& name : option->get_snames()) names.push_back("-" + name);
  }
  return names;
}

std::vector<std::string> CommandNames(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (!command->get_group().empty()) names.push_back(command->get_name());
  }
  return names;
}

/// Words that no option took: the first one is the mistake that is told.
void RefuseLeftovers(const CLI::App& app) {
  for (const std::string& word : app.remaining()) {
    if (word == "--") continue;
    if (word.starts_with("-")) {
      throw UsageError(UnknownName("option", word.substr(0, word.find('=')), OptionNames(app)));
    }
    const std::vector<std::string> commands = CommandNames(app);
    if (commands.empty() || !app.get_subcommands().empty()) {
      throw UsageError(fmt::format("unexpected argument '{}'", word));
    }
    throw UsageError(UnknownName("sub-command", word, commands));
  }
  for (const CLI::App* command : app.get_subcommands()) RefuseLeftovers(*command);
}

/// Sub-commands keep what they do not know, so that the message is ours and names the nearest.
void AllowExtras(CLI::App& app) {
  app.allow_extras();
  for (CLI::App* command : app.get_subcommands([](CLI::App*) { return true; })) {
    AllowExtras(*command);
  }
}

/// --plugin, wherever on the command line it stands.
void AddPluginOption(CLI::App& app, std::vector<std::string>& plugins) {
  app.add_option_function<std::vector<std::string>>(
         "--plugin",
         [&plugins](const std::vector<std::string>& files) {
           plugins.insert(plugins.end(), files.begin(), files.end());
         },
         "shared object with kernels of your own (docs/plugins.md); repeatable")
      ->allow_extra_args(false);
  for (CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    AddPluginOption(*command, plugins);
  }
}

/// A word as a shell reads it back.
std::string Quoted(const std::string& word) {
  const auto plain = [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '/' || c == '.' || c == '_' || c == '-';
  };
  if (!word.empty() && std::all_of(word.begin(), word.end(), plain)) return word;
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

/// "Could not convert: --jobs = 99999999999" in words: what is a number, but too large for its
/// option.
std::string ConversionText(const std::string& what) {
  const std::size_t colon = what.find(": "), equals = what.find(" = ");
  if (colon == std::string::npos || equals == std::string::npos || equals < colon) return what;
  return fmt::format("bad {} '{}': it takes no such value",
                     what.substr(colon + 2, equals - colon - 2), what.substr(equals + 3));
}

}  // namespace

namespace {

const Parts* parts_of_program = nullptr;

void HandOverWhatIsMissing(const std::vector<std::string>& argv) {
  const std::vector<std::string> words(argv.begin() + 1, argv.end());
  const std::string needs = WhatNeedsTheWhole(words, SubjectKinds());
  if (!needs.empty()) BecomeTheWhole(words, needs);
}

}  // namespace

const Parts& PartsOfProgram() {
  EXH_CHECK(parts_of_program != nullptr);
  return *parts_of_program;
}

int RunProgram(int argc, char** argv, const Parts& parts) {
  parts_of_program = &parts;
  Invocation invocation;
  invocation.argv.assign(argv, argv + argc);
  invocation.program = invocation.argv.front();
  CLI::App app("Searches the implementations of a kernel for the fastest one.", "search");
  AddSearchCommand(app, invocation);
  AddListCommand(app, invocation);
  AddFormatCommand(app, invocation);
  AddLogCommand(app, invocation);
  AddReplayCommand(app, invocation);
  AddWorkerCommand(app, invocation);
  AddEmitCommand(app, invocation);
  AddExplainCommand(app, invocation);
  AddBoundCommand(app, invocation);
  AddDevicesCommand(app, invocation);
  parts.add(app, invocation);
  AddAskPluginCommand(app, invocation);
  AddDeviceProcessCommands(app, invocation);
  app.set_version_flag("--version", VersionText());
  std::vector<std::string> plugins;
  AddPluginOption(app, plugins);
  AllowExtras(app);
  CheckNumbers(app);
  try {
    if (&parts == &NoParts()) HandOverWhatIsMissing(invocation.argv);
    app.parse(argc, argv);
    RefuseLeftovers(app);
    for (const std::string& file : plugins) {
      LoadPlugin(file);
      invocation.program += " --plugin " + Quoted(file);
      invocation.plugins.push_back(file);
    }
    return invocation.run();
  } catch (const CLI::Success& success) {  // --help, --version
    return app.exit(success);
  } catch (const CLI::ConversionError& error) {
    fmt::print(stderr, "search: {}\n", ShortLines(ConversionText(error.what()), kLongestLine));
    return 2;
  } catch (const CLI::ParseError& error) {
    fmt::print(stderr, "search: {}\n", ShortLines(error.what(), kLongestLine));
    return 2;
  } catch (const UsageError& error) {
    fmt::print(stderr, "search: {}\n", ShortLines(error.what(), kLongestLine));
    return 2;
  } catch (const Refused& refused) {
    fmt::print(stderr,
               "search: code generation has no code for it, though the space allows it: {}\n",
               refused.what());
    return 1;
  } catch (const std::filesystem::filesystem_error& error) {
    fmt::print(stderr, "search: '{}': {}\n", error.path1().string(), error.code().message());
    return 1;
  } catch (const std::exception& error) {
    fmt::print(stderr, "search: {}\n", ShortLines(error.what(), kLongestLine));
    return 1;
  }
}

}  // namespace exh::search
