// SPDX-License-Identifier: MIT
//
// The table of evaluations, failures and numbers, without a browser.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decode, valueOf } from '../src/data.js';
import { boxesOf, effectsOf } from '../src/effects.js';
import * as format from '../src/format.js';
import { columnsOf, orderRows, parseFilter, toCsv } from '../src/rows.js';
import { rows as deadEndRows } from '../views/dead_ends.js';
import { groups, kindOf } from '../views/failures.js';
import { activityRows, quoted } from '../views/run.js';
import { kEvil, samplePage, sampleData } from './sample.js';

const [run] = samplePage().runs;
const columns = columnsOf(run);
const matching = (text) => orderRows(run, parseFilter(text, columns));

test('bytes as people read them', () => {
  assert.deepEqual([0, 960, 9999, 10000, 3150000, 1.5e9].map(format.bytes), ['0 bytes', '960 bytes', '9999 bytes', '10.0 kB', '3.15 MB', '1.50 GB']);
});

test('values of decisions are those of the log', () => {
  assert.deepEqual(['0', '9', 'A', 'Z', 'a', 'z', '+', '/', '.', '?'].map((c) => valueOf(c.charCodeAt(0))),
    [0, 9, 10, 35, 36, 61, 62, 63, -1, -1]);
  assert.deepEqual([0, 1, 2].map((i) => run.decisions[0].text(run.decisions[0].at(i))), ['10', '36', '–']);
});

test('a decision of many numbers has a column of indices and ranges of its numbers', () => {
  const data = sampleData();
  const column = [...Array(40).keys()].map((i) => (i === 0 ? -1 : i < 20 ? 64 : 320));
  data.runs[0].decisions.push({ name: 'start(a)', choice: 'start', values: [], ranges: [[0, 63], [100, 4131]], taken: 30, column });
  const [long] = decode(data).runs;
  const start = long.decisions[2];
  assert.deepEqual([0, 1, 39].map((i) => start.at(i)), [-1, 64, 320]);
  assert.deepEqual([-1, 63, 64, 4095, 4096].map((value) => start.text(value)), ['–', '63', '100', '4131', '#4096']);
  // Later evaluations are faster: both values differ, though not in their last eight bits.
  assert.ok(effectsOf(long).some((effect) => effect.decision === start));
  assert.deepEqual(boxesOf(long, start).map((box) => box.text), ['takes no part', '100', '356']);
});

test('filters', () => {
  assert.equal(matching('').length, 40);
  assert.equal(matching('verdict=correct').length, 30);
  assert.equal(matching('verdict!=correct').length, 10);
  assert.equal(matching('size(a)=36').length, 13);
  assert.equal(matching('size(a)=36 verdict=correct n<=11').length, 4);
  assert.deepEqual(matching('n>=39').map((i) => run.columns.n[i]), [39, 40]);
  assert.equal(matching('ns>0ns ns<1s').length, 36);
  assert.equal(matching('signal').length, 1);
  assert.equal(matching('size(a)<20').length, 14, 'values of decisions compare as numbers');
  assert.equal(parseFilter('nonsense=3', columns).error, "there is no column 'nonsense'");
  assert.equal(parseFilter('n<many', columns).error, "'many' is no number");
});

test('order', () => {
  const time = columns.find((column) => column.name === 'ns');
  const all = parseFilter('', columns);
  for (const isDescending of [false, true]) {
    const ns = orderRows(run, all, time, isDescending).map((i) => run.columns.ns[i]);
    const timed = ns.filter((value) => value > 0);
    assert.deepEqual(timed, [...timed].sort((a, b) => (isDescending ? b - a : a - b)));
    assert.deepEqual(ns.slice(36), [0, 0, 0, 0], 'what has no time comes last');
  }
});

test('CSV', () => {
  const lines = toCsv(columns, [0, 38]).split('\r\n');
  assert.equal(lines.length, 4);
  assert.match(lines[0], /^n,dt,verdict,ns,rate,bound,compile,reason,size\(a\),"kind\(/);
  assert.ok(lines[2].includes(`"error: line 12: ${kEvil.replace(/"/g, '""')}"`));
  assert.match(toCsv([{ name: 'x', raw: () => '=1+1' }], [0]), /'=1\+1/);
});

test('failures are grouped by what they have in common', () => {
  assert.equal(kindOf('80340 ns, the cap is 71053 ns'), kindOf('8.1 us, the cap is 7 ms'));
  assert.deepEqual(groups(run).map(({ verdict, count, first }) => [verdict, count, first]),
    [['slow', 6, 6], ['compile_error', 3, 13], ['crash', 1, 40]]);
});

test('dead ends come most frequent first, of the end where the log has no others', () => {
  assert.deepEqual(deadEndRows(run).map((row) => row.label), ['often', 'rare']);
  assert.deepEqual(deadEndRows({ deadEnds: [], end: { deadEnds: [['a', 1], ['b', 5]] } }).map((row) => row.count), [5, 1]);
  assert.deepEqual(deadEndRows({ deadEnds: [], end: null }), []);
});

test('shares of time are of who looks and of who judges', () => {
  const activities = [['compile', 3], ['descend', 1], ['time', 5], ['wait', 5], ['full', 0]];
  const rows = activityRows({ end: { activities } });
  assert.deepEqual(rows.map((row) => row[1]), ['descend', 'look', 'lower', 'compile', 'wait', 'check', 'time', 'learn', 'wait']);
  assert.deepEqual(rows.map((row) => row[3]), [0.25, 0, 0, 0.75, 0, 0, 0.5, 0, 0.5]);
  assert.deepEqual(activityRows({ end: {} }), []);
  assert.deepEqual(activityRows({ end: null }), []);
});

test('numbers', () => {
  assert.deepEqual([1738, 82.1e6, 338000, 0.5, 0].map(format.time), ['1.74 us', '82.1 ms', '338 us', '0.500 ns', '–']);
  assert.equal(format.time(999.9), '1.00 us');
  assert.equal(format.count(1234567), '1,234,567');
  assert.equal(format.counted(1, 'dead end'), '1 dead end');
  assert.equal(format.gap(8, 4), '50.0 %');
});

test('words of a command line go back through a shell', () => {
  assert.equal(quoted("it's"), "'it'\\''s'");
  assert.equal(quoted('m=512,n=4'), 'm=512,n=4');
});

test('data of another version is refused', () => {
  assert.throws(() => decode({ ...sampleData(), v: 1 }), /version 3, not 1/);
});
