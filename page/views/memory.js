// SPDX-License-Identifier: MIT
//
// Time against main memory: what is right, and what nothing beats in both.
import { Chart, marksFor } from '../src/chart.js';
import { el, table } from '../src/dom.js';
import * as format from '../src/format.js';
import { kColours, runColour } from '../src/palette.js';
import { programOf } from '../src/program.js';

/** Points [bytes, time, i, typical time] of all correct evaluations whose memory is known. */
export function pointsOf(run) {
  const points = [];
  for (let i = 0; i < run.count; ++i) {
    if (run.isCorrect(i) && run.columns.ns[i] > 0 && run.columns.memory[i] > 0) points.push([run.columns.memory[i], run.columns.ns[i], i, run.columns.typical[i]]);
  }
  return points;
}

/** Those that no other point beats in both, fewest bytes first. Of equal ones the first record. What takes more bytes is there only if it is
 * faster beyond doubt: half of its batches faster than all of the one before (search/log/memory/front.h). */
export function frontOf(points) {
  const exact = [];
  for (const point of [...points].sort((a, b) => a[0] - b[0] || a[1] - b[1] || a[2] - b[2])) {
    if (!exact.length || point[1] < exact.at(-1)[1]) exact.push(point);
  }
  const front = [];
  for (const point of exact) {
    if (!front.length || Math.max(point[1], point[3] ?? 0) < front.at(-1)[1]) front.push(point);
  }
  return front;
}

/** Bytes of the arrays of a run; 0 where they are not known. */
export function arrayBytes(run) {
  const [first] = pointsOf(run);
  return first ? first[0] - run.columns.workspace[first[2]] : 0;
}

/** The chart of these runs; null where no memory is known. */
export function option(runs, isDark) {
  const all = runs.map(pointsOf);
  if (!all.flat().length) return null;
  const name = (run, what) => (runs.length > 1 ? `${run.label}: ${what}` : what);
  const series = runs.flatMap((run, k) => {
    const colour = runColour(run.index, isDark);
    const yardsticks = run.yardsticks.filter((one) => one.workspace !== undefined)
      .map((one) => ({ value: [arrayBytes(run) + one.workspace, one.ns], name: one.name }));
    return [
      { name: name(run, 'evaluations'), type: 'scatter', data: all[k], ...marksFor(all[k].length, 6), itemStyle: { color: colour, opacity: 0.45 } },
      {
        name: name(run, 'front'), type: 'line', step: 'end', data: frontOf(all[k]), symbol: 'circle', symbolSize: 10, showAllSymbol: true,
        lineStyle: { color: colour, width: 2 }, itemStyle: { color: colour },
      },
      {
        name: name(run, 'yardsticks'), type: 'scatter', data: yardsticks, symbol: 'diamond', symbolSize: 13, itemStyle: { color: kColours.grey },
        label: { show: true, formatter: (point) => format.short(point.data.name, 30), position: 'top' },
      },
    ];
  });
  const axis = (title, formatter, gap) => ({ type: 'log', name: title, nameLocation: 'middle', nameGap: gap, scale: true, axisLabel: { formatter } });
  return {
    grid: { left: 100, right: 30, top: 40, bottom: 54 },
    legend: {},
    tooltip: {
      formatter: (point) => {
        const [bytes, ns, i] = point.data.value ?? point.data;
        const run = runs[Math.floor(point.seriesIndex / 3)];
        const who = i === undefined ? point.data.name : `record ${run.columns.n[i]}`;
        return `${who}\n${format.bytes(bytes)}\n${format.time(ns)}`;
      },
    },
    dataZoom: [{ type: 'inside', xAxisIndex: 0, filterMode: 'none' }, { type: 'inside', yAxisIndex: 0, filterMode: 'none' }],
    xAxis: axis('memory', format.bytes, 30),
    yAxis: axis('time', format.time, 68),
    series,
  };
}

export const memoryView = {
  id: 'memory',
  applies: (runs) => runs.some((run) => !programOf(run.run)),
  title: 'Memory',
  help: 'Main memory of an implementation: its arrays, and what it takes beside them. A point of the front is beaten by no other in both '
    + 'time and memory, and faster beyond doubt than those that take less. Diamonds are yardsticks with their workspace.',
  render(host, page) {
    const chart = option(page.runs);
    if (!chart) {
      host.append(el('p', {}, 'No evaluation says how much memory it takes.'));
      return [];
    }
    const place = el('div');
    const rows = page.runs.flatMap((run) => frontOf(pointsOf(run)).map(([bytes, ns, i]) => [
      run.label, run.columns.n[i], format.bytes(bytes), format.bytes(run.columns.workspace[i]), format.time(ns)]));
    const heads = ['run', ...['record', 'memory', 'beside the arrays', 'time'].map((title) => ({ title, number: true }))];
    host.append(place, el('h3', {}, 'The front'), table(heads, rows.slice(0, 100)));
    return [new Chart(place, 560, (ink) => option(page.runs, ink.isDark))];
  },
};
