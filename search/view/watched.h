// SPDX-License-Identifier: MIT
//
// What a page watches: a run that goes on, or a fleet. A page begins with all of it, and is then
// told what has changed since. How far it is says a *place*, a short text that the page sends back
// when it connects again, so that nobody has to know who is connected.
#pragma once

#include <string>

namespace exh::search {

/// What a page that stands at some place lacks.
struct PageNews {
  std::string place;  ///< Where it stands when it has this.
  std::string data;   ///< JSON in one line; empty: nothing is new.
  bool anew = false;  ///< What it has is of no use: it is to be loaded again.
};

class Watched {
 public:
  Watched() = default;
  Watched(const Watched&) = delete;
  Watched& operator=(const Watched&) = delete;
  virtual ~Watched() = default;

  /// Looks for what is new, and says whether there is something. One thread calls it, others may
  /// call what follows meanwhile. Never throws.
  virtual bool Look() = 0;
  /// Why there is nothing to show yet, or nothing that can be shown; empty: there is a page.
  virtual std::string WhyNoPage() = 0;
  /// All of it as the data of a page, which there is. `made`: the time of day, UTC.
  virtual std::string PageData(const std::string& made) = 0;
  virtual std::string Title() = 0;
  virtual PageNews Since(const std::string& place) = 0;
};

}  // namespace exh::search
