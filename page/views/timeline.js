// SPDX-License-Identifier: MIT
//
// What the run found, and when: incumbent, bound and gap over time or over evaluations, what was
// measured, what failed, and the yardsticks.
import { interval, isBusy, ranks, speedText } from '../src/best_time.js';
import { Chart, labelsApart, marksFor } from '../src/chart.js';
import { el, select, table } from '../src/dom.js';
import * as format from '../src/format.js';
import { kColours, kRing, runColour, verdictMark } from '../src/palette.js';

const kDashes = ['solid', 'dashed', 'dotted'];

function lastPlace(run, over) {
  if (!run.count) return over === 'evaluations' ? 0 : run.seconds;
  return over === 'evaluations' ? run.columns.n[run.count - 1]
    : Math.max(run.seconds, run.columns.dt[run.count - 1]);
}

/** Dots of a kind that are drawn: of very many some, evenly, for each takes a browser its time. */
const kReport = { most: 20000 };
/** The same while a run goes on, when they are drawn again and again. */
const kLive = { most: 1000, many: 300 };

/**
 * Indices that pass, or of more than `most` every second, fourth, eighth …: those that were chosen stay when others come, until
 * there are twice as many. So only those that have come are looked at.
 */
export class Chosen {
  constructor(most) {
    this.most = most;
    this.seen = 0;
    this.passing = 0;
    this.step = 1;
    this.indices = [];
  }

  /** Those below `count`, which never falls, and neither changes what passes. */
  below(count, test) {
    for (; this.seen < count; ++this.seen) {
      if (!test(this.seen)) continue;
      if (this.passing++ % this.step === 0) this.indices.push(this.seen);
      if (this.passing <= this.most * this.step) continue;
      this.step *= 2;
      this.indices = this.indices.filter((_, k) => k % 2 === 0);
    }
    return this.indices;
  }
}

/** By run, what was found in its columns so far. */
const known = new WeakMap();

/** What is kept of a run under a name, made where there is none yet. */
function knownOf(run, name, make) {
  if (!known.has(run)) known.set(run, new Map());
  const all = known.get(run);
  if (!all.has(name)) all.set(name, make());
  return all.get(name);
}

function chosenOf(run, name, most, test) {
  return knownOf(run, `${name}, ${most}`, () => new Chosen(most)).below(run.count, test);
}

/** Points [place, ns, i] of those that have a time; `isCorrect` or not. */
function timed(run, over, isCorrect, most) {
  const { ns, verdict } = run.columns;
  const places = over === 'evaluations' ? run.columns.n : run.columns.dt;
  const passes = (i) => ns[i] > 0 && (verdict[i] === run.correct) === isCorrect;
  return chosenOf(run, isCorrect ? 'correct' : 'other', most, passes).map((i) => [places[i], ns[i], i]);
}

/** The steps of the incumbent, up to the end of the run, where it has the time of the finals. */
export function incumbent(run, over) {
  const points = [];
  for (const [n, dt, ns] of run.bests) {
    points.push([over === 'evaluations' ? n : dt, ns]);
  }
  if (points.length) points.push([lastPlace(run, over), run.bestTime]);
  return points;
}

/** Verdicts other than correct, those with the most evaluations first. */
export function failing(runs) {
  const counts = new Map();
  for (const run of runs) {
    const { verdict } = run.columns;
    const ofRun = knownOf(run, 'verdicts', () => ({ seen: 0, counts: [] }));
    for (; ofRun.seen < run.count; ++ofRun.seen) {
      const k = verdict[ofRun.seen];
      ofRun.counts[k] = (ofRun.counts[k] ?? 0) + 1;
    }
    ofRun.counts.forEach((count, k) => {
      if (k !== run.correct) counts.set(run.verdicts[k], (counts.get(run.verdicts[k]) ?? 0) + count);
    });
  }
  return [...counts.keys()].sort((a, b) => counts.get(b) - counts.get(a));
}

function nameOf(runs, run, what) {
  return runs.length > 1 ? `${run.label}: ${what}` : what;
}

function timeSeries(runs, run, over, isDark, { most, many }) {
  const colour = runColour(run.index, isDark);
  const measured = timed(run, over, true, most);
  const series = [{
    name: nameOf(runs, run, 'measured'), type: 'scatter', data: measured, ...marksFor(measured.length, 5, many),
    itemStyle: { color: colour, opacity: 0.45 },
  }, {
    name: nameOf(runs, run, 'best'), type: 'line', step: 'end', data: incumbent(run, over),
    showSymbol: false, lineStyle: { color: colour, width: 2.5 }, itemStyle: { color: colour }, z: 5,
    markLine: {
      silent: true, symbol: 'none', label: { color: 'inherit', distance: 2 },
      data: labelsApart(run.yardsticks.map((yardstick, i) => ({
        name: `${nameOf(runs, run, yardstick.name)} ${format.time(yardstick.ns)}`,
        yAxis: yardstick.ns,
        label: { formatter: '{b}' },
        lineStyle: { color: colour, type: kDashes[1 + (i % 2)] },
      })), run.index % 2 ? 'insideStart' : 'insideEnd'),
    },
  }];
  const stopped = timed(run, over, false, most);
  if (stopped.length) {
    series.splice(1, 0, {
      name: nameOf(runs, run, 'stopped or wrong'), type: 'scatter', data: stopped, symbol: kRing,
      ...marksFor(stopped.length, 5, many), itemStyle: { color: kColours.grey, opacity: 0.6 },
    });
  }
  if (run.provenBound > 0) {
    series.push({
      name: nameOf(runs, run, 'proven bound'), type: 'line', step: 'end', showSymbol: false, data: boundPoints(run, over),
      lineStyle: { color: colour, type: 'dashed', width: 1.5 }, itemStyle: { color: colour },
    });
  }
  return series;
}

/** The steps of what was proven; where the log does not say when, what was proven at the end. */
export function boundPoints(run, over) {
  if (!(run.provenBound > 0)) return [];
  const { dt, n } = run.columns;
  const placeAt = (seconds) => {
    if (over !== 'evaluations') return seconds;
    const i = dt.findIndex((one) => one >= seconds);
    return seconds === 0 ? 0 : n[i < 0 ? run.count - 1 : i];
  };
  const points = run.bounds.length ? run.bounds.map(([seconds, ns]) => [placeAt(seconds), ns]) : [[0, run.provenBound]];
  points.push([lastPlace(run, over), run.provenBound]);
  return points;
}

/** The gap in percent, where a bound was proven: a step wherever the best or the bound changes. */
export function gapPoints(run, over) {
  const bests = incumbent(run, over);
  const bounds = boundPoints(run, over);
  if (!bests.length || !bounds.length) return [];
  const at = (points, x) => points.findLast(([place]) => place <= x)?.[1];
  const places = [...new Set([...bests, ...bounds].map(([x]) => x))].sort((a, b) => a - b);
  return places.map((x) => [x, at(bests, x), at(bounds, x)]).filter(([, ns, bound]) => ns && bound)
    .map(([x, ns, bound]) => [x, 100 * (1 - bound / ns)]);
}

function failureSeries(runs, over, verdicts, { most, many }) {
  return verdicts.map((name) => {
    const { colour, symbol } = verdictMark(name);
    const data = runs.flatMap((run) => {
      const { verdict } = run.columns;
      const places = over === 'evaluations' ? run.columns.n : run.columns.dt;
      const wanted = run.verdicts.indexOf(name);
      return chosenOf(run, name, most / runs.length, (i) => verdict[i] === wanted).map((i) => [places[i], name, i, run.index]);
    });
    return {
      name, type: 'scatter', data, symbol, ...marksFor(data.length, 8, many), xAxisIndex: 2, yAxisIndex: 2,
      itemStyle: { color: colour, opacity: 0.8 },
    };
  });
}

function tooltip(runs) {
  return (point) => {
    if (point.componentType !== 'series') return '';
    const [x, , i, index] = point.data;
    if (i === undefined) return `${point.seriesName}: ${format.time(point.data[1])} at ${format.digits(x)}`;
    const run = index === undefined
      ? runs.find((one) => point.seriesName.startsWith(one.label)) ?? runs[0]
      : runs.find((one) => one.index === index);
    const lines = [`${runs.length > 1 ? `${run.label} ` : ''}record ${run.columns.n[i]}: ${run.verdict(i)}`];
    if (run.columns.ns[i] > 0) lines.push(format.time(run.columns.ns[i]));
    if (run.columns.bound[i] > 0) lines.push(`bound ${format.time(run.columns.bound[i])}`);
    lines.push(`after ${format.digits(run.columns.dt[i])} s`);
    if (run.reason(i)) lines.push(format.short(format.firstLine(run.reason(i)), 80));
    return lines.join('\n');
  };
}

/** The chart of these runs over 'seconds' or 'evaluations'. `dots`: how many of a kind are drawn, and which are drawn at once. */
export function option(runs, over, isDark, dots = kReport) {
  const verdicts = failing(runs);
  const hasGap = runs.some((run) => run.provenBound > 0 && run.bests.length);
  const last = Math.max(...runs.map((run) => lastPlace(run, over)));
  const x = (index, shows, name) => ({
    type: 'value', gridIndex: index, min: 0, max: last, name, nameLocation: 'middle', nameGap: 26,
    axisLabel: { show: shows, formatter: (value) => format.count(value) },
  });
  const strip = 20 + 18 * Math.max(1, verdicts.length);
  return {
    grid: [
      { top: 48, height: 330 },
      { top: 408, height: hasGap ? 80 : 0 },
      { top: hasGap ? 512 : 394, height: strip },
    ].map((grid) => ({ ...grid, left: 130, right: 24 })),
    legend: { data: undefined },
    tooltip: { formatter: tooltip(runs) },
    dataZoom: [{ type: 'inside', xAxisIndex: [0, 1, 2], filterMode: 'none' }],
    xAxis: [x(0, false), x(1, false), x(2, true, over === 'evaluations' ? 'evaluations' : 'seconds since the start')],
    yAxis: [
      { type: 'log', gridIndex: 0, name: 'time', axisLabel: { formatter: format.time }, scale: true },
      { type: 'value', gridIndex: 1, name: hasGap ? 'gap, %' : '', nameLocation: 'middle', nameGap: 40, show: hasGap, min: 0, max: 100, splitNumber: 2 },
      { type: 'category', gridIndex: 2, data: verdicts, axisTick: { show: false } },
    ],
    series: [
      ...runs.flatMap((run) => timeSeries(runs, run, over, isDark, dots)),
      ...(hasGap ? runs.map((run) => ({
        name: nameOf(runs, run, 'gap'), type: 'line', step: 'end', showSymbol: false, data: gapPoints(run, over),
        xAxisIndex: 1, yAxisIndex: 1, lineStyle: { color: runColour(run.index, isDark) },
        itemStyle: { color: runColour(run.index, isDark) },
      })) : []),
      ...failureSeries(runs, over, verdicts, dots),
    ],
  };
}

function heightOf(runs) {
  const hasGap = runs.some((run) => run.provenBound > 0 && run.bests.length);
  return (hasGap ? 512 : 394) + 70 + 18 * Math.max(1, failing(runs).length);
}

/** What the terminal says at the end of a run, in the same numbers. */
export function summary(run) {
  if (!run.bests.length) return 'Nothing correct was found.';
  const [n] = run.bests[run.bests.length - 1];
  const [, dt] = run.bests.find(([number]) => number === n);
  const { best } = run;
  const rate = isBusy(best) || !run.run.flops ? '' : `, ${format.rate(run.run.flops, best.ns)}`;
  let text = `The best takes ${interval(best)}${rate}: record ${n}, found after ${format.digits(dt)} s.`;
  if (isBusy(best)) {
    text += ' Its times differ so much that other work kept the machine busy: no one number is its time.';
  }
  if (run.provenBound > 0) {
    text += ` Nothing is faster than ${format.time(run.provenBound)}`;
    text += isBusy(best) ? '.' : `: a gap of ${format.gap(best.ns, run.provenBound)}.`;
  }
  for (const yardstick of run.yardsticks) text += ` It has ${speedText(best, yardstick, yardstick.name)}.`;
  return text;
}

/** The first moment at which the best was within so many percent of the last one: [seconds, record]. */
export function within(run, percent) {
  const found = run.bests.find(([, , ns]) => ns <= run.searchTime * (1 + percent / 100));
  return found && [found[1], found[0]];
}

/** Several runs side by side; kernel and device where they differ, rates where operations are counted. */
function comparison(runs) {
  const best = Math.min(...runs.filter((run) => run.bestTime > 0).map((run) => run.bestTime));
  const number = (title) => ({ title, number: true });
  const near = (run, percent) => {
    const found = within(run, percent);
    return found ? `${format.digits(found[0])} s` : '–';
  };
  const places = ranks(runs.map((run) => run.best));
  const columns = [
    ['run', (run) => el('span', {}, el('span', { class: 'swatch', style: `background:${runColour(run.index)}` }), run.label)],
    ['kernel', (run) => `${run.run.kernel} ${run.run.sizes}`],
    ['device', (run) => run.run.device],
    [number('best'), (run) => interval(run.best)],
    [number('place'), (run) => places[runs.indexOf(run)]],
    [number('rate'), (run) => (isBusy(run.best) ? '–' : format.rate(run.run.flops, run.bestTime))],
    [number('of the fastest'), (run) => (run.bestTime > 0 && !isBusy(run.best) ? `${format.digits((100 * run.bestTime) / best)} %` : '–')],
    [number('bound'), (run) => format.time(run.provenBound)],
    [number('gap'), (run) => (isBusy(run.best) ? '–' : format.gap(run.bestTime, run.provenBound))],
    [number('evaluations'), (run) => format.count(run.count)],
    [number('correct'), (run) => format.count(run.columns.verdict.reduce((sum, verdict) => sum + (verdict === run.correct ? 1 : 0), 0))],
    [number('seconds'), (run) => format.digits(run.seconds)],
    [number('within 10 %'), (run) => near(run, 10)],
    [number('within 1 %'), (run) => near(run, 1)],
    ['against the yardsticks', (run) => run.yardsticks.map((yardstick) => speedText(run.best, yardstick, yardstick.name)).join('; ')],
  ].filter(([head, value]) => (head !== 'kernel' && head !== 'device') || runs.some((run) => value(run) !== value(runs[0])))
    .filter(([head]) => head.title !== 'rate' || runs.some((run) => run.run.flops > 0));
  return table(columns.map(([head]) => head), runs.map((run) => columns.map(([, value]) => value(run))));
}

export const timeline = {
  id: 'timeline',
  title: 'Timeline',
  help: 'Dots are evaluations, the line is the best so far. Below it stands the gap to what is proven to be impossible, '
    + 'and what failed. Scroll over the chart to zoom.',
  render(host, page) {
    page.state.over ??= 'seconds';
    const dots = page.live ? kLive : kReport;
    const place = el('div');
    const words = el('div');
    const note = el('p', { class: 'note' });
    const write = () => {
      words.replaceChildren(...(page.runs.length > 1 ? [comparison(page.runs)] : page.runs.map((run) => el('p', { class: 'summary' }, summary(run)))));
      note.textContent = page.runs.some((run) => run.count > dots.most)
        ? `Of very many evaluations at most ${format.count(dots.most)} of a kind are drawn, evenly chosen; the line of the best knows all.` : '';
    };
    host.append(
      select('over', [['seconds', 'time'], ['evaluations', 'evaluations']], page.state.over, (over) => {
        page.state.over = over;
        page.redraw();
      }),
      words, place, note,
    );
    write();
    const chart = new Chart(place, heightOf(page.runs), (ink) => option(page.runs, page.state.over, ink.isDark, dots));
    chart.refresh = (isDark) => {
      write();
      chart.update(isDark, heightOf(page.runs));
    };
    return [chart];
  },
};
