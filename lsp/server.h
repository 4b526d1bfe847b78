// SPDX-License-Identifier: MIT
//
// The Language Server Protocol: which message may come when, and who answers it. A request is
// always answered, by a result or by an error; a notification never is, and what is wrong with one
// is logged (`window/logMessage`).
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "lsp/answers/params.h"
#include "lsp/workspace.h"

namespace exh::lsp {

class LanguageServer {
 public:
  /// `send` gets each message for the editor, as JSON.
  explicit LanguageServer(std::function<void(std::string_view)> send) : send_(std::move(send)) {}

  /// A message of the editor: what is no JSON, or no message, is answered as well.
  void Receive(std::string_view message);
  /// Something that was no message: `why`, in words.
  void ReceiveGarbage(const std::string& why);

  /// Requests with this id need no answer any more.
  void Cancel(const Json& id);

  /// Tells the diagnostics of one document that is not told since it changed; false: all are.
  bool TellOne();

  /// The exit code, once the editor has asked for the end.
  std::optional<int> exit_code() const { return exit_code_; }
  /// Whether it has said that it is about to.
  bool is_shut_down() const { return state_ == State::kShutDown; }

 private:
  enum class State { kNew, kRunning, kShutDown };

  void Notify(const std::string& method, const Json& params);
  Json Answer(const std::string& method, const Json& params);
  Json AnswerFor(const std::string& method, const Json& params);
  Json Initialize();
  void Open(const Json& params);
  void Change(const Json& params);
  void Save(const Json& params);
  void Close(const Json& params);
  void FilesChanged(const Json& params);
  void Send(const Json& message) const;
  void SendError(const Json& id, int code, const std::string& message) const;
  void Log(const std::string& message) const;

  std::function<void(std::string_view)> send_;
  State state_ = State::kNew;
  std::optional<int> exit_code_;
  std::set<std::string> cancelled_;
  Workspace workspace_;
};

/// Serves over two file descriptors until the editor asks for the end, or is gone. The exit code: 0
/// where the end was announced.
int Serve(int in, int out);

}  // namespace exh::lsp
