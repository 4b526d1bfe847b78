// SPDX-License-Identifier: MIT
//
// The decisions of a run by prefix, and where each prefix stands in a picture: a column per
// decision, and as much height as it has visits.

const kStates = ['open', 'dead end', 'done', 'cut'];

/** The tree of a run: children by node, most visited first. Nothing for a run without one. */
export class Prefixes {
  constructor(json) {
    this.json = json;
    this.size = json.parent.length;
    this.children = Array.from({ length: this.size }, () => []);
    for (let node = 1; node < this.size; ++node) this.children[json.parent[node]].push(node);
    for (const list of this.children) list.sort((a, b) => json.visits[b] - json.visits[a]);
    /** Prefixes below each node that are in the log and not in this page. */
    this.below = Float64Array.from(json.hidden);
    for (let node = this.size - 1; node > 0; --node) this.below[json.parent[node]] += 1 + this.below[node];
  }

  name(node) {
    return node === 0 ? 'all' : this.json.names[this.json.step[node]];
  }

  state(node) {
    return kStates[this.json.state[node]];
  }

  /** From the first node to this one. */
  pathTo(node) {
    const path = [];
    for (let at = node; at >= 0; at = this.json.parent[at]) path.push(at);
    return path.reverse();
  }

  /**
   * Boxes of what lies below `top`: {node, depth, from, to}, in visits; those with the most visits, `most` at
   * most and none of less than `least`. Where children of a node are not drawn, {node, depth, from, to, others}
   * stands for all of them.
   */
  layout(top, most, least, depths = 12) {
    const boxes = [];
    // The largest first: what is open is sorted by visits.
    const open = new Heap((a, b) => this.json.visits[b.node] - this.json.visits[a.node]);
    open.push({ node: top, depth: 0, from: 0, to: this.json.visits[top] });
    let drawn = 0;
    while (open.size && drawn < most) {
      const box = open.pop();
      boxes.push(box);
      ++drawn;
      if (box.depth + 1 >= depths) continue;
      let from = box.from;
      let others = 0;
      let visits = 0;
      for (const child of this.children[box.node]) {
        const own = this.json.visits[child];
        if (own < least) {
          others += 1 + this.below[child];
          visits += own;
          continue;
        }
        open.push({ node: child, depth: box.depth + 1, from, to: from + own });
        from += own;
      }
      others += this.json.hidden[box.node];
      if (others && drawn < most) {
        boxes.push({ node: box.node, depth: box.depth + 1, from, to: Math.max(from + visits, Math.min(box.to, from + others)), others });
        ++drawn;
      }
    }
    // What is left open stands as one box for each parent.
    const left = new Map();
    while (open.size) {
      const box = open.pop();
      const parent = this.json.parent[box.node];
      const sum = left.get(parent) ?? { node: parent, depth: box.depth, from: box.from, to: box.to, others: 0 };
      sum.from = Math.min(sum.from, box.from);
      sum.to = Math.max(sum.to, box.to);
      sum.others += 1 + this.below[box.node];
      left.set(parent, sum);
    }
    return { boxes, left: [...left.values()] };
  }
}

/** The smallest first, by `compare`. */
class Heap {
  constructor(compare) {
    this.compare = compare;
    this.items = [];
  }

  get size() {
    return this.items.length;
  }

  push(item) {
    const { items } = this;
    let at = items.length;
    items.push(item);
    while (at > 0) {
      const above = (at - 1) >> 1;
      if (this.compare(items[above], item) <= 0) break;
      items[at] = items[above];
      at = above;
    }
    items[at] = item;
  }

  pop() {
    const { items } = this;
    const first = items[0];
    const last = items.pop();
    if (items.length) {
      let at = 0;
      for (;;) {
        let below = 2 * at + 1;
        if (below >= items.length) break;
        if (below + 1 < items.length && this.compare(items[below + 1], items[below]) < 0) ++below;
        if (this.compare(last, items[below]) <= 0) break;
        items[at] = items[below];
        at = below;
      }
      items[at] = last;
    }
    return first;
  }
}
