// SPDX-License-Identifier: MIT
//
// The views, in the order in which the page offers them.
import { boundsView } from './bounds.js';
import { deadEnds } from './dead_ends.js';
import { effectsView } from './effects.js';
import { failures } from './failures.js';
import { memoryView } from './memory.js';
import { parallelView } from './parallel.js';
import { rooflineView } from './roofline.js';
import { runView } from './run.js';
import { tableView } from './table.js';
import { timeline } from './timeline.js';
import { treeView } from './tree.js';
import { winnerView } from './winner.js';

export const kViews = [timeline, winnerView, rooflineView, memoryView, parallelView, effectsView, treeView, boundsView, failures, deadEnds, runView, tableView];
