// SPDX-License-Identifier: MIT
//
// Parallel coordinates: an axis per decision, a line per evaluation, coloured by its time.
import { Chart } from '../src/chart.js';
import { el } from '../src/dom.js';
import { effectsOf, timedRows } from '../src/effects.js';
import * as format from '../src/format.js';
import { speeds } from '../src/palette.js';

export const kMostLines = 4000;
const kAxes = 10;

/** Evaluations to draw, slowest first so that fast ones lie on top: all, or the fastest and some of the others. */
export function linesOf(run) {
  const rows = timedRows(run).sort((a, b) => run.columns.ns[a] - run.columns.ns[b]);
  if (rows.length > kMostLines) {
    const fastest = rows.slice(0, kMostLines / 2);
    const step = (rows.length - fastest.length) / (kMostLines / 2);
    for (let k = 0; k < kMostLines / 2; ++k) fastest.push(rows[Math.floor(kMostLines / 2 + k * step)]);
    return fastest.reverse();
  }
  return rows.reverse();
}

/** The values of a decision that occur, as an axis. */
function axisOf(run, rows, decision, dim) {
  const values = [...new Set(rows.map((i) => decision.at(i)))].sort((a, b) => a - b);
  const texts = values.map((value) => decision.text(value));
  return {
    axis: {
      dim, type: 'category', data: texts, name: format.short(decision.name, 22), nameRotate: 24, nameLocation: 'end',
      axisLabel: { formatter: (text) => format.short(text, 16) },
    },
    indexOf: new Map(values.map((value, k) => [value, k])),
  };
}

/** The chart of these decisions. */
export function option(run, decisions, ink) {
  const rows = linesOf(run);
  const axes = decisions.map((decision, dim) => axisOf(run, rows, decision, dim));
  const times = rows.map((i) => run.columns.ns[i]);
  const least = Math.log10(times[times.length - 1]);
  // The slowest tenth has one colour: a few that are far behind would take all colours from the rest.
  const most = Math.log10(times[Math.floor(times.length / 10)]);
  const time = decisions.length;
  return {
    parallel: {
      left: 50, right: 150, top: 120, bottom: 30,
      parallelAxisDefault: {
        nameTextStyle: { color: ink.text, align: 'left' }, axisLabel: { color: ink.text, textBorderColor: ink.ground, textBorderWidth: 2 },
        axisLine: { lineStyle: { color: ink.faint } }, nameGap: 14,
        areaSelectStyle: { width: 24, borderWidth: 1, borderColor: ink.text, color: ink.faint, opacity: 0.35 },
      },
    },
    parallelAxis: [...axes.map(({ axis }) => axis),
      { dim: time, type: 'log', name: 'time', min: times[times.length - 1] / 1.1, max: times[0] * 1.1, axisLabel: { formatter: format.time } }],
    visualMap: {
      type: 'continuous', dimension: time + 1, min: least, max: most > least ? most : least + 0.1, right: 4, top: 'middle',
      inRange: { color: [...speeds(ink.isDark)].reverse() }, calculable: false, textStyle: { color: ink.text },
      text: [`${format.time(10 ** most)} or more`, format.time(10 ** least)], itemHeight: 120,
    },
    series: [{
      name: 'evaluations', type: 'parallel', lineStyle: { width: rows.length > 500 ? 1 : 1.6, opacity: rows.length > 500 ? 0.35 : 0.6 },
      inactiveOpacity: 0.02, activeOpacity: 0.8, progressive: 500,
      data: rows.map((i, k) => [...decisions.map((decision, dim) => axes[dim].indexOf.get(decision.at(i))), times[k], Math.log10(times[k])]),
    }],
  };
}

/** The decisions that a person sees first: those with the largest effects. */
export function firstDecisions(run) {
  return effectsOf(run).slice(0, kAxes).map((effect) => effect.decision.name);
}

/** What is selected, in words: `indices` are those of the lines. */
export function selectionText(run, indices) {
  const rows = linesOf(run);
  if (!indices || indices.length === rows.length) return 'Drag along an axis to select values; click beside it to take that back.';
  if (!indices.length) return 'No evaluation has all selected values.';
  const fastest = rows[Math.max(...indices)];
  return `${format.counted(indices.length, 'evaluation')} selected; the fastest is record ${run.columns.n[fastest]} with ${format.time(run.columns.ns[fastest])}.`;
}

export const parallelView = {
  id: 'parallel',
  title: 'Decisions',
  help: 'A line is an evaluation, an axis a decision, and the colour is its time. The decisions with the largest effects come first.',
  render(host, page) {
    const { run, state } = page;
    const rows = timedRows(run);
    if (rows.length < 2 || !run.decisions.length) {
      host.append(el('p', {}, 'Too few evaluations have a time, or no decision differs among them.'));
      return [];
    }
    state.axes ??= firstDecisions(run);
    const decisions = state.axes.map((name) => run.decisions.find((one) => one.name === name)).filter(Boolean);
    const note = el('p', { class: 'note', role: 'status' }, selectionText(run, null));
    const chart = el('div');
    const toggle = (name, isOn) => {
      state.axes = isOn ? [...state.axes, name] : state.axes.filter((one) => one !== name);
      state.isOpen = true;
      page.redraw();
    };
    host.append(note, chart);
    if (rows.length > kMostLines) {
      host.append(el('p', { class: 'note' }, `Drawn are ${format.count(kMostLines)} of ${format.count(rows.length)}: the fastest, and evenly some of the others.`));
    }
    host.append(el('details', { open: state.isOpen, toggle: (event) => { state.isOpen = event.target.open; } },
      el('summary', {}, 'Axes'), el('div', { class: 'columns' }, effectsOf(run).slice(0, 120).map(({ decision }) => el('label', {},
        el('input', { type: 'checkbox', checked: state.axes.includes(decision.name), change: (event) => toggle(decision.name, event.target.checked) }),
        ' ', format.short(decision.name, 50))))));
    const drawn = new Chart(chart, 560, (ink) => option(run, decisions, ink));
    drawn.chart.on('axisareaselected', () => {
      const series = drawn.chart.getModel().getSeriesByIndex(0);
      note.textContent = selectionText(run, series.getRawIndicesByActiveState('active').length
        ? series.getRawIndicesByActiveState('active') : isSelecting(drawn.chart) ? [] : null);
    });
    return [drawn];
  },
};

function isSelecting(chart) {
  return chart.getOption().parallelAxis.some((axis) => axis.areaSelectStyle && axis.activeIntervals?.length);
}
