// SPDX-License-Identifier: MIT
//
// A program that is asked by lines of JSON on its standard input, and answers on its standard
// output. Lines that begin with anything but `{` are its own business: what a program prints by the
// way does no harm. All that is read is bounded. It and everything that it starts are gone with
// this object, after a time that was too long, and when this process dies.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/stop.h"
#include "base/system/descriptor.h"
#include "base/system/process_tree.h"

namespace exh::search {

class LineProcess {
 public:
  /// What a program may write until an answer is whole.
  static constexpr std::size_t kMostBytes = std::size_t{1} << 20;

  enum class End : std::uint8_t {
    kAnswered,    ///< `line` is the answer.
    kEnded,       ///< It has ended, and `why` says how.
    kTimedOut,    ///< It took too long, and was killed.
    kFlooded,     ///< It wrote too much without an answer, and was killed.
    kStopped,     ///< The token was stopped, and it was killed.
    kNotStarted,  ///< `why`.
  };
  struct Reply {
    End end = End::kNotStarted;
    std::string line, why;
  };

  /// `command` is the shell's. It begins with the first question.
  LineProcess(std::string command, std::vector<std::string> environment)
      : command_(std::move(command)), environment_(std::move(environment)) {}
  ~LineProcess();
  LineProcess(const LineProcess&) = delete;
  LineProcess& operator=(const LineProcess&) = delete;

  /// Is this line an answer to something that was asked before? Then it is passed over.
  using IsOld = std::function<bool(const std::string& line)>;

  /// Sends the line, and waits for the next one that begins with `{`. Starts the program where it
  /// does not run; one that ends over the line and had answered others before is started anew and
  /// asked once more, for it may have ended of itself. Not from two threads at once. The token may
  /// be null.
  Reply Ask(const std::string& line, double timeout_s, const StopToken* stop, const IsOld& is_old);

  /// Has it answered anything since it was started the last time?
  bool has_answered() const { return has_answered_; }
  bool is_running() const { return tree_.is_running(); }
  /// The last line that it has written to its standard error; may be empty.
  std::string LastComplaint() const;
  /// Ends it, with everything that it started; the next question starts it anew.
  void Kill();

 private:
  Reply AskOnce(const std::string& line, double timeout_s, const StopToken* stop,
                const IsOld& is_old);
  /// Empty, or why it could not be started.
  std::string Start();
  /// The next line that is an answer of what was read; false: there is none yet.
  bool TakeLine(std::string& line, const IsOld& is_old);
  Reply Gone(const ProcessEnd& end);

  const std::string command_;
  const std::vector<std::string> environment_;
  ProcessTree tree_;
  Descriptor socket_, output_, errors_;
  std::string input_;
  std::size_t passed_ = 0;  ///< Bytes of lines that are no answers, since the last question.
  bool has_answered_ = false;
};

}  // namespace exh::search
