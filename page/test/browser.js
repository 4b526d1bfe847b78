// SPDX-License-Identifier: MIT
//
// The browser of the tests, where there is one.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';

/** What ./exh report-assets has made. */
export const kTemplate = resolve('../report-assets/report.html');

function findBrowser() {
  for (const name of ['chromium', 'chromium-browser', 'google-chrome']) {
    try {
      return execFileSync('which', [name], { stdio: ['ignore', 'pipe', 'ignore'] }).toString().trim();
    } catch { /* The next one. */ }
  }
  return null;
}

const executablePath = findBrowser();
const isOld = Number(process.versions.node.split('.')[0]) < 20;
export const skip = !executablePath ? 'there is no Chromium' : isOld ? 'Playwright needs Node.js 20' : !existsSync(kTemplate) ? './exh report-assets has made no page' : false;
export const options = { skip, timeout: 120000 };

export async function launch(args = []) {
  const { chromium } = await import('playwright-core');
  return chromium.launch({ executablePath, args: ['--no-sandbox', ...args] });
}
