import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { FigureSet } from '../../src/media/scene/figure-set.ts';
import { Lexicon } from '../../src/media/scene/scene-lexicon.ts';

const lexicon = new Lexicon();
/** 60 words per language, translated by hand, in the order of the English ones. No build reads them. */
const nouns = read<string>('nouns.json');
const english = wordsIn('en');

function read<T>(name: string): Record<string, T> {
  return JSON.parse(readFileSync(new URL(name, import.meta.url), 'utf8')) as Record<string, T>;
}

function wordsIn(language: string): string[] {
  return (nouns[language] ?? '').split('|');
}

function conceptOf(prompt: string): string | undefined {
  return lexicon.read(prompt).subjects[0]?.concept;
}

const concepts = english.map(conceptOf);

function shareOf(language: string): number {
  const words = wordsIn(language);
  const same = words.map(conceptOf).filter((concept, at) => concept !== undefined && concept === concepts[at]);
  return same.length / words.length;
}

/** For each language, the share of its words that are read as the same concept as the English word. */
const shares = new Map(Object.keys(nouns).map((language) => [language, shareOf(language)]));

it('recognizes each of 60 English nouns', () => {
  expect(english.filter((noun) => conceptOf(noun) === undefined)).toEqual([]);
});

it.each(Object.keys(nouns))('recognizes at least 45 of 60 nouns in the language %s', (language) => {
  expect(wordsIn(language)).toHaveLength(60);
  expect(shares.get(language)).toBeGreaterThanOrEqual(0.75);
});

it('recognizes at least 54 of 60 nouns on average in 24 languages', () => {
  expect(shares.size).toBe(24);
  const mean = [...shares.values()].reduce((sum, share) => sum + share, 0) / shares.size;
  expect(mean).toBeGreaterThanOrEqual(0.9);
});

it('has a figure for at least 198 of 200 everyday things', () => {
  const figures = new FigureSet();
  const { nouns: everyday } = read<string>('everyday.json');
  const things = (everyday ?? '').split(' ');
  expect(things).toHaveLength(200);
  const drawn = things.filter((thing) => figures.shape(conceptOf(`a ${thing}`) ?? '') !== undefined);
  expect(drawn.length).toBeGreaterThanOrEqual(198);
});

it.each([
  ['a groom and a knight', ['1 groom', '1 knight']],
  ['eine Suppe und zwei Flaschen', ['1 soup', '2 bottle']],
  ['フライパンとスープ', ['1 pan', '1 soup']],
  ['해변의 개 두 마리', ['2 dog']],
  ['wolves in a forest', ['3 wolf']],
  ['zwei rote Füchse im Wald', ['2 red fox']],
  ['ein Feuerwehrauto', ['1 fire-engine']],
  ['trois chats noirs sur une plage', ['3 black cat']],
  ['dos niños jugando al fútbol', ['2 child', '1 ball']],
  ['ثعلب أحمر في الغابة', ['1 red fox']],
  ['topla oynayan iki çocuk', ['1 ball', '2 child']],
  ['공을 가진 두 아이', ['1 ball', '2 child']],
  ['แมวสามตัวบนชายหาด', ['3 cat']],
  ['三匹の猫が夜の街を歩く', ['3 cat']],
  ['雪山上的紅色狐狸', ['1 red fox']],
  ['an orange cat and an orange', ['1 orange cat', '1 orange']],
  ['a lighthouse by the sea, camera pans right', ['1 lighthouse']],
  ['a camera on a table', ['1 camera', '1 table']],
  ['a girl in a yellow raincoat', ['1 girl', '1 gold raincoat']],
  ['une fille en imperméable rouge', ['1 girl', '1 red raincoat']],
  ['黄色いレインコートの女の子', ['1 gold raincoat', '1 girl']],
  ['a boy with a blue scarf and a red hat', ['1 boy', '1 blue scarf', '1 red hat']],
  ['Русский текст: winter forest, a bear', ['1 bear']],
  ['🐱', ['1 cat']],
  ['🐉🔥🏰', ['1 dragon', '1 fire', '1 castle']],
  ['🚗', ['1 car']],
  ['👩🏽‍⚕️', ['1 doctor']],
  ['👨‍👩‍👧‍👦', ['1 family']],
  ['🎂🎈🎈🎈', ['1 cake', '3 balloon']],
  ['🇫🇷🥖', ['1 flag', '1 baguette']],
  ['🫠', ['1 u1fae0']],
  ['Ein Geschenk 🎁', ['1 gift']],
  ['3 🐶', ['3 dog']],
  ['\u{1faff}', []],
  ['portrait of a woman', ['1 woman']],
  ['a portrait of my aunt', ['1 woman']],
  ['一个女孩看着大海', ['1 girl']],
  ['小心地滑', []],
  ['马上出发', []],
  ['开心的小狗', ['1 dog']],
  ['手里的书', ['1 book']],
  ['本当に静かな夜', []],
  ['忍者が屋根の上を走る', ['1 ninja', '1 house']],
  ['火曜日の朝', []],
  ['the carpet in a scarcely lit hall', ['1 carpet']],
  ['ein alter Hof', []],
])(
  'recognizes the subjects, if any, with their numbers and colors in %j, and no subject inside another word',
  (prompt, told) => {
    const { subjects } = lexicon.read(prompt);
    const parts = subjects.map(({ count, colour, concept }) =>
      [count, colour, concept].filter((part) => part !== null),
    );
    expect(parts.map((each) => each.join(' '))).toEqual(told);
  },
);

const PEOPLE = 'person man woman old-man old-woman child boy girl doctor office-worker artist dancer'.split(' ');

it.each([
  'a plumber',
  'a businessman in a suit',
  'my grandmother',
  'a swordmaker',
  'Albert Einstein',
  'ein Schornsteinfeger',
  'un pescador',
  'un idraulico',
  'рыбак',
  'صياد',
  'ชาวประมง',
  '어부',
  '一位渔夫',
  '看護師',
  'eine Seiltänzerin',
  '老人在公园里下棋',
  '侍の肖像画',
])('recognizes a person in the prompt %j', (prompt) => {
  expect(PEOPLE).toContain(conceptOf(prompt));
});

it.each([
  ['an old fisherman with a white beard', 'old-man'],
  ['eine alte Bäckerin', 'old-woman'],
  ['un pescador viejo', 'old-man'],
  ['une vieille dame', 'old-woman'],
  ['一位老渔夫', 'old-man'],
  ['an elderly nurse and a cat', 'doctor'],
  ['a mysterious old house', 'house'],
])('recognizes in the prompt %j the subject %s', (prompt, concept) => {
  expect(conceptOf(prompt)).toBe(concept);
});

it.each([
  ['a house without trees and people', ['tree', 'person']],
  ['ein Haus ohne Bäume', ['tree']],
  ['une plage sans chiens', ['dog']],
  ['лес без волков', ['wolf']],
  ['木のない草原', ['tree']],
  ['没有树的草原', ['tree']],
  ['나무 없는 들판', ['tree']],
  ['no cats on a beach', ['cat']],
  ['a city without rain', ['rain']],
])('recognizes what the prompt %j excludes, and does not treat it as a subject', (prompt, negated) => {
  const reading = lexicon.read(prompt);
  expect(reading.negated).toEqual(negated);
  expect(reading.subjects.filter(({ concept }) => negated.includes(concept))).toEqual([]);
});

const NOTHING = { subjects: [], grounds: [], seasons: [], styles: [] };

it.each([
  ['am Meer bei Sonnenuntergang im Winter', { grounds: ['sea'], times: ['golden'], seasons: ['winter'] }],
  ['une ville sous la pluie la nuit', { grounds: ['city'], weather: ['rain'], times: ['night'] }],
  ['雪の降る夜の山', { grounds: ['mountains'], weather: ['snow'], times: ['night'] }],
  ['пустыня на рассвете', { grounds: ['desert'], times: ['dawn'] }],
  ['غابة في الخريف', { grounds: ['forest'], seasons: ['autumn'] }],
  ['bãi biển vào mùa hè', { grounds: ['beach'], seasons: ['summer'] }],
  ['🌊🌅', { grounds: ['sea'], times: ['dawn'], subjects: [] }],
  ['🌧️', { weather: ['rain'], subjects: [] }],
  ['an old photo of a harbour', { styles: ['vintage'] }],
  ['an old fisherman', { styles: [] }],
  ['a plain background', NOTHING],
  ['macro photo', NOTHING],
  ['it may be', NOTHING],
])(
  'recognizes the place, the time, the season, the weather and the style, as far as they are named, in %j',
  (prompt, told) => {
    expect(lexicon.read(prompt)).toMatchObject(told);
  },
);
