// SPDX-License-Identifier: MIT
//
// A page that is told what changes (search view): news come as server-sent events, are put into the data
// once a frame, and then the page shows them. It knows nothing of elements.
import { Fleet } from './fleet.js';

/** What a page knows of who tells it, in words for people; `isBad`: the page is not up to date. */
export const kStates = {
  connecting: { text: 'connecting', isBad: false },
  waiting: { text: 'the run has not begun', isBad: false },
  running: { text: 'running', isBad: false },
  ended: { text: 'ended', isBad: false },
  trouble: { text: 'the log cannot be read', isBad: true },
  lost: { text: 'not connected: search view has ended, or does not answer; trying again', isBad: true },
  full: { text: 'as many browsers as search view serves are looking already; trying again', isBad: true },
  bye: { text: 'search view has ended: what stands here is the last that is known', isBad: true },
};

export class Live {
  /**
   * `data`: {runs or fleet, live}, which this keeps up to date. `changed()` is called once a frame in which something came.
   * `makeSource(url)` makes an EventSource; `frame(f)` calls f before the next picture; `reload()` loads the page again.
   */
  constructor(data, changed, { makeSource, frame, reload }) {
    this.data = data;
    this.changed = changed;
    this.frame = frame;
    this.reload = reload;
    this.news = [];
    this.version = 0; // Of the data.
    this.state = 'connecting';
    this.said = data.live;
    this.source = makeSource(`events?from=${encodeURIComponent(data.live.place)}`);
    this.source.addEventListener('open', () => this.is(this.said.state));
    this.source.addEventListener('error', () => this.is('lost'));
    this.source.addEventListener('news', (event) => this.came(JSON.parse(event.data)));
    this.source.addEventListener('full', () => this.is('full'));
    this.source.addEventListener('anew', () => {
      this.source.close();
      this.reload();
    });
    this.source.addEventListener('bye', () => {
      this.source.close();
      this.is('bye');
    });
  }

  /** What a person is told of the state. */
  get words() {
    const { text, isBad } = kStates[this.state] ?? kStates.trouble;
    const [run] = this.data.runs ?? [];
    if (this.state === 'trouble') return { text: `${text}: ${this.said.text}`, isBad };
    if (this.state === 'ended' && run?.end) return { text: `${text}: ${run.end.why}`, isBad };
    return { text, isBad };
  }

  is(state) {
    // A browser that is one too many is told so, and then loses its connection.
    if (this.state === 'bye' || (state === 'lost' && this.state === 'full')) return;
    this.state = state;
    this.wake();
  }

  came(news) {
    this.news.push(news);
    this.wake();
  }

  wake() {
    if (this.isAwake) return;
    this.isAwake = true;
    this.frame(() => {
      this.isAwake = false;
      this.takeIn();
      this.changed();
    });
  }

  /** Puts all that came into the data. */
  takeIn() {
    for (const { run, fleet, state } of this.news.splice(0)) {
      if (run) this.data.runs[0].append(run);
      if (fleet) this.data.fleet = new Fleet(fleet, this.data.fleet.place, true);
      if (run || fleet) ++this.version;
      this.said = state;
      this.state = state.state;
    }
  }
}
