// SPDX-License-Identifier: MIT
//
// Elements. All text goes in as text, so nothing that a log says becomes markup.

/** el('p', {class: 'note'}, 'text', child …): attributes that are functions are listeners. */
export function el(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') element.addEventListener(name, value);
    else if (name === 'style') element.style.cssText = value; // As an attribute a strict policy forbids it.
    else if (value === true) element.setAttribute(name, '');
    else if (value !== false && value != null) element.setAttribute(name, value);
  }
  element.append(...children.flat(3).filter((child) => child != null && child !== false));
  return element;
}

/** A table of a heading and rows; a cell is text or an element. Numbers stand to the right. */
export function table(heads, rows, attributes = {}) {
  const cell = (tag, value, i) => el(tag, {
    class: heads[i]?.number ? 'number' : null,
    scope: tag === 'th' ? 'col' : null,
  }, value);
  return el('div', { class: 'scroll' }, el('table', attributes,
    el('thead', {}, el('tr', {}, heads.map((head, i) => cell('th', head.title ?? head, i)))),
    el('tbody', {}, rows.map((row) => el('tr', {}, row.map((value, i) => cell('td', value, i)))))));
}

/** A list of names with their values. */
export function facts(pairs) {
  return el('dl', { class: 'facts' }, pairs.filter(([, value]) => value !== '' && value != null)
    .map(([name, value]) => [el('dt', {}, name), el('dd', {}, value)]));
}

/** A choice among a few things: calls `choose(value)`. */
export function select(label, options, chosen, choose) {
  const list = el('select', { change: (event) => choose(event.target.value) },
    options.map(([value, text]) => el('option', { value, selected: value === chosen }, text)));
  return el('label', { class: 'choice' }, label, ' ', list);
}
