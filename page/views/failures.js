// SPDX-License-Identifier: MIT
//
// What failed, by verdict and reason, with an example of each.
import { el, table } from '../src/dom.js';
import * as format from '../src/format.js';
import { verdictMark } from '../src/palette.js';

/** A reason without what differs from case to case: numbers, addresses, names of files. */
export function kindOf(reason) {
  return format.firstLine(reason).replace(/0x[0-9a-f]+/gi, '#').replace(/\/[^\s:]*\//g, '…/')
    .replace(/-?\d+(\.\d+)?(e[+-]?\d+)?/gi, '#').replace(/# (ns|us|ms|s)\b/g, '# s');
}

/** Groups of evaluations that are not correct: {verdict, kind, count, first, example}. */
export function groups(run) {
  const found = new Map();
  for (let i = 0; i < run.count; ++i) {
    if (run.isCorrect(i)) continue;
    const verdict = run.verdict(i);
    const kind = kindOf(run.reason(i));
    const key = `${verdict}\n${kind}`;
    const group = found.get(key);
    if (group) ++group.count;
    else found.set(key, { verdict, kind, count: 1, first: run.columns.n[i], example: run.reason(i) });
  }
  return [...found.values()].sort((a, b) => b.count - a.count);
}

const kMeanings = {
  wrong: 'it ran, and a check found a wrong result',
  compile_error: 'the compiler refused it',
  compile_timeout: 'the compiler took too long',
  spills: 'it needs more registers than there are',
  crash: 'its process died',
  timeout: 'it ran too long',
  slow: 'stopped early: far slower than the best',
  idle: 'not compiled: its instructions alone take far longer than the best',
  impossible: 'faster than its own lower bound: a mistake of the model or of a clock',
  unchecked: 'it ran, and the program does not say whether its result is right',
  refused: 'there is no code for it, though the space allows it: a mistake of the space',
  internal: 'a check of our own failed on it, and it was dropped: a bug to report',
  broken: 'the environment failed, not the candidate',
};

export const failures = {
  id: 'failures',
  title: 'Failures',
  help: 'What had no result, by verdict and reason. Numbers in reasons are left out when they are compared.',
  render(host, page) {
    const { run } = page;
    const all = groups(run);
    if (!all.length) {
      host.append(el('p', {}, 'Nothing failed: every evaluation was correct.'));
      return [];
    }
    const bad = all.reduce((sum, group) => sum + group.count, 0);
    host.append(
      el('p', { class: 'summary' }, `${format.counted(bad, 'evaluation')} of ${format.count(run.count)} had no correct result. Of each reason the first is shown.`),
      table(['verdict', { title: 'count', number: true }, { title: 'first record', number: true }, 'reason, with an example'],
        all.slice(0, 200).map((group) => [
          el('span', { title: kMeanings[group.verdict] ?? '' },
            el('span', { class: 'swatch', style: `background:${verdictMark(group.verdict).colour}` }), group.verdict),
          format.count(group.count), format.count(group.first),
          group.example
            ? el('details', {}, el('summary', {}, format.short(format.firstLine(group.example), 160)), el('pre', {}, group.example))
            : kMeanings[group.verdict] ?? '',
        ])),
    );
    if (all.length > 200) host.append(el('p', { class: 'note' }, `${all.length - 200} rarer reasons are in the table of evaluations.`));
    if (run.reasonsLeftOut) host.append(el('p', { class: 'note' }, `${run.reasonsLeftOut} reasons were left out of this page; the log has them.`));
    return [];
  },
};
