// SPDX-License-Identifier: MIT
//
// Dead ends by requirement: what emptied a domain, how often, and how deep.
import { el, table } from '../src/dom.js';
import * as format from '../src/format.js';

/** Rows {label, count, least, median, most, example, value}, most frequent first. */
export function rows(run) {
  if (run.deadEnds.length) return [...run.deadEnds].sort((a, b) => b.count - a.count);
  return (run.end?.deadEnds ?? []).map(([label, count]) => ({ label, count })).sort((a, b) => b.count - a.count);
}

export const deadEnds = {
  id: 'dead-ends',
  title: 'Dead ends',
  help: 'A dead end is a decision without a value left. The requirement is what took the last one away. A dead end after many '
    + 'decisions costs more than one after few.',
  render(host, page) {
    const all = rows(page.run);
    if (!all.length) {
      host.append(el('p', {}, 'The run met no dead end.'));
      return [];
    }
    const sum = all.reduce((total, row) => total + row.count, 0);
    const places = new Map((page.run.requirements ?? []).map((one) => [one.label, one]));
    host.append(
      el('p', { class: 'summary' }, `${format.counted(sum, 'dead end')}, of ${format.counted(all.length, 'requirement')}.`),
      table(['requirement', { title: 'count', number: true }, { title: 'share', number: true },
        { title: 'decisions before: least, median, most', number: true }, 'for example'],
      all.map((row) => {
        const place = places.get(row.label);
        return [
          place ? el('details', {}, el('summary', {}, row.label), el('p', { class: 'note' }, place.place), el('pre', {}, place.text)) : row.label,
          format.count(row.count), `${format.digits((100 * row.count) / sum)} %`,
          row.median === undefined ? '' : `${row.least}, ${row.median}, ${row.most}`,
          row.example ? `${row.example}${row.value ? ` = ${row.value}` : ''}` : '',
        ];
      })),
    );
    return [];
  },
};
