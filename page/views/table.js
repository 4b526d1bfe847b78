// SPDX-License-Identifier: MIT
//
// All evaluations: sorted, filtered, and as CSV.
import { el } from '../src/dom.js';
import * as format from '../src/format.js';
import { columnsOf } from '../src/rows.js';
import { sortedTable } from '../src/sorted_table.js';

const kMostColumns = 40; // Elements of a row; all columns are in the CSV.

export const tableView = {
  id: 'table',
  title: 'Evaluations',
  help: 'Every evaluation. Click a heading to sort. The filter takes words that must all hold: verdict=correct ns<2ms '
    + 'size(load_a.m0)=64; a word without a comparison is looked for in verdicts and reasons.',
  render(host, page) {
    const { run } = page;
    const columns = columnsOf(run);
    const table = sortedTable(host, page, {
      columns, shown: columns.slice(0, kMostColumns), count: run.count, noun: 'evaluation', sortedBy: 'ns', example: 'verdict=correct ns<2ms',
      file: `${run.run.kernel}.csv`,
    });
    if (columns.length > kMostColumns) {
      host.append(el('p', { class: 'note' }, `${format.counted(columns.length - kMostColumns, 'column')} more are in the CSV, and can be filtered by.`));
    }
    if (run.decisionsLeftOut) {
      host.append(el('p', { class: 'note' }, `${format.counted(run.decisionsLeftOut, 'decision')} that were taken least often are not in this page; the log has them.`));
    }
    return [table];
  },
};
