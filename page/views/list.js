// SPDX-License-Identifier: MIT
//
// The views, in the order in which the page offers them.
import { boundsView } from './bounds.js';
import { deadEnds } from './dead_ends.js';
import { effectsView } from './effects.js';
import { failures } from './failures.js';
import { parallelView } from './parallel.js';
import { runView } from './run.js';
import { tableView } from './table.js';
import { timeline } from './timeline.js';
import { winnerView } from './winner.js';

export const kViews = [timeline, winnerView, parallelView, effectsView, boundsView, failures, deadEnds, runView, tableView];
