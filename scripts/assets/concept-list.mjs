import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);

/** The rows of concepts.txt; the file tells their form. `codes` are the emoji of the figure and of what counts as it. */
export function readConcepts() {
  const codes = codesOfIcons();
  const rows = [];
  let [home, size] = ['ground', 0.4];
  for (const line of readFileSync(new URL('concepts.txt', import.meta.url), 'utf8').split('\n')) {
    if (line === '' || line.startsWith('#')) continue;
    const heading = /^(\w+) (0\.\d+)$/.exec(line);
    if (heading) [home, size] = [heading[1], Number(heading[2])];
    else rows.push(row(line, { home, size, codes }));
  }
  return rows;
}

function row(line, { home, size, codes }) {
  const [icons, words = ''] = line.split(/: ?/);
  const [first, ...further] = icons.split('+');
  const [concept, icon = concept] = first.split('=');
  const english = words.split(',').map((word) => word.trim());
  return {
    ...{ concept, icon, home, size },
    codes: [icon, ...further].map((name) => codes.get(name) ?? bareCode(name)).filter((code) => code !== undefined),
    english: [concept.replaceAll('-', ' '), ...english].filter((word) => word !== ''),
  };
}

/** An emoji that the set has no drawing of is named by its code. */
function bareCode(name) {
  return /^1f[0-9a-f]{3}$/.test(name) ? name : undefined;
}

/** From the name of an icon to its emoji, as code points in hex without the mark of its presentation. */
function codesOfIcons() {
  const chars = require('@iconify-json/fluent-emoji-flat/chars.json');
  return new Map(Object.entries(chars).map(([code, icon]) => [icon, code.replaceAll('-fe0f', '')]));
}

/** Signs, buttons, clocks and directions, and tones of skin. */
const DULL =
  /button|arrow|keycap|input-|oclock|-thirty|small|medium|large-square|facing-right|exclamation|copyright|registered|trade-mark|wavy-dash|curly-loop|alternation|(?:light|dark)-skin-tone|information/;

/** The emoji that no word of concepts.txt names, which are drawn as themselves. */
export function otherEmoji() {
  const named = new Set(readConcepts().flatMap(({ codes }) => codes));
  return [...codesOfIcons()].filter(([icon, code]) => !named.has(code) && !DULL.test(icon) && !/1f3f[b-f]/.test(code));
}
