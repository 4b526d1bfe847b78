// SPDX-License-Identifier: MIT
//
// The page: a heading, a choice of views, and the view that is open. A view is made when it is
// opened, and anew when something about it changes.
import { kFleetViews } from '../views/fleet/list.js';
import { kViews } from '../views/list.js';
import { decode } from './data.js';
import { el, select } from './dom.js';
import * as format from './format.js';
import { Live } from './live.js';
import { LiveBar, Pace } from './live_bar.js';
import { titleOf } from './program.js';

const kKeys = '1234567890-=';

class Page {
  constructor(data, root) {
    Object.assign(this, data);
    this.run = this.runs?.[0];
    this.views = this.fleet ? kFleetViews : kViews.filter((view) => view.applies?.(this.runs) ?? true);
    this.states = new Map();
    this.parts = [];
    this.dark = matchMedia('(prefers-color-scheme: dark)');
    this.theme = '';
    this.content = el('main', { id: 'content', tabindex: '-1' });
    this.tabs = new Map(this.views.map((view, i) => [view.id, el('a', {
      href: `#${view.id}`, title: `${view.help}${kKeys[i] ? ` (key ${kKeys[i]})` : ''}`,
    }, view.title)]));
    this.pace = new Pace();
    root.append(this.heading(), el('nav', { 'aria-label': 'views' }, ...this.tabs.values()));
    if (this.live) {
      this.bar = new LiveBar(this);
      root.append(this.bar.element);
    }
    root.append(this.content);
    addEventListener('hashchange', () => this.open(location.hash.slice(1)));
    addEventListener('keydown', (event) => this.key(event));
    addEventListener('beforeprint', () => this.print());
    addEventListener('afterprint', () => this.redraw());
    this.dark.addEventListener('change', () => this.redraw());
    this.open(location.hash.slice(1));
    if (this.live) {
      this.teller = new Live(this, () => this.changed(), {
        makeSource: (url) => new EventSource(url), frame: (draw) => requestAnimationFrame(draw), reload: () => location.reload(),
      });
    }
  }

  /** Something came of what is watched: what is cheap is shown at once, and the view at its pace. */
  changed() {
    this.bar.show();
    if (this.followsByItself) this.pace.ask(() => this.refresh());
  }

  /** The open view shows what comes without being asked. */
  get followsByItself() {
    const wasEmpty = this.run && !this.shownCount;
    return Boolean(wasEmpty || this.view.redrawsItself || this.parts.some((part) => part.refresh));
  }

  refresh() {
    if (!this.isStale || !this.followsByItself) return;
    const parts = this.parts.filter((part) => part.refresh);
    if (!parts.length) {
      this.redraw();
      return;
    }
    for (const part of parts) part.refresh(this.isDark);
    this.drawn();
  }

  /** The open view shows all that is known. */
  drawn() {
    this.shown = this.teller?.version ?? 0;
    this.shownCount = this.run?.count;
    this.bar?.show();
  }

  /** Something is known that the open view does not show. */
  get isStale() {
    return this.shown !== (this.teller?.version ?? 0);
  }

  get isDark() {
    return this.theme ? this.theme === 'dark' : this.dark.matches;
  }

  heading() {
    const bar = el('header', {}, el('h1', {}, this.title));
    if (this.runs?.length > 1) {
      bar.append(select('run', this.runs.map((one) => [String(one.index), one.label]), '0', (index) => {
        this.run = this.runs[Number(index)];
        this.states.clear();
        this.redraw();
      }));
    }
    bar.append(el('button', {
      type: 'button', title: 'light or dark (key t)', click: () => this.toggleTheme(),
    }, 'Light / dark'));
    return bar;
  }

  get title() {
    if (this.fleet) return `${format.counted(this.fleet.shapes.length, 'shape')} on ${this.fleet.machines.join(', ') || this.fleet.device}`;
    const { run } = this.runs[0];
    return this.runs.length > 1 ? `${this.runs.length} runs` : titleOf(run);
  }

  toggleTheme() {
    this.theme = this.isDark ? 'light' : 'dark';
    document.documentElement.dataset.theme = this.theme;
    this.redraw();
  }

  /** What the open view remembers while the page is open. */
  get state() {
    if (!this.states.has(this.view.id)) this.states.set(this.view.id, {});
    return this.states.get(this.view.id);
  }

  open(id) {
    this.view = this.views.find((view) => view.id === id) ?? this.views[0];
    for (const [name, tab] of this.tabs) {
      if (name === this.view.id) tab.setAttribute('aria-current', 'page');
      else tab.removeAttribute('aria-current');
    }
    this.redraw();
  }

  clear() {
    for (const part of this.parts) part.dispose();
    this.parts = [];
    this.content.replaceChildren();
  }

  redraw() {
    const focused = document.activeElement?.id;
    this.clear();
    this.show(this.view, this.isDark);
    this.drawn();
    if (focused) document.getElementById(focused)?.focus();
  }

  show(view, isDark) {
    const host = el('section', { id: `view-${view.id}` }, el('h2', {}, view.title), el('p', { class: 'help' }, view.help));
    this.content.append(host);
    if (this.live && this.run && !this.run.count && view.id !== 'run') {
      host.append(el('p', {}, 'Nothing was evaluated yet.'));
      return;
    }
    try {
      const parts = view.render(host, this);
      this.parts.push(...parts);
      for (const part of parts) part.draw(isDark);
    } catch (error) {
      // One view that fails must not take the others along.
      host.append(el('p', { class: 'warning', role: 'alert' }, `This view cannot be shown: ${error.message}`));
      console.error(error);
    }
  }

  /** On paper all views stand one after the other, in the light theme. */
  print() {
    const { view } = this;
    this.clear();
    for (const one of this.views) {
      this.view = one;
      this.show(one, false);
    }
    this.view = view;
  }

  key(event) {
    const isWriting = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
    if (event.key === 'Escape' && isWriting) event.target.blur();
    if (isWriting || event.ctrlKey || event.metaKey || event.altKey) return;
    const index = kKeys.indexOf(event.key);
    const at = this.views.indexOf(this.view);
    if (index >= 0 && index < this.views.length) location.hash = this.views[index].id;
    else if (event.key === 'ArrowRight' && event.target.closest?.('nav')) location.hash = this.views[(at + 1) % this.views.length].id;
    else if (event.key === 'ArrowLeft' && event.target.closest?.('nav')) location.hash = this.views[(at + this.views.length - 1) % this.views.length].id;
    else if (event.key === 't') this.toggleTheme();
    else if (event.key === 'u' && this.live) this.redraw();
    else if (event.key === '/') {
      event.preventDefault();
      if (this.view.id !== 'table') {
        this.open('table');
        history.replaceState(null, '', '#table');
      }
      document.getElementById('filter')?.focus();
    } else return;
    if (event.target.closest?.('nav')) this.tabs.get(location.hash.slice(1))?.focus();
  }
}

const root = document.getElementById('app');

/** The data. A page that is told what changes is not kept as it stands, and so need not hold the text that it began with. */
function readData() {
  const place = document.getElementById('data');
  const json = JSON.parse(place.textContent);
  if (json.live) place.remove();
  return json;
}

try {
  window.exhaust = new Page(decode(readData()), root);
} catch (error) {
  root.append(el('p', { class: 'warning', role: 'alert' }, `This page cannot be shown: ${error.message}`));
  throw error;
}
