// SPDX-License-Identifier: MIT
#include "lsp/server.h"

#include <fmt/format.h>

#include <deque>
#include <exception>

#include "base/spelling.h"
#include "base/user_json.h"
#include "base/version/version.h"
#include "lsp/answers/diagnostics.h"
#include "lsp/answers/names.h"
#include "lsp/answers/places.h"
#include "lsp/answers/writing.h"
#include "lsp/text/uri.h"
#include "lsp/wire/message_stream.h"
#include "lsp/wire/rpc_error.h"

namespace exh::lsp {
namespace {

constexpr std::size_t kLongestMessage = 1000;  ///< Of what is said about a message.

/// What the editor is told that there is.
Json Capabilities() {
  return {{"positionEncoding", "utf-16"},
          {"textDocumentSync",
           {{"openClose", true}, {"change", 2}, {"save", {{"includeText", false}}}}},
          {"hoverProvider", true},
          {"definitionProvider", true},
          {"referencesProvider", true},
          {"documentHighlightProvider", true},
          {"documentSymbolProvider", true},
          {"renameProvider", {{"prepareProvider", true}}},
          {"completionProvider", {{"triggerCharacters", {"$"}}}},
          {"documentFormattingProvider", true},
          {"semanticTokensProvider", {{"legend", ColourLegend()}, {"full", true}}}};
}

bool IsId(const Json& id) {
  return id.is_string() || id.is_number_integer() || id.is_null();
}

}  // namespace

void LanguageServer::Send(const Json& message) const {
  // Texts may hold any bytes; what is not UTF-8 is replaced, never a reason to fail.
  send_(message.dump(-1, ' ', false, Json::error_handler_t::replace));
}

void LanguageServer::SendError(const Json& id, int code, const std::string& message) const {
  Send({{"jsonrpc", "2.0"},
        {"id", id},
        {"error", {{"code", code}, {"message", Shortened(message, kLongestMessage)}}}});
}

void LanguageServer::Log(const std::string& message) const {
  Send({{"jsonrpc", "2.0"},
        {"method", "window/logMessage"},
        {"params", {{"type", 1}, {"message", Shortened(message, kLongestMessage)}}}});
}

void LanguageServer::ReceiveGarbage(const std::string& why) {
  SendError(nullptr, static_cast<int>(RpcCode::kParseError), why);
}

void LanguageServer::Receive(std::string_view text) {
  Json message;
  try {
    message = ParseUserJson(text);
  } catch (const std::exception& error) {
    return ReceiveGarbage(error.what());
  }
  const auto refuse = [&](const Json& id, const std::string& why) {
    SendError(id, static_cast<int>(RpcCode::kInvalidRequest), why);
  };
  if (!message.is_object()) return refuse(nullptr, "a message is an object; there are no lists");
  const auto id = message.find("id");
  const bool is_request = id != message.end();
  const Json number = is_request ? *id : Json();
  if (is_request && !IsId(number)) return refuse(nullptr, "'id' is a number or a text");
  const auto method = message.find("method");
  if (method == message.end()) {
    const bool answers = message.contains("result") || message.contains("error");
    if (!answers) refuse(number, "'method' is missing");
    return;  // We ask the editor nothing.
  }
  if (!method->is_string()) return refuse(number, "'method' is no text");
  const auto found = message.find("params");
  const Json params = found == message.end() ? Json::object() : std::move(*found);
  const std::string name = method->get<std::string>();
  try {
    if (!is_request) return Notify(name, params);
    if (cancelled_.erase(number.dump()) > 0) {
      throw RpcError(RpcCode::kRequestCancelled, "the request was cancelled");
    }
    Json result = Answer(name, params);
    Send({{"jsonrpc", "2.0"}, {"id", number}, {"result", std::move(result)}});
  } catch (const RpcError& error) {
    if (is_request) return SendError(number, static_cast<int>(error.code()), error.what());
    Log(fmt::format("{}: {}", name, error.what()));
  } catch (const std::exception& error) {
    if (is_request) {
      return SendError(number, static_cast<int>(RpcCode::kInternalError), error.what());
    }
    Log(fmt::format("{}: {}", name, error.what()));
  }
}

void LanguageServer::Cancel(const Json& id) {
  constexpr std::size_t kMost = 1000;  // Most come too late: their requests are answered.
  if (cancelled_.size() >= kMost) cancelled_.clear();
  cancelled_.insert(id.dump());
}

void LanguageServer::Notify(const std::string& method, const Json& params) {
  if (method == "exit") {
    exit_code_ = state_ == State::kShutDown ? 0 : 1;
    return;
  }
  if (state_ != State::kRunning) return;  // As the protocol asks for.
  if (method == "textDocument/didOpen") return Open(params);
  if (method == "textDocument/didChange") return Change(params);
  if (method == "textDocument/didSave") return Save(params);
  if (method == "textDocument/didClose") return Close(params);
  if (method == "workspace/didChangeWatchedFiles") return FilesChanged(params);
  if (method == "$/cancelRequest") return Cancel(MemberOf(params, "id"));
  // What we do not know of may be passed over: `initialized`, `$/setTrace`, settings.
}

Json LanguageServer::Answer(const std::string& method, const Json& params) {
  if (method == "initialize") {
    if (state_ == State::kNew) return Initialize();
    throw RpcError(RpcCode::kInvalidRequest, "'initialize' comes once");
  }
  if (state_ == State::kNew) {
    throw RpcError(RpcCode::kNotInitialized,
                   fmt::format("'{}' before 'initialize'", Shortened(method, 80)));
  }
  if (state_ == State::kShutDown) {
    throw RpcError(RpcCode::kInvalidRequest, "behind 'shutdown' comes nothing but 'exit'");
  }
  if (method == "shutdown") {
    state_ = State::kShutDown;
    return nullptr;
  }
  return AnswerFor(method, params);
}

Json LanguageServer::Initialize() {
  state_ = State::kRunning;
  return {{"capabilities", Capabilities()},
          {"serverInfo", {{"name", "exhc lsp"}, {"version", Version()}}}};
}

Json LanguageServer::AnswerFor(const std::string& method, const Json& params) {
  const auto position = [&] { return PositionOf(MemberOf(params, "position")); };
  const auto at = [&] { return workspace_.At(UriOf(params), position()); };
  const auto document = [&] { return workspace_.At(UriOf(params)); };
  if (method == "textDocument/hover") return HoverAt(at());
  if (method == "textDocument/definition") return DefinitionAt(at(), workspace_);
  if (method == "textDocument/references") {
    const Json* const context = FindMember(params, "context");
    const Json* const with =
        context == nullptr ? nullptr : FindMember(*context, "includeDeclaration");
    return ReferencesAt(at(), with != nullptr && with->is_boolean() && with->get<bool>(),
                        workspace_);
  }
  if (method == "textDocument/documentHighlight") return HighlightsAt(at());
  if (method == "textDocument/documentSymbol") return OutlineOf(document());
  if (method == "textDocument/prepareRename") return RenameableAt(at());
  if (method == "textDocument/rename") {
    const std::string name = TextOf(params, "newName");
    return Renamed(at(), name, workspace_);
  }
  if (method == "textDocument/completion") {
    return CompletionAt(workspace_.At(UriOf(params), position(), /*roughly=*/true));
  }
  if (method == "textDocument/formatting") return FormattingOf(document());
  if (method == "textDocument/semanticTokens/full") return ColoursOf(document());
  throw RpcError(RpcCode::kMethodNotFound,
                 fmt::format("there is no method '{}'", Shortened(method, 80)));
}

void LanguageServer::Open(const Json& params) {
  const Json& document = MemberOf(params, "textDocument");
  const std::string uri = TextOf(document, "uri");
  const std::string language = TextOf(document, "languageId");
  const std::int64_t version = NumberOf(document, "version");
  std::string text = TextOf(document, "text");
  try {
    workspace_.documents().Open(uri, language, version, std::move(text));
  } catch (const RpcError& error) {
    Log(error.what());
  }
  workspace_.Changed(workspace_.documents().At(uri).path, true);
}

void LanguageServer::Change(const Json& params) {
  const std::string uri = UriOf(params);
  const std::int64_t version = NumberOf(MemberOf(params, "textDocument"), "version");
  const OpenDocument& document = workspace_.documents().Change(uri, version, ChangesOf(params));
  workspace_.Changed(document.path, false);
}

void LanguageServer::Save(const Json& params) {
  workspace_.Changed(workspace_.documents().At(UriOf(params)).path, true);
}

void LanguageServer::Close(const Json& params) {
  const std::string uri = UriOf(params);
  const std::string path = workspace_.documents().PathOf(uri);
  workspace_.documents().Close(uri);
  workspace_.Changed(path, true);
  // What was told of it is taken back.
  Send({{"jsonrpc", "2.0"},
        {"method", "textDocument/publishDiagnostics"},
        {"params", {{"uri", uri}, {"diagnostics", Json::array()}}}});
}

void LanguageServer::FilesChanged(const Json& params) {
  const Json& changes = MemberOf(params, "changes");
  for (const Json& change : changes) {
    workspace_.Changed(RealPath(PathOfUri(TextOf(change, "uri"))), true);
  }
}

bool LanguageServer::TellOne() {
  const auto uri = workspace_.NextUntold();
  if (!uri) return false;
  try {
    Send({{"jsonrpc", "2.0"},
          {"method", "textDocument/publishDiagnostics"},
          {"params", DiagnosticsOf(workspace_.At(*uri), workspace_)}});
  } catch (const std::exception& error) {
    Log(fmt::format("{}: {}", *uri, error.what()));
  }
  return true;
}

int Serve(int in, int out) {
  MessageStream stream(in, out);
  bool is_gone = false;
  LanguageServer server([&](std::string_view json) { is_gone = is_gone || !stream.Send(json); });
  struct Event {
    bool is_garbage = false;
    std::string text;
  };
  constexpr std::size_t kMostWaiting = 1000;
  // Behind a key an editor asks what could stand there. That need not wait for mistakes to be
  // found.
  constexpr int kQuietMs = 20;
  std::deque<Event> waiting;
  bool has_ended = false;
  while (!is_gone && !server.exit_code()) {
    // All that has come is read first: of a request that is cancelled behind it nothing is made.
    while (!has_ended && waiting.size() < kMostWaiting) {
      Event event;
      const bool idle = waiting.empty();
      auto got = stream.Next(idle ? kQuietMs : 0, &event.text);
      if (got == MessageStream::Got::kNothing && idle) {
        if (server.TellOne()) continue;
        got = stream.Next(-1, &event.text);
      }
      has_ended = got == MessageStream::Got::kEnd;
      if (has_ended || got == MessageStream::Got::kNothing) break;
      event.is_garbage = got == MessageStream::Got::kGarbage;
      constexpr std::string_view kCancel = "$/cancelRequest";
      if (!event.is_garbage && event.text.find(kCancel) != std::string::npos &&
          event.text.size() < 1000) {
        server.Receive(event.text);  // Ahead of what it cancels.
        continue;
      }
      waiting.push_back(std::move(event));
    }
    if (waiting.empty()) {
      if (has_ended) break;
      continue;
    }
    const Event event = std::move(waiting.front());
    waiting.pop_front();
    if (event.is_garbage) {
      server.ReceiveGarbage(event.text);
    } else {
      server.Receive(event.text);
    }
  }
  return server.exit_code().value_or(server.is_shut_down() && !is_gone ? 0 : 1);
}

}  // namespace exh::lsp
