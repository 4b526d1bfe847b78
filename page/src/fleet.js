// SPDX-License-Identifier: MIT
//
// A fleet as the views read it: what search tune --status --format json prints. It knows nothing of elements.
import * as format from './format.js';

export const kPhases = ['done', 'running', 'waiting', 'failed'];

/** "3 done, 1 running, 0 waiting, 0 failed". */
export function countsText(fleet) {
  return kPhases.map((phase) => `${format.count(fleet.counts[phase])} ${phase}`).join(', ');
}

/** What a shape takes, as {ns, lo, hi}; also of a yardstick, whose time is `ns`. */
export function timeOf(one) {
  return { ns: one.best_ns ?? one.ns ?? 0, lo: one.lo_ns ?? 0, hi: one.hi_ns ?? 0 };
}

/** The fastest yardstick of a shape, or of this name; undefined: there is none. */
export function yardstickOf(shape, name) {
  return name === undefined ? shape.yardsticks?.[0] : shape.yardsticks?.find((one) => one.name === name);
}

const percent = (value) => `${format.digits(100 * value)} %`;
const times = (value) => `${format.digits(value)}x`;

/** Numbers that a shape can be coloured by: `value(shape)` is undefined where it has none. `isLowBetter` and
 * `isLog` say which are good, and how colours are spread. */
function quantitiesOf(shapes) {
  const names = [...new Set(shapes.flatMap((shape) => (shape.yardsticks ?? []).map((one) => one.name)))];
  const all = [
    { id: 'best yardstick', title: 'speed against the fastest yardstick', text: times, isLog: true, value: (shape) => yardstickOf(shape)?.ratio },
    ...names.map((name) => ({
      id: `against ${name}`, title: `speed against ${name}`, text: times, isLog: true, value: (shape) => yardstickOf(shape, name)?.ratio,
    })),
    { id: 'gap', title: 'gap to what is proven', text: percent, isLowBetter: true, value: (shape) => shape.gap },
    {
      id: 'roof', title: 'share of the roof', text: percent,
      value: (shape) => (shape.best_bound_ns > 0 && shape.best_ns > 0 ? shape.best_bound_ns / shape.best_ns : undefined),
    },
    { id: 'rate', title: 'rate', text: (value) => format.rate(value, 1), isLog: true, value: (shape) => (shape.flops > 0 && shape.best_ns > 0 ? shape.flops / shape.best_ns : undefined) },
    { id: 'time', title: 'time', text: format.time, isLog: true, isLowBetter: true, value: (shape) => shape.best_ns },
    { id: 'evaluations', title: 'evaluations', text: format.count, value: (shape) => shape.evaluations || undefined },
  ];
  return all.filter((one) => shapes.some((shape) => one.value(shape) !== undefined));
}

const isNumber = (text) => /^-?\d+$/.test(text);

/** Numbers by their size, then words. What a shape does not say is as usual: it comes first. */
function inOrder(values) {
  const said = [...new Set(values)].filter((value) => value !== undefined).sort((a, b) => {
    if (isNumber(a) && isNumber(b)) return Number(a) - Number(b);
    return isNumber(a) !== isNumber(b) ? (isNumber(a) ? -1 : 1) : a < b ? -1 : 1;
  });
  return values.includes(undefined) ? [undefined, ...said] : said;
}

/** "512"; of a size that a shape does not say "as usual". */
export function sizeText(value) {
  return value ?? 'as usual';
}

/** The shapes of a kernel and a type: what one heat map shows. */
class Group {
  constructor(label, shapes) {
    this.label = label;
    this.shapes = shapes;
    const names = [...new Set(shapes.flatMap((shape) => Object.keys(shape.sizes)))];
    this.values = new Map(names.map((name) => [name, inOrder(shapes.map((shape) => shape.sizes[name]))]));
    // What all have in common is no axis, unless there is nothing else.
    const varied = names.filter((name) => this.values.get(name).length > 1);
    this.names = varied.length ? varied : names.slice(0, 1);
  }

  /** The sizes of both axes: those with the most values, as far as there are two; in the order of the kernel. */
  get axes() {
    const most = [...this.names].sort((a, b) => this.values.get(b).length - this.values.get(a).length).slice(0, 2);
    const [y, x] = this.names.filter((name) => most.includes(name));
    return x === undefined ? { x: y, y: undefined } : { x, y };
  }

  /** Sizes that are no axis, each with a value: what most shapes have, given those before it. */
  fixed(axes, wanted = {}) {
    let left = this.shapes;
    const values = {};
    for (const name of this.names) {
      if (name === axes.x || name === axes.y) continue;
      const counts = new Map();
      for (const shape of left) counts.set(shape.sizes[name], (counts.get(shape.sizes[name]) ?? 0) + 1);
      const usual = this.values.get(name).reduce((best, value) => ((counts.get(value) ?? 0) > (counts.get(best) ?? 0) ? value : best));
      values[name] = name in wanted ? wanted[name] : usual;
      left = left.filter((shape) => shape.sizes[name] === values[name]);
    }
    return values;
  }

  /** Shapes with these values: {shape, x, y}, places on the axes. */
  cells(axes, fixed) {
    const place = (name, shape) => (name === undefined ? 0 : this.values.get(name).indexOf(shape.sizes[name]));
    return this.shapes.filter((shape) => Object.entries(fixed).every(([name, value]) => shape.sizes[name] === value))
      .map((shape) => ({ shape, x: place(axes.x, shape), y: place(axes.y, shape) }));
  }
}

/** Where the page finds a file that lies beside it: never another protocol. */
export function hrefOf(path) {
  return `${path.startsWith('/') ? '' : './'}${path.split('/').map(encodeURIComponent).join('/')}`;
}

export class Fleet {
  /** `folder`: of the fleet, from where the page lies. `isLive`: runs have pages of their own, which are told what changes. */
  constructor(json, folder, isLive = false) {
    Object.assign(this, json);
    this.place = folder;
    this.isLive = isLive;
    this.shapes = json.shapes.map((shape, index) => ({ ...shape, index }));
    this.quantities = quantitiesOf(this.shapes);
    const groups = new Map();
    for (const shape of this.shapes) {
      const label = shape.type ? `${shape.kernel}, ${shape.type}` : shape.kernel;
      if (!groups.has(label)) groups.set(label, []);
      groups.get(label).push(shape);
    }
    this.groups = [...groups].map(([label, shapes]) => new Group(label, shapes));
  }

  /** Of the page of a shape, where there is one. */
  reportOf(shape) {
    return shape.report && !this.isLive ? hrefOf(`${this.place}/${shape.report}`) : undefined;
  }

  /** The page of its run while that goes on, where there is one. */
  liveOf(shape) {
    return this.isLive && shape.state !== 'waiting' ? hrefOf(`run/${shape.shape}/`) : undefined;
  }

  get failures() {
    return this.shapes.filter((shape) => shape.state === 'failed');
  }
}
