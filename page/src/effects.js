// SPDX-License-Identifier: MIT
//
// The effect of each decision on times, for the views that sort decisions by it.
import { differ, medianInterval, quantile, ranksOf } from './statistics.js';

/** Indices of the evaluations that are correct and have a time. */
export function timedRows(run) {
  const rows = [];
  for (let i = 0; i < run.count; ++i) if (run.isCorrect(i) && run.columns.ns[i] > 0) rows.push(i);
  return rows;
}

/** In words, what a chance means that was found among `tests` decisions. */
export function sureness(chance, tests) {
  const corrected = Math.min(1, chance * tests);
  if (corrected < 0.001) return 'sure';
  return corrected < 0.05 ? 'likely' : 'may be chance';
}

/** Decisions, those first whose values explain most of the differences: {decision, share, chance, sure}. */
export function effectsOf(run) {
  if (run.effects) return run.effects;
  const rows = timedRows(run);
  const ranks = ranksOf(Float64Array.from(rows, (i) => run.columns.ns[i]));
  const group = new Uint16Array(rows.length);
  run.effects = run.decisions.map((decision) => {
    let most = 0;
    rows.forEach((i, k) => {
      group[k] = decision.at(i) + 1; // 0: it takes no part.
      most = Math.max(most, group[k]);
    });
    return { decision, ...differ(ranks, group, most + 1) };
  }).filter((effect) => effect.share > 0);
  for (const effect of run.effects) effect.sure = sureness(effect.chance, run.effects.length);
  run.effects.sort((a, b) => b.share - a.share);
  return run.effects;
}

/** The times of each value of a decision, in the order of values: {value, text, times, median, lo, hi, fastest}. */
export function boxesOf(run, decision) {
  const byValue = new Map();
  for (const i of timedRows(run)) {
    const value = decision.at(i);
    if (!byValue.has(value)) byValue.set(value, []);
    byValue.get(value).push(run.columns.ns[i]);
  }
  return [...byValue.keys()].sort((a, b) => a - b).map((value) => {
    const times = Float64Array.from(byValue.get(value)).sort();
    const interval = medianInterval(times.length);
    return {
      value, text: value < 0 ? 'takes no part' : decision.text(value), times, fastest: times[0], median: quantile(times, 0.5),
      lo: interval && times[interval[0]], hi: interval && times[interval[1]],
      box: [0, 0.25, 0.5, 0.75, 1].map((q) => quantile(times, q)),
    };
  });
}
