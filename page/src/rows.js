// SPDX-License-Identifier: MIT
//
// The evaluations of a run as rows: columns with their texts, filters, order, CSV. It knows nothing
// of elements, so that tests ask it directly.
import * as format from './format.js';

/** A column: `value(i)` sorts, `text(i)` is shown and `raw(i)` goes into a CSV. */
function numbers(run, name, title, text) {
  const column = run.columns[name];
  return {
    name, title, isNumber: true, value: (i) => column[i], raw: (i) => column[i],
    text: (i) => (column[i] === 0 && name !== 'dt' ? '' : text(column[i])),
  };
}

/** The columns of a run. Decisions come last. */
export function columnsOf(run) {
  const columns = [
    numbers(run, 'n', 'record', format.count),
    numbers(run, 'dt', 'after, s', (value) => value.toFixed(1)),
    { name: 'verdict', title: 'verdict', value: (i) => run.verdict(i), text: (i) => run.verdict(i), raw: (i) => run.verdict(i) },
    numbers(run, 'ns', 'time', format.time),
    ...(run.run.flops > 0 ? [{
      name: 'rate', title: 'rate', isNumber: true, text: (i) => (run.columns.ns[i] > 0 ? format.rate(run.run.flops, run.columns.ns[i]) : ''),
      value: (i) => (run.columns.ns[i] > 0 ? run.run.flops / run.columns.ns[i] : 0),
      raw: (i) => (run.columns.ns[i] > 0 ? run.run.flops / run.columns.ns[i] : 0),
    }] : []),
  ];
  const more = [['estimate', 'estimate', format.time], ['bound', 'bound', format.time], ['compile', 'compiled in, ms', format.digits],
    ['check', 'checked in, ms', format.digits], ['error', 'error / allowed', format.digits], ['registers', 'registers', format.count],
    ['blocks', 'blocks/SM', format.count], ['clock', 'MHz', format.count],
    ['memory', 'memory', format.bytes], ['workspace', 'beside the arrays', format.bytes]];
  for (const [name, title, text] of more) if (run.hasColumn(name)) columns.push(numbers(run, name, title, text));
  columns.push({
    name: 'reason', title: 'reason', value: (i) => run.reason(i), raw: (i) => run.reason(i),
    text: (i) => format.short(format.firstLine(run.reason(i)), 200),
  });
  for (const decision of run.decisions) {
    columns.push({
      name: decision.name, title: decision.name, isDecision: true, value: (i) => decision.at(i),
      text: (i) => decision.text(decision.at(i)), raw: (i) => (decision.at(i) < 0 ? '' : decision.text(decision.at(i))),
    });
  }
  return columns;
}

const kOperators = ['<=', '>=', '!=', '=', '<', '>'];
const kUnits = { ns: 1, us: 1e3, ms: 1e6, s: 1e9 };

function numberOf(text) {
  const match = text.match(/^(-?[\d.]+(?:e[+-]?\d+)?)(ns|us|ms|s)?$/i);
  return match ? Number(match[1]) * (kUnits[match[2]] ?? 1) : NaN;
}

function compare(a, operator, b) {
  switch (operator) {
    case '<=': return a <= b;
    case '>=': return a >= b;
    case '!=': return a !== b;
    case '=': return a === b;
    case '<': return a < b;
    default: return a > b;
  }
}

/** One condition as a function of a row. */
function condition(word, columns) {
  for (const operator of kOperators) {
    const at = word.indexOf(operator, 1);
    if (at < 0) continue;
    const name = word.slice(0, at);
    const column = columns.find((one) => one.name === name || one.title === name);
    if (!column) return { error: `there is no column '${name}'` };
    const wanted = word.slice(at + operator.length);
    const number = numberOf(wanted);
    if (column.isNumber) {
      if (Number.isNaN(number)) return { error: `'${wanted}' is no number` };
      return { test: (i) => compare(column.value(i), operator, number) };
    }
    if (operator === '=' || operator === '!=') return { test: (i) => compare(String(column.raw(i)), operator, wanted) };
    if (Number.isNaN(number)) return { error: `'${wanted}' is no number` };
    return { test: (i) => column.raw(i) !== '' && compare(Number(column.raw(i)), operator, number) };
  }
  const text = word.toLowerCase();
  const texts = columns.filter((column) => !column.isNumber && !column.isDecision);
  return { test: (i) => texts.some((column) => String(column.raw(i)).toLowerCase().includes(text)) };
}

/** What a filter means: {test(i), error}. Words must all hold: "verdict=correct ns<2ms spill". */
export function parseFilter(text, columns) {
  const conditions = text.split(/\s+/).filter(Boolean).map((word) => condition(word, columns));
  return {
    error: conditions.find((one) => one.error)?.error ?? '',
    test: (i) => conditions.every((one) => !one.test || one.test(i)),
  };
}

/** Indices of the rows that pass, in order. Where there is no time, or no value, a row sorts last. */
export function orderRows(run, filter, column, isDescending) {
  const rows = [];
  for (let i = 0; i < run.count; ++i) if (filter.test(i)) rows.push(i);
  if (!column) return rows;
  const isNothing = (value) => value === undefined || (column.name === 'ns' && value === 0);
  const keys = rows.map((i) => column.value(i));
  const order = rows.map((_, k) => k).sort((a, b) => {
    const x = keys[a];
    const y = keys[b];
    if (isNothing(x) !== isNothing(y)) return isNothing(x) ? 1 : -1;
    if (x === y) return a - b;
    return (x < y ? -1 : 1) * (isDescending ? -1 : 1);
  });
  return order.map((k) => rows[k]);
}

function csvCell(value) {
  const text = String(value);
  // A spreadsheet must not take a text of the log for a formula.
  const safe = typeof value === 'string' && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\n\r]/.test(safe) ? `"${safe.replace(/"/g, '""')}"` : safe;
}

/** The rows as CSV, with a line of names. */
export function toCsv(columns, rows) {
  const lines = [columns.map((column) => csvCell(column.name)).join(',')];
  for (const i of rows) lines.push(columns.map((column) => csvCell(column.raw(i))).join(','));
  return `${lines.join('\r\n')}\r\n`;
}
