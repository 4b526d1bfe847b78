// SPDX-License-Identifier: MIT
//
// Each chart against the data that it shows.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inkOf } from '../src/chart.js';
import { boxesOf, effectsOf } from '../src/effects.js';
import { option as bounds } from '../views/bounds.js';
import { barsOption as effectBars, boxesOption as effectBoxes } from '../views/effects.js';
import { kMostLines, linesOf, option as parallel, selectionText } from '../views/parallel.js';
import { failing, gapPoints, incumbent, option as timeline } from '../views/timeline.js';
import { marksOf, svgOf } from './marks.js';
import { countOf, samplePage, sampleData, sampleRun } from './sample.js';

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
  assert.equal(gapPoints(run, 'seconds').at(-1)[1], 100 * (1 - 1500 / run.bestTime));
});

test('timeline: yardsticks are lines, the winner is none', () => {
  const [run] = samplePage().runs;
  const best = timeline([run], 'seconds').series.find((series) => series.name === 'best');
  assert.deepEqual(best.markLine.data.map((line) => line.yAxis), [9000, 90000]);
  assert.match(svgOf(timeline([run], 'seconds')), /eigen 9.00 us/);
});

test('timeline: of two runs each has its own marks', () => {
  const marks = marksOf(timeline(samplePage(['x', 'y']).runs, 'seconds'));
  for (const name of ['x', 'y']) assert.equal(marks.get(`${name}: measured`), 30);
  assert.equal(marks.get('slow'), 12);
});

test('timeline: a run without bests, bound or failures is drawn', () => {
  const data = sampleData();
  data.runs[0].bests = [];
  data.runs[0].end = null;
  data.runs[0].references = [];
  const { runs } = samplePage();
  const bare = Object.assign(runs[0], { bests: [], end: null, references: [] });
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
