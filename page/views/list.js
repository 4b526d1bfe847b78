// SPDX-License-Identifier: MIT
//
// The views, in the order in which the page offers them.
import { deadEnds } from './dead_ends.js';
import { failures } from './failures.js';
import { runView } from './run.js';
import { tableView } from './table.js';
import { timeline } from './timeline.js';

export const kViews = [timeline, failures, deadEnds, runView, tableView];
