// SPDX-License-Identifier: MIT
//
// The line below the views of a page that is told what changes, and how often such a page draws.
import { interval } from './best_time.js';
import { el } from './dom.js';
import * as format from './format.js';
import { countsText } from './fleet.js';

const kLeastPause = 250;
/** Drawing takes at most about this share of the time. */
const kShare = 1 / 8;

/** Calls what draws, as often as the time that it takes allows. */
export class Pace {
  constructor(now = () => performance.now(), later = setTimeout) {
    this.now = now;
    this.later = later;
    this.free = 0;
  }

  ask(draw) {
    if (this.waits) return;
    const left = this.free - this.now();
    if (left <= 0) {
      this.do(draw);
      return;
    }
    this.waits = true;
    this.later(() => {
      this.waits = false;
      this.do(draw);
    }, left);
  }

  do(draw) {
    const begin = this.now();
    draw();
    const end = this.now();
    this.free = end + Math.max(kLeastPause, (end - begin) / kShare);
  }
}

/** What a run has come to: "1,234 evaluations in 62 s, the best takes 8.7 us". */
export function progressText(page) {
  if (page.fleet) return countsText(page.fleet);
  const { run } = page;
  const best = run.bestTime > 0 ? `, the best takes ${interval(run.best)}` : '';
  return `${format.counted(run.count, 'evaluation')} in ${format.digits(run.seconds)} s${best}`;
}

export class LiveBar {
  constructor(page) {
    this.page = page;
    this.state = el('strong', { role: 'status' });
    this.progress = el('span');
    this.damage = el('span');
    this.button = el('button', { type: 'button', title: 'show all that has come (key u)', click: () => page.redraw() });
    this.report = el('button', { type: 'button', click: () => location.reload() }, 'Show the report');
    this.element = el('p', { class: 'live' }, this.state, this.progress, this.damage, this.button, this.report);
  }

  /** Only what has changed becomes another text: who listens to the page hears no more than that. */
  set(element, text) {
    if (element.textContent !== text) element.textContent = text;
  }

  show() {
    const { page } = this;
    const { teller } = page;
    const words = teller?.words ?? { text: 'connecting', isBad: false };
    this.set(this.state, words.text);
    this.element.classList.toggle('warning', words.isBad);
    this.set(this.progress, progressText(page));
    const problems = page.run?.numProblems ?? 0;
    this.set(this.damage, problems ? `${format.counted(problems, 'line')} of the log ${problems === 1 ? 'is' : 'are'} damaged (see Run)` : '');
    this.button.hidden = !page.isStale || page.followsByItself;
    const more = page.run ? page.run.count - page.shownCount : 0;
    this.set(this.button, more > 0 ? `Show ${format.count(more)} more` : 'Show what is new');
    this.report.hidden = teller?.state !== 'ended' || Boolean(page.fleet) || page.live.place.endsWith(':report');
  }
}
