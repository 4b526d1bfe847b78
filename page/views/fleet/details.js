// SPDX-License-Identifier: MIT
//
// One shape of a fleet, with all that is known of it.
import { interval } from '../../src/best_time.js';
import { el, facts, table } from '../../src/dom.js';
import { timeOf } from '../../src/fleet.js';
import * as format from '../../src/format.js';
import { quoted } from '../run.js';

const percent = (value) => (value === undefined ? '' : `${format.digits(100 * value)} %`);

/** "m=512, n=64". */
export function sizesText(shape) {
  return Object.entries(shape.sizes).map(([name, value]) => `${name}=${value}`).join(', ');
}

/** Names and values, as facts() takes them. */
export function factsOf(fleet, shape) {
  const hasBest = shape.best_ns > 0;
  return [
    ['kernel', shape.kernel], ['type', shape.type], ['sizes', sizesText(shape)],
    ['state', shape.why ? `${shape.state}: ${shape.why}` : shape.note ? `${shape.state}, ${shape.note}` : shape.state],
    ['best', hasBest ? interval(timeOf(shape)) : ''],
    ['rate', hasBest && shape.flops ? format.rate(shape.flops, shape.best_ns) : ''],
    ['nothing is faster than', shape.bound_ns ? format.time(shape.bound_ns) : ''],
    ['gap', percent(shape.gap)],
    ['its own bound', shape.best_bound_ns ? `${format.time(shape.best_bound_ns)}, ${percent(shape.best_bound_ns / shape.best_ns)} of its time` : ''],
    ['evaluations', shape.evaluations ? format.count(shape.evaluations) : ''],
    ['seconds', shape.seconds ? format.digits(shape.seconds) : ''],
  ];
}

/** The chosen shape, below what chose it. Nothing where none is. */
export function details(page) {
  const { fleet } = page;
  const shape = fleet.shapes[page.chosen];
  if (!shape) return el('p', { class: 'note' }, 'Click a shape to see all of it.');
  const run = `${fleet.folder}/${shape.shape}`;
  const link = fleet.reportOf(shape);
  const live = fleet.liveOf(shape);
  const hasLog = shape.evaluations > 0;
  return el('div', { id: 'details' }, el('h3', {}, shape.shape), facts(factsOf(fleet, shape)),
    shape.yardsticks ? table(['yardstick', { title: 'time', number: true }, { title: 'speed of the best', number: true }],
      shape.yardsticks.map((one) => [one.name, interval(timeOf(one)), one.ratio === undefined ? '–' : `${format.digits(one.ratio)}x`])) : '',
    live ? el('p', {}, el('a', { href: live }, 'The page of its run')) : '',
    link ? el('p', {}, el('a', { href: link }, 'The report of this shape')) : '',
    !link && !live && hasLog ? el('p', { class: 'note' }, 'It has no report of its own. This makes one, and a page of the fleet that is made later points to it:') : '',
    !link && !live && hasLog ? el('pre', {}, `./exh search report ${quoted(run)} -o ${quoted(`${run}/report.html`)}`) : '');
}
