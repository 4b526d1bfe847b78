// SPDX-License-Identifier: MIT
//
// The shapes of a kernel as a heat map: two of its sizes are the axes, a cell is a shape, and its colour a quantity that the
// reader chooses. Cells have their number as text where it fits; what has none has a shape of its own.
import { Chart } from '../../src/chart.js';
import { el, select } from '../../src/dom.js';
import { kPhases, sizeText } from '../../src/fleet.js';
import * as format from '../../src/format.js';
import { inkOn, kColours, speedColour, speeds } from '../../src/palette.js';
import { details, factsOf } from './details.js';

/** From which to which number colours go: `share(value)` is 0 for the worst and 1 for the best of these shapes. */
export function scaleOf(quantity, shapes) {
  const values = shapes.map(quantity.value).filter((value) => value !== undefined);
  if (!values.length) return null;
  const at = quantity.isLog ? Math.log : (value) => value;
  const least = values.reduce((a, b) => Math.min(a, b));
  const most = values.reduce((a, b) => Math.max(a, b));
  const share = (value) => (most > least ? (at(value) - at(least)) / (at(most) - at(least)) : 1);
  const isLow = quantity.isLowBetter && most > least;
  return { worst: quantity.isLowBetter ? most : least, best: quantity.isLowBetter ? least : most, share: (value) => (isLow ? 1 - share(value) : share(value)) };
}

/** What the map shows, of what the reader chose and what is usual. */
export function choiceOf(fleet, state) {
  const group = fleet.groups.find((one) => one.label === state.group) ?? fleet.groups[0];
  const quantity = fleet.quantities.find((one) => one.id === state.quantity) ?? fleet.quantities[0];
  const usual = group.axes;
  const x = group.names.includes(state.x) ? state.x : usual.x;
  const others = [usual.y, usual.x, ...group.names].filter((name) => name !== undefined && name !== x);
  const y = others.includes(state.y) ? state.y : others[0];
  const axes = { x, y };
  return { group, quantity, axes, fixed: group.fixed(axes, state.fixed) };
}

const kLeastWidth = 34;
const kLeastHeight = 14;

function cellsOf(rectangle, phase, ink) {
  const { x, y, width, height } = rectangle;
  if (phase !== 'failed') return [];
  const d = Math.min(width, height) / 4;
  const [cx, cy] = [x + width / 2, y + height / 2];
  const line = (dy) => ({
    type: 'line', silent: true, shape: { x1: cx - d, y1: cy - dy, x2: cx + d, y2: cy + dy },
    style: { stroke: ink.isDark ? '#ff9a5c' : kColours.vermillion, lineWidth: 2 },
  });
  return [line(d), line(-d)];
}

function lookOf(phase, colour, ink) {
  if (phase === 'failed') return { fill: ink.ground, stroke: kColours.vermillion, lineWidth: 1 };
  if (phase === 'running') return { fill: colour ?? ink.ground, stroke: kColours.orange, lineWidth: 2, lineDash: [4, 3] };
  return colour ? { fill: colour } : { fill: ink.ground, stroke: ink.line, lineWidth: 1 };
}

/** The chart of a choice: a series for each state, a mark for each shape. */
export function option(fleet, { group, quantity, axes, fixed }, ink) {
  const cells = group.cells(axes, fixed);
  const scale = quantity && scaleOf(quantity, group.shapes);
  const colourOf = (shape) => {
    const value = quantity?.value(shape);
    return value === undefined ? undefined : speedColour(scale.share(value), ink.isDark);
  };
  const axis = (name) => ({
    type: 'category', data: name === undefined ? [''] : group.values.get(name).map(sizeText), name: name ?? '', nameLocation: 'middle',
    axisTick: { show: false }, splitLine: { show: false }, splitArea: { show: false },
  });
  const series = kPhases.map((phase) => {
    const own = cells.filter((cell) => cell.shape.state === phase);
    return {
      name: phase, type: 'custom', data: own.map((cell) => [cell.x, cell.y, cell.shape.index]), encode: { x: 0, y: 1 },
      renderItem: (params, api) => {
        const { shape, x, y } = own[params.dataIndex];
        const [cx, cy] = api.coord([x, y]);
        const [w, h] = api.size([1, 1]).map(Math.abs);
        const gap = Math.min(w, h) > 6 ? 1 : 0;
        const rectangle = { x: cx - w / 2 + gap, y: cy - h / 2 + gap, width: Math.max(1, w - 2 * gap), height: Math.max(1, h - 2 * gap) };
        const colour = phase === 'failed' || phase === 'waiting' ? undefined : colourOf(shape);
        const look = lookOf(phase, colour, ink);
        const drawn = { type: 'rect', shape: rectangle, style: look };
        if (colour && w >= kLeastWidth && h >= kLeastHeight) {
          drawn.textContent = {
            style: { text: quantity.text(quantity.value(shape)), fill: inkOn(colour), width: w - 4, overflow: 'truncate', font: '12px system-ui, sans-serif' },
          };
          drawn.textConfig = { position: 'inside' };
        }
        return { type: 'group', children: [drawn, ...cellsOf(rectangle, phase, ink)] };
      },
    };
  });
  return {
    grid: { left: 90, right: 20, top: 10, bottom: 70 },
    tooltip: {
      formatter: (point) => {
        const shape = fleet.shapes[point.data[2]];
        const value = quantity?.value(shape);
        return [shape.shape, value === undefined ? '' : `${quantity.title}: ${quantity.text(value)}`,
          ...factsOf(fleet, shape).slice(3, 6).filter(([, text]) => text).map(([name, text]) => `${name}: ${format.short(text, 80)}`)].filter(Boolean).join('\n');
      },
    },
    xAxis: { ...axis(axes.x), nameGap: 46, axisLabel: { rotate: axes.x !== undefined && group.values.get(axes.x).length > 20 ? 45 : 0 } },
    yAxis: { ...axis(axes.y), nameGap: 60 },
    series,
  };
}

/** Worst and best number with the colours between them, and what cells without a number mean. */
function legend(choice, isDark) {
  const { group, quantity } = choice;
  const scale = quantity && scaleOf(quantity, group.shapes);
  const mark = (style, text) => el('span', { class: 'choice' }, el('span', { class: 'swatch', style }), text);
  return el('p', { class: 'note' },
    scale ? el('span', { class: 'choice' }, quantity.text(scale.worst), ' ',
      el('span', { class: 'colours', style: `background:linear-gradient(90deg, ${speeds(isDark).join(', ')})` }), ' ', quantity.text(scale.best)) : '',
    mark('border:1px solid var(--line)', 'waiting'), mark(`border:2px dashed ${kColours.orange}`, 'running'),
    el('span', { class: 'choice' }, '× failed'), 'No cell: not a shape of this fleet.');
}

function heightOf({ group, axes }) {
  const rows = axes.y === undefined ? 1 : group.values.get(axes.y).length;
  return 90 + Math.max(60, Math.min(900, 34 * rows));
}

export const mapView = {
  id: 'map',
  title: 'Heat map',
  help: 'A cell is a shape; two sizes are the axes, and what is better stands out most. Click a cell to see its shape.',
  render(host, page) {
    const { fleet, state } = page;
    if (!fleet.shapes.length) {
      host.append(el('p', {}, 'This fleet has no shapes.'));
      return [];
    }
    const choice = choiceOf(fleet, state);
    const { group, quantity, axes, fixed } = choice;
    const change = (what) => {
      Object.assign(state, what);
      page.redraw();
    };
    const values = (name) => group.values.get(name).map((value, i) => [String(i), `${sizeText(value)}`]);
    const chart = el('div');
    host.append(el('div', { class: 'bar' },
      fleet.groups.length > 1 ? select('kernel', fleet.groups.map((one) => [one.label, one.label]), group.label, (label) => change({ group: label, x: undefined, y: undefined, fixed: {} })) : '',
      quantity ? select('colour', fleet.quantities.map((one) => [one.id, one.title]), quantity.id, (id) => change({ quantity: id })) : '',
      group.names.length > 2 ? select('across', group.names.map((name) => [name, name]), axes.x, (x) => change({ x, y: x === axes.y ? axes.x : axes.y, fixed: {} })) : '',
      group.names.length > 2 ? select('up', group.names.filter((name) => name !== axes.x).map((name) => [name, name]), axes.y, (y) => change({ x: axes.x, y, fixed: {} })) : '',
      Object.keys(fixed).map((name) => select(name, values(name), String(group.values.get(name).indexOf(fixed[name])),
        (i) => change({ fixed: { ...fixed, [name]: group.values.get(name)[Number(i)] } })))),
    legend(choice, page.isDark), chart, details(page));
    const drawn = new Chart(chart, heightOf(choice), (ink) => option(fleet, choice, ink));
    drawn.chart.on('click', (point) => {
      page.chosen = point.data[2];
      page.redraw();
    });
    if (!group.cells(axes, fixed).length) host.append(el('p', { class: 'note' }, 'No shape has these sizes.'));
    return [drawn];
  },
};
