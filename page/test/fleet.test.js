// SPDX-License-Identifier: MIT
//
// The page of a fleet against the status that it shows.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inkOf } from '../src/chart.js';
import { decode } from '../src/data.js';
import { countsText, hrefOf } from '../src/fleet.js';
import { orderRows, parseFilter, toCsv } from '../src/rows.js';
import { factsOf } from '../views/fleet/details.js';
import { failureGroups } from '../views/fleet/failures.js';
import { choiceOf, option, scaleOf } from '../views/fleet/map.js';
import { duration, meanRows } from '../views/fleet/overview.js';
import { columnsOf } from '../views/fleet/shapes.js';
import { marksOf, svgOf } from './marks.js';
import { fleetData, packed, sampleFleet } from './sample.js';

const fleetOf = (json = sampleFleet(), folder = 'a fleet') => decode(fleetData(json, folder)).fleet;
const chartOf = (fleet, state = {}) => option(fleet, choiceOf(fleet, state), inkOf(false));

test('a fleet comes packed or as it is', () => {
  const plain = fleetOf();
  const small = decode({ ...fleetData(), fleet: { packed: packed(sampleFleet()) } }).fleet;
  assert.deepEqual(small.shapes, JSON.parse(JSON.stringify(plain.shapes)));
});

test('the axes are the sizes with the most values, one map for each kernel and type', () => {
  const fleet = fleetOf();
  assert.deepEqual(fleet.groups.map((group) => group.label), ['matmul, f32', 'axpy']);
  const [matmul, axpy] = fleet.groups;
  assert.deepEqual(matmul.axes, { x: 'n', y: 'm' }, 'k has fewer values');
  assert.deepEqual(matmul.values.get('m'), ['64', '128', '256'], 'in the order of numbers');
  assert.deepEqual(matmul.fixed(matmul.axes), { k: '64' });
  assert.deepEqual(axpy.axes, { x: 'n', y: undefined });
  assert.deepEqual(axpy.fixed(axpy.axes), {});
});

test('what is no axis has the value that most shapes have', () => {
  const json = sampleFleet();
  json.shapes = json.shapes.filter((shape) => shape.sizes.k !== '64' || shape.sizes.m === '64');
  const [group] = fleetOf(json).groups;
  assert.deepEqual(group.fixed(group.axes), { k: '128' });
  assert.deepEqual(group.fixed(group.axes, { k: '64' }), { k: '64' });
});

test('options that only some shapes say are as usual in the others', () => {
  const json = sampleFleet();
  json.shapes = json.shapes.slice(4, 8);
  json.shapes[0].sizes.transpose_b = '1';
  const [group] = fleetOf(json).groups;
  assert.deepEqual(group.values.get('transpose_b'), [undefined, '1']);
  const { axes, fixed } = choiceOf(fleetOf(json), { x: 'm', y: 'n' });
  assert.deepEqual(axes, { x: 'm', y: 'n' });
  assert.deepEqual(fixed, { k: '64', transpose_b: undefined });
});

test('map: a cell for each shape with the chosen sizes', () => {
  const fleet = fleetOf();
  const marks = marksOf(chartOf(fleet));
  assert.deepEqual(Object.fromEntries(marks), { done: 7, running: 1, waiting: 1, failed: 0 });
  const other = marksOf(chartOf(fleet, { fixed: { k: '128' } }));
  assert.deepEqual(Object.fromEntries(other), { done: 8, running: 0, waiting: 0, failed: 1 });
  const all = fleet.groups[0];
  const turned = choiceOf(fleet, { x: 'k', y: 'm', fixed: {} });
  assert.deepEqual([turned.axes, turned.fixed], [{ x: 'k', y: 'm' }, { n: '64' }]);
  assert.equal(all.cells(turned.axes, turned.fixed).length, 6);
});

test('map: cells say their number, and its colour goes from the worst to the best', () => {
  const fleet = fleetOf();
  const quantity = (id) => fleet.quantities.find((one) => one.id === id);
  assert.match(svgOf(chartOf(fleet)), />2.00x</);
  assert.match(svgOf(chartOf(fleet, { quantity: 'gap' })), />75.0 %</);
  assert.match(svgOf(chartOf(fleet, { quantity: 'roof' })), />50.0 %</);
  const ratio = scaleOf(quantity('best yardstick'), fleet.shapes);
  assert.deepEqual([ratio.worst, ratio.best], [0.5, 2]);
  assert.deepEqual([0.5, 1, 2].map(ratio.share), [0, 0.5, 1], 'of ratios the logarithms');
  const time = scaleOf(quantity('time'), fleet.shapes);
  assert.equal(time.best, 50);
  assert.deepEqual([time.share(time.best), time.share(time.worst)], [1, 0]);
  assert.equal(scaleOf(quantity('gap'), fleet.shapes).share(0.75), 1, 'of equal numbers each is the best');
});

test('map: of a fleet in which nothing is done, and of kernels with one size or none', () => {
  const json = sampleFleet();
  json.shapes = json.shapes.map(({ shape, kernel, sizes }) => ({ shape, state: 'waiting', kernel, sizes, seconds: 0, evaluations: 0 }));
  json.shapes.push({ shape: 'fixed', state: 'failed', kernel: 'fixed', sizes: {}, seconds: 0, evaluations: 0 });
  const fleet = fleetOf(json);
  assert.deepEqual(fleet.quantities, []);
  assert.equal(marksOf(chartOf(fleet)).get('waiting'), 9);
  assert.equal(marksOf(chartOf(fleet, { group: 'axpy' })).get('waiting'), 1);
  assert.equal(marksOf(chartOf(fleet, { group: 'fixed' })).get('failed'), 1);
});

test('map: of one shape', () => {
  const json = sampleFleet();
  json.shapes = [json.shapes[5]];
  assert.equal(marksOf(chartOf(fleetOf(json))).get('done'), 1);
});

test('quantities are those that shapes have', () => {
  assert.deepEqual(fleetOf().quantities.map((one) => one.id),
    ['best yardstick', 'against eigen', 'against naive', 'gap', 'roof', 'rate', 'time', 'evaluations']);
});

test('the table: columns, order, filters and CSV', () => {
  const fleet = fleetOf();
  const columns = columnsOf(fleet);
  assert.deepEqual(columns.map((column) => column.name),
    ['shape', 'state', 'ns', 'rate', 'gap', 'roof', 'yardstick', 'ratio', 'evaluations', 'seconds', 'reason', 'kernel', 'type', 'm', 'n', 'k']);
  const rows = (text, name, isDescending) => orderRows({ count: fleet.shapes.length }, parseFilter(text, columns), columns.find((one) => one.name === name), isDescending);
  assert.equal(rows('state=done').length, 16);
  assert.equal(rows('state=done ratio<1').length, 3);
  assert.equal(rows('signal').length, 1);
  assert.equal(rows('axpy')[0], 18);
  for (const isDescending of [false, true]) {
    const sorted = rows('', 'ratio', isDescending).map((i) => fleet.shapes[i].yardsticks?.[0].ratio);
    assert.deepEqual(sorted.slice(15), [undefined, undefined, undefined, undefined], 'what was not compared comes last');
  }
  const lines = toCsv(columns, [18, 0]).split('\r\n');
  assert.match(lines[1], /^axpy-n64,done,50,2.56,.*,axpy,,,64,$/);
  assert.match(lines[2], /^matmul-m64-n64-k64,waiting,,.*,matmul,f32,64,64,64$/);
});

test('failures, means, counts and times', () => {
  const json = sampleFleet();
  json.shapes[2] = { ...json.shapes[1], shape: 'other', why: json.shapes[1].why.replace('9', '11') };
  const fleet = fleetOf(json);
  assert.deepEqual(failureGroups(fleet).map((group) => group.shapes.map((shape) => shape.shape)), [['matmul-m64-n64-k128', 'other']]);
  assert.deepEqual(meanRows(fleet)[0], ['matmul', 'f32', 'the fastest of each shape', '15', '1.25x', '0.500x', '2.00x', '6']);
  assert.equal(meanRows(fleet)[1][2], 'naive');
  assert.equal(countsText(fleetOf()), '16 done, 1 running, 1 waiting, 1 failed');
  assert.deepEqual([52.1, 90, 7560].map(duration), ['52.1 s', '1.50 min', '2.10 h']);
  const facts = Object.fromEntries(factsOf(fleet, fleet.shapes[4]));
  assert.deepEqual([facts.gap, facts['its own bound'].split(', ')[1], facts.sizes], ['75.0 %', '50.0 % of its time', 'm=64, n=256, k=64']);
});

test('links go to files beside the page, whatever they are called', () => {
  assert.equal(hrefOf('javascript:alert(1)/x'), './javascript%3Aalert(1)/x');
  assert.equal(hrefOf('/a b/c'), '/a%20b/c');
  const fleet = fleetOf();
  assert.equal(fleet.reportOf(fleet.shapes[3]), './a%20fleet/matmul-m64-n128-k128/report.html');
  assert.equal(fleet.reportOf(fleet.shapes[4]), undefined);
});
