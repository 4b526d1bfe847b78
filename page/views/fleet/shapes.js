// SPDX-License-Identifier: MIT
//
// All shapes of a fleet: sorted, filtered, and as CSV.
import { interval, isBusy } from '../../src/best_time.js';
import { el } from '../../src/dom.js';
import { timeOf, yardstickOf } from '../../src/fleet.js';
import * as format from '../../src/format.js';
import { sortedTable } from '../../src/sorted_table.js';
import { details } from './details.js';

/** The columns of the table, as src/rows.js has them: kernel, type and sizes, which the name has as well, come last. */
export function columnsOf(fleet) {
  const words = (name, title, text) => ({
    name, title, value: (i) => text(fleet.shapes[i]), text: (i) => text(fleet.shapes[i]), raw: (i) => text(fleet.shapes[i]),
  });
  const number = (name, title, value, text) => ({
    name, title, isNumber: true, value: (i) => value(fleet.shapes[i]), raw: (i) => value(fleet.shapes[i]) ?? '',
    text: (i) => (value(fleet.shapes[i]) === undefined ? '' : text(value(fleet.shapes[i]), fleet.shapes[i])),
  });
  const sizes = [...new Set(fleet.shapes.flatMap((shape) => Object.keys(shape.sizes)))];
  const quantity = (id) => fleet.quantities.find((one) => one.id === id);
  const known = (id, name, title) => (quantity(id) ? [number(name, title, quantity(id).value, quantity(id).text)] : []);
  return [
    words('shape', 'shape', (shape) => shape.shape),
    words('state', 'state', (shape) => shape.state),
    number('ns', 'best', (shape) => shape.best_ns, (ns, shape) => (isBusy(timeOf(shape)) ? interval(timeOf(shape)) : format.time(ns))),
    ...known('rate', 'rate', 'rate'),
    ...known('gap', 'gap', 'gap'),
    ...known('roof', 'roof', 'of the roof'),
    words('yardstick', 'fastest yardstick', (shape) => yardstickOf(shape)?.name ?? ''),
    ...known('best yardstick', 'ratio', 'speed against it'),
    number('evaluations', 'evaluations', (shape) => shape.evaluations, format.count),
    number('seconds', 'seconds', (shape) => shape.seconds, (value) => value.toFixed(1)),
    words('reason', 'remark', (shape) => shape.why ?? shape.note ?? ''),
    words('kernel', 'kernel', (shape) => shape.kernel),
    ...(fleet.shapes.some((shape) => shape.type) ? [words('type', 'type', (shape) => shape.type ?? '')] : []),
    ...sizes.map((name) => {
      const isNumber = fleet.shapes.every((shape) => shape.sizes[name] === undefined || /^-?\d+$/.test(shape.sizes[name]));
      return isNumber ? number(name, name, (shape) => (shape.sizes[name] === undefined ? undefined : Number(shape.sizes[name])), String)
        : words(name, name, (shape) => shape.sizes[name] ?? '');
    }),
  ];
}

export const shapesView = {
  id: 'table',
  title: 'Shapes',
  help: 'Every shape. Click a heading to sort, and the name of a shape to see all of it. The filter takes words that must all hold: '
    + 'state=failed, ratio<1, ns<2ms; a word without a comparison is looked for in names and remarks.',
  render(host, page) {
    const { fleet } = page;
    const columns = columnsOf(fleet);
    columns[0].cell = (i) => el('button', {
      type: 'button',
      click: () => {
        page.chosen = i;
        page.redraw();
        document.getElementById('details')?.scrollIntoView({ block: 'nearest' });
      },
    }, fleet.shapes[i].shape);
    const table = sortedTable(host, page, {
      columns, count: fleet.shapes.length, noun: 'shape', sortedBy: '', example: 'state=done ratio<1', file: 'fleet.csv',
    });
    host.append(details(page));
    return [table];
  },
};
