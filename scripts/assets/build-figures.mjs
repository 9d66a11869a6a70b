import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { brotliCompressSync, constants } from 'node:zlib';
import { otherEmoji, readConcepts } from './concept-list.mjs';
import { drawnLayers } from './drawn-layers.mjs';
import { OWN_FIGURES } from './own-figures.mjs';
import { wholePerson } from './whole-persons.mjs';

/**
 * Writes fixtures/lexicon/figures.br and emoji.br from the flat Fluent Emoji: a figure for each concept of concepts.txt, and
 * one for each other emoji. The README next to them describes the format.
 */
const require = createRequire(import.meta.url);
const { icons } = require('@iconify-json/fluent-emoji-flat/icons.json');
const folder = new URL('../../fixtures/lexicon/', import.meta.url);
/** The height of an emoji that is drawn as itself. */
const OTHER_SIZE = 0.38;

writeFigures('figures.br', readConcepts());
writeFigures(
  'emoji.br',
  otherEmoji().map(([icon, code]) => ({ concept: `u${code}`, icon, home: 'ground', size: OTHER_SIZE, codes: [code] })),
);

function writeFigures(file, concepts) {
  const figures = [];
  const parts = [];
  let length = 0;
  for (const { concept, icon, home, size, codes } of concepts) {
    const body = icons[icon]?.body ?? OWN_FIGURES[icon];
    if (!body) {
      console.log(`missing: ${icon}`);
      continue;
    }
    const { fills, bytes } = drawnLayers(wholePerson(concept, body));
    const code = codes.length > 0 ? codes.join(',') : '-';
    figures.push({ concept, home, size, code, fills, at: length, length: bytes.length });
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
  writeFileSync(new URL(file, folder), packed);
  console.log(`${file}: ${figures.length} figures, ${length} bytes, ${packed.length} packed`);
}
