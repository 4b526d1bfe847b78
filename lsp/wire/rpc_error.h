// SPDX-License-Identifier: MIT
#pragma once

#include <stdexcept>
#include <string>

namespace exh::lsp {

/// Numbers of JSON-RPC and of the Language Server Protocol.
enum class RpcCode : int {
  kParseError = -32700,
  kInvalidRequest = -32600,
  kMethodNotFound = -32601,
  kInvalidParams = -32602,
  kInternalError = -32603,
  kNotInitialized = -32002,
  kRequestFailed = -32803,
  kRequestCancelled = -32800,
};

/// What is answered to a request that is wrong, or that cannot be met: words for the person who
/// edits, or for who writes the editor.
class RpcError : public std::runtime_error {
 public:
  RpcError(RpcCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  RpcCode code() const { return code_; }

 private:
  RpcCode code_;
};

}  // namespace exh::lsp
