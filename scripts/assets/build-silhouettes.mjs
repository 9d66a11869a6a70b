import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import svgpath from 'svgpath';
import { contoursOf } from './svg-contours.mjs';

/**
 * Writes fixtures/lexicon/silhouettes.txt from two icon packages; the README next to it gives format and licences.
 * A name stands for itself in the package, or is `name=other` where the package calls it otherwise.
 */
const SOURCES = {
  '@fortawesome/fontawesome-free/svgs/solid/': 'church fish guitar leaf seedling tree umbrella=umbrella-beach',
  '@mdi/svg/svg/':
    'cactus coral=sprout palm=palm-tree penguin pine=pine-tree pine-tall=pine-tree-variant telescope tulip=flower-tulip poppy=flower-poppy violin',
};
const BOX = 1000;
const LINES_A_CURVE = 5;
const require = createRequire(import.meta.url);
const shapes = new Map();

for (const [folder, names] of Object.entries(SOURCES)) {
  for (const entry of names.split(' ')) addShape(folder, ...entry.split('='));
}
const lines = [...shapes.keys()].sort().map((name) => `${name} ${shapes.get(name)}`);
writeFileSync(new URL('../../fixtures/lexicon/silhouettes.txt', import.meta.url), `${lines.join('\n')}\n`);
console.log(`${lines.length} silhouettes`);

function addShape(folder, name, other = name) {
  let svg;
  try {
    svg = readFileSync(require.resolve(`${folder}${other}.svg`), 'utf8');
  } catch {
    return void console.log(`missing: ${other}`);
  }
  const drawn = [...svg.matchAll(/ d="([^"]+)"/g)].map((match) => match[1]).join(' ');
  shapes.set(name, text(placed(contoursOf(svgpath(drawn), () => LINES_A_CURVE))));
}

/** Scaled so that the longer side is 1000, standing on y = 0 and centred on x = 0. */
function placed(contours) {
  const all = contours.flat();
  const xs = all.filter((_, at) => at % 2 === 0);
  const ys = all.filter((_, at) => at % 2 === 1);
  const [left, right] = [Math.min(...xs), Math.max(...xs)];
  const [top, bottom] = [Math.min(...ys), Math.max(...ys)];
  const scale = BOX / Math.max(right - left, bottom - top);
  const middle = (left + right) / 2;
  return contours.map((points) => points.map((v, at) => Math.round((at % 2 === 0 ? v - middle : v - bottom) * scale)));
}

function text(contours) {
  return contours.map((points) => points.join(' ')).join(';');
}
