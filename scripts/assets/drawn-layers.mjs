import svgpath from 'svgpath';
import { contoursOf } from './svg-contours.mjs';
import { varint, zigzag } from './varint.mjs';

/** Longer side of a figure in its own units. */
const BOX = 512;
/** How far a straight line may be from its curve, in pixels of the drawing, which is 32 wide. */
const TOLERANCE = 0.022;

/**
 * The filled shapes of an SVG drawing from back to front: a colour each, and bytes: number of contours, and for each the
 * number of its points and the steps from point to point. All numbers are varints, steps are zigzag.
 */
export function drawnLayers(body) {
  const layers = [...body.matchAll(/<(path|ellipse|circle|rect)\b([^>]*)>/g)]
    .map(([, tag, attributes]) => layerOf(tag, attributes, body))
    .filter((layer) => layer !== undefined && layer.contours.length > 0);
  const place = placing(layers.flatMap(({ contours }) => contours));
  const bytes = layers.flatMap(({ contours }) => {
    const placed = contours.map(place).filter((points) => points.length > 4);
    return [...varint(placed.length), ...placed.flatMap(contourBytes)];
  });
  return { fills: layers.map(({ fill }) => fill), bytes: Buffer.from(bytes) };
}

function layerOf(tag, attributes, body) {
  const given = Object.fromEntries(
    [...attributes.matchAll(/([\w-]+)="([^"]*)"/g)].map(([, name, value]) => [name, value]),
  );
  if (given.fill === 'none' || Number(given.opacity ?? 1) < 0.3 || insideDefinition(attributes, body)) return undefined;
  const drawn = svgpath(pathOf(tag, given));
  if (given.transform) drawn.transform(given.transform);
  const contours = contoursOf(drawn, linesOf);
  return { fill: colourOf(given.fill, body), contours: given['fill-rule'] === 'evenodd' ? turned(contours) : contours };
}

/** Masks are no shapes. */
function insideDefinition(attributes, body) {
  const at = body.indexOf(attributes);
  return body.lastIndexOf('<clipPath', at) > body.lastIndexOf('</clipPath', at);
}

function pathOf(tag, given) {
  if (tag === 'path') return given.d;
  const number = (name) => Number(given[name] ?? 0);
  if (tag === 'rect') {
    return `M${number('x')} ${number('y')}h${number('width')}v${number('height')}h${-number('width')}z`;
  }
  const [cx, cy] = [number('cx'), number('cy')];
  const [rx, ry] = tag === 'circle' ? [number('r'), number('r')] : [number('rx'), number('ry')];
  return `M${cx - rx} ${cy}a${rx} ${ry} 0 1 0 ${2 * rx} 0a${rx} ${ry} 0 1 0 ${-2 * rx} 0z`;
}

function colourOf(fill = '#212121', body = '') {
  const gradient = /url\(#(\w+)\)/.exec(fill)?.[1];
  const stop = gradient && new RegExp(`id="${gradient}".*?stop-color="(#[0-9a-fA-F]+)"`).exec(body)?.[1];
  const text = (stop ?? fill).replace('#', '');
  const long = text.length === 3 ? [...text].map((digit) => digit + digit).join('') : text;
  const named = { white: 'ffffff', black: '000000' }[long] ?? long;
  return Number.parseInt(named, 16) || 0x212121;
}

/** As many lines as the curve's bend asks for. */
function linesOf([x, y], [x1, y1, x2, y2, endX, endY]) {
  const bend = Math.max(
    Math.hypot(x - 2 * x1 + x2, y - 2 * y1 + y2),
    Math.hypot(x1 - 2 * x2 + endX, y1 - 2 * y2 + endY),
  );
  return Math.max(1, Math.ceil(Math.sqrt((bend * 0.35) / TOLERANCE)));
}

/** Contours that lie inside of an odd number of others run the other way round: filled without cancelling, they are holes. */
function turned(contours) {
  return contours.map((points, at) => {
    const depth = contours.filter((other, index) => index !== at && contains(other, points)).length;
    return area(points) > 0 === (depth % 2 === 0) ? points : reversed(points);
  });
}

function contains(contour, [x, y]) {
  let inside = false;
  for (let at = 0; at < contour.length; at += 2) {
    const [x1, y1] = [contour[at], contour[at + 1]];
    const [x2, y2] = [contour[(at + 2) % contour.length], contour[(at + 3) % contour.length]];
    if (y1 > y !== y2 > y && x < ((x2 - x1) * (y - y1)) / (y2 - y1) + x1) inside = !inside;
  }
  return inside;
}

function area(points) {
  let sum = 0;
  for (let at = 0; at < points.length; at += 2) {
    sum += points[at] * points[(at + 3) % points.length] - points[(at + 2) % points.length] * points[at + 1];
  }
  return sum;
}

function reversed(points) {
  return points.flatMap((_, at) => (at % 2 === 0 ? points.slice(points.length - 2 - at, points.length - at) : []));
}

/** Scaled so that the longer side is 512, standing on y = 0 and centred on x = 0. */
function placing(contours) {
  const all = contours.flat();
  const xs = all.filter((_, at) => at % 2 === 0);
  const ys = all.filter((_, at) => at % 2 === 1);
  const [left, right, top, bottom] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
  const scale = BOX / Math.max(right - left, bottom - top);
  const middle = (left + right) / 2;
  return (points) => distinct(points.map((v, at) => Math.round((at % 2 === 0 ? v - middle : v - bottom) * scale)));
}

function distinct(points) {
  const kept = [];
  for (let at = 0; at < points.length; at += 2) {
    if (kept.at(-2) !== points[at] || kept.at(-1) !== points[at + 1]) kept.push(points[at], points[at + 1]);
  }
  if (kept.length > 2 && kept[0] === kept.at(-2) && kept[1] === kept.at(-1)) kept.length -= 2;
  return kept;
}

function contourBytes(points) {
  const steps = points.map((value, at) => value - (points[at - 2] ?? 0));
  return [...varint(points.length / 2), ...steps.flatMap((step) => varint(zigzag(step)))];
}
