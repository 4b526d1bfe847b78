// SPDX-License-Identifier: MIT
//
// The winner: its loops as boxes in boxes, its arrays, its code, how to go on with it, and in what
// the finalists differ from it.
import { interval, isBusy, ranks } from '../src/best_time.js';
import { el, facts, table } from '../src/dom.js';
import * as format from '../src/format.js';
import { pieces } from '../src/highlight.js';
import { parseOutline, withoutSingles } from '../src/outline.js';
import { quoted } from './run.js';

const kMostHighlighted = 150000;
/** The suffix of decisions as a shell reads them: all that there is of a program of a user. */
const kShell = '.env';
const kKinds = {
  block: 'work items, in any order', threads: 'threads of a block; a barrier follows', loop: 'a loop', unroll: 'written so many times',
  vector: 'one vector operation', exec: 'an instruction',
};

function box(node) {
  if (node.kind === 'root') return el('div', { class: 'loops' }, node.children.map(box));
  const names = node.names.join(', ');
  return el('div', { class: `loop kind-${node.kind}` },
    el('div', { class: 'head', title: `${kKinds[node.kind] ?? node.kind}: ${names}` },
      el('b', {}, node.kind), node.size > 1 || node.children.length ? ` × ${format.count(node.size)} ` : ' ', el('span', { class: 'names' }, format.short(names, 90))),
    node.children.map(box));
}

function code(source) {
  const pre = el('pre', { class: 'code', tabindex: '0' });
  const coloured = source.slice(0, kMostHighlighted);
  for (const [kind, text] of pieces(coloured)) pre.append(kind ? el('span', { class: `code-${kind}` }, text) : text);
  pre.append(source.slice(kMostHighlighted));
  return pre;
}

/** The commands that go on with a record. */
export function commandsOf(run) {
  const program = run.run.argv[0] ? quoted(run.run.argv[0]).replace(/^'(\S+ search)'$/, '$1') : './exh search';
  const { n, suffix } = run.winner;
  const record = `${quoted(run.name)} --record ${n}`;
  const isOfUser = suffix === kShell;
  const commands = [
    ['every decision', `${program} log show ${record} --full`],
    [isOfUser ? 'ask the program again' : 'build, check and time it again', `${program} replay ${record}`],
    [isOfUser ? 'its decisions, for a shell' : 'its source', `${program} emit ${record}`],
  ];
  const compiled = { '.cu': ['cu', 'a program for nvcc, one file that checks and times itself'], '.cc': ['cc', 'a function for g++, one file without a main'] }[suffix];
  if (compiled) {
    commands.push([compiled[1], `${program} export ${record} --format ${compiled[0]} --out ${quoted(run.run.kernel)}.${compiled[0]}`],
      ['a library of the winner, for C, C++, NumPy and PyTorch', `${program} install-kernel ${quoted(run.name)} --out tuned`]);
  }
  return commands;
}

function copyable(text) {
  const button = el('button', {
    type: 'button', click: () => {
      navigator.clipboard?.writeText(text).then(() => { button.textContent = 'copied'; }, () => { button.textContent = 'cannot copy'; });
    },
  }, 'copy');
  return el('div', { class: 'command' }, el('code', {}, text), button);
}

/** [place, record, time] of the winner and the others; places are open within noise, and unknown where nothing was repeated. */
export function placesOf(winner) {
  const all = [{ n: winner.n, ns: winner.ns, lo: winner.lo, hi: winner.hi }, ...winner.finalists];
  const places = ranks(all);
  return all.map((one, i) => [places[i], one.n, interval(one)]);
}

function finalists(run) {
  const { winner } = run;
  if (!winner.finalists.length) return [];
  const [own, ...places] = placesOf(winner);
  const ofWinner = (one) => (isBusy(one) || isBusy(winner) ? '–' : `${format.digits((100 * one.ns) / winner.ns)} %`);
  return [
    el('h3', {}, winner.inTurn ? 'Finalists, measured in turn with it' : 'The next fastest'),
    el('p', { class: 'note' }, winner.inTurn
      ? `A place is open where intervals overlap: the winner's is ${own[0]}.`
      : 'Each was measured by itself in the search: who is faster by little is not known.'),
    table([{ title: 'place', number: true }, { title: 'record', number: true }, { title: 'time', number: true }, { title: 'of the winner', number: true }, 'what differs (the winner first)'],
      winner.finalists.map((one, i) => [places[i][0], format.count(one.n), places[i][2], ofWinner(one),
        one.differs.length > 4
          ? el('details', {}, el('summary', {}, format.counted(one.differs.length, 'decision')), differences(one.differs))
          : one.differs.length ? differences(one.differs) : 'no decision that was taken'])),
  ];
}

function differences(differs) {
  return el('ul', { class: 'plain' }, differs.map(([name, a, b]) => el('li', {}, `${name}: ${a} → ${b}`)));
}

/** Of the decisions that were taken for one of two winners, those that differ: [name, value, value of the other]. */
export function differencesOf(run, other) {
  const valuesOf = (one) => new Map(one.winner.taken);
  const value = (one, values, name) => {
    if (values.has(name)) return values.get(name);
    const decision = one.decisions.find((candidate) => candidate.name === name);
    const i = one.indexOf.get(one.winner.n);
    return decision && i !== undefined ? decision.text(decision.at(i)) : null;
  };
  const [mine, others] = [valuesOf(run), valuesOf(other)];
  return [...new Set([...mine.keys(), ...others.keys()])]
    .map((name) => [name, value(run, mine, name), value(other, others, name)])
    .filter(([, a, b]) => a !== null && b !== null && a !== b);
}

function againstOthers(run, runs) {
  const others = runs.filter((other) => other !== run && other.winner && other.run.kernel === run.run.kernel);
  if (!others.length) return [];
  return [
    el('h3', {}, 'Against the winners of the other runs'),
    table(['run', { title: 'time', number: true }, 'what differs (this winner first)'], others.map((other) => {
      const differs = differencesOf(run, other);
      return [other.label, interval(other.winner),
        el('details', {}, el('summary', {}, format.counted(differs.length, 'decision')), differences(differs))];
    })),
  ];
}

const ratio = (value) => (value === null ? '–' : `${format.digits(value)} ×`);

/** What `search why` measured of the winner: [decision, value, time without it, other values], where the winner's own time is 1. */
export function worthsOf(run) {
  const { why } = run;
  if (!why || why.record !== run.winner.n) return [];
  const text = ([other, time, verdict, follows]) => `${other}: ${time === null ? verdict : ratio(time)}${follows ? ` (${format.counted(follows, 'other')} with it)` : ''}`;
  return why.decisions.filter(([, , worth]) => worth > 1 + why.noise)
    .map(([name, value, worth, others]) => [name, value, ratio(worth), others.map(text).join(', ')]);
}

function worths(run) {
  const rows = worthsOf(run);
  if (!rows.length) return [];
  const { noise, steps, again } = run.why;
  const parts = [
    el('h3', {}, 'What its decisions are worth'),
    el('p', { class: 'note' }, 'Each alone took another value, and all else was kept as far as it agreed with that. The time is that of the fastest other value, where the winner takes 1. '
      + `What is within the noise (${format.digits(100 * noise)} %) is left out.`),
    table(['decision', 'value', { title: 'time without it', number: true }, 'other values'], rows),
  ];
  if (steps.length > 1) {
    parts.push(
      el('p', { class: 'note' }, `These changed one after the other; all of them measured once more: ${ratio(again || null)}.`),
      table(['changed', { title: 'time with all so far', number: true }], steps.map(([name, value, time]) => [`${name} = ${value}`, ratio(time)])));
  }
  return parts;
}

/** What `search replay --counters` counted of the winner: [what, counted, at least, guessed, how far off, unit; source]. */
export function countersOf(run) {
  const { counters } = run;
  if (!counters || counters.record !== run.winner.n) return [];
  const number = (value, unit) => (value === null ? '–' : unit.startsWith('ns') ? format.time(value) : value >= 1000 ? format.count(value) : format.digits(value));
  return counters.rows.map(([what, unit, source, counted, least, guessed]) => {
    const foretold = guessed ?? least;
    return [what, number(counted, unit), number(least, unit), number(guessed, unit), ratio(foretold > 0 ? counted / foretold : null), `${unit}; ${source}`];
  });
}

function counters(run) {
  const rows = countersOf(run);
  if (!rows.length) return [];
  const { tool, why } = run.counters;
  return [
    el('h3', {}, 'What was counted of it'),
    el('p', { class: 'note' }, `One run, counted by ${tool}, beside what was foretold: what the lower bound rests on (at least), and what lowered code counts to (guessed). A unit is a multiprocessor, and the one that is meant has most to do.`
      + `${why ? ` Not counted: ${why}` : ''}`),
    table(['', { title: 'counted', number: true }, { title: 'at least', number: true }, { title: 'guessed', number: true }, { title: 'is', number: true }, 'unit; source'], rows),
  ];
}

function taken(run) {
  const byChoice = new Map();
  for (const [name, value] of run.winner.taken) {
    const at = name.indexOf('(');
    const choice = at < 0 ? name : name.slice(0, at);
    if (!byChoice.has(choice)) byChoice.set(choice, []);
    const objects = at < 0 ? '' : name.slice(at + 1, -1);
    byChoice.get(choice).push(objects ? `${objects} = ${value}` : value);
  }
  return facts([...byChoice].map(([choice, values]) => [choice, values.join(';  ')]));
}

export const winnerView = {
  id: 'winner',
  title: 'Winner',
  help: 'How to go on with the best, and what it is. Boxes are loops, and what is in them runs in them. Loops of one iteration are left out, unless you ask for them.',
  render(host, page) {
    const { run, state } = page;
    const { winner } = run;
    if (!winner) {
      host.append(el('p', {}, 'Nothing correct was found.'));
      return [];
    }
    const i = run.indexOf.get(winner.n);
    host.append(
      el('p', { class: 'summary' }, `Record ${winner.n}: ${interval(winner)}${isBusy(winner) || !run.run.flops ? '' : `, ${format.rate(run.run.flops, winner.ns)}`}.`
        + `${run.provenBound > 0 ? ` The bound is ${format.time(run.provenBound)}.` : ''}${winner.across ? ` Blocks divide reductions: ${winner.across}.` : ''}`
        + `${i !== undefined && run.columns.registers[i] > 0 ? ` ${run.columns.registers[i]} registers a thread, ${run.columns.blocks[i]} blocks at once on a multiprocessor.` : ''}`),
      ...commandsOf(run).map(([what, command]) => [el('p', { class: 'note' }, what), copyable(command)]).flat(),
    );
    if (winner.trouble) {
      host.append(el('p', { class: 'warning' }, `Its loops and its code could not be made again: ${winner.trouble}`));
    } else {
      const outline = parseOutline(winner.outline);
      if (outline.children.length) {
        host.append(
          el('h3', {}, 'Loops'),
          el('label', { class: 'choice' }, el('input', {
            type: 'checkbox', id: 'singles', checked: state.singles, change: (event) => { state.singles = event.target.checked; page.redraw(); },
          }), ' with loops of one iteration'),
          box(state.singles ? outline : withoutSingles(outline)),
        );
      }
      if (winner.arrays?.length) {
        host.append(el('h3', {}, 'Temporary arrays'), table(['array', 'lives in'], winner.arrays));
      }
      host.append(el('h3', {}, winner.suffix === kShell ? 'For a shell' : 'Code'), code(winner.source));
    }
    host.append(...worths(run), ...counters(run), ...finalists(run), ...againstOthers(run, page.runs), el('h3', {}, 'Decisions, in the order taken'), taken(run));
    return [];
  },
};
