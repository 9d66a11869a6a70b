import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { brotliCompressSync, constants } from 'node:zlib';
import { readConcepts } from './concept-list.mjs';
import { drawnLayers } from './drawn-layers.mjs';
import { OWN_FIGURES } from './own-figures.mjs';
import { wholePerson } from './whole-persons.mjs';

/**
 * Writes fixtures/lexicon/figures.br from the flat Fluent Emoji, one figure for each concept of concepts.txt; the README
 * next to it describes the format.
 */
const require = createRequire(import.meta.url);
const { icons } = require('@iconify-json/fluent-emoji-flat/icons.json');
const folder = new URL('../../fixtures/lexicon/', import.meta.url);

const figures = [];
const parts = [];
let length = 0;
for (const { concept, icon, home, size, codes } of readConcepts()) {
  const body = icons[icon]?.body ?? OWN_FIGURES[icon];
  if (!body) {
    console.log(`missing: ${icon}`);
    continue;
  }
  const { fills, bytes } = drawnLayers(wholePerson(concept, body));
  figures.push({
    concept,
    home,
    size,
    code: codes.length > 0 ? codes.join(',') : '-',
    fills,
    at: length,
    length: bytes.length,
  });
  parts.push(bytes);
  length += bytes.length;
}
const rows = figures.map((figure) => {
  const fills = figure.fills.map((fill) => fill.toString(16).padStart(6, '0')).join(',');
  return [figure.concept, figure.home, figure.size, figure.code, figure.at, figure.length, fills].join(' ');
});
const head = Buffer.from(`${rows.join('\n')}\n\n`, 'latin1');
const packed = brotliCompressSync(Buffer.concat([head, ...parts]), {
  params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 22 },
});
writeFileSync(new URL('figures.br', folder), packed);
console.log(`${figures.length} figures, ${length} bytes, ${packed.length} packed`);
