// SPDX-License-Identifier: MIT
//
// HTTP on 127.0.0.1 for one handler, in a file of its own that is loaded when somebody wants it
// (load_http.h). So `search` itself needs none of the libraries that it rests on. What is here is
// all that both sides know of each other; whoever changes it changes kHttpInterface.
#pragma once

#include <memory>
#include <string>

namespace exh::search {

inline constexpr int kHttpInterface = 1;

struct HttpRequest {
  std::string method;  ///< "GET".
  std::string host;    ///< What the client calls this server, as it said it.
  std::string path;    ///< Decoded, without the query.
  std::string from;    ///< The value of `from` in the query.
  std::string last_event_id;
};

/// Server-sent events for one client. It goes when the client does.
class EventStream {
 public:
  EventStream() = default;
  EventStream(const EventStream&) = delete;
  EventStream& operator=(const EventStream&) = delete;
  virtual ~EventStream() = default;
  /// The text of the next events; waits for them, but no longer than a second. Empty: none came.
  virtual std::string Next() = 0;
  /// There are no more.
  virtual bool HasEnded() const = 0;
};

struct HttpAnswer {
  int status = 200;
  std::string type = "text/html; charset=utf-8";
  std::string body;
  std::string policy;                   ///< Its Content-Security-Policy.
  std::unique_ptr<EventStream> events;  ///< In place of the body, when there are some.
};

/// Called by several threads at once. Never throws.
class HttpHandler {
 public:
  virtual ~HttpHandler() = default;
  virtual HttpAnswer Answer(const HttpRequest& request) = 0;
};

/// Each connection has one request, which is at most 16 KB and is there within 10 seconds. A
/// client that takes nothing for 10 seconds is given up.
class HttpServer {
 public:
  virtual ~HttpServer() = default;
  /// Takes the port; 0: any that is free. Returns it, or the negative error of the system.
  virtual int Bind(int port) = 0;
  /// Serves until Stop().
  virtual void Serve() = 0;
  virtual void Stop() = 0;
};

/// What the file exports: by these names, as functions of C.
inline constexpr const char* kHttpInterfaceSymbol = "exh_http_interface";
inline constexpr const char* kMakeHttpSymbol = "exh_make_http_server";
using HttpInterfaceFunction = int (*)();
using MakeHttpFunction = HttpServer* (*)(HttpHandler* handler);

}  // namespace exh::search
