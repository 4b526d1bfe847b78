// SPDX-License-Identifier: MIT
#include "search/view/http/http_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

// clang-format off
#include <httplib.h>
// clang-format on

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <string>
#include <utility>

namespace exh::search {
namespace {

using Clock = std::chrono::steady_clock;

constexpr const char* kHost = "127.0.0.1";
constexpr std::size_t kMostRequestBytes = 16 << 10;
constexpr auto kMostTime = std::chrono::seconds(10);
/// Events for eight, and as many requests as a slow client may want to hold up.
constexpr std::size_t kThreads = 40;

int MillisecondsUntil(Clock::time_point deadline) {
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
  return static_cast<int>(std::max<Clock::rep>(0, left.count()));
}

/// A connection on which one request may come: not too long, and not too late. The library bounds
/// neither of both.
class BoundedStream : public httplib::Stream {
 public:
  explicit BoundedStream(socket_t socket) : socket_(socket) {}

  bool is_readable() const override { return begin_ < end_ || Wait(POLLIN, 0); }
  /// A client that has gone is none.
  bool is_writable() const override {
    pollfd wanted{socket_, POLLRDHUP, 0};
    if (::poll(&wanted, 1, 0) > 0) return false;
    return Wait(POLLOUT, static_cast<int>(std::chrono::milliseconds(kMostTime).count()));
  }

  ssize_t read(char* to, size_t size) override {
    if (begin_ == end_ && !Fill()) return -1;
    const std::size_t count = std::min(size, end_ - begin_);
    std::memcpy(to, buffer_.data() + begin_, count);
    begin_ += count;
    return static_cast<ssize_t>(count);
  }

  ssize_t write(const char* text, size_t size) override {
    has_answered_ = true;
    for (std::size_t sent = 0; sent < size;) {
      if (!Wait(POLLOUT, static_cast<int>(std::chrono::milliseconds(kMostTime).count()))) return -1;
      const ssize_t count = ::send(socket_, text + sent, size - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
      if (count < 0 && errno != EINTR && errno != EAGAIN) return -1;
      sent += static_cast<std::size_t>(std::max<ssize_t>(0, count));
    }
    return static_cast<ssize_t>(size);
  }

  // Only 127.0.0.1 connects, and nobody asks from where.
  void get_remote_ip_and_port(std::string& ip, int& port) const override { Nobody(ip, port); }
  void get_local_ip_and_port(std::string& ip, int& port) const override { Nobody(ip, port); }
  socket_t socket() const override { return socket_; }

  /// The request was longer than one may be.
  bool is_too_long() const { return received_ >= kMostRequestBytes; }
  bool has_answered() const { return has_answered_; }

 private:
  static void Nobody(std::string& ip, int& port) {
    ip = kHost;
    port = 0;
  }

  bool Wait(short what, int milliseconds) const {
    pollfd wanted{socket_, what, 0};
    int ready = -1;
    do {
      ready = ::poll(&wanted, 1, milliseconds);
    } while (ready < 0 && errno == EINTR);
    return ready > 0 && (wanted.revents & what) != 0;
  }

  bool Fill() {
    if (is_too_long() || !Wait(POLLIN, MillisecondsUntil(deadline_))) return false;
    const std::size_t most = std::min(buffer_.size(), kMostRequestBytes - received_);
    ssize_t count = -1;
    do {
      count = ::recv(socket_, buffer_.data(), most, 0);
    } while (count < 0 && errno == EINTR);
    if (count <= 0) return false;
    received_ += static_cast<std::size_t>(count);
    begin_ = 0;
    end_ = static_cast<std::size_t>(count);
    return true;
  }

  socket_t socket_;
  Clock::time_point deadline_ = Clock::now() + kMostTime;
  std::array<char, 4096> buffer_{};
  std::size_t begin_ = 0, end_ = 0, received_ = 0;
  bool has_answered_ = false;
};

/// The library reads requests and writes answers; which socket, and how much, is said here.
class Library : public httplib::Server {
 public:
  explicit Library(HttpHandler& handler) : handler_(handler) {
    new_task_queue = [] { return new httplib::ThreadPool(kThreads); };
    // As it is, two programs may have the same port, and get every other connection.
    set_socket_options([](socket_t socket) {
      const int yes = 1;
      ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    });
    set_tcp_nodelay(true);
    set_payload_max_length(0);
    set_pre_routing_handler([this](const httplib::Request& request, httplib::Response& response) {
      Answer(request, response);
      return HandlerResponse::Handled;
    });
  }

 private:
  // NOLINTNEXTLINE: the name is the library's.
  bool process_and_close_socket(socket_t socket) override {
    BoundedStream stream(socket);
    bool is_closed = false;
    // Nothing is packed, and nothing is asked for in parts.
    const bool is_done = process_request(stream, /*close_connection=*/true, is_closed,
                                         [](httplib::Request& request) {
                                           request.headers.erase("Accept-Encoding");
                                           request.ranges.clear();
                                         });
    if (stream.is_too_long() && !stream.has_answered()) {
      constexpr std::string_view kTooLong =
          "HTTP/1.1 431 Request Header Fields Too Large\r\nConnection: close\r\n"
          "Content-Length: 0\r\n\r\n";
      stream.write(kTooLong.data(), kTooLong.size());
    }
    ::shutdown(socket, SHUT_RDWR);
    ::close(socket);
    return is_done;
  }

  void Answer(const httplib::Request& request, httplib::Response& response) {
    HttpAnswer answer = handler_.Answer({request.method, request.get_header_value("Host"),
                                         request.path, request.get_param_value("from"),
                                         request.get_header_value("Last-Event-ID")});
    response.status = answer.status;
    response.set_header("Content-Security-Policy", answer.policy);
    response.set_header("X-Content-Type-Options", "nosniff");
    response.set_header("Referrer-Policy", "no-referrer");
    response.set_header("Cross-Origin-Resource-Policy", "same-origin");
    response.set_header("Cross-Origin-Opener-Policy", "same-origin");
    response.set_header("Cache-Control", "no-store");
    if (!answer.events) {
      response.set_content(answer.body, answer.type.c_str());
      return;
    }
    const std::shared_ptr<EventStream> events = std::move(answer.events);
    response.set_chunked_content_provider(
        answer.type.c_str(), [events](std::size_t /*offset*/, httplib::DataSink& sink) {
          const std::string text = events->Next();
          // Else one that has gone kept its place until something is written to it.
          if (!sink.is_writable()) return false;
          if (!text.empty() && !sink.write(text.data(), text.size())) return false;
          if (events->HasEnded()) sink.done();
          return true;
        });
  }

  HttpHandler& handler_;
};

class LibraryServer : public HttpServer {
 public:
  explicit LibraryServer(HttpHandler& handler) : library_(handler) {}

  int Bind(int port) override {
    const int taken = port == 0 ? library_.bind_to_any_port(kHost)
                                : (library_.bind_to_port(kHost, port) ? port : -1);
    return taken > 0 ? taken : -WhyNot(port);
  }
  void Serve() override { library_.listen_after_bind(); }
  void Stop() override { library_.stop(); }

 private:
  /// What the system says of such a port; the library does not tell.
  static int WhyNot(int port) {
    const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (socket < 0) return errno;
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    ::inet_pton(AF_INET, kHost, &address.sin_addr);
    const int yes = 1;
    ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    const int done = ::bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address);
    const int error = done != 0 ? errno : EADDRINUSE;
    ::close(socket);
    return error;
  }

  Library library_;
};

}  // namespace
}  // namespace exh::search

extern "C" {

__attribute__((visibility("default"))) int exh_http_interface() {
  return exh::search::kHttpInterface;
}

/// The caller deletes it.
__attribute__((visibility("default"))) exh::search::HttpServer* exh_make_http_server(
    exh::search::HttpHandler* handler) {
  return new exh::search::LibraryServer(*handler);
}
}
