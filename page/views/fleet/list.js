// SPDX-License-Identifier: MIT
//
// The views of a fleet, in the order in which the page offers them.
import { fleetFailures } from './failures.js';
import { mapView } from './map.js';
import { overview } from './overview.js';
import { shapesView } from './shapes.js';

export const kFleetViews = [overview, mapView, shapesView, fleetFailures];
