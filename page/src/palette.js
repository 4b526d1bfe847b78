// SPDX-License-Identifier: MIT
//
// Colours that people with any kind of colour blindness tell apart (Okabe and Ito), and for each
// verdict a shape as well: no meaning is in a colour alone.

export const kColours = {
  blue: '#0072B2', orange: '#E69F00', green: '#009E73', vermillion: '#D55E00',
  sky: '#56B4E9', purple: '#CC79A7', yellow: '#F0E442', grey: '#8a8a8a',
};

const kRuns = ['blue', 'orange', 'green', 'purple', 'sky', 'grey'];

/** The same, bright enough for a dark ground. */
const kRunsInTheDark = ['#56B4E9', '#E69F00', '#20c196', '#CC79A7', '#F0E442', '#b4b4b4'];

/** The colour of run number `i`. */
export function runColour(i, isDark) {
  return isDark ? kRunsInTheDark[i % kRunsInTheDark.length] : kColours[kRuns[i % kRuns.length]];
}

const kCross = 'path://M0,2L2,0L5,3L8,0L10,2L7,5L10,8L8,10L5,7L2,10L0,8L3,5Z';
/** A circle with nothing in it, in both themes. */
export const kRing = 'path://M5,0A5,5,0,1,1,4.99,0ZM5,2A3,3,0,1,0,5.01,2Z';
const kVerdicts = {
  correct: ['blue', 'circle'],
  slow: ['grey', 'circle'],
  idle: ['grey', kRing],
  wrong: ['vermillion', kCross],
  compile_error: ['orange', 'triangle'],
  compile_timeout: ['yellow', 'triangle'],
  spills: ['sky', 'arrow'],
  crash: ['purple', 'diamond'],
  timeout: ['sky', 'rect'],
  impossible: ['vermillion', 'pin'],
  unchecked: ['yellow', 'circle'],
  refused: ['grey', 'triangle'],
  internal: ['vermillion', 'triangle'],
  broken: ['grey', kCross],
};

/** Colour and shape of a verdict. */
export function verdictMark(verdict) {
  const [colour, symbol] = kVerdicts[verdict] ?? ['grey', 'roundRect'];
  return { colour: kColours[colour], symbol };
}

/** From slow to fast, where the ground is light: its lightness falls evenly (cividis). */
const kSpeeds = ['#fee838', '#d3c064', '#a59c74', '#7c7b78', '#575c6d', '#31446b', '#00224e'];

/** Black or white, whatever is read better on a colour "#rrggbb". */
export function inkOn(colour) {
  const [red, green, blue] = [1, 3, 5].map((at) => parseInt(colour.slice(at, at + 2), 16));
  return 0.3 * red + 0.59 * green + 0.11 * blue < 128 ? '#ffffff' : '#111111';
}

/** The colour of a share from 0 (slow) to 1 (fast). */
export function speedColour(share, isDark) {
  const colours = speeds(isDark);
  return colours[Math.max(0, Math.min(colours.length - 1, Math.floor(share * colours.length)))];
}

/** From slow to fast: what is fast stands out most from the ground. */
export function speeds(isDark) {
  return isDark ? [...kSpeeds].reverse() : kSpeeds;
}
