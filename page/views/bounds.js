// SPDX-License-Identifier: MIT
//
// The lower bound of each evaluation against its time. A bound above a time is a mistake of ours.
import { Chart, marksFor } from '../src/chart.js';
import { el, table } from '../src/dom.js';
import * as format from '../src/format.js';
import { kColours, runColour } from '../src/palette.js';
import { programOf } from '../src/program.js';

/** Points [time, bound, i] of all evaluations that have both; `isAbove`: those with a bound above their time. */
export function pointsOf(run, isAbove) {
  const points = [];
  for (let i = 0; i < run.count; ++i) {
    const ns = run.columns.ns[i];
    const bound = run.columns.bound[i];
    const ran = run.isCorrect(i) || run.verdict(i) === 'impossible';
    if (ran && ns > 0 && bound > 0 && bound > ns === isAbove) points.push([ns, bound, i]);
  }
  return points;
}

/** The chart of these runs; null without any bound. */
export function option(runs, isDark) {
  const below = runs.map((run) => pointsOf(run, false));
  const above = runs.map((run) => pointsOf(run, true));
  const all = [...below, ...above].flat();
  if (!all.length) return null;
  let least = Infinity;
  let most = 0;
  for (const [ns, bound] of all) {
    least = Math.min(least, ns, bound);
    most = Math.max(most, ns, bound);
  }
  const name = (run, what) => (runs.length > 1 ? `${run.label}: ${what}` : what);
  const axis = (title) => ({
    type: 'log', name: title, nameLocation: 'middle', nameGap: title === 'time' ? 30 : 68, min: least / 1.3, max: most * 1.3,
    axisLabel: { formatter: format.time },
  });
  return {
    grid: { left: 100, right: 30, top: 40, bottom: 54 },
    legend: {},
    tooltip: {
      formatter: (point) => {
        if (point.data?.[2] === undefined) return '';
        const [ns, bound, i, index] = point.data;
        const run = runs.find((one) => one.index === (index ?? runs[point.seriesIndex].index));
        return `record ${run.columns.n[i]}\ntime ${format.time(ns)}\nbound ${format.time(bound)}\nthe time is ${format.digits(ns / bound)} times the bound`;
      },
    },
    dataZoom: [{ type: 'inside', xAxisIndex: 0, filterMode: 'none' }, { type: 'inside', yAxisIndex: 0, filterMode: 'none' }],
    xAxis: axis('time'),
    yAxis: axis('bound'),
    series: [
      ...runs.map((run, k) => ({
        name: name(run, 'evaluations'), type: 'scatter', data: below[k], ...marksFor(below[k].length, 6),
        itemStyle: { color: runColour(run.index, isDark), opacity: 0.55 },
      })),
      ...runs.filter((_, k) => above[k].length).map((run) => ({
        name: name(run, 'bound above time'), type: 'scatter', data: above[runs.indexOf(run)].map((point) => [...point, run.index]), symbol: 'diamond', symbolSize: 14,
        itemStyle: { color: kColours.vermillion },
      })),
      {
        name: 'bound = time', type: 'line', showSymbol: false, silent: true, data: [[least / 1.3, least / 1.3], [most * 1.3, most * 1.3]],
        lineStyle: { color: kColours.grey, type: 'dashed' }, itemStyle: { color: kColours.grey },
      },
    ],
  };
}

export const boundsView = {
  id: 'bounds',
  title: 'Bounds',
  help: 'Nothing of the kind of an evaluation is faster than its bound, says the model. So each point should lie below the dashed line; '
    + 'one above it is a mistake of the model or of a clock. How far below it lies says what the implementation, or the bound, leaves.',
  render(host, page) {
    const chart = option(page.runs);
    if (!chart) {
      host.append(el('p', {}, 'No evaluation has both a time and a bound.'));
      return [];
    }
    const wrong = page.runs.flatMap((run) => pointsOf(run, true).map(([ns, bound, i]) => [run.label, run.columns.n[i], format.time(ns), format.time(bound)]));
    const confirmed = page.runs.flatMap((run) => run.violations.map((one) => [run.label, one.n, format.time(one.ns), format.time(one.bound), one.resource]));
    host.append(wrong.length || confirmed.length
      ? el('p', { class: 'warning', role: 'alert' }, `${format.counted(Math.max(wrong.length, confirmed.length), 'evaluation')} took less than the bound: ${page.runs.every((run) => programOf(run.run)) ? 'what the space states as one is none.' : 'a mistake of ours. Please report it.'}`)
      : el('p', { class: 'summary' }, 'No evaluation took less than its bound.'));
    const place = el('div');
    host.append(place);
    const heads = ['run', { title: 'record', number: true }, { title: 'time', number: true }, { title: 'bound', number: true }];
    if (confirmed.length) host.append(el('h3', {}, 'Confirmed by a second measurement'), table([...heads, 'the bound rests on'], confirmed.slice(0, 100)));
    else if (wrong.length) host.append(table(heads, wrong.slice(0, 100)));
    return [new Chart(place, 620, (ink) => option(page.runs, ink.isDark))];
  },
};
