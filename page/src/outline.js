// SPDX-License-Identifier: MIT
//
// The loops of an implementation, from indented text with a node on each line:
//   block load_a.m2+mad.m2:16
//     exec load_a

/** {kind, names, size, children} of the root. */
export function parseOutline(text) {
  const root = { kind: 'root', names: [], size: 1, children: [] };
  const open = [root];
  for (const line of text.split('\n')) {
    const words = line.trim();
    if (!words || words === 'root') continue;
    const depth = (line.length - line.trimStart().length) / 2;
    const space = words.indexOf(' ');
    const kind = space < 0 ? words : words.slice(0, space);
    const rest = space < 0 ? '' : words.slice(space + 1);
    const match = rest.match(/^(.*):(\d+)$/);
    const node = {
      kind, names: (match ? match[1] : rest).split('+'), size: match ? Number(match[2]) : 1, children: [],
    };
    open.length = Math.max(1, depth);
    open[open.length - 1].children.push(node);
    open.push(node);
  }
  return root;
}

/** Without loops of one iteration: what is in them stands in their place. */
export function withoutSingles(node) {
  const children = node.children.map(withoutSingles)
    .flatMap((child) => (child.size === 1 && child.children.length && /^(block|loop|unroll|vector)$/.test(child.kind) ? child.children : [child]));
  return { ...node, children };
}
