import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import { Blob, Face, Font, Variation } from 'harfbuzzjs';
import { decompress } from 'wawoff2';
import { varint, zigzag } from './varint.mjs';

/**
 * Writes what text beyond Latin, Greek and Cyrillic is drawn with: fixtures/font/east-asian.br, glyphs of Noto Sans for what
 * GB 2312, Big5 level 1, JIS X 0208 and KS X 1001 list. The README next to it describes the format.
 */
const require = createRequire(import.meta.url);
const folder = new URL('../../fixtures/font/', import.meta.url);
/** Units of an em: a third of a pixel at the size of captions. */
const EM = 100;
const WEIGHT = 600;
const BLOCK = 512;
const EAST_ASIAN = [
  require.resolve('@fontsource-variable/noto-sans-jp/package.json'),
  require.resolve('@fontsource-variable/noto-sans-sc/package.json'),
  require.resolve('@fontsource-variable/noto-sans-tc/package.json'),
  require.resolve('@fontsource-variable/noto-sans-kr/package.json'),
];

const wanted = wantedCodes();
const glyphs = new Map();
for (const manifest of EAST_ASIAN) await addFonts(path.join(path.dirname(manifest), 'files'));
report('east-asian', eastAsianFile());
console.log(`${glyphs.size} of ${wanted.size} glyphs`);

function report(name, bytes) {
  writeFileSync(new URL(`${name}.br`, folder), bytes);
  console.log(`${name}: ${bytes.length} bytes`);
}

function packed(bytes) {
  return brotliCompressSync(bytes, {
    params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 22 },
  });
}

/** What the four standards list, kana and marks too. */
function wantedCodes() {
  const codes = new Set();
  const add = (encoding, [first, last], [low, high]) => {
    const decoder = new TextDecoder(encoding);
    for (let lead = first; lead <= last; lead++) {
      for (let trail = low; trail <= high; trail++) {
        const code = decoder.decode(Uint8Array.of(lead, trail)).codePointAt(0) ?? 0;
        if (code > 0x2e7f && code !== 0xfffd && !(code >= 0xe000 && code <= 0xf8ff)) codes.add(code);
      }
    }
  };
  add('gbk', [0xb0, 0xf7], [0xa1, 0xfe]);
  add('big5', [0xa4, 0xc6], [0x40, 0x7e]);
  add('big5', [0xa4, 0xc5], [0xa1, 0xfe]);
  add('euc-jp', [0xa1, 0xf4], [0xa1, 0xfe]);
  add('euc-kr', [0xb0, 0xc8], [0xa1, 0xfe]);
  for (let code = 0x3000; code <= 0x30ff; code++) codes.add(code);
  for (let code = 0xff01; code <= 0xff5e; code++) codes.add(code);
  return codes;
}

async function addFonts(files) {
  for (const name of readdirSync(files)) {
    if (!/-wght-normal\.woff2$/.test(name)) continue;
    const bytes = await decompress(readFileSync(path.join(files, name)));
    const face = new Face(new Blob(bytes));
    const font = new Font(face);
    font.setVariations([new Variation('wght', WEIGHT)]);
    for (const code of Array.from(face.collectUnicodes())) {
      if (wanted.has(code) && !glyphs.has(code)) glyphs.set(code, outline(font, font.nominalGlyph(code), face.upem));
    }
  }
}

function outline(font, glyph, upem) {
  const scale = (value) => Math.round((value * EM) / upem);
  const contours = [];
  for (const [, kind, values] of font.glyphToPath(glyph).matchAll(/([MLQCZ])([^MLQCZ]*)/g)) {
    const points = values
      .split(/[ ,]+/)
      .filter((value) => value !== '')
      .map(Number);
    if (kind === 'M') contours.push([]);
    if (kind === 'C') throw new RangeError('A cubic curve: the format has none.');
    const pairs = Array.from({ length: points.length / 2 }, (_, at) => [
      scale(points[2 * at]),
      -scale(points[2 * at + 1]),
    ]);
    for (const [at, [x, y]] of pairs.entries()) contours.at(-1).push({ x, y, curve: kind === 'Q' && at === 0 });
  }
  return { advance: scale(font.glyphHAdvance(glyph)), contours: contours.map(slim).filter(({ length }) => length > 2) };
}

/** Without points on one another, and without those in the middle between two points of curves, which they imply. */
function slim(points) {
  const apart = points.filter(({ x, y, curve }, at) => {
    const before = points[(at + points.length - 1) % points.length];
    return before.x !== x || before.y !== y || curve !== before.curve;
  });
  return apart.filter(({ x, y, curve }, at) => {
    const before = apart[(at + apart.length - 1) % apart.length];
    const next = apart[(at + 1) % apart.length];
    const middle = Math.abs(before.x + next.x - 2 * x) <= 1 && Math.abs(before.y + next.y - 2 * y) <= 1;
    return at === 0 || curve || !(before.curve && next.curve && middle);
  });
}

/** A head of lines, `first code, last code, offset, length`, a blank line, and the blocks. */
function eastAsianFile() {
  const codes = [...glyphs.keys()].sort((one, other) => one - other);
  const rows = [];
  const blocks = [];
  let offset = 0;
  for (let at = 0; at < codes.length; at += BLOCK) {
    const part = codes.slice(at, at + BLOCK);
    const block = packed(blockOf(part));
    rows.push([part[0], part.at(-1), offset, block.length].join(' '));
    blocks.push(block);
    offset += block.length;
  }
  return Buffer.concat([Buffer.from(`${rows.join('\n')}\n\n`, 'latin1'), ...blocks]);
}

/** Numbers of one kind together, which packs them closer: codes, shapes, then steps across and steps down. */
function blockOf(codes) {
  const [heads, across, down] = [[], [], []];
  let before = 0;
  for (const code of codes) {
    const { advance, contours } = glyphs.get(code);
    heads.push(...varint(code - before), ...varint(advance), ...varint(contours.length));
    before = code;
    let [x, y] = [0, 0];
    for (const points of contours) {
      heads.push(...varint(points.length));
      for (const point of points) {
        across.push(...varint(zigzag(point.x - x) * 2 + (point.curve ? 1 : 0)));
        down.push(...varint(zigzag(point.y - y)));
        [x, y] = [point.x, point.y];
      }
    }
  }
  return Buffer.from([
    ...varint(codes.length),
    ...varint(heads.length),
    ...varint(across.length),
    ...heads,
    ...across,
    ...down,
  ]);
}
