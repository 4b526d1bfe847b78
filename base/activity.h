// SPDX-License-Identifier: MIT
//
// Where the time of a run goes: what each of its threads is at, and for how long. A scope says what
// a thread does while it lasts; the time of a scope within it is that one's and not its own.
//
//   const Doing look(Activity::kLook);        the seconds from here on are of "look" …
//   {
//     const Doing lower(Activity::kLower);    … but for these
//   }
//
// A scope takes two readings of the clock: it is for what takes a microsecond or more.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace exh {

/// What threads of a search do. The first ones look for candidates, the others judge them.
enum class Activity : std::uint8_t {
  kDescend,  ///< Decide and propagate.
  kLook,     ///< Ask the lower bound and the cost model.
  kLower,    ///< Loop trees, what they cost, texts.
  kCompile,
  kFull,  ///< Wait until what was found is judged.
  kCheck,
  kTime,   ///< Run and time, without the check.
  kLearn,  ///< Teach cost model, elites and tree.
  kWait,   ///< Wait for a candidate.
};
inline constexpr std::size_t kNumActivities = 9;

/// As logs call it: "descend".
std::string_view NameOf(Activity activity);

/// Seconds by activity.
using ActivitySeconds = std::array<double, kNumActivities>;

/// Of all threads of this process, until now; of scopes that last what is over.
ActivitySeconds SecondsOfActivities();

class Doing {
 public:
  explicit Doing(Activity activity);
  ~Doing();
  Doing(const Doing&) = delete;
  Doing& operator=(const Doing&) = delete;

  /// So many of the seconds that this scope will count were of another activity. It is found out
  /// later: a process of its own says how long its check took.
  void Move(Activity to, double seconds);

 private:
  const Doing* outer_;
  Activity outer_activity_, activity_;
};

}  // namespace exh
