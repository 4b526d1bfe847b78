// SPDX-License-Identifier: MIT
//
// Each chart against the data that it shows.
import assert from 'node:assert/strict';
import { test } from 'node:test';
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
