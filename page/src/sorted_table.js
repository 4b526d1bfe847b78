// SPDX-License-Identifier: MIT
//
// Rows that a person sorts, filters and takes along as CSV.
import { el } from './dom.js';
import * as format from './format.js';
import { orderRows, parseFilter, toCsv } from './rows.js';
import { VirtualTable } from './virtual_table.js';

function download(name, text) {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/csv' }));
  el('a', { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

/**
 * Puts such a table of `count` rows into `host`, and returns it. `noun`: of a row, "evaluation". `shown`: the columns
 * that are seen; the others can be filtered by. `sortedBy`: the column of the first order; `file`: the name of the CSV.
 */
export function sortedTable(host, page, { columns, shown = columns, count, noun, sortedBy, example, file }) {
  const { state } = page;
  const sorting = state.sorting ??= { name: sortedBy, isDescending: false };
  const note = el('span', { class: 'note', role: 'status' });
  let rows = [];
  const place = el('div');
  const virtual = new VirtualTable(place, shown, `${noun}s`, sorting, (column) => {
    sorting.isDescending = sorting.name === column.name && !sorting.isDescending;
    sorting.name = column.name;
    page.redraw();
  });
  const apply = () => {
    const filter = parseFilter(state.filter ?? '', columns);
    rows = filter.error ? [] : orderRows({ count }, filter, columns.find((column) => column.name === sorting.name), sorting.isDescending);
    note.textContent = filter.error || `${format.count(rows.length)} of ${format.counted(count, noun)}`;
    virtual.show(rows);
  };
  const input = el('input', {
    type: 'search', id: 'filter', size: 50, placeholder: example, 'aria-label': 'filter',
    value: state.filter ?? '', input: (event) => { state.filter = event.target.value; apply(); },
  });
  host.append(el('div', { class: 'bar' },
    el('label', {}, 'filter ', input), note,
    el('button', { type: 'button', click: () => download(file, toCsv(columns, rows)) }, 'Download CSV')),
  place);
  apply();
  return virtual;
}
