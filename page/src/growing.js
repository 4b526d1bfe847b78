// SPDX-License-Identifier: MIT
//
// Columns of a run that goes on. What comes is put aside and taken in when a view asks for the column,
// so that a batch costs as little as it holds, however long the columns are. It knows nothing of elements.
import { valueOf } from './characters.js';

/** So many pieces become one: a column that nobody looks at must not be a heap of crumbs. */
const kMostPieces = 1000;

/** Numbers that come piece by piece. `make` gives those there are at first, `count` of them or none. */
export class GrowingNumbers {
  constructor(Type, count, make) {
    this.Type = Type;
    this.count = count;
    this.make = make;
    this.pieces = [];
    this.waiting = 0;
  }

  /** So many more; `values` are theirs, or undefined: all of them are 0. */
  append(values, count) {
    this.pieces.push([values, count]);
    this.waiting += count;
    if (this.pieces.length < kMostPieces) return;
    const all = new this.Type(this.waiting);
    this.fill(all, 0);
    this.pieces = [[all, this.waiting]];
  }

  /** All of them, as a typed array that is right until the next piece comes. */
  get values() {
    if (this.view && !this.waiting) return this.view;
    if (!this.space) this.begin(this.make());
    if (this.waiting) this.takeIn();
    this.view = this.space.subarray(0, this.count);
    return this.view;
  }

  begin(values) {
    this.space = new this.Type(this.count);
    if (values) this.space.set(values);
  }

  /** Puts the pieces into an array of zeros. */
  fill(array, at) {
    for (const [values, length] of this.pieces) {
      if (values) array.set(values, at);
      at += length;
    }
  }

  takeIn() {
    const count = this.count + this.waiting;
    if (count > this.space.length) {
      const larger = new this.Type(Math.max(1024, count, 2 * this.space.length));
      larger.set(this.space.subarray(0, this.count));
      this.space = larger;
    }
    this.fill(this.space, this.count);
    this.count = count;
    this.pieces = [];
    this.waiting = 0;
  }
}

/** Pieces of a column as one: characters, unless one of them has numbers. */
function joined(pieces) {
  if (pieces.every((piece) => typeof piece === 'string')) return pieces.join('');
  return pieces.flatMap((piece) => (typeof piece === 'string' ? Array.from(piece, (c) => valueOf(c.charCodeAt(0))) : piece));
}

/** The column of a decision: characters, or numbers where a value has none. */
export class GrowingDecision {
  constructor(make) {
    this.make = make;
    this.pieces = [];
  }

  append(piece) {
    this.pieces.push(piece);
    if (this.pieces.length >= kMostPieces) this.pieces = [joined(this.pieces)];
  }

  get column() {
    this.all ??= this.make();
    if (this.pieces.length) {
      this.all = joined([this.all, ...this.pieces]);
      this.pieces = [];
    }
    return this.all;
  }
}
