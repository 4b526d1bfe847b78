// SPDX-License-Identifier: MIT
//
// The effect of each decision: how much of the differences between times its values explain, and a
// box of times for each value.
import { Chart } from '../src/chart.js';
import { el, table } from '../src/dom.js';
import { boxesOf, effectsOf } from '../src/effects.js';
import * as format from '../src/format.js';
import { kColours } from '../src/palette.js';

const kMostBars = 25;
const kSureness = { sure: kColours.blue, likely: kColours.sky, 'may be chance': kColours.grey };

/** Bars of the decisions with the largest effects. */
export function barsOption(effects) {
  const shown = effects.slice(0, kMostBars).reverse();
  return {
    grid: { left: 230, right: 60, top: 30, bottom: 46 },
    legend: { data: Object.keys(kSureness) },
    tooltip: { formatter: (point) => `${point.name}\nexplains ${format.digits(point.value)} % of the differences\n${point.seriesName}` },
    xAxis: { type: 'value', name: 'of the differences in rank, %', nameLocation: 'middle', nameGap: 28, min: 0 },
    yAxis: {
      type: 'category', data: shown.map((effect) => effect.decision.name), axisTick: { show: false },
      axisLabel: { formatter: (name) => format.short(name, 32) },
    },
    series: Object.keys(kSureness).map((sure) => ({
      name: sure, type: 'bar', stack: 'all', itemStyle: { color: kSureness[sure] }, barMaxWidth: 16,
      data: shown.map((effect) => (effect.sure === sure ? 100 * effect.share : null)),
    })),
  };
}

/** A box for each value of a decision, from the fastest to the slowest time, with counts. */
export function boxesOption(run, decision, ink) {
  const boxes = boxesOf(run, decision);
  const range = [Math.min(...boxes.map((box) => box.box[0])), Math.max(...boxes.map((box) => box.box[4]))];
  const few = boxes.filter((box) => box.times.length < 5);
  return {
    grid: { left: 90, right: 24, top: 34, bottom: 70 },
    tooltip: {},
    xAxis: {
      type: 'category', data: boxes.map((box) => `${format.short(box.text, 18)}\n${format.count(box.times.length)}`),
      name: decision.name, nameLocation: 'middle', nameGap: 46, axisLabel: { interval: 0, lineHeight: 16 },
    },
    yAxis: { type: 'log', name: 'time', min: range[0] / 1.2, max: range[1] * 1.2, axisLabel: { formatter: format.time } },
    series: [{
      name: 'times', type: 'boxplot', itemStyle: { color: ink?.ground ?? '#fff', borderColor: kColours.blue, borderWidth: 1.5 },
      data: boxes.map((box) => (few.includes(box) ? [] : box.box)),
      tooltip: {
        formatter: (point) => {
          const box = boxes[point.dataIndex];
          return [`${decision.name} = ${box.text}`, format.counted(box.times.length, 'evaluation'),
            ...['fastest', 'a quarter below', 'median', 'three quarters below', 'slowest'].map((what, q) => `${what} ${format.time(box.box[q])}`)].join('\n');
        },
      },
    }, {
      name: 'single times', type: 'scatter', symbolSize: 7, itemStyle: { color: kColours.blue },
      data: boxes.flatMap((box, k) => (few.includes(box) ? [...box.times].map((ns) => [k, ns]) : [])),
      tooltip: { formatter: (point) => format.time(point.data[1]) },
    }],
  };
}

function valuesTable(run, decision) {
  return table(['value', { title: 'evaluations', number: true }, { title: 'fastest', number: true }, { title: 'median', number: true },
    { title: 'median, 95 % interval', number: true }],
  boxesOf(run, decision).map((box) => [format.short(box.text, 60), format.count(box.times.length), format.time(box.fastest),
    format.time(box.median), box.lo ? `${format.time(box.lo)} to ${format.time(box.hi)}` : 'too few']));
}

export const effectsView = {
  id: 'effects',
  title: 'Effects',
  help: 'How much of the differences between times the values of a decision explain (Kruskal and Wallis), and how sure that is when so many '
    + 'decisions are looked at. A search looks most where it is fast, so this says what went along with fast times, not what made them.',
  render(host, page) {
    const { run, state } = page;
    const effects = effectsOf(run);
    if (!effects.length) {
      host.append(el('p', {}, 'Too few evaluations have a time, or no decision differs among them.'));
      return [];
    }
    const chosen = effects.find((effect) => effect.decision.name === state.decision) ?? effects[0];
    const bars = el('div');
    const boxes = el('div');
    const choose = (name) => {
      state.decision = name;
      page.redraw();
    };
    const list = el('select', { id: 'decision', change: (event) => choose(event.target.value) }, effects.map(({ decision, share }) => (
      el('option', { value: decision.name, selected: decision === chosen.decision }, `${format.short(decision.name, 60)} (${format.digits(100 * share)} %)`))));
    host.append(bars, el('h3', {}, 'One decision'), el('label', { class: 'choice' }, 'decision ', list),
      el('span', { class: 'note' }, `${chosen.sure}; evaluations stand below each value`),
      boxes, valuesTable(run, chosen.decision));
    const chart = new Chart(bars, 90 + 20 * Math.min(kMostBars, effects.length), () => barsOption(effects));
    chart.chart.on('click', (point) => choose(point.name));
    return [chart, new Chart(boxes, 380, (ink) => boxesOption(run, chosen.decision, ink))];
  },
};
