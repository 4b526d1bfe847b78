// SPDX-License-Identifier: MIT
//
// A page that is told what changes: columns that grow, news that come in any bundles, and what a person is told.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decode } from '../src/data.js';
import { effectsOf } from '../src/effects.js';
import { GrowingDecision, GrowingNumbers } from '../src/growing.js';
import { Live } from '../src/live.js';
import { Pace, progressText } from '../src/live_bar.js';
import { columnsOf, orderRows, parseFilter } from '../src/rows.js';
import { fleetData, kEvil, packed, sampleFleet, sampleRun } from './sample.js';

/** The data of a page of the first `count` evaluations of a run, and what is told of the others in bundles of `step`. */
function growing(count, step) {
  const whole = sampleRun();
  const part = (from, to) => Object.fromEntries(Object.entries(whole.evals).map(([name, column]) => [name, column.slice(from, to)]));
  const known = count > 3 ? 2 : 0;
  const decisions = whole.decisions.map((decision) => ({ ...decision, column: decision.column.slice(0, count) }));
  const first = {
    ...whole, count, evals: part(0, count), reasons: known ? [...whole.reasons] : [], decisions: decisions.slice(0, known),
    bests: whole.bests.filter(([n]) => n <= count), end: null, winner: null, references: [], tree: null,
  };
  const news = [];
  for (let from = count; from < whole.count; from += step) {
    const to = Math.min(whole.count, from + step);
    const isFirst = from === count;
    news.push({
      run: {
        from, count: to, evals: part(from, to), verdicts: whole.verdicts, reasons: isFirst ? whole.reasons.slice(first.reasons.length) : [], reasonsLeftOut: 0,
        pieces: (isFirst ? whole.decisions.slice(0, known) : whole.decisions).map((decision) => decision.column.slice(from, to)),
        decisions: isFirst ? whole.decisions.slice(known).map((decision) => ({ ...decision, column: decision.column.slice(0, to) })) : [],
        decisionsLeftOut: 0, bests: whole.bests.filter(([n]) => n <= to), ...(to === whole.count ? { end: whole.end, winner: whole.winner, references: whole.references, tree: whole.tree } : {}),
      },
      state: { place: `1:${to}`, state: to === whole.count ? 'ended' : 'running', text: '' },
    });
  }
  return { data: { v: 3, made: '', live: { place: `1:${count}`, state: 'running', text: '' }, runs: [first] }, news };
}

/** What a page says of a run: all columns as rows, texts and effects. */
function said(run) {
  const columns = columnsOf(run);
  const rows = orderRows(run, parseFilter('', columns), columns.find((column) => column.name === 'ns'), false);
  return JSON.stringify([columns.map((column) => column.name), rows.map((i) => columns.map((column) => column.text(i))), run.bests, run.end?.why,
    effectsOf(run).map((effect) => [effect.decision.name, effect.share]), run.indexOf.get(run.count), run.bestTime]);
}

class Source extends EventTarget {
  say(type, data) {
    const event = new Event(type);
    event.data = data === undefined ? undefined : JSON.stringify(data);
    this.dispatchEvent(event);
  }

  close() {
    this.isClosed = true;
  }
}

/** A live page without a browser: `frames` wait to be drawn. */
function liveOf(data) {
  const source = new Source();
  const all = { source, frames: [], changes: 0, urls: [], reloads: 0 };
  all.live = new Live(data, () => { ++all.changes; }, {
    makeSource: (url) => {
      all.urls.push(url);
      return source;
    },
    frame: (draw) => all.frames.push(draw), reload: () => { ++all.reloads; },
  });
  all.draw = () => all.frames.splice(0).forEach((draw) => draw());
  return all;
}

test('columns grow by pieces, whenever somebody looks at them', () => {
  for (const looks of [() => true, () => false, (k) => k % 3 === 0]) {
    const numbers = new GrowingNumbers(Float64Array, 2, () => [1, 2]);
    const decision = new GrowingDecision(() => 'AB');
    const expected = [1, 2];
    for (let k = 0; k < 2000; ++k) {
      numbers.append(k % 5 ? [k] : undefined, 1);
      expected.push(k % 5 ? k : 0);
      decision.append(k % 2 ? '.' : '1');
      if (looks(k)) assert.equal(numbers.values.length, expected.length);
      if (looks(k)) assert.equal(decision.column.length, expected.length);
    }
    assert.deepEqual([...numbers.values], expected);
    assert.equal(decision.column, `AB${'1.'.repeat(1000)}`);
  }
});

test('a decision whose values have no characters any more', () => {
  const decision = new GrowingDecision(() => 'A.z');
  decision.append('1');
  decision.append([70, -1]);
  decision.append('0');
  assert.deepEqual(decision.column, [10, -1, 61, 1, 70, -1, 0]);
});

test('what came in bundles is what the whole says', () => {
  const whole = said(decode({ v: 3, made: '', runs: [sampleRun()] }).runs[0]);
  for (const [count, step] of [[0, 7], [1, 1], [10, 1], [10, 13], [39, 5]]) {
    for (const looks of [true, false]) {
      const { data, news } = growing(count, step);
      const page = decode(data);
      if (looks) said(page.runs[0]);
      const { source, draw, live } = liveOf(page);
      for (const one of news) {
        source.say('news', one);
        if (looks) {
          draw();
          said(page.runs[0]);
        }
      }
      draw();
      assert.equal(said(page.runs[0]), whole, `${count} and ${step} at a time`);
      assert.equal(live.words.text, 'ended: budget:time');
    }
  }
});

test('what the news do not speak of stays', () => {
  const { data, news: [news] } = growing(10, 5);
  const [run] = decode(data).runs;
  const before = { ...run };
  run.append(news.run);
  for (const name of ['deadEnds', 'why', 'tree', 'winner', 'run', 'seconds', 'violations', 'numProblems']) assert.equal(run[name], before[name], name);
});

test('long columns come packed', () => {
  const { data, news: [news] } = growing(10, 30);
  news.run.evals.ns = { packed: packed(news.run.evals.ns) };
  news.run.pieces[0] = { packed: packed(news.run.pieces[0]) };
  const page = decode(data);
  page.runs[0].append(news.run);
  assert.equal(said(page.runs[0]), said(decode({ v: 3, made: '', runs: [sampleRun()] }).runs[0]));
});

test('any number of news are one frame', () => {
  const { data, news } = growing(0, 1);
  const page = decode(data);
  const all = liveOf(page);
  for (const one of news) all.source.say('news', one);
  assert.deepEqual([all.frames.length, all.changes, page.runs[0].count], [1, 0, 0]);
  all.draw();
  assert.deepEqual([all.frames.length, all.changes, page.runs[0].count, all.live.version], [0, 1, 40, 40]);
});

test('news that do not follow are a mistake, and not a wrong page', () => {
  const { data, news } = growing(10, 5);
  const [run] = decode(data).runs;
  assert.throws(() => run.append(news[1].run), /begin with evaluation 15, the page has 10/);
});

test('a page connects where it stands, and says how it is', () => {
  const { data } = growing(10, 5);
  const all = liveOf(decode(data));
  assert.deepEqual(all.urls, ['events?from=1%3A10']);
  assert.equal(all.live.words.text, 'connecting');
  all.source.say('open');
  assert.deepEqual(all.live.words, { text: 'running', isBad: false });
  all.source.say('error');
  assert.ok(all.live.words.isBad);
  all.source.say('open');
  assert.ok(!all.live.words.isBad);
  all.source.say('full', { most: 8 });
  all.source.say('error');
  assert.match(all.live.words.text, /as many browsers/);
  all.source.say('news', { run: growing(10, 5).news[0].run, state: { place: '', state: 'trouble', text: `gone ${kEvil}` } });
  all.draw();
  assert.deepEqual(all.live.words, { text: `the log cannot be read: gone ${kEvil}`, isBad: true });
  all.source.say('bye', {});
  all.source.say('error');
  assert.match(all.live.words.text, /search view has ended/);
  assert.ok(all.source.isClosed);
  assert.equal(all.reloads, 0);
});

test('another log is another page', () => {
  const all = liveOf(decode(growing(10, 5).data));
  all.source.say('anew', {});
  assert.ok(all.source.isClosed);
  assert.equal(all.reloads, 1);
});

test('a fleet is told as a whole, and its runs have pages of their own', () => {
  const page = decode({ ...fleetData(), live: { place: '1', state: 'running', text: '' } });
  const all = liveOf(page);
  const [, failed, running] = page.fleet.shapes;
  assert.equal(page.fleet.liveOf(running), './run/matmul-m64-n128-k64/');
  assert.equal(page.fleet.liveOf({ shape: '../a"<b>', state: 'done' }), './run/../a%22%3Cb%3E/');
  assert.equal(page.fleet.liveOf(page.fleet.shapes[0]), undefined, 'it waits');
  assert.ok(page.fleet.liveOf(failed));
  const fleet = sampleFleet([64, 128]);
  all.source.say('news', { fleet, state: { place: '2', state: 'running', text: '' } });
  all.draw();
  assert.equal(page.fleet.shapes.length, fleet.shapes.length);
  assert.ok(page.fleet.isLive);
  assert.match(progressText(page), /done/);
  assert.equal(decode(fleetData()).fleet.liveOf(running), undefined, 'a report has no server');
});

test('drawing takes a bounded share of the time', () => {
  let time = 0;
  let drawn = 0;
  const waiting = [];
  const pace = new Pace(() => time, (draw, ms) => waiting.push([time + ms, draw]));
  for (; time < 10000; time += 10) {
    pace.ask(() => {
      ++drawn;
      time += 100;
    });
    while (waiting.length && waiting[0][0] <= time) waiting.shift()[1]();
  }
  assert.ok(drawn >= 9 && drawn <= 12, String(drawn));
});
