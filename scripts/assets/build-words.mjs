import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { brotliCompressSync, constants } from 'node:zlib';
import { build } from 'esbuild';
import { otherEmoji, readConcepts } from './concept-list.mjs';
import { wordNetPeople } from './wordnet-people.mjs';

/**
 * Writes fixtures/lexicon/words.br: what the words of 24 languages name. Figures come from Unicode CLDR's names of emoji
 * and the words of concepts.txt, scenes from language-words.txt and lexicon.json, and emoji from emoji-words.txt; the README
 * next to it describes the format.
 */
const require = createRequire(import.meta.url);
const CLDR = require.resolve('cldr-annotations-full/package.json');
const folder = new URL('../../fixtures/lexicon/', import.meta.url);
const scenes = JSON.parse(readFileSync(new URL('lexicon.json', folder), 'utf8'));
const concepts = readConcepts();
const languages = readLanguages();
const letters = new Map(Object.keys(languages).map((language, at) => [language, String.fromCharCode(97 + at)]));
/** From a word to what it names, and from that to the letters of the languages. */
const words = new Map();

/** How surely a word names a concept. */
const SURE = { hand: 100, name: 10, furtherName: 7, person: 6, part: 4, syllables: 2, keyword: 1, wordNet: 0.5 };
/** The letter under which each kind of scene word is written. */
const LETTERS = {
  ...{ grounds: 'g', times: 't', weather: 'w', seasons: 's', colours: 'c', moods: 'm', styles: 'y' },
  ...{ numbers: 'n', small: 'p' },
};
/** Keywords that more emoji than this have name none of them. */
const MANY = 6;
/** And those that more figures than this have. */
const FEW = 3;
/** In Chinese characters, what stands at the end of a name says what it is; a syllable elsewhere may say anything. */
const UNSPACED = /[\u4e00-\u9fff]/;
/** What a syllable of these says is as sure as a word. */
const HAN = /[\u4e00-\u9fff\uac00-\ud7a3]/;
/** The people of emoji that show several. */
const ADULTS = ['1f468', '1f469', '1f9d1'];
const CHILDREN = ['1f466', '1f467', '1f9d2'];

const { stemOf } = await stemming();
const people = readPeople();
for (const [language, kinds] of Object.entries(languages)) {
  const own = { ...kinds, ...(language === 'en' ? englishScenes() : {}) };
  for (const [kind, entries] of Object.entries(own)) {
    if (kind === 'nouns') continue;
    for (const [name, list] of entries) for (const word of list) note(word, `${LETTERS[kind]}.${name}`, language);
  }
  for (let count = 1; count <= 9; count++) note(`${count}`, `n.${count}`, language);
  const taken = new Set(
    Object.entries(own).flatMap(([kind, entries]) => (kind === 'nouns' ? [] : entries.flatMap(([, list]) => list))),
  );
  const uncoloured = colourRemover(language, own.colours);
  for (const [word, concept] of figureWords(language, kinds.nouns ?? [], { taken, uncoloured })) {
    note(word, concept, language);
  }
}
noteEmoji();
const stems = stemsOf();
const sections = [words, stems].map((section) =>
  [...section].map(([word, named]) => [word, told(named)]).sort(byBytes),
);
const lines = sections.map((section) => section.map((line) => line.join('\t')).join('\n'));
const text = `${Object.keys(languages).join(' ')}\n${lines.join('\n\n')}\n`;
const packed = brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_LGWIN]: 22 } });
writeFileSync(new URL('words.br', folder), packed);
console.log(
  sections.map(({ length }) => length),
  packed.length,
);

/** As the emulator halves them. */
function byBytes([one], [other]) {
  return Buffer.compare(Buffer.from(one), Buffer.from(other));
}

/** How the emulator cuts words down to what stays of them. */
async function stemming() {
  const entry = fileURLToPath(new URL('../../src/media/scene/word-book.ts', import.meta.url));
  // In the package, whose endings of words it reads.
  const outfile = fileURLToPath(new URL('../../node_modules/.cache/word-book.mjs', import.meta.url));
  await build({ entryPoints: [entry], outfile, bundle: true, platform: 'node', format: 'esm' });
  return import(pathToFileURL(outfile).href);
}

/** What the stems of words name; of several words with one stem the shortest counts. */
function stemsOf() {
  const shortest = new Map();
  for (const found of [...words].flatMap(stemsOfWord)) {
    const key = `${found.letter} ${found.stem}`;
    const held = shortest.get(key);
    if (!held || held.word.length > found.word.length) shortest.set(key, found);
  }
  const stems = new Map();
  for (const { names, stem, letter } of shortest.values()) {
    const named = stems.get(stem) ?? new Map();
    for (const name of names) named.set(name, (named.get(name) ?? '') + letter);
    stems.set(stem, named);
  }
  return stems;
}

/** The stem of a word in each language that has it and inflects it. */
function stemsOfWord([word, named]) {
  if (word.includes(' ')) return [];
  return [...letters].flatMap(([language, letter]) => {
    const names = [...named].filter(([, languages]) => languages.includes(letter)).map(([name]) => name);
    const stem = names.length > 0 ? stemOf(word, language) : undefined;
    return stem === undefined || stem === word ? [] : [{ word, names, stem, letter }];
  });
}

/** An emoji is a word of English: `u` and its code. */
function noteEmoji() {
  const own = readFileSync(new URL('emoji-words.txt', import.meta.url), 'utf8').split('\n');
  const entries = own.filter((line) => !line.startsWith('#')).flatMap((line) => line.split(' ').filter(Boolean));
  const listed = new Map(
    entries.map((entry) => entry.split('=')).map(([emoji, names]) => [codeOf(emoji), names.split(',')]),
  );
  for (const row of concepts) for (const code of row.codes) if (!listed.has(code)) listed.set(code, [row.concept]);
  for (const [, code] of otherEmoji()) if (!listed.has(code)) listed.set(code, [`u${code}`]);
  for (const code of couples()) listed.set(code, ['person', 'n.2']);
  for (const code of familiesOf()) listed.set(code, ['family']);
  for (const [code, names] of listed) for (const name of names) note(`u${code}`, name, 'en');
}

function codeOf(emoji) {
  return [...emoji]
    .map((letter) => letter.codePointAt(0).toString(16))
    .filter((hex) => hex !== 'fe0f')
    .join('-');
}

/** Two adults with a heart, a kiss or their hands between them. */
function couples() {
  return ['2764', '2764-200d-1f48b', '1f91d'].flatMap((sign) =>
    ADULTS.flatMap((one) => ADULTS.map((other) => `${one}-200d-${sign}-200d-${other}`)),
  );
}

/** One adult or two with one child or two. */
function familiesOf() {
  const pairs = (people) => [...people, ...people.flatMap((one) => people.map((other) => `${one}-200d-${other}`))];
  return pairs(ADULTS).flatMap((adults) => pairs(CHILDREN).map((children) => `${adults}-200d-${children}`));
}

function note(word, name, language) {
  const key = word.replaceAll('_', ' ').toLowerCase().normalize('NFC');
  const named = words.get(key) ?? new Map();
  named.set(
    name,
    (named.get(name) ?? '') + (named.get(name)?.includes(letters.get(language)) ? '' : letters.get(language)),
  );
  words.set(key, named);
}

function told(named) {
  return [...named].map(([name, languages]) => `${name}:${languages}`).join(' ');
}

/** `== language`, and below it a line for each kind: `kind: name=word,word name=word`. */
function readLanguages() {
  const languages = {};
  let kinds = {};
  for (const line of readFileSync(new URL('language-words.txt', import.meta.url), 'utf8').split('\n')) {
    if (line === '' || line.startsWith('#')) continue;
    if (line.startsWith('== ')) {
      kinds = {};
      languages[line.slice(3)] = kinds;
      continue;
    }
    const [kind, entries] = line.split(': ');
    kinds[kind] = entries.split(' ').map((entry) => {
      const [name, list] = entry.split('=');
      return [name, list.split(',')];
    });
  }
  return languages;
}

/** By language, the words of person-words.txt; in English also those that WordNet has for people. */
function readPeople() {
  const sections = readFileSync(new URL('person-words.txt', import.meta.url), 'utf8')
    .split(/^== /m)
    .slice(1);
  const found = new Map(
    sections.map((section) => {
      const [language, ...lines] = section.trim().split('\n');
      const rows = lines.map((line) => line.split(': ')).filter(([, list]) => list);
      const words = rows.flatMap(([concept, list]) => list.split(' ').map((word) => ({ word, concept })));
      return [
        language,
        words.map(({ word, concept }) => ({ word: word.replaceAll('_', ' '), concept, sure: SURE.person })),
      ];
    }),
  );
  found.get('en').push(...wordNetPeople().map(([word, concept]) => ({ word, concept, sure: SURE.wordNet })));
  return found;
}

/** English words of scenes are those that lexicon.json publishes. */
function englishScenes() {
  const kinds = ['grounds', 'times', 'weather', 'seasons', 'colours', 'moods', 'styles'];
  return Object.fromEntries(
    kinds.map((kind) => [
      kind,
      Object.entries(scenes[kind]).map(([name, entry]) => [name, (entry.words ?? entry).split(' ')]),
    ]),
  );
}

/** Answers of a phrase what it is without its colour; undefined where it has none. */
function colourRemover(language, colours) {
  const stem = (word) => stemOf(word, language) ?? word;
  const known = new Set(colours.flatMap(([, list]) => list.map(stem)));
  return (phrase) => {
    const parts = phrase.split(' ');
    const rest = parts.filter((part) => !known.has(stem(part)));
    return rest.length < parts.length ? rest.join(' ') : undefined;
  };
}

/**
 * The words of one language that name figures, each with its concept; a doubtful one has a question mark. A phrase such as
 * `taxi jaune` that says no more than its colour is left out: the colour is to be read.
 */
function figureWords(language, nouns, { taken, uncoloured }) {
  const votes = new Map();
  const spread = spreadOf(annotations(language));
  const own = nouns.flatMap(([concept, list]) =>
    list.map((word) => ({ word: word.replaceAll('_', ' '), concept, sure: SURE.hand })),
  );
  const told = concepts.flatMap((row, order) => votesFor(row, { language, spread, order }));
  for (const { word, concept, sure } of [...own, ...told, ...(people.get(language) ?? [])]) {
    if (
      word.length === 0 ||
      (sure < SURE.hand && sure !== SURE.person && taken.has(word)) ||
      word.split(' ').length > 3
    )
      continue;
    const held = votes.get(word) ?? new Map();
    held.set(concept, Math.max(held.get(concept) ?? 0, sure));
    votes.set(word, held);
  }
  const named = new Map([...votes].map(([word, held]) => [word, surest(word, held)]));
  return [...named].filter(([word, concept]) => concept !== undefined && named.get(uncoloured(word)) !== concept);
}

/** What names one concept in one language, and how surely. */
function votesFor({ concept, codes, english }, { language, spread, order }) {
  const told = annotations(language);
  const byHand = language === 'en' ? english.map((word) => ({ word, concept, sure: SURE.hand })) : [];
  const byEmoji = codes.flatMap((code, at) => {
    const { tts = [], default: keywords = [] } = told[charactersOf(code)] ?? {};
    const names = tts.map((name) => name.toLowerCase());
    const named = names.map((word) => ({ word, concept, sure: at === 0 ? SURE.name : SURE.furtherName }));
    if (language === 'en') return named;
    const further = keywords.map((keyword) => keyword.toLowerCase());
    return [
      ...named,
      ...further.map((word) => ({ word, concept, sure: surenessOf(word, { names, spread }) - order / 10_000 })),
    ];
  });
  return [...byHand, ...byEmoji];
}

/** How surely a keyword names what else is called `names`. */
function surenessOf(keyword, { names, spread }) {
  const { emoji = 1, figures = 1 } = spread.get(keyword) ?? {};
  if (UNSPACED.test(keyword) && !names.some((name) => name.endsWith(keyword)))
    return syllables(keyword, { emoji, figures });
  const parts = names.filter((name) => name.includes(beginning(keyword)) || keyword.includes(name));
  const [share = 0] = parts
    .map((name) => Math.min(1, keyword.length / name.length))
    .sort()
    .reverse();
  if (share > 0 && emoji <= MANY) return SURE.part + share;
  if (keyword.includes(' ') || figures > FEW) return 0;
  return SURE.keyword / figures;
}

/** A single syllable says too little. Several are a word of their own if they name one figure. */
function syllables(keyword, { emoji, figures }) {
  if (keyword.length === 1) return 0;
  return figures === 1 && emoji <= MANY ? SURE.syllables : SURE.keyword / figures;
}

/** What of a word stays when it is inflected, roughly. */
function beginning(word) {
  return word.length > 3 && !HAN.test(word) ? word.slice(0, -1) : word;
}

/** A keyword that is no part of a name is doubtful, but for a Korean one, which is a word of its own. */
function surest(word, held) {
  const [[concept, sure]] = [...held].sort(([, one], [, other]) => other - one);
  if (sure <= 0 || (word.length === 1 && !HAN.test(word))) return undefined;
  return sure > SURE.keyword || sure === SURE.wordNet || (HAN.test(word) && !UNSPACED.test(word))
    ? concept
    : `${concept}?`;
}

function annotations(language) {
  const file = path.join(path.dirname(CLDR), 'annotations', language, 'annotations.json');
  return require(file).annotations.annotations;
}

/** How many emoji have each keyword, and how many figures. */
function spreadOf(told) {
  const spread = new Map();
  const concept = new Map(concepts.flatMap(({ concept, codes }) => codes.map((code) => [charactersOf(code), concept])));
  for (const [emoji, { default: keywords = [] }] of Object.entries(told)) {
    for (const keyword of keywords.map((word) => word.toLowerCase())) {
      const held = spread.get(keyword) ?? { emoji: 0, of: new Set() };
      held.emoji++;
      if (concept.has(emoji)) held.of.add(concept.get(emoji));
      spread.set(keyword, held);
    }
  }
  for (const held of spread.values()) held.figures = held.of.size;
  return spread;
}

/** CLDR leaves the marks of presentation out. */
function charactersOf(code) {
  return code
    .split('-')
    .filter((hex) => hex !== 'fe0f')
    .map((hex) => String.fromCodePoint(Number.parseInt(hex, 16)))
    .join('');
}
