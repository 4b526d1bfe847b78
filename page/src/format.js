// SPDX-License-Identifier: MIT
//
// Numbers as people read them.

/** Three digits: "1.74", "82.1", "338". */
export function digits(value) {
  if (!Number.isFinite(value)) return '–';
  const size = Math.abs(value);
  if (size >= 100) return Math.round(value).toString();
  if (size >= 10) return value.toFixed(1);
  return size >= 1 ? value.toFixed(2) : value.toPrecision(3);
}

const kTimes = [[1e9, 's'], [1e6, 'ms'], [1e3, 'us'], [1, 'ns']];

/** Nanoseconds: "1.74 us". */
export function time(ns) {
  if (!(ns > 0)) return '–';
  const [size, unit] = kTimes.find(([least]) => ns >= least * 0.9995) ?? kTimes[3];
  return `${digits(ns / size)} ${unit}`;
}

/** Operations in so many nanoseconds: "12.3 GFLOP/s". */
export function rate(flops, ns) {
  if (!(flops > 0) || !(ns > 0)) return '–';
  const giga = flops / ns;
  return giga >= 1000 ? `${digits(giga / 1000)} TFLOP/s` : `${digits(giga)} GFLOP/s`;
}

const kBytes = [[1e9, 'GB'], [1e6, 'MB'], [1e3, 'kB']];

/** "12.6 MB"; below 10,000 bytes "960 bytes". */
export function bytes(value) {
  if (!(value >= 10000)) return `${Math.round(value)} bytes`;
  const [size, unit] = kBytes.find(([least]) => value >= least * 0.9995);
  return `${digits(value / size)} ${unit}`;
}

/** "12,345". */
export function count(value) {
  return Math.round(value).toString().replace(/\B(?=(\d{3})+$)/g, ',');
}

/** "1 evaluation", "12 evaluations". */
export function counted(value, word) {
  return `${count(value)} ${word}${value === 1 ? '' : 's'}`;
}

/** The share by which `bound` lies below `best`: "45 %". */
export function gap(best, bound) {
  if (!(best > 0) || !(bound > 0)) return '–';
  return `${digits(100 * (1 - bound / best))} %`;
}

/** The beginning of a long text. */
export function short(text, most = 60) {
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}

/** The first line of a text. */
export function firstLine(text) {
  const end = text.indexOf('\n');
  return end < 0 ? text : text.slice(0, end);
}
