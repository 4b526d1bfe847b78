// SPDX-License-Identifier: MIT
//
// What something takes and how two times compare, as the terminal says it (search/log/times/best_time.h).
// A time is {ns, lo, hi}: the median of the finals with its interval, or what was measured once,
// without lo and hi.
import { digits, time as timeText } from './format.js';

/** When two times of the same program differ by this factor or more, the machine counts as busy. */
export const kBusyFactor = 1.5;

/** Repetitions are too far apart for one number. */
export function isBusy(one) {
  return one.hi > 0 && one.hi > kBusyFactor * one.lo;
}

/** "2.72 ms (2.70 ms to 2.75 ms)"; "2.72 ms"; "29.0 us to 7.61 ms" where repetitions are too far apart. */
export function interval(one) {
  if (isBusy(one)) return `${timeText(one.lo)} to ${timeText(one.hi)}`;
  return one.hi > 0 ? `${timeText(one.ns)} (${timeText(one.lo)} to ${timeText(one.hi)})` : timeText(one.ns);
}

/** Cannot be told apart. */
export function tied(a, b) {
  return a.hi > 0 && b.hi > 0 && a.lo <= b.hi && b.lo <= a.hi;
}

/** "1.19x the speed of eigen (1.17x to 1.21x; it takes 3.23 ms)" of the best against another. */
export function speedText(best, other, name) {
  const least = (one) => (one.hi > 0 ? one.lo : one.ns);
  const most = (one) => (one.hi > 0 ? one.hi : one.ns);
  const [lo, hi] = [digits(least(other) / most(best)), digits(most(other) / least(best))];
  if (isBusy(best) || isBusy(other)) return `${lo}x to ${hi}x the speed of ${name} (it takes ${interval(other)}): the times differ too much for one number`;
  const ratio = `${digits(other.ns / best.ns)}x the speed of ${name}`;
  if (!(best.hi > 0) || !(other.hi > 0)) return `${ratio} (${timeText(other.ns)})`;
  return `${ratio} (${lo}x to ${hi}x; it takes ${timeText(other.ns)})${tied(best, other) ? ': a tie' : ''}`;
}

/** The places that each of these may have, as far as their intervals say: "1", "2 to 4". Without an interval: "–". */
export function ranks(times) {
  return times.map((one) => {
    if (!(one.hi > 0)) return '–';
    const first = 1 + times.filter((other) => other.hi > 0 && other.hi < one.lo).length;
    const last = times.filter((other) => other === one || (other.hi > 0 && other.lo <= one.hi)).length;
    return first === last ? String(first) : `${first} to ${last}`;
  });
}
