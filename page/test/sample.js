// SPDX-License-Identifier: MIT
//
// Data of a small run, as search report writes it, with what is awkward in it.
import { deflateSync } from 'node:zlib';
import { decode } from '../src/data.js';

export const kEvil = '</script><img src=x onerror="window.broken=1">\'';

/** As search/page/packed.h makes it of long columns. */
export const packed = (column) => deflateSync(JSON.stringify(column), { level: 1 }).toString('base64');

/** 40 evaluations: 30 correct, 6 slow with a time, 3 compile errors, 1 crash. */
export function sampleRun(name = 'runs/a') {
  const count = 40;
  const evals = { n: [], dt: [], verdict: [], reason: [], ns: [], bound: [], compile: [] };
  const verdicts = ['correct', 'slow', 'compile_error', 'crash'];
  const bests = [];
  let column = '';
  let other = '';
  for (let i = 0; i < count; ++i) {
    const verdict = i === 39 ? 3 : i % 13 === 12 ? 2 : i % 6 === 5 ? 1 : 0;
    const ns = verdict > 1 ? 0 : 10000 - 50 * i + (i % 3) * 1500 + (i % 7) * 40 + (verdict === 1 ? 50000 : 0);
    evals.n.push(i + 1);
    evals.dt.push(0.5 * i);
    evals.verdict.push(verdict);
    evals.reason.push(verdict === 0 ? -1 : verdict - 1);
    evals.ns.push(ns);
    evals.bound.push(2000 + 10 * (i % 5));
    evals.compile.push(80 + i);
    column += 'Aa.'[i % 3];
    other += String(i % 2);
    if (verdict === 0 && (!bests.length || ns < bests[bests.length - 1][2])) bests.push([i + 1, 0.5 * i, ns]);
  }
  const [n, , ns] = bests[bests.length - 1];
  return {
    name,
    run: {
      tool: 'search 0.1.0', started: '2026-01-31T12:00:00Z', space: 'linalg', fingerprint: 'f00d', spaceDecisions: 'default',
      kernel: 'matmul', text: '', sizes: 'm=64,n=64', flops: 2e6, device: 'cpu', limits: [['threads', '2']], conditions: '2 threads', machine: [['processor', 'some model']],
      seed: '7', argv: ['./exh search', '--kernel', kEvil], order: ['size', 'kind'], policy: 'tag', bound: 'warm',
    },
    numProblems: 1, problems: ['line 7: checksum does not match'], cutOff: true, resumes: [], repairs: [],
    count, evals, verdicts, reasons: ['90 us, the cap is 70 us', `error: line 12: ${kEvil}`, 'signal 11'], reasonsLeftOut: 0,
    decisions: [
      { name: 'size(a)', choice: 'size', values: [...Array(64).keys()].map(String), taken: 26, column },
      { name: `kind(${kEvil})`, choice: 'kind', values: ['LOOP', 'x'.repeat(10000)], taken: 40, column: other },
    ],
    decisionsLeftOut: 0, bests,
    deadEnds: [
      { label: 'rare', count: 2, least: 1, median: 1, most: 4, example: 'size(a)', value: '4' },
      { label: 'often', count: 30, least: 2, median: 9, most: 12, example: 'kind(a)', value: '' },
    ],
    references: [
      { name: 'winner', verdict: 'correct', why: '', ns, lo: 0, hi: 0 },
      { name: 'eigen', verdict: 'correct', why: '', ns: 9000, lo: 0, hi: 0 },
      { name: 'naive', verdict: 'correct', why: '', ns: 90000, lo: 0, hi: 0 },
    ],
    rates: null, violations: [], seconds: 20,
    end: { why: 'budget:time', dt: 20, evaluations: count, descents: 50, duplicates: 3, deadEnds: [], tree: 'c0ffee', bound: 1500, pruned: 4, violations: 0 },
    bounds: [[0, 1000], [5, 1200], [12, 1500]], treeTrouble: '',
    roofline: { peak: 800, unitPeak: 6000, traffic: 400, memory: 100, n: [1, 2, 3, 9], intensity: [0.5, 1, 4, 16] },
    tree: {
      count: 9,
      parent: [-1, 0, 0, 1, 1, 2], step: [-1, 0, 1, 2, 3, 2], state: [0, 0, 2, 3, 0, 1], visits: [50, 30, 20, 18, 10, 1],
      evaluations: [40, 25, 15, 15, 9, 0], correct: [30, 20, 10, 12, 8, 0], best: [ns, ns, 9000, ns, 8000, 0],
      bound: [1500, 1500, 1600, 9900, 1500, 1600], deadEnds: [0, 2, 0, 0, 0, 0], cut: [1, 0, 0, 0, 0, 0], hidden: [0, 0, 0, 3, 0, 0],
      names: ['size(a) = 10', 'size(a) = 36', `kind(${kEvil}) = LOOP`, 'kind(a) = UNROLL'],
    },
    winner: {
      n, ns, lo: 0, hi: 0, across: '', outline: 'root\n  loop a.m0:4\n    vector a.m1:16\n      exec a\n', source: '// c\nfor (int i = 0; i < 4; ++i) {}\n',
      suffix: '.cc', trouble: '', taken: [['size(a)', '10'], ['kind(a)', 'LOOP']], inTurn: false,
      finalists: [{ n: 2, ns: 9000, lo: 0, hi: 0, differs: [['size(a)', '10', '36']] }],
    },
  };
}

/** The data of a page of these runs. */
export function sampleData(names = ['runs/a']) {
  return { v: 3, made: '2026-01-31T13:00:00Z', runs: names.map((name) => sampleRun(name)) };
}

export function samplePage(names) {
  return decode(sampleData(names));
}

/** How many evaluations have this verdict, and a time if `isTimed` says so. */
export function countOf(json, verdict, isTimed) {
  return json.evals.verdict.filter((index, i) => json.verdicts[index] === verdict
    && (isTimed === undefined || (json.evals.ns[i] > 0) === isTimed)).length;
}

/** A fleet of the products of some sizes, as search tune --status prints it: most are done, one of each other state, and one
 * kernel with a single size. */
export function sampleFleet(sizes = [64, 128, 256]) {
  const shapes = [];
  for (const m of sizes) {
    for (const n of sizes) {
      for (const k of sizes.slice(0, 2)) {
        const best = 10 * m * n * k / 1e3;
        shapes.push({
          shape: `matmul-m${m}-n${n}-k${k}`, state: 'done', kernel: 'matmul', type: 'f32', sizes: { m: String(m), n: String(n), k: String(k) },
          best_ns: best, lo_ns: 0.99 * best, hi_ns: 1.01 * best, best_bound_ns: best / 2, bound_ns: best / 4, gap: 0.75, flops: 2 * m * n * k,
          seconds: 60, evaluations: 300,
          yardsticks: [{ name: 'eigen', ns: best * m / 128, ratio: m / 128 }, { name: 'naive', ns: 9 * best, ratio: 9 }],
        });
      }
    }
  }
  const without = (shape, more) => ({ shape: shape.shape, kernel: shape.kernel, sizes: shape.sizes, seconds: 0, evaluations: 0, ...more });
  shapes[0] = without(shapes[0], { state: 'waiting' });
  shapes[1] = without(shapes[1], { state: 'failed', why: `signal 9 ${kEvil}` });
  shapes[2] = { ...shapes[2], state: 'running', gap: undefined, bound_ns: undefined, yardsticks: undefined };
  for (const one of shapes.slice(0, 2)) one.type = 'f32';
  shapes[3].report = `${shapes[3].shape}/report.html`;
  shapes.push({ shape: 'axpy-n64', state: 'done', kernel: 'axpy', sizes: { n: '64' }, best_ns: 50, seconds: 3, evaluations: 12, flops: 128 });
  const counts = { done: 0, running: 0, waiting: 0, failed: 0 };
  for (const shape of shapes) ++counts[shape.state];
  return {
    folder: 'fleets/a fleet', device: 'cpu', budgets: ['60s'], options: ['--jobs=2'], machines: ['cpu EPYC'], programs: ['search 0.1.0'], counts,
    seconds: shapes.reduce((sum, shape) => sum + shape.seconds, 0), evaluations: shapes.reduce((sum, shape) => sum + shape.evaluations, 0),
    means: [{ kernel: 'matmul', type: 'f32', shapes: 15, ratio: 1.25, least: 0.5, most: 2, faster: 6 },
      { kernel: 'matmul', type: 'f32', yardstick: 'naive', shapes: 15, ratio: 9, least: 9, most: 9, faster: 15 }],
    shapes,
  };
}

/** The data of the page of a fleet. */
export function fleetData(fleet = sampleFleet(), folder = 'a fleet') {
  return { v: 3, made: '2026-01-31T13:00:00Z', folder, fleet };
}
