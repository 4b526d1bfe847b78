// SPDX-License-Identifier: MIT
//
// The data of the page as the views read it: columns are typed arrays, each unpacked when a view
// asks for it, and what was left out of the JSON because it is nothing everywhere is there again.

import { unzlibSync } from 'fflate';
import { Fleet } from './fleet.js';
import { short } from './format.js';

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
      Object.defineProperty(object, name, { value });
      return value;
    },
  });
}

/** The value that a character of a decision vector stands for; -1: it takes no part. */
export function valueOf(code) {
  if (code >= 48 && code <= 57) return code - 48; // 0-9
  if (code >= 65 && code <= 90) return code - 55; // A-Z
  if (code >= 97 && code <= 122) return code - 61; // a-z
  if (code === 43) return 62;
  return code === 47 ? 63 : -1;
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
    lazily(this, 'column', () => unpacked(json.column));
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
    this.columns = {};
    for (const name of kNumbers) {
      lazily(this.columns, name, () => {
        const column = unpacked(json.evals[name]);
        return column ? Float64Array.from(column) : new Float64Array(json.count);
      });
    }
    lazily(this.columns, 'verdict', () => Uint8Array.from(unpacked(json.evals.verdict)));
    lazily(this.columns, 'reason', () => Int32Array.from(unpacked(json.evals.reason)));
    this.hasColumn = (name) => json.evals[name] !== undefined;
    this.decisions = json.decisions.map((decision) => new Decision(decision));
    this.correct = json.verdicts.indexOf('correct');
    lazily(this, 'indexOf', () => new Map(Array.from(this.columns.n, (n, i) => [n, i])));
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

/** All runs, or a fleet. Throws for data of another version. */
export function decode(json) {
  if (json.v !== 3) throw new Error(`this page reads data of version 3, not ${json.v}`);
  if (json.fleet) return { made: json.made, fleet: new Fleet(unpacked(json.fleet), json.folder) };
  const labels = labelsOf(json.runs.map((run) => run.name));
  return { made: json.made, runs: json.runs.map((run, i) => Object.assign(new Run(withPlainNames(run), i), { label: labels[i] })) };
}
