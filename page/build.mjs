// SPDX-License-Identifier: MIT
//
// Makes one file of HTML out of page.html, style.css and the modules: node build.mjs OUT.
import { readFileSync, writeFileSync, renameSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { build } from 'esbuild';

const out = process.argv[2];
if (!out) throw new Error('node build.mjs OUT: where shall the page be written?');

const bundled = await build({
  entryPoints: ['src/main.js'],
  bundle: true,
  minify: true,
  write: false,
  format: 'iife',
  target: 'es2020',
  charset: 'utf8',
  legalComments: 'inline',
});
const script = bundled.outputFiles[0].text;
const style = readFileSync('src/style.css', 'utf8');

// What ends a script or a style early would break every page: better no page than such a one.
for (const [name, text, ends] of [
  ['script', script, /<\/script|<!--/i],
  ['style', style, /<\/style/i],
]) {
  const found = text.match(ends);
  if (found) throw new Error(`the ${name} holds '${found[0]}', which ends it early`);
}

let page = readFileSync('page.html', 'utf8');
for (const [place, text] of [['/*style*/', style], ['/*script*/', script]]) {
  if (page.split(place).length !== 2) throw new Error(`page.html must have one ${place}`);
  page = page.replace(place, () => text);
}
mkdirSync(dirname(out), { recursive: true });
writeFileSync(`${out}.new`, page);
renameSync(`${out}.new`, out);
console.log(`${out}: ${Math.round(page.length / 1024)} KB`);
