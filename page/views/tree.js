// SPDX-License-Identifier: MIT
//
// The tree of decisions by prefix: a column per decision taken, a box per value, as high as it has
// visits and coloured by the best time below it. A click opens a box.
import { Chart } from '../src/chart.js';
import { el, table } from '../src/dom.js';
import * as format from '../src/format.js';
import { inkOn, kColours, speedColour } from '../src/palette.js';
import { Prefixes } from '../src/prefixes.js';

export const kMostBoxes = 5000;
const kDepths = 9;
const kHeight = 640;

/** The colour of a time between the fastest and the slowest of those that are shown. */
function colourOf(ns, least, most, isDark) {
  if (!(ns > 0)) return kColours.grey;
  const share = most > least ? (Math.log(ns) - Math.log(least)) / (Math.log(most) - Math.log(least)) : 0;
  return speedColour(1 - share, isDark);
}

/** "size(load_a.m0) = 4" without its choice, where there is little place. */
function shortName(name) {
  const match = name.match(/^\w+\((.*)\) = (.*)$/);
  return match ? `${match[1]} = ${match[2]}` : name;
}

/** Decisions and values, one a line. */
export function describe(prefixes, node) {
  const { json } = prefixes;
  const lines = [prefixes.name(node), `${format.counted(json.visits[node], 'visit')}, ${format.counted(json.evaluations[node], 'evaluation')}, ${format.count(json.correct[node])} correct`];
  if (json.best[node] > 0) lines.push(`best ${format.time(json.best[node])}`);
  if (json.bound[node] > 0) lines.push(`bound ${format.time(json.bound[node])}`);
  if (json.cut[node]) lines.push(`${format.count(json.cut[node])} values cut by their bound`);
  if (json.deadEnds[node]) lines.push(`${format.count(json.deadEnds[node])} values lead to a dead end`);
  if (prefixes.state(node) !== 'open') lines.push(prefixes.state(node));
  return lines.join('\n');
}

/** The chart of what lies below a node. */
export function option(prefixes, top, ink) {
  const { json } = prefixes;
  const { boxes, left } = prefixes.layout(top, kMostBoxes, json.visits[top] / kHeight / 1.5, kDepths);
  const all = [...boxes, ...left].slice(0, kMostBoxes);
  const times = all.filter((box) => !box.others && json.best[box.node] > 0).map((box) => json.best[box.node]);
  const least = times.reduce((a, b) => Math.min(a, b), Infinity);
  const most = times.reduce((a, b) => Math.max(a, b), 0);
  const depths = Math.max(4, Math.max(...all.map((box) => box.depth)) + 1);
  const style = (box) => {
    if (box.others) return { fill: ink.line, opacity: 0.5 };
    const state = prefixes.state(box.node);
    const fill = colourOf(json.best[box.node], least, most, ink.isDark);
    if (state === 'dead end' || state === 'cut') return { fill, stroke: kColours.vermillion, lineWidth: 2 };
    return { fill, stroke: ink.ground, lineWidth: 1 };
  };
  const label = (box) => {
    if (box.others) return `${format.count(box.others)} more`;
    const best = json.best[box.node] > 0 ? `  ${format.time(json.best[box.node])}` : '';
    const state = prefixes.state(box.node);
    return `${shortName(prefixes.name(box.node))}${best}${state === 'open' ? '' : `  ${state}`}`;
  };
  return {
    grid: { left: 4, right: 4, top: 4, bottom: 4 },
    tooltip: {
      formatter: (point) => {
        const box = all[point.dataIndex];
        return box.others ? `${format.count(box.others)} prefixes with fewer visits; click to open` : describe(prefixes, box.node);
      },
    },
    xAxis: { type: 'value', min: 0, max: depths, show: false },
    yAxis: { type: 'value', min: 0, max: json.visits[top], inverse: true, show: false },
    series: [{
      name: 'prefixes', type: 'custom', data: all.map((box) => [box.depth, box.from, box.to, box.node]), encode: { x: 0, y: 1 }, clip: true,
      renderItem: (params, api) => {
        const box = all[params.dataIndex];
        const [x, y] = api.coord([box.depth, box.from]);
        const [x1, y1] = api.coord([box.depth + 1, box.to]);
        const height = Math.max(1, y1 - y);
        const look = style(box);
        const rectangle = { type: 'rect', shape: { x, y, width: x1 - x - 1, height }, style: look };
        if (height < 13) return rectangle;
        return {
          ...rectangle,
          textContent: {
            style: {
              text: label(box), fill: box.others ? ink.text : inkOn(look.fill), overflow: 'truncate',
              width: x1 - x - 10, font: '12px system-ui, sans-serif',
            },
          },
          textConfig: { position: height > 60 ? 'insideTopLeft' : 'insideLeft' },
        };
      },
    }],
  };
}

function childrenTable(prefixes, top, open) {
  const { json } = prefixes;
  return table(['decision', { title: 'visits', number: true }, { title: 'evaluations', number: true }, { title: 'correct', number: true },
    { title: 'best', number: true }, { title: 'bound', number: true }, { title: 'cut below', number: true }, { title: 'dead ends below', number: true }, 'state'],
  prefixes.children[top].slice(0, 70).map((node) => [
    prefixes.children[node].length
      ? el('button', { type: 'button', click: () => open(node) }, format.short(prefixes.name(node), 90)) : format.short(prefixes.name(node), 90),
    format.count(json.visits[node]), format.count(json.evaluations[node]), format.count(json.correct[node]), format.time(json.best[node]),
    format.time(json.bound[node]), format.count(json.cut[node]), format.count(json.deadEnds[node]), prefixes.state(node)]));
}

export const treeView = {
  id: 'tree',
  title: 'Tree',
  help: 'Left to right stand decisions in the order taken. A box is as high as the search visited it often; what is fast stands out most, '
    + 'grey has no correct time, and a red edge is a dead end or cut. Click a box to open it, and a name above the chart to go back.',
  render(host, page) {
    const { run, state } = page;
    if (!run.tree || run.tree.parent.length < 2) {
      host.append(el('p', {}, 'The log has no selections or evaluations to make a tree of.'));
      return [];
    }
    run.prefixes ??= new Prefixes(run.tree);
    const { prefixes } = run;
    const top = state.top ?? 0;
    const open = (node) => {
      state.top = node;
      page.redraw();
    };
    const chart = el('div');
    host.append(
      el('p', { class: 'summary' }, `${format.count(run.tree.count)} prefixes${run.tree.count > prefixes.size ? `, the ${format.count(prefixes.size)} with the most visits are in this page` : ''}.`),
      run.treeTrouble ? el('p', { class: 'note' }, `Bounds, cuts and dead ends are not all known: ${run.treeTrouble}`) : '',
      el('p', { class: 'crumbs' }, prefixes.pathTo(top).map((node) => [
        node ? ' › ' : '', el('button', { type: 'button', click: () => open(node), disabled: node === top }, format.short(prefixes.name(node), 60))])),
      chart, el('h3', {}, 'What follows'), childrenTable(prefixes, top, open),
    );
    const drawn = new Chart(chart, kHeight, (ink) => option(prefixes, top, ink));
    drawn.chart.on('click', (point) => {
      const node = point.data[3];
      if (node !== top && (prefixes.children[node].length || run.tree.hidden[node])) open(node);
    });
    return [drawn];
  },
};
