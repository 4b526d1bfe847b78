// SPDX-License-Identifier: MIT
//
// What times say of a decision. Times differ by factors, so everything rests on their order or on
// their logarithms.

/** The share `q` of the sorted values lies below. */
export function quantile(sorted, q) {
  const at = (sorted.length - 1) * q;
  const low = Math.floor(at);
  const rest = at - low;
  return rest > 0 ? sorted[low] * (1 - rest) + sorted[low + 1] * rest : sorted[low];
}

/** Indices into the sorted values that bound the median at 95 %; null when there are too few. */
export function medianInterval(count) {
  // The median lies between order statistics as often as a coin shows so many heads.
  if (count < 6) return null;
  let chance = 0.5 ** count;
  let below = chance;
  let k = 0;
  if (count > 500) {
    k = Math.floor(count / 2 - 0.98 * Math.sqrt(count));
  } else {
    while (true) {
      chance *= (count - k) / (k + 1);
      if (below + chance > 0.025) break;
      below += chance;
      ++k;
    }
  }
  return [k, count - 1 - k];
}

function logGamma(x) {
  // Lanczos, g = 7.
  const c = [0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313,
    -176.61502916214059, 12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7];
  const y = x - 1;
  let sum = c[0];
  for (let i = 1; i < 9; ++i) sum += c[i] / (y + i);
  const t = y + 7.5;
  return 0.5 * Math.log(2 * Math.PI) + (y + 0.5) * Math.log(t) - t + Math.log(sum);
}

/**
 * The chance that a chi-squared of `freedom` degrees is at least `x`, also where it is tiny. Here and
 * not from a package: those that have it add 50 KB and more to each report. jstat tests it.
 */
export function chiSquaredTail(x, freedom) {
  if (!(x > 0)) return 1;
  const a = freedom / 2;
  const z = x / 2;
  const factor = Math.exp(-z + a * Math.log(z) - logGamma(a));
  if (z < a + 1) {
    let term = 1 / a;
    let sum = term;
    for (let n = 1; n < 1000 && term > sum * 1e-14; ++n) {
      term *= z / (a + n);
      sum += term;
    }
    return Math.max(0, 1 - sum * factor);
  }
  let b = z + 1 - a;
  let c = 1e300;
  let d = 1 / b;
  let h = d;
  for (let n = 1; n < 1000; ++n) {
    const step = -n * (n - a);
    b += 2;
    d = 1 / (step * d + b);
    c = b + step / c;
    h *= c * d;
    if (Math.abs(c * d - 1) < 1e-14) break;
  }
  return Math.min(1, h * factor);
}

/** Ranks 1, 2, 3 … of the values; equal ones share the mean of theirs. */
export function ranksOf(values) {
  const order = Float64Array.from(values.keys()).sort((a, b) => values[a] - values[b]);
  const ranks = new Float64Array(values.length);
  for (let begin = 0; begin < order.length;) {
    let end = begin + 1;
    while (end < order.length && values[order[end]] === values[order[begin]]) ++end;
    for (let i = begin; i < end; ++i) ranks[order[i]] = (begin + end + 1) / 2;
    begin = end;
  }
  return ranks;
}

/**
 * Kruskal and Wallis: do groups of ranks differ? `group[i]` is the group of rank i, below `count`.
 * {share: of the differences in rank that the groups explain, less what as many groups explain by
 * chance; chance: that there is nothing to it}.
 */
export function differ(ranks, group, count) {
  const sums = new Float64Array(count);
  const sizes = new Float64Array(count);
  for (let i = 0; i < ranks.length; ++i) {
    sums[group[i]] += ranks[i];
    ++sizes[group[i]];
  }
  const n = ranks.length;
  let between = 0;
  let groups = 0;
  for (let g = 0; g < count; ++g) {
    if (sizes[g] === 0) continue;
    ++groups;
    between += sizes[g] * (sums[g] / sizes[g] - (n + 1) / 2) ** 2;
  }
  let all = 0;
  for (const rank of ranks) all += (rank - (n + 1) / 2) ** 2;
  if (groups < 2 || all === 0) return { share: 0, chance: 1 };
  const h = ((n - 1) * between) / all;
  const share = n > groups ? Math.max(0, (h - groups + 1) / (n - groups)) : 0;
  return { share, chance: chiSquaredTail(h, groups - 1) };
}
