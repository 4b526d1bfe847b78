// SPDX-License-Identifier: MIT
//
// The browser of ./exh bench view: node view_page.mjs URL FIRST LAST VIEW [PICTURE]. It says "loaded" when the page has FIRST evaluations, and
// what it found when the page has shown LAST. It ends when its input has a line.
import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';

const [url, first, last, view, picture] = process.argv.slice(2);
const require = createRequire(resolve(import.meta.dirname ?? new URL('.', import.meta.url).pathname, '../../../build/page/package.json'));
const { chromium } = require('playwright-core');
const browser = await chromium.launch({ executablePath: execFileSync('which', ['chromium']).toString().trim(), args: ['--no-sandbox'] });
const page = await (await browser.newContext({ viewport: { width: 1300, height: 950 } })).newPage();
page.on('pageerror', (error) => console.error(error.message));

/** Processes that draw pages, and what such a one has used of the processor, in seconds. */
function drawing() {
  return readdirSync('/proc').filter((name) => /^\d+$/.test(name)).filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('--type=renderer');
    } catch {
      return false;
    }
  });
}
const used = (pid) => {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
};
const memory = (pid) => Number(readFileSync(`/proc/${pid}/status`, 'utf8').match(/VmHWM:\s+(\d+)/)?.[1] ?? 0) / 1024;

await page.goto(`${url}#${view}`);
await page.waitForFunction((count) => window.exhaust?.runs[0].count >= count, Number(first), { timeout: 300000 });
await page.evaluate(() => {
  const found = { frames: [], task: 0, draws: [] };
  window.found = found;
  let before = performance.now();
  const frame = (now) => {
    found.frames.push(now - before);
    before = now;
    requestAnimationFrame(frame);
  };
  requestAnimationFrame(frame);
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) found.task = Math.max(found.task, entry.duration);
  }).observe({ entryTypes: ['longtask'] });
  const refresh = window.exhaust.refresh.bind(window.exhaust);
  window.exhaust.refresh = () => {
    const begin = performance.now();
    refresh();
    found.draws.push(performance.now() - begin);
  };
});
// The process of the page is the largest of those that draw pages.
const [own] = drawing().sort((a, b) => memory(b) - memory(a));
const usedBefore = used(own);
console.log('loaded');
await page.waitForFunction((count) => window.exhaust.runs[0].count >= count && !(window.exhaust.followsByItself && window.exhaust.isStale), Number(last), { timeout: 600000 });
const found = await page.evaluate(() => {
  const frames = window.found.frames.slice(2).sort((a, b) => a - b);
  return {
    frames: frames.length, seconds: frames.reduce((sum, one) => sum + one, 0) / 1000, p99: frames[Math.floor(0.99 * (frames.length - 1))],
    longest: frames.at(-1), task: window.found.task, draws: window.found.draws.length, draw: Math.max(0, ...window.found.draws),
  };
});
found.used = used(own) - usedBefore;
const session = await page.context().newCDPSession(page);
await session.send('Performance.enable');
await session.send('HeapProfiler.collectGarbage');
const { metrics } = await session.send('Performance.getMetrics');
found.heap = metrics.find((one) => one.name === 'JSHeapUsedSize').value / 2 ** 20;
found.process = memory(own);
if (picture) await page.screenshot({ path: picture });
console.log(JSON.stringify(found));
await new Promise((done) => { process.stdin.once('data', done); });
await browser.close();
process.exit(0);
