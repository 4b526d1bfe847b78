// SPDX-License-Identifier: MIT
//
// What a run is of: a kernel, or a program of a user, whose text in the log is JSON (search/own/own_text.h).

/** {files: [{path, text}], data, program, kernel} of a program of a user; null of everything else. */
export function programOf(header) {
  if (header.subject !== 'own') return null;
  try {
    const own = JSON.parse(header.text);
    return Array.isArray(own.files) ? own : null;
  } catch {
    return null;
  }
}

/** "matmul m=64 on cpu"; of a program of a user the name of its space and the sizes: what it runs on the log does not know. */
export function titleOf(header) {
  const name = `${header.kernel} ${header.sizes}`.trim();
  return header.device === 'program' ? name : `${name} on ${header.device}`;
}

const kCommands = [
  ['built by', 'build'], ['measured by', 'run'], ['measured by a server', 'serve'], ['what is none is said by', 'filter'],
];

/** Facts [name, value] of the program: its commands, or its kernel. */
export function programFacts(own) {
  const program = own.program ?? {};
  const facts = kCommands.map(([name, key]) => [name, program[key] ?? '']);
  facts.push(['a time without a verdict', program.trust_times ? 'counts as correct' : ''], ['programs at once', program.at_once > 1 ? String(program.at_once) : '']);
  if (own.kernel?.path) facts.push(['kernel', `${own.kernel.entry} of ${own.kernel.path}`], ['type', own.kernel.type ?? '']);
  return facts.filter(([, value]) => value);
}

/** Files [name, text] that the log keeps of it. */
export function programFiles(own) {
  const files = own.files.map((file) => [file.path, file.text]);
  if (own.data) files.push(['the data', own.data]);
  if (own.kernel?.path) files.push([own.kernel.path, own.kernel.text]);
  if (own.kernel?.launch) files.push([own.kernel.launch_path || 'how it is launched', own.kernel.launch]);
  return files;
}
