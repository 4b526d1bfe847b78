// SPDX-License-Identifier: MIT
//
// The shapes of a fleet that failed, by reason.
import { el, table } from '../../src/dom.js';
import * as format from '../../src/format.js';
import { kindOf } from '../failures.js';

const kMostNames = 50;

/** Shapes by what their reasons have in common: {kind, example, shapes}, the most frequent first. */
export function failureGroups(fleet) {
  const groups = new Map();
  for (const shape of fleet.failures) {
    const kind = kindOf(shape.why ?? '');
    if (!groups.has(kind)) groups.set(kind, { kind, example: shape.why ?? '', shapes: [] });
    groups.get(kind).shapes.push(shape);
  }
  return [...groups.values()].sort((a, b) => b.shapes.length - a.shapes.length);
}

export const fleetFailures = {
  id: 'failures',
  title: 'Failures',
  help: 'Shapes that failed, by reason; numbers in reasons are left out when they are compared. search tune goes on with them.',
  render(host, page) {
    const groups = failureGroups(page.fleet);
    if (!groups.length) {
      host.append(el('p', {}, 'No shape failed.'));
      return [];
    }
    const names = (shapes) => {
      const shown = shapes.slice(0, kMostNames).map((shape) => shape.shape).join(', ');
      return shapes.length > kMostNames ? `${shown} and ${format.count(shapes.length - kMostNames)} more` : shown;
    };
    host.append(table(['reason', { title: 'shapes', number: true }, 'which', 'what they printed'], groups.map(({ example, shapes }) => [
      example, format.count(shapes.length), names(shapes), `${page.fleet.folder}/tune/output/${shapes[0].shape}.txt`])));
    return [];
  },
};
