// SPDX-License-Identifier: MIT
//
// Statistics, highlighted code and outlines of loops.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import jstat from 'jstat';
import { decode, labelsOf, plainName, unpacked } from '../src/data.js';
import { sureness } from '../src/effects.js';
import { pieces } from '../src/highlight.js';
import { parseOutline, withoutSingles } from '../src/outline.js';
import { programFacts, programFiles, programOf, titleOf } from '../src/program.js';
import { columnsOf } from '../src/rows.js';
import { chiSquaredTail, differ, medianInterval, quantile, ranksOf } from '../src/statistics.js';
import { interval, isBusy, ranks, speedText, tied } from '../src/best_time.js';
import { kViews } from '../views/list.js';
import { summary, within } from '../views/timeline.js';
import { commandsOf, differencesOf, placesOf, worthsOf, countersOf } from '../views/winner.js';
import { kEvil, packed, sampleData, samplePage } from './sample.js';

const near = (a, b, part = 1e-3) => assert.ok(Math.abs(a - b) <= part * Math.abs(b), `${a} is not ${b}`);

test('packed columns are the same columns', () => {
  const list = Array.from({ length: 9999 }, (_, i) => i);
  assert.deepEqual(unpacked({ packed: packed(list) }), list);
  assert.equal(unpacked({ packed: packed('.1a<') }), '.1a<');
  assert.throws(() => unpacked({ packed: 'AAAA' }));
  const plain = sampleData();
  const small = sampleData();
  const [run] = small.runs;
  for (const [name, column] of Object.entries(run.evals)) run.evals[name] = { packed: packed(column) };
  for (const decision of run.decisions) decision.column = { packed: packed(decision.column) };
  const [a] = decode(plain).runs;
  const [b] = decode(small).runs;
  for (const name of ['n', 'dt', 'ns', 'clock', 'verdict', 'reason']) assert.deepEqual(b.columns[name], a.columns[name], name);
  assert.deepEqual(b.decisions.map((one) => one.column), a.decisions.map((one) => one.column));
  assert.deepEqual(b.indexOf, a.indexOf);
});

test('tables of the chi-squared distribution', () => {
  near(chiSquaredTail(3.841, 1), 0.05);
  near(chiSquaredTail(9.210, 2), 0.01);
  near(chiSquaredTail(2.366, 3), 0.5);
  near(chiSquaredTail(149.449, 100), 0.001, 1e-2);
  assert.equal(chiSquaredTail(0, 3), 1);
});

test('the chi-squared distribution is that of jstat', () => {
  // Both forms of ours, on both sides of the mean. jstat subtracts from 1: it has no small tails.
  for (const freedom of [1, 2, 3, 5, 10, 31, 100, 300, 1000]) {
    for (const part of [0.1, 0.3, 0.6, 0.9, 0.99, 1, 1.01, 1.1, 1.3, 1.5, 2, 3, 5]) {
      const tail = chiSquaredTail(part * freedom, freedom);
      const other = 1 - jstat.jStat.chisquare.cdf(part * freedom, freedom);
      assert.ok(Math.abs(tail - other) < 1e-10, `${freedom} degrees, ${part} of them: ${tail}, ${other}`);
    }
  }
});

test('small tails of the chi-squared distribution', () => {
  // Of 2 and 4 degrees: exp(-x / 2), and 1 + x / 2 times that.
  for (const x of [50, 200, 700, 1400]) {
    near(chiSquaredTail(x, 2), Math.exp(-x / 2), 1e-11);
    near(chiSquaredTail(x, 4), Math.exp(-x / 2) * (1 + x / 2), 1e-11);
  }
});

test('ranks of equal values are shared', () => {
  assert.deepEqual([...ranksOf([5, 1, 5, 3])], [3.5, 1, 3.5, 2]);
});

test('Kruskal and Wallis, an example by hand', () => {
  // Ranks 1 2 3 | 4 5 6: H = 12 / (6 * 7) * (36 / 3 + 225 / 3) - 3 * 7 = 3.857.
  const { share, chance } = differ([1, 2, 3, 4, 5, 6], [0, 0, 0, 2, 2, 2], 3);
  near(share, (3.857142857 - 1) / 4);
  near(chance, 0.0495, 1e-2);
  assert.deepEqual(differ([1, 2, 3], [0, 0, 0], 1), { share: 0, chance: 1 });
  assert.equal(differ([1, 2, 3, 4, 5, 6], [0, 1, 0, 1, 0, 1], 2).share, 0);
});

test('quantiles and intervals of medians', () => {
  assert.equal(quantile([1, 2, 3, 4], 0.5), 2.5);
  assert.equal(quantile([7], 0.25), 7);
  assert.equal(medianInterval(5), null);
  // From tables: of 10 the second and the ninth, of 20 the sixth and the fifteenth, of 100 the 40th and the 61st.
  assert.deepEqual(medianInterval(10), [1, 8]);
  assert.deepEqual(medianInterval(20), [5, 14]);
  assert.deepEqual(medianInterval(100), [39, 60]);
});

test('who looks at many decisions finds some by chance', () => {
  assert.equal(sureness(1e-6, 10), 'sure');
  assert.equal(sureness(1e-3, 10), 'likely');
  assert.equal(sureness(1e-2, 10), 'may be chance');
});

test('highlighted code is the code', () => {
  const source = '#include <x>\n// a "comment"\nfor (int i = 0x1f; i < 3.5f; ++i) s = "\\"//"; /* x\ny */ c = \'"\';\n';
  const found = pieces(source);
  assert.equal(found.map(([, text]) => text).join(''), source);
  const of = (kind) => found.filter(([one]) => one === kind).map(([, text]) => text);
  assert.deepEqual(of('comment'), ['// a "comment"', '/* x\ny */']);
  assert.deepEqual(of('string'), ['"\\"//"', '\'"\'']);
  assert.deepEqual(of('word'), ['for', 'int']);
  assert.deepEqual(of('number'), ['0x1f', '3.5f']);
  assert.deepEqual(of('directive'), ['#include <x>']);
});

test('loops', () => {
  const root = parseOutline('root\n  block a.m0+b.m0:16\n    unroll a.m1:1\n      exec a\n    exec b\n  exec c\n');
  assert.deepEqual(root.children.map(({ kind, size }) => [kind, size]), [['block', 16], ['exec', 1]]);
  assert.deepEqual(root.children[0].names, ['a.m0', 'b.m0']);
  assert.deepEqual(root.children[0].children.map(({ kind }) => kind), ['unroll', 'exec']);
  assert.deepEqual(withoutSingles(root).children[0].children.map(({ kind, names }) => [kind, names[0]]), [['exec', 'a'], ['exec', 'b']]);
});

test('commands', () => {
  const { runs: [run] } = samplePage(['runs/my run']);
  assert.equal(commandsOf(run)[1][1], `./exh search replay 'runs/my run' --record ${run.winner.n}`);
  assert.match(commandsOf(run).at(-2)[1], /export 'runs\/my run' --record \d+ --format cc --out matmul.cc$/);
  assert.match(commandsOf(run).at(-1)[1], /install-kernel 'runs\/my run' --out tuned$/);
  assert.match(commandsOf(run).at(-2)[0], /without a main$/, 'that of a processor is a function');
  run.winner.suffix = '.cu';
  assert.match(commandsOf(run).at(-2)[0], /checks and times itself$/);
  assert.match(commandsOf(run).at(-2)[1], /--format cu --out matmul.cu$/);
  run.winner.suffix = '';  // It could not be made again.
  assert.ok(!commandsOf(run).some(([, command]) => command.includes('export')));
});

test('names of runs are the shortest that tell them apart', () => {
  assert.deepEqual(labelsOf(['/tmp/runs/a', '/tmp/runs/b']), ['a', 'b']);
  assert.deepEqual(labelsOf(['x/mm', 'y/mm', 'z']), ['x/mm', 'y/mm', 'z']);
  assert.deepEqual(labelsOf(['x/mm', 'x/mm']), ['x/mm (1)', 'x/mm (2)']);
  assert.equal(labelsOf(['y'.repeat(10000)])[0].length, 40);
});

test('winners of two runs: decisions that differ', () => {
  const { runs: [run, other] } = samplePage(['a', 'b']);
  assert.deepEqual(differencesOf(run, other), []);
  other.winner.taken = [['size(a)', '36'], ['unknown(b)', 'X']];
  assert.deepEqual(differencesOf(run, other), [['size(a)', '10', '36']], 'what one run does not tell is left out');
});

test('what decisions are worth: of this record, beyond the noise', () => {
  const { runs: [run] } = samplePage(['a']);
  assert.deepEqual(worthsOf(run), [], 'search why was not called');
  const decisions = [['kind(a)', 'VECTOR', 2.5, [['LOOP', 2.5, 'correct', 1], ['UNROLL', null, 'spills', 0]]], ['size(a)', '4', 1.01, []]];
  run.why = { record: run.winner.n, noise: 0.02, decisions, steps: [], again: 0 };
  assert.deepEqual(worthsOf(run), [['kind(a)', 'VECTOR', '2.50 ×', 'LOOP: 2.50 × (1 other with it), UNROLL: spills']]);
  run.why.record += 1;
  assert.deepEqual(worthsOf(run), [], 'it is of another record');
});

test('what was counted: of this record, beside what was foretold', () => {
  const { runs: [run] } = samplePage(['a']);
  assert.deepEqual(countersOf(run), [], 'nothing was counted');
  const rows = [['main memory', 'bytes', 'dram__bytes.sum', 1048576, 1000000, null], ['time', 'ns', 'gpu__time_duration.sum', 1500, 1000, 750], ['pages', 'pages', kEvil, 0, null, null]];
  run.counters = { record: run.winner.n, tool: 'Nsight Compute', why: '', rows };
  assert.deepEqual(countersOf(run), [
    ['main memory', '1,048,576', '1,000,000', '–', '1.05 ×', 'bytes; dram__bytes.sum'],
    ['time', '1.50 us', '1.00 us', '750 ns', '2.00 ×', 'ns; gpu__time_duration.sum'],
    ['pages', '0.00', '–', '–', '–', `pages; ${kEvil}`],
  ]);
  run.counters.record += 1;
  assert.deepEqual(countersOf(run), [], 'it is of another record');
});

test('when a run came near its best', () => {
  assert.deepEqual(within({ bests: [[1, 0.5, 200], [4, 2, 105], [9, 7, 100]], searchTime: 100 }, 10), [2, 4]);
  assert.equal(within({ bests: [], searchTime: 0 }, 10), undefined);
});

test('times with intervals, as the terminal says them', () => {
  assert.equal(interval({ ns: 2.72e6, lo: 2.7e6, hi: 2.75e6 }), '2.72 ms (2.70 ms to 2.75 ms)');
  assert.equal(interval({ ns: 2.72e6, lo: 0, hi: 0 }), '2.72 ms');
  assert.equal(interval({ ns: 29e3, lo: 29e3, hi: 7.61e6 }), '29.0 us to 7.61 ms');
  assert.ok(!isBusy({ ns: 100, lo: 90, hi: 135 }));
  assert.ok(tied({ ns: 100, lo: 90, hi: 110 }, { ns: 108, lo: 105, hi: 112 }));
  assert.ok(!tied({ ns: 100, lo: 0, hi: 0 }, { ns: 100, lo: 0, hi: 0 }), 'without intervals nothing is known');
});

test('places are open where intervals overlap', () => {
  const times = [{ ns: 10, lo: 9, hi: 11 }, { ns: 10.5, lo: 10, hi: 12 }, { ns: 14, lo: 13, hi: 15 }, { ns: 12.5, lo: 11.5, hi: 13.5 }];
  assert.deepEqual(ranks(times), ['1 to 2', '1 to 3', '3 to 4', '2 to 4']);
  assert.deepEqual(ranks([{ ns: 1, lo: 0, hi: 0 }, { ns: 2, lo: 1.5, hi: 2.5 }]), ['–', '1']);
  const winner = { n: 7, ...times[0], finalists: [{ n: 9, ...times[1] }, { n: 3, ...times[2] }] };
  assert.deepEqual(placesOf(winner).map(([place, n]) => [place, n]), [['1 to 2', 7], ['1 to 2', 9], ['3', 3]]);
});

test('a yardstick is compared with the winner of the finals, not with a time of the search', () => {
  const { runs: [run] } = samplePage();
  // The search measured 1.23 ms; in turn with Eigen the best takes 1.06 ms.
  run.bests = [[4, 1, 1.23e6]];
  Object.assign(run.winner, { n: 4, ns: 1.06e6, lo: 1.05e6, hi: 1.07e6 });
  run.references = [{ name: 'winner', verdict: 'correct', ns: 1.06e6, lo: 1.05e6, hi: 1.07e6 },
    { name: 'eigen', verdict: 'correct', ns: 1.1236e6, lo: 1.11e6, hi: 1.14e6 }];
  const text = summary(run);
  assert.match(text, /The best takes 1.06 ms \(1.05 ms to 1.07 ms\), /);
  assert.match(text, /It has 1.06x the speed of eigen \(1.04x to 1.09x; it takes 1.12 ms\)\./);
  Object.assign(run.references[1], { ns: 1.07e6, lo: 1.06e6, hi: 1.08e6 });
  assert.match(summary(run), /the speed of eigen \(.*\): a tie\./);
  assert.equal(speedText({ ns: 2, lo: 0, hi: 0 }, { ns: 3, lo: 0, hi: 0 }, 'x'), '1.50x the speed of x (3.00 ns)');
});

test('where repetitions differ by factors nothing is one number', () => {
  const { runs: [run] } = samplePage();
  Object.assign(run.winner, { ns: 7.61e6, lo: 29e3, hi: 7.61e6 });
  const text = summary(run);
  assert.match(text, /The best takes 29.0 us to 7.61 ms: record/);
  assert.match(text, /no one number is its time/);
  assert.match(text, /It has 0.00118x to 0.310x the speed of eigen .*too much for one number/);
  assert.doesNotMatch(text, /gap of/);
});

test('a run of a program of a user', () => {
  const own = {
    files: [{ path: 'my.exh', text: 'choice integer x(): 1 .. 4 end' }], data: '{"n": 3}',
    program: { run: './bench {x}', serve: '', build: 'make', filter: '', trust_times: true, at_once: 2 },
  };
  const json = sampleData();
  const [run] = json.runs;
  Object.assign(run.run, { subject: 'own', kernel: 'my', sizes: '', flops: 0, device: 'program', text: JSON.stringify(own) });
  Object.assign(run.winner, { suffix: '.env', outline: '', source: 'EXH_X=1\n', taken: [['x()', '1']] });
  const [decoded] = decode(json).runs;
  assert.deepEqual(programOf(decoded.run), own);
  assert.equal(titleOf(decoded.run), 'my');
  assert.deepEqual(programFacts(own), [['built by', 'make'], ['measured by', './bench {x}'],
    ['a time without a verdict', 'counts as correct'], ['programs at once', '2']]);
  assert.deepEqual(programFiles(own), [['my.exh', own.files[0].text], ['the data', '{"n": 3}']]);
  assert.deepEqual(commandsOf(decoded).map(([what]) => what), ['every decision', 'ask the program again', 'its decisions, for a shell']);
  assert.deepEqual(decoded.winner.taken, [['x', '1']]);
  assert.ok(!columnsOf(decoded).some((column) => column.name === 'rate'));
  const offered = kViews.filter((view) => view.applies?.([decoded]) ?? true).map((view) => view.id);
  assert.ok(!offered.includes('roofline') && !offered.includes('memory') && offered.includes('winner'));
  // A kernel on the GPU of a user, and a text that is none.
  const kernel = { ...own, kernel: { path: 'a.cu', text: 'code', entry: 'f', launch: '{}', launch_path: 'l.json', type: 'f16' } };
  assert.deepEqual(programFacts(kernel).slice(-2), [['kernel', 'f of a.cu'], ['type', 'f16']]);
  assert.deepEqual(programFiles(kernel).slice(-2), [['a.cu', 'code'], ['l.json', '{}']]);
  assert.equal(titleOf({ ...decoded.run, device: 'a GPU' }), 'my on a GPU');
  assert.equal(programOf({ subject: 'own', text: '{' }), null);
  assert.equal(programOf({ subject: '', text: '{"files": []}' }), null);
});

test('decisions of no objects have no brackets', () => {
  assert.deepEqual(['inner()', 'inner() = ROWS', 'size(a)', 'size(a) = 4'].map(plainName), ['inner', 'inner = ROWS', 'size(a)', 'size(a) = 4']);
});
