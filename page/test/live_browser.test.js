// SPDX-License-Identifier: MIT
//
// The page in a browser while it is told what changes, under the policy that search view gives it. A small server stands in
// for search view. Skipped where browser.test.js is.
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { resolve } from 'node:path';
import { after, before, test } from 'node:test';
import { kFleetViews } from '../views/fleet/list.js';
import { kViews } from '../views/list.js';
import { kTemplate, launch, options, skip } from './browser.js';
import { fleetData, kEvil, sampleFleet, sampleRun } from './sample.js';

const kShots = resolve('screenshots');
let browser;
const troubles = [];

/** As search view answers: the page with a nonce, and events that `say(name, data)` sends to all who listen. */
async function serve(data) {
  const nonce = 'abcdef0123456789';
  const policy = `default-src 'none'; script-src 'nonce-${nonce}'; style-src 'nonce-${nonce}'; connect-src 'self'; img-src data: blob:; `
    + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
  const site = { data, listeners: new Set(), loads: 0 };
  const server = createServer((request, response) => {
    if (request.url.startsWith('/token/events')) {
      response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' });
      response.write('retry: 100\n\n');
      site.listeners.add(response);
      request.on('close', () => site.listeners.delete(response));
      return;
    }
    if (request.url !== '/token/') {
      response.writeHead(404).end();
      return;
    }
    ++site.loads;
    const json = JSON.stringify(site.data).replace(/[<>&\u2028\u2029]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
    response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': policy });
    response.end(readFileSync(kTemplate, 'utf8').replace('<!--title-->', 'live').replace('<style>', `<style nonce="${nonce}">`)
      .replace('<!--data-->', () => json).replace('<script>', `<script nonce="${nonce}">`));
  });
  await new Promise((done) => { server.listen(0, '127.0.0.1', done); });
  site.url = `http://127.0.0.1:${server.address().port}/token/`;
  site.say = (name, what) => site.listeners.forEach((one) => one.write(`id: 1\nevent: ${name}\ndata: ${JSON.stringify(what)}\n\n`));
  site.close = () => new Promise((done) => {
    server.close(done);
    server.closeAllConnections();
  });
  open.sites.push(site);
  site.heard = async () => { while (!site.listeners.size) await new Promise((done) => { setTimeout(done, 10); }); };
  return site;
}

async function open(site) {
  const context = await browser.newContext({ viewport: { width: 1300, height: 950 } });
  const page = await context.newPage();
  page.on('pageerror', (error) => troubles.push(`error: ${error.message}`));
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') troubles.push(`${message.type()}: ${message.text()}`);
  });
  await page.goto(site.url);
  await site.heard();
  return page;
}

/** The first evaluations of a run that goes on, and what is told of others; the texts are hostile. */
function runOf(count) {
  const run = sampleRun(kEvil);
  const cut = (from, to) => Object.fromEntries(Object.entries(run.evals).map(([name, column]) => [name, column.slice(from, to)]));
  const data = {
    v: 3, made: '2026-01-31T13:00:00Z', live: { place: '1:1', state: 'running', text: '' },
    runs: [{ ...run, count, evals: cut(0, count), end: null, references: [], bests: run.bests.slice(0, 1), decisions: run.decisions.map((one) => ({ ...one, column: one.column.slice(0, count) })) }],
  };
  const news = (from, to, more = {}, state = { place: '1:2', state: 'running', text: '' }) => ({
    run: { from, count: to, evals: cut(from, to), verdicts: run.verdicts, reasons: [], reasonsLeftOut: 0, decisions: [], decisionsLeftOut: 0,
      pieces: run.decisions.map((one) => one.column.slice(from, to)), bests: run.bests, ...more }, state,
  });
  return { run, data, news };
}

open.sites = [];

const said = (page, text) => page.waitForFunction((words) => document.querySelector('.live').textContent.includes(words), text, { timeout: 15000 });

before(async () => {
  if (skip) return;
  mkdirSync(kShots, { recursive: true });
  browser = await launch();
});
after(async () => {
  await browser?.close();
  await Promise.all(open.sites.map((site) => site.close()));
});

test('a run goes on: the timeline follows, other views offer it, and nothing breaks the policy', options, async () => {
  const { run, data, news } = runOf(20);
  const site = await serve(data);
  const page = await open(site);
  await said(page, 'running');
  await said(page, '20 evaluations');
  const dots = () => page.evaluate(() => window.exhaust.parts[0].chart.getOption().series.reduce((sum, one) => sum + one.data.length, 0));
  const before = await dots();
  // A person has zoomed into the chart: it stays so.
  await page.evaluate(() => window.exhaust.parts[0].chart.dispatchAction({ type: 'dataZoom', start: 20, end: 60 }));
  site.say('news', news(20, 30));
  await said(page, '30 evaluations');
  await page.waitForFunction((least) => window.exhaust.parts[0].chart.getOption().series.reduce((sum, one) => sum + one.data.length, 0) > least, before);
  assert.deepEqual(await page.evaluate(() => window.exhaust.parts[0].chart.getOption().dataZoom.map((one) => [one.start, one.end])[0]), [20, 60]);
  assert.ok(await page.locator('.live button >> nth=0').isHidden(), 'the timeline needs no button');
  await page.screenshot({ path: `${kShots}/live-timeline.png`, fullPage: true });
  for (const view of kViews) {
    await page.click(`nav a[href="#${view.id}"]`);
    await page.waitForFunction((title) => document.querySelector('h2')?.textContent === title, view.title);
    assert.equal(await page.locator('text=This view cannot be shown').count(), 0, view.id);
  }
  // The table does not jump under the reader's eyes.
  assert.equal(await page.textContent('.bar .note'), '30 of 30 evaluations');
  site.say('news', news(30, 40));
  await said(page, 'Show 10 more');
  assert.equal(await page.textContent('.bar .note'), '30 of 30 evaluations');
  await page.screenshot({ path: `${kShots}/live-table.png` });
  await page.click('.live button >> nth=0');
  assert.equal(await page.textContent('.bar .note'), '40 of 40 evaluations');
  site.say('news', news(40, 40, { end: run.end, winner: run.winner, references: run.references, numProblems: 2 }, { place: '1:3', state: 'ended', text: '' }));
  await said(page, 'ended: budget:time');
  await said(page, '2 lines of the log are damaged');
  await page.keyboard.press('u');
  assert.ok(await page.locator('.live button >> nth=0').isHidden());
  const loads = site.loads;
  await page.click('text=Show the report');
  await page.waitForFunction(() => document.querySelector('.live').textContent.includes('running'));
  assert.equal(site.loads, loads + 1);
  assert.equal(await page.evaluate(() => window.broken), undefined, 'text of a log ran');
  assert.equal(await page.locator('img').count(), 0);
  assert.deepEqual(troubles.splice(0), []);
  await page.context().close();
});

test('a run that has not evaluated anything yet', options, async () => {
  const { data, news } = runOf(0);
  data.runs[0].decisions = [];
  data.runs[0].bests = [];
  const site = await serve(data);
  const page = await open(site);
  for (const view of kViews) {
    await page.click(`nav a[href="#${view.id}"]`);
    await page.waitForFunction((title) => document.querySelector('h2')?.textContent === title, view.title);
    assert.equal(await page.locator('text=Nothing was evaluated yet.').count(), view.id === 'run' ? 0 : 1, view.id);
  }
  const first = news(0, 12);
  first.run.pieces = [];
  site.say('news', first);
  await page.waitForFunction(() => document.querySelectorAll('tbody tr').length >= 12);
  assert.deepEqual(troubles.splice(0), []);
  await page.context().close();
});

test('trouble, another log, a lost connection, and the end of search view', options, async () => {
  const { data, news } = runOf(20);
  const site = await serve(data);
  const page = await open(site);
  site.say('news', news(20, 20, {}, { place: '1:2', state: 'trouble', text: `the log is gone ${kEvil}` }));
  await said(page, `the log cannot be read: the log is gone ${kEvil}`);
  assert.ok(await page.locator('.live.warning').count());
  await page.screenshot({ path: `${kShots}/live-trouble.png` });
  site.data = runOf(10).data;
  const loads = site.loads;
  site.say('anew', {});
  await said(page, '10 evaluations');
  assert.equal(site.loads, loads + 1);
  await site.heard();
  [...site.listeners].forEach((one) => one.destroy());
  await said(page, 'not connected');
  await said(page, 'running');
  await site.heard();
  site.say('full', { most: 8 });
  await said(page, 'as many browsers');
  site.say('bye', {});
  await said(page, 'search view has ended');
  troubles.splice(0); // A browser says that it lost a connection.
  await page.context().close();
});

test('a fleet goes on', options, async () => {
  const site = await serve({ ...fleetData(sampleFleet([64, 128])), live: { place: '1', state: 'running', text: '' } });
  const page = await open(site);
  await said(page, '6 done');
  const running = page.locator('ul a');
  assert.equal(await running.getAttribute('href'), './run/matmul-m64-n128-k64/');
  const fleet = sampleFleet([64, 128]);
  fleet.counts = { done: 9, running: 0, waiting: 0, failed: 0 };
  fleet.shapes[2].state = 'done';
  site.say('news', { fleet, state: { place: '2', state: 'running', text: '' } });
  await said(page, '9 done');
  await page.waitForFunction(() => document.querySelector('.summary').textContent.startsWith('9 done'));
  assert.equal(await page.locator('ul a').count(), 0);
  for (const view of kFleetViews) {
    await page.click(`nav a[href="#${view.id}"]`);
    await page.waitForFunction((title) => document.querySelector('h2')?.textContent === title, view.title);
  }
  await page.screenshot({ path: `${kShots}/live-fleet.png` });
  assert.deepEqual(troubles.splice(0), []);
  await page.context().close();
});
