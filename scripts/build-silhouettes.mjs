import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import svgpath from 'svgpath';

/**
 * Writes fixtures/lexicon/silhouettes.txt from two icon packages; the README beside it tells format and licences.
 * A name stands for itself in the package, or is `name=other` where the package calls it otherwise.
 */
const SOURCES = {
  '@fortawesome/fontawesome-free/svgs/solid/': 'church fish guitar leaf seedling tree umbrella=umbrella-beach',
  '@mdi/svg/svg/':
    'cactus coral=sprout palm=palm-tree penguin pine=pine-tree pine-tall=pine-tree-variant telescope tulip=flower-tulip poppy=flower-poppy violin',
};
const BOX = 1000;
const require = createRequire(import.meta.url);
const shapes = new Map();

for (const [folder, names] of Object.entries(SOURCES)) {
  for (const entry of names.split(' ')) addShape(folder, ...entry.split('='));
}
const lines = [...shapes.keys()].sort().map((name) => `${name} ${shapes.get(name)}`);
writeFileSync(new URL('../fixtures/lexicon/silhouettes.txt', import.meta.url), `${lines.join('\n')}\n`);
console.log(`${lines.length} silhouettes`);

function addShape(folder, name, other = name) {
  let svg;
  try {
    svg = readFileSync(require.resolve(`${folder}${other}.svg`), 'utf8');
  } catch {
    return void console.log(`missing: ${other}`);
  }
  const drawn = [...svg.matchAll(/ d="([^"]+)"/g)].map((match) => match[1]).join(' ');
  shapes.set(name, text(placed(contoursOf(drawn))));
}

function contoursOf(drawn) {
  const contours = [];
  let [x, y] = [0, 0];
  svgpath(drawn)
    .abs()
    .unarc()
    .unshort()
    .iterate(([kind, ...values], _index, fromX, fromY) => {
      [x, y] = [fromX, fromY];
      if (kind === 'M') contours.push([...values]);
      if (kind === 'L') contours.at(-1).push(...values);
      if (kind === 'H') contours.at(-1).push(values[0], y);
      if (kind === 'V') contours.at(-1).push(x, values[0]);
      if (kind === 'C' || kind === 'Q') contours.at(-1).push(...curve([x, y], values));
    });
  return contours.filter((points) => points.length > 4);
}

function curve([x, y], values) {
  const [endX, endY] = values.slice(-2);
  const [x1, y1, x2, y2] = values.length === 6 ? values : cubic([x, y], values);
  const points = [];
  for (const t of [0.2, 0.4, 0.6, 0.8, 1]) {
    const s = 1 - t;
    const [a, b, c, d] = [s * s * s, 3 * s * s * t, 3 * s * t * t, t * t * t];
    points.push(a * x + b * x1 + c * x2 + d * endX, a * y + b * y1 + c * y2 + d * endY);
  }
  return points;
}

function cubic([x, y], [cx, cy, endX, endY]) {
  const near = (from, control) => from + ((control - from) * 2) / 3;
  return [near(x, cx), near(y, cy), near(endX, cx), near(endY, cy)];
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
