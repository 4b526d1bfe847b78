// SPDX-License-Identifier: MIT
//
// The server within the process: texts of the tree with pieces changed, and every request at places
// in them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "lsp/languages/language.h"
#include "lsp/server.h"
#include "tests/lsp/tree_files.h"

namespace exh::lsp {
namespace {

class Asker {
 public:
  Asker() : server_([this](std::string_view json) { Take(json); }) {
    Ask("initialize", Json::object());
  }

  /// The answer, whole.
  Json Ask(const std::string& method, const Json& params) {
    answers_.clear();
    server_.Receive(
        Json{{"jsonrpc", "2.0"}, {"id", ++last_}, {"method", method}, {"params", params}}.dump());
    EXPECT_EQ(answers_.size(), 1U) << method;
    return answers_.empty() ? Json() : answers_.front();
  }
  void Tell(const std::string& method, const Json& params) {
    server_.Receive(Json{{"jsonrpc", "2.0"}, {"method", method}, {"params", params}}.dump());
  }
  /// How many diagnostics were told.
  int Diagnostics() {
    told_ = 0;
    while (server_.TellOne()) {
    }
    return told_;
  }

 private:
  void Take(std::string_view json) {
    Json message = Json::parse(json);
    if (message.contains("method")) {
      told_ += message["method"] == "textDocument/publishDiagnostics"
                   ? static_cast<int>(message["params"]["diagnostics"].size())
                   : 0;
    } else {
      answers_.push_back(std::move(message));
    }
  }

  LanguageServer server_;
  std::vector<Json> answers_;
  int last_ = 0, told_ = 0;
};

std::string Mutated(std::string text, std::mt19937& random) {
  static const std::vector<std::string> pieces = {"",    "$",    "\"", "é",  "😀", "(",  "\n",
                                                  "end", "set ", "//", "/*", "[", "->", ":"};
  for (std::uint32_t i = random() % 4; i-- > 0;) {
    const std::size_t at = random() % (text.size() + 1);
    const std::string piece = random() % 3 == 0 ? text.substr(random() % (text.size() + 1), 20)
                                                : pieces[random() % pieces.size()];
    text.replace(at, random() % 8, piece);
  }
  return text;
}

/// Whether the text is one that JSON may hold.
bool IsText(const std::string& text) {
  try {
    return !Json(text).dump().empty();
  } catch (const Json::exception&) {
    return false;
  }
}

TEST(Server, AnswersEverythingAboutAnyText) {
  const std::vector<std::string> methods = {
      "hover",         "definition", "references", "documentHighlight", "documentSymbol",
      "prepareRename", "rename",     "completion", "formatting",        "semanticTokens/full"};
  std::mt19937 random(58);
  std::map<std::string, int> results;
  for (const auto& language : Languages()) {
    const std::vector<std::string> files = FilesOfTheTree(language->suffix());
    for (int round = 0; round < 60; ++round) {
      const std::string text = Mutated(ReadWhole(files[random() % files.size()]), random);
      if (text.size() > 20000 || !IsText(text)) continue;
      Asker editor;
      const std::string uri = fmt::format("untitled:{}", round);
      editor.Tell("textDocument/didOpen", {{"textDocument",
                                            {{"uri", uri},
                                             {"languageId", std::string(language->id())},
                                             {"version", 1},
                                             {"text", text}}}});
      editor.Diagnostics();
      const LineTable lines(text);
      for (int place = 0; place < 8; ++place) {
        const EditorPosition at =
            lines.PositionOf(static_cast<std::uint32_t>(random() % (text.size() + 1)));
        const std::string& method = methods[random() % methods.size()];
        const Json answer =
            editor.Ask("textDocument/" + method,
                       {{"textDocument", {{"uri", uri}}},
                        {"position", {{"line", at.line}, {"character", at.character}}},
                        {"newName", random() % 2 == 0 ? "fresh_1" : "Fresh_1"}});
        if (answer.contains("result")) {
          ++results[method];
        } else {
          const int code = answer["error"]["code"];
          EXPECT_TRUE(code == -32602 || code == -32803) << answer << "\n" << text;
        }
      }
    }
  }
  EXPECT_EQ(results.size(), methods.size());
}

}  // namespace
}  // namespace exh::lsp
