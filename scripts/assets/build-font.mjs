import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import opentype from 'opentype.js';

/**
 * Writes fixtures/font/outlines.txt from Noto Sans SemiBold; the README next to it describes the format.
 * Curves are already broken into short lines.
 */
const SUBSETS = ['latin', 'latin-ext', 'vietnamese', 'greek', 'cyrillic'];
const require = createRequire(import.meta.url);
const folder = new URL('../../fixtures/font/', import.meta.url);
const glyphs = new Map();

for (const subset of SUBSETS) addSubset(subset);
const codes = [...glyphs.keys()].sort((one, other) => one - other);
const lines = codes.map((code) => `${code} ${glyphs.get(code)}`);
writeFileSync(new URL('outlines.txt', folder), `${lines.join('\n')}\n`);
copyFileSync(require.resolve('@fontsource/noto-sans/LICENSE'), new URL('LICENSE', folder));
console.log(`${codes.length} glyphs`);

function addSubset(subset) {
  const file = require.resolve(`@fontsource/noto-sans/files/noto-sans-${subset}-600-normal.woff`);
  const font = opentype.parse(readFileSync(file).buffer);
  for (let index = 0; index < font.glyphs.length; index++) {
    const glyph = font.glyphs.get(index);
    for (const code of glyph.unicodes) {
      if (code > 32 && !glyphs.has(code)) glyphs.set(code, outline(glyph, font.unitsPerEm));
    }
  }
}

function outline(glyph, unitsPerEm) {
  const scale = (value) => Math.round((value * 1000) / unitsPerEm);
  const contours = [];
  for (const step of glyph.getPath(0, 0, unitsPerEm).commands) addStep(contours, step);
  const drawn = contours.map((points) => deltas(points.map(scale)));
  return [scale(glyph.advanceWidth), ...drawn].join(';');
}

function deltas(points) {
  const kept = [];
  let [x, y] = [0, 0];
  for (let at = 0; at < points.length; at += 2) {
    const step = [points[at] - x, points[at + 1] - y];
    if (at > 0 && step[0] === 0 && step[1] === 0) continue;
    kept.push(...step);
    [x, y] = [points[at], points[at + 1]];
  }
  return kept.join(' ');
}

function addStep(contours, step) {
  if (step.type === 'Z') return;
  if (step.type === 'M') contours.push([]);
  const points = contours.at(-1);
  if (step.type === 'M' || step.type === 'L') return void points.push(step.x, step.y);
  const [x, y] = points.slice(-2);
  const parts = Math.max(2, Math.ceil(Math.hypot(step.x - x, step.y - y) / 90));
  for (let part = 1; part <= parts; part++) points.push(...along([x, y], step, part / parts));
}

function along([x, y], step, t) {
  const s = 1 - t;
  if (step.type === 'Q') {
    return [s * s * x + 2 * s * t * step.x1 + t * t * step.x, s * s * y + 2 * s * t * step.y1 + t * t * step.y];
  }
  const [a, b, c, d] = [s * s * s, 3 * s * s * t, 3 * s * t * t, t * t * t];
  return [a * x + b * step.x1 + c * step.x2 + d * step.x, a * y + b * step.y1 + c * step.y2 + d * step.y];
}
