// SPDX-License-Identifier: MIT
//
// Each chart against the data that it shows.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inkOf, labelsApart } from '../src/chart.js';
import { boxesOf, effectsOf } from '../src/effects.js';
import { option as bounds } from '../views/bounds.js';
import { barsOption as effectBars, boxesOption as effectBoxes } from '../views/effects.js';
import { arrayBytes, frontOf, option as memory, pointsOf } from '../views/memory.js';
import { kMostLines, linesOf, option as parallel, selectionText } from '../views/parallel.js';
import { Prefixes } from '../src/prefixes.js';
import { option as roofline, peakOf, roofOf } from '../views/roofline.js';
import { describe, kMostBoxes, option as tree } from '../views/tree.js';
import { boundPoints, failing, gapPoints, incumbent, Chosen, option as timeline } from '../views/timeline.js';
import { marksOf, svgOf } from './marks.js';
import { countOf, samplePage, sampleRun } from './sample.js';

test('of very many dots some are drawn, and those stay when others come', () => {
  const all = () => true;
  assert.deepEqual(new Chosen(3).below(3, all), [0, 1, 2]);
  const growing = new Chosen(100);
  const some = [...growing.below(1000, all)];
  assert.ok(some.length > 50 && some.length <= 100, String(some.length));
  assert.equal(some[0], 0);
  assert.deepEqual(growing.below(1020, all).slice(0, some.length), some);
  assert.deepEqual(new Chosen(100).below(10, (i) => i % 2 === 1), [1, 3, 5, 7, 9]);
  const half = [...growing.below(1600, all)];
  assert.equal(half.length, 100);
  assert.ok(growing.below(3200, all).filter((i) => i < 1600).every((i) => half.includes(i)));
  // As if all of them had come at once.
  assert.deepEqual(growing.below(5000, all), new Chosen(100).below(5000, all));
});

test('timeline: a mark for each evaluation', () => {
  const json = sampleRun();
  for (const over of ['seconds', 'evaluations']) {
    const marks = marksOf(timeline(samplePage().runs, over));
    assert.equal(marks.get('measured'), countOf(json, 'correct'));
    assert.equal(marks.get('stopped or wrong'), countOf(json, 'slow', true));
    for (const verdict of ['slow', 'compile_error', 'crash']) {
      assert.equal(marks.get(verdict), countOf(json, verdict), verdict);
    }
  }
});

test('timeline: the incumbent goes down to the best, and on to the end of the run', () => {
  const [run] = samplePage().runs;
  const points = incumbent(run, 'seconds');
  assert.equal(points.length, run.bests.length + 1);
  assert.deepEqual(points.at(-1), [20, run.bestTime]);
  for (let i = 1; i < points.length; ++i) assert.ok(points[i][1] <= points[i - 1][1]);
  assert.deepEqual(incumbent(run, 'evaluations')[0], [1, run.bests[0][2]]);
  const gaps = gapPoints(run, 'seconds');
  assert.equal(gaps.at(-1)[1], 100 * (1 - 1500 / run.bestTime));
  assert.equal(gaps[0][1], 100 * (1 - 1000 / run.bests[0][2]), 'with the bound that was known then');
  assert.deepEqual(boundPoints(run, 'evaluations').map(([x]) => x), [0, 11, 25, 40]);
  run.bounds = [];
  assert.deepEqual(boundPoints(run, 'seconds'), [[0, 1500], [20, 1500]]);
});

test('timeline: yardsticks are lines, the winner is none', () => {
  const [run] = samplePage().runs;
  const best = timeline([run], 'seconds').series.find((series) => series.name === 'best');
  assert.deepEqual(best.markLine.data.map((line) => line.yAxis), [9000, 90000]);
  assert.match(svgOf(timeline([run], 'seconds')), /eigen 9.00 us/);
});

test('labels of lines that are near each other stand on both sides of them', () => {
  const lines = [{ yAxis: 55 }, { yAxis: 407 }, { yAxis: 57.7 }, { yAxis: 50 }].map((line) => ({ ...line, label: { formatter: '{b}' } }));
  const placed = labelsApart(lines, 'insideEnd').map((line) => [line.yAxis, line.label.position, line.label.formatter]);
  assert.deepEqual(placed, [[55, 'insideEndBottom', '{b}'], [407, 'insideEndTop', '{b}'], [57.7, 'insideEndTop', '{b}'], [50, 'insideEndTop', '{b}']]);
});

test('timeline: of two runs each has its own marks', () => {
  const marks = marksOf(timeline(samplePage(['x', 'y']).runs, 'seconds'));
  for (const name of ['x', 'y']) assert.equal(marks.get(`${name}: measured`), 30);
  assert.equal(marks.get('slow'), 12);
});

test('timeline: a run without bests, bound or failures is drawn', () => {
  const { runs } = samplePage();
  const bare = Object.assign(runs[0], { bests: [], end: null, references: [], bounds: [] });
  assert.equal(marksOf(timeline([bare], 'seconds')).get('measured'), 30);
  assert.deepEqual(failing(runs), ['slow', 'compile_error', 'crash']);
});

test('bounds: every point that has both, and those above the diagonal by themselves', () => {
  const { runs: [run] } = samplePage();
  let marks = marksOf(bounds([run]));
  assert.equal(marks.get('evaluations'), 30);
  assert.equal(marks.has('bound above time'), false);
  run.columns.bound[3] = run.columns.ns[3] * 2;
  marks = marksOf(bounds([run]));
  assert.deepEqual([marks.get('evaluations'), marks.get('bound above time')], [29, 1]);
  run.columns.bound.fill(0);
  assert.equal(bounds([run]), null);
});

test('memory: what nothing beats in both time and bytes is the front', () => {
  const front = frontOf([[300, 10, 0], [100, 50, 1], [200, 60, 2], [100, 50, 3], [200, 20, 4], [400, 10, 5]]);
  assert.deepEqual(front, [[100, 50, 1], [200, 20, 4], [300, 10, 0]], 'fewest bytes first; of equal ones the first record');
  assert.deepEqual(frontOf([]), []);
});

test('memory: more bytes are on the front only where they buy time beyond doubt', () => {
  const points = [[100, 50, 0, 52], [200, 49, 1, 51], [300, 40, 2, 44], [400, 39, 3, 39.5]];
  assert.deepEqual(frontOf(points).map(([bytes]) => bytes), [100, 300, 400]);
  assert.deepEqual(frontOf([[100, 50, 0, 52], [200, 48, 1, 50]]).map(([bytes]) => bytes), [100]);
});

test('memory: a mark for each correct evaluation, and yardsticks with their workspace', () => {
  const { runs: [run] } = samplePage();
  assert.equal(memory([run]), null, 'older logs say nothing of memory');
  for (let i = 0; i < run.count; ++i) {
    run.columns.workspace[i] = 100 * (i % 4);
    run.columns.memory[i] = 50000 + run.columns.workspace[i];
  }
  run.references[1].workspace = 7000;
  const chart = memory([run]);
  const marks = marksOf(chart);
  assert.equal(marks.get('evaluations'), 30, 'failures and slow ones have none');
  assert.equal(marks.get('yardsticks'), 1);
  assert.equal(arrayBytes(run), 50000);
  assert.deepEqual(chart.series[2].data[0].value, [57000, 9000]);
  assert.equal(marks.get('front'), frontOf(pointsOf(run)).length);
});

test('parallel coordinates: a line for each evaluation that has a time', () => {
  const { runs: [run] } = samplePage();
  const chart = parallel(run, run.decisions, inkOf(true));
  assert.equal(chart.series[0].data.length, 30);
  assert.equal(marksOf(chart).get('evaluations'), 30);
  assert.deepEqual(chart.parallelAxis[0].data, ['–', '10', '36'], 'the values that occur');
  assert.match(selectionText(run, [0, 1]), /^2 evaluations selected; the fastest is record/);
});

test('parallel coordinates: of many evaluations the fastest and some of the others', () => {
  const count = 3 * kMostLines;
  const run = { count, isCorrect: () => true, columns: { ns: Float64Array.from({ length: count }, (_, i) => count - i) } };
  const rows = linesOf(run);
  assert.equal(rows.length, kMostLines);
  assert.equal(new Set(rows).size, kMostLines);
  assert.equal(rows.at(-1), count - 1, 'the fastest lies on top');
});

test('effects: a bar per decision, a box per value with its count', () => {
  const { runs: [run] } = samplePage();
  for (let i = 0; i < run.count; ++i) if (run.columns.ns[i] > 0) run.columns.ns[i] = 1000 * (2 + run.decisions[0].at(i)) + i;
  const effects = effectsOf(run);
  assert.equal(effects[0].decision.name, 'size(a)');
  assert.equal(effects[0].sure, 'sure');
  const bars = effectBars(effects);
  assert.equal([...marksOf(bars).values()].reduce((a, b) => a + b), effects.length);
  const boxes = boxesOf(run, run.decisions[0]);
  assert.deepEqual(boxes.map((box) => box.text), ['takes no part', '10', '36']);
  assert.equal(boxes.reduce((sum, box) => sum + box.times.length, 0), 30);
  const marks = marksOf(effectBoxes(run, run.decisions[0]));
  assert.equal(marks.get('times'), 3);
});

test('effects: of few evaluations each is a mark of its own', () => {
  const { runs: [run] } = samplePage();
  run.isCorrect = (i) => i < 5;
  const marks = marksOf(effectBoxes(run, run.decisions[1]));
  assert.equal(marks.get('single times'), 5);
});

test('roofline: a dot and a ring for each implementation, below a roof', () => {
  const { runs: [run] } = samplePage();
  const marks = marksOf(roofline([run]));
  assert.deepEqual([marks.get('evaluations'), marks.get('their bounds')], [4, 4]);
  assert.deepEqual(roofOf(run.roofline, 1, 8), [[1, 400], [2, 800], [8, 800]]);
  assert.equal(peakOf(run.roofline, [[1, 100], [1, 799]]), 800);
  assert.equal(peakOf(run.roofline, [[1, 100], [1, 900]]), 6000, 'what is above the arithmetic uses matrix units');
  assert.equal(peakOf({ peak: 800, unitPeak: 0 }, [[1, 900]]), 800);
  run.roofline = null;
  assert.equal(roofline([run]), null);
});

test('tree: a box for each prefix, and one for those that are not drawn', () => {
  const { runs: [run] } = samplePage();
  const prefixes = new Prefixes(run.tree);
  assert.deepEqual([...prefixes.below], [8, 5, 1, 3, 0, 0]);
  const { boxes } = prefixes.layout(0, kMostBoxes, 0);
  assert.deepEqual(boxes.filter((box) => !box.others).map((box) => box.node).sort(), [0, 1, 2, 3, 4, 5]);
  assert.deepEqual(boxes.filter((box) => box.others).map(({ node, others }) => [node, others]), [[3, 3]]);
  for (const box of boxes.filter((one) => !one.others)) assert.equal(box.to - box.from, run.tree.visits[box.node]);
  assert.equal(marksOf(tree(prefixes, 0, inkOf(false))).get('prefixes'), 7);
  assert.match(describe(prefixes, 1), /2 values lead to a dead end/);
});

test('tree: what has too few visits stands as one box, opened by a click', () => {
  const { runs: [run] } = samplePage();
  const prefixes = new Prefixes(run.tree);
  const { boxes } = prefixes.layout(0, kMostBoxes, 15);
  assert.deepEqual(boxes.filter((box) => box.others).map(({ node, others }) => [node, others]).sort(), [[1, 1], [2, 1], [3, 3]]);
  assert.deepEqual(prefixes.layout(1, kMostBoxes, 0).boxes[0], { node: 1, depth: 0, from: 0, to: 30 });
});

test('tree: of a million prefixes at most 5,000 are drawn', () => {
  const count = 1e6;
  const json = {
    count, parent: [-1], step: [-1], state: [0], visits: [count], evaluations: [0], correct: [0], best: [0], bound: [0], deadEnds: [0], cut: [0],
    hidden: [0], names: ['x'],
  };
  for (let node = 1; node < count; ++node) {
    json.parent.push(Math.floor((node - 1) / 3));
    json.visits.push(Math.max(1, Math.floor(json.visits[json.parent[node]] / 3)));
    for (const name of ['step', 'state', 'evaluations', 'correct', 'best', 'bound', 'deadEnds', 'cut', 'hidden']) json[name].push(0);
  }
  const prefixes = new Prefixes(json);
  const { boxes, left } = prefixes.layout(0, kMostBoxes, 0, 30);
  assert.equal(boxes.length, kMostBoxes);
  const drawn = new Set(boxes.filter((box) => !box.others).map((box) => box.node));
  const hidden = [...boxes, ...left].filter((box) => box.others).reduce((sum, box) => sum + box.others, 0);
  assert.equal(drawn.size + hidden, count, 'every prefix is drawn, or counted where it is not');
  assert.ok(tree(prefixes, 0, inkOf(false)).series[0].data.length <= kMostBoxes);
});
