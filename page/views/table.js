// SPDX-License-Identifier: MIT
//
// All evaluations: sorted, filtered, and as CSV.
import { el } from '../src/dom.js';
import * as format from '../src/format.js';
import { columnsOf, orderRows, parseFilter, toCsv } from '../src/rows.js';
import { VirtualTable } from '../src/virtual_table.js';

const kMostColumns = 40; // Elements of a row; all columns are in the CSV.

function download(name, text) {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/csv' }));
  el('a', { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

export const tableView = {
  id: 'table',
  title: 'Evaluations',
  help: 'Every evaluation. Click a heading to sort. The filter takes words that must all hold: verdict=correct ns<2ms '
    + 'size(load_a.m0)=64; a word without a comparison is looked for in verdicts and reasons.',
  render(host, page) {
    const { run, state } = page;
    const columns = columnsOf(run);
    const sorting = state.sorting ??= { name: 'ns', isDescending: false };
    const shown = columns.slice(0, kMostColumns);
    const note = el('span', { class: 'note', role: 'status' });
    let rows = [];
    const table = el('div');
    const virtual = new VirtualTable(table, shown, sorting, (column) => {
      sorting.isDescending = sorting.name === column.name && !sorting.isDescending;
      sorting.name = column.name;
      page.redraw();
    });
    const apply = () => {
      const filter = parseFilter(state.filter ?? '', columns);
      rows = filter.error ? [] : orderRows(run, filter, columns.find((column) => column.name === sorting.name), sorting.isDescending);
      note.textContent = filter.error || `${format.count(rows.length)} of ${format.counted(run.count, 'evaluation')}`;
      virtual.show(rows);
    };
    const input = el('input', {
      type: 'search', id: 'filter', size: 50, placeholder: 'verdict=correct ns<2ms', 'aria-label': 'filter',
      value: state.filter ?? '', input: (event) => { state.filter = event.target.value; apply(); },
    });
    host.append(el('div', { class: 'bar' },
      el('label', {}, 'filter ', input), note,
      el('button', { type: 'button', click: () => download(`${run.run.kernel}.csv`, toCsv(columns, rows)) }, 'Download CSV')),
    table);
    if (columns.length > kMostColumns) {
      host.append(el('p', { class: 'note' }, `${format.counted(columns.length - kMostColumns, 'column')} more are in the CSV, and can be filtered by.`));
    }
    if (run.decisionsLeftOut) {
      host.append(el('p', { class: 'note' }, `${format.counted(run.decisionsLeftOut, 'decision')} that were taken least often are not in this page; the log has them.`));
    }
    apply();
    return [virtual];
  },
};
