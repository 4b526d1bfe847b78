// SPDX-License-Identifier: MIT
//
// A table of any number of rows, of which those are elements that can be seen.
import { el } from './dom.js';

const kRowHeight = 26;
const kMostHeight = 8e6; // Browsers draw no elements that are far higher.

/** Shows `columns` of rows in `host`, text or what `column.cell(i)` makes; `label` says what rows are, and `sort(column)` is
 * called for a click on a head. */
export class VirtualTable {
  constructor(host, columns, label, sorting, sort) {
    this.columns = columns;
    this.rows = [];
    this.body = el('tbody');
    this.above = el('div');
    this.below = el('div');
    const head = el('tr', {}, columns.map((column) => {
      const direction = sorting.name === column.name ? (sorting.isDescending ? 'descending' : 'ascending') : 'none';
      return el('th', { scope: 'col', class: column.isNumber ? 'number' : null, 'aria-sort': direction },
        el('button', { type: 'button', click: () => sort(column), title: column.title },
          column.title, direction === 'none' ? '' : direction === 'ascending' ? ' ▲' : ' ▼'));
    }));
    this.scroller = el('div', { class: 'rows', tabindex: '0', scroll: () => this.draw(), 'aria-label': label },
      this.above, el('table', { class: 'narrow' }, el('thead', {}, head), this.body), this.below);
    host.append(this.scroller);
    this.observer = new ResizeObserver(() => this.draw());
    this.observer.observe(this.scroller);
  }

  show(rows) {
    this.rows = rows;
    this.first = -1;
    this.draw();
  }

  draw() {
    const seen = Math.ceil(this.scroller.clientHeight / kRowHeight) + 20;
    const height = Math.min(kMostHeight, this.rows.length * kRowHeight);
    const most = Math.max(0, this.rows.length - seen + 10);
    const share = this.scroller.scrollTop / Math.max(1, height - this.scroller.clientHeight);
    const first = Math.max(0, Math.min(most, Math.round(share * (this.rows.length - seen + 20)) - 5));
    if (first === this.first && this.seen === seen) return;
    this.first = first;
    this.seen = seen;
    const shown = this.rows.slice(first, first + seen);
    const top = Math.min(this.scroller.scrollTop, (first / Math.max(1, this.rows.length)) * height);
    this.above.style.height = `${top}px`;
    this.below.style.height = `${Math.max(0, height - top - shown.length * kRowHeight)}px`;
    this.body.replaceChildren(...shown.map((i) => el('tr', {}, this.columns.map((column) => (
      el('td', { class: column.isNumber ? 'number' : null, title: column.text(i) }, column.cell ? column.cell(i) : column.text(i)))))));
  }

  dispose() {
    this.observer.disconnect();
  }
}
