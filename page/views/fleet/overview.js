// SPDX-License-Identifier: MIT
//
// How far a fleet is, where it ran, and how it compares with the yardsticks.
import { el, facts, table } from '../../src/dom.js';
import { countsText } from '../../src/fleet.js';
import * as format from '../../src/format.js';
import { quoted } from '../run.js';

const kUnits = [[3600, 'h'], [60, 'min'], [1, 's']];

/** "2.10 h", "52.1 s". */
export function duration(seconds) {
  const [size, unit] = kUnits.find(([least]) => seconds >= least) ?? kUnits[2];
  return `${format.digits(seconds / size)} ${unit}`;
}

/** Rows of the table of means. */
export function meanRows(fleet) {
  const times = (value) => `${format.digits(value)}x`;
  return fleet.means.map((mean) => [
    mean.kernel, mean.type ?? '–', mean.yardstick ?? 'the fastest of each shape', format.count(mean.shapes), times(mean.ratio),
    times(mean.least), times(mean.most), format.count(mean.faster)]);
}

/** What is typed next: what is not done goes on, what is done is taken home. */
function commands(fleet) {
  const isDone = fleet.counts.done === fleet.shapes.length;
  return isDone ? `./exh search install-kernel ${quoted(fleet.folder)}/* --out tuned` : `./exh search tune --out ${quoted(fleet.folder)}`;
}

/** Runs that go on now, each with its page. */
function running(fleet) {
  const shapes = fleet.shapes.filter((shape) => shape.state === 'running' && fleet.liveOf(shape));
  return shapes.length ? [el('h3', {}, 'Running now'), el('ul', { class: 'plain' }, shapes.map((shape) => el('li', {},
    el('a', { href: fleet.liveOf(shape) }, shape.shape), `  ${format.counted(shape.evaluations, 'evaluation')}${shape.best_ns > 0 ? `, the best takes ${format.time(shape.best_ns)}` : ''}`)))] : [];
}

export const overview = {
  id: 'fleet',
  redrawsItself: true,
  title: 'Fleet',
  help: 'How far the shapes are, and how fast their bests are beside the yardsticks that were measured in turn with them.',
  render(host, page) {
    const { fleet } = page;
    host.append(
      el('p', { class: 'summary' }, `${countsText(fleet)}.`),
      facts([
        ['device', fleet.machines.join('; ') || fleet.device],
        ['program', fleet.programs.join('; ')],
        ['time of the searches', duration(fleet.seconds)],
        ['evaluations', format.count(fleet.evaluations)],
        ['budget of a shape', fleet.budgets.join(', ')],
        ['options', fleet.options.map(quoted).join(' ')],
        ['folder', fleet.folder],
        ['the page was made', page.made],
      ]),
      ...running(fleet),
      el('h3', {}, 'Against the yardsticks'),
    );
    const number = (title) => ({ title, number: true });
    if (fleet.means.length) {
      host.append(
        table(['kernel', 'type', 'yardstick', number('shapes'), number('geometric mean'), number('least'), number('most'), number('faster in')], meanRows(fleet)),
        el('p', { class: 'note' }, 'How many times as fast as the yardstick the bests are. Shapes whose times differ too much for one number are left out.'),
      );
    } else {
      host.append(el('p', {}, 'No shape was measured beside a yardstick yet.'));
    }
    host.append(el('h3', {}, 'To go on'), el('pre', {}, commands(fleet)));
    return [];
  },
};
