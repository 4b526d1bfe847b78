// SPDX-License-Identifier: MIT
//
// The run itself: what was searched, where, how, and what became of its log.
import { el, facts, table } from '../src/dom.js';
import * as format from '../src/format.js';
import { programFacts, programFiles, programOf } from '../src/program.js';

/** A word as a shell reads it back. */
export function quoted(word) {
  return /^[\w./=,:@%+-]+$/.test(word) ? word : `'${word.replace(/'/g, "'\\''")}'`;
}

function damage(run) {
  const notes = [];
  if (run.numProblems) {
    notes.push(el('div', { class: 'warning', role: 'alert' },
      `The log is damaged in ${format.counted(run.numProblems, 'place')}. This page shows the rest.`,
      el('ul', {}, run.problems.map((problem) => el('li', {}, problem)))));
  }
  if (run.cutOff) notes.push(el('p', { class: 'note' }, 'The last line of the log is incomplete: the run was killed, or goes on.'));
  for (const repair of run.repairs) notes.push(el('pre', { class: 'note' }, repair));
  return notes;
}

const kLooking = ['descend', 'look', 'lower', 'compile', 'full'];
const kJudging = ['check', 'time', 'learn', 'wait'];

/** Rows [who, activity, seconds, share]: shares are of those who look for candidates, or of those who judge them. */
export function activityRows(run) {
  const seconds = new Map(run.end?.activities ?? []);
  return [['to find candidates', kLooking], ['to judge them', kJudging]].flatMap(([who, activities]) => {
    const all = activities.reduce((sum, activity) => sum + (seconds.get(activity) ?? 0), 0);
    if (!all) return [];
    return activities.map((activity) => [who, activity === 'full' ? 'wait' : activity, seconds.get(activity) ?? 0, (seconds.get(activity) ?? 0) / all]);
  });
}

function activityTable(run) {
  const rows = activityRows(run);
  if (!rows.length) return [];
  return [
    el('h3', {}, 'Where the time went'),
    table(['threads', 'activity', { title: 'seconds', number: true }, { title: 'share', number: true }],
      rows.map(([who, activity, seconds, share]) => [who, activity, format.digits(seconds), `${format.digits(100 * share)} %`])),
  ];
}

export const runView = {
  id: 'run',
  title: 'Run',
  help: 'What was searched, machine, options and versions of the run.',
  render(host, page) {
    const { run } = page;
    const header = run.run;
    const own = programOf(header);
    host.append(
      ...damage(run),
      facts([
        [own ? 'space' : 'kernel', `${header.kernel}  ${header.sizes}`],
        ...(own ? programFacts(own) : []),
        ['operations of one run', header.flops ? `${format.digits(header.flops / 1e9)} GFLOP` : ''],
        ['compared with the reference', header.checked ?? ''],
        ['device', header.device === 'program' ? '' : header.device],
        ['conditions', header.conditions],
        ...(header.machine ?? []),
        [own ? 'its fingerprint' : 'space', own ? header.fingerprint : `${header.space} (${header.spaceDecisions || 'default'}), fingerprint ${header.fingerprint}`],
        ['space built in', header.spaceSeconds ? `${format.digits(header.spaceSeconds)} s` : ''],
        ['policy', header.policy],
        ['bound', header.bound],
        ['seed', header.seed],
        ['started', header.started],
        ['by', header.tool],
        ['folder', run.name],
        ['ended', run.end ? `${run.end.why}, after ${format.digits(run.end.dt)} s` : `not by itself: the log ends after ${format.digits(run.seconds)} s`],
        ['evaluations', format.count(run.count)],
        ['descents', run.end ? format.count(run.end.descents) : ''],
        ['seen before', run.end ? format.count(run.end.duplicates) : ''],
        ['pruned by the bound', run.end?.pruned ? format.count(run.end.pruned) : ''],
        ['the page was made', page.made],
      ]),
      ...activityTable(run),
      el('h3', {}, 'Command line'),
      el('pre', {}, header.argv.map(quoted).join(' ')),
      ...run.resumes.flatMap((resume) => [
        el('p', {}, `went on ${resume.started}, at ${format.digits(resume.dt)} s, by ${resume.tool}`),
        el('pre', {}, resume.argv.map(quoted).join(' ')),
      ]),
      el('h3', {}, 'Order of decisions'),
      el('p', {}, header.order.join(', ') || '–'),
    );
    if (header.limits.length) host.append(el('h3', {}, 'Limits of the device'), table(['limit', 'value'], header.limits));
    if (own) {
      for (const [name, text] of programFiles(own)) host.append(el('h3', {}, name), el('pre', {}, text));
    } else if (header.text) host.append(el('h3', {}, 'The kernel as text'), el('pre', {}, header.text));
    return [];
  },
};
