// SPDX-License-Identifier: MIT
//
// The page in a browser, with every request blocked. Pictures of all views go to build/page/screenshots, for
// people to look at. Skipped where there is no Chromium, or a Node.js that Playwright does not run on.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { after, before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { kFleetViews } from '../views/fleet/list.js';
import { kViews } from '../views/list.js';
import { kTemplate, launch, options, skip } from './browser.js';
import { fleetData, kEvil, packed, sampleData, sampleFleet } from './sample.js';

const kShots = resolve('screenshots');

/** As search report fills the page. */
function write(name, data) {
  const file = resolve(`${name}.html`);
  const json = JSON.stringify(data).replace(/[<>&\u2028\u2029]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
  writeFileSync(file, readFileSync(kTemplate, 'utf8').replace('<!--title-->', 'a &lt;b>').replace('<!--data-->', () => json));
  return pathToFileURL(file).href;
}

let browser;
const troubles = [];

/** A page of these data; whatever goes wrong in it is collected. */
async function open(data, settings = {}) {
  const context = await browser.newContext({ viewport: { width: 1300, height: 950 }, acceptDownloads: true, ...settings });
  const page = await context.newPage();
  page.on('pageerror', (error) => troubles.push(`error: ${error.message}`));
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') troubles.push(`${message.type()}: ${message.text()}`);
  });
  const url = write('test', data);
  await page.route('**/*', (route) => {
    const asked = route.request().url();
    if (asked.split('#')[0] === url) return route.continue();
    troubles.push(`request: ${asked}`);
    return route.abort();
  });
  await page.goto(url);
  return page;
}

/** Opens a view as a person does. */
async function show(page, view) {
  await page.click(`nav a[href="#${view.id}"]`);
  await page.waitForFunction((title) => document.querySelector('h2')?.textContent === title, view.title);
}

const viewOf = (id) => kViews.find((view) => view.id === id);

/** Does the canvas show anything but one colour? */
function isDrawn(canvas) {
  const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
  for (let at = 4; at < data.length; at += 4) if (data[at] !== data[0] || data[at + 3] !== data[3]) return true;
  return false;
}

before(async () => {
  if (skip) return;
  mkdirSync(kShots, { recursive: true });
  browser = await launch();
});
after(async () => {
  await browser?.close();
});

test('every view opens by a click, in both themes, of one run and of two', options, async () => {
  for (const [names, colorScheme] of [[['runs/a'], 'light'], [['runs/a', kEvil], 'dark']]) {
    const page = await open(sampleData(names), { colorScheme });
    for (const view of kViews) {
      await show(page, view);
      assert.equal(await page.locator('text=This view cannot be shown').count(), 0, view.id);
      for (const canvas of await page.locator('.chart canvas').elementHandles()) assert.ok(await canvas.evaluate(isDrawn), `${view.id} draws nothing`);
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${view.id} is wider than the window`);
      await page.screenshot({ path: `${kShots}/${view.id}-${colorScheme}.png`, fullPage: true });
    }
    assert.equal(await page.evaluate(() => window.broken), undefined, 'text of a log ran');
    assert.equal(await page.locator('img').count(), 0, 'text of a log became markup');
    await page.context().close();
  }
  assert.deepEqual(troubles.splice(0), []);
});

test('keys', options, async () => {
  const page = await open(sampleData());
  for (const [key, view] of kViews.slice(0, 9).map((one, i) => [String(i + 1), one])) {
    await page.keyboard.press(key);
    await page.waitForFunction((title) => document.querySelector('h2').textContent === title, view.title);
  }
  const ground = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await ground();
  await page.keyboard.press('t');
  assert.notEqual(await ground(), light);
  await page.keyboard.press('/');
  assert.equal(await page.evaluate(() => document.activeElement.id), 'filter');
  await page.keyboard.type('verdict=correct n<=3');
  assert.equal(await page.textContent('.bar .note'), '3 of 40 evaluations');
  await page.keyboard.press('Escape');
  assert.notEqual(await page.evaluate(() => document.activeElement.id), 'filter');
  await page.focus('nav a[aria-current]');
  await page.keyboard.press('ArrowLeft');
  await page.waitForFunction((title) => document.querySelector('h2').textContent === title, kViews.at(-2).title);
  assert.deepEqual(troubles.splice(0), []);
  await page.context().close();
});

test('the table sorts, and goes out as CSV', options, async () => {
  const page = await open(sampleData());
  await show(page, viewOf('table'));
  const first = () => page.textContent('tbody tr td');
  await page.click('th button[title="record"]');
  assert.equal(await first(), '1');
  await page.click('th button[title="record"]');
  assert.equal(await first(), '40');
  const [download] = await Promise.all([page.waitForEvent('download'), page.click('text=Download CSV')]);
  const lines = readFileSync(await download.path(), 'utf8').trimEnd().split('\r\n');
  assert.equal(lines.length, 41);
  assert.match(lines[1], /^40,/);
  assert.deepEqual(troubles.splice(0), []);
  await page.context().close();
});

test('a box of the tree opens, a decision is chosen, values are selected', options, async () => {
  const page = await open(sampleData());
  await show(page, viewOf('tree'));
  const chart = await page.locator('.chart').boundingBox();
  await page.mouse.click(chart.x + 0.3 * chart.width, chart.y + 0.2 * chart.height);
  assert.deepEqual(await page.locator('.crumbs button').allTextContents(), ['all', 'size(a) = 10']);
  await page.click('.crumbs button:has-text("all")');
  assert.equal(await page.locator('.crumbs button').count(), 1);

  await show(page, viewOf('effects'));
  await page.selectOption('#decision', 'size(a)');
  assert.equal(await page.locator('tbody tr').count(), 3);

  await show(page, viewOf('parallel'));
  const lines = await page.locator('.chart').boundingBox();
  await page.mouse.move(lines.x + 50, lines.y + 140);
  await page.mouse.down();
  await page.mouse.move(lines.x + 50, lines.y + 300, { steps: 8 });
  await page.mouse.up();
  await page.waitForFunction(() => /selected; the fastest is record/.test(document.querySelector('[role=status]').textContent));
  assert.deepEqual(troubles.splice(0), []);
  await page.context().close();
});

test('printed, all views stand one after the other', options, async () => {
  const page = await open(sampleData(), { colorScheme: 'dark' });
  await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
  assert.deepEqual(await page.locator('h2').allTextContents(), kViews.map((view) => view.title));
  await page.emulateMedia({ media: 'print' });
  assert.equal(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), 'rgb(255, 255, 255)');
  await page.pdf({ path: `${kShots}/printed.pdf`, format: 'A4' });
  await page.evaluate(() => dispatchEvent(new Event('afterprint')));
  assert.equal(await page.locator('h2').count(), 1);
  assert.deepEqual(troubles.splice(0), []);
  await page.context().close();
});

test('a fleet: every view opens, a cell is clicked, shapes are filtered', options, async () => {
  for (const colorScheme of ['light', 'dark']) {
    const page = await open(fleetData(), { colorScheme });
    for (const view of kFleetViews) {
      await show(page, view);
      assert.equal(await page.locator('text=This view cannot be shown').count(), 0, view.id);
      for (const canvas of await page.locator('.chart canvas').elementHandles()) assert.ok(await canvas.evaluate(isDrawn), `${view.id} draws nothing`);
      assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${view.id} is wider than the window`);
      await page.screenshot({ path: `${kShots}/fleet-${view.id}-${colorScheme}.png`, fullPage: true });
    }
    assert.equal(await page.evaluate(() => window.broken), undefined, 'text of a log ran');
    await page.context().close();
  }
  const page = await open(fleetData());
  await show(page, kFleetViews[1]);
  const chart = await page.locator('.chart').boundingBox();
  // The upper right cell: both sizes are the largest.
  await page.mouse.click(chart.x + chart.width - 60, chart.y + 25);
  assert.equal(await page.textContent('#details h3'), 'matmul-m256-n256-k64');
  assert.match(await page.textContent('#details'), /search report 'fleets\/a fleet\/matmul-m256-n256-k64'/);
  await page.selectOption('.bar select >> nth=-1', { label: '128' });
  await page.selectOption('.bar select >> nth=0', 'axpy');
  assert.equal(await page.locator('.chart canvas').count(), 1);
  await page.keyboard.press('Escape');
  await show(page, kFleetViews[2]);
  await page.fill('#filter', 'state=done ratio<=1 m=64');
  assert.equal(await page.textContent('.bar .note'), '3 of 19 shapes');
  await page.click('tbody button >> nth=0');
  assert.equal(await page.getAttribute('#details a', 'href'), './a%20fleet/matmul-m64-n128-k128/report.html');
  await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
  assert.deepEqual(await page.locator('h2').allTextContents(), kFleetViews.map((view) => view.title));
  assert.deepEqual(troubles.splice(0), []);
  await page.context().close();
});

test('fleets with nothing done, without shapes, and of a thousand shapes', options, async (context) => {
  const waiting = sampleFleet();
  Object.assign(waiting, { means: [], machines: [], programs: [], shapes: waiting.shapes.map(({ shape, kernel, sizes }) => ({ shape, state: 'waiting', kernel, sizes, seconds: 0, evaluations: 0 })) });
  const empty = { ...waiting, shapes: [] };
  const many = sampleFleet([64, 96, 128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144, 8192, 9216, 10240, 12288, 14336, 16384, 18432, 20480]);
  for (const fleet of [waiting, empty, many]) {
    const begin = performance.now();
    const page = await open(fleetData(fleet));
    for (const view of kFleetViews) {
      await show(page, view);
      assert.equal(await page.locator('text=This view cannot be shown').count(), 0, view.id);
    }
    context.diagnostic(`${fleet.shapes.length} shapes: all views in ${Math.round(performance.now() - begin)} ms`);
    if (fleet === many) {
      await show(page, kFleetViews[1]);
      await page.screenshot({ path: `${kShots}/fleet-map-many.png`, fullPage: true });
    }
    await page.context().close();
  }
  assert.deepEqual(troubles.splice(0), []);
});

test('100,000 evaluations are shown', options, async (context) => {
  const data = sampleData();
  const [run] = data.runs;
  const count = 100000;
  for (const column of Object.values(run.evals)) for (let i = run.count; i < count; ++i) column.push(column[i % run.count]);
  run.evals.n = run.evals.n.map((_, i) => i + 1);
  run.evals.dt = run.evals.dt.map((_, i) => i / 100);
  for (const decision of run.decisions) decision.column = decision.column.repeat(count / run.count);
  for (const [column, values] of Object.entries(run.evals)) run.evals[column] = { packed: packed(values) };
  for (const decision of run.decisions) decision.column = { packed: packed(decision.column) };
  run.count = count;
  run.decisions = Array.from({ length: 60 }, (_, k) => ({ ...run.decisions[k % 2], name: `size(x${k})` }));
  const begin = performance.now();
  const page = await open(data);
  const times = [`opened in ${Math.round(performance.now() - begin)} ms`];
  for (const view of kViews) {
    const start = performance.now();
    await show(page, view);
    await page.evaluate(() => new Promise((done) => { requestAnimationFrame(() => setTimeout(done)); }));
    times.push(`${view.id} ${Math.round(performance.now() - start)} ms`);
  }
  await page.locator('.rows').evaluate((rows) => { rows.scrollTop = rows.scrollHeight; });
  await page.waitForFunction(() => [...document.querySelectorAll('tbody tr')].length < 100);
  context.diagnostic(times.join(', '));
  assert.deepEqual(troubles.splice(0), []);
  await page.context().close();
});
