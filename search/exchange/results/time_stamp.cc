// SPDX-License-Identifier: MIT
#include "search/exchange/results/time_stamp.h"

#include <fmt/format.h>

#include <charconv>
#include <chrono>

namespace exh::search {
namespace {

constexpr std::int64_t kSecond = 1'000'000;

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  bool ok() const { return ok_; }
  bool at_end() const { return text_.empty(); }
  /// So many digits.
  int Number(std::size_t digits) {
    int number = 0;
    const char* const end = text_.data() + digits;
    ok_ = ok_ && text_.size() >= digits && text_.front() >= '0' && text_.front() <= '9';
    if (!ok_) return 0;
    const auto read = std::from_chars(text_.data(), end, number);
    ok_ = read.ec == std::errc() && read.ptr == end;
    text_.remove_prefix(digits);
    return number;
  }
  bool Take(char c) {
    if (text_.empty() || text_.front() != c) return false;
    text_.remove_prefix(1);
    return true;
  }
  void Expect(char c) { ok_ = Take(c) && ok_; }
  void Expect(char a, char b) { ok_ = (Take(a) || Take(b)) && ok_; }
  /// Digits behind the point; those that are smaller than a microsecond do not count.
  std::int64_t Fraction() {
    std::int64_t fraction = 0, worth = kSecond;
    for (; !text_.empty() && text_.front() >= '0' && text_.front() <= '9'; text_.remove_prefix(1)) {
      worth /= 10;
      fraction += worth * (text_.front() - '0');
    }
    return fraction;
  }

 private:
  std::string_view text_;
  bool ok_ = true;
};

}  // namespace

std::optional<std::int64_t> ParseTimeStamp(std::string_view text) {
  using namespace std::chrono;
  Reader reader(text);
  const int y = reader.Number(4);
  reader.Expect('-');
  const int m = reader.Number(2);
  reader.Expect('-');
  const int d = reader.Number(2);
  reader.Expect('T', ' ');
  const int hour = reader.Number(2);
  reader.Expect(':');
  const int minute = reader.Number(2);
  reader.Expect(':');
  const int second = reader.Number(2);
  std::int64_t micros = reader.Take('.') ? reader.Fraction() : 0;
  int zone = 0;  // Minutes that the time is ahead.
  if (const bool is_ahead = reader.Take('+'); is_ahead || reader.Take('-')) {
    zone = 60 * reader.Number(2);
    reader.Take(':');
    if (!reader.at_end()) zone += reader.Number(2);
    if (!is_ahead) zone = -zone;
  } else {
    reader.Take('Z');
  }
  const year_month_day day{year{y}, month{static_cast<unsigned>(m)},
                           std::chrono::day{static_cast<unsigned>(d)}};
  if (!reader.ok() || !reader.at_end() || !day.ok() || hour > 23 || minute > 59 || second > 60) {
    return std::nullopt;
  }
  const std::int64_t days = sys_days(day).time_since_epoch().count();
  const std::int64_t minutes = days * 24 * 60 + hour * 60 + minute - zone;
  return (minutes * 60 + second) * kSecond + micros;
}

std::string TimeStampText(std::int64_t microseconds) {
  using namespace std::chrono;
  const sys_time<std::chrono::microseconds> time{std::chrono::microseconds(microseconds)};
  const auto days = floor<std::chrono::days>(time);
  const year_month_day day(days);
  const hh_mm_ss clock(time - days);
  const std::int64_t fraction = clock.subseconds().count();
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}{}Z", static_cast<int>(day.year()),
                     static_cast<unsigned>(day.month()), static_cast<unsigned>(day.day()),
                     clock.hours().count(), clock.minutes().count(), clock.seconds().count(),
                     fraction == 0 ? "" : fmt::format(".{:06}", fraction));
}

}  // namespace exh::search
