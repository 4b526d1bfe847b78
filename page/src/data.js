// SPDX-License-Identifier: MIT
//
// The data of the page as the views read it: columns are typed arrays, each unpacked when a view
// asks for it, and what was left out of the JSON because it is nothing everywhere is there again.

import { unzlibSync } from 'fflate';
import { valueOf } from './characters.js';
import { Fleet } from './fleet.js';
import { short } from './format.js';
import { GrowingDecision, GrowingNumbers } from './growing.js';

export { valueOf } from './characters.js';

const kNumbers = ['n', 'dt', 'ns', 'again', 'estimate', 'bound', 'compile', 'check', 'error',
  'registers', 'blocks', 'clock', 'memory', 'workspace', 'typical'];

/** A column as it is, or unpacked: search/page/packed.h makes fewer bytes of long ones. */
export function unpacked(column) {
  if (column?.packed === undefined) return column;
  const letters = atob(column.packed);
  const bytes = new Uint8Array(letters.length);
  for (let i = 0; i < bytes.length; ++i) bytes[i] = letters.charCodeAt(i);
  return JSON.parse(new TextDecoder().decode(unzlibSync(bytes)));
}

/** Gives the object a member that is made when somebody asks for it. */
function lazily(object, name, make) {
  Object.defineProperty(object, name, {
    configurable: true,
    get() {
      const value = make();
      Object.defineProperty(object, name, { configurable: true, value });
      return value;
    },
  });
}

/** "inner() = ROWS" without the brackets: a decision of no objects is called by its choice. */
export function plainName(name) {
  return name.replace(/\(\)(?= = |$)/, '');
}

/** The same wherever a run names decisions. */
function withPlainNames(json) {
  const pairs = (list) => list?.map(([name, ...values]) => [plainName(name), ...values]);
  const { winner, tree, why } = json;
  return {
    ...json,
    deadEnds: json.deadEnds?.map((one) => ({ ...one, example: plainName(one.example) })),
    winner: winner && {
      ...winner, taken: pairs(winner.taken),
      finalists: winner.finalists?.map((one) => ({ ...one, differs: pairs(one.differs) })),
    },
    tree: tree && { ...tree, names: tree.names?.map(plainName) },
    why: why && { ...why, decisions: pairs(why.decisions) },
  };
}

/** A decision: its name, its values, and what it was in each evaluation. */
class Decision {
  constructor(json) {
    this.name = plainName(json.name);
    this.choice = json.choice;
    this.values = json.values;
    this.ranges = json.ranges ?? []; // Of its numbers, in place of `values`.
    this.taken = json.taken;
    this.growing = new GrowingDecision(() => unpacked(json.column));
  }

  get column() {
    return this.growing.column;
  }

  /** The index of the value in evaluation `i`; -1 where the decision takes no part. */
  at(i) {
    return typeof this.column === 'string' ? valueOf(this.column.charCodeAt(i)) : this.column[i];
  }

  text(value) {
    if (value < 0) return '–';
    let left = value;
    for (const [first, last] of this.ranges) {
      if (left <= last - first) return String(first + left);
      left -= last - first + 1;
    }
    return this.values[value] ?? `#${value}`;
  }
}

/** One run. */
class Run {
  constructor(json, index) {
    Object.assign(this, json);
    this.index = index;
    const grow = (name, Type, make) => [name, new GrowingNumbers(Type, json.count, make)];
    this.growing = new Map([
      ...kNumbers.map((name) => grow(name, Float64Array, () => unpacked(json.evals[name]))),
      grow('verdict', Uint8Array, () => unpacked(json.evals.verdict)),
      grow('reason', Int32Array, () => unpacked(json.evals.reason))]);
    this.columns = {};
    for (const [name, numbers] of this.growing) Object.defineProperty(this.columns, name, { get: () => numbers.values });
    this.said = new Set(Object.keys(json.evals));
    this.hasColumn = (name) => this.said.has(name);
    this.decisions = json.decisions.map((decision) => new Decision(decision));
    this.correct = json.verdicts.indexOf('correct');
    this.forget();
  }

  /** What was worked out of the evaluations is worked out again when somebody asks. */
  forget() {
    lazily(this, 'indexOf', () => new Map(Array.from(this.columns.n, (n, i) => [n, i])));
    this.effects = undefined;
  }

  /** Takes what came since, of a run that goes on: search/view/live_run.h writes it. */
  append(news) {
    const { from, count, evals, verdicts, reasons, decisions, pieces, ...rest } = withPlainNames(news);
    if (from !== this.count) throw new Error(`the news begin with evaluation ${from}, the page has ${this.count}`);
    for (const [name, numbers] of this.growing) numbers.append(unpacked(evals[name]), count - from);
    for (const name of Object.keys(evals)) this.said.add(name);
    pieces.forEach((piece, k) => this.decisions[k].growing.append(unpacked(piece)));
    this.decisions.push(...decisions.map((decision) => new Decision(decision)));
    this.count = count;
    this.verdicts = verdicts;
    this.correct = verdicts.indexOf('correct');
    this.reasons.push(...reasons);
    if (rest.tree) this.prefixes = undefined;
    for (const [name, value] of Object.entries(rest)) if (value !== undefined) this[name] = value;
    this.forget();
  }

  verdict(i) {
    return this.verdicts[this.columns.verdict[i]];
  }

  isCorrect(i) {
    return this.columns.verdict[i] === this.correct;
  }

  reason(i) {
    const reason = this.columns.reason[i];
    if (reason === -1) return '';
    return reason < 0 ? '(this reason was left out)' : this.reasons[reason];
  }

  /** What nothing of the space is faster than, as far as is known; 0: nothing is known. */
  get provenBound() {
    return this.end?.bound || (this.bounds.length ? this.bounds[this.bounds.length - 1][1] : 0);
  }

  /** What the best takes, as {ns, lo, hi}: in the finals, or where there are none in the search. */
  get best() {
    return this.winner ?? { ns: this.searchTime, lo: 0, hi: 0 };
  }

  get bestTime() {
    return this.best.ns;
  }

  /** What the search compared of the last best. */
  get searchTime() {
    return this.bests.length ? this.bests[this.bests.length - 1][2] : 0;
  }

  /** Yardsticks: what was measured in turn with the winner and is none of ours. */
  get yardsticks() {
    return this.references.filter((reference) => reference.verdict === 'correct'
      && reference.name !== 'winner' && !reference.name.startsWith('record '));
  }
}

/** Names that tell the runs apart, as short as can be: the ends of their paths. */
export function labelsOf(names) {
  const parts = names.map((name) => name.split('/').filter(Boolean));
  const end = (k, count) => parts[k].slice(-count).join('/') || names[k];
  return names.map((name, k) => {
    const longest = Math.max(1, ...parts.map((one) => one.length));
    for (let count = 1; count <= longest; ++count) {
      if (names.every((_, other) => other === k || end(other, count) !== end(k, count))) return short(end(k, count), 40);
    }
    return `${short(name, 40)} (${k + 1})`;
  });
}

/** All runs, or a fleet. `live` is there when the page is told what changes. Throws for data of another version. */
export function decode(json) {
  if (json.v !== 3) throw new Error(`this page reads data of version 3, not ${json.v}`);
  const { made, live } = json;
  if (json.fleet) return { made, live, fleet: new Fleet(unpacked(json.fleet), json.folder, Boolean(live)) };
  const labels = labelsOf(json.runs.map((run) => run.name));
  return { made, live, runs: json.runs.map((run, i) => Object.assign(new Run(withPlainNames(run), i), { label: labels[i] })) };
}
