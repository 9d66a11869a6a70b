import { writeFileSync } from 'node:fs';
import { brotliCompressSync, constants } from 'node:zlib';
import { dictionary } from 'cmu-pronouncing-dictionary';

/**
 * Writes fixtures/speech/english.br: how the words of the CMU dictionary are pronounced, and how letters are in words that it
 * does not have, learned from it. The README beside the file tells the format.
 */
const LETTERS = {
  ...{
    AA: 'A',
    AE: 'æ',
    AH: 'V',
    AO: 'O',
    AW: 'à',
    AY: 'á',
    EH: 'E',
    ER: 'R',
    EY: 'é',
    IH: 'I',
    IY: 'i',
    OW: 'ó',
    OY: 'ò',
  },
  ...{
    UH: 'U',
    UW: 'u',
    B: 'b',
    CH: 'C',
    D: 'd',
    DH: 'D',
    F: 'f',
    G: 'g',
    HH: 'h',
    JH: 'J',
    K: 'k',
    L: 'l',
    M: 'm',
    N: 'n',
  },
  ...{ NG: 'N', P: 'p', R: 'r', S: 's', SH: 'S', T: 't', TH: 'T', V: 'v', W: 'w', Y: 'j', Z: 'z', ZH: 'Z' },
};
const STRESSES = { 1: "'", 2: ',' };
/** The letters about a letter in the order in which they tell how it sounds. */
const CONTEXT = [0, 1, -1, 2, -2, 3, -3, 4, -4];
/** What fewer words show is no rule. */
const FEWEST = 3;
const MOST_SOUNDS = 2;
const ROUNDS = 5;

const words = Object.entries(dictionary)
  .filter(([word]) => /^[a-z']+$/.test(word))
  .map(([word, told]) => ({ word, sounds: told.split(' #')[0].trim().split(' ').map(soundOf) }));
const spelled = words
  .filter(({ word }) => /^[a-z]+$/.test(word))
  .map((entry) => ({ ...entry, bare: entry.sounds.map(bare) }));
const contexts = prune(countContexts(learnPairs()));
const sections = [
  words.map(({ word, sounds }) => [word, sounds.join('')]),
  [...contexts].map(([context, sounds]) => [context, sounds]),
];
const text = sections
  .map(
    (lines) =>
      `${lines
        .sort(byBytes)
        .map((line) => `${line.join('\t')}\n`)
        .join('')}`,
  )
  .join('\n');
const packed = brotliCompressSync(Buffer.from(text, 'latin1'), { params: { [constants.BROTLI_PARAM_LGWIN]: 22 } });
writeFileSync(new URL('../../fixtures/speech/english.br', import.meta.url), packed);
console.log(
  sections.map(({ length }) => length),
  packed.length,
);

function soundOf(code) {
  const [, name, stress] = /^([A-Z]+)(\d?)$/.exec(code);
  if (name === 'AH' && stress === '0') return '@';
  return (STRESSES[stress] ?? '') + LETTERS[name];
}

function bare(sound) {
  return sound.at(-1);
}

/** As the emulator halves them. */
function byBytes([one], [other]) {
  return one < other ? -1 : 1;
}

/** How likely a letter stands for some sounds: told from the pairs of the best alignments, again and again. */
function learnPairs() {
  let rate = likelyTogether();
  for (let round = 0; round < ROUNDS; round++) {
    const [pairs, letters] = [new Map(), new Map()];
    for (const { word, bare } of spelled) {
      for (const [letter, sounds] of align(word, bare, rate) ?? []) {
        add(pairs, letter + sounds.join(''));
        add(letters, letter);
      }
    }
    rate = (letter, sounds) =>
      Math.log(((pairs.get(letter + sounds.join('')) ?? 0) + 0.01) / ((letters.get(letter) ?? 0) + 1));
  }
  return rate;
}

/** A first guess: letters and sounds that occur in the same words. */
function likelyTogether() {
  const [pairs, letters, heard] = [new Map(), new Map(), new Map()];
  for (const { word, bare } of spelled) {
    for (const sound of new Set(bare)) add(heard, sound);
    for (const letter of new Set(word)) {
      add(letters, letter);
      for (const sound of new Set(bare)) add(pairs, letter + sound);
    }
  }
  const one = (letter, sound) =>
    Math.log(((pairs.get(letter + sound) ?? 0.1) * spelled.length) / (letters.get(letter) * heard.get(sound)));
  return (letter, sounds) =>
    sounds.length === 0 ? -1 : sounds.reduce((sum, sound) => sum + one(letter, sound), 4 - 4 * sounds.length);
}

function add(counts, key) {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

/** The letters of a word, each with the sounds it stands for, at most two; undefined where there are more sounds than that. */
function align(word, sounds, rate) {
  let row = new Map([[0, { score: 0, path: [] }]]);
  for (const letter of word) {
    const next = new Map();
    for (const [at, { score, path }] of row) {
      for (let end = at; end <= Math.min(at + MOST_SOUNDS, sounds.length); end++) {
        const taken = sounds.slice(at, end);
        const sum = score + rate(letter, taken);
        if (sum > (next.get(end)?.score ?? Number.NEGATIVE_INFINITY))
          next.set(end, { score: sum, path: [...path, [letter, taken, at]] });
      }
    }
    row = next;
  }
  return row.get(sounds.length)?.path;
}

function countContexts(rate) {
  const nodes = new Map();
  for (const { word, bare, sounds } of spelled) {
    for (const [at, [, taken, from]] of (align(word, bare, rate) ?? []).entries()) {
      const said = sounds.slice(from, from + taken.length).join('');
      const context = CONTEXT.map((step) => word[at + step] ?? '_').join('');
      for (let length = 1; length <= CONTEXT.length; length++) {
        const node = nodes.get(context.slice(0, length)) ?? new Map();
        add(node, said);
        nodes.set(context.slice(0, length), node);
      }
    }
  }
  return nodes;
}

/** Keeps what says something else than the next shorter context that is kept. */
function prune(nodes) {
  const kept = new Map();
  for (const context of [...nodes.keys()].sort((one, other) => one.length - other.length)) {
    const told = [...nodes.get(context)];
    const seen = told.reduce((sum, [, count]) => sum + count, 0);
    if (context.length > 1 && seen < FEWEST) continue;
    const [said] = told.reduce((best, each) => (each[1] > best[1] ? each : best));
    let shorter = context.slice(0, -1);
    while (shorter !== '' && !kept.has(shorter)) shorter = shorter.slice(0, -1);
    if (kept.get(shorter) !== said) kept.set(context, said);
  }
  return kept;
}
