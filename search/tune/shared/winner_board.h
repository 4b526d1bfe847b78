// SPDX-License-Identifier: MIT
//
// The boards of a fleet: what won, so that shapes that come later begin with it. A board is a file
// with one writer, to which lines are only added; everybody reads all of them.
//
//   {"t":"board","format":1,"tool":"search 0.1.0 1f0c…"}
//   {"kernel":"matmul","text":"","sizes":{"m":"512", …},"device":"cpu EPYC","stamp":"0.1.0 1f0c…",
//    "ns":71900,"at":"2026-…","run":"matmul-m512-…","path":["size(load_a.m0)=64", …]}
//
// A winner says which decisions are worth a try, and nothing else. Its time is of another shape,
// and often of another machine: it cuts nothing.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "search/log/log_reader.h"
#include "search/tune/fleet_folder.h"
#include "search/tune/line_file.h"

namespace exh::search {

/// What won one shape.
struct BoardWinner {
  std::string kernel;
  std::string text;  ///< A hash of the kernel's text; empty: it is of the library.
  SizeList sizes;    ///< As those of the shape.
  std::string device;
  std::string stamp;  ///< Of the program that searched.
  double ns = 0;
  std::string at;                 ///< UTC.
  std::string run;                ///< The shape's name.
  std::vector<std::string> path;  ///< "size(load_a.m0)=64", in the order taken.
};

/// What times are comparable on, in a word: the device's name and its model, where it has one.
std::string DeviceKey(const std::string& name,
                      const std::map<std::string, std::string, std::less<>>& limits);

/// What the winners of a kernel on a device have in common, as this program writes them.
BoardWinner KeyOf(const TuneShape& shape, const std::string& device);

/// The winner of a log, which has a best.
BoardWinner WinnerOf(const TuneShape& shape, const Log& log);

/// The board that this process writes to.
class WinnerBoard {
 public:
  /// Throws UsageError when another process writes to it, or it is of another format; Error when it
  /// cannot be written.
  explicit WinnerBoard(const std::string& path);
  /// Throws Error.
  void Add(const BoardWinner& winner) { file_.Append(ToJson(winner)); }

 private:
  static nlohmann::ordered_json ToJson(const BoardWinner& winner);
  LineFile file_;
};

/// All winners of a fleet. `refused`: boards that this program cannot read, each with its reason.
std::vector<BoardWinner> ReadBoards(const FleetFolder& folder, std::vector<std::string>& refused);

/// Winners of the same kernel, options and device at other sizes: at most so many, those of the
/// nearest sizes first. Of one run the last is taken.
std::vector<BoardWinner> Nearest(const std::vector<BoardWinner>& all, const TuneShape& shape,
                                 const std::string& device, std::size_t most);

/// A list of decisions for `search --first`.
std::string FirstText(const BoardWinner& winner);

}  // namespace exh::search
