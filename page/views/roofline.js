// SPDX-License-Identifier: MIT
//
// The roofline: operations a second against operations for each byte that must arrive in a unit.
// No implementation is above the roof; how far one lies below it says what it leaves.
import { Chart, labelsApart } from '../src/chart.js';
import { el } from '../src/dom.js';
import * as format from '../src/format.js';
import { kColours, kRing, runColour } from '../src/palette.js';
import { programOf } from '../src/program.js';

/** Points of a run: [intensity, GFLOP/s, i]; `isBound`: what the bound allows instead. */
export function pointsOf(run, isBound) {
  if (!run.roofline) return [];
  const points = [];
  run.roofline.n.forEach((n, k) => {
    const i = run.indexOf.get(n);
    const ns = i === undefined ? 0 : (isBound ? run.columns.bound[i] : run.columns.ns[i]);
    if (ns > 0) points.push([run.roofline.intensity[k], run.run.flops / ns, i]);
  });
  return points;
}

/** Corners of the roof between two intensities. */
export function roofOf({ peak, traffic }, least, most) {
  const ridge = peak / traffic;
  const height = (x) => Math.min(peak, x * traffic);
  return [least, ...(ridge > least && ridge < most ? [ridge] : []), most].map((x) => [x, height(x)]);
}

/** The roof that holds for these points: where one is above that of plain arithmetic, matrix units do it. */
export function peakOf(roofline, points) {
  const usesUnits = roofline.unitPeak > 0 && points.some(([, y]) => y > 1.001 * roofline.peak);
  return usesUnits ? roofline.unitPeak : roofline.peak;
}

/** The chart of these runs; null where no device is known. */
export function option(runs, isDark) {
  const shown = runs.filter((run) => run.roofline && pointsOf(run, false).length && run.run.flops > 0);
  if (!shown.length) return null;
  const points = shown.flatMap((run) => [...pointsOf(run, false), ...pointsOf(run, true)]);
  const plain = shown[0].roofline;
  const roof = { ...plain, peak: peakOf(plain, points) };
  const range = (k) => [points.reduce((a, p) => Math.min(a, p[k]), Infinity), points.reduce((a, p) => Math.max(a, p[k]), 0)];
  const ridge = roof.peak / roof.traffic;
  const [x0, x1] = range(0);
  const [y0] = range(1);
  const least = Math.min(x0, ridge) / 2;
  const most = Math.max(x1, ridge) * 2;
  const peers = shown.flatMap((run) => run.yardsticks.map((yardstick) => ({
    name: `${runs.length > 1 ? `${run.label}: ` : ''}${yardstick.name} ${format.rate(run.run.flops, yardstick.ns)}`, yAxis: run.run.flops / yardstick.ns,
    lineStyle: { color: runColour(run.index, isDark), type: 'dotted' }, label: { formatter: '{b}' },
  })));
  if (roof.peak !== plain.peak) {
    peers.push({ name: 'roof without matrix units', yAxis: plain.peak, lineStyle: { color: kColours.grey, type: 'dashed' }, label: { formatter: '{b}' } });
  }
  const lowest = Math.min(y0, ...peers.map((peer) => peer.yAxis)) / 1.5;
  const name = (run, what) => (runs.length > 1 ? `${run.label}: ${what}` : what);
  return {
    grid: { left: 100, right: 40, top: 40, bottom: 54 },
    legend: {},
    tooltip: {
      formatter: (point) => {
        const [x, y, i] = point.data ?? [];
        if (i === undefined) return point.seriesName ?? '';
        const run = shown[Math.floor((point.seriesIndex - 1) / 2)];
        return `record ${run.columns.n[i]}: ${format.time(run.columns.ns[i])}\n${format.digits(y)} GFLOP/s\n${format.digits(x)} FLOP a byte\n`
          + `${format.digits((100 * y) / Math.min(roof.peak, x * roof.traffic))} % of the roof`;
      },
    },
    dataZoom: [{ type: 'inside', xAxisIndex: 0, filterMode: 'none' }, { type: 'inside', yAxisIndex: 0, filterMode: 'none' }],
    xAxis: { type: 'log', name: 'operations for each byte that arrives in a unit', nameLocation: 'middle', nameGap: 30, min: least, max: most, axisLabel: { formatter: format.digits } },
    yAxis: { type: 'log', name: 'GFLOP/s', min: lowest, max: roof.peak * 1.5, axisLabel: { formatter: format.digits } },
    series: [
      {
        name: 'roof', type: 'line', data: roofOf(roof, least, most), showSymbol: false, silent: true, lineStyle: { color: kColours.grey, width: 2.5 },
        itemStyle: { color: kColours.grey },
        markLine: { silent: true, symbol: 'none', label: { color: 'inherit' }, data: labelsApart(peers, 'insideStart') },
      },
      ...shown.flatMap((run) => [
        { name: name(run, 'evaluations'), type: 'scatter', data: pointsOf(run, false), symbolSize: 7, itemStyle: { color: runColour(run.index, isDark), opacity: 0.6 } },
        { name: name(run, 'their bounds'), type: 'scatter', data: pointsOf(run, true), symbol: kRing, symbolSize: 7, itemStyle: { color: runColour(run.index, isDark), opacity: 0.6 } },
      ]),
    ],
  };
}

export const rooflineView = {
  id: 'roofline',
  applies: (runs) => runs.some((run) => !programOf(run.run)),
  title: 'Roofline',
  help: 'The roof is what the device can do at most: its arithmetic (flat), or the bytes that arrive in its units (slope). A dot is an implementation, '
    + 'a ring what its lower bound allows, a dotted line a yardstick.',
  render(host, page) {
    const chart = option(page.runs);
    if (!chart) {
      host.append(el('p', {}, 'The rates of the device are not known, or no implementation could be made again.'));
      return [];
    }
    const place = el('div');
    for (const run of page.runs) {
      const all = run.count && run.columns.ns.filter((ns, i) => ns > 0 && run.isCorrect(i)).length;
      if (run.roofline && run.roofline.n.length < all) {
        host.append(el('p', { class: 'note' }, `${run.label}: drawn are ${format.count(run.roofline.n.length)} of ${format.count(all)}, the fastest and evenly some of the others.`));
      }
      if (run.roofline && run.run.flops > 0 && run.bestTime > 0) {
        host.append(el('p', { class: 'summary' }, `${run.label}: the best reaches ${format.digits((100 * run.run.flops) / run.bestTime / peakOf(run.roofline, pointsOf(run, true)))} % of the arithmetic of the device.`));
      }
    }
    host.append(place);
    return [new Chart(place, 600, (ink) => option(page.runs, ink.isDark))];
  },
};
